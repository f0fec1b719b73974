// SPDX-License-Identifier: Apache-2.0
//
// The loop for hosts gives the bits of the loop for cores: convolutions of random shapes, layouts, strides, paddings,
// dilations and groups, with blocks and panels that overflow, and with every kind of float. So do all forms of the
// inner loop.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operators/portable/convolution.h"
#include "runtime/operators/portable/host/products.h"

// The loop for cores, compiled for this test under this name.
void rl_convolve_floats_on_core(const struct rl_convolution *convolution);

enum { TRIALS = 2000 };

static uint32_t next(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)*state * below) >> 32);
}

static rl_real ordinary(uint32_t *random)
{
    return (rl_real)((int32_t)next(random, 20001) - 10000) / (rl_real)(1 + next(random, 999));
}

// Mostly ordinary; now and then a zero of either sign, an infinity, a NaN, a number whose products over- or underflow.
static rl_real any_real(uint32_t *random, bool hurts)
{
    static const rl_real special[] = {0,
                                      -(rl_real)0,
                                      (rl_real)INFINITY,
                                      -(rl_real)INFINITY,
                                      (rl_real)NAN,
                                      (rl_real)1e-38,
                                      (rl_real)-1e-38,
                                      (rl_real)3e38,
                                      (rl_real)1e-45};
    if (hurts && next(random, 8) == 0) {
        return special[next(random, sizeof special / sizeof special[0])];
    }
    return ordinary(random);
}

static rl_real *new_reals(uint32_t *random, size_t count, bool hurts)
{
    rl_real *reals = malloc((count + 1) * sizeof *reals);
    assert_non_null(reals);
    for (size_t i = 0; i < count; i++) {
        reals[i] = any_real(random, hurts);
    }
    return reals;
}

static struct rl_strides strides_of(bool channels_last, int32_t channels, int32_t height, int32_t width)
{
    if (channels_last) {
        return (struct rl_strides){(ptrdiff_t)channels * height * width, 1, (ptrdiff_t)channels * width, channels};
    }
    return (struct rl_strides){(ptrdiff_t)channels * height * width, (ptrdiff_t)height * width, width, 1};
}

static int32_t size_of_output(int32_t input, int32_t kernel, int32_t stride, int32_t padding, int32_t dilation)
{
    return (input + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

// A convolution with an output of at least one pixel; tensors follow.
static struct rl_convolution random_convolution(uint32_t *random)
{
    struct rl_convolution c = {.batches = 1 + (int32_t)next(random, 2), .height = 1 + (int32_t)next(random, 4)};
    const bool is_deep = next(random, 20) == 0, is_wide = next(random, 20) == 0, is_large = next(random, 20) == 0;
    const int32_t groups = next(random, 2) ? 1 : 1 + (int32_t)next(random, 9);
    c.width = is_wide ? 70 : 1 + (int32_t)next(random, 4);
    c.depth = is_deep ? 300 + (int32_t)next(random, 900) : 1 + (int32_t)next(random, next(random, 2) ? 1 : 20);
    c.group_outputs = 1 + (int32_t)next(random, 10);
    c.channels = c.group_outputs * groups;
    c.stride_y = 1 + (int32_t)next(random, 3);
    c.stride_x = 1 + (int32_t)next(random, 3);
    c.dilation_y = 1 + (int32_t)next(random, 3);
    c.dilation_x = 1 + (int32_t)next(random, 3);
    c.padding_y = (int32_t)next(random, 4);
    c.padding_x = (int32_t)next(random, 4);
    c.in_height = c.dilation_y * (c.height - 1) + 1 + (int32_t)next(random, is_large ? 40 : 12);
    c.in_width = c.dilation_x * (c.width - 1) + 1 + (int32_t)next(random, is_large ? 40 : 12);
    c.out_height = size_of_output(c.in_height, c.height, c.stride_y, c.padding_y, c.dilation_y);
    c.out_width = size_of_output(c.in_width, c.width, c.stride_x, c.padding_x, c.dilation_x);
    c.in = strides_of(next(random, 2), groups * c.depth, c.in_height, c.in_width);
    c.tap = strides_of(next(random, 2), c.depth, c.height, c.width);
    c.out = strides_of(next(random, 2), c.channels, c.out_height, c.out_width);
    return c;
}

// What of a convolution is not all ordinary numbers.
enum { INPUT = 1, WEIGHT = 2, BIAS = 4, ALL = 8 };

static void check(uint32_t *random, unsigned hurts)
{
    struct rl_convolution c = random_convolution(random);
    const size_t out_count = (size_t)(c.batches * c.out.batch);
    rl_real *input = new_reals(random, (size_t)(c.batches * c.in.batch), hurts & INPUT);
    rl_real *weight = new_reals(random, (size_t)(c.channels * c.tap.batch), hurts & WEIGHT);
    rl_real *bias = new_reals(random, (size_t)c.channels, hurts & BIAS);
    rl_real *expected = new_reals(random, out_count, false), *got = new_reals(random, out_count, false);
    c.input.data = input;
    c.weight.data = weight;
    c.bias.data = next(random, 2) ? bias : NULL;
    c.output.data = expected;
    rl_convolve_floats_on_core(&c);
    c.output.data = got;
    rl_convolve_floats(&c);
    assert_memory_equal(expected, got, out_count * sizeof *got);
    free(input);
    free(weight);
    free(bias);
    free(expected);
    free(got);
}

static void test_same_bits(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (int i = 0; i < TRIALS; i++) {
        check(&random, (unsigned)i % ALL);
    }
}

static void test_inner_loops(void **state)
{
    (void)state;
    uint32_t random = 2;
    for (int32_t count = 0; count <= RL_DEPTH; count++) {
        rl_real *places = new_reals(&random, (size_t)count * RL_LANES, count % 2);
        rl_real *weights = new_reals(&random, (size_t)count * RL_CHANNELS, count % 3 == 0);
        rl_real *others = new_reals(&random, (size_t)count * RL_LANES, count % 5 == 0);
        const struct rl_products products = rl_find_products();
        enum { PLAIN, PLAIN_OTHER, ONE, TWO, TWO_OTHER, TWICE, TWICE_OTHER, ALL_SUMS };
        struct rl_sums sums[ALL_SUMS];
        for (int i = 0; i < RL_CHANNELS * RL_LANES; i++) {
            sums[0].of[i / RL_LANES][i % RL_LANES] = any_real(&random, true);
        }
        for (int i = 1; i < ALL_SUMS; i++) {
            sums[i] = sums[0];
        }
        rl_add_products_plainly(&sums[PLAIN], places, weights, count);
        rl_add_products_plainly(&sums[PLAIN_OTHER], others, weights, count);
        products.add(&sums[ONE], places, weights, count);
        products.add_twice(&sums[TWO], places, others, weights, count);
        rl_add_twice_plainly(&sums[TWICE], places, others, weights, count);
        for (int i = 0; i < ALL_SUMS * RL_CHANNELS; i++) {
            rl_real *const lanes = sums[i / RL_CHANNELS].of[i % RL_CHANNELS];
            rl_put_sums(lanes, lanes, RL_LANES); // processors differ in NaNs
        }
        assert_memory_equal(&sums[PLAIN], &sums[ONE], sizeof sums[0]);
        assert_memory_equal(&sums[PLAIN], &sums[TWO], 2 * sizeof sums[0]);
        assert_memory_equal(&sums[PLAIN], &sums[TWICE], 2 * sizeof sums[0]);
        free(places);
        free(others);
        free(weights);
    }
}

static void test_turned_weights(void **state)
{
    enum { APART = RL_TURNED + 1 }; // of four channels, at odd addresses
    rl_real weights[APART * RL_CHANNELS], turned[RL_TURNED * RL_CHANNELS];
    (void)state;
    for (int i = 0; i < APART * RL_CHANNELS; i++) {
        weights[i] = (rl_real)i;
    }
    rl_turn_weights(turned, weights, weights + APART, weights + 2 * APART, weights + 3 * APART);
    for (int i = 0; i < RL_TURNED * RL_CHANNELS; i++) {
        assert_true(turned[i] == weights[i % RL_CHANNELS * APART + i / RL_CHANNELS]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_inner_loops),
                                       cmocka_unit_test(test_turned_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
