// SPDX-License-Identifier: Apache-2.0
// Few channels or outputs on Helium. A file of its own, so that programs for other cores do not hold it.
#include "convolution/convolution.h"
#include "convolution/few_channels.h"
#include "isa.h"

#include RL_TILE(few_channels_tile.h)
#include RL_TILE(few_windows_tile.h)

void rl_few_channels_run(const struct rl_few_channels *f, int8_t *output)
{
    rl_few_channels_rows(f, output);
}

// The layer without its rows.
static void start(struct rl_few_channels *f, const struct rl_convolution *c)
{
    f->depth = rl_convolution_depth(c);
    f->channels = c->output.c;
    f->weights = c->weights;
    f->bias = c->folded ? c->folded : c->bias;
    f->input_offset = c->folded ? 0 : c->input_offset;
    f->scales = c->scales;
    f->output_offset = c->output_offset;
    f->range = c->range;
}

void rl_convolution_run_rows_of_few_channels(const struct rl_convolution *c, const int8_t *rows, int8_t *output)
{
    struct rl_few_channels f;
    start(&f, c);
    f.rows = rows;
    f.step = f.depth;
    f.count = rl_convolution_outputs(c);
    f.line_step = 0;
    f.lines = 1;
    rl_few_channels_run(&f, output);
}

void rl_convolution_run_few_channels(const struct rl_convolution *c, const int8_t *input, int8_t *output)
{
    if (c->dense) {
        rl_convolution_run_rows_of_few_channels(c, input, output);
        return;
    }
    struct rl_few_channels f;
    start(&f, c);
    const ptrdiff_t line = (ptrdiff_t)c->input.w * c->input.c; // windows that are runs
    f.rows = input;
    f.step = c->stride.w * (ptrdiff_t)c->input.c;
    f.count = c->output.w;
    f.line_step = c->stride.h * line;
    f.lines = c->output.h;
    for (int32_t n = 0; n < c->input.n; n++, f.rows += c->input.h * line) {
        rl_few_channels_run(&f, output);
        output += c->output.h * c->output.w * c->output.c;
    }
}

bool rl_convolution_run_few_windows(const struct rl_convolution *c, const int8_t *input, int8_t *output)
{
    const bool pays = rl_few_windows_pay(c);
    if (pays) {
        rl_few_windows_run(c, input, output);
    }
    return pays;
}
