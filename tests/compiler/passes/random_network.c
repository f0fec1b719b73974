// SPDX-License-Identifier: Apache-2.0
#include "random_network.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 9, MOST_VALUES = 3 * LAYERS, MOST_CHANNELS = 14, MOST_COLUMNS = 1 << 12 };

struct value {
    char name[16];
    int channels, height, width;
    int zero_point;
};

struct writer {
    FILE *nodes, *constants;
    struct rl_random random;
    bool is_wide;
    int names;
    struct value values[MOST_VALUES];
    int count;
};

int rl_random_below(struct rl_random *random, int limit)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((random->state >> 33) % (uint64_t)limit);
}

int rl_random_between(struct rl_random *random, int low, int high)
{
    return low + rl_random_below(random, high - low + 1);
}

static int below(struct writer *writer, int limit)
{
    return rl_random_below(&writer->random, limit);
}

static int between(struct writer *writer, int low, int high)
{
    return rl_random_between(&writer->random, low, high);
}

// An activation, at any place of its range.
static int any_value(struct writer *writer)
{
    return writer->is_wide ? between(writer, INT16_MIN, INT16_MAX) : between(writer, INT8_MIN, INT8_MAX);
}

static const char *type_of(const struct writer *writer)
{
    return writer->is_wide ? "i16" : "i8";
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

static void write_integers(struct writer *writer, char name[16], const char *dtype, int count, int low, int high)
{
    char type[32];
    int numbers[MOST_CHANNELS * MOST_CHANNELS];

    snprintf(type, sizeof type, "%s[%d]", dtype, count);
    for (int i = 0; i < count; i++) {
        numbers[i] = between(writer, low, high);
    }
    write_list(writer, name, type, numbers, count);
}

static void write_vector(struct writer *writer, char name[16], int count, int low, int high)
{
    write_integers(writer, name, "i32", count, low, high);
}

// Weights [outputs][positions][inputs] of which whole outputs and whole inputs are zero.
static int *random_weights(struct writer *writer, int outputs, int positions, int inputs, int zero)
{
    int *weights = calloc((size_t)(outputs * positions * inputs), sizeof *weights);
    bool dead_outputs[MOST_CHANNELS], dead_inputs[MOST_COLUMNS];
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

    *value = (struct value){.channels = channels, .height = height, .width = width};
    value->zero_point = writer->is_wide ? 0 : zero_point;
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
    const int odd = below(writer, 8) == 0 ? between(writer, -127, 128) : -in->zero_point;
    const int offset = writer->is_wide ? 0 : odd;
    const int lowest = writer->is_wide ? INT16_MIN : INT8_MIN;

    write_vector(writer, multipliers, out->channels, 1 << 30, INT32_MAX);
    write_vector(writer, shifts, out->channels, -9, -6);
    fprintf(writer->nodes,
            "stride=[%d, %d], padding=[%d, %d], dilation=[1, 1], %sinput_offset=%d, output_offset=%d, "
            "requantize_multipliers=%%%s, requantize_shifts=%%%s, activation_min=%d, activation_max=%d) : "
            "%s[1,%d,%d,%d]\n",
            stride, stride, padding, padding, more, offset, out->zero_point, multipliers, shifts,
            below(writer, 4) == 0 ? lowest : out->zero_point, writer->is_wide ? INT16_MAX : INT8_MAX, type_of(writer),
            out->channels, out->height, out->width);
}

static void write_bias(struct writer *writer, int channels)
{
    char bias[16];

    if (below(writer, 4) == 0) {
        fprintf(writer->nodes, "bias=None, ");
        return;
    }
    if (writer->is_wide) {
        write_integers(writer, bias, "i64", channels, -5000000, 5000000);
    } else {
        write_vector(writer, bias, channels, -20000, 20000);
    }
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
    if (is_depthwise && !writer->is_wide) {
        snprintf(more, sizeof more, "depth_multiplier=%d, ", outputs / in.channels);
    }
    fprintf(writer->nodes, "%%%s = %s::quantized_%sconv2d%s.default(input=%%%s, weight=%%%s, ", out->name,
            writer->is_wide ? "rushlight" : "cortex_m", is_depthwise ? "depthwise_" : "", writer->is_wide ? "_s16" : "",
            in.name, weights);
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

    snprintf(type, sizeof type, "%s[1,%d,%d,%d]", type_of(writer), image->channels, is_image ? image->height : 1,
             is_image ? image->width : 1);
    for (int i = 0; i < image->channels; i++) {
        const int repeated = any_value(writer), varies = below(writer, 2);
        for (int k = 0; k < pixels; k++) {
            numbers[i * pixels + k] = varies ? any_value(writer) : repeated;
        }
    }
    write_list(writer, name, type, numbers, image->channels * pixels);
    free(numbers);
}

static void write_wide_pair(struct writer *writer, const char *name, bool is_sum, const char *a, const char *b)
{
    if (is_sum) {
        fprintf(writer->nodes,
                "%%%s = rushlight::quantized_add_s16.default(self=%%%s, self_multiplier=1073741824, self_shift=0, "
                "other=%%%s, other_multiplier=%d, other_shift=-1, output_multiplier=1700000000, output_shift=-14, "
                "activation_min=%d, activation_max=32767) : ",
                name, a, b, between(writer, 1 << 30, INT32_MAX), below(writer, 2) == 0 ? 0 : INT16_MIN);
        return;
    }
    fprintf(writer->nodes,
            "%%%s = rushlight::quantized_mul_s16.default(self=%%%s, other=%%%s, output_multiplier=1500000000, "
            "output_shift=-12, activation_min=-32768, activation_max=32767) : ",
            name, a, b);
}

// An operator on two images of equal sizes, one of which may be a constant.
static void write_pair(struct writer *writer)
{
    static const char *const names[] = {"quantized_add", "quantized_mul", "minimum", "maximum"};
    const struct value a = writer->values[below(writer, writer->count)];
    const struct value *b = NULL;
    const int kind = below(writer, writer->is_wide ? 2 : 4);
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
    if (writer->is_wide) {
        write_wide_pair(writer, out->name, kind == 0, a.name, other);
        fprintf(writer->nodes, "i16[1,%d,%d,%d]\n", out->channels, out->height, out->width);
        return;
    }
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
    const int kind = below(writer, writer->is_wide ? 2 : 3), kernel = shortest_side(&in) > 1 ? 2 : 1;
    const int padding = kernel == 2 ? below(writer, 2) : 0;
    const int height = (in.height + 2 * padding - kernel) / kernel + 1;
    const int width = (in.width + 2 * padding - kernel) / kernel + 1;
    const int zero_point = kind == 2 ? between(writer, -128, 20) : in.zero_point;
    const struct value *out = add_value(writer, in.channels, height, width, zero_point);

    if (writer->is_wide) {
        fprintf(writer->nodes,
                "%%%s = rushlight::quantized_%s_pool2d_s16.default(input=%%%s, kernel_size=[%d, %d], stride=[%d, %d], "
                "padding=[%d, %d], ceil_mode=False) : i16[1,%d,%d,%d]\n",
                out->name, kind == 0 ? "max" : "avg", in.name, kernel, kernel, kernel, kernel, padding, padding,
                in.channels, height, width);
        return;
    }
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

// A function of one value: a look-up in 256 results, or between 353 places, or twice as many.
static void write_table(struct writer *writer, const char *name, const char *input)
{
    enum { PLACES = 353, MOST = 2 * PLACES };
    const int wide = below(writer, 2) == 0 ? PLACES : MOST, count = writer->is_wide ? wide : 256;
    int numbers[MOST];
    char table[16], type[16];

    for (int i = 0; i < count; i++) {
        numbers[i] = any_value(writer);
    }
    snprintf(type, sizeof type, "%s[%d]", type_of(writer), count);
    write_list(writer, table, type, numbers, count);
    fprintf(writer->nodes, "%%%s = %s.default(input=%%%s, %s=%%%s)", name,
            writer->is_wide ? "rushlight::quantized_activation_s16" : "cortex_m::quantized_activation", input,
            writer->is_wide ? "table" : "lut", table);
}

// A look-up, a clamp or a pad.
static void write_one(struct writer *writer)
{
    const struct value in = writer->values[below(writer, writer->count)];
    const int kind = below(writer, 3), grows = kind == 2 ? 2 : 0;
    const struct value *out = add_value(writer, in.channels, in.height + grows, in.width + grows, in.zero_point);

    if (kind == 0) {
        write_table(writer, out->name, in.name);
    } else if (kind == 1) {
        fprintf(writer->nodes, "%%%s = aten::clamp.default(self=%%%s, min=%d, max=100)", out->name, in.name,
                in.zero_point);
    } else {
        fprintf(writer->nodes, "%%%s = aten::constant_pad_nd.default(self=%%%s, pad=[1, 1, 1, 1], value=%d)", out->name,
                in.name, below(writer, 4) == 0 ? 5 : in.zero_point);
    }
    fprintf(writer->nodes, " : %s[1,%d,%d,%d]\n", type_of(writer), out->channels, out->height, out->width);
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

// A linear layer of int16, which is a convolution of one pixel.
static void write_wide_linear(struct writer *writer, const struct value *in, const char *output)
{
    const int columns = in->channels * in->height * in->width, outputs = between(writer, 1, 5);
    int *numbers = random_weights(writer, outputs, 1, columns, 0);
    const struct value row = {.channels = columns, .height = 1, .width = 1};
    struct value result = {.channels = outputs, .height = 1, .width = 1};
    char type[64], weights[16];

    snprintf(type, sizeof type, "i8[%d,1,1,%d]", outputs, columns);
    write_list(writer, weights, type, numbers, outputs * columns);
    free(numbers);
    snprintf(result.name, sizeof result.name, "%s", output);
    fprintf(writer->nodes, "%%f%s = aten::view_copy.default(self=%%%s, size=[1, %d, 1, 1]) : i16[1,%d,1,1]\n", output,
            in->name, columns, columns);
    fprintf(writer->nodes, "%%%s = rushlight::quantized_conv2d_s16.default(input=%%f%s, weight=%%%s, ", output, output,
            weights);
    write_bias(writer, outputs);
    write_rest(writer, &row, &result, 1, 0, "");
}

static void write_last(struct writer *writer, const struct value *in, const char *output)
{
    if (writer->is_wide) {
        write_wide_linear(writer, in, output);
    } else {
        write_linear(writer, in, output);
    }
}

char *rl_random_network(uint64_t seed, bool is_wide)
{
    struct writer writer = {.random = {seed}, .is_wide = is_wide};
    char *nodes = NULL, *constants = NULL, *text = NULL;
    size_t size, outputs = 0;

    writer.nodes = open_memstream(&nodes, &size);
    writer.constants = open_memstream(&constants, &size);
    struct value *input = add_value(&writer, between(&writer, 1, 6), between(&writer, 3, 9), 6, -3);
    fprintf(writer.constants, "graph g\ninput %%%s : %s[1,%d,%d,%d]\n", input->name, type_of(&writer), input->channels,
            input->height, input->width);
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
    write_last(&writer, last, "y0");
    write_last(&writer, &writer.values[writer.count - 2], "y1");
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
