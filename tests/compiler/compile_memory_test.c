// SPDX-License-Identifier: Apache-2.0
//
// The memory of a compilation at its peak: the float weights, what it learns of the inputs of layers, and the
// activations of one sample a thread, unless most is learnt where these are small. A float program holds the weights
// once more.
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/dataset.h"
#include "compiler/emit/pte.h"
#include "compiler/graph_runner.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/memory.h"
#include "compiler/quantize/quantize.h"

enum { THREADS = 2, MOST_NUMBERS = 2 * 16 * 64 * 64, MOST_SAMPLES = 4, WIDTH = 192, MEGABYTE = 1 << 20 };

// ---- memory, all of which arenas take with calloc (-Wl,--wrap=calloc,--wrap=free)

static atomic_long taken, most_taken;

void *__real_calloc(size_t count, size_t size);
void __real_free(void *memory);
void *__wrap_calloc(size_t count, size_t size);
void __wrap_free(void *memory);

void *__wrap_calloc(size_t count, size_t size)
{
    void *memory = __real_calloc(count, size);
    const long now = atomic_fetch_add(&taken, (long)malloc_usable_size(memory)) + (long)malloc_usable_size(memory);
    for (long most = most_taken; now > most && !atomic_compare_exchange_weak(&most_taken, &most, now);) {
    }
    return memory;
}

void __wrap_free(void *memory)
{
    atomic_fetch_sub(&taken, memory ? (long)malloc_usable_size(memory) : 0);
    __real_free(memory);
}

// ---- a network of convolutions with batch norms

static struct rl_context context = {.threads = THREADS};
static struct rl_arena arena;
static struct rl_graph *graph;
static int64_t side;      // of the images
static int64_t reduction; // of the side, by the second convolution
static int layers;

static struct rl_value *constant(const struct rl_tensor_type *type, float least, float span)
{
    static uint32_t seed = 1;
    float *data = rl_arena_alloc(&arena, rl_tensor_bytes(type));
    for (int64_t i = 0; i < rl_tensor_numel(type); i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = least + span * ((float)(seed >> 8) / 16777216.0f);
    }
    return rl_graph_take_constant(graph, "constant", type, data);
}

static struct rl_value *add_convolution(struct rl_value *input, int64_t channels, int64_t stride)
{
    const int64_t one[2] = {1, 1}, strides[2] = {stride, stride};
    const int64_t depth = input->type.sizes[1], sides = input->type.sizes[2] / stride;
    const struct rl_tensor_type weight = rl_tensor_type_make(RL_FLOAT32, 4, (const int64_t[]){channels, depth, 3, 3});
    const struct rl_tensor_type result =
        rl_tensor_type_make(RL_FLOAT32, 4, (const int64_t[]){1, channels, sides, sides});
    struct rl_node *node = rl_graph_insert(graph, NULL, RL_OP_aten_conv2d, "conv2d", NULL, 1, &result);
    *rl_node_arg(node, "input") = rl_arg_value(input);
    *rl_node_arg(node, "weight") = rl_arg_value(constant(&weight, -0.1f, 0.2f));
    *rl_node_arg(node, "stride") = rl_arg_ints(&arena, strides, 2);
    *rl_node_arg(node, "padding") = rl_arg_ints(&arena, one, 2);
    *rl_node_arg(node, "dilation") = rl_arg_ints(&arena, one, 2);
    *rl_node_arg(node, "groups") = rl_arg_int(1);
    return node->results[0];
}

static struct rl_value *add_norm(struct rl_value *input)
{
    static const char *const parts[] = {"weight", "bias", "running_mean", "running_var"};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 1, &input->type.sizes[1]);
    struct rl_node *node = rl_graph_insert(graph, NULL, RL_OP_aten_batch_norm, "batch_norm", NULL, 1, &input->type);
    *rl_node_arg(node, "input") = rl_arg_value(input);
    for (int i = 0; i < 4; i++) {
        *rl_node_arg(node, parts[i]) = rl_arg_value(constant(&type, 0.5f, 0.5f));
    }
    *rl_node_arg(node, "training") = rl_arg_bool(false);
    *rl_node_arg(node, "momentum") = rl_arg_double(0.1);
    *rl_node_arg(node, "eps") = rl_arg_double(1e-5);
    *rl_node_arg(node, "cudnn_enabled") = rl_arg_bool(false);
    return node->results[0];
}

// Returns the bytes of the weights.
static size_t build(void)
{
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 4, (const int64_t[]){1, 16, side, side});
    graph = rl_graph_new(&arena, "net", "net.pt2");
    struct rl_value *value = rl_graph_add_input(graph, "x", &type);
    for (int i = 0; i < layers; i++) {
        value = add_norm(add_convolution(value, i + 1 < layers ? WIDTH : 16, i == 1 ? reduction : 1));
        struct rl_node *relu = rl_graph_insert(graph, NULL, RL_OP_aten_relu, "relu", NULL, 1, &value->type);
        relu->args[0] = rl_arg_value(value);
        value = relu->results[0];
    }
    rl_graph_add_output(graph, value);
    size_t bytes = 0;
    for (const struct rl_value *one = graph->constants; one; one = one->next) {
        bytes += rl_tensor_bytes(&one->type);
    }
    return bytes;
}

static struct rl_dataset_input make_samples(void)
{
    static float numbers[MOST_NUMBERS];
    uint32_t seed = 5;
    for (int i = 0; i < MOST_NUMBERS; i++) {
        seed = seed * 1664525u + 1013904223u;
        numbers[i] = (float)(seed >> 8) / 16777216.0f - 0.5f;
    }
    const struct rl_tensor_type *type = &graph->inputs[0]->type;
    return (struct rl_dataset_input){"x", *type, (const unsigned char *)numbers, rl_tensor_bytes(type), NULL};
}

// The planned memory of one sample of the float graph.
static size_t activation_bytes(void)
{
    struct rl_arena run_arena = {0};
    struct rl_graph_runner *runner;
    assert_int_equal(rl_graph_runner_new(&context, &run_arena, graph, &runner), RL_OK);
    const size_t bytes = rl_graph_runner_bytes(runner);
    rl_arena_free(&run_arena);
    return bytes;
}

static void compile(bool quantizes, bool is_fast)
{
    struct rl_compile_options options = {.model = "net.pt2"};
    struct rl_pass pass = {.context = &context, .arena = &arena, .graph = graph, .options = &options};
    struct rl_dataset_input samples = make_samples();
    const int64_t fitting = MOST_NUMBERS / (16 * side * side);
    const struct rl_dataset dataset = {
        .sample_count = fitting < MOST_SAMPLES ? fitting : MOST_SAMPLES, .input_count = 1, .inputs = &samples};
    const struct rl_quantize_options choices = {.quantizer = RL_QUANTIZER_BEST, .is_fast = is_fast};
    struct rl_memory_plan plan;
    struct rl_emitted emitted;
    options.quantization = quantizes ? RL_QUANTIZE_INT8 : RL_QUANTIZE_NONE;
    assert_int_equal(rl_target_parse(&context, "cortex-m55", &options.target), RL_OK);
    assert_int_equal(rl_phases_run(&pass, RL_PHASE_CANONICAL, RL_PHASE_CANONICAL), RL_OK);
    if (quantizes) {
        assert_int_equal(rl_quantize(&context, graph, &dataset, &choices, NULL), RL_OK);
    }
    assert_int_equal(rl_phases_run(&pass, RL_PHASE_LOWER, RL_PHASE_PLAN), RL_OK);
    assert_int_equal(rl_plan_memory(&context, &arena, graph, false, &plan), RL_OK);
    assert_int_equal(rl_emit_pte(&context, &arena, graph, &plan, &emitted), RL_OK);
}

static int drop(void **state)
{
    (void)state;
    rl_arena_free(&arena);
    return 0;
}

// The sums of products of a layer's inputs, in blocks of 256: those on and above the diagonal, and some before it.
static size_t moment_bytes(void)
{
    size_t bytes = 0;
    for (int64_t layer = 0; layer < layers; layer++) {
        for (int64_t rest = 9 * (layer == 0 ? 16 : WIDTH); rest > 0; rest -= 256) {
            const int64_t block = rest < 256 ? rest : 256;
            bytes += (size_t)(block * (block + 8) / 2) * sizeof(float);
        }
    }
    return bytes;
}

static void expect_peak(size_t weights, size_t weight_copies, size_t activations, size_t others)
{
    const long most = (long)(weight_copies * weights + others + THREADS * activations + MEGABYTE / 2);
    assert_true(weights > 2 * MEGABYTE);
    print_message("%ld bytes at most, fewer than %ld are expected: weights %zu, activations %zu\n", (long)most_taken,
                  most, weights, activations);
    assert_true(most_taken < most);
    assert_true(most_taken > (long)weights); // the count works
}

static void quantizing_takes_the_weights_once_and_the_moments(void **state)
{
    (void)state;
    side = 16, reduction = 1, layers = 4;
    const size_t weights = build(), activations = activation_bytes();
    most_taken = (long)taken;
    compile(true, false);
    expect_peak(weights, 1, activations, moment_bytes());
}

// Samples wait for each other behind the large maps, whose memory goes before the moments of small ones come. The
// largest map counts twice before batch norms are folded.
static void moments_of_small_maps_take_the_place_of_large_maps(void **state)
{
    (void)state;
    side = 64, reduction = 8, layers = 6;
    const size_t weights = build(), activations = activation_bytes();
    most_taken = (long)taken;
    compile(true, false);
    assert_true(moment_bytes() > 4 * MEGABYTE);
    expect_peak(weights, 1, activations / 2, moment_bytes() / 2);
}

// Later stages hold integers and the floats of one layer in place of all.
static void quantizing_fast_takes_the_weights_once(void **state)
{
    (void)state;
    side = 22, reduction = 1, layers = 4;
    const size_t weights = build(), activations = activation_bytes();
    most_taken = (long)taken;
    compile(true, true);
    expect_peak(weights, 1, activations, 0);
}

static void a_float_program_takes_two_copies_of_the_weights(void **state)
{
    (void)state;
    side = 16, reduction = 1, layers = 4;
    const size_t weights = build(), activations = activation_bytes();
    most_taken = (long)taken;
    compile(false, false);
    expect_peak(weights, 2, activations, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(quantizing_takes_the_weights_once_and_the_moments, drop),
        cmocka_unit_test_teardown(moments_of_small_maps_take_the_place_of_large_maps, drop),
        cmocka_unit_test_teardown(quantizing_fast_takes_the_weights_once, drop),
        cmocka_unit_test_teardown(a_float_program_takes_two_copies_of_the_weights, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
