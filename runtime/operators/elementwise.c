// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_add and cortex_m::quantized_mul, rushlight::quantized_add_s16 and rushlight::quantized_mul_s16,
// rushlight::quantized_cumsum and rushlight::quantized_magnitude. Both tensors of sums and products have the same
// shape, or one of them has a single value per channel.
#include "rushlight/kernels/elementwise.h"
#include "runtime/operators/layer.h"

// The tensors of a call. They have the same size, or `small` has one value per channel, and repeats along the blocks of
// `large`.
struct pair {
    const int8_t *large, *small; // bytes, also of int16
    int8_t *output;
    uint32_t bytes; // of `large` and the output
    int32_t block;  // bytes of `small`
    bool swapped;   // whether `small` is the first of the inputs
};

static bool is_one_value_per_channel(const struct rl_tensor *tensor, const struct rl_tensor *other)
{
    return tensor->rank == 4 && other->rank == 4 && tensor->sizes[1] == other->sizes[1] &&
           rl_tensor_count(tensor) == (uint32_t)tensor->sizes[1];
}

// Reads the tensors, the second of which is argument `right_argument`. Decides how they are combined, and checks shapes
// and memory.
static void read_tensors(struct rl_call *call, enum rl_scalar_type dtype, uint32_t right_argument,
                         uint32_t output_argument, struct pair *pair)
{
    struct rl_tensor tensors[2], output;
    rl_call_tensor(call, 0, &tensors[0]);
    rl_call_tensor(call, right_argument, &tensors[1]);
    rl_call_output(call, output_argument, &output);
    rl_expect_type(call, 0, &tensors[0], dtype, -1);
    rl_expect_type(call, right_argument, &tensors[1], dtype, -1);
    rl_expect_type(call, output_argument, &output, dtype, -1);
    const bool swapped = tensors[0].bytes < tensors[1].bytes;
    const struct rl_tensor *large = &tensors[swapped], *small = &tensors[!swapped];
    *pair = (struct pair){large->data, small->data, output.data, output.bytes, (int32_t)small->bytes, swapped};
    if (call->status != RL_OK) {
        return;
    }
    rl_expect(call, rl_same_layout(large, &output), output_argument,
              "the output differs from the input in shape or layout");
    rl_expect_aligned(call, output_argument, &output, large);
    if (rl_same_layout(large, small)) {
        rl_expect_aligned(call, output_argument, &output, small);
        return;
    }
    rl_expect(call, is_one_value_per_channel(small, large), 0,
              "the inputs neither have the same shape and layout nor one value per channel");
    rl_expect(call, call->status != RL_OK || rl_is_ordered(large, rl_order_channels_last), 0,
              "a tensor is not channels-last in memory");
    rl_expect_disjoint(call, output_argument, &output, small);
}

struct addition {
    struct pair pair;
    struct rl_add layer;
};

// Reads a call; NULL when it is refused.
static const struct addition *read_addition(struct rl_call *call, struct addition *a)
{
    enum {
        LEFT,
        LEFT_ZERO_POINT,
        LEFT_MULTIPLIER,
        LEFT_SHIFT,
        RIGHT,
        RIGHT_ZERO_POINT,
        RIGHT_MULTIPLIER,
        RIGHT_SHIFT,
        ZERO_POINT,
        MULTIPLIER,
        SHIFT,
        ACTIVATION_MIN,
        ACTIVATION_MAX,
        OUTPUT
    };
    struct rl_addend left, right;
    left.offset = -rl_call_zero_point(call, LEFT_ZERO_POINT);
    right.offset = -rl_call_zero_point(call, RIGHT_ZERO_POINT);
    rl_call_scale(call, LEFT_MULTIPLIER, &left.scale);
    rl_call_scale(call, RIGHT_MULTIPLIER, &right.scale);
    a->layer.left_shift = 20; // as the stock operator
    a->layer.output_offset = rl_call_zero_point(call, ZERO_POINT);
    rl_call_scale(call, MULTIPLIER, &a->layer.scale);
    rl_call_range(call, ACTIVATION_MIN, ACTIVATION_MAX, &a->layer.range);
    read_tensors(call, RL_INT8, RIGHT, OUTPUT, &a->pair);
    a->layer.input[a->pair.swapped] = left;
    a->layer.input[!a->pair.swapped] = right;
    a->layer.count = a->pair.block;
    return rl_call_keep(call, a, sizeof *a);
}

enum rl_status rl_run_cm_quantized_add(struct rl_call *call)
{
    struct addition made;
    const struct addition *a = call->kept ? call->kept : read_addition(call, &made);
    struct rl_scratch scratch = {0};
    rl_call_spare(call, &scratch);
    for (uint32_t done = 0; a && done < a->pair.bytes; done += (uint32_t)a->pair.block) {
        rl_add_run(&a->layer, a->pair.large + done, a->pair.small, a->pair.output + done, scratch);
    }
    return call->status;
}

// The zero point of a factor. For hardswish, whose factor stock programs cut off at 6, it lies far outside int8, and
// the farther the smaller the scale is. Its difference to a value fits 32 bits.
enum { FURTHEST_ZERO_POINT = INT32_MAX + INT8_MIN };

static int32_t factor_zero_point(struct rl_call *call, uint32_t argument)
{
    return rl_call_bounded(call, argument, -FURTHEST_ZERO_POINT, FURTHEST_ZERO_POINT);
}

struct multiplication {
    struct pair pair;
    struct rl_mul layer;
};

static const struct multiplication *read_multiplication(struct rl_call *call, struct multiplication *m)
{
    enum { LEFT, LEFT_ZERO_POINT, RIGHT, RIGHT_ZERO_POINT, ZERO_POINT, MULTIPLIER, SHIFT, OUTPUT };
    const int32_t left_offset = -factor_zero_point(call, LEFT_ZERO_POINT);
    const int32_t right_offset = -factor_zero_point(call, RIGHT_ZERO_POINT);
    m->layer.output_offset = rl_call_zero_point(call, ZERO_POINT);
    rl_call_scale(call, MULTIPLIER, &m->layer.scale);
    m->layer.range = (struct rl_range){INT8_MIN, INT8_MAX};
    read_tensors(call, RL_INT8, RIGHT, OUTPUT, &m->pair);
    m->layer.input_offset[m->pair.swapped] = left_offset;
    m->layer.input_offset[!m->pair.swapped] = right_offset;
    m->layer.count = m->pair.block;
    return rl_call_keep(call, m, sizeof *m);
}

enum rl_status rl_run_cm_quantized_mul(struct rl_call *call)
{
    struct multiplication made;
    const struct multiplication *m = call->kept ? call->kept : read_multiplication(call, &made);
    for (uint32_t done = 0; m && done < m->pair.bytes; done += (uint32_t)m->pair.block) {
        rl_mul_run(&m->layer, m->pair.large + done, m->pair.small, m->pair.output + done);
    }
    return call->status;
}

// ---- int16

// The range of int16 results, and their number in a block.
static void read_wide_range(struct rl_call *call, uint32_t argument, struct rl_range *range)
{
    range->min = rl_bounded_int(call, argument, INT16_MIN, INT16_MAX);
    range->max = rl_bounded_int(call, argument + 1, range->min, INT16_MAX);
}

static const struct addition *read_wide_addition(struct rl_call *call, struct addition *a)
{
    enum { LEFT, LEFT_SCALE, RIGHT = 3, RIGHT_SCALE, SCALE = 6, RANGE = 8, OUTPUT = 10 };
    struct rl_addend left = {.offset = 0}, right = {.offset = 0};
    rl_call_scale(call, LEFT_SCALE, &left.scale);
    rl_call_scale(call, RIGHT_SCALE, &right.scale);
    rl_call_scale(call, SCALE, &a->layer.scale);
    read_wide_range(call, RANGE, &a->layer.range);
    read_tensors(call, RL_INT16, RIGHT, OUTPUT, &a->pair);
    rl_expect(call, call->status != RL_OK || (left.scale.shift <= 0 && right.scale.shift <= 0), LEFT_SCALE + 1,
              "a shift of an operand is above 0");
    a->layer.left_shift = 15;
    a->layer.output_offset = 0;
    a->layer.input[a->pair.swapped] = left;
    a->layer.input[!a->pair.swapped] = right;
    a->layer.count = a->pair.block / (int32_t)sizeof(int16_t);
    return rl_call_keep(call, a, sizeof *a);
}

static const int16_t *halfwords(const int8_t *bytes)
{
    return (const int16_t *)(const void *)bytes;
}

enum rl_status rl_run_rl_quantized_add_s16(struct rl_call *call)
{
    struct addition made;
    const struct addition *a = call->kept ? call->kept : read_wide_addition(call, &made);
    for (uint32_t done = 0; a && done < a->pair.bytes; done += (uint32_t)a->pair.block) {
        rl_add_s16_run(&a->layer, halfwords(a->pair.large + done), halfwords(a->pair.small),
                       (int16_t *)(void *)(a->pair.output + done));
    }
    return call->status;
}

static const struct multiplication *read_wide_multiplication(struct rl_call *call, struct multiplication *m)
{
    enum { LEFT, RIGHT, SCALE, RANGE = 4, OUTPUT = 6 };
    rl_call_scale(call, SCALE, &m->layer.scale);
    read_wide_range(call, RANGE, &m->layer.range);
    read_tensors(call, RL_INT16, RIGHT, OUTPUT, &m->pair);
    rl_expect(call, call->status != RL_OK || m->layer.scale.shift <= 0, SCALE + 1, "the shift is above 0");
    m->layer.output_offset = m->layer.input_offset[0] = m->layer.input_offset[1] = 0;
    m->layer.count = m->pair.block / (int32_t)sizeof(int16_t);
    return rl_call_keep(call, m, sizeof *m);
}

enum rl_status rl_run_rl_quantized_mul_s16(struct rl_call *call)
{
    struct multiplication made;
    const struct multiplication *m = call->kept ? call->kept : read_wide_multiplication(call, &made);
    for (uint32_t done = 0; m && done < m->pair.bytes; done += (uint32_t)m->pair.block) {
        rl_mul_s16_run(&m->layer, halfwords(m->pair.large + done), halfwords(m->pair.small),
                       (int16_t *)(void *)(m->pair.output + done));
    }
    return call->status;
}

struct running_sum {
    const int8_t *input;
    int8_t *output;
    struct rl_running_sum layer;
};

static int32_t product(const struct rl_tensor *tensor, uint32_t first, uint32_t end)
{
    int32_t count = 1;
    for (uint32_t i = first; i < end; i++) {
        count *= tensor->sizes[i];
    }
    return count;
}

static const struct running_sum *read_running_sum(struct rl_call *call, struct running_sum *s)
{
    enum { INPUT, DIM, INPUT_ZERO_POINT, OUTPUT_ZERO_POINT, MULTIPLIER, OUTPUT = 6 };
    struct rl_tensor input, output;
    struct rl_running_sum *layer = &s->layer;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_INT8, -1);
    rl_expect_type(call, OUTPUT, &output, RL_INT8, -1);
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_aligned(call, OUTPUT, &output, &input);
    const int32_t dim = rl_bounded_int(call, DIM, 0, RL_TENSOR_MAX_RANK - 1);
    layer->input_offset = -rl_call_zero_point(call, INPUT_ZERO_POINT);
    layer->output_offset = rl_call_zero_point(call, OUTPUT_ZERO_POINT);
    rl_call_scale(call, MULTIPLIER, &layer->scale);
    if (call->status != RL_OK) {
        return NULL;
    }
    rl_expect(call, (uint32_t)dim < input.rank, DIM, "a dimension that the tensor does not have");
    rl_expect(call, rl_is_ordered(&input, rl_order_contiguous), INPUT, "a tensor is not contiguous");
    if (call->status != RL_OK) {
        return NULL;
    }
    layer->count = input.sizes[dim];
    rl_expect(call, layer->count <= RL_RUNNING_SUM_MOST, INPUT, "too many values a sum");
    if (input.bytes > 0) {
        layer->outer = product(&input, 0, (uint32_t)dim);
        layer->inner = product(&input, (uint32_t)dim + 1, input.rank);
    } else {
        layer->outer = layer->inner = 0;
    }
    s->input = input.data;
    s->output = output.data;
    return rl_call_keep(call, s, sizeof *s);
}

enum rl_status rl_run_rl_quantized_cumsum(struct rl_call *call)
{
    struct running_sum made;
    const struct running_sum *s = call->kept ? call->kept : read_running_sum(call, &made);
    if (s) {
        rl_running_sum_run(&s->layer, s->input, s->output);
    }
    return call->status;
}

struct magnitude {
    const void *real, *imaginary; // of int8 or int16
    void *output;
    bool is_wide;
    struct rl_magnitude layer;
};

static const struct magnitude *read_magnitude(struct rl_call *call, struct magnitude *m)
{
    enum { REAL, IMAGINARY, ROOT, INPUT_ZERO_POINT, EPSILON, MULTIPLIER, SHIFT, OUTPUT_ZERO_POINT, OUTPUT };
    struct rl_tensor real, imaginary, output;
    struct rl_magnitude *layer = &m->layer;
    rl_call_tensor(call, REAL, &real);
    rl_call_tensor(call, IMAGINARY, &imaginary);
    rl_call_output(call, OUTPUT, &output);
    m->is_wide = real.dtype == RL_INT16;
    const enum rl_scalar_type dtype = m->is_wide ? RL_INT16 : RL_INT8;
    rl_expect_type(call, REAL, &real, dtype, -1);
    rl_expect_type(call, IMAGINARY, &imaginary, dtype, -1);
    rl_expect_type(call, OUTPUT, &output, dtype, -1);
    rl_expect(call, rl_same_layout(&real, &imaginary), IMAGINARY, "the parts differ in shape or layout");
    rl_expect(call, rl_same_layout(&real, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_aligned(call, OUTPUT, &output, &real);
    rl_expect_aligned(call, OUTPUT, &output, &imaginary);
    layer->is_root = rl_call_bool(call, ROOT);
    layer->input_offset = -rl_bounded_int(call, INPUT_ZERO_POINT, m->is_wide ? 0 : INT8_MIN, m->is_wide ? 0 : INT8_MAX);
    layer->epsilon = rl_bounded_int(call, EPSILON, 0, INT32_MAX);
    layer->multiplier = rl_bounded_int(call, MULTIPLIER, 0, INT32_MAX);
    layer->shift = rl_bounded_int(call, SHIFT, -32, 30);
    layer->output_offset =
        rl_bounded_int(call, OUTPUT_ZERO_POINT, m->is_wide ? 0 : INT8_MIN, m->is_wide ? 0 : INT8_MAX);
    if (call->status != RL_OK) {
        return NULL;
    }
    layer->count = (int32_t)rl_tensor_count(&output);
    m->real = real.data;
    m->imaginary = imaginary.data;
    m->output = output.data;
    return rl_call_keep(call, m, sizeof *m);
}

enum rl_status rl_run_rl_quantized_magnitude(struct rl_call *call)
{
    struct magnitude made;
    const struct magnitude *m = call->kept ? call->kept : read_magnitude(call, &made);
    if (m && m->is_wide) {
        rl_magnitude_s16_run(&m->layer, m->real, m->imaginary, m->output);
    } else if (m) {
        rl_magnitude_run(&m->layer, m->real, m->imaginary, m->output);
    }
    return call->status;
}
