// SPDX-License-Identifier: Apache-2.0
//
// Samples that go through a graph together see what each sees alone, and a graph whose weights were borrowed is as it
// was before.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/graph_runner.h"

enum { SIDE = 16, LAYERS = 5, MOST_SAMPLES = 128, WORKERS = 2 };

static struct rl_context context = {.threads = WORKERS};
static struct rl_arena arena, run_arena;
static struct rl_graph *graph;
static const void **samples_of_all;

static int start(void **state)
{
    (void)state;
    graph = rl_graph_new(&arena, "test", "test.pt2");
    return 0;
}

static int drop(void **state)
{
    (void)state;
    rl_arena_free(&run_arena);
    rl_arena_free(&arena);
    return 0;
}

// Numbers from -1 to 1.
static const float *numbers(int64_t count, uint32_t seed)
{
    float *data = rl_arena_array(&arena, (size_t)count, sizeof *data);
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (float)(int32_t)seed / 2147483648.0f;
    }
    return data;
}

static struct rl_tensor_type images(int64_t batch, int64_t channels, int64_t side)
{
    return rl_tensor_type_make(RL_FLOAT32, 4, (const int64_t[]){batch, channels, side, side});
}

static struct rl_value *add_convolution(struct rl_value *input, int64_t channels, uint32_t seed)
{
    const int64_t depth = input->type.sizes[1], ones[2] = {1, 1};
    const struct rl_tensor_type weight = images(channels, depth, 3), result = images(1, channels, SIDE);
    struct rl_node *node = rl_graph_insert(graph, NULL, RL_OP_aten_conv2d, "conv", NULL, 1, &result);
    *rl_node_arg(node, "input") = rl_arg_value(input);
    *rl_node_arg(node, "weight") =
        rl_arg_value(rl_graph_add_constant(graph, "weight", &weight, numbers(rl_tensor_numel(&weight), seed)));
    *rl_node_arg(node, "stride") = rl_arg_ints(&arena, ones, 2);
    *rl_node_arg(node, "padding") = rl_arg_ints(&arena, ones, 2);
    *rl_node_arg(node, "dilation") = rl_arg_ints(&arena, ones, 2);
    *rl_node_arg(node, "groups") = rl_arg_int(1);
    return node->results[0];
}

static struct rl_value *add_relu(struct rl_value *input)
{
    struct rl_node *node = rl_graph_insert(graph, NULL, RL_OP_aten_relu, "relu", NULL, 1, &input->type);
    node->args[0] = rl_arg_value(input);
    return node->results[0];
}

// Convolutions, three of them wide, with a sum around the last one, so that a value lives across a stop.
static void build(int64_t widest)
{
    const struct rl_tensor_type type = images(1, 2, SIDE);
    struct rl_value *wide = rl_graph_add_input(graph, "x", &type);
    for (uint32_t i = 0; i < 3; i++) {
        wide = add_relu(add_convolution(wide, widest, 1 + i));
    }
    struct rl_value *narrow = add_relu(add_convolution(wide, 4, 4));
    struct rl_value *last = add_convolution(narrow, 4, 5);
    struct rl_node *sum = rl_graph_insert(graph, NULL, RL_OP_aten_add, "add", NULL, 1, &last->type);
    *rl_node_arg(sum, "self") = rl_arg_value(narrow);
    *rl_node_arg(sum, "other") = rl_arg_value(last);
    *rl_node_arg(sum, "alpha") = rl_arg_int(1);
    rl_graph_add_output(graph, sum->results[0]);
    assert_int_equal(rl_graph_verify(&context, graph, "the test"), RL_OK);
}

// ---- what is seen

// A sum over the elements of each layer's result, of each sample; how often it was asked for.
struct seen {
    double sums[LAYERS][MOST_SAMPLES];
    int decisions, layer;
    int64_t sample;
};

static int layer_of(const struct rl_value *value)
{
    static const char *const names[LAYERS] = {"conv", "conv_1", "conv_2", "conv_3", "conv_4"};
    for (int i = 0; i < LAYERS; i++) {
        if (strcmp(value->name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static double sum_of(const struct rl_value *value, const float *data)
{
    double sum = 0;
    for (int64_t i = 0; i < rl_tensor_numel(&value->type); i++) {
        sum += (double)data[i] * (double)(i % 7 + 1);
    }
    return sum;
}

static void change(void *user, const struct rl_value *value, void *data)
{
    (void)user;
    float *elements = data;
    for (int64_t i = 0; i < rl_tensor_numel(&value->type); i++) {
        elements[i] += 0.1f;
    }
}

static void see_alone(void *user, const struct rl_value *value, void *data)
{
    struct seen *seen = user;
    const int layer = layer_of(value);
    if (layer >= 0) {
        seen->sums[layer][seen->sample] = sum_of(value, data);
        change(NULL, value, data);
    }
}

// Inputs live until the worker asks again.
static enum rl_status give(void *user, struct rl_context *its_context, int worker, int64_t sample,
                           const void *const **inputs)
{
    static const void *lists[WORKERS][1];
    (void)user, (void)its_context;
    assert_true(worker >= 0 && worker < WORKERS);
    lists[worker][0] = samples_of_all[sample];
    *inputs = lists[worker];
    return RL_OK;
}

static bool stops_at(void *user, const struct rl_value *value)
{
    (void)user;
    return layer_of(value) >= 0;
}

static void see(void *user, int64_t sample, const struct rl_value *value, const void *data)
{
    struct seen *seen = user;
    seen->sums[layer_of(value)][sample] = sum_of(value, data);
}

// Every sample has been seen, and none at the next stop.
static void decide(void *user, const struct rl_value *value)
{
    struct seen *seen = user;
    assert_int_equal(layer_of(value), seen->decisions++);
}

static void compare(int64_t widest, int64_t samples)
{
    struct seen *alone = rl_arena_alloc(&arena, sizeof *alone), *together = rl_arena_alloc(&arena, sizeof *together);
    struct rl_graph_runner *runner;
    samples_of_all = rl_arena_array(&arena, (size_t)samples, sizeof *samples_of_all);
    build(widest);
    assert_int_equal(rl_graph_runner_new(&context, &run_arena, graph, &runner), RL_OK);
    for (int64_t i = 0; i < samples; i++) {
        const void **list = rl_arena_array(&arena, 1, sizeof *list);
        list[0] = numbers((int64_t)2 * SIDE * SIDE, 100 + (uint32_t)i);
        samples_of_all[i] = list[0];
        alone->sample = i;
        assert_int_equal(rl_graph_runner_run(&context, runner, list, see_alone, alone), RL_OK);
    }
    const struct rl_graph_watcher watcher = {together, give, stops_at, see, decide, change};
    assert_int_equal(rl_graph_runner_new(&context, &run_arena, graph, &runner), RL_OK);
    assert_int_equal(rl_graph_runner_run_together(&context, &run_arena, runner, samples, &watcher), RL_OK);
    assert_int_equal(together->decisions, LAYERS);
    assert_memory_equal(together->sums, alone->sums, sizeof alone->sums);
}

static void few_samples_see_the_same(void **state)
{
    (void)state;
    compare(8, 3);
}

// Results of the wide layers take more than 4 MB in all. Samples go on from before one or two of them, and pass stops
// again.
static void many_samples_see_the_same(void **state)
{
    (void)state;
    compare(40, MOST_SAMPLES);
}

// ---- runs in two halves

// What the last layers' observer keeps.
static size_t keeps(void *user, const struct rl_value *value)
{
    return layer_of(value) >= 3 ? *(const size_t *)user : 0;
}

// All samples go up to the cut on one runner, and on from there on another one with less memory, in another order.
static void halves_see_the_same(void **state)
{
    enum { SAMPLES = 3, WIDEST = 400 };
    struct seen *alone = rl_arena_alloc(&arena, sizeof *alone), *halves = rl_arena_alloc(&arena, sizeof *halves);
    struct rl_graph_runner *runner, *again;
    uint8_t *images[SAMPLES];
    size_t much = (size_t)1 << 22, little = 100;
    (void)state;
    build(WIDEST);
    assert_int_equal(rl_graph_runner_new(&context, &run_arena, graph, &runner), RL_OK);
    assert_int_equal(rl_graph_runner_again(&context, &run_arena, runner, &again), RL_OK);
    assert_int_equal(rl_graph_runner_find_cut(runner, SAMPLES, WORKERS, keeps, &little), 0);
    const int cut = rl_graph_runner_find_cut(runner, SAMPLES, WORKERS, keeps, &much);
    assert_true(cut > 0);
    const size_t image = rl_graph_runner_image_bytes(runner, cut), planned = rl_graph_runner_bytes(again);
    assert_true(image > 0 && image < planned / 4);
    for (int i = 0; i < SAMPLES; i++) {
        const void *list[1] = {numbers((int64_t)2 * SIDE * SIDE, 100 + (uint32_t)i)};
        images[i] = rl_arena_alloc(&arena, image);
        alone->sample = halves->sample = i;
        assert_int_equal(rl_graph_runner_run(&context, runner, list, see_alone, alone), RL_OK);
        assert_int_equal(rl_graph_runner_run_until(&context, runner, list, see_alone, halves, cut, images[i]), RL_OK);
    }
    rl_graph_runner_shrink(again, &run_arena, cut);
    assert_true(rl_graph_runner_bytes(again) < planned / 2);
    for (int i = SAMPLES - 1; i >= 0; i--) {
        halves->sample = i;
        assert_int_equal(rl_graph_runner_run_from(&context, again, see_alone, halves, cut, images[i]), RL_OK);
    }
    assert_memory_equal(halves->sums, alone->sums, sizeof alone->sums);
}

// ---- borrowed weights

// A runner that has borrowed the weights, and gives the same as one that has its own.
static struct rl_graph_runner *borrow_and_compare(void)
{
    struct rl_graph_runner *own, *borrower;
    const void *inputs[1] = {numbers((int64_t)2 * SIDE * SIDE, 7)};
    float *expected = rl_arena_array(&arena, 4 * SIDE * SIDE, sizeof *expected);
    float *found = rl_arena_array(&arena, 4 * SIDE * SIDE, sizeof *found);

    assert_int_equal(rl_graph_runner_new(&context, &run_arena, graph, &own), RL_OK);
    assert_int_equal(rl_graph_runner_run(&context, own, inputs, NULL, NULL), RL_OK);
    assert_int_equal(rl_graph_runner_output(&context, own, 0, expected), RL_OK);
    assert_int_equal(rl_graph_runner_borrow(&context, &run_arena, graph, &borrower), RL_OK);
    assert_int_equal(rl_graph_runner_run(&context, borrower, inputs, NULL, NULL), RL_OK);
    assert_int_equal(rl_graph_runner_output(&context, borrower, 0, found), RL_OK);
    assert_memory_equal(found, expected, 4 * SIDE * SIDE * sizeof *found);
    return borrower;
}

static void borrowed_weights_come_back(void **state)
{
    (void)state;
    build(8);
    const struct rl_graph *before = rl_graph_clone(graph, &arena);
    rl_graph_runner_give_back(borrow_and_compare());
    const struct rl_value *old = before->constants;
    for (const struct rl_value *now = graph->constants; now; now = now->next, old = old->next) {
        assert_memory_equal(&now->type, &old->type, sizeof now->type);
        assert_memory_equal(now->data, old->data, rl_tensor_bytes(&now->type));
    }
}

// Two weights in the same memory stay in their order, since there is none that is right for both.
static void shared_weights_stay(void **state)
{
    (void)state;
    build(4);
    struct rl_value *second = graph->constants->next;
    second->data = second->next->data; // of the same size
    struct rl_graph_runner *borrower = borrow_and_compare();
    assert_int_equal(second->type.order[1], 1);
    rl_graph_runner_give_back(borrower);
}

// ---- weights that come late

// Makes the weights integers behind dequantize nodes, as the quantizer leaves them.
static void quantize_weights(void)
{
    struct rl_node *next;
    for (struct rl_node *node = graph->first; node; node = next) {
        next = node->next;
        if (node->op != RL_OP_aten_conv2d) {
            continue;
        }
        const struct rl_value *weight = rl_node_tensor(node, "weight");
        const int64_t channels = weight->type.sizes[0], elements = rl_tensor_numel(&weight->type);
        struct rl_tensor_type type = weight->type;
        type.dtype = RL_INT8;
        int8_t *integers = rl_arena_alloc(&arena, (size_t)elements);
        float *scales = rl_arena_array(&arena, (size_t)channels, sizeof *scales);
        for (int64_t i = 0; i < elements; i++) {
            integers[i] = (int8_t)(((const float *)weight->data)[i] * 127);
        }
        for (int64_t i = 0; i < channels; i++) {
            scales[i] = (float)(1 + i) / 1024;
        }
        const struct rl_tensor_type scale_type = rl_tensor_type_make(RL_FLOAT32, 1, &channels);
        struct rl_node *floats =
            rl_graph_insert(graph, node, RL_OP_qd_dequantize_per_channel, "floats", NULL, 1, &weight->type);
        *rl_node_arg(floats, "input") = rl_arg_value(rl_graph_take_constant(graph, "integers", &type, integers));
        *rl_node_arg(floats, "scales") = rl_arg_value(rl_graph_take_constant(graph, "scales", &scale_type, scales));
        *rl_node_arg(floats, "axis") = rl_arg_int(0);
        *rl_node_arg(floats, "quant_min") = rl_arg_int(-127);
        *rl_node_arg(floats, "quant_max") = rl_arg_int(127);
        *rl_node_arg(floats, "dtype") = rl_arg_int(RL_INT8);
        *rl_node_arg(node, "weight") = rl_arg_value(floats->results[0]);
    }
    rl_graph_remove_dead(graph);
    assert_int_equal(rl_graph_verify(&context, graph, "the test"), RL_OK);
}

// `bytes`: what the runner took.
static struct seen *run_together(bool are_late, int64_t samples, size_t *bytes)
{
    struct seen *seen = rl_arena_alloc(&arena, sizeof *seen);
    const struct rl_graph_watcher watcher = {seen, give, stops_at, see, decide, change};
    struct rl_graph_runner *runner;
    assert_int_equal(are_late ? rl_graph_runner_borrow_late(&context, &run_arena, graph, &runner)
                              : rl_graph_runner_borrow(&context, &run_arena, graph, &runner),
                     RL_OK);
    *bytes = run_arena.bytes;
    assert_int_equal(rl_graph_runner_run_together(&context, &run_arena, runner, samples, &watcher), RL_OK);
    assert_int_equal(seen->decisions, LAYERS);
    rl_graph_runner_give_back(runner);
    return seen;
}

// Stops pass instructions again, whose weights must be there again. Small weights are never away.
static void late_weights_are_the_same(void **state)
{
    const int64_t samples = 30;
    (void)state;
    build(64);
    quantize_weights();
    samples_of_all = rl_arena_array(&arena, (size_t)samples, sizeof *samples_of_all);
    for (int64_t i = 0; i < samples; i++) {
        samples_of_all[i] = numbers((int64_t)2 * SIDE * SIDE, 100 + (uint32_t)i);
    }
    size_t with_weights, without;
    const struct seen *expected = run_together(false, samples, &with_weights);
    rl_arena_free(&run_arena);
    assert_memory_equal(run_together(true, samples, &without)->sums, expected->sums, sizeof expected->sums);
    const size_t two_layers = (size_t)2 * 64 * 64 * 9 * sizeof(float), list = 1024;
    assert_true(without + two_layers < with_weights + list);
}

// ---- the place of an input

static void inputs_may_be_written_in_place(void **state)
{
    (void)state;
    build(4);
    const float *data = numbers((int64_t)2 * SIDE * SIDE, 7);
    const void *inputs[1] = {data};
    float *expected = rl_arena_array(&arena, 4 * SIDE * SIDE, sizeof *expected);
    float *found = rl_arena_array(&arena, 4 * SIDE * SIDE, sizeof *found);
    struct rl_graph_runner *runner;
    assert_int_equal(rl_graph_runner_new(&context, &run_arena, graph, &runner), RL_OK);
    assert_int_equal(rl_graph_runner_run(&context, runner, inputs, NULL, NULL), RL_OK);
    assert_int_equal(rl_graph_runner_output(&context, runner, 0, expected), RL_OK);
    void *place = rl_graph_runner_place(runner, 0);
    assert_non_null(place);
    memcpy(place, data, (size_t)2 * SIDE * SIDE * sizeof *data);
    inputs[0] = place;
    assert_int_equal(rl_graph_runner_run(&context, runner, inputs, NULL, NULL), RL_OK);
    assert_int_equal(rl_graph_runner_output(&context, runner, 0, found), RL_OK);
    assert_memory_equal(found, expected, 4 * SIDE * SIDE * sizeof *found);
}

// Samples of channels-last inputs are dense in that order, and the program's input is not.
static void inputs_in_another_order_have_no_place(void **state)
{
    (void)state;
    build(4);
    memcpy(graph->inputs[0]->type.order, (const uint8_t[]){0, 2, 3, 1}, 4);
    struct rl_graph_runner *runner;
    assert_int_equal(rl_graph_runner_new(&context, &run_arena, graph, &runner), RL_OK);
    assert_null(rl_graph_runner_place(runner, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(few_samples_see_the_same, start, drop),
        cmocka_unit_test_setup_teardown(many_samples_see_the_same, start, drop),
        cmocka_unit_test_setup_teardown(halves_see_the_same, start, drop),
        cmocka_unit_test_setup_teardown(borrowed_weights_come_back, start, drop),
        cmocka_unit_test_setup_teardown(shared_weights_stay, start, drop),
        cmocka_unit_test_setup_teardown(late_weights_are_the_same, start, drop),
        cmocka_unit_test_setup_teardown(inputs_may_be_written_in_place, start, drop),
        cmocka_unit_test_setup_teardown(inputs_in_another_order_have_no_place, start, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
