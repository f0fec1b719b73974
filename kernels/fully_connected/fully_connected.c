// SPDX-License-Identifier: Apache-2.0
#include "fully_connected/fully_connected.h"

#include "fully_connected/sum_s8.h"
#include "isa.h"

#include RL_TILE(fully_connected_tile.h)

void rl_fully_connected_run(const struct rl_fully_connected *f, const int8_t *input, int32_t rows,
                            int8_t *output)
{
    for (; rows > 0; rows--, input += f->depth, output += f->channels) {
        int32_t row_constant = 0;
        if (f->filter_offset != 0) {
            row_constant = f->filter_offset * (rl_sum_of_s8(input, f->depth) + f->depth * f->input_offset);
        }
        rl_fully_connected_row(f, input, row_constant, output);
    }
}
