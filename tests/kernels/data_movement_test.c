// SPDX-License-Identifier: Apache-2.0
// Pad, transpose, reshape and concatenation, element by element.
#include "arm_nnfunctions.h"
#include "support/kernel_test.h"

#include <string.h>

static size_t elements(const int32_t size[4])
{
    return (size_t)size[0] * (size_t)size[1] * (size_t)size[2] * (size_t)size[3];
}

static size_t index_of(const int32_t size[4], const int32_t at[4])
{
    return (((size_t)at[0] * (size_t)size[1] + (size_t)at[1]) * (size_t)size[2] + (size_t)at[2]) * (size_t)size[3] +
           (size_t)at[3];
}

// The next position in a tensor; false after the last.
static bool next(const int32_t size[4], int32_t at[4])
{
    for (int axis = 3; axis >= 0; axis--) {
        if (++at[axis] < size[axis]) {
            return true;
        }
        at[axis] = 0;
    }
    return false;
}

static cmsis_nn_dims dims_of(const int32_t size[4])
{
    return (cmsis_nn_dims){size[0], size[1], size[2], size[3]};
}

static void test_pad(struct rl_case *c)
{
    rl_test_start(c, "pad_s8");
    for (int i = 0; i < 300; i++) {
        int32_t size[4], before[4], after[4], padded[4], at[4] = {0, 0, 0, 0};
        for (int axis = 0; axis < 4; axis++) {
            const bool pads = rl_random_one_in(c, 2);
            size[axis] = rl_random_in(c, 1, axis == 3 ? 40 : 5);
            before[axis] = pads ? rl_random_in(c, 0, 4) : 0;
            after[axis] = pads ? rl_random_in(c, 0, 20) / (axis == 3 ? 1 : 5) : 0;
            padded[axis] = before[axis] + size[axis] + after[axis];
        }
        const int8_t value = (int8_t)rl_random_in(c, -128, 127);
        rl_case_begin(c, "[%ld %ld %ld %ld] + before [%ld %ld %ld %ld] + after [%ld %ld %ld %ld]", (long)size[0],
                      (long)size[1], (long)size[2], (long)size[3], (long)before[0], (long)before[1], (long)before[2],
                      (long)before[3], (long)after[0], (long)after[1], (long)after[2], (long)after[3]);
        int8_t *input = rl_case_s8(c, elements(size)), *output = rl_case_s8(c, elements(padded));
        int8_t *expected = rl_case_s8(c, elements(padded));
        memset(expected, value, elements(padded));
        do {
            const int32_t to[4] = {at[0] + before[0], at[1] + before[1], at[2] + before[2], at[3] + before[3]};
            expected[index_of(padded, to)] = input[index_of(size, at)];
        } while (next(size, at));
        const cmsis_nn_dims in = dims_of(size), pre = dims_of(before), post = dims_of(after);
        rl_case_expect(c, arm_pad_s8(input, output, value, &in, &pre, &post) == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s8(c, "output", expected, output, elements(padded));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void random_permutation(struct rl_case *c, int32_t axes, uint32_t permutation[4])
{
    for (int32_t i = 0; i < 4; i++) {
        permutation[i] = (uint32_t)i;
    }
    for (int32_t i = axes - 1; i > 0; i--) {
        const int32_t other = rl_random_in(c, 0, i);
        const uint32_t kept = permutation[i];
        permutation[i] = permutation[other];
        permutation[other] = kept;
    }
}

// The last `axes` of four sizes are the tensor; the API takes them in the first fields.
static cmsis_nn_dims leading_dims(const int32_t *size, int32_t axes)
{
    int32_t leading[4] = {1, 1, 1, 1};
    memcpy(leading, size + 4 - axes, (size_t)axes * sizeof *size);
    return dims_of(leading);
}

static void test_transpose(struct rl_case *c)
{
    rl_test_start(c, "transpose_s8");
    for (int i = 0; i < 400; i++) {
        const int32_t axes = rl_random_in(c, 1, 4);
        uint32_t permutation[4];
        random_permutation(c, axes, permutation);
        if (axes == 2) { // two axes always change places
            permutation[0] = 1;
            permutation[1] = 0;
        }
        int32_t size[4] = {1, 1, 1, 1}, out_size[4] = {1, 1, 1, 1}, at[4] = {0, 0, 0, 0};
        for (int32_t k = 0; k < axes; k++) {
            size[4 - axes + k] = rl_random_one_in(c, 2) ? 4 * rl_random_in(c, 1, 4) : rl_random_in(c, 1, 9);
        }
        for (int32_t k = 0; k < axes; k++) {
            out_size[4 - axes + k] = size[4 - axes + (int32_t)permutation[k]];
        }
        rl_case_begin(c, "%ld axes, last of [%ld %ld %ld %ld], permutation %d %d %d %d", (long)axes, (long)size[0],
                      (long)size[1], (long)size[2], (long)size[3], (int)permutation[0], (int)permutation[1],
                      (int)permutation[2], (int)permutation[3]);
        const size_t count = elements(size);
        int8_t *input = rl_case_s8(c, count), *output = rl_case_s8(c, count), *expected = rl_case_s8(c, count);
        do {
            int32_t to[4] = {0, 0, 0, 0};
            for (int32_t k = 0; k < axes; k++) {
                to[4 - axes + k] = at[4 - axes + (int32_t)permutation[k]];
            }
            expected[index_of(out_size, to)] = input[index_of(size, at)];
        } while (next(size, at));
        const cmsis_nn_dims in = leading_dims(size, axes), out = leading_dims(out_size, axes);
        const cmsis_nn_transpose_params params = {axes, permutation};
        rl_case_expect(c, arm_transpose_s8(input, output, &in, &out, &params) == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s8(c, "output", expected, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_transpose_refused(struct rl_case *c)
{
    static const uint32_t bad[][4] = {{4, 0, 1, 2}, {0, 0, 1, 2}, {0, 1, 2, 2}, {3, 2, 1, 7}};
    rl_test_start(c, "transpose_refuses_what_is_no_permutation");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rl_case_begin(c, "case %d", (int)i);
        int8_t *input = rl_case_s8(c, 16), *output = rl_case_s8(c, 16), *before = rl_case_s8(c, 16);
        memcpy(before, output, 16);
        const cmsis_nn_dims dims = {2, 2, 2, 2};
        const cmsis_nn_transpose_params params = {4, bad[i]};
        rl_case_expect(c, arm_transpose_s8(input, output, &dims, &dims, &params) == ARM_CMSIS_NN_ARG_ERROR,
                       "an argument error");
        rl_case_equal_s8(c, "output", before, output, 16);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void concatenate(int axis, const int8_t *input, const int32_t in[4], int8_t *output, int32_t out_size,
                        int32_t offset)
{
    const uint16_t w = (uint16_t)in[0], z = (uint16_t)in[1], y = (uint16_t)in[2], x = (uint16_t)in[3];
    switch (axis) {
    case 0:
        arm_concatenation_s8_w(input, x, y, z, w, output, (uint32_t)offset);
        break;
    case 1:
        arm_concatenation_s8_z(input, x, y, z, w, output, (uint16_t)out_size, (uint32_t)offset);
        break;
    case 2:
        arm_concatenation_s8_y(input, x, y, z, w, output, (uint16_t)out_size, (uint32_t)offset);
        break;
    default:
        arm_concatenation_s8_x(input, x, y, z, w, output, (uint16_t)out_size, (uint32_t)offset);
        break;
    }
}

static void test_concatenation(struct rl_case *c)
{
    rl_test_start(c, "concatenation_s8");
    for (int i = 0; i < 200; i++) {
        const int axis = rl_random_in(c, 0, 3); // 0 is w, the outermost; 3 is x
        int32_t size[4], out_size[4], at[4] = {0, 0, 0, 0};
        for (int k = 0; k < 4; k++) {
            size[k] = rl_random_in(c, 1, k == 3 ? 20 : 4);
            out_size[k] = size[k];
        }
        const int32_t offset = rl_random_in(c, 0, 5);
        out_size[axis] += offset + rl_random_in(c, 0, 5);
        rl_case_begin(c, "[%ld %ld %ld %ld] at %ld of axis %d with %ld", (long)size[0], (long)size[1], (long)size[2],
                      (long)size[3], (long)offset, axis, (long)out_size[axis]);
        int8_t *input = rl_case_s8(c, elements(size));
        int8_t *output = rl_case_s8(c, elements(out_size)), *expected = rl_case_s8(c, elements(out_size));
        memcpy(expected, output, elements(out_size));
        do {
            int32_t to[4] = {at[0], at[1], at[2], at[3]};
            to[axis] += offset;
            expected[index_of(out_size, to)] = input[index_of(size, at)];
        } while (next(size, at));
        concatenate(axis, input, size, output, out_size[axis], offset);
        rl_case_equal_s8(c, "output", expected, output, elements(out_size));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_reshape(struct rl_case *c)
{
    rl_test_start(c, "reshape_s8");
    for (int i = 0; i < 50; i++) {
        const size_t count = (size_t)rl_random_in(c, 0, 100);
        rl_case_begin(c, "%ld elements", (long)count);
        int8_t *input = rl_case_s8(c, count), *output = rl_case_s8(c, count), *expected = rl_case_s8(c, count);
        memcpy(expected, input, count);
        int8_t *target = rl_random_one_in(c, 4) ? input : output;
        arm_reshape_s8(input, target, (uint32_t)count);
        rl_case_equal_s8(c, "output", expected, target, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_pad(&c);
    test_transpose(&c);
    test_transpose_refused(&c);
    test_concatenation(&c);
    test_reshape(&c);
    return rl_test_finish(&c);
}
