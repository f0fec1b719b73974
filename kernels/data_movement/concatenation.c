// SPDX-License-Identifier: Apache-2.0
#include "data_movement/copy_long.h"
#include "isa.h"
#include "rushlight/kernels/data_movement.h"

#include RL_TILE(memory_tile.h)

void rl_concatenation_run(const struct rl_concatenation *layer, const int8_t *input, int8_t *output)
{
    if (RL_HAS_COPY_LONG && layer->runs == 1 && layer->run >= RL_COPY_ALONE) {
        rl_copy_long_s8(output, input, (int32_t)layer->run);
    } else if (layer->run > 0) {
        rl_copy_runs_s8(output, (ptrdiff_t)layer->stride, input, (ptrdiff_t)layer->run, (int32_t)layer->run,
                        (int32_t)layer->runs);
    }
}
