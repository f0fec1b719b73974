// SPDX-License-Identifier: Apache-2.0
// Convolutions of int8 whose results are int16: the last layers of networks, and those in front of functions that take
// int16. RL_MATMUL_ROWS outputs at a time, from where their inputs lie next to each other, else from copies of patches.
#include "convolution/convolution.h"
#include "convolution/patch.h"
#include "isa.h"

#include RL_TILE(matmul_s16_tile.h)
#include RL_TILE(row_sums_tile.h)

// Some channels of a layer while they run.
struct product {
    struct rl_matmul matmul; // `work` is that of the tile
    ptrdiff_t step;          // elements from one position of the output to the next
};

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

static void run_rows(const struct product *p, const int8_t *const rows[RL_MATMUL_ROWS], int32_t count, int16_t *output)
{
    if (!RL_SMALL && count == 1) {
        run_one_row(&p->matmul, rows[0], output);
    } else {
        rl_matmul_outputs_s16(&p->matmul, rows, count, output, p->step);
    }
}

static void run_dense(const struct product *p, const int8_t *input, int32_t outputs, int16_t *output)
{
    for (; outputs > 0; outputs -= RL_MATMUL_ROWS, output += RL_MATMUL_ROWS * p->step) {
        const int8_t *rows[RL_MATMUL_ROWS];
        const int32_t count = rl_min_s32(outputs, RL_MATMUL_ROWS);
        for (int32_t i = 0; i < count; i++, input += p->matmul.depth) {
            rows[i] = input;
        }
        run_rows(p, rows, count, output);
    }
}

// `copies` has room for `most` patches.
static void run_patches(const struct product *p, const struct rl_convolution *c, const int8_t *image, int8_t *copies,
                        int32_t most, int16_t *output)
{
    const int32_t depth = p->matmul.depth;
    const int8_t *rows[RL_MATMUL_ROWS];
    int32_t filled = 0;
    for (int32_t line = 0; line < c->input.n * c->output.h; line++) {
        const int32_t batch = line / c->output.h;
        struct rl_patch_row row;
        rl_patch_row_start(&row, c, image + (ptrdiff_t)batch * c->input.h * c->input.w * c->input.c,
                           line - batch * c->output.h);
        for (int32_t x = 0; x < c->output.w; x++) {
            int8_t *copy = copies + (ptrdiff_t)filled * depth;
            rows[filled] = row.run_bytes == depth ? rl_patch_inside(&row, x) : NULL;
            if (!rows[filled]) {
                rl_patch_copy(&row, x, copy);
                rows[filled] = copy;
            }
            if (++filled == most) {
                run_rows(p, rows, filled, output);
                output += filled * p->step;
                filled = 0;
            }
        }
    }
    if (filled > 0) {
        run_rows(p, rows, filled, output);
    }
}

// Prepares the channels from `first` on, at most `most`.
static void begin(struct rl_matmul *m, const struct rl_convolution *c, int32_t first, int32_t most)
{
    m->channels = rl_min_s32(most, c->output.c - first);
    m->filter = c->weights + (ptrdiff_t)first * m->depth;
    m->multiplier = c->scales.multiplier + first;
    m->shift = c->scales.shift + first;
    m->right_shifts_only = true;
    for (int32_t i = 0; i < m->channels; i++) {
        const int8_t *filter = m->filter + (ptrdiff_t)i * m->depth;
        m->bias[i] = rl_convolution_base(c, first + i, filter, m->depth);
        m->right_shifts_only = m->right_shifts_only && m->shift[i] < 0;
    }
}

void rl_convolution_s8_s16_run(const struct rl_convolution *c, const int8_t *input, int16_t *output,
                               struct rl_scratch scratch)
{
    const int32_t depth = rl_convolution_depth(c), block = rl_min_s32(c->output.c, RL_CHANNEL_BLOCK);
    const bool is_copied = !c->dense && c->path != RL_CONVOLUTION_POINTWISE && depth > 0;
    const int32_t most = is_copied ? rl_min_s32(scratch.bytes / depth, RL_MATMUL_ROWS) : RL_MATMUL_ROWS;
    const int32_t bytes = rl_matmul_s16_bytes(depth, block);
    int8_t *const copies = scratch.memory;
    scratch = rl_scratch_rest(scratch, is_copied ? most * depth : 0);
    uint64_t stack[rl_scratch_missing(scratch, bytes)];
    struct product p = {.step = c->output.c};
    struct rl_matmul *m = &p.matmul;
    m->bias = rl_scratch_memory(scratch, bytes, stack);
    m->work = m->bias + rl_even(block);
    m->depth = depth;
    m->output_min = c->range.min;
    m->output_max = c->range.max;
    for (int32_t first = 0; first < c->output.c; first += block) {
        begin(m, c, first, block);
        if (c->dense) {
            run_dense(&p, input, rl_convolution_outputs(c), output + first);
        } else {
            run_patches(&p, c, input, copies, most, output + first);
        }
    }
}
