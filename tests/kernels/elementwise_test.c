// SPDX-License-Identifier: Apache-2.0
// int8 addition, multiplication, minimum, maximum and rectifiers, one element at a time against their definitions.
#include "arm_nnfunctions.h"
#include "rushlight/kernels/elementwise.h"
#include "support/kernel_test.h"

#include <string.h>

struct operand {
    int32_t offset, multiplier, shift;
};

static size_t random_count(struct rl_case *c)
{
    return (size_t)(rl_random_one_in(c, 4) ? rl_random_in(c, 500, 700) : rl_random_in(c, 0, 70));
}

static void random_limits(struct rl_case *c, int32_t *low, int32_t *high)
{
    *low = rl_random_one_in(c, 2) ? -128 : rl_random_in(c, -128, 127);
    *high = rl_random_one_in(c, 2) ? 127 : rl_random_in(c, *low, 127);
}

// Multipliers of additions: one half for the input of the larger scale, anything for the other, and unusual ones.
static struct operand random_operand(struct rl_case *c)
{
    struct operand o = {rl_random_extreme(c, -127, 128), 1 << 30, 0};
    if (!rl_random_one_in(c, 3)) {
        o.multiplier = rl_random_extreme(c, 1 << 30, INT32_MAX);
        o.shift = rl_random_in(c, -9, 0);
    }
    if (rl_random_one_in(c, 16)) {
        o.multiplier = 1 << rl_random_in(c, 0, 30);
        o.shift = rl_random_in(c, -31, 1);
    }
    return o;
}

static int32_t reference_term(const struct operand *o, int32_t left_shift, int32_t value)
{
    const int32_t shifted = (int32_t)((uint32_t)(value + o->offset) << left_shift);
    return rl_reference_requantize(shifted, o->multiplier, o->shift);
}

// The output may be either input.
static int8_t *output_of(struct rl_case *c, int8_t *x, int8_t *y, size_t count)
{
    if (rl_random_one_in(c, 3)) {
        return x;
    }
    return rl_random_one_in(c, 2) ? y : rl_case_s8(c, count);
}

static void test_add(struct rl_case *c)
{
    rl_test_start(c, "add_s8");
    for (int i = 0; i < 400; i++) {
        const size_t count = random_count(c);
        const struct operand a = random_operand(c), b = random_operand(c);
        const int32_t left = rl_random_one_in(c, 8) ? rl_random_in(c, 0, 20) : 20;
        const struct operand out = {rl_random_extreme(c, -128, 127), rl_random_extreme(c, 1 << 30, INT32_MAX),
                                    rl_random_one_in(c, 16) ? rl_random_in(c, -31, 1) : rl_random_in(c, -21, -15)};
        int32_t low, high;
        random_limits(c, &low, &high);
        rl_case_begin(c, "%ld elements, (%ld %ld %ld) + (%ld %ld %ld), left %ld, output (%ld %ld %ld) in %ld..%ld",
                      (long)count, (long)a.offset, (long)a.multiplier, (long)a.shift, (long)b.offset,
                      (long)b.multiplier, (long)b.shift, (long)left, (long)out.offset, (long)out.multiplier,
                      (long)out.shift, (long)low, (long)high);
        int8_t *x = rl_case_s8(c, count), *y = rl_case_s8(c, count), *expected = rl_case_s8(c, count);
        for (size_t k = 0; k < count; k++) {
            const int32_t sum = reference_term(&a, left, x[k]) + reference_term(&b, left, y[k]);
            expected[k] = rl_reference_output(sum, out.multiplier, out.shift, out.offset, low, high);
        }
        int8_t *output = output_of(c, x, y, count);
        arm_cmsis_nn_status status = ARM_CMSIS_NN_SUCCESS;
        if (rl_random_one_in(c, 2)) {
            status =
                arm_elementwise_add_s8(x, y, a.offset, a.multiplier, a.shift, b.offset, b.multiplier, b.shift, left,
                                       output, out.offset, out.multiplier, out.shift, low, high, (int32_t)count);
        } else {
            // The table may have a memory of its own, of any size and at any address.
            const int32_t bytes = rl_random_in(c, 0, 1100);
            const struct rl_scratch scratch = {bytes > 0 ? rl_case_s8(c, (size_t)bytes) : NULL, bytes};
            const struct rl_add layer = {
                .input = {{a.offset, {a.multiplier, a.shift}}, {b.offset, {b.multiplier, b.shift}}},
                .left_shift = left,
                .output_offset = out.offset,
                .scale = {out.multiplier, out.shift},
                .range = {low, high},
                .count = (int32_t)count,
            };
            rl_add_run(&layer, x, y, output, scratch);
        }
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s8(c, "output", expected, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_mul(struct rl_case *c)
{
    rl_test_start(c, "mul_s8");
    for (int i = 0; i < 400; i++) {
        const size_t count = random_count(c);
        // Hardswish of stock programs has an offset far beyond int8, with which the product may even wrap.
        static const int32_t furthest_ones[] = {INT8_MAX, INT8_MAX, INT16_MAX - INT8_MAX, INT32_MAX + INT8_MIN};
        const int32_t furthest = furthest_ones[rl_random_in(c, 0, 3)];
        const int32_t offset_a = rl_random_extreme(c, -127, 128);
        const int32_t offset_b = rl_random_extreme(c, -furthest, furthest);
        struct operand out = {rl_random_extreme(c, -128, 127), 0, 0};
        rl_random_scale(c, &out.multiplier, &out.shift);
        int32_t low, high;
        random_limits(c, &low, &high);
        rl_case_begin(c, "%ld elements, offsets %ld and %ld, output (%ld %ld %ld) in %ld..%ld", (long)count,
                      (long)offset_a, (long)offset_b, (long)out.offset, (long)out.multiplier, (long)out.shift,
                      (long)low, (long)high);
        int8_t *x = rl_case_s8(c, count), *y = rl_case_s8(c, count), *expected = rl_case_s8(c, count);
        for (size_t k = 0; k < count; k++) {
            const int64_t exact = (int64_t)(x[k] + offset_a) * (y[k] + offset_b);
            const int32_t product = rl_reference_low_word(exact);
            expected[k] = rl_reference_output(product, out.multiplier, out.shift, out.offset, low, high);
        }
        int8_t *output = output_of(c, x, y, count);
        const arm_cmsis_nn_status status = arm_elementwise_mul_s8(x, y, offset_a, offset_b, output, out.offset,
                                                                  out.multiplier, out.shift, low, high, (int32_t)count);
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s8(c, "output", expected, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static size_t elements(const int32_t size[4])
{
    return (size_t)size[0] * (size_t)size[1] * (size_t)size[2] * (size_t)size[3];
}

static cmsis_nn_dims dims_of(const int32_t size[4])
{
    return (cmsis_nn_dims){size[0], size[1], size[2], size[3]};
}

// Element of a tensor that is repeated along the axes where it has size 1.
static int8_t broadcast_element(const int8_t *data, const int32_t size[4], const int32_t at[4])
{
    size_t index = 0;
    for (int axis = 0; axis < 4; axis++) {
        index = index * (size_t)size[axis] + (size_t)(size[axis] == 1 ? 0 : at[axis]);
    }
    return data[index];
}

// Sizes where each axis is the same for both, or 1 for one of them.
static void random_shapes(struct rl_case *c, int32_t a[4], int32_t b[4], int32_t out[4])
{
    for (int axis = 0; axis < 4; axis++) {
        out[axis] = rl_random_one_in(c, 3) ? 1 : rl_random_in(c, 1, axis == 3 ? 37 : 4);
        a[axis] = rl_random_one_in(c, 3) ? 1 : out[axis];
        b[axis] = a[axis] == out[axis] && rl_random_one_in(c, 3) ? 1 : out[axis];
    }
    if (rl_random_one_in(c, 4)) { // no broadcasting at all
        memcpy(a, out, 4 * sizeof *a);
        memcpy(b, out, 4 * sizeof *b);
    }
}

static void test_extremum(struct rl_case *c, const char *name, bool maximum)
{
    rl_test_start(c, name);
    for (int i = 0; i < 400; i++) {
        int32_t a[4], b[4], out[4];
        random_shapes(c, a, b, out);
        rl_case_begin(c, "[%ld %ld %ld %ld] and [%ld %ld %ld %ld]", (long)a[0], (long)a[1], (long)a[2], (long)a[3],
                      (long)b[0], (long)b[1], (long)b[2], (long)b[3]);
        const size_t count = elements(out);
        int8_t *x = rl_case_s8(c, elements(a)), *y = rl_case_s8(c, elements(b));
        int8_t *output = rl_case_s8(c, count), *expected = rl_case_s8(c, count);
        for (size_t k = 0; k < count; k++) {
            const int32_t rest = (int32_t)k;
            const int32_t at[4] = {rest / (out[3] * out[2] * out[1]), rest / (out[3] * out[2]) % out[1],
                                   rest / out[3] % out[2], rest % out[3]};
            const int8_t p = broadcast_element(x, a, at), q = broadcast_element(y, b, at);
            expected[k] = (p > q) == maximum ? p : q;
        }
        const cmsis_nn_context ctx = {NULL, 0};
        const cmsis_nn_dims a_dims = dims_of(a), b_dims = dims_of(b), out_dims = dims_of(out);
        const arm_cmsis_nn_status status = maximum ? arm_maximum_s8(&ctx, x, &a_dims, y, &b_dims, output, &out_dims)
                                                   : arm_minimum_s8(&ctx, x, &a_dims, y, &b_dims, output, &out_dims);
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s8(c, "output", expected, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_incompatible_shapes(struct rl_case *c)
{
    rl_test_start(c, "incompatible_shapes_touch_nothing");
    for (int axis = 0; axis < 4; axis++) {
        rl_case_begin(c, "sizes 2 and 3 on axis %d", axis);
        int32_t a[4] = {1, 2, 1, 2}, b[4] = {1, 1, 2, 2}, out[4] = {3, 3, 3, 3};
        a[axis] = 2;
        b[axis] = 3;
        int8_t *x = rl_case_s8(c, elements(a)), *y = rl_case_s8(c, elements(b));
        int8_t *output = rl_case_s8(c, elements(out)), *before = rl_case_s8(c, elements(out));
        memcpy(before, output, elements(out));
        const cmsis_nn_context ctx = {NULL, 0};
        const cmsis_nn_dims a_dims = dims_of(a), b_dims = dims_of(b), out_dims = dims_of(out);
        rl_case_expect(c, arm_minimum_s8(&ctx, x, &a_dims, y, &b_dims, output, &out_dims) == ARM_CMSIS_NN_ARG_ERROR,
                       "an argument error from the minimum");
        rl_case_expect(c, arm_maximum_s8(&ctx, x, &a_dims, y, &b_dims, output, &out_dims) == ARM_CMSIS_NN_ARG_ERROR,
                       "an argument error from the maximum");
        rl_case_equal_s8(c, "output", before, output, elements(out));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_relu(struct rl_case *c)
{
    rl_test_start(c, "rectifiers");
    for (int i = 0; i < 100; i++) {
        const size_t count = (size_t)rl_random_in(c, 0, 70);
        rl_case_begin(c, "%ld elements", (long)count);
        int8_t *plain = rl_case_s8(c, count), *six = rl_case_s8(c, count), *expected = rl_case_s8(c, count);
        int16_t *wide = rl_case_buffer(c, count * 2, 2), *expected_wide = rl_case_buffer(c, count * 2, 0);
        for (size_t k = 0; k < count; k++) {
            expected[k] = plain[k] > 0 ? plain[k] : 0;
            expected_wide[k] = wide[k] > 0 ? wide[k] : 0;
        }
        arm_relu_q7(plain, (uint16_t)count);
        arm_relu_q15(wide, (uint16_t)count);
        rl_case_equal_s8(c, "relu", expected, plain, count);
        rl_case_equal_s16(c, "relu of int16", expected_wide, wide, count);
        for (size_t k = 0; k < count; k++) {
            expected[k] = (int8_t)rl_reference_limited(six[k], (cmsis_nn_activation){0, 6});
        }
        arm_relu6_s8(six, (uint16_t)count);
        rl_case_equal_s8(c, "relu6", expected, six, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_add(&c);
    test_mul(&c);
    test_extremum(&c, "minimum_s8", false);
    test_extremum(&c, "maximum_s8", true);
    test_incompatible_shapes(&c);
    test_relu(&c);
    return rl_test_finish(&c);
}
