// SPDX-License-Identifier: Apache-2.0
//
// Channels between a convolution and its PReLU get about equal ranges, and what the PReLU makes of them stays.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/text.h"
#include "compiler/quantize/even_channels.h"

enum { PLACES = 4 };

static const float sample[PLACES] = {-1.0f, -0.5f, 0.5f, 1.0f};

#define CONVOLUTION "stride=[1, 1], padding=[0, 0], dilation=[1, 1], groups=1) : f32[1,3,1,4]\n"
#define WEIGHTS                                                                                                        \
    "constant %w : f32[3,1,1,1] = [64, 4, 1]\n"                                                                        \
    "constant %b : f32[3] = [0, 0, 0]\n"                                                                               \
    "constant %p : f32[3] = [1, 1, 1]\n"                                                                               \
    "constant %n : f32[1] = [0.25]\n"

struct even {
    struct rl_context context;
    struct rl_arena arena;
    struct rl_graph *graph;
};

static void run(struct even *e, const char *model, int64_t samples)
{
    *e = (struct even){0};
    assert_int_equal(rl_graph_parse(&e->context, &e->arena, model, "test", &e->graph), RL_OK);
    struct rl_dataset_input input = {e->graph->inputs[0]->name, e->graph->inputs[0]->type,
                                     (const unsigned char *)sample, sizeof sample, NULL};
    const struct rl_dataset dataset = {.sample_count = samples, .input_count = 1, .inputs = &input};
    assert_int_equal(rl_quantize_even_channels(&e->context, e->graph, &dataset), RL_OK);
    assert_int_equal(rl_graph_verify(&e->context, e->graph, "even_channels"), RL_OK);
}

static const struct rl_node *find(const struct even *e, enum rl_op_id op)
{
    const struct rl_node *node = e->graph->first;
    while (node && node->op != op) {
        node = node->next;
    }
    assert_non_null(node);
    return node;
}

static void expect(const struct rl_node *node, const char *name, const float *expected, int64_t count)
{
    const struct rl_value *value = rl_node_tensor(node, name);
    assert_int_equal(rl_tensor_numel(&value->type), count);
    for (int64_t i = 0; i < count; i++) {
        assert_float_equal(((const float *)value->data)[i], expected[i], 1e-6f);
    }
}

// Divisors are 1.7 times the share of the widest channel's range, at most 1 and at least 1/32.
static void channels_become_alike(void **state)
{
    static const float weights[] = {64.0f, 37.647059f, 32.0f}, biases[] = {0.0f, 0.0f, 0.0f};
    static const float positive[] = {1.0f, 0.10625f, 0.03125f}, negative[] = {0.25f, 0.0265625f, 0.0078125f};
    static const char model[] =
        "graph g\n"
        "input %x : f32[1,1,1,4]\n" WEIGHTS "%a = aten::conv2d.default(input=%x, weight=%w, bias=%b, " CONVOLUTION
        "%s = aten::view_copy.default(self=%a, size=[1, 3, 4]) : f32[1,3,4]\n"
        "%r = rushlight::prelu.default(self=%s, positive=%p, negative=%n) : f32[1,3,4]\n"
        "output %r\n";
    struct even e;
    (void)state;
    run(&e, model, 1);
    const struct rl_node *layer = find(&e, RL_OP_aten_conv2d), *prelu = find(&e, RL_OP_rl_prelu);
    expect(layer, "weight", weights, 3);
    expect(layer, "bias", biases, 3);
    expect(prelu, "positive", positive, 3);
    expect(prelu, "negative", negative, 3);
    // Other values than the model's have other names.
    assert_string_equal(layer->results[0]->name, "a_even");
    assert_string_equal(rl_node_tensor(prelu, "self")->name, "s_even");
    assert_string_equal(prelu->results[0]->name, "r");
    rl_arena_free(&e.arena);
}

// Weights of transposed convolutions have their outputs in dimension 1. The bias moves the ranges of single channels
// to one side: channel 0 reaches from 0 to 2.
static void transposed_convolutions_are_alike(void **state)
{
    static const float weights[] = {1.0f, 0.14705882f}, biases[] = {1.0f, 0.0f};
    static const float positive[] = {1.0f, 0.425f}, negative[] = {0.5f, 0.2125f};
    static const char model[] = "graph g\n"
                                "input %x : f32[1,1,1,4]\n"
                                "constant %w : f32[1,2,1,1] = [1, 0.0625]\n"
                                "constant %b : f32[2] = [1, 0]\n"
                                "constant %p : f32[2] = [1, 1]\n"
                                "constant %n : f32[2] = [0.5, 0.5]\n"
                                "%a = aten::conv_transpose2d.input(input=%x, weight=%w, bias=%b, stride=[1, 1], "
                                "padding=[0, 0], output_padding=[0, 0], groups=1, dilation=[1, 1]) : f32[1,2,1,4]\n"
                                "%r = rushlight::prelu.default(self=%a, positive=%p, negative=%n) : f32[1,2,1,4]\n"
                                "output %r\n";
    struct even e;
    (void)state;
    run(&e, model, 1);
    const struct rl_node *layer = find(&e, RL_OP_aten_conv_transpose2d_input), *prelu = find(&e, RL_OP_rl_prelu);
    expect(layer, "weight", weights, 2);
    expect(layer, "bias", biases, 2);
    expect(prelu, "positive", positive, 2);
    expect(prelu, "negative", negative, 2);
    rl_arena_free(&e.arena);
}

static void expect_unchanged(const char *model, int64_t samples)
{
    struct even e;
    run(&e, model, samples);
    assert_string_equal(find(&e, RL_OP_aten_conv2d)->results[0]->name, "a");
    assert_string_equal(rl_node_tensor(find(&e, RL_OP_aten_conv2d), "weight")->name, "w");
    rl_arena_free(&e.arena);
}

// Another use of the value, channels that are alike or all zero, and no samples.
static void others_stay(void **state)
{
    static const char used[] =
        "graph g\n"
        "input %x : f32[1,1,1,4]\n" WEIGHTS "%a = aten::conv2d.default(input=%x, weight=%w, bias=%b, " CONVOLUTION
        "%r = rushlight::prelu.default(self=%a, positive=%p, negative=%n) : f32[1,3,1,4]\n"
        "output %r\noutput %a\n";
    static const char alike[] = "graph g\n"
                                "input %x : f32[1,1,1,4]\n"
                                "constant %w : f32[3,1,1,1] = [1, -1.05, 0.95]\n"
                                "constant %p : f32[3] = [1, 1, 1]\n"
                                "constant %n : f32[1] = [0.25]\n"
                                "%a = aten::conv2d.default(input=%x, weight=%w, bias=None, " CONVOLUTION
                                "%r = rushlight::prelu.default(self=%a, positive=%p, negative=%n) : f32[1,3,1,4]\n"
                                "output %r\n";
    static const char nothing[] = "graph g\n"
                                  "input %x : f32[1,1,1,4]\n"
                                  "constant %w : f32[3,1,1,1] = [0, 0, 0]\n"
                                  "constant %p : f32[3] = [1, 1, 1]\n"
                                  "constant %n : f32[1] = [0.25]\n"
                                  "%a = aten::conv2d.default(input=%x, weight=%w, bias=None, " CONVOLUTION
                                  "%r = rushlight::prelu.default(self=%a, positive=%p, negative=%n) : f32[1,3,1,4]\n"
                                  "output %r\n";
    static const char plain[] =
        "graph g\n"
        "input %x : f32[1,1,1,4]\n" WEIGHTS "%a = aten::conv2d.default(input=%x, weight=%w, bias=%b, " CONVOLUTION
        "%r = rushlight::prelu.default(self=%a, positive=%p, negative=%n) : f32[1,3,1,4]\n"
        "output %r\n";
    (void)state;
    expect_unchanged(used, 1);
    expect_unchanged(alike, 1);
    expect_unchanged(nothing, 1);
    expect_unchanged(plain, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_become_alike),
        cmocka_unit_test(transposed_convolutions_are_alike),
        cmocka_unit_test(others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
