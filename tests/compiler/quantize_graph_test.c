// SPDX-License-Identifier: Apache-2.0
//
// What is quantized, what shares a grid, and the graph that conversion leaves, on small graphs built here.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/dataset.h"
#include "compiler/passes/passes.h"
#include "compiler/quantize/annotation.h"

static struct rl_context context;
static struct rl_arena arena;
static struct rl_graph *graph;

static int start_graph(void **state)
{
    (void)state;
    context = (struct rl_context){0};
    arena = (struct rl_arena){0};
    graph = rl_graph_new(&arena, "test", "test.pt2");
    return 0;
}

static int drop_graph(void **state)
{
    (void)state;
    rl_arena_free(&arena);
    return 0;
}

static struct rl_tensor_type image(int64_t channels, int64_t side, bool channels_last)
{
    struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 4, (const int64_t[]){1, channels, side, side});
    if (channels_last) {
        memcpy(type.order, (const uint8_t[]){0, 2, 3, 1}, 4);
    }
    return type;
}

static struct rl_tensor_type matrix(int64_t rows, int64_t columns)
{
    return rl_tensor_type_make(RL_FLOAT32, 2, (const int64_t[]){rows, columns});
}

// A constant that counts -1, 0, 1, 2, ... eighths.
static struct rl_value *constant(const char *name, struct rl_tensor_type type)
{
    const size_t count = (size_t)rl_tensor_numel(&type);
    float *data = rl_arena_array(&arena, count, sizeof *data);
    for (size_t i = 0; i < count; i++) {
        data[i] = ((float)i - 1) / 8;
    }
    return rl_graph_add_constant(graph, name, &type, data);
}

// A node at the end of the graph: its tensors are the first arguments, the others have their defaults.
static struct rl_value *call(enum rl_op_id op, const char *name, struct rl_tensor_type type, int count,
                             struct rl_value *const *tensors)
{
    struct rl_node *node = rl_graph_insert(graph, NULL, op, name, NULL, 1, &type);
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_op_arg *schema = &rl_op_get(op)->args[i];
        if (i < count) {
            node->args[i] = rl_arg_value(tensors[i]);
        } else if (schema->default_text) {
            node->args[i] = rl_arg_default(&arena, schema);
        }
    }
    return node->results[0];
}

static struct rl_value *conv(struct rl_value *input, const char *name, int64_t channels)
{
    const int64_t weight_sizes[] = {channels, input->type.sizes[1], 1, 1};
    struct rl_value *weight = constant("weight", rl_tensor_type_make(RL_FLOAT32, 4, weight_sizes));
    struct rl_value *bias = constant("bias", rl_tensor_type_make(RL_FLOAT32, 1, &channels));
    struct rl_tensor_type type = input->type;
    type.sizes[1] = channels;
    return call(RL_OP_aten_conv2d, name, type, 3, (struct rl_value *[]){input, weight, bias});
}

static struct rl_value *unary(enum rl_op_id op, const char *name, struct rl_value *input)
{
    return call(op, name, input->type, 1, &input);
}

static struct rl_value *view(struct rl_value *input, const char *name, struct rl_tensor_type type)
{
    struct rl_value *result = call(RL_OP_aten_view_copy, name, type, 1, &input);
    *rl_node_arg(result->producer, "size") = rl_arg_ints(&arena, type.sizes, type.rank);
    return result;
}

static struct rl_value *max_pool(struct rl_value *input, const char *name)
{
    struct rl_value *result = unary(RL_OP_aten_max_pool2d, name, input);
    *rl_node_arg(result->producer, "kernel_size") = rl_arg_ints(&arena, (const int64_t[]){1, 1}, 2);
    return result;
}

static struct rl_value *softmax(struct rl_value *input, const char *name, int dim)
{
    struct rl_value *result = unary(RL_OP_aten_softmax, name, input);
    *rl_node_arg(result->producer, "dim") = rl_arg_int(dim);
    *rl_node_arg(result->producer, "half_to_float") = rl_arg_bool(false);
    return result;
}

static struct rl_annotation *annotate(enum rl_quantizer quantizer)
{
    const struct rl_quantize_options options = {.quantizer = quantizer};
    return rl_quantize_annotate(graph, &options);
}

static const struct rl_observer *made(const struct rl_annotation *annotation, const struct rl_value *value)
{
    return rl_annotation_made(annotation, value)->observer;
}

static const struct rl_observer *used(const struct rl_annotation *annotation, const struct rl_value *value,
                                      const struct rl_value *result)
{
    return rl_annotation_used(annotation, value, result->producer)->observer;
}

static void activation_fuses_and_data_movement_shares(void **state)
{
    (void)state;
    const struct rl_tensor_type type = image(2, 2, true);
    struct rl_value *x = rl_graph_add_input(graph, "x", &type);
    struct rl_value *a = conv(x, "a", 4);
    struct rl_value *b = unary(RL_OP_aten_relu, "b", a);
    struct rl_value *c = max_pool(b, "c");
    struct rl_value *d = view(c, "d", matrix(1, 16));
    struct rl_value *e =
        call(RL_OP_aten_linear, "e", matrix(1, 3), 2, (struct rl_value *[]){d, constant("matrix", matrix(3, 16))});
    rl_graph_add_output(graph, e);
    const struct rl_annotation *annotation = annotate(RL_QUANTIZER_STOCK);

    assert_null(made(annotation, a)); // inside conv + relu
    assert_null(used(annotation, a, b));
    assert_int_equal(made(annotation, b)->spec, RL_SPEC_ACTIVATION);
    assert_ptr_equal(made(annotation, b), made(annotation, c));
    assert_ptr_equal(made(annotation, b), made(annotation, d));
    assert_ptr_equal(made(annotation, b), used(annotation, d, e));
    assert_ptr_not_equal(made(annotation, b), made(annotation, x));
    assert_ptr_equal(made(annotation, x), used(annotation, x, a));
    assert_int_equal(used(annotation, rl_node_tensor(a->producer, "weight"), a)->spec, RL_SPEC_CHANNEL_WEIGHT);
    const struct rl_observer *bias = used(annotation, rl_node_tensor(a->producer, "bias"), a);
    assert_int_equal(bias->spec, RL_SPEC_BIAS);
    assert_ptr_equal(bias->input, made(annotation, x));
    assert_int_equal(used(annotation, rl_node_tensor(e->producer, "weight"), e)->spec, RL_SPEC_WEIGHT);
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        assert_null(node->reason);
    }
}

static void activation_of_two_users_does_not_fuse(void **state)
{
    (void)state;
    const struct rl_tensor_type type = image(2, 2, true);
    struct rl_value *a = conv(rl_graph_add_input(graph, "x", &type), "a", 2);
    struct rl_value *b = unary(RL_OP_aten_relu, "b", a);
    struct rl_value *c = call(RL_OP_aten_add, "c", type, 2, (struct rl_value *[]){a, b});
    rl_graph_add_output(graph, c);
    const struct rl_annotation *annotation = annotate(RL_QUANTIZER_BEST);
    assert_non_null(made(annotation, a));
    assert_ptr_equal(made(annotation, a), made(annotation, b)); // a lone relu passes its input's grid on
    assert_ptr_not_equal(made(annotation, a), made(annotation, c));
}

static void stock_leaves_contiguous_convolutions(void **state)
{
    (void)state;
    const struct rl_tensor_type type = image(2, 2, false);
    struct rl_value *x = rl_graph_add_input(graph, "x", &type);
    struct rl_value *a = conv(x, "a", 2);
    rl_graph_add_output(graph, a);
    const struct rl_annotation *stock = annotate(RL_QUANTIZER_STOCK);
    assert_null(made(stock, a));
    assert_non_null(made(stock, x)); // graph inputs and outputs are quantized all the same
    assert_int_equal(stock->points[stock->point_count - 1].observer->spec, RL_SPEC_ACTIVATION);
    assert_non_null(strstr(a->producer->reason, "channels-last"));
    a->producer->reason = NULL;
    assert_non_null(made(annotate(RL_QUANTIZER_BEST), a));
    assert_null(a->producer->reason);
    const struct rl_quantize_options explicit = {.quantizer = RL_QUANTIZER_STOCK, .explicit_layout = true};
    assert_non_null(made(rl_quantize_annotate(graph, &explicit), a));
    assert_null(a->producer->reason);
}

static void refused_nodes_say_why(void **state)
{
    (void)state;
    const struct rl_tensor_type type = matrix(4, 4);
    struct rl_value *x = rl_graph_add_input(graph, "x", &type);
    struct rl_value *a = call(RL_OP_aten_mul, "a", type, 2, (struct rl_value *[]){x, constant("row", matrix(1, 4))});
    struct rl_value *b = softmax(a, "b", 0);
    struct rl_value *c = call(RL_OP_aten_mean, "c", type, 1, &b);
    struct rl_value *d = unary(RL_OP_aten_relu, "d", c);
    struct rl_value *e = call(RL_OP_aten_mean, "e", type, 1, &d);
    rl_graph_add_output(graph, e);
    const struct rl_annotation *annotation = annotate(RL_QUANTIZER_STOCK);
    assert_non_null(strstr(a->producer->reason, "different shapes"));
    assert_non_null(strstr(b->producer->reason, "innermost"));
    assert_string_equal(c->producer->reason, "aten::mean has no integer kernel");
    assert_non_null(strstr(d->producer->reason, "connected"));
    assert_null(made(annotation, d));
}

static void softmax_is_requantized_for_another_grid(void **state)
{
    (void)state;
    const struct rl_tensor_type type = matrix(2, 4);
    struct rl_value *x = rl_graph_add_input(graph, "x", &type);
    struct rl_value *a = softmax(x, "a", -1);
    struct rl_value *b = view(a, "b", matrix(4, 2));
    rl_graph_add_output(graph, b);
    rl_graph_add_output(graph, a);
    const struct rl_annotation *annotation = annotate(RL_QUANTIZER_STOCK);
    const struct rl_observer *fixed = made(annotation, a);
    assert_int_equal(fixed->spec, RL_SPEC_SOFTMAX);
    assert_float_equal(fixed->qparams.scale, 1.0f / 256, 0);
    assert_int_equal(fixed->qparams.zero_point, -128);
    assert_ptr_equal(made(annotation, b), fixed); // a view takes what it gets
    const struct rl_point *outputs = annotation->points + annotation->point_count - 2;
    assert_int_equal(outputs[0].observer->spec, RL_SPEC_ACTIVATION);
    assert_ptr_not_equal(outputs[0].observer, outputs[1].observer);

    const struct rl_annotation *best = annotate(RL_QUANTIZER_BEST);
    const struct rl_point *kept = best->points + best->point_count - 2;
    assert_ptr_equal(kept[0].observer, made(best, a));
    assert_ptr_equal(kept[1].observer, made(best, a));
}

// ---- conversion -----------------------------------------------------------------------------------

static void set_grid(struct rl_point *point, float scale, int zero_point)
{
    point->observer->qparams = (struct rl_qparams){scale, zero_point};
}

static void assert_ops(const enum rl_op_id *expected, int count)
{
    const struct rl_node *node = graph->first;
    for (int i = 0; i < count; i++, node = node->next) {
        assert_non_null(node);
        assert_string_equal(rl_op_get(node->op)->name, rl_op_get(expected[i])->name);
    }
    assert_null(node);
}

static void conversion_leaves_a_pair_at_each_point(void **state)
{
    (void)state;
    const struct rl_tensor_type type = matrix(1, 2);
    struct rl_value *x = rl_graph_add_input(graph, "x", &type);
    struct rl_value *weight = constant("weight", matrix(2, 2)); // -1/8, 0, 1/8, 2/8
    struct rl_value *bias = constant("bias", rl_tensor_type_make(RL_FLOAT32, 1, (const int64_t[]){2}));
    struct rl_value *a = call(RL_OP_aten_linear, "a", type, 3, (struct rl_value *[]){x, weight, bias});
    struct rl_value *b = call(RL_OP_aten_add, "b", type, 2, (struct rl_value *[]){x, a});
    rl_graph_add_output(graph, b);
    struct rl_annotation *annotation = annotate(RL_QUANTIZER_STOCK);
    set_grid(rl_annotation_made(annotation, x), 0.5f, 3);
    set_grid(rl_annotation_made(annotation, a), 0.25f, 0);
    set_grid(rl_annotation_made(annotation, b), 0.75f, -7);
    set_grid(rl_annotation_used(annotation, weight, a->producer), 0.125f, 0);
    set_grid(rl_annotation_used(annotation, bias, a->producer), 0.0625f, 0);
    assert_int_equal(rl_quantize_convert(&context, graph, annotation), RL_OK);

    static const enum rl_op_id expected[] = {
        RL_OP_qd_quantize_per_tensor,   RL_OP_qd_dequantize_per_tensor, RL_OP_qd_dequantize_per_tensor,
        RL_OP_qd_dequantize_per_tensor, RL_OP_qd_dequantize_per_tensor, RL_OP_aten_linear,
        RL_OP_qd_quantize_per_tensor,   RL_OP_qd_dequantize_per_tensor, RL_OP_aten_add,
        RL_OP_qd_quantize_per_tensor,   RL_OP_qd_dequantize_per_tensor,
    };
    assert_ops(expected, sizeof expected / sizeof expected[0]);
    assert_string_equal(graph->first->name, "quantize_per_tensor");
    assert_float_equal(rl_node_number(graph->first, "scale"), 0.5, 0);
    assert_int_equal(rl_node_int(graph->first, "zero_point"), 3);
    assert_int_equal(rl_node_int(graph->first, "dtype"), RL_INT8);
    assert_ptr_not_equal(a->producer->args[0].as.value, b->producer->args[0].as.value); // one for each user
    const struct rl_node *of_weight = rl_node_tensor(a->producer, "weight")->producer;
    const struct rl_value *integers = rl_node_tensor(of_weight, "input");
    assert_int_equal(integers->type.dtype, RL_INT8);
    assert_memory_equal(integers->data, ((const int8_t[]){-1, 0, 1, 2}), 4);
    const struct rl_node *of_bias = rl_node_tensor(a->producer, "bias")->producer;
    assert_memory_equal(rl_node_tensor(of_bias, "input")->data, ((const int32_t[]){-2, 0}), 8);
    assert_int_equal(rl_node_int(of_bias, "quant_max"), INT32_MAX - 1);
    assert_ptr_equal(rl_node_tensor(graph->outputs[0]->producer, "input")->producer->args[0].as.value, b);
    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        assert_int_not_equal(value->type.dtype, RL_FLOAT32); // the float weights are gone
    }
}

static void channels_become_constants_beside_the_weight(void **state)
{
    (void)state;
    const struct rl_tensor_type type = image(1, 2, true);
    struct rl_value *a = conv(rl_graph_add_input(graph, "x", &type), "a", 2);
    rl_graph_add_output(graph, a);
    struct rl_annotation *annotation = annotate(RL_QUANTIZER_STOCK);
    float scales[] = {0.125f, 0.0625f};
    for (int i = 0; i < annotation->observer_count; i++) {
        annotation->observers[i]->qparams = (struct rl_qparams){1, 0};
        if (annotation->observers[i]->constant) {
            annotation->observers[i]->channel_count = 2;
            annotation->observers[i]->channel_scales = scales;
        }
    }
    assert_int_equal(rl_quantize_convert(&context, graph, annotation), RL_OK);
    const struct rl_node *node = rl_node_tensor(a->producer, "weight")->producer;
    assert_int_equal(node->op, RL_OP_qd_dequantize_per_channel);
    assert_memory_equal(rl_node_tensor(node, "input")->data, ((const int8_t[]){-1, 0}), 2);
    assert_memory_equal(rl_node_tensor(node, "scales")->data, scales, sizeof scales);
    assert_memory_equal(rl_node_tensor(node, "zero_points")->data, ((const int64_t[]){0, 0}), 16);
    assert_int_equal(rl_node_int(node, "axis"), 0);
    assert_int_equal(rl_node_tensor(a->producer, "bias")->producer->op, RL_OP_qd_dequantize_per_channel);
}

static void uses_with_another_grid_are_quantized_again(void **state)
{
    (void)state;
    const struct rl_tensor_type type = matrix(2, 4);
    struct rl_value *x = rl_graph_add_input(graph, "x", &type);
    struct rl_value *a = softmax(x, "a", 1);
    struct rl_value *b = call(RL_OP_aten_mean, "b", type, 1, &a); // stays in floating point
    rl_graph_add_output(graph, a);
    rl_graph_add_output(graph, b);
    struct rl_annotation *annotation = annotate(RL_QUANTIZER_STOCK);
    for (int i = 0; i < annotation->observer_count; i++) {
        set_grid(&(struct rl_point){.observer = annotation->observers[i]}, (float)(i + 1), i);
    }
    assert_int_equal(rl_quantize_convert(&context, graph, annotation), RL_OK);
    static const enum rl_op_id expected[] = {
        RL_OP_qd_quantize_per_tensor, RL_OP_qd_dequantize_per_tensor, RL_OP_aten_softmax,
        RL_OP_qd_quantize_per_tensor, RL_OP_qd_dequantize_per_tensor, RL_OP_qd_dequantize_per_tensor,
        RL_OP_qd_quantize_per_tensor, RL_OP_qd_dequantize_per_tensor, RL_OP_aten_mean,
        RL_OP_qd_quantize_per_tensor, RL_OP_qd_dequantize_per_tensor,
    };
    assert_ops(expected, sizeof expected / sizeof expected[0]);
    const struct rl_node *last = graph->outputs[0]->producer;
    assert_float_equal(rl_node_number(last, "scale"), 3, 0);
    const struct rl_node *again = rl_node_tensor(last, "input")->producer;
    assert_int_equal(again->args[0].as.value->producer->op, RL_OP_qd_dequantize_per_tensor);
    assert_float_equal(rl_node_number(again->args[0].as.value->producer, "scale"), 2, 0);
}

// ---- calibration ----------------------------------------------------------------------------------

static enum rl_status calibrate(struct rl_annotation *annotation, const float *samples, int64_t count)
{
    const struct rl_tensor_type type = graph->inputs[0]->type;
    struct rl_dataset_input input = {"x", type, (const unsigned char *)samples, rl_tensor_bytes(&type), NULL};
    const struct rl_dataset dataset = {.sample_count = count, .input_count = 1, .inputs = &input};
    return rl_quantize_calibrate(&context, graph, &dataset, annotation, NULL);
}

// The graph `linear(x)` with float weights -1/8, 0, 1/8, 2/8, quantized on `count` samples of two numbers.
static enum rl_status calibrate_linear(const float *samples, int64_t count, struct rl_value **weight,
                                       struct rl_annotation **annotation)
{
    const struct rl_tensor_type type = matrix(1, 2);
    struct rl_value *x = rl_graph_add_input(graph, "x", &type);
    *weight = constant("weight", matrix(2, 2));
    rl_graph_add_output(graph, call(RL_OP_aten_linear, "a", type, 2, (struct rl_value *[]){x, *weight}));
    *annotation = annotate(RL_QUANTIZER_STOCK);
    return calibrate(*annotation, samples, count);
}

static void calibration_observes_every_sample(void **state)
{
    (void)state;
    struct rl_value *weight;
    struct rl_annotation *annotation;
    const float samples[] = {1, -3, 0.5f, 2, 0, 0};
    assert_int_equal(calibrate_linear(samples, 3, &weight, &annotation), RL_OK);
    const struct rl_observer *x = made(annotation, graph->inputs[0]);
    assert_float_equal(x->histogram->range.min, -3, 0);
    assert_float_equal(x->histogram->range.max, 2, 0);
    const struct rl_observer *y = made(annotation, graph->outputs[0]); // {-x0, x0 + 2 x1} / 8
    assert_float_equal(y->histogram->range.min, -0.625, 0);
    assert_float_equal(y->histogram->range.max, 0.5625, 0);
    assert_float_equal(used(annotation, weight, graph->outputs[0])->qparams.scale, 0.25f / 127.5f, 0);
}

// Scores x + mask of softmax(x + mask), the last one masked.
static const struct rl_observer *calibrate_mask(float masked, enum rl_quantizer quantizer)
{
    const struct rl_tensor_type type = matrix(1, 4);
    struct rl_value *x = rl_graph_add_input(graph, "x", &type);
    struct rl_value *mask = constant("mask", type);
    ((float *)mask->data)[3] = masked;
    struct rl_value *sum = call(RL_OP_aten_add, "sum", type, 2, (struct rl_value *[]){x, mask});
    struct rl_value *y = softmax(sum, "y", -1);
    rl_graph_add_output(graph, y);
    struct rl_annotation *annotation = annotate(quantizer);
    static const float sample[] = {-1, 0, 1, 2};
    assert_int_equal(calibrate(annotation, sample, 1), RL_OK);
    assert_ptr_equal(made(annotation, sum), used(annotation, sum, y));
    assert_int_equal(made(annotation, y)->spec, RL_SPEC_SOFTMAX);
    return made(annotation, sum);
}

static void masked_scores_stay_in_floating_point(void **state)
{
    const float masks[] = {-INFINITY, -1e4f, -FLT_MAX, -8};
    for (size_t i = 0; i < 2 * sizeof masks / sizeof masks[0]; i++) {
        const enum rl_quantizer quantizer = i % 2 == 1 ? RL_QUANTIZER_BEST : RL_QUANTIZER_STOCK;
        const bool given_up = quantizer == RL_QUANTIZER_BEST && masks[i / 2] < -1000;
        assert_int_equal(!calibrate_mask(masks[i / 2], quantizer), given_up);
        drop_graph(state);
        start_graph(state);
    }
}

static void removed_identities_are_weighed(void **state)
{
    (void)state;
    const struct rl_tensor_type type = matrix(1, 4);
    struct rl_value *x = rl_graph_add_input(graph, "x", &type);
    struct rl_value *a = unary(RL_OP_aten_relu, "a", x);
    struct rl_value *b = unary(RL_OP_aten_alias, "b", unary(RL_OP_aten_detach, "c", a));
    rl_graph_add_output(graph, view(b, "d", matrix(2, 2)));
    struct rl_pass pass = {.context = &context, .graph = graph};
    assert_int_equal(rl_pass_remove_identity(&pass), RL_OK);
    assert_int_equal(a->echoes, 2);
    struct rl_annotation *annotation = annotate(RL_QUANTIZER_STOCK);
    const float sample[] = {1, 2, 3, 4};
    assert_int_equal(calibrate(annotation, sample, 1), RL_OK);
    float total = 0;
    for (int i = 0; i < RL_HISTOGRAM_BINS; i++) {
        total += made(annotation, a)->histogram->counts[i];
    }
    assert_float_equal(total, 4 * 5, 0); // input, relu, detach, alias and view share one observer
}

static void calibration_refuses_broken_data(void **state)
{
    (void)state;
    struct rl_value *weight;
    struct rl_annotation *annotation;
    const float samples[] = {1, 2, NAN, 0};
    assert_int_equal(calibrate_linear(samples, 0, &weight, &annotation), RL_ERROR_ARGUMENT);
    assert_non_null(strstr(context.message, "no samples"));
    drop_graph(state);
    start_graph(state);
    assert_int_equal(calibrate_linear(samples, 2, &weight, &annotation), RL_ERROR_ARGUMENT);
    assert_non_null(strstr(context.message, "value 'x'"));
    assert_non_null(strstr(context.message, "sample 1"));
    drop_graph(state);
    start_graph(state);
    const float huge[] = {-3e38f, 3e38f};
    assert_int_equal(calibrate_linear(huge, 1, &weight, &annotation), RL_ERROR_ARGUMENT);
    assert_non_null(strstr(context.message, "no int8 scale"));
}

static void calibration_refuses_broken_weights(void **state)
{
    (void)state;
    const struct rl_tensor_type type = matrix(1, 2);
    struct rl_value *x = rl_graph_add_input(graph, "x", &type);
    const float broken[] = {1, NAN, 0, 0};
    const struct rl_tensor_type weight_type = matrix(2, 2);
    struct rl_value *weight = rl_graph_add_constant(graph, "weight", &weight_type, broken);
    rl_graph_add_output(graph, call(RL_OP_aten_linear, "a", type, 2, (struct rl_value *[]){x, weight}));
    struct rl_annotation *annotation = annotate(RL_QUANTIZER_STOCK);
    assert_int_equal(calibrate(annotation, broken, 1), RL_ERROR_FORMAT);
    assert_non_null(strstr(context.message, "constant 'weight' holds a NaN"));
}

#define WITH_GRAPH(test) cmocka_unit_test_setup_teardown(test, start_graph, drop_graph)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_GRAPH(activation_fuses_and_data_movement_shares),
        WITH_GRAPH(activation_of_two_users_does_not_fuse),
        WITH_GRAPH(stock_leaves_contiguous_convolutions),
        WITH_GRAPH(refused_nodes_say_why),
        WITH_GRAPH(softmax_is_requantized_for_another_grid),
        WITH_GRAPH(conversion_leaves_a_pair_at_each_point),
        WITH_GRAPH(channels_become_constants_beside_the_weight),
        WITH_GRAPH(uses_with_another_grid_are_quantized_again),
        WITH_GRAPH(calibration_observes_every_sample),
        WITH_GRAPH(masked_scores_stay_in_floating_point),
        WITH_GRAPH(removed_identities_are_weighed),
        WITH_GRAPH(calibration_refuses_broken_data),
        WITH_GRAPH(calibration_refuses_broken_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
