// SPDX-License-Identifier: Apache-2.0
// The convolution with int4 weights without its argument checks.
#ifndef RL_KERNELS_CONVOLUTION_CONVOLUTION_S4_H
#define RL_KERNELS_CONVOLUTION_CONVOLUTION_S4_H

#include "convolution/convolution.h"

// `c` as for rl_convolution_run, but for its filter, which holds int4 weights; one group, no upscaling.
// The scratch takes four patches, or is NULL; then patches are kept on the stack, or not made where they do not be.
void rl_convolution_s4_run(struct rl_convolution *c);

// The same for 1x1 filters without padding.
void rl_convolution_s4_run_1x1(struct rl_convolution *c);

#endif
