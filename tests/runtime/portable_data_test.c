// SPDX-License-Identifier: Apache-2.0
//
// Operators that move elements, and pools, in several layouts and element types.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

enum { MOST = 512 };

static const uint8_t channels_last[] = {0, 2, 3, 1};

static void fill(float *numbers, uint32_t seed)
{
    for (int i = 0; i < MOST; i++) {
        numbers[i] = test_random_float(&seed);
    }
}

static void fill_bytes(uint8_t *bytes, uint32_t seed)
{
    for (int i = 0; i < MOST; i++) {
        bytes[i] = (uint8_t)test_random_int(&seed, 0, 255);
    }
}

static void views_keep_the_logical_order(void **state)
{
    (void)state;
    static const int32_t from[] = {2, 3, 4, 5}, to[] = {6, 20};
    uint8_t in[MOST], result[240];
    fill_bytes(in, 4);
    for (int last = 0; last < 2; last++) {
        struct test_program p = {0};
        program_input(&p, RL_INT16, 4, from, last ? channels_last : NULL, in);
        program_ints(&p, 2, to);
        program_output(&p, RL_INT16, 2, to, NULL);
        assert_int_equal(program_run(&p, "aten::view_copy", "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        assert_memory_equal(result, in, sizeof result);
        program_free(&p);
    }
    struct test_program p = {0};
    program_input(&p, RL_INT16, 2, to, NULL, in);
    program_ints(&p, 4, from);
    program_output(&p, RL_INT16, 4, from, channels_last);
    assert_int_equal(program_run(&p, "aten::view_copy", "out"), RL_OK);
    program_result(&p, 0, result, sizeof result);
    assert_memory_equal(result, in, sizeof result);
    program_free(&p);
}

static void clones_change_the_layout_only(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 3, 4, 5}, order[] = {0, 2, 3, 1};
    static const char *const names[] = {"aten::clone", "dim_order_ops::_clone_dim_order",
                                        "dim_order_ops::_to_dim_order_copy"};
    uint8_t in[MOST], result[120];
    fill_bytes(in, 4);
    for (int which = 0; which < 3; which++) {
        for (int layouts = 0; layouts < 4; layouts++) {
            struct test_program p = {0};
            program_input(&p, RL_INT8, 4, sizes, layouts & 1 ? channels_last : NULL, in);
            if (which > 0) {
                program_bool(&p, false);
            }
            if (which == 0) {
                program_none(&p);
            } else {
                program_ints(&p, 4, order);
            }
            program_output(&p, RL_INT8, 4, sizes, layouts & 2 ? channels_last : NULL);
            assert_int_equal(program_run(&p, names[which], "out"), RL_OK);
            program_result(&p, 0, result, sizeof result);
            assert_memory_equal(result, in, sizeof result);
            program_free(&p);
        }
    }
}

static void permutations_move_every_element(void **state)
{
    (void)state;
    static const int32_t sizes[] = {2, 3, 4, 5}, dims[] = {2, 0, -1, 1}, out[] = {4, 2, 5, 3};
    float in[MOST], result[120];
    fill(in, 6);
    for (int layouts = 0; layouts < 4; layouts++) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 4, sizes, layouts & 1 ? channels_last : NULL, in);
        program_ints(&p, 4, dims);
        program_output(&p, RL_FLOAT32, 4, out, layouts & 2 ? channels_last : NULL);
        assert_int_equal(program_run(&p, "aten::permute_copy", "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int a = 0; a < 4; a++) {
            for (int b = 0; b < 2; b++) {
                for (int c = 0; c < 5; c++) {
                    for (int d = 0; d < 3; d++) {
                        assert_true(result[((a * 2 + b) * 5 + c) * 3 + d] == in[((b * 3 + d) * 4 + a) * 5 + c]);
                    }
                }
            }
        }
        program_free(&p);
    }
}

static void constant_padding_surrounds(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 3, 4}, pad[] = {1, 2, 0, 3}, out[] = {1, 2, 6, 7};
    float in[MOST], result[84];
    fill(in, 3);
    for (int layouts = 0; layouts < 4; layouts++) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 4, sizes, layouts & 1 ? channels_last : NULL, in);
        program_ints(&p, 4, pad);
        program_double(&p, -1.5);
        program_output(&p, RL_FLOAT32, 4, out, layouts & 2 ? channels_last : NULL);
        assert_int_equal(program_run(&p, "aten::constant_pad_nd", "out"), RL_OK);
        program_result(&p, 0, result, sizeof result);
        for (int c = 0; c < 2; c++) {
            for (int y = 0; y < 6; y++) {
                for (int x = 0; x < 7; x++) {
                    bool inside = y < 3 && x >= 1 && x < 5;
                    float expected = inside ? in[(c * 3 + y) * 4 + x - 1] : -1.5f;
                    assert_true(result[(c * 6 + y) * 7 + x] == expected);
                }
            }
        }
        program_free(&p);
    }
}

struct pool {
    int32_t height, width, kernel[2], stride[2], padding[2], dilation[2];
    bool ceil_mode;
    int32_t out[2];
};

static const struct pool pools[] = {
    {8, 8, {2, 2}, {2, 2}, {0, 0}, {1, 1}, false, {4, 4}}, {7, 9, {3, 2}, {2, 1}, {1, 0}, {1, 1}, false, {4, 8}},
    {7, 7, {3, 3}, {2, 2}, {1, 1}, {1, 1}, true, {4, 4}},  {6, 8, {3, 3}, {2, 2}, {0, 0}, {1, 1}, true, {3, 4}},
    {9, 9, {2, 3}, {1, 2}, {1, 1}, {2, 2}, false, {9, 4}},
};

static void max_pools_find_value_and_position(void **state)
{
    (void)state;
    float in[MOST], result[MOST];
    int64_t indices[MOST];
    fill(in, 11);
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        const struct pool *s = &pools[i];
        const int32_t sizes[] = {1, 3, s->height, s->width}, out[] = {1, 3, s->out[0], s->out[1]};
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 4, sizes, i % 2 ? channels_last : NULL, in);
        program_ints(&p, 2, s->kernel);
        program_ints(&p, 2, s->stride);
        program_ints(&p, 2, s->padding);
        program_ints(&p, 2, s->dilation);
        program_bool(&p, s->ceil_mode);
        program_output(&p, RL_FLOAT32, 4, out, channels_last);
        program_output(&p, RL_INT64, 4, out, NULL);
        assert_int_equal(program_run(&p, "aten::max_pool2d_with_indices", "out"), RL_OK);
        size_t count = 3 * (size_t)s->out[0] * s->out[1];
        program_result(&p, 0, result, count * sizeof *result);
        program_result(&p, 1, indices, count * sizeof *indices);
        for (size_t k = 0; k < count; k++) {
            int x = (int)(k % s->out[1]), y = (int)(k / s->out[1] % s->out[0]), c = (int)(k / s->out[1] / s->out[0]);
            const float *image = in + c * s->height * s->width;
            float largest = -FLT_MAX;
            for (int ky = 0; ky < s->kernel[0]; ky++) {
                for (int kx = 0; kx < s->kernel[1]; kx++) {
                    int iy = y * s->stride[0] - s->padding[0] + ky * s->dilation[0];
                    int ix = x * s->stride[1] - s->padding[1] + kx * s->dilation[1];
                    if (iy >= 0 && iy < s->height && ix >= 0 && ix < s->width) {
                        largest = fmaxf(largest, image[iy * s->width + ix]);
                    }
                }
            }
            assert_true(result[k] == largest);
            assert_true(image[indices[k]] == largest);
        }
        program_free(&p);
    }
}

static double average(const struct pool *s, const float *image, int y, int x, bool include)
{
    int top = y * s->stride[0] - s->padding[0], left = x * s->stride[1] - s->padding[1], counted = 0;
    double sum = 0;
    for (int iy = top; iy < top + s->kernel[0]; iy++) {
        for (int ix = left; ix < left + s->kernel[1]; ix++) {
            bool inside = iy >= 0 && iy < s->height && ix >= 0 && ix < s->width;
            bool padded = iy < s->height + s->padding[0] && ix < s->width + s->padding[1];
            counted += inside || (include && padded);
            sum += inside ? image[iy * s->width + ix] : 0;
        }
    }
    return sum / counted;
}

static void average_pools_count_as_asked(void **state)
{
    (void)state;
    float in[MOST], result[MOST];
    fill(in, 12);
    for (size_t i = 0; i < 4; i++) {
        const struct pool *s = &pools[i];
        const int32_t sizes[] = {1, 3, s->height, s->width}, out[] = {1, 3, s->out[0], s->out[1]};
        for (int include = 0; include < 2; include++) {
            struct test_program p = {0};
            program_input(&p, RL_FLOAT32, 4, sizes, include ? channels_last : NULL, in);
            program_ints(&p, 2, s->kernel);
            program_ints(&p, 2, s->stride);
            program_ints(&p, 2, s->padding);
            program_bool(&p, s->ceil_mode);
            program_bool(&p, include);
            program_none(&p);
            program_output(&p, RL_FLOAT32, 4, out, NULL);
            assert_int_equal(program_run(&p, "aten::avg_pool2d", "out"), RL_OK);
            size_t count = 3 * (size_t)s->out[0] * s->out[1];
            program_result(&p, 0, result, count * sizeof *result);
            for (size_t k = 0; k < count; k++) {
                int x = (int)(k % s->out[1]), y = (int)(k / s->out[1] % s->out[0]);
                const float *image = in + k / s->out[1] / s->out[0] * s->height * s->width;
                assert_true(fabs(result[k] - average(s, image, y, x, include)) < 1e-6);
            }
            program_free(&p);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_keep_the_logical_order),      cmocka_unit_test(clones_change_the_layout_only),
        cmocka_unit_test(permutations_move_every_element),   cmocka_unit_test(constant_padding_surrounds),
        cmocka_unit_test(max_pools_find_value_and_position), cmocka_unit_test(average_pools_count_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
