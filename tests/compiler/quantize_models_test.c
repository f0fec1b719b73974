// SPDX-License-Identifier: Apache-2.0
//
// Whole models through our reader, passes and quantizer against records of torchao with CortexMQuantizer on the same
// calibration data (tests/fixtures/quantize/MODEL.txt, written by python/record_quantizer.py): the same quantized
// values with equal zero points and scales, the same integer weights with scales that are equal bit for bit.
//
// Convolutions add in another order than PyTorch's, so observed ranges differ in their last bits, and a value at the
// edge of a bin may fall into the next one. Then the histogram's search can stop a bin earlier or later: rarely, and
// never further.
//
// Larger models lie outside the repository, in the folder that is the only argument: without it the ones in
// tests/fixtures are compared.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/dataset.h"
#include "compiler/passes/passes.h"
#include "compiler/pipeline.h"
#include "compiler/quantize/quantize.h"

enum { LINE_SIZE = 16384 };

static const double tolerance = 1e-4;     // relative, of a scale
static const double bin_tolerance = 2e-3; // two bins of the thousand or more that a search leaves
static const int values_per_stray = 20;   // no more than one value in twenty may be off by a bin

struct comparison {
    FILE *record;
    char line[LINE_SIZE];
    const char *rest; // of the line, behind what was read
    int values, strays, scales, unequal_scales;
    double largest_difference;
};

// Our passes removed dropout before; PyTorch quantizes its result on the grid of its input.
static bool is_left_out(const char *line)
{
    return line[0] == '#' || strncmp(line, "value aten::dropout ", 20) == 0;
}

static void next_line(struct comparison *comparison)
{
    do {
        assert_non_null(fgets(comparison->line, LINE_SIZE, comparison->record));
    } while (is_left_out(comparison->line));
    comparison->rest = comparison->line;
}

static void expect_word(struct comparison *comparison, const char *word)
{
    char found[64];
    int length;
    assert_int_equal(sscanf(comparison->rest, " %63s%n", found, &length), 1);
    assert_string_equal(found, word);
    comparison->rest += length;
}

static long long read_integer(struct comparison *comparison)
{
    char *end;
    const long long integer = strtoll(comparison->rest, &end, 10);
    assert_ptr_not_equal(end, comparison->rest);
    comparison->rest = end;
    return integer;
}

// Returns the relative difference, at most `limit`, between a scale and the recorded one.
static double expect_scale(struct comparison *comparison, double scale, double limit)
{
    char *end;
    const uint32_t bits = (uint32_t)strtoul(comparison->rest, &end, 16);
    comparison->rest = end;
    float recorded;
    memcpy(&recorded, &bits, sizeof recorded);
    const double difference = fabs(scale - (double)recorded) / (double)recorded;
    comparison->scales++;
    comparison->unequal_scales += difference != 0;
    comparison->largest_difference = fmax(comparison->largest_difference, difference);
    if (!(difference <= limit)) {
        fail_msg("scale %.9g instead of %.9g: %.100s", scale, (double)recorded, comparison->line);
    }
    return difference;
}

static void compare_value(struct comparison *comparison, const struct rl_node *quantize)
{
    const struct rl_value *source = rl_node_tensor(quantize, "input");
    next_line(comparison);
    expect_word(comparison, "value");
    expect_word(comparison, !source->producer ? "input" : rl_op_get(source->producer->op)->name);
    const double difference = expect_scale(comparison, rl_node_number(quantize, "scale"), bin_tolerance);
    comparison->strays += difference > tolerance;
    if (read_integer(comparison) != rl_node_int(quantize, "zero_point")) {
        fail_msg("zero point %lld: %s", (long long)rl_node_int(quantize, "zero_point"), comparison->line);
    }
    comparison->values++;
}

// Of the integers in C order, as PyTorch iterates over them.
static int64_t checksum(const struct rl_value *integers)
{
    const struct rl_tensor_type *type = &integers->type;
    void *elements = malloc(rl_tensor_bytes(type) + 1);
    assert_non_null(elements);
    rl_tensor_to_c_order(type, integers->data, elements);
    int64_t sum = 0;
    for (int64_t i = 0; i < rl_tensor_numel(type); i++) {
        const int64_t integer = type->dtype == RL_INT8 ? ((const int8_t *)elements)[i] : ((const int32_t *)elements)[i];
        sum += integer * (i % 251 + 1);
    }
    free(elements);
    return sum;
}

static void compare_constant(struct comparison *comparison, const struct rl_graph *graph,
                             const struct rl_node *dequantize)
{
    const struct rl_value *integers = rl_node_tensor(dequantize, "input");
    const bool is_bias = integers->type.dtype == RL_INT32;
    const struct rl_node *user = rl_value_only_user(graph, dequantize->results[0]);
    assert_non_null(user);
    next_line(comparison);
    expect_word(comparison, is_bias ? "bias" : "weight");
    expect_word(comparison, rl_op_get(user->op)->name);
    const double limit = is_bias ? bin_tolerance : 0; // a bias inherits the scale of the input
    if (dequantize->op == RL_OP_qd_dequantize_per_tensor) {
        expect_scale(comparison, rl_node_number(dequantize, "scale"), limit);
    } else {
        const struct rl_value *scales = rl_node_tensor(dequantize, "scales");
        for (int64_t i = 0; i < scales->type.sizes[0]; i++) {
            expect_scale(comparison, ((const float *)scales->data)[i], limit);
        }
    }
    if (!is_bias) {
        assert_int_equal(checksum(integers), read_integer(comparison));
    }
}

static void compare(struct comparison *comparison, const struct rl_graph *graph)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (node->op == RL_OP_qd_quantize_per_tensor) {
            compare_value(comparison, node);
        } else if ((node->op == RL_OP_qd_dequantize_per_tensor || node->op == RL_OP_qd_dequantize_per_channel) &&
                   rl_node_tensor(node, "input")->kind == RL_VALUE_CONSTANT) {
            compare_constant(comparison, graph, node);
        }
    }
    assert_null(fgets(comparison->line, LINE_SIZE, comparison->record)); // nothing was left out
}

// The canonical graph that the stock quantizer works on.
static enum rl_status read_as_stock(struct rl_context *context, struct rl_arena *arena, const char *model,
                                    const struct rl_target *target, struct rl_graph **graph)
{
    const struct rl_compile_options options = {.model = model, .target = *target, .quantizer = RL_QUANTIZER_STOCK};
    struct rl_pass pass = {.context = context, .arena = arena, .options = &options};
    const enum rl_status status = rl_phases_run(&pass, RL_PHASE_READ, RL_PHASE_CANONICAL);

    *graph = pass.graph;
    return status;
}

static void check_model(const char *name, const char *model, const char *calibration)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_target target;
    struct rl_graph *graph = NULL;
    struct rl_dataset dataset;
    const struct rl_quantize_options options = {.quantizer = RL_QUANTIZER_STOCK};
    static struct comparison comparison;
    memset(&comparison, 0, sizeof comparison);
    enum rl_status status = rl_target_parse(&context, "any", &target);
    if (status == RL_OK) {
        status = read_as_stock(&context, &arena, model, &target, &graph);
    }
    if (status == RL_OK) {
        status = rl_dataset_load(&context, &arena, &calibration, 1, graph, &dataset);
    }
    if (status == RL_OK) {
        status = rl_quantize(&context, graph, &dataset, &options, NULL);
    }
    if (status != RL_OK) {
        fail_msg("%s: %s", name, context.message);
    }
    char path[512];
    snprintf(path, sizeof path, RL_FIXTURES "/quantize/%s.txt", name);
    comparison.record = fopen(path, "r");
    assert_non_null(comparison.record);
    compare(&comparison, graph);
    fclose(comparison.record);
    print_message("%s: %d values, %d of them off by a bin; %d scales, %d not equal bit for bit, largest relative "
                  "difference %.2g\n",
                  name, comparison.values, comparison.strays, comparison.scales, comparison.unequal_scales,
                  comparison.largest_difference);
    assert_true(comparison.strays * values_per_stray <= comparison.values + values_per_stray - 1);
    rl_arena_free(&arena);
}

static void check_larger_models(void **state)
{
    static const char *const names[] = {"digits_cnn", "resnet8", "ds_cnn", "mobilenet_v1_025", "deep_autoencoder"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char model[512], calibration[512];
        snprintf(model, sizeof model, "%s/%s/float.pt2", (const char *)*state, names[i]);
        snprintf(calibration, sizeof calibration, "%s/%s/calib.npz", (const char *)*state, names[i]);
        check_model(names[i], model, calibration);
    }
}

static void check_digits(void **state)
{
    (void)state;
    check_model("digits", RL_FIXTURES "/digits/digits.pt2", RL_FIXTURES "/digits/calibration.npz");
}

static void check_patterns(void **state)
{
    (void)state;
    check_model("patterns", RL_FIXTURES "/quantize/patterns.pt2", RL_FIXTURES "/quantize/patterns.npz");
}

// Layers with hardsigmoid and hardswish, which the stock quantizer fuses and clamps.
static void check_gated(void **state)
{
    (void)state;
    check_model("gated", RL_FIXTURES "/stock/gated/float.pt2", RL_FIXTURES "/stock/gated/calib.npz");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(check_patterns),
        cmocka_unit_test(check_digits),
        cmocka_unit_test(check_gated),
    };
    if (argc < 2) {
        return cmocka_run_group_tests(own, NULL, NULL);
    }
    const struct CMUnitTest larger[] = {cmocka_unit_test_prestate(check_larger_models, argv[1])};
    return cmocka_run_group_tests(larger, NULL, NULL);
}
