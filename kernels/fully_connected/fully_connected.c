// SPDX-License-Identifier: Apache-2.0
#include "fully_connected/fully_connected.h"

#include "fully_connected/sum_s8.h"
#include "isa.h"

#include RL_TILE(dot_tile.h)
#include RL_TILE(fully_connected_tile.h)

// What an offset of the filter adds to all channels of a row.
static int32_t row_constant(const struct rl_fully_connected *f, const int8_t *row)
{
    if (f->filter_offset == 0) {
        return 0;
    }
    return f->filter_offset * (rl_sum_of_s8(row, f->depth) + f->depth * f->input_offset);
}

void rl_fully_connected_run(const struct rl_fully_connected *f, const int8_t *input, int32_t rows, int8_t *output)
{
    for (; rows > 0; rows--, input += f->depth, output += f->channels) {
        const int32_t constant = row_constant(f, input);
        if (f->channels > RL_FEW) {
            rl_fully_connected_row(f, input, constant, output, 1);
            continue;
        }
        for (int32_t channel = 0; channel < f->channels; channel++) {
            const int8_t *filter = f->filter + (ptrdiff_t)channel * f->depth;
            const int32_t sum = rl_dot_s8_s8(input, f->input_offset, filter, f->depth);
            output[channel] = rl_fully_connected_output(f, channel, constant + sum);
        }
    }
}

void rl_fully_connected_run_apart(const struct rl_fully_connected *f, const int8_t *input, int32_t constant,
                                  int8_t *output, ptrdiff_t step)
{
    if (RL_HAS_MVE || !RL_SMALL) {
        rl_fully_connected_row(f, input, constant + row_constant(f, input), output, step);
    }
}
