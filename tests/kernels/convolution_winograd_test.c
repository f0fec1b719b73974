// SPDX-License-Identifier: Apache-2.0
// Winograd's convolution against the definition: maps of any size with any padding, extreme inputs and weights, the
// most channels; the weights that come back; what is refused.
#include "kernels/convolution/winograd.h"
#include "reference_layer.h"
#include "rushlight/kernels/convolution.h"

#include <string.h>

// Runs the layer with transformed weights and ends the case.
static void check_layer(struct rl_case *c, struct reference_layer *l)
{
    const size_t outputs = (size_t)l->shape.output.c, weights = outputs * 9 * (size_t)l->shape.depth;
    struct rl_convolution layer = reference_layer_kernel(l, RL_CONVOLUTION_S8);
    int32_t *folded = rl_case_s32(c, outputs, 0, 0);
    int8_t *restored = rl_case_s8(c, weights);
    int16_t *transformed = rl_case_buffer(c, weights / 9 * 16 * sizeof *transformed, 4);
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a layer that can run");
    rl_case_expect(c, rl_convolution_suits_winograd(&layer), "a layer that suits");
    rl_convolution_fold(&layer, folded);
    rl_convolution_transform_winograd(&layer, transformed);
    layer.type = RL_CONVOLUTION_WINOGRAD;
    layer.weights = (const int8_t *)transformed;
    layer.folded = folded;
    layer.bias = NULL;
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a transformed layer that can run");
    rl_case_expect(c, rl_convolution_scratch(&layer, RL_ISA_ANY) == layer.least_scratch, "the same scratch everywhere");
    rl_spread_winograd(transformed, layer.input.c, 0, (int32_t)weights, restored);
    rl_case_equal_s8(c, "restored weights", l->filter, restored, weights);
    const struct rl_scratch scratch = {rl_case_scratch(c, layer.least_scratch).buf, layer.least_scratch};
    rl_convolution_winograd_run(&layer, l->input, l->output, scratch);
    rl_case_equal_s8(c, "output", l->expected, l->output, rl_elements(&l->shape.output));
    rl_case_end(c);
}

static struct reference_convolution shape_of(int32_t batches, int32_t height, int32_t width, int32_t channels,
                                             int32_t outputs)
{
    return (struct reference_convolution){.input = {batches, height, width, channels},
                                          .output = {batches, height, width, outputs},
                                          .height = 3,
                                          .width = 3,
                                          .depth = channels,
                                          .stride = {1, 1},
                                          .padding = {1, 1},
                                          .dilation = {1, 1}};
}

static void test_shapes(struct rl_case *c)
{
    rl_test_start(c, "shapes");
    for (int i = 0; i < 150; i++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        const int32_t channels = 8 * rl_random_in(c, 1, rl_random_one_in(c, 8) ? 9 : 3);
        l.shape = shape_of(rl_random_in(c, 1, 2), rl_random_in(c, 1, 7), rl_random_in(c, 1, 7), channels,
                           4 * rl_random_in(c, 1, 4));
        l.shape.padding = (cmsis_nn_tile){rl_random_in(c, 0, 3), rl_random_in(c, 0, 3)};
        // From one output to one more than the padding explains.
        const int32_t h = l.shape.input.h + 2 * l.shape.padding.h - 1, w = l.shape.input.w + 2 * l.shape.padding.w - 1;
        l.shape.output.h = rl_random_one_in(c, 2) && h > 1 ? h - 1 : rl_random_in(c, 1, h > 1 ? h : 1);
        l.shape.output.w = rl_random_one_in(c, 2) && w > 1 ? w - 1 : rl_random_in(c, 1, w > 1 ? w : 1);
        reference_layer_prepare(c, INT8_WEIGHTS, !rl_random_one_in(c, 4), &l);
        reference_layer_fit_scales(&l);
        check_layer(c, &l);
    }
    rl_test_stop(c);
}

// Inputs and weights at the ends of int8, in all signs that a transform can add up, and the most channels.
static void test_extremes(struct rl_case *c)
{
    rl_test_start(c, "extremes");
    for (int32_t ends = 0; ends < 32; ends++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        const int32_t channels = ends == 0 || ends == 31 ? 1816 : 16;
        l.shape = shape_of(1, 4, 4, channels, 4);
        l.shape.padding = (cmsis_nn_tile){0, 0};
        l.shape.output.h = l.shape.output.w = 2;
        reference_layer_prepare(c, INT8_WEIGHTS, true, &l);
        int32_t *values = (int32_t *)l.shape.values, *weights = (int32_t *)l.shape.weights;
        for (int32_t k = 0; k < 16 * channels; k++) {
            const int32_t x = k / channels % 4, y = k / channels / 4;
            const bool low = ((ends & 1) != 0) != (((ends & 2) != 0 && x % 2 == 1) != ((ends & 4) != 0 && y % 2 == 1));
            l.input[k] = low ? INT8_MIN : INT8_MAX;
            values[k] = l.input[k] + l.input_offset;
        }
        for (int32_t k = 0; k < 4 * 9 * channels; k++) {
            const int32_t tap = k / channels % 9;
            const bool low = ((ends & 8) != 0) != ((ends & 16) != 0 && tap % 2 == 1);
            l.filter[k] = low ? INT8_MIN : INT8_MAX;
            weights[k] = l.filter[k];
        }
        for (int32_t o = 0; o < 4; o++) { // so that the largest sums are not all at the limits
            l.quant.shift[o] = -14;
        }
        reference_layer_fit_scales(&l);
        check_layer(c, &l);
    }
    rl_test_stop(c);
}

static void test_refused(struct rl_case *c)
{
    rl_test_start(c, "layers_that_are_refused");
    rl_case_begin(c, "one by one");
    const struct reference_layer l = {.shape = shape_of(1, 8, 8, 16, 8)};
    const struct rl_convolution good = reference_layer_kernel(&l, RL_CONVOLUTION_S8);
    struct rl_convolution layer = good;
    rl_case_expect(c, rl_convolution_winograd_pays(&good, RL_ISA_DSP), "a good layer");
    rl_case_expect(c, !rl_convolution_winograd_pays(&good, RL_ISA_SCALAR), "a core without DSP instructions");
    rl_case_expect(c, !rl_convolution_winograd_pays(&good, RL_ISA_MVE), "a core with Helium");
    rl_case_expect(c, !rl_convolution_winograd_pays(&good, RL_ISA_ANY), "any core");
    layer.output.h = layer.output.w = 2;
    rl_case_expect(c, !rl_convolution_winograd_pays(&layer, RL_ISA_DSP), "one tile");
    rl_case_expect(c, rl_convolution_suits_winograd(&layer), "one tile can run");
    layer = good;
    layer.stride.w = 2;
    rl_case_expect(c, !rl_convolution_suits_winograd(&layer), "a stride of 2");
    layer = good;
    layer.dilation.h = 2;
    rl_case_expect(c, !rl_convolution_suits_winograd(&layer), "a dilation of 2");
    layer = good;
    layer.filter.w = 1;
    rl_case_expect(c, !rl_convolution_suits_winograd(&layer), "a filter of 3x1");
    layer = good;
    layer.groups = 2;
    rl_case_expect(c, !rl_convolution_suits_winograd(&layer), "two groups");
    layer = good;
    layer.input.c = 1824;
    rl_case_expect(c, !rl_convolution_suits_winograd(&layer), "too many channels");
    layer.input.c = 12;
    rl_case_expect(c, !rl_convolution_suits_winograd(&layer), "twelve channels");
    layer.type = RL_CONVOLUTION_WINOGRAD;
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_ERROR_ARGUMENT, "transformed weights of twelve channels");
    layer = good;
    layer.output.c = 6;
    rl_case_expect(c, !rl_convolution_suits_winograd(&layer), "six filters");
    rl_case_end(c);
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_shapes(&c);
    test_extremes(&c);
    test_refused(&c);
    return rl_test_finish(&c);
}
