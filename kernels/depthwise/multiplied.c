// SPDX-License-Identifier: Apache-2.0
#include "depthwise/multiplied.h"

bool rl_depthwise_run_multiplied(const struct rl_depthwise *d, const int8_t *input, int8_t *output,
                                 struct rl_scratch scratch)
{
    if (!rl_depthwise_suits_multiplied(d, RL_HAS_MVE)) {
        return false;
    }
    struct rl_convolution c = rl_depthwise_as_convolution(d);
    (void)rl_convolution_prepare_as(&c, RL_CONVOLUTION_TAPS_FIRST);
    rl_convolution_run(&c, input, output, scratch);
    return true;
}
