// SPDX-License-Identifier: Apache-2.0
//
// Which results of a network the best quantizer makes int16, on graphs in text form.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/text.h"
#include "compiler/quantize/annotation.h"

struct quantized {
    struct rl_context context;
    struct rl_arena arena;
    struct rl_graph *graph;
    struct rl_annotation *annotation;
};

static void annotate(struct quantized *q, const char *model)
{
    const struct rl_quantize_options options = {.quantizer = RL_QUANTIZER_BEST};
    *q = (struct quantized){0};
    assert_int_equal(rl_graph_parse(&q->context, &q->arena, model, "test", &q->graph), RL_OK);
    q->annotation = rl_quantize_annotate(q->graph, &options);
}

// Where a value is made, or where a node uses it first.
static const struct rl_point *point_of(const struct quantized *q, enum rl_point_kind kind, const char *value)
{
    for (int i = 0; i < q->annotation->point_count; i++) {
        const struct rl_point *point = &q->annotation->points[i];
        if (point->kind == kind && strcmp(point->value->name, value) == 0) {
            return point;
        }
    }
    fail_msg("no value %s", value);
    return NULL;
}

static enum rl_scalar_type type_of(const struct quantized *q, enum rl_point_kind kind, const char *value)
{
    const struct rl_observer *observer = point_of(q, kind, value)->observer;
    return observer ? rl_observer_dtype(observer) : RL_FLOAT32;
}

// The type of the results of a convolution with these weights and arguments, which the caller gets as `output`.
static enum rl_scalar_type type_of_last(const char *weights, const char *more, const char *sizes, const char *users)
{
    char model[1024];
    struct quantized q;
    snprintf(model, sizeof model,
             "graph g\n"
             "input %%x : f32[1,4,6,6]\n"
             "constant %%w : f32[%s] = fill(0.5)\n"
             "%%y = aten::conv2d.default(input=%%x, weight=%%w, bias=None%s) : f32[1,2,%s]\n%s",
             weights, more, sizes, users);
    annotate(&q, model);
    const enum rl_scalar_type dtype = type_of(&q, RL_POINT_MADE, "y");
    assert_int_equal(point_of(&q, RL_POINT_USED, "w")->spec, RL_SPEC_CHANNEL_WEIGHT);
    rl_arena_free(&q.arena);
    return dtype;
}

// There is no kernel for groups, and what another layer reads stays int8.
static void last_convolutions_have_int16_results(void **state)
{
    static const char given[] = "output %y\n";
    static const char permuted[] = "%z = aten::permute_copy.default(self=%y, dims=[0, 2, 3, 1]) : f32[1,6,6,2]\n"
                                   "output %z\n";
    static const char read[] = "%z = aten::tanh.default(self=%y) : f32[1,2,6,6]\n"
                               "%s = aten::mul.Tensor(self=%z, other=%y) : f32[1,2,6,6]\noutput %y\noutput %s\n";
    (void)state;
    assert_int_equal(type_of_last("2,4,1,1", "", "6,6", given), RL_INT16);
    assert_int_equal(type_of_last("2,4,1,1", "", "6,6", permuted), RL_INT16);
    assert_int_equal(type_of_last("2,4,1,1", "", "6,6", read), RL_INT8);
    assert_int_equal(type_of_last("2,4,3,3", ", padding=[1, 1]", "6,6", given), RL_INT16);
    assert_int_equal(type_of_last("2,4,3,3", ", padding=[1, 1]", "6,6", read), RL_INT8);
    assert_int_equal(type_of_last("2,4,1,1", ", stride=[2, 2]", "3,3", given), RL_INT16);
    assert_int_equal(type_of_last("2,4,5,2", ", padding=[4, 2], dilation=[2, 2]", "6,8", given), RL_INT16);
    assert_int_equal(type_of_last("2,2,1,1", ", groups=2", "6,6", given), RL_INT8);
}

// A pool at the end is int16 with the convolution in front of it, whose grid it has, also behind a relu. A product,
// which has no int16 results, keeps both int8, and so does what else reads the convolution.
static void last_pools_have_int16_results(void **state)
{
    static const char format[] = "graph g\n"
                                 "input %%x : f32[1,4,6,6]\n"
                                 "constant %%w : f32[2,4,1,1] = fill(0.5)\n"
                                 "%%conv = aten::conv2d.default(input=%%x, weight=%%w, bias=None) : f32[1,2,6,6]\n"
                                 "%s\n%s\noutput %%z\n";
    static const char relu[] = "%y = aten::relu.default(self=%conv) : f32[1,2,6,6]";
    static const char product[] = "%y = aten::mul.Tensor(self=%conv, other=%conv) : f32[1,2,6,6]";
    static const char average[] = "%z = aten::avg_pool2d.default(self=%y, kernel_size=[6, 6]) : f32[1,2,1,1]";
    static const char largest[] = "%z = aten::max_pool2d.default(self=%y, kernel_size=[6, 6]) : f32[1,2,1,1]";
    static const char divided[] =
        "%z = aten::avg_pool2d.default(self=%y, kernel_size=[6, 6], divisor_override=2) : f32[1,2,1,1]";
    static const char both[] = "%z = aten::avg_pool2d.default(self=%y, kernel_size=[6, 6]) : f32[1,2,1,1]\n"
                               "%s = aten::mul.Tensor(self=%y, other=%y) : f32[1,2,6,6]\noutput %s";
    static const struct {
        const char *before, *pool;
        enum rl_scalar_type type;
    } cases[] = {{relu, average, RL_INT16},
                 {relu, largest, RL_INT16},
                 {relu, divided, RL_INT8},
                 {product, average, RL_INT8},
                 {relu, both, RL_INT8}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char model[1024];
        struct quantized q;
        snprintf(model, sizeof model, format, cases[i].before, cases[i].pool);
        annotate(&q, model);
        assert_int_equal(type_of(&q, RL_POINT_MADE, "y"), cases[i].type);
        assert_int_equal(type_of(&q, RL_POINT_USED, "y"), cases[i].type);
        assert_int_equal(type_of(&q, RL_POINT_MADE, "z"), cases[i].type);
        rl_arena_free(&q.arena);
    }
}

// Probabilities of classes are int16 whatever their number, those of the places of a map if they are few.
static void last_probabilities_have_int16_results(void **state)
{
    static const struct {
        int dim, size;
        const char *op;
        enum rl_scalar_type layer;
    } cases[] = {{1, 16, "_softmax", RL_INT16},     {1, 17, "_softmax", RL_INT8},     {3, 33, "_softmax", RL_INT16},
                 {1, 16, "_log_softmax", RL_INT16}, {1, 17, "_log_softmax", RL_INT8}, {3, 32, "_log_softmax", RL_INT16},
                 {3, 33, "_log_softmax", RL_INT8}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char model[1024];
        struct quantized q;
        const int size = cases[i].size;
        snprintf(model, sizeof model,
                 "graph g\n"
                 "input %%x : f32[1,4,%d,%d]\n"
                 "constant %%w : f32[2,4,1,1] = fill(0.5)\n"
                 "%%y = aten::conv2d.default(input=%%x, weight=%%w, bias=None) : f32[1,2,%d,%d]\n"
                 "%%p = aten::%s.default(self=%%y, dim=%d, half_to_float=False) : f32[1,2,%d,%d]\noutput %%p\n",
                 size, size, size, size, cases[i].op, cases[i].dim, size, size);
        annotate(&q, model);
        assert_int_equal(type_of(&q, RL_POINT_MADE, "y"), cases[i].layer);
        assert_int_equal(type_of(&q, RL_POINT_MADE, "p"), cases[i].layer);
        rl_arena_free(&q.arena);
    }
}

// A sum at the end is int16 if a layer makes an operand. Each operand has a grid of its own.
static void last_sums_have_int16_results(void **state)
{
    static const char format[] = "graph g\n"
                                 "input %%x : f32[1,2,6,6]\n"
                                 "constant %%w : f32[2,2,1,1] = fill(0.5)\n"
                                 "%%conv = aten::conv2d.default(input=%%x, weight=%%w, bias=None) : f32[1,2,6,6]\n"
                                 "%%wave = aten::tanh.default(self=%%conv) : f32[1,2,6,6]\n"
                                 "%%y = aten::%s.Tensor(self=%%x, other=%%%s) : f32[1,2,6,6]\n%soutput %%y\n";
    static const char read[] = "%z = aten::conv2d.default(input=%y, weight=%w, bias=None) : f32[1,2,6,6]\noutput %z\n";
    static const struct {
        const char *op, *other, *more;
        enum rl_scalar_type sum, layer;
    } cases[] = {{"add", "conv", "", RL_INT16, RL_INT8}, // tanh reads the layer, too
                 {"sub", "conv", "", RL_INT16, RL_INT8},
                 {"add", "wave", "", RL_INT8, RL_INT8},
                 {"mul", "conv", "", RL_INT8, RL_INT8},
                 {"add", "conv", read, RL_INT8, RL_INT8}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char model[1024];
        struct quantized q;
        snprintf(model, sizeof model, format, cases[i].op, cases[i].other, cases[i].more);
        annotate(&q, model);
        assert_int_equal(type_of(&q, RL_POINT_MADE, "y"), cases[i].sum);
        assert_int_equal(type_of(&q, RL_POINT_MADE, "conv"), cases[i].layer);
        assert_int_equal(type_of(&q, RL_POINT_MADE, "x"), RL_INT8);
        rl_arena_free(&q.arena);
    }
}

static void layers_in_front_of_sums_have_int16_results(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[1,4]\n"
                                "constant %w : f32[4,4] = fill(0.5)\n"
                                "%first = aten::linear.default(input=%x, weight=%w, bias=None) : f32[1,4]\n"
                                "%last = aten::linear.default(input=%first, weight=%w, bias=None) : f32[1,4]\n"
                                "%moved = aten::view_copy.default(self=%last, size=[1, 4]) : f32[1,4]\n"
                                "%sum = aten::add.Tensor(self=%moved, other=%first) : f32[1,4]\n"
                                "%z = aten::relu.default(self=%sum) : f32[1,4]\n"
                                "output %z\n";
    struct quantized q;
    (void)state;
    annotate(&q, model);
    assert_int_equal(type_of(&q, RL_POINT_MADE, "first"), RL_INT8); // the last layer reads it
    assert_int_equal(type_of(&q, RL_POINT_MADE, "last"), RL_INT16);
    assert_int_equal(type_of(&q, RL_POINT_USED, "moved"), RL_INT16);
    assert_int_equal(type_of(&q, RL_POINT_MADE, "z"), RL_INT16);
    rl_arena_free(&q.arena);
}

// Results of several layers side by side, as detectors have them, are int16 on one grid. If one part is not a layer's,
// or something else reads it, all are int8, and so are those of which a softmax makes many probabilities.
static void last_concatenations_have_int16_results(void **state)
{
    static const char format[] = "graph g\n"
                                 "input %%x : f32[1,4]\n"
                                 "constant %%w : f32[4,4] = fill(0.5)\n"
                                 "%%a = aten::linear.default(input=%%x, weight=%%w, bias=None) : f32[1,4]\n"
                                 "%%row = aten::view_copy.default(self=%%a, size=[1, 4]) : f32[1,4]\n"
                                 "%%b = aten::linear.default(input=%%x, weight=%%w, bias=None) : f32[1,4]\n"
                                 "%%c = aten::mul.Tensor(self=%%x, other=%%x) : f32[1,4]\n"
                                 "%%y = aten::cat.default(tensors=[%%row, %%%s], dim=1) : f32[1,8]\n%soutput %%y\n";
    static const char read[] = "%z = aten::mul.Tensor(self=%b, other=%x) : f32[1,4]\noutput %z\n";
    static const char behind[] = "%z = aten::mul.Tensor(self=%y, other=%y) : f32[1,8]\noutput %z\n";
    static const char few[] =
        "%p = aten::_softmax.default(self=%y, dim=1, half_to_float=False) : f32[1,8]\noutput %p\n";
    static const struct {
        const char *second, *more;
        enum rl_scalar_type type;
    } cases[] = {
        {"b", "", RL_INT16}, {"b", few, RL_INT16}, {"c", "", RL_INT8}, {"b", read, RL_INT8}, {"b", behind, RL_INT8}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char model[1024];
        struct quantized q;
        snprintf(model, sizeof model, format, cases[i].second, cases[i].more);
        annotate(&q, model);
        assert_int_equal(type_of(&q, RL_POINT_MADE, "y"), cases[i].type);
        assert_int_equal(type_of(&q, RL_POINT_MADE, cases[i].second), cases[i].type);
        assert_int_equal(type_of(&q, RL_POINT_MADE, "a"), cases[i].type);
        assert_ptr_equal(point_of(&q, RL_POINT_MADE, "a")->observer, point_of(&q, RL_POINT_MADE, "y")->observer);
        rl_arena_free(&q.arena);
    }
}

static void many_probabilities_of_concatenations_are_int8(void **state)
{
    static const char format[] = "graph g\n"
                                 "input %%x : f32[%d,4]\n"
                                 "constant %%w : f32[4,4] = fill(0.5)\n"
                                 "%%a = aten::linear.default(input=%%x, weight=%%w, bias=None) : f32[%d,4]\n"
                                 "%%b = aten::linear.default(input=%%x, weight=%%w, bias=None) : f32[%d,4]\n"
                                 "%%y = aten::cat.default(tensors=[%%a, %%b], dim=0) : f32[%d,4]\n"
                                 "%%p = aten::_softmax.default(self=%%y, dim=1, half_to_float=False) : f32[%d,4]\n"
                                 "output %%p\n";
    (void)state;
    for (int rows = 64; rows <= 65; rows++) {
        char model[1024];
        struct quantized q;
        snprintf(model, sizeof model, format, rows, rows, rows, 2 * rows, 2 * rows);
        annotate(&q, model);
        assert_int_equal(type_of(&q, RL_POINT_MADE, "a"), rows == 64 ? RL_INT16 : RL_INT8);
        assert_int_equal(type_of(&q, RL_POINT_MADE, "p"), rows == 64 ? RL_INT16 : RL_INT8);
        rl_arena_free(&q.arena);
    }
}

// A function that only the caller gets is int16, and so is the layer in front of it, unless something else reads that.
static void last_functions_have_int16_results(void **state)
{
    static const char model[] = "graph g\n"
                                "input %x : f32[1,4]\n"
                                "constant %w : f32[2,4] = fill(0.5)\n"
                                "constant %half : f32[1] = [0.5]\n"
                                "%scores = aten::linear.default(input=%x, weight=%w, bias=None) : f32[1,2]\n"
                                "%scaled = aten::mul.Tensor(self=%scores, other=%half) : f32[1,2]\n"
                                "%chances = aten::sigmoid.default(self=%scaled) : f32[1,2]\n"
                                "%read = aten::linear.default(input=%x, weight=%w, bias=None) : f32[1,2]\n"
                                "%more = aten::tanh.default(self=%read) : f32[1,2]\n"
                                "%sum = aten::add.Tensor(self=%read, other=%read) : f32[1,2]\n"
                                "%inner = aten::tanh.default(self=%sum) : f32[1,2]\n"
                                "%gate = aten::mul.Tensor(self=%inner, other=%sum) : f32[1,2]\n"
                                "output %chances\noutput %more\noutput %gate\n";
    struct quantized q;
    (void)state;
    annotate(&q, model);
    assert_int_equal(type_of(&q, RL_POINT_MADE, "scores"), RL_FLOAT32); // the factor is part of the layer
    assert_int_equal(type_of(&q, RL_POINT_MADE, "scaled"), RL_INT16);
    assert_int_equal(type_of(&q, RL_POINT_USED, "scaled"), RL_INT16);
    assert_int_equal(type_of(&q, RL_POINT_MADE, "chances"), RL_INT16);
    assert_int_equal(type_of(&q, RL_POINT_MADE, "read"), RL_INT8); // the sum reads it, too
    assert_int_equal(type_of(&q, RL_POINT_MADE, "more"), RL_INT16);
    assert_int_equal(type_of(&q, RL_POINT_MADE, "inner"), RL_INT8); // the product reads it
    assert_int_equal(type_of(&q, RL_POINT_MADE, "gate"), RL_INT8);
    rl_arena_free(&q.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_convolutions_have_int16_results),
        cmocka_unit_test(last_pools_have_int16_results),
        cmocka_unit_test(last_probabilities_have_int16_results),
        cmocka_unit_test(last_sums_have_int16_results),
        cmocka_unit_test(layers_in_front_of_sums_have_int16_results),
        cmocka_unit_test(last_concatenations_have_int16_results),
        cmocka_unit_test(many_probabilities_of_concatenations_are_int8),
        cmocka_unit_test(last_functions_have_int16_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
