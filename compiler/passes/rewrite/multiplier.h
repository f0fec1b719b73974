// SPDX-License-Identifier: Apache-2.0
//
// Real factors as the kernels take them: real ~ multiplier * 2^(shift - 31), with the multiplier in [2^30, 2^31).
// Source of the format: CMSIS-NN's arm_nn_requantize; rounding to the nearest multiplier, ties to even, as ExecuTorch's
// Cortex-M passes do.
#ifndef RL_COMPILER_PASSES_REWRITE_MULTIPLIER_H
#define RL_COMPILER_PASSES_REWRITE_MULTIPLIER_H

#include <stdint.h>

struct rl_multiplier {
    int32_t multiplier;
    int32_t shift; // positive: to the left
};

// `real` must not be negative. Factors below 2^-32 give {0, 0}, those from 2^30 on the largest factor, because the
// kernels take shifts of -31 to 30.
struct rl_multiplier rl_multiplier_of(double real);

#endif
