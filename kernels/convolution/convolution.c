// SPDX-License-Identifier: Apache-2.0
#include "convolution/convolution.h"

#include "convolution/patch.h"
#include "fully_connected/sum_s8.h"
#include "isa.h"

#include RL_TILE(matmul_tile.h)
#include RL_TILE(patches_nest.h)

int32_t rl_convolution_channels(struct rl_matmul *m, const struct rl_convolution *c, int32_t first,
                                int32_t end)
{
    m->depth = c->filter_dims->h * c->filter_dims->w * c->filter_dims->c;
    m->channels = rl_min_s32(end - first, RL_CHANNEL_BLOCK);
    m->filter = c->filter + (ptrdiff_t)first * m->depth;
    m->multiplier = c->quant->multiplier + first;
    m->shift = c->quant->shift + first;
    m->output_offset = c->params->output_offset;
    m->output_min = c->params->activation.min;
    m->output_max = c->params->activation.max;
    for (int32_t i = 0; i < m->channels; i++) {
        const int32_t bias = c->bias != NULL ? c->bias[first + i] : 0;
        m->bias[i] =
            bias + c->params->input_offset * rl_sum_of_s8(m->filter + (ptrdiff_t)i * m->depth, m->depth);
    }
    rl_matmul_prepare(m);
    return first + m->channels;
}

// The outputs [from, to) of row y, one at a time, each with the same patch of scratch.
static void run_one_by_one(const struct rl_convolution *c, const struct rl_matmul *m, const int8_t *input,
                           int32_t y, int32_t from, int32_t to, int8_t *row_output, int8_t *scratch)
{
    const ptrdiff_t step = c->output_dims->c;
    for (int32_t x = from; x < to; x++) {
        const struct rl_positions p = {y, x, 1, 1, 0, step};
        rl_patches_run(c, m, input, &p, row_output + x * step, scratch);
    }
}

void rl_convolution_run_channels(const struct rl_convolution *c, const struct rl_matmul *m,
                                 const int8_t *input, int8_t *output, int8_t *scratch)
{
    const int32_t stored_h = c->upscale_h ? c->input_dims->h / 2 : c->input_dims->h;
    const int32_t stored_w = c->upscale_w ? c->input_dims->w / 2 : c->input_dims->w;
    const ptrdiff_t input_bytes = (ptrdiff_t)stored_h * stored_w * c->input_dims->c;
    const ptrdiff_t row_bytes = (ptrdiff_t)c->output_dims->w * c->output_dims->c;
    const struct rl_positions all = {
        0, 0, c->output_dims->h, c->output_dims->w, row_bytes, c->output_dims->c};
    for (int32_t batch = 0; batch < c->input_dims->n; batch++, input += input_bytes) {
        if (!c->one_patch) {
            rl_patches_run(c, m, input, &all, output, scratch);
            output += all.rows * row_bytes;
            continue;
        }
        for (int32_t y = 0; y < all.rows; y++, output += row_bytes) {
            run_one_by_one(c, m, input, y, 0, all.columns, output, scratch);
        }
    }
}

void rl_convolution_run_positions(const struct rl_convolution *c, const struct rl_matmul *m,
                                  const int8_t *input, const struct rl_positions *p, int8_t *output,
                                  int8_t *scratch)
{
    rl_patches_run(c, m, input, p, output, scratch);
}

void rl_convolution_run(const struct rl_convolution *c, int8_t *scratch)
{
    const int32_t group_channels = c->output_dims->c / c->groups;
    for (int32_t group = 0; group < c->groups; group++) {
        const int32_t end = (group + 1) * group_channels;
        for (int32_t first = group * group_channels; first < end;) {
            struct rl_matmul m;
            const int32_t next = rl_convolution_channels(&m, c, first, end);
            const int8_t *input = c->input + (ptrdiff_t)group * c->filter_dims->c;
            rl_convolution_run_channels(c, &m, input, c->output + first, scratch);
            first = next;
        }
    }
}

// Whether the last output lies on an input.
static bool axis_fits(int32_t input, int32_t output, int32_t stride)
{
    return stride > 0 && output - 1 <= (input - 1) / stride;
}

bool rl_convolution_1x1_fits(const struct rl_convolution *c)
{
    const cmsis_nn_dims *in = c->input_dims, *out = c->output_dims;
    if (arm_nn_is_convolve_1x1_fast(c->params)) {
        return in->n * in->h * in->w <= out->n * out->h * out->w;
    }
    return axis_fits(in->h, out->h, c->params->stride.h) && axis_fits(in->w, out->w, c->params->stride.w);
}

// One output row at a time, or everything at once where input pixels and output pixels correspond one to one.
void rl_convolution_run_channels_1x1(const struct rl_convolution *c, const struct rl_matmul *m,
                                     int8_t *output)
{
    const ptrdiff_t depth = m->depth;
    const ptrdiff_t output_stride = c->output_dims->c;
    if (arm_nn_is_convolve_1x1_fast(c->params)) {
        const int32_t pixels = c->input_dims->n * c->input_dims->h * c->input_dims->w;
        rl_matmul_rows(m, c->input, depth, pixels, output, output_stride);
        return;
    }
    if (RL_PATCHES_IN_PLACE) { // all of them
        rl_convolution_run_channels(c, m, c->input, output, NULL);
        return;
    }
    const ptrdiff_t line_bytes = c->input_dims->w * depth;
    for (int32_t batch = 0; batch < c->input_dims->n; batch++) {
        const int8_t *input = c->input + (ptrdiff_t)batch * c->input_dims->h * line_bytes;
        for (int32_t y = 0; y < c->output_dims->h; y++) {
            rl_matmul_rows(m, input, c->params->stride.w * depth, c->output_dims->w, output, output_stride);
            input += c->params->stride.h * line_bytes;
            output += c->output_dims->w * output_stride;
        }
    }
}

void rl_convolution_run_1x1(const struct rl_convolution *c)
{
    for (int32_t first = 0; first < c->output_dims->c;) {
        struct rl_matmul m;
        const int32_t next = rl_convolution_channels(&m, c, first, c->output_dims->c);
        rl_convolution_run_channels_1x1(c, &m, c->output + first);
        first = next;
    }
}

static void run_row_1_x_n(const struct rl_convolution *c, const struct rl_matmul *m, const int8_t *input,
                          int32_t y, int8_t *output, int8_t *scratch)
{
    const int32_t stride = c->params->stride.w;
    const int32_t pad = c->params->padding.w;
    const int32_t width = c->output_dims->w;
    const int32_t last_start = c->input_dims->w - c->filter_dims->w + pad;
    const bool on_input = y * c->params->stride.h == c->params->padding.h;
    const int32_t inside_end = on_input && last_start >= 0 ? rl_min_s32(width, last_start / stride + 1) : 0;
    const int32_t inside = rl_min_s32((pad + stride - 1) / stride, inside_end);

    run_one_by_one(c, m, input, y, 0, inside, output, scratch);
    const int8_t *first = input + (ptrdiff_t)(inside * stride - pad) * c->input_dims->c;
    const ptrdiff_t row_stride = (ptrdiff_t)stride * c->input_dims->c;
    rl_matmul_rows(m, first, row_stride, inside_end - inside, output + (ptrdiff_t)inside * c->output_dims->c,
                   c->output_dims->c);
    run_one_by_one(c, m, input, y, inside_end, width, output, scratch);
}

void rl_convolution_run_1_x_n(const struct rl_convolution *c, int8_t *scratch)
{
    if (RL_PATCHES_IN_PLACE) {
        rl_convolution_run(c, scratch);
        return;
    }
    const ptrdiff_t input_bytes = (ptrdiff_t)c->input_dims->w * c->input_dims->c;
    const ptrdiff_t row_bytes = (ptrdiff_t)c->output_dims->w * c->output_dims->c;
    for (int32_t first = 0; first < c->output_dims->c;) {
        struct rl_matmul m;
        const int32_t next = rl_convolution_channels(&m, c, first, c->output_dims->c);
        const int8_t *input = c->input;
        int8_t *output = c->output + first;
        for (int32_t batch = 0; batch < c->input_dims->n; batch++, input += input_bytes) {
            for (int32_t y = 0; y < c->output_dims->h; y++, output += row_bytes) {
                run_row_1_x_n(c, &m, input, y, output, scratch);
            }
        }
        first = next;
    }
}
