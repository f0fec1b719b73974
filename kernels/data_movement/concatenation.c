// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "rushlight/kernels/data_movement.h"

void rl_concatenation_run(const struct rl_concatenation *layer, const int8_t *input, int8_t *output)
{
    for (uint32_t i = 0; i < layer->runs; i++) {
        memcpy(output, input, layer->run);
        input += layer->run;
        output += layer->stride;
    }
}
