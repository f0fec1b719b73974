// SPDX-License-Identifier: Apache-2.0
// Convolutions of int8 whose results are int16: the last layers of networks, and those in front of functions that take
// int16.
#include "convolution/kept_sums.h"
#include "isa.h"

#include RL_TILE(lines_s16_nest.h)
#include RL_TILE(row_sums_tile.h)

// A single row, which several at a time would take for as many.
static __attribute__((noinline)) void run_one_row(const struct rl_matmul *m, const int8_t *row, int16_t *output)
{
    struct rl_fully_connected f; // other fields are not read
    f.depth = m->depth;
    f.channels = m->channels;
    f.weights = m->filter;
    f.bias = m->bias;
    f.scales = (struct rl_scales){m->multiplier, m->shift};
    f.base_offset = 0;
    rl_row_outputs_s16(&f, row, 0, m->channels, m->work, output);
    for (int32_t i = 0; i < m->channels; i++) {
        output[i] = (int16_t)rl_clamp_s32(output[i], m->output_min, m->output_max);
    }
}

static void run_rows(const struct rl_matmul *m, const int8_t *const rows[RL_MATMUL_ROWS], int32_t count, void *output,
                     ptrdiff_t step)
{
    if (!RL_SMALL && count == 1) {
        run_one_row(m, rows[0], output);
    } else {
        rl_matmul_outputs_s16(m, rows, count, output, step);
    }
}

void rl_convolution_s8_s16_run(const struct rl_convolution *c, const int8_t *input, int16_t *output,
                               struct rl_scratch scratch)
{
    if (rl_lines_s16_run(c, input, output, scratch)) {
        return;
    }
    rl_kept_sums_run(c, run_rows, (int32_t)sizeof(int16_t), NULL, input, output, scratch);
}
