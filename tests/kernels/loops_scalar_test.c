// SPDX-License-Identifier: Apache-2.0
// The loops that RL_LOOP chooses, against the definition and, where they are in assembler, against their plain form: on
// Cortex-M0 those for ARMv6-M, on all other cores those for ARMv7-M, whether the core's tiles use them or not.
#include "data_movement/copy_long.h"
#include "loops_plain.h"
#include "scalar/copy_blocks.h"
#include "scalar/copy_lines.h"
#include "scalar/depthwise_channels.h"
#include "scalar/dot_1x4.h"
#include "scalar/dot_channels.h"
#include "scalar/dot_fours.h"
#include "scalar/dot_s4.h"
#include "scalar/dot_tile.h"
#include "scalar/plane_nine.h"
#include "scalar/rescale_tile.h"
#include "scalar/store_s8.h"
#include "support/kernel_test.h"

#include <string.h>

enum { CASES = 400, LONG_S16 = 508 };

// The sum of (x[k] + offset) * w[k] modulo 2^32.
static uint32_t products(const int8_t *x, int32_t offset, const int8_t *w, int32_t count)
{
    uint32_t sum = 0;
    for (int32_t k = 0; k < count; k++) {
        sum += (uint32_t)((x[k] + offset) * w[k]);
    }
    return sum;
}

static void test_dot_1x4(struct rl_case *c)
{
    rl_test_start(c, "dot_1x4");
    for (int i = 0; i < CASES; i++) {
        const int32_t depth = rl_random_in(c, 1, 70), offset = rl_random_extreme(c, -128, 128);
        const int32_t step = rl_random_one_in(c, 4) ? 0 : depth + rl_random_in(c, 0, 3);
        rl_case_begin(c, "depth %ld, offset %ld, step %ld", (long)depth, (long)offset, (long)step);
        const int8_t *row = rl_case_s8(c, (size_t)depth), *last = rl_case_s8(c, (size_t)depth);
        const int8_t *filter = rl_case_s8(c, (size_t)(2 * step + depth));
        struct rl_dot_1x4 job = {row, filter, step, last, depth, offset, {0}};
        int32_t expected[4];
        for (int f = 0; f < 4; f++) {
            job.sums[f] = rl_random_extreme(c, INT32_MIN, INT32_MAX);
            const uint32_t sum = products(row, offset, f < 3 ? filter + f * step : last, depth);
            expected[f] = (int32_t)((uint32_t)job.sums[f] + sum);
        }
        struct rl_dot_1x4 plain = job;
        rl_plain_dot_1x4(&plain);
        rl_dot_1x4(&job);
        rl_case_equal_s32(c, "plain sums", expected, plain.sums, 4);
        rl_case_equal_s32(c, "sums", plain.sums, job.sums, 4);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_dot_channels(struct rl_case *c)
{
    rl_test_start(c, "dot_channels");
    for (int i = 0; i < CASES; i++) {
        const int32_t depth = rl_random_in(c, 1, rl_random_one_in(c, 3) ? 5 : 40), channels = rl_random_in(c, 1, 11);
        const int32_t offset = rl_random_one_in(c, 3) ? 0 : rl_random_extreme(c, -128, 128);
        rl_case_begin(c, "depth %ld, offset %ld, %ld channels", (long)depth, (long)offset, (long)channels);
        const size_t count = (size_t)channels;
        const int8_t *row = rl_case_s8(c, (size_t)depth), *filter = rl_case_s8(c, count * (size_t)depth);
        const int32_t *base = rl_random_one_in(c, 3) ? NULL : rl_case_s32(c, count, INT32_MIN, INT32_MAX);
        const int32_t start = rl_random_extreme(c, INT32_MIN, INT32_MAX);
        int32_t *sums = rl_case_s32(c, count, INT32_MIN, INT32_MAX), expected[11];
        for (int32_t o = 0; o < channels; o++) {
            const uint32_t sum = products(row, offset, filter + o * depth, depth);
            expected[o] = (int32_t)(sum + (uint32_t)start + (base ? (uint32_t)base[o] : 0));
        }
        struct rl_dot_channels job = {row + depth, filter, depth, base, start, sums, channels, offset};
        rl_dot_channels(&job);
        rl_case_equal_s32(c, "sums", expected, sums, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// A sum whose output is close to a limit between two values, on either side, or any sum.
static int32_t sum_near_limit(struct rl_case *c, int32_t multiplier, int32_t shift)
{
    const int32_t twice = 2 * rl_random_in(c, -260, 260) + 1, apart = rl_random_in(c, -3, 3);
    if (rl_random_one_in(c, 3) || shift > 0) {
        return rl_random_extreme(c, INT32_MIN, INT32_MAX);
    }
    const int64_t product = (int64_t)twice * (INT64_C(1) << (30 - shift));
    return (int32_t)(uint32_t)(uint64_t)(product / multiplier + apart);
}

// Shifts to the left and multipliers that are small are for the caller of the loop.
static void test_store_s8(struct rl_case *c)
{
    rl_test_start(c, "store_s8");
    for (int i = 0; i < CASES; i++) {
        const int32_t count = rl_random_in(c, 1, 12), offset = rl_random_extreme(c, -128, 127);
        const cmsis_nn_activation range = rl_random_limits(c, INT8_MIN, INT8_MAX);
        const struct rl_limits_s8 limits = {range.min, range.max};
        rl_case_begin(c, "%ld channels, offset %ld, limits %ld %ld", (long)count, (long)offset, (long)limits.low,
                      (long)limits.high);
        int32_t *bias = rl_random_one_in(c, 3) ? NULL : rl_case_s32(c, (size_t)count, -(1 << 20), 1 << 20);
        int32_t *sums = rl_case_s32(c, (size_t)count, 0, 0), *multiplier = rl_case_s32(c, (size_t)count, 0, 0);
        int32_t *shift = rl_case_s32(c, (size_t)count, 0, 0);
        int8_t *output = rl_case_s8(c, (size_t)count), expected[12];
        for (int32_t o = 0; o < count; o++) {
            multiplier[o] = rl_random_extreme(c, rl_random_one_in(c, 8) ? 1 : 1 << 30, INT32_MAX);
            shift[o] = rl_random_one_in(c, 8) ? rl_random_in(c, -31, 4) : rl_random_in(c, -22, -1);
            const int32_t sum = sum_near_limit(c, multiplier[o], shift[o]);
            sums[o] = (int32_t)((uint32_t)sum - (bias ? (uint32_t)bias[o] : 0));
            expected[o] = rl_reference_output(sum, multiplier[o], shift[o], offset, limits.low, limits.high);
        }
        rl_store_s8(sums, bias, (struct rl_scales){multiplier, shift}, offset, limits, count, output);
        rl_case_equal_s8(c, "output", expected, output, (size_t)count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// All channels have one scale, or each its own.
static void test_dot_fours(struct rl_case *c, bool own)
{
    rl_test_start(c, own ? "dot_fours_own" : "dot_fours");
    for (int i = 0; i < CASES; i++) {
        const int32_t depth = rl_random_in(c, 1, rl_random_one_in(c, 3) ? 3 : 40),
                      step = own ? 1 : rl_random_in(c, 1, 3);
        const int32_t channels = 4 * rl_random_in(c, 1, 3), output_offset = rl_random_extreme(c, -128, 127);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        rl_case_begin(c, "depth %ld, %ld channels, step %ld, limits %ld %ld", (long)depth, (long)channels, (long)step,
                      (long)limits.min, (long)limits.max);
        // Small sums and shifts meet ties of the rounding; sums of more than 30 bits saturate when they are doubled.
        const bool small = depth < 4, large = !small && rl_random_one_in(c, 4);
        const int32_t most_base = small ? 300 : 1 << 20, most = large ? INT32_MAX - (1 << 22) : most_base;
        int32_t multiplier[12], shift[12];
        for (int32_t o = 0; o < channels; o++) {
            const bool same = !own && o > 0;
            const int32_t any = small ? 1 << 30 : rl_random_extreme(c, 1 << 30, INT32_MAX);
            multiplier[o] = same ? multiplier[0] : any;
            shift[o] = same ? shift[0] : rl_random_in(c, small ? -6 : -20, -1);
        }
        struct rl_rescale scale = {0, 0, 0};
        rl_case_expect(c, rl_rescale_init(output_offset, multiplier[0], shift[0], &scale), "a usual scale");
        const size_t bytes = (size_t)((channels - 1) * step + 1);
        int8_t *output = rl_case_s8(c, bytes), *plain = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(plain, output, bytes);
        memcpy(expected, output, bytes);
        const int32_t *base = rl_random_one_in(c, 3) ? NULL : rl_case_s32(c, (size_t)channels, -most_base, most_base);
        const struct rl_dot_fours start = {.row = rl_case_s8(c, (size_t)depth),
                                           .depth = depth,
                                           .offset = rl_random_extreme(c, -128, 128),
                                           .constant = rl_random_extreme(c, -most, most),
                                           .base = base,
                                           .filter = rl_case_s8(c, (size_t)(channels * depth)),
                                           .output = output,
                                           .step = step,
                                           .groups = channels / 4,
                                           .multiplier = scale.multiplier,
                                           .addend = scale.addend,
                                           .right_shift = scale.right_shift,
                                           .low = limits.min,
                                           .high = limits.max,
                                           .multipliers = multiplier,
                                           .shifts = shift,
                                           .rounding = rl_rescale_rounding(output_offset)};
        for (int32_t o = 0; o < channels; o++) {
            const uint32_t sum = products(start.row, start.offset, start.filter + o * depth, depth);
            expected[o * step] = rl_reference_output((int32_t)sum + start.constant + (base ? base[o] : 0),
                                                     multiplier[o], shift[o], output_offset, limits.min, limits.max);
        }
        struct rl_dot_fours job = start;
        job.output = plain;
        (own ? rl_plain_dot_fours_own : rl_plain_dot_fours)(&job);
        job = start;
        (own ? rl_dot_fours_own : rl_dot_fours)(&job);
        rl_case_equal_s8(c, "plain output", expected, plain, bytes);
        rl_case_equal_s8(c, "output", plain, output, bytes);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Copies of any length to and from any address, with and without common alignment.
static void test_copies(struct rl_case *c)
{
    rl_test_start(c, "copies");
    for (int i = 0; i < CASES; i++) {
        const int32_t count = rl_random_in(c, 0, rl_random_one_in(c, 2) ? 70 : 700);
        const bool aligned = rl_random_one_in(c, 2);
        rl_case_begin(c, "%ld bytes, aligned %d", (long)count, aligned);
        int8_t *from = aligned ? rl_case_buffer(c, (size_t)count, 4) : rl_case_s8(c, (size_t)count);
        int8_t *to = aligned ? rl_case_buffer(c, (size_t)count, 4) : rl_case_s8(c, (size_t)count);
        int8_t *plain = rl_case_s8(c, (size_t)count), *far = rl_case_s8(c, (size_t)count);
        for (int32_t k = 0; k < count; k++) {
            from[k] = (int8_t)rl_random_in(c, INT8_MIN, INT8_MAX);
        }
        rl_plain_copy_lines_s8(plain, from, count);
        rl_copy_lines_s8(to, from, count);
        rl_copy_long_s8(far, from, count);
        rl_case_equal_s8(c, "plain lines", from, plain, (size_t)count);
        rl_case_equal_s8(c, "lines", from, to, (size_t)count);
        rl_case_equal_s8(c, "long copy", from, far, (size_t)count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_copy_blocks(struct rl_case *c)
{
    rl_test_start(c, "copy_blocks");
    for (int i = 0; i < CASES; i++) {
        const int32_t blocks = rl_random_in(c, 1, 11);
        const size_t bytes = (size_t)(blocks * RL_COPY_BLOCK);
        rl_case_begin(c, "%ld blocks", (long)blocks);
        int8_t *from = rl_case_buffer(c, bytes, 4), *to = rl_case_buffer(c, bytes, 4);
        for (size_t k = 0; k < bytes; k++) {
            from[k] = (int8_t)rl_random_in(c, -128, 127);
        }
        memset(to, 0, bytes);
        rl_copy_blocks_s8(to, from, blocks);
        rl_case_equal_s8(c, "copy", from, to, bytes);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_depthwise_channels(struct rl_case *c)
{
    rl_test_start(c, "depthwise_channels");
    for (int i = 0; i < CASES; i++) {
        const int32_t fours = rl_random_in(c, 1, 4), step = 4 * fours + rl_random_in(c, 0, 5);
        const int32_t rows = rl_random_in(c, 0, 4), columns = rl_random_in(c, 1, 4);
        const int32_t x_line = columns * step + rl_random_in(c, 0, 9), w_line = columns * step + rl_random_in(c, 0, 9);
        const int32_t offset = rl_random_extreme(c, -127, 128), output_offset = rl_random_extreme(c, -128, 127);
        const bool biased = rl_random_one_in(c, 2), left = rl_random_one_in(c, 2);
        const cmsis_nn_activation limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
        rl_case_begin(c, "%ld rows, %ld columns, %ld of %ld channels, offsets %ld %ld%s", (long)rows, (long)columns,
                      (long)(4 * fours), (long)step, (long)offset, (long)output_offset, left ? ", any shifts" : "");
        const size_t count = (size_t)(4 * fours);
        const int8_t *x = rl_case_s8(c, (size_t)(rows * x_line)), *w = rl_case_s8(c, (size_t)(rows * w_line));
        const int32_t *bias = rl_case_s32(c, biased ? count : 4, -100000, 100000);
        int32_t *multiplier = rl_case_s32(c, count, 1 << 30, INT32_MAX),
                *shift = rl_case_s32(c, count, -22, left ? 8 : -1);
        int8_t *output = rl_case_s8(c, count), *plain = rl_case_s8(c, count), *expected = rl_case_s8(c, count);
        for (int32_t o = 0; o < 4 * fours; o++) {
            int32_t sum = bias[biased ? o : o % 4];
            for (int32_t tap = 0; tap < rows * columns; tap++) {
                const int32_t row = tap / columns, at = tap % columns * step + o;
                sum += (x[row * x_line + at] + offset) * w[row * w_line + at];
            }
            expected[o] = rl_reference_output(sum, multiplier[o], shift[o], output_offset, limits.min, limits.max);
        }
        const struct rl_depthwise_channels start = {.x = x,
                                                    .w = w,
                                                    .multiplier = multiplier,
                                                    .shift = shift,
                                                    .bias = bias,
                                                    .output = output,
                                                    .bias_step = biased ? 16 : 0,
                                                    .end = output + count,
                                                    .rows = rows,
                                                    .columns = columns,
                                                    .x_back = x_line - columns * step,
                                                    .w_back = w_line - columns * step,
                                                    .step = step,
                                                    .offset = offset,
                                                    .rounding = rl_rescale_rounding(output_offset),
                                                    .low = limits.min,
                                                    .high = limits.max};
        struct rl_depthwise_channels job = start;
        job.output = plain;
        job.end = plain + count;
        rl_plain_depthwise_channels(&job, left);
        job = start;
        rl_depthwise_channels(&job, left);
        rl_case_equal_s8(c, "plain output", expected, plain, count);
        rl_case_equal_s8(c, "output", plain, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// A row of outputs, and one below it in the upper halves of the same words.
// Filters of 3x3, or of any size.
static void test_plane_rows(struct rl_case *c, bool nine)
{
    enum { LINE = RL_PLANE_LINE_WORDS, PIXEL = RL_PLANE_CHANNELS, MOST = 27 };
    rl_test_start(c, nine ? "plane_nine" : "plane_taps");
    for (int i = 0; i < CASES; i++) {
        const int32_t columns = rl_random_in(c, 1, 7), stride = rl_random_in(c, 1, 2), right = rl_random_in(c, 1, 3);
        const bool alone = rl_random_one_in(c, 4), limited = rl_random_one_in(c, 2);
        const int32_t down = alone ? 0 : columns * right, output_offset = rl_random_extreme(c, -128, 127);
        const int32_t most = rl_random_one_in(c, 2) ? 1 << 20 : 300;
        const int32_t bias[2] = {rl_random_in(c, -most, most), rl_random_in(c, -most, most)};
        const struct rl_limits_s8 all = {INT8_MIN, INT8_MAX};
        const cmsis_nn_activation range = rl_random_limits(c, INT8_MIN, INT8_MAX);
        const struct rl_limits_s8 limits = limited ? (struct rl_limits_s8){range.min, range.max} : all;
        rl_case_begin(c, "%ld columns, stride %ld, %ld to the right, offset %ld", (long)columns, (long)stride,
                      (long)right, (long)output_offset);
        const int32_t height = nine ? 3 : rl_random_in(c, 1, 5), width = nine ? 3 : rl_random_in(c, 1, 5);
        const int32_t apart = nine ? 1 : rl_random_in(c, 1, 2), count = height * width;
        // rl_plane_taps may compute one more output.
        const int32_t last = (nine ? columns - 1 : columns) * stride + (width - 1) * apart;
        const size_t words = (size_t)((height - 1) * apart * LINE + last * PIXEL + 1);
        uint32_t *line = rl_case_buffer(c, words * sizeof *line, 4);
        struct rl_plane_tap *taps = rl_case_buffer(c, MOST * sizeof *taps, 4);
        for (size_t k = 0; k < words; k++) {
            line[k] = (uint32_t)rl_random_in(c, 1, 256) | (uint32_t)rl_random_in(c, 0, 255) << 16;
        }
        uint32_t negatives = 0;
        memset(taps, 0, MOST * sizeof *taps);
        for (int32_t tap = 0; tap < count; tap++) {
            const int32_t weight = rl_random_extreme(c, -128, 127);
            taps[tap] = (struct rl_plane_tap){(uint32_t)weight, apart * (tap / width * LINE + tap % width * PIXEL)};
            negatives += weight < 0 ? 1 : 0;
        }
        const int32_t multiplier = rl_random_extreme(c, 1 << 30, INT32_MAX), shift = rl_random_in(c, -22, -1);
        struct rl_plane_channel channel = {.taps = taps, .end = taps + count};
        channel.start =
            (struct rl_plane_sums){(uint32_t)bias[0] + ((uint32_t)bias[1] << 16), (uint32_t)bias[1] + negatives};
        rl_case_expect(c, rl_rescale_init(output_offset, multiplier, shift, &channel.scale), "a usual scale");
        const size_t bytes = (size_t)((columns - 1) * right + down + 1);
        int8_t *output = rl_case_s8(c, bytes), *plain = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(plain, output, bytes);
        memcpy(expected, output, bytes);
        for (int32_t k = 0; k < columns; k++) {
            int32_t sums[2] = {bias[0], bias[1]};
            for (int32_t tap = 0; tap < count; tap++) {
                const uint32_t word = line[k * stride * PIXEL + taps[tap].offset];
                sums[0] += (int32_t)(word & 0xffffu) * (int32_t)taps[tap].weight;
                sums[1] += (int32_t)(word >> 16) * (int32_t)taps[tap].weight;
            }
            for (int32_t row = alone ? 0 : 1; row >= 0; row--) {
                expected[row * down + k * right] =
                    rl_reference_output(sums[row], multiplier, shift, output_offset, limits.low, limits.high);
            }
        }
        const struct rl_plane_job start = {.line = line,
                                           .output = output,
                                           .next = stride * PIXEL * 4,
                                           .columns = columns,
                                           .right = right,
                                           .down = down,
                                           .channel = &channel,
                                           .limits = limited ? &limits : NULL};
        struct rl_plane_job job = start;
        job.output = plain;
        (nine ? rl_plain_plane_nine : rl_plain_plane_taps)(&job);
        job = start;
        (nine ? rl_plane_nine : rl_plane_taps)(&job);
        rl_case_equal_s8(c, "plain output", expected, plain, bytes);
        rl_case_equal_s8(c, "output", plain, output, bytes);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// The first filter may lie anywhere; those of further pairs follow the second one at any distance, and so do sums.
static void test_dot_s4(struct rl_case *c)
{
    enum { PAIRS = 3, MOST_STEP = 3 };
    rl_test_start(c, "dot_s4");
    for (int i = 0; i < CASES; i++) {
        const int32_t bytes = rl_random_in(c, 1, 40), offset = rl_random_extreme(c, -128, 128);
        const int32_t filters = 2 * rl_random_in(c, 1, PAIRS), step = bytes + rl_random_in(c, 0, 3);
        const int32_t sum_step = rl_random_in(c, 1, MOST_STEP);
        rl_case_begin(c, "%ld bytes, %ld filters, offset %ld", (long)bytes, (long)filters, (long)offset);
        const int8_t *x = rl_case_s8(c, (size_t)(2 * bytes));
        const int8_t *first = rl_case_s8(c, (size_t)bytes), *others = rl_case_s8(c, (size_t)(step * filters));
        int32_t expected[2 * PAIRS * MOST_STEP] = {0}, plain[2 * PAIRS * MOST_STEP] = {0};
        int32_t sums[2 * PAIRS * MOST_STEP] = {0};
        struct rl_dot_s4 job = {x, first, others, offset, sums, filters / 2, bytes, step, 4 * sum_step};
        for (int f = 0; f < filters; f++) {
            const int8_t *w = f == 0 ? first : others + (f - 1) * step;
            for (int32_t k = 0; k < 2 * bytes; k++) {
                const int32_t half = w[k / 2] >> k % 2 * 4 & 15;
                expected[f * sum_step] += (x[k] + offset) * (half < 8 ? half : half - 16);
            }
        }
        for (int f = 0; f < filters; f += 2) {
            int32_t pair[2] = {0, 0};
            rl_plain_dot_s4(x, 2 * bytes, 0, offset, f == 0 ? first : others + (f - 1) * step, others + f * step,
                            2 * bytes, pair);
            plain[f * sum_step] = pair[0];
            plain[(f + 1) * sum_step] = pair[1];
        }
        rl_dot_s4_bytes(&job);
        rl_case_equal_s32(c, "plain sums", expected, plain, (size_t)(2 * PAIRS * MOST_STEP));
        rl_case_equal_s32(c, "sums", plain, sums, (size_t)(2 * PAIRS * MOST_STEP));
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_dot_s16_s8_2x2(struct rl_case *c)
{
    rl_test_start(c, "dot_s16_s8_2x2");
    for (int i = 0; i < CASES; i++) {
        const int32_t count = rl_random_one_in(c, 8) ? LONG_S16 - rl_random_in(c, 0, 7) : rl_random_in(c, 0, 40);
        rl_case_begin(c, "%ld values", (long)count);
        const int16_t *x[2] = {rl_case_s16(c, (size_t)count), rl_case_s16(c, (size_t)count)};
        const int8_t *w[2] = {rl_case_s8(c, (size_t)count), rl_case_s8(c, (size_t)count)};
        int32_t *sums = rl_case_s32(c, 4, INT32_MIN, INT32_MAX), *plain = rl_case_s32(c, 4, INT32_MIN, INT32_MAX);
        int32_t expected[4] = {0, 0, 0, 0};
        for (int32_t k = 0; k < 4 * count; k++) {
            expected[k % 4] += x[k % 4 / 2][k / 4] * w[k % 2][k / 4];
        }
        rl_plain_dot_s16_s8_2x2(x[0], x[1], w[0], w[1], count, plain);
        rl_dot_s16_s8_2x2(x[0], x[1], w[0], w[1], count, sums);
        rl_case_equal_s32(c, "plain sums", expected, plain, 4);
        rl_case_equal_s32(c, "sums", plain, sums, 4);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_saturate(struct rl_case *c)
{
    rl_test_start(c, "saturate");
    for (int i = 0; i < CASES; i++) {
        const int32_t most = i % 2 == 0 ? INT32_MAX : 1 << (i % 20);
        const int32_t value = rl_random_extreme(c, -most - 1, most);
        rl_case_begin(c, "%ld", (long)value);
        const int32_t expected[2] = {rl_reference_limited(value, (cmsis_nn_activation){INT8_MIN, INT8_MAX}),
                                     rl_reference_limited(value, (cmsis_nn_activation){INT16_MIN, INT16_MAX})};
        const int32_t plain[2] = {rl_plain_saturate_s8(value), rl_plain_saturate_s16(value)};
        const int32_t actual[2] = {rl_saturate_s8(value), rl_saturate_s16(value)};
        rl_case_equal_s32(c, "plain values", expected, plain, 2);
        rl_case_equal_s32(c, "values", plain, actual, 2);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_dot_1x4(&c);
    if (RL_HAS_DOT_CHANNELS) {
        test_dot_channels(&c);
    }
    test_store_s8(&c);
    test_dot_fours(&c, false);
    test_dot_fours(&c, true);
    test_dot_s4(&c);
    test_copies(&c);
    if (RL_HAS_COPY_BLOCKS) {
        test_copy_blocks(&c);
    }
    test_depthwise_channels(&c);
    test_plane_rows(&c, true);
    test_plane_rows(&c, false);
    test_dot_s16_s8_2x2(&c);
    test_saturate(&c);
    return rl_test_finish(&c);
}
