// SPDX-License-Identifier: Apache-2.0
// The depthwise loops of kernels/dsp: the plain form of each against the definition on every core, and the assembler
// against the plain form on the cores that have these instructions.
#include "dsp/depthwise_four_plain.h"
#include "dsp/depthwise_pairs_plain.h"
#include "dsp/depthwise_s16_four_plain.h"
#include "dsp/expand_row_plain.h"
#include "dsp/plane_rows_plain.h"
#include "dsp/scale_three_s16_plain.h"
#include "isa.h"
#include "loops_dsp.h"
#include "support/kernel_test.h"

#include <string.h>

#if RL_HAS_DSP
#include "dsp/depthwise_four.h"
#include "dsp/depthwise_pairs.h"
#include "dsp/depthwise_s16_four.h"
#include "dsp/expand_row.h"
#include "dsp/plane_rows.h"
#include "dsp/scale_three_s16.h"
#endif

// The loops that are compared with the plain forms: the assembler, or on other cores the plain forms themselves.
struct loops {
    void (*depthwise_four)(struct rl_depthwise_four *job);
    void (*depthwise_pairs)(struct rl_depthwise_pairs *job);
    void (*depthwise_s16_four)(struct rl_depthwise_s16_job *job);
    void (*scale_three_s16)(const struct rl_scale_three_s16 *job);
    void (*plane_outputs)(struct rl_plane_outputs *p);
    uint32_t *(*expand_two_lines)(const int8_t *upper, const int8_t *lower, ptrdiff_t bytes, ptrdiff_t step,
                                  uint32_t offsets, uint32_t *to);
};

static const struct loops loops = {
#if RL_HAS_DSP
    rl_depthwise_four,  rl_depthwise_pairs, rl_depthwise_s16_four,
    rl_scale_three_s16, rl_plane_outputs,   rl_expand_two_lines,
#else
    rl_depthwise_four_plain,  rl_depthwise_pairs_plain, rl_depthwise_s16_four_plain,
    rl_scale_three_s16_plain, rl_plane_outputs_plain,   rl_expand_two_lines_plain,
#endif
};

enum {
    CASES = 300,
    BLOCK_LINES = 24, // more than a block has: pixels of missing outputs may be read
    LINE_WORDS = RL_PLANE_LINE_WORDS,
    MOST_TAPS = 8,        // more than a round of the loop over taps
    MOST_SPREAD_TAPS = 4, // with a stride or a dilation
    MOST_PAIRS = 3,
};

static uint32_t four_bytes(int32_t value)
{
    return (uint8_t)value * UINT32_C(0x01010101);
}

static void test_depthwise_four(struct rl_case *c)
{
    rl_test_start(c, "depthwise_four");
    for (int i = 0; i < CASES; i++) {
        const int32_t outputs = rl_random_in(c, 4, 17), channels = outputs + rl_random_in(c, 0, 5);
        const int32_t rows = rl_random_in(c, 0, 4), columns = rl_random_in(c, 1, 4);
        const int32_t x_line = columns * channels + rl_random_in(c, 0, 9);
        const int32_t w_line = columns * channels + rl_random_in(c, 0, 9);
        const int32_t offset = rl_random_extreme(c, -127, 128), output_offset = rl_random_extreme(c, -128, 127);
        const bool biased = rl_random_one_in(c, 2);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        rl_case_begin(c, "%ld rows, %ld columns, %ld of %ld channels, offsets %ld %ld", (long)rows, (long)columns,
                      (long)outputs, (long)channels, (long)offset, (long)output_offset);
        const size_t count = (size_t)outputs;
        const int8_t *x = rl_case_s8(c, (size_t)(rows * x_line)), *w = rl_case_s8(c, (size_t)(rows * w_line));
        const int32_t most_bias = biased ? 100000 : 0;
        const int32_t *bias = rl_case_s32(c, biased ? count : 4, -most_bias, most_bias);
        const int32_t most = rl_random_one_in(c, 2) ? -1 : 3;
        int32_t *multiplier = rl_case_s32(c, count, 1 << 30, INT32_MAX), *shift = rl_case_s32(c, count, -22, most);
        int8_t *output = rl_case_s8(c, count), *plain = rl_case_s8(c, count), *expected = rl_case_s8(c, count);
        for (int32_t o = 0; o < outputs; o++) {
            int32_t sum = biased ? bias[o] : 0;
            for (int32_t tap = 0; tap < rows * columns; tap++) {
                const int32_t row = tap / columns, at = tap % columns * channels + o;
                sum += (x[row * x_line + at] + offset) * w[row * w_line + at];
            }
            expected[o] = rl_reference_output(sum, multiplier[o], shift[o], output_offset, limits.min, limits.max);
        }
        const struct rl_depthwise_four start = {.x = x + columns * channels,
                                                .w = w + columns * channels,
                                                .multiplier = multiplier,
                                                .shift = shift,
                                                .bias = bias,
                                                .output = output,
                                                .bias_step = biased ? 16 : 0,
                                                .last = output + count - 4,
                                                .rows = rows,
                                                .start = -columns * channels,
                                                .x_line = x_line,
                                                .w_line = w_line,
                                                .offsets = (uint16_t)offset * UINT32_C(0x00010001),
                                                .channels = channels,
                                                .rounding = rl_rescale_rounding(output_offset),
                                                .low = four_bytes(limits.min),
                                                .high = four_bytes(limits.max)};
        struct rl_depthwise_four job = start;
        job.output = plain;
        job.last = plain + count - 4;
        rl_depthwise_four_plain(&job);
        job = start;
        loops.depthwise_four(&job);
        rl_case_equal_s8(c, "plain output", expected, plain, count);
        rl_case_equal_s8(c, "output", plain, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Fills in the scales and weights of four channels at random. The weights of channel i at tap t go to
// weights[4 * t + i].
static void fill_pairs(struct rl_case *c, struct rl_depthwise_pairs *job, int32_t rounding, int32_t *bias,
                       int32_t *multiplier, int32_t *shift, int8_t *weights)
{
    for (int32_t i = 0; i < 4; i++) {
        job->half[i & 1].bias[i >> 1] = 2 * bias[i];
        job->half[i & 1].scale[i >> 1] = rl_rescale_of(rounding, multiplier[i], shift[i]);
    }
    for (int32_t tap = 0; tap < 9; tap++) {
        int8_t *w = weights + 4 * tap;
        for (int32_t i = 0; i < 4; i++) {
            w[i] = (int8_t)rl_random_extreme(c, -128, 127);
        }
        job->half[0].weights[tap] = rl_pair_of(2 * w[0], 2 * w[2]);
        job->half[1].weights[tap] = rl_pair_of(2 * w[1], 2 * w[3]);
    }
}

static void test_depthwise_pairs(struct rl_case *c)
{
    rl_test_start(c, "depthwise_pairs");
    for (int i = 0; i < CASES; i++) {
        const int32_t pairs = rl_random_in(c, 1, 4), lines = rl_random_in(c, 1, 3), rows = rl_random_in(c, 0, 3);
        const int32_t pixel = rl_random_in(c, 4, 9), step = rl_random_in(c, 4, 9), stride = rl_random_in(c, 1, 2);
        const int32_t line = (4 * pairs + 1) * pixel + rl_random_in(c, 0, 9);
        const int32_t offset = rl_random_extreme(c, -127, 128), output_offset = rl_random_extreme(c, -128, 127);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        rl_case_begin(c, "%ld lines of %ld pairs, %ld rows, pixels of %ld bytes, offsets %ld %ld", (long)lines,
                      (long)pairs, (long)rows, (long)pixel, (long)offset, (long)output_offset);
        const size_t x_size = (size_t)(((lines - 1) * stride + rows) * line), size = (size_t)(lines * 2 * pairs * step);
        const int8_t *x = rl_case_s8(c, x_size);
        int32_t *bias = rl_case_s32(c, 4, -100000, 100000), *multiplier = rl_case_s32(c, 4, 1 << 30, INT32_MAX);
        int32_t *shift = rl_case_s32(c, 4, -22, -1);
        int8_t *output = rl_case_s8(c, size), *plain = rl_case_s8(c, size), *expected = rl_case_s8(c, size);
        int8_t weights[36];
        memcpy(plain, output, size); // the bytes of other channels stay
        memcpy(expected, output, size);
        struct rl_depthwise_pairs start = {.x = x,
                                           .output = output,
                                           .pixel = pixel,
                                           .line = line,
                                           .x_right = 4 * pixel,
                                           .output_right = step,
                                           .pairs = pairs,
                                           .lines = lines,
                                           .x_down = stride * line,
                                           .output_down = 2 * pairs * step,
                                           .rows = rows,
                                           .offsets = (uint16_t)offset * UINT32_C(0x00010001),
                                           .low = four_bytes(limits.min),
                                           .high = four_bytes(limits.max)};
        fill_pairs(c, &start, rl_rescale_rounding(output_offset), bias, multiplier, shift, weights);
        for (int32_t at = 0; at < lines * 2 * pairs * 4; at++) {
            const int32_t channel = at % 4, column = at / 4 % (2 * pairs), y = at / 4 / (2 * pairs);
            int32_t sum = bias[channel];
            for (int32_t tap = 0; tap < 3 * rows; tap++) {
                const int32_t place = (y * stride + tap / 3) * line + (2 * column + tap % 3) * pixel + channel;
                sum += (x[place] + offset) * weights[4 * (3 * (3 - rows) + tap) + channel];
            }
            expected[(y * 2 * pairs + column) * step + channel] =
                rl_reference_output(sum, multiplier[channel], shift[channel], output_offset, limits.min, limits.max);
        }
        struct rl_depthwise_pairs job = start;
        job.output = plain;
        rl_depthwise_pairs_plain(&job);
        job = start;
        loops.depthwise_pairs(&job);
        rl_case_equal_s8(c, "plain output", expected, plain, size);
        rl_case_equal_s8(c, "output", plain, output, size);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// The 16-bit output of a sum: the first step of scaling keeps 16 bits of the product less.
static int16_t output_s16(int32_t sum, int32_t multiplier, int32_t shift, int64_t addend, cmsis_nn_activation limits)
{
    const int64_t floored = ((int64_t)sum * multiplier) >> 16;
    const int64_t scaled = (((floored >> (shift - 1)) + 1) >> 1) + addend;
    const int64_t below = scaled < limits.max ? scaled : limits.max;
    return (int16_t)(below > limits.min ? below : limits.min);
}

static uint32_t two_halves(int32_t value)
{
    return (uint16_t)value * UINT32_C(0x00010001);
}

static void fill_scales_s16(struct rl_case *c, struct rl_depthwise_s16_scales *scales)
{
    for (int32_t i = 0; i < RL_DEPTHWISE_S16_FOUR; i++) {
        scales->shift[i] = rl_random_in(c, 1, 30);
        scales->rounding[i] = INT32_C(1) << (scales->shift[i] - 1);
        scales->bias[i] = rl_random_extreme(c, -1900000000, 1900000000);
        scales->multiplier[i] = (int16_t)rl_random_extreme(c, 0, INT16_MAX);
    }
}

static void test_depthwise_s16_four(struct rl_case *c)
{
    rl_test_start(c, "depthwise_s16_four");
    for (int i = 0; i < CASES; i++) {
        const int32_t groups = rl_random_in(c, 1, 4), channels = 4 * groups + rl_random_in(c, 0, 5);
        const int32_t rows = rl_random_in(c, 0, 5), columns = rl_random_in(c, 1, 7);
        const int32_t x_line = columns * channels + rl_random_in(c, 0, 9);
        const int32_t w_line = columns * channels + rl_random_in(c, 0, 9);
        const cmsis_nn_activation limits = rl_random_limits(c, INT16_MIN, INT16_MAX);
        rl_case_begin(c, "%ld rows, %ld columns, %ld of %ld channels", (long)rows, (long)columns, (long)(4 * groups),
                      (long)channels);
        const size_t count = (size_t)(4 * groups);
        const int16_t *x = rl_case_s16(c, (size_t)(rows * x_line));
        const int8_t *w = rl_case_s8(c, (size_t)(rows * w_line));
        struct rl_depthwise_s16_scales *scales = rl_case_buffer(c, (size_t)groups * sizeof *scales, 4);
        int16_t *output = rl_case_s16(c, count), *plain = rl_case_s16(c, count), *expected = rl_case_s16(c, count);
        for (int32_t o = 0; o < 4 * groups; o++) {
            if (o % 4 == 0) {
                fill_scales_s16(c, &scales[o / 4]);
            }
            int32_t sum = scales[o / 4].bias[o % 4];
            for (int32_t tap = 0; tap < rows * columns; tap++) {
                const int32_t row = tap / columns, at = tap % columns * channels + o;
                sum += x[row * x_line + at] * w[row * w_line + at];
            }
            expected[o] = output_s16(sum, scales[o / 4].multiplier[o % 4], scales[o / 4].shift[o % 4], 0, limits);
        }
        const struct rl_depthwise_s16_job start = {.input = x,
                                                   .filter = w,
                                                   .input_column = 2 * channels,
                                                   .filter_column = channels,
                                                   .scales = scales,
                                                   .rows = rows,
                                                   .input_row = 2 * (x_line - columns * channels),
                                                   .filter_row = w_line - columns * channels,
                                                   .output = plain,
                                                   .low = two_halves(limits.min),
                                                   .high = two_halves(limits.max),
                                                   .groups = groups,
                                                   .columns = columns};
        struct rl_depthwise_s16_job job = start;
        rl_depthwise_s16_four_plain(&job);
        job = start;
        job.output = output;
        loops.depthwise_s16_four(&job);
        rl_case_equal_s16(c, "plain output", expected, plain, count);
        rl_case_equal_s16(c, "output", plain, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_scale_three_s16(struct rl_case *c)
{
    rl_test_start(c, "scale_three_s16");
    for (int i = 0; i < CASES; i++) {
        const int32_t channels = rl_random_in(c, 1, 9), filled = rl_random_in(c, 1, RL_THREE_S16);
        const cmsis_nn_activation limits = rl_random_limits(c, INT16_MIN, INT16_MAX);
        rl_case_begin(c, "%ld channels, %ld rows", (long)channels, (long)filled);
        const size_t count = (size_t)(RL_THREE_S16 * channels);
        const int32_t *sums = rl_case_s32(c, count, INT32_MIN, INT32_MAX);
        struct rl_scale_s16 *scales = rl_case_buffer(c, (size_t)channels * sizeof *scales, 4);
        int16_t *output = rl_case_s16(c, count), *plain = rl_case_s16(c, count), *expected = rl_case_s16(c, count);
        memcpy(plain, output, count * sizeof *plain);
        memcpy(expected, output, count * sizeof *plain);
        for (int32_t o = 0; o < channels; o++) {
            struct rl_scale_s16 *s = &scales[o];
            s->multiplier = (int16_t)rl_random_extreme(c, 0, INT16_MAX);
            s->shift = (int16_t)rl_random_in(c, 1, 30);
            s->addend = rl_random_one_in(c, 2) ? rl_random_extreme(c, -(1 << 29), (1 << 29) - 1) : 0;
            s->rounding = INT32_C(1) << (s->shift - 1);
            for (int32_t row = 0; row < filled; row++) {
                expected[row * channels + o] =
                    output_s16(sums[RL_THREE_S16 * o + row], s->multiplier, s->shift, s->addend, limits);
            }
        }
        int16_t *const to[2] = {plain, output};
        for (int32_t k = 0; k < 2; k++) {
            const struct rl_scale_three_s16 job = {
                .sums = sums,
                .scales = scales,
                .outputs = {to[k], to[k] + (filled > 1 ? channels : 0), to[k] + (filled > 2 ? 2 * channels : 0)},
                .channels = channels,
                .low = two_halves(limits.min),
                .high = two_halves(limits.max)};
            (k == 0 ? rl_scale_three_s16_plain : loops.scale_three_s16)(&job);
        }
        rl_case_equal_s16(c, "plain output", expected, plain, count);
        rl_case_equal_s16(c, "output", plain, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_expand_two_lines(struct rl_case *c)
{
    rl_test_start(c, "expand_two_lines");
    for (int i = 0; i < CASES; i++) {
        const int32_t pixels = rl_random_in(c, 0, 20), step = 4 + rl_random_in(c, 0, 9);
        const int32_t offset = rl_random_extreme(c, -127, 128);
        const uint32_t offsets = (uint16_t)offset * UINT32_C(0x00010001);
        rl_case_begin(c, "%ld pixels, step %ld, offset %ld", (long)pixels, (long)step, (long)offset);
        const size_t words = (size_t)(4 * pixels), bytes = (size_t)(pixels > 0 ? (pixels - 1) * step + 4 : 0);
        const int8_t *upper = rl_case_s8(c, bytes), *lower = rl_case_s8(c, bytes);
        uint32_t *values = rl_case_buffer(c, words * sizeof *values, 4);
        uint32_t *plain = rl_case_buffer(c, words * sizeof *values, 4);
        uint32_t *expected = rl_case_buffer(c, words * sizeof *values, 4);
        for (int32_t k = 0; k < 4 * pixels; k++) {
            rl_set_half(&expected[k], 0, upper[k / 4 * step + k % 4] + offset);
            rl_set_half(&expected[k], 1, lower[k / 4 * step + k % 4] + offset);
        }
        const uint32_t *end = rl_expand_two_lines_plain(upper, lower, pixels * step, step, offsets, plain);
        rl_case_expect(c, end == plain + words, "the end from the plain form");
        end = loops.expand_two_lines(upper, lower, pixels * step, step, offsets, values);
        rl_case_expect(c, end == values + words, "the end");
        rl_case_equal_s32(c, "plain words", (int32_t *)expected, (int32_t *)plain, words);
        rl_case_equal_s32(c, "words", (int32_t *)plain, (int32_t *)values, words);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// A block and a filter as dsp/plane_tile.h describes them, with the values and weights one by one.
struct plane_case {
    struct rl_plane_outputs p;
    int32_t stride_along, stride_across, dilation, offset, multiplier, shift;
    int32_t values[2 * BLOCK_LINES][RL_PLANE_PITCH];
    int32_t weights[2][2 * MOST_PAIRS][MOST_TAPS]; // of upper and lower rows, lines of pairs
};

static void start_plane(struct rl_case *c, struct plane_case *t)
{
    struct rl_plane_outputs *p = &t->p;
    p->shape = rl_random_in(c, RL_PLANE_ANY, RL_PLANE_WIDE);
    const bool is_3x3 = p->shape == RL_PLANE_3X3_STRIDE_1 || p->shape == RL_PLANE_3X3_STRIDE_2;
    t->stride_along = p->shape == RL_PLANE_3X3_STRIDE_2 ? 2 : 1;
    t->stride_across = t->stride_along;
    t->dilation = 1;
    if (p->shape == RL_PLANE_ANY) {
        t->stride_along = rl_random_in(c, 1, 2);
        t->stride_across = rl_random_in(c, 1, 2);
        t->dilation = rl_random_in(c, 1, 2);
    }
    p->pairs = is_3x3 ? 2 : rl_random_in(c, 1, MOST_PAIRS);
    const int32_t most_taps = t->stride_along == 1 && t->dilation == 1 ? MOST_TAPS : MOST_SPREAD_TAPS;
    rl_plane_set_taps(p, is_3x3 ? 3 : rl_random_in(c, 1, most_taps));
    p->rows = rl_random_in(c, 1, 5);
    const int32_t columns = rl_random_in(c, 1, 5);
    rl_plane_set_columns(p, columns, rl_random_in(c, 1, 5));
    p->output_down = p->columns * p->output_right + rl_random_in(c, 0, 3);
    p->output_step = 2 * p->output_down;
    p->pixels_step = t->stride_across * 4 * LINE_WORDS;
    p->pixel_right = 16 * t->stride_along;
    p->pixel_down = (t->stride_across >> 1) * 4 * LINE_WORDS;
    p->tap_step = 16 * t->dilation;
    p->line_step = 4 * LINE_WORDS - p->tap_count * p->tap_step;
    rl_case_begin(c, "shape %ld, strides %ld %ld, dilation %ld, %ld pairs of %ld taps, %ld rows of %ld", (long)p->shape,
                  (long)t->stride_along, (long)t->stride_across, (long)t->dilation, (long)p->pairs, (long)p->tap_count,
                  (long)p->rows, (long)p->columns);
}

// Weights of the upper rows, and of the lower ones, which begin a line later where the stride is odd.
static void fill_filter(struct rl_case *c, struct plane_case *t)
{
    const bool is_3x3 = t->p.shape == RL_PLANE_3X3_STRIDE_1 || t->p.shape == RL_PLANE_3X3_STRIDE_2;
    const int32_t late = t->stride_across & 1, lines = is_3x3 ? 3 : 2 * t->p.pairs - late;
    memset(t->weights, 0, sizeof t->weights);
    for (int32_t line = 0; line < lines; line++) {
        for (int32_t tap = 0; tap < t->p.tap_count; tap++) {
            t->weights[0][line][tap] = rl_random_extreme(c, INT8_MIN, INT8_MAX);
            t->weights[1][line + late][tap] = t->weights[0][line][tap];
        }
    }
}

static uint32_t weight_pair(const struct plane_case *t, int32_t lower, int32_t pair, int32_t tap, int32_t factor)
{
    return rl_pair_of(factor * t->weights[lower][2 * pair][tap], factor * t->weights[lower][2 * pair + 1][tap]);
}

static void place_filter(struct rl_case *c, struct plane_case *t)
{
    struct rl_plane_outputs *p = &t->p;
    const int32_t lower_at = RL_PLANE_WEIGHTS * RL_PLANE_CHANNELS, count = p->pairs * p->tap_count;
    uint32_t *taps = rl_case_buffer(c, (size_t)(lower_at + RL_PLANE_CHANNELS * count) * sizeof *taps, 4);
    for (int32_t i = 0; i < count; i++) {
        taps[RL_PLANE_CHANNELS * i] = weight_pair(t, 0, i / p->tap_count, i % p->tap_count, 1);
        taps[lower_at + RL_PLANE_CHANNELS * i] = weight_pair(t, 1, i / p->tap_count, i % p->tap_count, 1);
    }
    p->taps = taps;
    if (p->shape != RL_PLANE_3X3_STRIDE_1 && p->shape != RL_PLANE_3X3_STRIDE_2) {
        return;
    }
    p->weights[0] = weight_pair(t, 0, 0, 0, 2);
    p->weights[1] = weight_pair(t, 0, 0, 1, 2);
    p->weight = weight_pair(t, 0, 0, 2, 2);
    for (int32_t i = 0; i < 3; i++) {
        p->weights[2 + i] = weight_pair(t, 1, 1, i, 2);
    }
}

static void place_block(struct rl_case *c, struct plane_case *t)
{
    uint32_t *words = rl_case_buffer(c, BLOCK_LINES * LINE_WORDS * sizeof *words, 4);
    for (int32_t line = 0; line < 2 * BLOCK_LINES; line++) {
        for (int32_t pixel = 0; pixel < RL_PLANE_PITCH; pixel++) {
            t->values[line][pixel] = rl_random_extreme(c, -255, 255);
            uint32_t *word = &words[line / 2 * LINE_WORDS + RL_PLANE_CHANNELS * pixel];
            rl_set_half(word, line % 2, t->values[line][pixel]);
        }
    }
    t->p.pixels = words;
}

static int8_t plane_output(const struct plane_case *t, int32_t bias, int32_t row, int32_t column)
{
    const int32_t lower = row % 2, first = row * t->stride_across / 2 * 2;
    int32_t sum = bias;
    for (int32_t line = 0; line < 2 * t->p.pairs; line++) {
        for (int32_t tap = 0; tap < t->p.tap_count; tap++) {
            const int32_t pixel = column * t->stride_along + tap * t->dilation;
            sum += t->weights[lower][line][tap] * t->values[first + line][pixel];
        }
    }
    return rl_reference_output(sum, t->multiplier, t->shift, t->offset, INT8_MIN, INT8_MAX);
}

static void test_plane_outputs(struct rl_case *c)
{
    rl_test_start(c, "plane_outputs");
    for (int i = 0; i < 2 * CASES; i++) {
        static struct plane_case t;
        start_plane(c, &t);
        struct rl_plane_outputs *p = &t.p;
        const bool is_3x3 = p->shape == RL_PLANE_3X3_STRIDE_1 || p->shape == RL_PLANE_3X3_STRIDE_2;
        const int32_t bias = rl_random_extreme(c, -100000, 100000);
        fill_filter(c, &t);
        place_filter(c, &t);
        place_block(c, &t);
        t.offset = rl_random_extreme(c, -128, 127);
        p->scale = rl_random_rescale(c, t.offset, &t.multiplier, &t.shift);
        p->bias = is_3x3 ? 2 * bias : bias;
        const size_t bytes = (size_t)((p->rows - 1) * p->output_down + (p->columns - 1) * p->output_right + 1);
        int8_t *output = rl_case_s8(c, bytes), *plain = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(plain, output, bytes);
        memcpy(expected, output, bytes);
        for (int32_t row = 0; row < p->rows; row++) {
            for (int32_t column = 0; column < p->columns; column++) {
                expected[row * p->output_down + column * p->output_right] = plane_output(&t, bias, row, column);
            }
        }
        struct rl_plane_outputs job = *p;
        job.output = plain;
        rl_plane_outputs_plain(&job);
        job = *p;
        job.output = output;
        loops.plane_outputs(&job);
        rl_case_equal_s8(c, "plain output", expected, plain, bytes);
        rl_case_equal_s8(c, "output", plain, output, bytes);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_depthwise_pairs(&c);
    test_depthwise_four(&c);
    test_depthwise_s16_four(&c);
    test_scale_three_s16(&c);
    test_expand_two_lines(&c);
    test_plane_outputs(&c);
    return rl_test_finish(&c);
}
