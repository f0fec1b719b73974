// SPDX-License-Identifier: Apache-2.0
//
// drop_channels on random networks of integers in which channels are killed: the outputs with the pass are those
// without it, byte by byte, and the verifier accepts the programs. `passes_channels_test ROUNDS` goes on longer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/emit/pte.h"
#include "compiler/host_program.h"
#include "compiler/passes/dropped.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/memory.h"

enum { DEFAULT_ROUNDS = 300, LAYERS = 9, MOST_VALUES = 3 * LAYERS, MOST_CHANNELS = 14, MOST_BYTES = 1 << 12 };

static int rounds = DEFAULT_ROUNDS;

// ---- random networks

struct value {
    char name[16];
    int channels, height, width;
    int zero_point;
};

struct writer {
    FILE *nodes, *constants;
    uint64_t state;
    int names;
    struct value values[MOST_VALUES];
    int count;
};

static int below(struct writer *writer, int limit)
{
    writer->state = writer->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((writer->state >> 33) % (uint64_t)limit);
}

static int between(struct writer *writer, int low, int high)
{
    return low + below(writer, high - low + 1);
}

static const char *write_list(struct writer *writer, char name[16], const char *type, const int *numbers, int count)
{
    snprintf(name, 16, "c%d", writer->names++);
    fprintf(writer->constants, "constant %%%s : %s = [", name, type);
    for (int i = 0; i < count; i++) {
        fprintf(writer->constants, "%s%d", i > 0 ? ", " : "", numbers[i]);
    }
    fprintf(writer->constants, "]\n");
    return name;
}

static void write_vector(struct writer *writer, char name[16], int count, int low, int high)
{
    char type[32];
    int numbers[MOST_CHANNELS * MOST_CHANNELS];

    snprintf(type, sizeof type, "i32[%d]", count);
    for (int i = 0; i < count; i++) {
        numbers[i] = between(writer, low, high);
    }
    write_list(writer, name, type, numbers, count);
}

// Weights [outputs][positions][inputs] of which whole outputs and whole inputs are zero.
static int *random_weights(struct writer *writer, int outputs, int positions, int inputs, int zero)
{
    int *weights = calloc((size_t)(outputs * positions * inputs), sizeof *weights);
    bool dead_outputs[MOST_CHANNELS], dead_inputs[MOST_BYTES];
    const int deaths = between(writer, 1, 4);

    for (int i = 0; i < outputs; i++) {
        dead_outputs[i] = below(writer, 6) < deaths;
    }
    for (int i = 0; i < inputs; i++) {
        dead_inputs[i] = below(writer, 6) < deaths;
    }
    for (int i = 0; i < outputs * positions * inputs; i++) {
        const bool is_dead = dead_outputs[i / inputs / positions] || (inputs > 1 && dead_inputs[i % inputs]);
        weights[i] = is_dead ? zero : between(writer, INT8_MIN, INT8_MAX);
    }
    return weights;
}

static struct value *add_value(struct writer *writer, int channels, int height, int width, int zero_point)
{
    struct value *value = &writer->values[writer->count++];

    *value = (struct value){.channels = channels, .height = height, .width = width, .zero_point = zero_point};
    snprintf(value->name, sizeof value->name, "v%d", writer->names++);
    return value;
}

static int shortest_side(const struct value *image)
{
    return image->height < image->width ? image->height : image->width;
}

// What convolutions have behind their weights. Most have a relu, whose zeros are what padding adds.
static void write_rest(struct writer *writer, const struct value *in, const struct value *out, int stride, int padding,
                       const char *more)
{
    char multipliers[16], shifts[16];
    const int offset = below(writer, 8) == 0 ? between(writer, -127, 128) : -in->zero_point;

    write_vector(writer, multipliers, out->channels, 1 << 30, INT32_MAX);
    write_vector(writer, shifts, out->channels, -9, -6);
    fprintf(writer->nodes,
            "stride=[%d, %d], padding=[%d, %d], dilation=[1, 1], %sinput_offset=%d, output_offset=%d, "
            "requantize_multipliers=%%%s, requantize_shifts=%%%s, activation_min=%d, activation_max=127) : "
            "i8[1,%d,%d,%d]\n",
            stride, stride, padding, padding, more, offset, out->zero_point, multipliers, shifts,
            below(writer, 4) == 0 ? INT8_MIN : out->zero_point, out->channels, out->height, out->width);
}

static void write_bias(struct writer *writer, int channels)
{
    char bias[16];

    if (below(writer, 4) == 0) {
        fprintf(writer->nodes, "bias=None, ");
        return;
    }
    write_vector(writer, bias, channels, -20000, 20000);
    fprintf(writer->nodes, "bias=%%%s, ", bias);
}

static void write_convolution(struct writer *writer, bool is_depthwise)
{
    const struct value in = writer->values[below(writer, writer->count)];
    const int kernel = shortest_side(&in) > 2 && below(writer, 2) == 0 ? 3 : 1,
              stride = shortest_side(&in) > 4 ? between(writer, 1, 2) : 1;
    const int padding = kernel == 3 ? below(writer, 2) : 0;
    const int outputs = is_depthwise && in.channels > 1 ? in.channels : between(writer, 1, MOST_CHANNELS);
    const int height = (in.height + 2 * padding - kernel) / stride + 1;
    const int width = (in.width + 2 * padding - kernel) / stride + 1;
    char type[64], weights[16], more[48] = "";

    const int inputs = is_depthwise ? outputs : in.channels, rows = is_depthwise ? 1 : outputs;
    snprintf(type, sizeof type, "i8[%d,%d,%d,%d]", rows, kernel, kernel, inputs);
    int *numbers = random_weights(writer, rows, kernel * kernel, inputs, 0);
    write_list(writer, weights, type, numbers, rows * kernel * kernel * inputs);
    free(numbers);
    const struct value *out = add_value(writer, outputs, height, width, between(writer, -128, -60));
    if (is_depthwise) {
        snprintf(more, sizeof more, "depth_multiplier=%d, ", outputs / in.channels);
    }
    fprintf(writer->nodes, "%%%s = cortex_m::quantized_%sconv2d.default(input=%%%s, weight=%%%s, ", out->name,
            is_depthwise ? "depthwise_" : "", in.name, weights);
    write_bias(writer, outputs);
    write_rest(writer, &in, out, stride, padding, more);
}

// A constant operand for an image: a value a channel, or an image in which some channels repeat a value.
static void write_operand(struct writer *writer, const struct value *image, char name[16])
{
    const bool is_image = below(writer, 2) == 0;
    const int pixels = is_image ? image->height * image->width : 1;
    int *numbers = calloc((size_t)(image->channels * pixels), sizeof *numbers);
    char type[48];

    snprintf(type, sizeof type, "i8[1,%d,%d,%d]", image->channels, is_image ? image->height : 1,
             is_image ? image->width : 1);
    for (int i = 0; i < image->channels; i++) {
        const int repeated = between(writer, INT8_MIN, INT8_MAX), varies = below(writer, 2);
        for (int k = 0; k < pixels; k++) {
            numbers[i * pixels + k] = varies ? between(writer, INT8_MIN, INT8_MAX) : repeated;
        }
    }
    write_list(writer, name, type, numbers, image->channels * pixels);
    free(numbers);
}

// An operator on two images of equal sizes, one of which may be a constant.
static void write_pair(struct writer *writer)
{
    static const char *const names[] = {"quantized_add", "quantized_mul", "minimum", "maximum"};
    const struct value a = writer->values[below(writer, writer->count)];
    const struct value *b = NULL;
    const int kind = below(writer, 4);
    char other[16];

    for (int i = 0; i < writer->count; i++) {
        const struct value *value = &writer->values[i];
        const bool fits = value->channels == a.channels && value->height == a.height && value->width == a.width;
        b = fits && (!b || below(writer, 2) == 0) ? value : b;
    }
    snprintf(other, sizeof other, "%s", b->name);
    if (below(writer, 3) == 0) {
        write_operand(writer, &a, other);
    }
    const int zero_point = kind < 2 ? between(writer, -100, 0) : a.zero_point, b_zero_point = b->zero_point;
    const struct value *out = add_value(writer, a.channels, a.height, a.width, zero_point);
    fprintf(writer->nodes, "%%%s = cortex_m::%s.default(self=%%%s, other=%%%s", out->name, names[kind], a.name, other);
    if (kind == 0) {
        fprintf(writer->nodes,
                ", self_zero_point=%d, self_multiplier=1073741824, self_shift=0, other_zero_point=%d, "
                "other_multiplier=%d, other_shift=-1, output_zero_point=%d, output_multiplier=1700000000, "
                "output_shift=-18, activation_min=%d, activation_max=127",
                a.zero_point, b_zero_point, between(writer, 1 << 30, INT32_MAX), zero_point, zero_point);
    } else if (kind == 1) {
        fprintf(writer->nodes,
                ", self_zero_point=%d, other_zero_point=%d, output_zero_point=%d, output_multiplier=1500000000, "
                "output_shift=-6",
                a.zero_point, b_zero_point, zero_point);
    }
    fprintf(writer->nodes, ") : i8[1,%d,%d,%d]\n", out->channels, out->height, out->width);
}

static void write_pool(struct writer *writer)
{
    static const char *const names[] = {"cortex_m::quantized_max", "cortex_m::quantized_avg",
                                        "rushlight::quantized_avg"};
    const struct value in = writer->values[below(writer, writer->count)];
    const int kind = below(writer, 3), kernel = shortest_side(&in) > 1 ? 2 : 1;
    const int padding = kernel == 2 ? below(writer, 2) : 0;
    const int height = (in.height + 2 * padding - kernel) / kernel + 1;
    const int width = (in.width + 2 * padding - kernel) / kernel + 1;
    const int zero_point = kind == 2 ? between(writer, -128, 20) : in.zero_point;
    const struct value *out = add_value(writer, in.channels, height, width, zero_point);

    fprintf(writer->nodes,
            "%%%s = %s_pool2d.default(input=%%%s, kernel_size=[%d, %d], stride=[%d, %d], padding=[%d, %d]", out->name,
            names[kind], in.name, kernel, kernel, kernel, kernel, padding, padding);
    if (kind == 0) {
        fprintf(writer->nodes,
                ", dilation=[1, 1], ceil_mode=False, input_zero_point=%d, output_zero_point=%d, activation_min=%d, "
                "activation_max=127",
                zero_point, zero_point, between(writer, INT8_MIN, 0));
    } else if (kind == 1) {
        fprintf(writer->nodes, ", ceil_mode=False, zero_point=%d, multiplier=1073741824, shift=1", zero_point);
    } else {
        fprintf(writer->nodes, ", input_zero_point=%d, output_zero_point=%d, multiplier=1300000000, shift=-1",
                in.zero_point, zero_point);
    }
    fprintf(writer->nodes, ") : i8[1,%d,%d,%d]\n", in.channels, height, width);
}

// A look-up, a clamp or a pad.
static void write_one(struct writer *writer)
{
    const struct value in = writer->values[below(writer, writer->count)];
    const int kind = below(writer, 3), grows = kind == 2 ? 2 : 0;
    const struct value *out = add_value(writer, in.channels, in.height + grows, in.width + grows, in.zero_point);

    if (kind == 0) {
        int numbers[256];
        char lut[16];
        for (int i = 0; i < 256; i++) {
            numbers[i] = between(writer, INT8_MIN, INT8_MAX);
        }
        write_list(writer, lut, "i8[256]", numbers, 256);
        fprintf(writer->nodes, "%%%s = cortex_m::quantized_activation.default(input=%%%s, lut=%%%s)", out->name,
                in.name, lut);
    } else if (kind == 1) {
        fprintf(writer->nodes, "%%%s = aten::clamp.default(self=%%%s, min=%d, max=100)", out->name, in.name,
                in.zero_point);
    } else {
        fprintf(writer->nodes, "%%%s = aten::constant_pad_nd.default(self=%%%s, pad=[1, 1, 1, 1], value=%d)", out->name,
                in.name, below(writer, 4) == 0 ? 5 : in.zero_point);
    }
    fprintf(writer->nodes, " : i8[1,%d,%d,%d]\n", out->channels, out->height, out->width);
}

// A linear layer behind a flattened image, in one of the forms of its constant part.
static void write_linear(struct writer *writer, const struct value *in, const char *output)
{
    const int columns = in->channels * in->height * in->width, outputs = between(writer, 1, 5);
    const int zero = between(writer, 0, 3) == 0 ? 7 : 0, form = below(writer, 4);
    int *numbers = random_weights(writer, outputs, 1, columns, zero), sums[8];
    char type[64], weights[16], bias[16], kernel_sums[16], constants[48] = "bias=None";

    snprintf(type, sizeof type, "i8[%d,%d]", outputs, columns);
    write_list(writer, weights, type, numbers, outputs * columns);
    write_vector(writer, bias, outputs, -3000, 3000);
    for (int i = 0; i < outputs; i++) { // a form of its own, not that of the bias: a program has one of them alone
        sums[i] = between(writer, -30000, 30000);
    }
    snprintf(type, sizeof type, "i32[1,%d]", outputs);
    write_list(writer, kernel_sums, type, sums, outputs);
    free(numbers);
    fprintf(writer->nodes, "%%f%s = aten::view_copy.default(self=%%%s, size=[1, %d]) : i8[1,%d]\n", output, in->name,
            columns, columns);
    fprintf(writer->nodes, "%%%s = ", output);
    if (form == 3 && zero == 0) {
        char multipliers[16], shifts[16];
        write_vector(writer, multipliers, outputs, 1 << 30, INT32_MAX);
        write_vector(writer, shifts, outputs, -6, -2);
        fprintf(writer->nodes,
                "rushlight::quantized_linear_s16.default(input=%%f%s, weights=%%%s, bias=%%%s, "
                "requantize_multipliers=%%%s, requantize_shifts=%%%s) : i16[1,%d]\n",
                output, weights, kernel_sums, multipliers, shifts, outputs);
        return;
    }
    if (form == 0) {
        snprintf(constants, sizeof constants, "kernel_sum=%%%s", kernel_sums);
    } else if (form == 1) {
        snprintf(constants, sizeof constants, "bias=%%%s", bias);
    }
    fprintf(writer->nodes,
            "cortex_m::quantized_linear.default(input=%%f%s, weights=%%%s, %s, input_offset=%d, filter_offset=%d, "
            "output_offset=3, requantize_multipliers=[1500000000], requantize_shifts=[-9], activation_max=127, "
            "activation_min=-128) : i8[1,%d]\n",
            output, weights, constants, -in->zero_point, -zero, outputs);
}

// The text of a network; the caller frees it.
static char *random_network(uint64_t seed)
{
    struct writer writer = {.state = seed};
    char *nodes = NULL, *constants = NULL, *text = NULL;
    size_t size, outputs = 0;

    writer.nodes = open_memstream(&nodes, &size);
    writer.constants = open_memstream(&constants, &size);
    struct value *input = add_value(&writer, between(&writer, 1, 6), between(&writer, 3, 9), 6, -3);
    fprintf(writer.constants, "graph g\ninput %%%s : i8[1,%d,%d,%d]\n", input->name, input->channels, input->height, 6);
    write_convolution(&writer, input->channels == 1);
    for (int i = 0; i < LAYERS; i++) {
        const int kind = below(&writer, 8);
        if (kind < 5) {
            write_convolution(&writer, kind >= 3);
        } else if (kind == 5) {
            write_pair(&writer);
        } else if (kind == 6) {
            write_pool(&writer);
        } else {
            write_one(&writer);
        }
    }
    const struct value *last = &writer.values[writer.count - 1];
    write_linear(&writer, last, "y0");
    write_linear(&writer, &writer.values[writer.count - 2], "y1");
    fprintf(writer.nodes, "output %%y0\noutput %%y1\n");
    if (below(&writer, 5) == 0) {
        fprintf(writer.nodes, "output %%%s\n", writer.values[writer.count / 2].name);
    }
    fclose(writer.nodes);
    fclose(writer.constants);
    FILE *file = open_memstream(&text, &outputs);
    fprintf(file, "%s%s", constants, nodes);
    fclose(file);
    free(nodes);
    free(constants);
    return text;
}

// ---- programs

struct outputs {
    uint8_t bytes[3][MOST_BYTES];
    size_t sizes[3];
    int64_t dropped;
};

static void run_passes(struct rl_pass *pass, bool drops)
{
    enum rl_status status = RL_OK;

    for (int i = 0; rl_stage_at(i) && drops; i++) {
        if (strcmp(rl_stage_at(i)->name, "drop_channels") == 0) {
            status = rl_stage_run(pass, rl_stage_at(i));
        }
    }
    if (status == RL_OK) {
        status = rl_phases_run(pass, RL_PHASE_PORTABLE, RL_PHASE_PLAN);
    }
    if (status != RL_OK) {
        fail_msg("%s", pass->context->message);
    }
}

static void compute(const char *text, uint64_t seed, bool drops, struct outputs *outputs)
{
    struct rl_arena arena = {.blocks = NULL};
    struct rl_context context = {.message = ""};
    struct rl_compile_options options = {.quantization = RL_QUANTIZE_NONE};
    struct rl_pass pass = {.context = &context, .arena = &arena, .options = &options};
    struct rl_memory_plan plan;
    struct rl_emitted emitted;
    struct rl_host_program program;
    struct writer random = {.state = seed};
    int8_t input[MOST_BYTES];

    assert_int_equal(rl_target_parse(&context, "any", &options.target), RL_OK);
    options.explicit_layout = seed % 3 == 0;
    if (rl_graph_parse(&context, &arena, text, "random", &pass.graph) != RL_OK) {
        fail_msg("%s", context.message);
    }
    run_passes(&pass, drops);
    outputs->dropped = pass.dropped ? pass.dropped->channels : 0;
    assert_int_equal(rl_plan_memory(&context, &arena, pass.graph, false, &plan), RL_OK);
    assert_int_equal(rl_emit_pte(&context, &arena, pass.graph, &plan, &emitted), RL_OK);
    const struct rl_host_files files = {.source = "random", .program = emitted.file, .program_size = emitted.size};
    if (rl_host_program_open(&context, &arena, &files, &program) != RL_OK) {
        fail_msg("%s", context.message);
    }
    const size_t bytes = rl_tensor_bytes(&pass.graph->inputs[0]->type);
    for (size_t i = 0; i < bytes; i++) {
        input[i] = (int8_t)between(&random, INT8_MIN, INT8_MAX);
    }
    if (rl_host_program_set_input(&context, &program, 0, input, bytes) != RL_OK ||
        rl_host_program_execute(&context, &program) != RL_OK) {
        fail_msg("%s", context.message);
    }
    for (int i = 0; i < pass.graph->output_count; i++) {
        outputs->sizes[i] = rl_tensor_bytes(&pass.graph->outputs[i]->type);
        assert_true(outputs->sizes[i] <= MOST_BYTES);
        assert_int_equal(
            rl_host_program_get_output(&context, &program, (uint32_t)i, outputs->bytes[i], outputs->sizes[i]), RL_OK);
    }
    rl_arena_free(&arena);
}

static void no_output_changes(void **state)
{
    static struct outputs expected, found;
    int changed = 0;
    (void)state;

    for (int i = 0; i < rounds; i++) {
        const uint64_t seed = (uint64_t)i + 1;
        char *text = random_network(seed);
        memset(&expected, 0, sizeof expected);
        memset(&found, 0, sizeof found);
        compute(text, seed, false, &expected);
        compute(text, seed, true, &found);
        changed += found.dropped > 0;
        if (memcmp(expected.bytes, found.bytes, sizeof found.bytes) != 0) {
            printf("%s", text);
            fail_msg("network %d gives other outputs without %lld channels", i, (long long)found.dropped);
        }
        free(text);
    }
    print_message("%d of %d networks lose channels\n", changed, rounds);
    assert_true(2 * changed > rounds);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_output_changes)};

    if (argc > 1) {
        rounds = atoi(argv[1]);
    }
    return cmocka_run_group_tests_name("passes_channels", tests, NULL, NULL);
}
