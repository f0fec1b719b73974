// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_add_s16, quantized_mul_s16, quantized_avg_pool2d_s16, quantized_max_pool2d_s16 and
// quantized_depthwise_conv2d_s16: one result of each, and calls that must be refused. tests/kernels/ has the exact
// results.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

enum { COUNT = 4, HALF = 1 << 30 }; // HALF is a multiplier of 1/2

static const uint8_t last[] = {0, 2, 3, 1};

// ---- sums and products

struct pair {
    enum rl_scalar_type left, right, output;
    const int32_t *left_sizes, *right_sizes; // of rank 4, channels last
    int32_t shift, min, max;
};

static const int32_t images[] = {1, 2, 1, 2}, channels[] = {1, 2, 1, 1}, others[] = {1, 1, 1, 2};
static const int16_t left_values[COUNT] = {1000, -2000, 30000, -32768}, right_values[COUNT] = {3, -1, 20000, -32768};

static void add_operand(struct test_program *p, enum rl_scalar_type dtype, const int32_t *sizes, const int16_t *values,
                        int64_t *room)
{
    memcpy(room, values, COUNT * sizeof *values);
    program_input(p, dtype, 4, sizes, last, room);
}

static enum rl_status end(struct test_program *p, const char *op, int16_t *result, size_t bytes)
{
    const enum rl_status status = program_run(p, op, "out");
    if (status == RL_OK && result) {
        program_result(p, 0, result, bytes);
    }
    program_free(p);
    return status;
}

static enum rl_status run_sum(const struct pair *pair, int16_t *result)
{
    static int64_t room[COUNT], more_room[COUNT];
    struct test_program p = {0};
    add_operand(&p, pair->left, pair->left_sizes, left_values, room);
    program_int(&p, HALF);
    program_int(&p, pair->shift);
    add_operand(&p, pair->right, pair->right_sizes, right_values, more_room);
    program_int(&p, HALF);
    program_int(&p, 0);
    program_int(&p, HALF);
    program_int(&p, -13); // 2 / 2^15
    program_int(&p, pair->min);
    program_int(&p, pair->max);
    program_output(&p, pair->output, 4, images, last);
    return end(&p, "rushlight::quantized_add_s16", result, COUNT * sizeof *result);
}

static enum rl_status run_product(const struct pair *pair, int16_t *result)
{
    static int64_t room[COUNT], more_room[COUNT];
    struct test_program p = {0};
    add_operand(&p, pair->left, pair->left_sizes, left_values, room);
    add_operand(&p, pair->right, pair->right_sizes, right_values, more_room);
    program_int(&p, HALF);
    program_int(&p, pair->shift);
    program_int(&p, pair->min);
    program_int(&p, pair->max);
    program_output(&p, pair->output, 4, images, last);
    return end(&p, "rushlight::quantized_mul_s16", result, COUNT * sizeof *result);
}

static const struct pair usual = {.left = RL_INT16,
                                  .right = RL_INT16,
                                  .output = RL_INT16,
                                  .left_sizes = images,
                                  .right_sizes = images,
                                  .min = INT16_MIN,
                                  .max = INT16_MAX};

static void sums_and_products(void **state)
{
    // Logical order: two values of each channel. With one value a channel, these are 3 and -1.
    static const int16_t sums[COUNT] = {1003, -2001, 32767, -32768}, by_channel[COUNT] = {1003, -1997, 29999, -32768};
    static const int16_t products[COUNT] = {1500, 1000, 32767, 32767}, limited[COUNT] = {1003, -2000, 5000, -2000};
    struct pair pair = usual;
    int16_t result[COUNT];
    (void)state;
    assert_int_equal(run_sum(&pair, result), RL_OK);
    assert_memory_equal(result, sums, sizeof sums);
    pair.right_sizes = channels;
    assert_int_equal(run_sum(&pair, result), RL_OK);
    assert_memory_equal(result, by_channel, sizeof by_channel);
    pair = usual;
    assert_int_equal(run_product(&pair, result), RL_OK);
    assert_memory_equal(result, products, sizeof products);
    pair.min = -2000, pair.max = 5000;
    assert_int_equal(run_sum(&pair, result), RL_OK);
    assert_memory_equal(result, limited, sizeof limited);
}

static void expect_refused(const struct pair *pair)
{
    assert_int_not_equal(run_sum(pair, NULL), RL_OK);
    assert_int_not_equal(run_product(pair, NULL), RL_OK);
}

static void operands_must_fit(void **state)
{
    struct pair pair;
    (void)state;
    pair = usual, pair.left = RL_INT8, expect_refused(&pair);
    pair = usual, pair.right = RL_INT8, expect_refused(&pair);
    pair = usual, pair.output = RL_INT8, expect_refused(&pair);
    pair = usual, pair.left = pair.right = pair.output = RL_INT8, expect_refused(&pair);
    pair = usual, pair.right_sizes = others, expect_refused(&pair);
    pair = usual, pair.shift = 1, expect_refused(&pair);
    pair = usual, pair.shift = -32, expect_refused(&pair);
    pair = usual, pair.min = INT16_MIN - 1, expect_refused(&pair);
    pair = usual, pair.max = INT16_MAX + 1, expect_refused(&pair);
    pair = usual, pair.min = 1, pair.max = 0, expect_refused(&pair);
}

// ---- pools

struct pool {
    enum rl_scalar_type input, output;
    int32_t rows, kernel, outputs;
    bool ceil_mode;
    const char *op;
};

// One channel of one row, or of many rows.
static enum rl_status run_pool(const struct pool *pool, int16_t *result)
{
    enum { MOST = 40000 };
    static int16_t values[MOST] = {1000, -2000, 30000, -32768};
    static int64_t room[MOST];
    const bool is_nhwc = strstr(pool->op, "nhwc");
    const int32_t columns = COUNT, sizes[] = {1, 1, pool->rows, columns}, nhwc[] = {1, pool->rows, columns, 1};
    const int32_t outputs[] = {1, 1, 1, pool->outputs}, nhwc_outputs[] = {1, 1, pool->outputs, 1};
    const int32_t kernel[] = {pool->rows, pool->kernel}, stride[] = {1, 2}, padding[] = {0, 0};
    struct test_program p = {0};
    memcpy(room, values, sizeof values);
    program_input(&p, pool->input, 4, is_nhwc ? nhwc : sizes, is_nhwc ? NULL : last, room);
    program_ints(&p, 2, kernel);
    program_ints(&p, 2, stride);
    program_ints(&p, 2, padding);
    program_bool(&p, pool->ceil_mode);
    program_output(&p, pool->output, 4, is_nhwc ? nhwc_outputs : outputs, is_nhwc ? NULL : last);
    return end(&p, pool->op, result, (size_t)pool->outputs * sizeof *result);
}

static void expect_pool(const struct pool *pool, int16_t first, int16_t second)
{
    int16_t result[2];
    assert_int_equal(run_pool(pool, result), RL_OK);
    assert_int_equal(result[0], first);
    assert_int_equal(result[1], second);
}

static void pools(void **state)
{
    static const struct pool plain = {RL_INT16, RL_INT16, 1, 2, 2, false, "rushlight::quantized_avg_pool2d_s16"};
    struct pool pool = plain;
    (void)state;
    expect_pool(&pool, -500, -1384);
    pool.op = "rushlight::quantized_avg_pool2d_s16_nhwc", expect_pool(&pool, -500, -1384);
    pool.op = "rushlight::quantized_max_pool2d_s16", expect_pool(&pool, 1000, 30000);
    pool.op = "rushlight::quantized_max_pool2d_s16_nhwc", expect_pool(&pool, 1000, 30000);
    pool = plain, pool.kernel = 3, pool.ceil_mode = true, expect_pool(&pool, 9667, -1384);
    pool = plain, pool.kernel = 3, assert_int_not_equal(run_pool(&pool, NULL), RL_OK);
    pool = plain, pool.input = RL_INT8, assert_int_not_equal(run_pool(&pool, NULL), RL_OK);
    pool = plain, pool.output = RL_INT8, assert_int_not_equal(run_pool(&pool, NULL), RL_OK);
    pool = plain, pool.outputs = 3, assert_int_not_equal(run_pool(&pool, NULL), RL_OK);
}

// Sums of more values might leave 32 bits. A maximum may have any window.
static void windows_are_not_too_large(void **state)
{
    struct pool pool = {RL_INT16, RL_INT16, 8192, 4, 1, false, "rushlight::quantized_avg_pool2d_s16"};
    (void)state;
    assert_int_equal(run_pool(&pool, NULL), RL_OK);
    pool.rows = 8193, assert_int_not_equal(run_pool(&pool, NULL), RL_OK);
    pool.op = "rushlight::quantized_max_pool2d_s16", assert_int_equal(run_pool(&pool, NULL), RL_OK);
}

// ---- depthwise convolutions

struct depthwise {
    enum rl_scalar_type input, output, bias;
    int32_t inputs, outputs, weight_channels, shift, offset;
    const char *op;
};

// Two pixels of one or two channels, and filters of two columns.
static enum rl_status run_depthwise(const struct depthwise *d, int16_t *result)
{
    static const int16_t values[COUNT] = {1000, -2000, 30000, -32768};
    static const int8_t weights[] = {1, 2, 2, 1, 0, 0, 0, 0}; // two channels of each column
    static const int32_t multipliers[] = {HALF, HALF, HALF, HALF};
    static const int64_t bias[] = {1000, 0, 0, 0};
    static int64_t room[COUNT];
    const int32_t shift[] = {d->shift, d->shift, d->shift, d->shift};
    const bool is_nhwc = strstr(d->op, "nhwc");
    const int32_t sizes[] = {1, d->inputs, 1, 2}, nhwc[] = {1, 1, 2, d->inputs};
    const int32_t outputs[] = {1, d->outputs, 1, 1}, nhwc_outputs[] = {1, 1, 1, d->outputs};
    const int32_t filter[] = {1, 1, 2, d->weight_channels}, ones[] = {1, 1}, zeros[] = {0, 0}, count[] = {d->outputs};
    struct test_program p = {0};
    memcpy(room, values, sizeof values);
    program_input(&p, d->input, 4, is_nhwc ? nhwc : sizes, is_nhwc ? NULL : last, room);
    program_constant(&p, RL_INT8, 4, filter, weights);
    program_constant(&p, d->bias, 1, count, bias);
    program_ints(&p, 2, ones);
    program_ints(&p, 2, zeros);
    program_ints(&p, 2, ones);
    program_int(&p, d->offset);
    program_int(&p, 0);
    program_constant(&p, RL_INT32, 1, count, multipliers);
    program_constant(&p, RL_INT32, 1, count, shift);
    program_int(&p, INT16_MIN);
    program_int(&p, INT16_MAX);
    program_output(&p, d->output, 4, is_nhwc ? nhwc_outputs : outputs, is_nhwc ? NULL : last);
    return end(&p, d->op, result, (size_t)d->outputs * sizeof *result);
}

static void expect_depthwise(const struct depthwise *d, int16_t first, int16_t second)
{
    int16_t result[2];
    assert_int_equal(run_depthwise(d, result), RL_OK);
    assert_int_equal(result[0], first);
    assert_int_equal(result[1], second);
}

static void depthwise_convolutions(void **state)
{
    static const char plain_op[] = "rushlight::quantized_depthwise_conv2d_s16";
    static const struct depthwise plain = {RL_INT16, RL_INT16, RL_INT64, 2, 2, 2, 0, 0, plain_op};
    struct depthwise d = plain;
    (void)state;
    // Logical values: channel 0 has 1000 and -2000, channel 1 30000 and -32768. Halves of 1000 - 4000 + 1000 and of
    // 60000 - 32768.
    expect_depthwise(&d, -1000, 13616);
    // As N, H, W, C channel 0 has 1000 and 30000, channel 1 -2000 and -32768.
    d.op = "rushlight::quantized_depthwise_conv2d_s16_nhwc", expect_depthwise(&d, 31000, -18384);
    d = plain, d.inputs = 1, expect_depthwise(&d, -1000, 0); // two outputs of one channel: 2000 - 2000
    d = plain, d.shift = 14, assert_int_equal(run_depthwise(&d, NULL), RL_OK);
    d = plain, d.shift = 15, assert_int_not_equal(run_depthwise(&d, NULL), RL_OK);
    d = plain, d.offset = 1, assert_int_not_equal(run_depthwise(&d, NULL), RL_OK);
    d = plain, d.input = RL_INT8, assert_int_not_equal(run_depthwise(&d, NULL), RL_OK);
    d = plain, d.output = RL_INT8, assert_int_not_equal(run_depthwise(&d, NULL), RL_OK);
    d = plain, d.bias = RL_INT32, assert_int_not_equal(run_depthwise(&d, NULL), RL_OK);
    d = plain, d.weight_channels = 1, assert_int_not_equal(run_depthwise(&d, NULL), RL_OK);
    d = plain, d.outputs = d.weight_channels = 3, assert_int_not_equal(run_depthwise(&d, NULL), RL_OK);
    d = plain, d.outputs = d.weight_channels = 1, assert_int_not_equal(run_depthwise(&d, NULL), RL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products),         cmocka_unit_test(operands_must_fit),      cmocka_unit_test(pools),
        cmocka_unit_test(windows_are_not_too_large), cmocka_unit_test(depthwise_convolutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
