// SPDX-License-Identifier: Apache-2.0
// The scratch sizes of rl_convolution_scratch and rl_depthwise_scratch, on the cores that they are for. With so many
// bytes the blocks of a kernel lie in the scratch, with fewer they do not, and results are the same. Other cores treat
// it like any scratch.
#include "arm_nnfunctions.h"
#include "arm_nnsupportfunctions.h"
#include "kernels/isa.h"
#include "reference_layer.h"
#include "rushlight/kernels/convolution.h"
#include "rushlight/kernels/depthwise.h"

#include <string.h>

enum { IS_PLANNED_FOR = RL_HAS_DSP && !RL_HAS_MVE };

// Scratch that the kernel found, and its contents before.
struct scratch {
    cmsis_nn_context ctx;
    int8_t *before;
};

static struct scratch scratch_of(struct rl_case *c, int32_t bytes)
{
    const struct scratch s = {rl_case_scratch(c, bytes), rl_case_buffer(c, (size_t)bytes, 0)};
    memcpy(s.before, s.ctx.buf, (size_t)bytes);
    return s;
}

// Whether the kernel wrote behind the first `patches` bytes: there are its blocks.
static bool has_blocks(const struct scratch *s, int32_t patches)
{
    const int32_t rest = s->ctx.size - patches;
    return rest > 0 && memcmp((int8_t *)s->ctx.buf + patches, s->before + patches, (size_t)rest) != 0;
}

// `bytes` are what the kernel asks for, or one word less.
static void expect_blocks(struct rl_case *c, const struct scratch *s, int32_t patches, bool all)
{
    if (IS_PLANNED_FOR) {
        rl_case_expect(c, has_blocks(s, patches) == all, all ? "blocks in the scratch" : "none in the scratch");
    }
}

static int32_t planned_for_convolution(const cmsis_nn_conv_params *params, const cmsis_nn_dims *in,
                                       const cmsis_nn_dims *filter, const cmsis_nn_dims *out)
{
    struct rl_convolution layer = {.input = {in->n, in->h, in->w, in->c},
                                   .output = {out->n, out->h, out->w, out->c},
                                   .filter = {filter->h, filter->w},
                                   .stride = {params->stride.h, params->stride.w},
                                   .padding = {params->padding.h, params->padding.w},
                                   .dilation = {params->dilation.h, params->dilation.w},
                                   .groups = in->c / filter->c};
    return rl_convolution_prepare(&layer) == RL_OK ? rl_convolution_scratch(&layer, RL_ISA_DSP) : -1;
}

static void check_convolution(struct rl_case *c, struct reference_layer *l, bool all)
{
    reference_layer_prepare(c, INT8_WEIGHTS, true, l);
    const cmsis_nn_conv_params params = reference_layer_convolution(l);
    const cmsis_nn_dims *in = &l->shape.input, *out = &l->shape.output;
    const int32_t bytes = planned_for_convolution(&params, in, &l->filter_dims, out);
    const bool is_1x1 = arm_nn_is_convolve_1x1(&params, in, &l->filter_dims);
    const int32_t patch = l->filter_dims.h * l->filter_dims.w * l->filter_dims.c;
    const struct scratch s = scratch_of(c, all ? bytes : bytes - 8);
    const arm_cmsis_nn_status status = arm_convolve_wrapper_s8(
        &s.ctx, &params, &l->quant, in, l->input, &l->filter_dims, l->filter, &l->bias_dims, l->bias, out, l->output);
    // Fewer outputs may be fully connected layers or have cut filters, and groups of 1x1 filters have no patches.
    const int32_t few = is_1x1 ? 4 : 2;
    const bool is_small = out->n * out->h * out->w <= (params.padding.h + params.padding.w > 0 ? 16 : few);
    const bool is_apart = in->c != l->filter_dims.c && l->filter_dims.h * l->filter_dims.w == 1;
    // A plan also has room for weights in another order; blocks of weights as they are may fit less.
    const bool may_interleave = out->n * out->h * out->w > 4;
    if (!is_small && !is_apart && out->c > 3 && (all || !may_interleave)) {
        expect_blocks(c, &s, is_1x1 ? 0 : 4 * patch, all);
    }
    if (IS_PLANNED_FOR && in->c == l->filter_dims.c) {
        rl_case_expect(c, bytes >= arm_convolve_wrapper_s8_get_buffer_size_dsp(&params, in, &l->filter_dims, out),
                       "at least what is announced");
    }
    reference_layer_check(c, l, status);
}

static void test_convolution(struct rl_case *c)
{
    rl_test_start(c, "blocks_of_convolutions");
    for (int i = 0; i < 200; i++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        reference_convolution_random(c, 6, rl_random_one_in(c, 2) ? 1 : 3, 1, &l.shape);
        const int32_t groups = rl_random_one_in(c, 4) ? rl_random_in(c, 2, 3) : 1;
        const bool is_deep = rl_random_one_in(c, 8), is_wide = !is_deep && rl_random_one_in(c, 8);
        l.shape.depth = is_deep ? rl_random_in(c, 60, 300) : rl_random_in(c, 1, 20);
        l.shape.input.c = groups * l.shape.depth;
        l.shape.output.c = groups * (is_wide ? rl_random_in(c, 60, 70) : rl_random_in(c, 1, is_deep ? 12 : 20));
        check_convolution(c, &l, rl_random_one_in(c, 2));
    }
    rl_test_stop(c);
}

// Whether it runs in blocks for sure: scales that blocks take, and not one of the layers that large code runs window by
// window.
static bool runs_in_blocks(const struct reference_layer *l)
{
    const struct reference_convolution *r = &l->shape;
    const int32_t paired = (r->output.h + 1) * (r->output.w + 1);
    const int32_t many = r->dilation.w == 1 ? 20 + paired * 2 / 3 : 101;
    const bool is_large = r->output.h > 1 && r->output.w > 1 && r->output.h * r->output.w >= many;
    const bool is_plain = r->stride.w == 1 && r->stride.h <= 2;
    if (!is_large || !is_plain || (r->output.c != r->input.c && r->input.c > 1)) {
        return false;
    }
    for (int32_t i = 0; i < l->shape.output.c; i++) {
        if (l->quant.shift[i] >= 0 || l->quant.shift[i] < -22) {
            return false;
        }
    }
    return true;
}

static void check_depthwise(struct rl_case *c, struct reference_layer *l, bool all)
{
    reference_layer_prepare(c, INT8_WEIGHTS, true, l);
    const cmsis_nn_dw_conv_params params = reference_layer_depthwise(l);
    const cmsis_nn_dims *in = &l->shape.input, *out = &l->shape.output;
    const struct rl_depthwise layer = {.input = {in->n, in->h, in->w, in->c},
                                       .output = {out->n, out->h, out->w, out->c},
                                       .filter = {l->filter_dims.h, l->filter_dims.w},
                                       .stride = {params.stride.h, params.stride.w},
                                       .padding = {params.padding.h, params.padding.w},
                                       .dilation = {params.dilation.h, params.dilation.w},
                                       .multiplier = params.ch_mult};
    const int32_t bytes = rl_depthwise_scratch(&layer, RL_ISA_DSP);
    const int32_t given = all ? bytes : bytes - 8;
    const struct scratch s = scratch_of(c, bytes == 0 ? 1 : given);
    const arm_cmsis_nn_status status = arm_depthwise_conv_wrapper_s8(
        &s.ctx, &params, &l->quant, in, l->input, &l->filter_dims, l->filter, &l->bias_dims, l->bias, out, l->output);
    // Several outputs of an input channel may do with smaller blocks.
    if (bytes > 0 && runs_in_blocks(l) && (all || params.ch_mult == 1)) {
        expect_blocks(c, &s, 0, all);
    }
    reference_layer_check(c, l, status);
}

static void test_depthwise(struct rl_case *c)
{
    rl_test_start(c, "blocks_of_depthwise_convolutions");
    for (int i = 0; i < 200; i++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        reference_convolution_random(c, 12, rl_random_one_in(c, 2) ? 3 : 7, 2, &l.shape);
        const int32_t multiplier = rl_random_one_in(c, 2) ? rl_random_in(c, 4, 80) : 1;
        l.shape.depthwise = true;
        l.shape.depth = 1;
        l.shape.input.n = 1;
        l.shape.input.c = multiplier == 1 ? rl_random_in(c, 4, 12) : rl_random_in(c, 1, 2);
        l.shape.output.n = 1;
        l.shape.output.c = l.shape.input.c * multiplier;
        check_depthwise(c, &l, rl_random_one_in(c, 2));
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_convolution(&c);
    test_depthwise(&c);
    return rl_test_finish(&c);
}
