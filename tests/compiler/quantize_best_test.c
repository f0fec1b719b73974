// SPDX-License-Identifier: Apache-2.0
//
// What the best quantizer takes beyond the stock one, on graphs in text form, and calibration of them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/dataset.h"
#include "compiler/ir/text.h"
#include "compiler/quantize/annotation.h"

struct quantized {
    struct rl_context context;
    struct rl_arena arena;
    struct rl_graph *graph;
    struct rl_annotation *annotation;
};

static void annotate(struct quantized *q, const char *model, enum rl_quantizer quantizer)
{
    const struct rl_quantize_options options = {.quantizer = quantizer};
    *q = (struct quantized){0};
    assert_int_equal(rl_graph_parse(&q->context, &q->arena, model, "test", &q->graph), RL_OK);
    q->annotation = rl_quantize_annotate(q->graph, &options);
}

// The observer of a value where it is made, or where a node uses it; NULL when it stays in floating point there.
static const struct rl_observer *grid_at(const struct quantized *q, enum rl_point_kind kind, const char *value)
{
    for (int i = 0; i < q->annotation->point_count; i++) {
        const struct rl_point *point = &q->annotation->points[i];
        if (point->kind == kind && strcmp(point->value->name, value) == 0) {
            return point->observer;
        }
    }
    fail_msg("no value %s", value);
    return NULL;
}

static const struct rl_observer *observer(const struct quantized *q, const char *value)
{
    return grid_at(q, RL_POINT_MADE, value);
}

static const struct rl_observer *used(const struct quantized *q, const char *value)
{
    return grid_at(q, RL_POINT_USED, value);
}

// Calibrates with one sample for the only input.
static void calibrate(struct quantized *q, const float *sample, size_t bytes)
{
    struct rl_dataset_input input = {q->graph->inputs[0]->name, q->graph->inputs[0]->type,
                                     (const unsigned char *)sample, bytes, NULL};
    const struct rl_dataset dataset = {.sample_count = 1, .input_count = 1, .inputs = &input};
    assert_int_equal(rl_quantize_calibrate(&q->context, q->graph, &dataset, q->annotation, NULL), RL_OK);
}

static void numbers_and_channels_are_broadcast(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[1,2,3,3]\n"
                                "constant %number : f32[1] = [0.5]\n"
                                "constant %channels : f32[1,2,1,1] = [1.0, 2.0]\n"
                                "constant %row : f32[3] = [1.0, 2.0, 3.0]\n"
                                "%product = aten::mul.Tensor(self=%x, other=%number) : f32[1,2,3,3]\n"
                                "%pole = aten::div.Tensor(self=%number, other=%product) : f32[1,2,3,3]\n"
                                "%sum = aten::add.Tensor(self=%pole, other=%channels) : f32[1,2,3,3]\n"
                                "%rows = aten::add.Tensor(self=%sum, other=%row) : f32[1,2,3,3]\n"
                                "%negative = aten::neg.default(self=%rows) : f32[1,2,3,3]\n"
                                "output %negative\n";
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    assert_non_null(observer(&q, "product"));
    assert_non_null(observer(&q, "pole")); // a table, which ends at the pole
    assert_non_null(observer(&q, "sum"));
    assert_null(observer(&q, "rows"));
    assert_non_null(observer(&q, "negative"));
    rl_arena_free(&q.arena);
    annotate(&q, model, RL_QUANTIZER_STOCK);
    assert_null(observer(&q, "product"));
    assert_null(observer(&q, "sum"));
    assert_null(observer(&q, "negative"));
    rl_arena_free(&q.arena);
}

// Operators that only move values take the grid of what reads them, however many of them stand between.
static void movements_are_quantized_from_behind(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[2,3]\n"
                                "%sums = aten::cumsum.default(self=%x, dim=1) : f32[2,3]\n"
                                "%rows = aten::view.default(self=%sums, size=[3, 2]) : f32[3,2]\n"
                                "%turned = aten::permute.default(self=%rows, dims=[1, 0]) : f32[2,3]\n"
                                "%curve = aten::tanh.default(self=%turned) : f32[2,3]\n"
                                "output %curve\n";
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_STOCK);
    assert_non_null(used(&q, "sums"));
    assert_ptr_equal(used(&q, "sums"), used(&q, "turned"));
    rl_arena_free(&q.arena);
}

// Only layers with weights take hardsigmoid; a sum keeps a grid of its own.
static void hardsigmoid_fuses_into_layers(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[1,2]\n"
                                "constant %weight : f32[2,2] = [1.0, 2.0, 3.0, 4.0]\n"
                                "%layer = aten::linear.default(input=%x, weight=%weight, bias=None) : f32[1,2]\n"
                                "%gate = aten::hardsigmoid.default(self=%layer) : f32[1,2]\n"
                                "%sum = aten::add.Tensor(self=%gate, other=%x) : f32[1,2]\n"
                                "%last = aten::hardsigmoid.default(self=%sum) : f32[1,2]\n"
                                "output %last\n";
    static const enum rl_quantizer quantizers[] = {RL_QUANTIZER_BEST, RL_QUANTIZER_STOCK};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct quantized q;
        annotate(&q, model, quantizers[i]);
        assert_null(observer(&q, "layer"));
        assert_non_null(observer(&q, "gate"));
        assert_non_null(observer(&q, "sum"));
        rl_arena_free(&q.arena);
    }
}

// Norms have a kernel of ours: only the best quantizer takes them, and not for ExecuTorch. Their weights stay as they
// are.
static void norms_are_quantized_for_our_runtime(void **state)
{
    static const char model[] =
        "graph g\n"
        "input %x : f32[1,2,2,2]\n"
        "constant %weight : f32[2] = [1.0, 2.0]\n"
        "%layer = aten::layer_norm.default(input=%x, normalized_shape=[2], weight=%weight) : f32[1,2,2,2]\n"
        "%rms = aten::rms_norm.default(input=%layer, normalized_shape=[2], weight=%weight) : f32[1,2,2,2]\n"
        "%group = aten::group_norm.default(input=%rms, num_groups=1, weight=%weight, bias=%weight) : f32[1,2,2,2]\n"
        "%relu = aten::relu.default(self=%group) : f32[1,2,2,2]\n"
        "%other = aten::layer_norm.default(input=%relu, normalized_shape=[2,2,2], weight=%x) : f32[1,2,2,2]\n"
        "output %other\n";
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    assert_non_null(observer(&q, "layer"));
    assert_non_null(observer(&q, "rms"));
    assert_null(observer(&q, "group")); // fuses with relu
    assert_non_null(observer(&q, "relu"));
    assert_null(observer(&q, "other")); // weights that are not constant
    assert_null(used(&q, "weight"));
    rl_arena_free(&q.arena);
    annotate(&q, model, RL_QUANTIZER_STOCK);
    assert_null(observer(&q, "layer"));
    assert_null(observer(&q, "group"));
    rl_arena_free(&q.arena);
    const struct rl_quantize_options options = {.quantizer = RL_QUANTIZER_BEST, .only_cortex_m = true};
    q = (struct quantized){0};
    assert_int_equal(rl_graph_parse(&q.context, &q.arena, model, "test", &q.graph), RL_OK);
    q.annotation = rl_quantize_annotate(q.graph, &options);
    assert_null(observer(&q, "layer"));
    assert_null(observer(&q, "rms"));
    rl_arena_free(&q.arena);
}

// A pass that knows better than the patterns says so in the node.
static void stock_leaves_what_has_a_reason(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[1,2,1,4]\n"
                                "%pool = aten::avg_pool2d.default(self=%x, kernel_size=[1, 2]) : f32[1,2,1,2] @reason "
                                "\"a sequence\"\n"
                                "%again = aten::avg_pool2d.default(self=%pool, kernel_size=[1, 2]) : f32[1,2,1,1]\n"
                                "output %again\n";
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_STOCK);
    assert_null(observer(&q, "pool"));
    assert_non_null(observer(&q, "again"));
    rl_arena_free(&q.arena);
}

static void copies_of_elements_share_a_grid(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[1,2,4,4]\n"
                                "%large = aten::upsample_nearest2d.vec(input=%x, output_size=[8, 8]) : f32[1,2,8,8]\n"
                                "%mirrored = aten::reflection_pad2d.default(self=%large, padding=[1, 1, 1, 1]) : "
                                "f32[1,2,10,10]\n"
                                "output %mirrored\n";
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    assert_ptr_equal(observer(&q, "x"), observer(&q, "mirrored"));
    rl_arena_free(&q.arena);
    annotate(&q, model, RL_QUANTIZER_STOCK);
    assert_null(observer(&q, "large"));
    rl_arena_free(&q.arena);
}

static void chosen_elements_share_a_grid(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[2,8]\n"
                                "%best, %places = aten::topk.default(self=%x, k=4) : f32[2,4], i64[2,4]\n"
                                "%sorted, %order = aten::sort.default(self=%best, dim=0) : f32[2,4], i64[2,4]\n"
                                "%parts = aten::slice_scatter.default(self=%sorted, src=%best, dim=1) : f32[2,4]\n"
                                "%largest = aten::max.default(self=%parts) : f32[]\n"
                                "output %largest\n";
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    assert_ptr_equal(observer(&q, "x"), observer(&q, "largest"));
    rl_arena_free(&q.arena);
    annotate(&q, model, RL_QUANTIZER_STOCK);
    assert_null(observer(&q, "best"));
    rl_arena_free(&q.arena);
}

// The float program has no copy of this name: it makes its own.
static void copies_to_another_layout_are_observed(void **state)
{
    static const char model[] =
        "graph g\n"
        "input %x : f32[1,2,2,2]\n"
        "%negative = aten::neg.default(self=%x) : f32[1,2,2,2]\n"
        "%copy = dim_order_ops::_clone_dim_order.default(self=%negative, dim_order=[0, 2, 3, 1]) : "
        "f32[1,2,2,2] order(0,2,3,1)\n"
        "output %copy\n";
    static const float sample[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    calibrate(&q, sample, sizeof sample);
    assert_float_equal(observer(&q, "copy")->histogram->range.min, -8, 0);
    rl_arena_free(&q.arena);
}

// A quotient is one of integers if its divisor stays away from zero.
static void divisors_close_to_zero_stay_in_floating_point(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[1,8]\n"
                                "constant %ten : f32[] = [10.0]\n"
                                "%far = aten::add.Tensor(self=%x, other=%ten) : f32[1,8]\n"
                                "%fine = aten::div.Tensor(self=%x, other=%far) : f32[1,8]\n"
                                "%coarse = aten::div.Tensor(self=%fine, other=%x) : f32[1,8]\n"
                                "%curve = aten::exp.default(self=%coarse) : f32[1,8]\n"
                                "output %curve\n";
    static const float sample[8] = {1, 2, 3, 40, 5, 6, 7, 8};
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    const struct rl_tensor_type type = q.graph->inputs[0]->type;
    struct rl_dataset_input input = {"x", type, (const unsigned char *)sample, sizeof sample, NULL};
    const struct rl_dataset dataset = {.sample_count = 1, .input_count = 1, .inputs = &input};
    assert_int_equal(rl_quantize_calibrate(&q.context, q.graph, &dataset, q.annotation, NULL), RL_OK);
    assert_non_null(observer(&q, "fine"));
    assert_null(observer(&q, "coarse"));
    assert_non_null(observer(&q, "curve"));
    rl_arena_free(&q.arena);
}

// 100 to 100.8 on 256 steps from 0 would be two of them.
static void sums_far_from_zero_stay_in_floating_point(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[1,8]\n"
                                "constant %offset : f32[] = [100.0]\n"
                                "constant %tenth : f32[] = [0.1]\n"
                                "%small = aten::mul.Tensor(self=%x, other=%tenth) : f32[1,8]\n"
                                "%near = aten::add.Tensor(self=%x, other=%tenth) : f32[1,8]\n"
                                "%far = aten::add.Tensor(self=%small, other=%offset) : f32[1,8]\n"
                                "%back = aten::sub.Tensor(self=%far, other=%offset) : f32[1,8]\n"
                                "output %near\noutput %back\n";
    static const float sample[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    assert_non_null(observer(&q, "far"));
    calibrate(&q, sample, sizeof sample);
    assert_null(observer(&q, "far"));
    assert_non_null(strstr(q.graph->first->next->next->reason, "far from zero"));
    assert_non_null(observer(&q, "small"));
    assert_non_null(observer(&q, "near"));
    assert_non_null(observer(&q, "back"));
    rl_arena_free(&q.arena);
}

// Scores that come masked: their point is the first of all.
static void masked_inputs_stay_in_floating_point(void **state)
{
    static const char model[] = "graph g\n"
                                "input %scores : f32[1,4]\n"
                                "%y = aten::_softmax.default(self=%scores, dim=-1, half_to_float=False) : f32[1,4]\n"
                                "output %y\n";
    static const float sample[4] = {-1, 0, 1, -INFINITY};
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    assert_non_null(observer(&q, "scores"));
    calibrate(&q, sample, sizeof sample);
    assert_null(observer(&q, "scores"));
    rl_arena_free(&q.arena);
}

// No sample masks anything, but what the caller passes may.
static void comparisons_beyond_the_samples_stay_in_floating_point(void **state)
{
    static const char model[] =
        "graph g\n"
        "input %mask : f32[1,4]\n"
        "%masked = aten::le.Scalar(self=%mask, other=-10000.0) : bool[1,4]\n"
        "%rest = aten::threshold.default(self=%mask, threshold=-10000.0, value=0.0) : f32[1,4]\n"
        "output %masked\noutput %rest\n";
    static const float sample[4] = {0, 0.5F, 1, 0}, masking[4] = {0, -20000, 1, 0};
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    assert_non_null(observer(&q, "mask"));
    calibrate(&q, sample, sizeof sample);
    assert_null(observer(&q, "mask"));
    assert_non_null(strstr(q.graph->first->reason, "beyond what the samples show"));
    assert_non_null(observer(&q, "rest"));
    rl_arena_free(&q.arena);
    annotate(&q, model, RL_QUANTIZER_BEST);
    calibrate(&q, masking, sizeof masking);
    assert_non_null(observer(&q, "mask"));
    rl_arena_free(&q.arena);
}

// A bias of more than 2^31 steps of input times weight widens the weight's grid, but not that of the stock quantizer.
static void heavy_biases_widen_the_grid_of_the_weight(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[1,2]\n"
                                "constant %w : f32[1,2] = [0.5, -1.27]\n"
                                "constant %b : f32[1] = [1000000.0]\n"
                                "%y = aten::linear.default(input=%x, weight=%w, bias=%b) : f32[1,1]\n"
                                "output %y\n";
    static const float sample[2] = {-1.28f, 1.27f};
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    calibrate(&q, sample, sizeof sample);
    const double input = used(&q, "x")->qparams.scale, weight = used(&q, "w")->channel_scales[0];
    const double most = 1e6 / (input * weight) + 255 * ((0.5 + 1.27) / weight + 1) + 1;
    assert_true(most <= INT32_MAX && most > INT32_MAX * (1 - 1e-5));
    assert_float_equal(used(&q, "b")->channel_scales[0], input * weight, 1e-6 * input * weight);
    rl_arena_free(&q.arena);
    annotate(&q, model, RL_QUANTIZER_STOCK);
    calibrate(&q, sample, sizeof sample);
    assert_float_equal(used(&q, "w")->qparams.scale, 1.27 / 127.5, 1e-8);
    rl_arena_free(&q.arena);
}

// What is always zero has the smallest scale; sums that could be far away from it would wrap on their way there.
static void outputs_that_are_always_zero_take_a_wider_grid(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[1,2]\n"
                                "constant %w : f32[1,2] = [0.5, -1.27]\n"
                                "constant %b : f32[1] = [-200.0]\n"
                                "%y = aten::linear.default(input=%x, weight=%w, bias=%b) : f32[1,1]\n"
                                "%z = aten::relu.default(self=%y) : f32[1,1]\n"
                                "%s = aten::add.Tensor(self=%z, other=%z) : f32[1,1]\n"
                                "output %s\n";
    static const float sample[2] = {-1.28f, 1.27f};
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    calibrate(&q, sample, sizeof sample);
    const double reach = 200 + 255 * used(&q, "x")->qparams.scale * (0.5 + 1.27);
    const double output = observer(&q, "z")->qparams.scale;
    assert_true(reach / output <= 0x1p30 && reach / output > 0x1p30 * (1 - 1e-5));
    assert_float_equal(used(&q, "w")->qparams.scale, 1.27 / 127.5, 1e-8);
    rl_arena_free(&q.arena);
}

static void empty_weights_stay_in_floating_point(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[2,4]\n"
                                "input %none : f32[0,4]\n"
                                "%y = aten::linear.default(input=%x, weight=%none, bias=None) : f32[2,0]\n"
                                "output %y\n";
    struct quantized q;
    (void)state;
    annotate(&q, model, RL_QUANTIZER_BEST);
    assert_null(observer(&q, "y"));
    const char *reason = q.graph->outputs[0]->producer->reason;
    assert_non_null(reason);
    assert_non_null(strstr(reason, "one of its sizes is 0; accepted: sizes of 1 and more"));
    rl_arena_free(&q.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_channels_are_broadcast),
        cmocka_unit_test(movements_are_quantized_from_behind),
        cmocka_unit_test(hardsigmoid_fuses_into_layers),
        cmocka_unit_test(divisors_close_to_zero_stay_in_floating_point),
        cmocka_unit_test(norms_are_quantized_for_our_runtime),
        cmocka_unit_test(stock_leaves_what_has_a_reason),
        cmocka_unit_test(copies_of_elements_share_a_grid),
        cmocka_unit_test(chosen_elements_share_a_grid),
        cmocka_unit_test(copies_to_another_layout_are_observed),
        cmocka_unit_test(sums_far_from_zero_stay_in_floating_point),
        cmocka_unit_test(masked_inputs_stay_in_floating_point),
        cmocka_unit_test(comparisons_beyond_the_samples_stay_in_floating_point),
        cmocka_unit_test(heavy_biases_widen_the_grid_of_the_weight),
        cmocka_unit_test(outputs_that_are_always_zero_take_a_wider_grid),
        cmocka_unit_test(empty_weights_stay_in_floating_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
