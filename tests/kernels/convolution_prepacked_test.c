// SPDX-License-Identifier: Apache-2.0
// Convolutions with prepacked weights, against the definition: any shape, any scratch that is enough, extreme weights,
// filters of several parts; and what cannot be prepacked.
#include "kernels/convolution/prepacked.h"
#include "reference_layer.h"
#include "rushlight/kernels/convolution.h"

#include <string.h>

enum { HEAVY = 66000 / 127 }; // weights of magnitude 127 that are too much for 24 bits

// The least that a run needs, what is planned, or something between.
static struct rl_scratch random_scratch(struct rl_case *c, const struct rl_convolution *layer)
{
    const int32_t planned = rl_convolution_scratch(layer, RL_ISA_DSP);
    const int32_t sizes[] = {layer->least_scratch, planned, rl_random_in(c, layer->least_scratch, planned)};
    const int32_t bytes = sizes[rl_random_in(c, 0, 2)];
    return bytes == 0 ? (struct rl_scratch){0} : (struct rl_scratch){rl_case_scratch(c, bytes).buf, bytes};
}

// Runs the layer with its weights prepacked, at any address, and ends the case.
static void check_layer(struct rl_case *c, struct reference_layer *l)
{
    const size_t channels = (size_t)l->shape.output.c;
    const size_t weights = channels * (size_t)(l->shape.height * l->shape.width * l->shape.depth);
    struct rl_convolution layer = reference_layer_kernel(l, RL_CONVOLUTION_S8);
    int32_t *folded = rl_case_s32(c, channels, 0, 0);
    int8_t *packed = rl_case_s8(c, weights), *spread = rl_case_s8(c, weights);
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a layer that can run");
    rl_convolution_fold(&layer, folded);
    rl_convolution_prepack(&layer, packed);
    layer.type = RL_CONVOLUTION_PREPACKED;
    layer.weights = packed;
    layer.folded = folded;
    layer.bias = NULL;
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a prepacked layer that can run");
    rl_spread_prepacked(packed, (int32_t)(weights / channels), 0, (int32_t)weights, spread);
    rl_case_equal_s8(c, "spread weights", l->filter, spread, weights);
    rl_convolution_prepacked_run(&layer, l->input, l->output, random_scratch(c, &layer));
    rl_case_equal_s8(c, "output", l->expected, l->output, rl_elements(&l->shape.output));
    if (rl_convolution_is_whole(&layer)) {
        memset(l->output, 0, rl_elements(&l->shape.output));
        rl_convolution_prepacked_whole_run(&layer, l->input, l->output, random_scratch(c, &layer));
        rl_case_equal_s8(c, "output of a whole layer", l->expected, l->output, rl_elements(&l->shape.output));
    }
    if (rl_convolution_is_pixel(&layer)) {
        memset(l->output, 0, rl_elements(&l->shape.output));
        rl_convolution_prepacked_pixel_run(&layer, l->input, l->output);
        rl_case_equal_s8(c, "output of one position", l->expected, l->output, rl_elements(&l->shape.output));
    }
    rl_case_end(c);
}

static void test_shapes(struct rl_case *c)
{
    rl_test_start(c, "shapes");
    for (int i = 0; i < 300; i++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        const int32_t kind = rl_random_in(c, 0, 2);
        reference_convolution_random(c, 6, kind == 0 ? 1 : 3, kind > 1 ? 2 : 1, &l.shape);
        if (kind == 0) {
            l.shape.padding = (cmsis_nn_tile){0, 0};
            l.shape.output.h = (l.shape.input.h - 1) / l.shape.stride.h + 1;
            l.shape.output.w = (l.shape.input.w - 1) / l.shape.stride.w + 1;
        }
        l.shape.depth = rl_random_one_in(c, 2) ? 4 * rl_random_in(c, 1, 10) : rl_random_in(c, 4, 25);
        l.shape.input.c = l.shape.depth;
        l.shape.output.c = 4 * (rl_random_one_in(c, 8) ? rl_random_in(c, 16, 18) : rl_random_in(c, 1, 4));
        reference_layer_prepare(c, INT8_WEIGHTS, !rl_random_one_in(c, 4), &l);
        reference_layer_fit_scales(&l);
        check_layer(c, &l);
    }
    rl_test_stop(c);
}

// Filters of one part, of several, and larger than what other cores can spread.
static void test_depths(struct rl_case *c)
{
    static const int32_t depths[] = {4, 5, 7, 380, 383, 384, 385, 388, 400, 767, 768, 769, 1100};
    rl_test_start(c, "depths");
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        l.shape = (struct reference_convolution){.input = {1, 1, 3, depths[i]},
                                                 .output = {1, 1, 3, 8},
                                                 .height = 1,
                                                 .width = 1,
                                                 .depth = depths[i],
                                                 .stride = {1, 1},
                                                 .dilation = {1, 1}};
        if (i % 2 == 1) {
            l.shape.width = 2; // the last output reads padding
            l.shape.padding.w = 1;
        }
        reference_layer_prepare(c, INT8_WEIGHTS, true, &l);
        reference_layer_fit_scales(&l);
        struct rl_convolution layer = reference_layer_kernel(&l, RL_CONVOLUTION_S8);
        rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a layer that can run");
        rl_case_expect(c, !rl_convolution_is_pixel(&layer), "three outputs are not one");
        const bool is_whole = depths[i] * l.shape.width <= 384;
        rl_case_expect(c, rl_convolution_is_whole(&layer) == is_whole, "whole up to 384 weights");
        check_layer(c, &l);
    }
    rl_test_stop(c);
}

// One output position: a pixel, or filters as large as the image. Some have more channels than have sums at a time.
static void test_pixels(struct rl_case *c)
{
    rl_test_start(c, "pixels");
    for (int i = 0; i < 200; i++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        const int32_t height = rl_random_in(c, 1, 3), width = rl_random_in(c, 1, 3);
        const bool is_deep = rl_random_one_in(c, 8), is_wide = !is_deep && rl_random_one_in(c, 8);
        const int32_t depth = is_deep ? rl_random_in(c, 370, 800) : rl_random_in(c, 4, 50);
        const int32_t channels = 4 * (is_wide ? rl_random_in(c, 31, 34) : rl_random_in(c, 1, is_deep ? 2 : 9));
        l.shape = (struct reference_convolution){.input = {1, height, width, depth},
                                                 .output = {1, 1, 1, channels},
                                                 .height = height,
                                                 .width = width,
                                                 .depth = depth,
                                                 .stride = {rl_random_in(c, 1, 2), rl_random_in(c, 1, 2)},
                                                 .dilation = {1, 1}};
        reference_layer_prepare(c, INT8_WEIGHTS, !rl_random_one_in(c, 4), &l);
        reference_layer_fit_scales(&l);
        struct rl_convolution layer = reference_layer_kernel(&l, RL_CONVOLUTION_S8);
        rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a layer that can run");
        rl_case_expect(c, rl_convolution_is_pixel(&layer), "one output");
        check_layer(c, &l);
    }
    rl_test_stop(c);
}

// Inputs and weights at the ends of int8, as many as 24 bits can hold.
static void test_extremes(struct rl_case *c)
{
    rl_test_start(c, "extremes");
    for (int32_t ends = 0; ends < 16; ends++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        const int32_t depth = 511;
        l.shape = (struct reference_convolution){.input = {1, 1, 2, depth},
                                                 .output = {1, 1, 2, 4},
                                                 .height = 1,
                                                 .width = 1,
                                                 .depth = depth,
                                                 .stride = {1, 1},
                                                 .dilation = {1, 1}};
        reference_layer_prepare(c, INT8_WEIGHTS, true, &l);
        int32_t *values = (int32_t *)l.shape.values, *weights = (int32_t *)l.shape.weights;
        for (int32_t k = 0; k < 2 * depth; k++) {
            l.input[k] = (ends & (k / depth + 1)) != 0 ? INT8_MIN : INT8_MAX;
            values[k] = l.input[k] + l.input_offset;
        }
        for (int32_t k = 0; k < 4 * depth; k++) {
            l.filter[k] = (ends & (k / depth % 2 == 0 ? 4 : 8)) != 0 ? INT8_MIN : INT8_MAX;
            weights[k] = l.filter[k];
        }
        reference_layer_fit_scales(&l);
        check_layer(c, &l);
    }
    rl_test_stop(c);
}

// A layer that can be prepacked: its weights are those of `filters`.
static struct rl_convolution good_layer(const int8_t *filters, const int32_t *zeros, const int32_t *shifts)
{
    return (struct rl_convolution){.input = {1, 2, 2, 600},
                                   .output = {1, 2, 2, 4},
                                   .filter = {1, 1},
                                   .stride = {1, 1},
                                   .dilation = {1, 1},
                                   .groups = 1,
                                   .weights = filters,
                                   .scales = {zeros, shifts},
                                   .folded = zeros};
}

static void test_refused(struct rl_case *c)
{
    static int8_t filters[4 * 600];
    int32_t zeros[8] = {0}, shifts[8] = {-1, -22, -5, -9, -1, -1, -1, -1};
    rl_test_start(c, "layers_that_are_refused");
    rl_case_begin(c, "one by one");
    const struct rl_convolution good = good_layer(filters, zeros, shifts);
    struct rl_convolution layer = good;
    rl_case_expect(c, rl_convolution_prepacks(&layer, RL_ISA_DSP), "a good layer");
    rl_case_expect(c, !rl_convolution_prepacks(&layer, RL_ISA_SCALAR), "another core");
    rl_case_expect(c, !rl_convolution_prepacks(&layer, RL_ISA_MVE), "a core with Helium");
    rl_case_expect(c, !rl_convolution_prepacks(&layer, RL_ISA_ANY), "any core");
    layer.input.h = layer.input.w = layer.output.h = layer.output.w = 1;
    rl_case_expect(c, rl_convolution_prepacks(&layer, RL_ISA_DSP), "one output position");
    layer.input.c = 300;
    layer.filter.w = 2;
    layer.padding.w = 1;
    rl_case_expect(c, !rl_convolution_prepacks(&layer, RL_ISA_DSP), "one output position beside padding");
    layer = good;
    layer.output.c = 6;
    rl_case_expect(c, !rl_convolution_prepacks(&layer, RL_ISA_DSP), "six channels");
    layer = good;
    layer.groups = 2;
    rl_case_expect(c, !rl_convolution_prepacks(&layer, RL_ISA_DSP), "two groups");
    layer = good;
    layer.input.c = 3;
    rl_case_expect(c, !rl_convolution_prepacks(&layer, RL_ISA_DSP), "filters of three weights");
    layer.type = RL_CONVOLUTION_PREPACKED;
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_ERROR_ARGUMENT, "prepacked filters of three weights");

    memset(filters, 127, HEAVY);
    rl_case_expect(c, rl_convolution_prepacks(&good, RL_ISA_DSP), "a heavy first filter");
    memset(filters + 600, 127, HEAVY);
    rl_case_expect(c, !rl_convolution_prepacks(&good, RL_ISA_DSP), "a heavy second filter");
    filters[600] = 0;
    filters[601] = 0;
    filters[602] = 0;
    filters[603] = 0;
    rl_case_expect(c, rl_convolution_prepacks(&good, RL_ISA_DSP), "the heaviest that is possible");

    rl_case_expect(c, rl_convolution_scales_fit(&good), "good scales");
    shifts[3] = 0;
    rl_case_expect(c, !rl_convolution_scales_fit(&good), "a shift of 0");
    shifts[3] = -23;
    rl_case_expect(c, !rl_convolution_scales_fit(&good), "a shift of -23");
    shifts[3] = -1;
    zeros[2] = (1 << 28) + 1;
    rl_case_expect(c, !rl_convolution_scales_fit(&good), "a large bias");
    rl_case_end(c);
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_shapes(&c);
    test_depths(&c);
    test_pixels(&c);
    test_extremes(&c);
    test_refused(&c);
    return rl_test_finish(&c);
}
