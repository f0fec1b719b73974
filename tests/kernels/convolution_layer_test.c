// SPDX-License-Identifier: Apache-2.0
// The convolutions of rushlight/kernels/: prepare, run with any scratch that is enough, fold, and the sizes of scratch,
// against the definition and against the functions of CMSIS-NN.
#include "arm_nnfunctions.h"
#include "kernels/isa.h"
#include "reference_layer.h"
#include "rushlight/kernels/convolution.h"
#include "rushlight/kernels/transpose_convolution.h"

#include <string.h>

// Pixels, rows of pixels, windows, and windows in groups.
static void random_shape(struct rl_case *c, int32_t most_groups, struct reference_convolution *r)
{
    const int32_t kind = rl_random_in(c, 0, 3);
    reference_convolution_random(c, 6, kind == 0 ? 1 : 3, kind > 1 ? 2 : 1, r);
    if (kind == 0) {
        r->padding = (cmsis_nn_tile){0, 0};
        r->output.h = (r->input.h - 1) / r->stride.h + 1;
        r->output.w = (r->input.w - 1) / r->stride.w + 1;
    } else if (kind == 1) {
        r->input.h = r->output.h = r->height = r->stride.h = 1;
        r->padding.h = 0;
    }
    const int32_t groups = rl_random_in(c, 1, most_groups);
    r->depth = rl_random_one_in(c, 2) ? 4 * rl_random_in(c, 1, 5) : rl_random_in(c, 1, 20);
    r->input.c = groups * r->depth;
    r->output.c = groups * (rl_random_one_in(c, 8) ? 66 : rl_random_in(c, 1, 9));
}

// Those that most layers have: one image, one group, many outputs, filters of one or three columns.
static void usual_shape(struct rl_case *c, struct reference_convolution *r)
{
    const int32_t side = rl_random_in(c, 3, 9), filter = rl_random_one_in(c, 2) ? 1 : 3;
    const int32_t stride = rl_random_one_in(c, 3) ? 2 : 1, padding = filter == 1 ? 0 : rl_random_in(c, 0, 1);
    const int32_t output = (side + 2 * padding - filter) / stride + 1;
    const int32_t depths[] = {16, 32, 64, rl_random_in(c, 1, 12), rl_random_in(c, 1, 70)};
    r->depth = depths[rl_random_in(c, 0, 4)];
    r->input = (cmsis_nn_dims){1, side, side, r->depth};
    r->output = (cmsis_nn_dims){1, output, output, rl_random_in(c, 3, 20)};
    r->height = r->width = filter;
    r->stride = (cmsis_nn_tile){stride, stride};
    r->padding = (cmsis_nn_tile){padding, padding};
    r->dilation = (cmsis_nn_tile){1, 1};
    if (rl_random_one_in(c, 6)) { // columns
        r->input.w = r->output.w = r->width = 1;
        r->padding.w = 0;
    }
}

// Images that do not fit the copies without gaps which Helium makes of a few lines, in groups or under dilation.
static void shape_with_gaps(struct rl_case *c, struct reference_convolution *r)
{
    const int32_t groups = rl_random_in(c, 1, 4);
    reference_convolution_random(c, 24, 4, 4, r);
    if (rl_random_one_in(c, 2)) {
        r->dilation = (cmsis_nn_tile){1, 1};
    }
    if (rl_random_one_in(c, 2)) {
        r->stride = (cmsis_nn_tile){1, 1};
    }
    r->depth = rl_random_one_in(c, 4) ? 1 : rl_random_in(c, 1, 20);
    r->input.c = groups * r->depth;
    r->output.c = groups * rl_random_in(c, 1, 9);
}

// The least, what is announced, what is planned, or something between.
static struct rl_scratch random_scratch(struct rl_case *c, const struct rl_convolution *layer)
{
    const int32_t sizes[] = {layer->least_scratch, rl_convolution_announced(layer, RL_ISA_HERE),
                             rl_convolution_scratch(layer, RL_ISA_HERE),
                             rl_random_in(c, layer->least_scratch, layer->least_scratch + 5000)};
    const int32_t chosen = sizes[rl_random_in(c, 0, 3)];
    const int32_t bytes = chosen < layer->least_scratch ? layer->least_scratch : chosen;
    if (bytes == 0) {
        return (struct rl_scratch){0};
    }
    return (struct rl_scratch){rl_case_scratch(c, bytes).buf, bytes};
}

typedef void convolution_function(const struct rl_convolution *layer, const int8_t *input, int8_t *output,
                                  struct rl_scratch scratch);

enum { LOOPS = RL_CONVOLUTION_COPIED + 1 };
static int found[LOOPS]; // layers for which a compiler would choose them

// The function that a compiler would call, on the core that this runs on.
static void run_loops(struct rl_case *c, const struct rl_convolution *layer, const struct reference_layer *l,
                      struct rl_scratch scratch)
{
    static convolution_function *const functions[LOOPS] = {
        rl_convolution_run,       rl_convolution_blocks_run,  rl_convolution_dense_run,
        rl_convolution_short_run, rl_convolution_windows_run, rl_convolution_copied_run,
    };
    for (int isa = RL_ISA_SCALAR; isa <= RL_ISA_MVE; isa++) {
        const enum rl_convolution_loops loops = rl_convolution_loops(layer, (enum rl_isa)isa);
        memset(l->output, 0, rl_elements(&l->shape.output));
        functions[loops](layer, l->input, l->output, scratch);
        rl_case_equal_s8(c, "output of chosen loops", l->expected, l->output, rl_elements(&l->shape.output));
        found[loops]++;
    }
}

static void run(struct rl_case *c, const struct rl_convolution *layer, const struct reference_layer *l)
{
    const struct rl_scratch scratch = random_scratch(c, layer);
    memset(l->output, 0, rl_elements(&l->shape.output));
    if (layer->type == RL_CONVOLUTION_S4) {
        rl_convolution_s4_run(layer, l->input, l->output, scratch);
    } else {
        rl_convolution_run(layer, l->input, l->output, scratch);
    }
    rl_case_equal_s8(c, layer->folded ? "output, folded" : "output", l->expected, l->output,
                     rl_elements(&l->shape.output));
    if (layer->type == RL_CONVOLUTION_S8) {
        memset(l->output, 0, rl_elements(&l->shape.output));
        rl_convolution_blocks_run(layer, l->input, l->output, scratch);
        rl_case_equal_s8(c, "output of blocks", l->expected, l->output, rl_elements(&l->shape.output));
        run_loops(c, layer, l, scratch);
    }
}

static void check(struct rl_case *c, enum rl_convolution_type type, bool gaps)
{
    struct reference_layer l;
    memset(&l, 0, sizeof l);
    if (gaps) {
        shape_with_gaps(c, &l.shape);
    } else if (rl_random_one_in(c, 2)) {
        usual_shape(c, &l.shape);
    } else {
        random_shape(c, type == RL_CONVOLUTION_S8 ? 3 : 1, &l.shape);
    }
    reference_layer_prepare(c, type == RL_CONVOLUTION_S8 ? INT8_WEIGHTS : INT4_WEIGHTS, !rl_random_one_in(c, 4), &l);
    struct rl_convolution layer = reference_layer_kernel(&l, type);
    int32_t *folded = rl_case_s32(c, (size_t)l.shape.output.c, 0, 0);
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a layer that can run");
    run(c, &layer, &l);
    rl_convolution_fold(&layer, folded);
    layer.folded = folded;
    run(c, &layer, &l);
    rl_case_end(c);
}

static void test_runs(struct rl_case *c)
{
    rl_test_start(c, "layers_with_and_without_folded_biases");
    for (int i = 0; i < 400; i++) {
        check(c, i % 4 == 0 ? RL_CONVOLUTION_S4 : RL_CONVOLUTION_S8, false);
    }
    rl_case_begin(c, "%d layers by all loops, %d by blocks, %d dense, %d short, %d windows, %d copied", found[0],
                  found[1], found[2], found[3], found[4], found[5]);
    for (int loops = 0; loops < LOOPS; loops++) {
        rl_case_expect(c, found[loops] >= 4, "layers of all kinds");
    }
    rl_case_end(c);
    rl_test_stop(c);
}

static void test_gaps(struct rl_case *c)
{
    rl_test_start(c, "layers_whose_windows_have_gaps");
    for (int i = 0; i < 150; i++) {
        check(c, RL_CONVOLUTION_S8, true);
    }
    rl_test_stop(c);
}

// Small maps, of whose windows a part lies on the image. Filters have any number of weights, runs of up to 600.
static void test_small_maps(struct rl_case *c)
{
    rl_test_start(c, "layers_of_small_maps");
    for (int i = 0; i < 100; i++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        reference_convolution_random(c, 4, 4, 2, &l.shape);
        l.shape.dilation.w = rl_random_one_in(c, 4) ? l.shape.dilation.w : 1;
        l.shape.depth = rl_random_one_in(c, 8) ? rl_random_in(c, 100, 200) : rl_random_in(c, 4, 50);
        l.shape.input.c = l.shape.depth;
        l.shape.output.c = rl_random_one_in(c, 10) ? rl_random_in(c, 130, 140) : rl_random_in(c, 3, 30);
        reference_layer_prepare(c, INT8_WEIGHTS, !rl_random_one_in(c, 4), &l);
        struct rl_convolution layer = reference_layer_kernel(&l, RL_CONVOLUTION_S8);
        rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a layer that can run");
        run(c, &layer, &l);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Checks a layer with a square filter of `taps` by `taps` on a square map.
static void check_square(struct rl_case *c, enum reference_weights weights, enum rl_convolution_type type, int32_t size,
                         int32_t depth, int32_t taps, int32_t padding, int32_t channels)
{
    const int32_t outputs = size + 2 * padding - taps + 1;
    struct reference_layer l;
    memset(&l, 0, sizeof l);
    l.shape.depth = depth;
    l.shape.input = (cmsis_nn_dims){1, size, size, depth};
    l.shape.output = (cmsis_nn_dims){1, outputs, outputs, channels};
    l.shape.height = l.shape.width = taps;
    l.shape.stride = l.shape.dilation = (cmsis_nn_tile){1, 1};
    l.shape.padding = (cmsis_nn_tile){padding, padding};
    reference_layer_prepare(c, weights, true, &l);
    struct rl_convolution layer = reference_layer_kernel(&l, type);
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a layer that can run");
    run(c, &layer, &l);
    rl_case_end(c);
}

// Small weights and many outputs, for which a Cortex-M0 multiplies more values before it takes sums apart.
static void test_small_weights(struct rl_case *c)
{
    rl_test_start(c, "layers_of_small_weights");
    for (int i = 0; i < 30; i++) {
        const int32_t taps = rl_random_one_in(c, 2) ? 3 : 1, depth = rl_random_in(c, 60, 300) / (taps * taps);
        const int32_t channels = rl_random_one_in(c, 6) ? 66 : rl_random_in(c, 1, 20);
        check_square(c, SMALL_WEIGHTS, RL_CONVOLUTION_S8, 12, depth, taps, taps / 2, channels);
    }
    rl_test_stop(c);
}

// Few outputs of int4 filters of any depth, which rows multiply as they are: even ones, and odd ones, of which every
// second one starts within a byte.
static void test_few_outputs(struct rl_case *c)
{
    rl_test_start(c, "layers_of_int4_with_few_outputs");
    for (int i = 0; i < 60; i++) {
        const int32_t taps = 1 + 2 * rl_random_in(c, 0, 2), size = rl_random_in(c, 1, 3);
        const int32_t depth = rl_random_one_in(c, 3) ? rl_random_in(c, 40, 110) : rl_random_in(c, 1, 40);
        const int32_t channels = rl_random_one_in(c, 4) ? 66 : rl_random_in(c, 1, 20);
        check_square(c, INT4_WEIGHTS, RL_CONVOLUTION_S4, size, depth, taps, taps > size ? taps / 2 : 0, channels);
    }
    rl_test_stop(c);
}

static int32_t most(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void check_sizes(struct rl_case *c, const struct rl_convolution *layer, int32_t here, int32_t mve)
{
    const int32_t any =
        most(rl_convolution_scratch(layer, RL_ISA_SCALAR),
             most(rl_convolution_scratch(layer, RL_ISA_DSP), rl_convolution_scratch(layer, RL_ISA_MVE)));
    rl_case_expect(c, rl_convolution_announced(layer, RL_ISA_HERE) == here, "what CMSIS-NN announces here");
    rl_case_expect(c, rl_convolution_announced(layer, RL_ISA_MVE) == mve, "what CMSIS-NN announces on Helium");
    rl_case_expect(c, rl_convolution_scratch(layer, RL_ISA_ANY) == any, "the most of all");
    rl_case_expect(c, here >= layer->least_scratch || layer->groups > 1, "at least what a run needs");
}

static void test_sizes(struct rl_case *c)
{
    rl_test_start(c, "scratch_is_what_cmsis_nn_announces_and_any_is_the_most");
    for (int i = 0; i < 200; i++) {
        struct reference_layer l;
        memset(&l, 0, sizeof l);
        random_shape(c, 2, &l.shape);
        reference_layer_prepare(c, INT8_WEIGHTS, true, &l);
        const cmsis_nn_conv_params params = reference_layer_convolution(&l);
        const cmsis_nn_dims *in = &l.shape.input, *filter = &l.filter_dims, *out = &l.shape.output;
        struct rl_convolution layer = reference_layer_kernel(&l, RL_CONVOLUTION_S8);
        rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a layer that can run");
        check_sizes(c, &layer, arm_convolve_wrapper_s8_get_buffer_size(&params, in, filter, out),
                    arm_convolve_wrapper_s8_get_buffer_size_mve(&params, in, filter, out));
        if (layer.groups == 1) {
            layer.type = RL_CONVOLUTION_S4;
            rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a layer of int4 that can run");
            check_sizes(c, &layer, arm_convolve_wrapper_s4_get_buffer_size(&params, in, filter, out),
                        arm_convolve_wrapper_s4_get_buffer_size_mve(&params, in, filter, out));
            layer.type = RL_CONVOLUTION_S16;
            rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a layer of int16 that can run");
            check_sizes(c, &layer, arm_convolve_wrapper_s16_get_buffer_size(&params, in, filter, out),
                        arm_convolve_wrapper_s16_get_buffer_size_mve(&params, in, filter, out));
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_refused(struct rl_case *c)
{
    rl_test_start(c, "layers_that_are_refused");
    rl_case_begin(c, "one by one");
    const struct rl_convolution good = {.input = {1, 4, 4, 6},
                                        .output = {1, 4, 4, 6},
                                        .filter = {1, 1},
                                        .stride = {1, 1},
                                        .dilation = {1, 1},
                                        .groups = 1};
    struct rl_convolution layer = good;
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_OK, "a good layer");
    layer.groups = 0;
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_ERROR_ARGUMENT, "no groups");
    layer.groups = 4;
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_ERROR_ARGUMENT, "groups that do not divide the input");
    layer.groups = 3;
    layer.output.c = 4;
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_ERROR_ARGUMENT, "groups that do not divide the output");
    layer = good;
    layer.output.w = 5;
    rl_case_expect(c, rl_convolution_prepare(&layer) == RL_ERROR_ARGUMENT, "an output without an input under it");
    struct rl_transpose_convolution transposed = {.input = {1, 4, 4, 6}, .filter = {2, 2}, .stride = {0, 1}};
    rl_case_expect(c, rl_transpose_convolution_prepare(&transposed) == RL_ERROR_ARGUMENT, "no stride");
    rl_case_end(c);
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_runs(&c);
    test_gaps(&c);
    test_small_maps(&c);
    test_small_weights(&c);
    test_few_outputs(&c);
    test_sizes(&c);
    test_refused(&c);
    return rl_test_finish(&c);
}
