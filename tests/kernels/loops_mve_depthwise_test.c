// SPDX-License-Identifier: Apache-2.0
// The loops of kernels/mve that depthwise convolutions use, and those between floats and integers: the plain form of
// each against the definition on every core, and the assembler against the plain form on the cores that have Helium.
#include "isa.h"
#include "loops_plain.h"
#include "mve/depthwise_bands_plain.h"
#include "mve/depthwise_s16_pair_plain.h"
#include "mve/depthwise_sixteen_plain.h"
#include "mve/plane_store_plain.h"
#include "mve/plane_sums_plain.h"
#include "quantization.h"
#include "support/kernel_test.h"

#include <string.h>

#if RL_HAS_MVE
#include "mve/depthwise_bands.h"
#include "mve/depthwise_s16_pair.h"
#include "mve/depthwise_sixteen.h"
#include "mve/plane_store.h"
#include "mve/plane_sums.h"

#define pair_run rl_depthwise_s16_pair

static void plane_lines(struct rl_plane_lines *lines, int32_t rows, bool two_channels, bool more)
{
    if (two_channels) {
        (rows == 2 ? rl_plane_two_channels_two_rows : rl_plane_two_channels)(lines);
    } else {
        (rows == 2 ? rl_plane_two_rows : rl_plane_one_row)(lines, more);
    }
}

static void band_run(const struct rl_band *band)
{
    rl_call_assembler(rl_band_run, band);
}

static void sixteen_run(const struct rl_sixteen *s, bool right, bool apart)
{
    rl_assembler *groups = right ? rl_depthwise_sixteen : rl_depthwise_sixteen_any;
    rl_assembler *eights = right ? rl_depthwise_eights : rl_depthwise_eights_any;
    rl_call_assembler(apart ? eights : groups, s);
}
#else
#define band_run       rl_band_run_plain
#define plane_lines    rl_plane_lines_plain
#define rl_plane_store rl_plane_store_plain
#define pair_run       rl_depthwise_s16_pair_plain

static void sixteen_run(const struct rl_sixteen *s, bool right, bool apart)
{
    (void)right, (void)apart;
    rl_depthwise_sixteen_plain(s);
}
#endif

enum { CASES = 400, MOST_FLOATS = 40 };

// Planes and weights as mve/plane_nest.h describes them, for the call at hand.
struct sums_case {
    int32_t rows, step, columns, computed;
    bool two_channels, in_pairs, more;
    const int8_t *planes, *weights;
    int32_t plane_bytes, window, weight_bytes, sums_row;
};

static struct sums_case random_sums(struct rl_case *c)
{
    struct sums_case t = {.rows = rl_random_in(c, 1, 2), .two_channels = rl_random_one_in(c, 2)};
    t.step = t.two_channels ? 4 * rl_random_in(c, 1, 4) : 2 * rl_random_in(c, 2, 8);
    t.columns = rl_random_in(c, 1, 9);
    t.in_pairs = t.two_channels && t.rows == 1 && t.step == RL_PLANE_USUAL_STEP;
    t.computed = t.in_pairs ? (t.columns + 1) & ~1 : t.columns;
    t.more = !t.two_channels && rl_random_one_in(c, 2);
    t.window = t.two_channels ? 16 : 32 * rl_random_in(c, 1, 2);
    t.plane_bytes = (t.columns - 1) * t.step + t.window + rl_random_in(c, 0, 5);
    t.weight_bytes = RL_PLANE_CHANNELS * t.rows * t.window;
    t.sums_row = (t.columns + 1) * RL_PLANE_CHANNELS;
    rl_case_begin(c, "%ld rows, %ld windows of %ld bytes, step %ld, two channels %d, more %d", (long)t.rows,
                  (long)t.columns, (long)t.window, (long)t.step, (int)t.two_channels, (int)t.more);
    t.planes = rl_case_s8(c, (size_t)(RL_PLANE_CHANNELS * t.plane_bytes + RL_PLANE_SLACK));
    t.weights = rl_case_s8(c, (size_t)t.weight_bytes);
    return t;
}

// The lines of a call; with windows of 64 bytes one for the first half of them.
static struct rl_plane_lines lines_of(const struct sums_case *t, int32_t *sums)
{
    const int32_t channels = t->two_channels ? 2 : 1;
    return (struct rl_plane_lines){.x_0 = t->planes,
                                   .x_1 = t->planes + (t->two_channels ? t->plane_bytes : 16),
                                   .weights = t->weights,
                                   .sums = sums,
                                   .sums_1 = sums + t->sums_row,
                                   .rounds = t->in_pairs ? t->computed / 2 : t->columns,
                                   .step = t->step,
                                   .next_x = channels * t->plane_bytes - t->computed * t->step,
                                   .next_sums = 4 * (channels - t->computed * RL_PLANE_CHANNELS),
                                   .end = t->weights + t->weight_bytes,
                                   .next_weights = t->two_channels ? 32 : t->window};
}

// What the loops leave in the sums of a row, a window and a channel.
static int32_t window_sum(const struct sums_case *t, int32_t row, int32_t column, int32_t channel)
{
    const int32_t bytes = t->two_channels ? 16 : 32;
    const int8_t *x = t->planes + channel * t->plane_bytes + column * t->step;
    const int8_t *weights = t->weights + (channel * t->rows + row) * t->window;
    int32_t sum = 0;
    for (int32_t i = 0; i < bytes; i++) {
        sum += x[i] * weights[i];
    }
    return sum;
}

static void test_plane_sums(struct rl_case *c)
{
    rl_test_start(c, "plane_sums");
    for (int i = 0; i < CASES; i++) {
        const struct sums_case t = random_sums(c);
        const size_t count = (size_t)(t.rows * t.sums_row);
        int32_t *sums = rl_case_s32(c, count, -9999, 9999), *plain = rl_case_s32(c, count, 0, 0);
        int32_t *expected = rl_case_s32(c, count, 0, 0);
        memcpy(plain, sums, count * sizeof *sums);
        memcpy(expected, sums, count * sizeof *sums);
        for (int32_t k = 0; k < t.rows * t.columns * RL_PLANE_CHANNELS; k++) {
            const int32_t channel = k % RL_PLANE_CHANNELS, column = k / RL_PLANE_CHANNELS % t.columns;
            const int32_t row = k / RL_PLANE_CHANNELS / t.columns;
            int32_t *at = &expected[row * t.sums_row + column * RL_PLANE_CHANNELS + channel];
            *at = (t.more ? *at : 0) + window_sum(&t, row, column, channel);
        }
        struct rl_plane_lines lines = lines_of(&t, plain);
        rl_plane_lines_plain(&lines, t.rows, t.two_channels, t.more);
        lines = lines_of(&t, sums);
        plane_lines(&lines, t.rows, t.two_channels, t.more);
        for (int32_t row = 0; row < t.rows; row++) { // the window behind the last one may have been computed
            const int32_t at = row * t.sums_row, used = t.columns * RL_PLANE_CHANNELS;
            rl_case_equal_s32(c, "plain sums", expected + at, plain + at, (size_t)used);
            rl_case_equal_s32(c, "sums", plain + at, sums + at, (size_t)(t.sums_row));
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// For small sums, a scale that meets ties of the rounding.
static void random_plane_scale(struct rl_case *c, bool small, struct rl_plane_scale *s)
{
    const bool relu = rl_random_one_in(c, 3);
    const int32_t offset = relu && rl_random_one_in(c, 2) ? INT8_MIN : rl_random_extreme(c, -128, 127);
    cmsis_nn_activation limits = rl_random_limits(c, relu ? offset : INT8_MIN, INT8_MAX);
    if (rl_random_one_in(c, 3)) {
        limits.min = relu ? offset : INT8_MIN;
        limits.max = rl_random_one_in(c, 2) ? INT8_MAX : rl_random_in(c, limits.min, INT8_MAX);
    }
    const int32_t most_shift = rl_random_one_in(c, 4) ? 3 : -1;
    s->shifts_right = true;
    for (int32_t i = 0; i < RL_PLANE_CHANNELS; i++) {
        s->bias[i] = small ? rl_random_in(c, -9, 9) : rl_random_extreme(c, -100000, 100000);
        s->multiplier[i] = rl_random_extreme(c, 1 << 30, small ? (1 << 30) + 1 : INT32_MAX);
        s->shift[i] = rl_random_in(c, small ? -6 : -20, most_shift);
        s->offset[i] = (int16_t)offset;
        s->low[i] = (int16_t)limits.min;
        s->high[i] = (int16_t)limits.max;
        s->shifts_right = s->shifts_right && s->shift[i] < 0;
    }
    s->is_open = limits.min == INT8_MIN && limits.max == INT8_MAX;
    s->is_relu = limits.min >= offset;
}

static void test_plane_store(struct rl_case *c)
{
    static const int8_t order[RL_PLANE_CHANNELS] = {0, 2, 4, 6, 1, 3, 5, 7};
    rl_test_start(c, "plane_store");
    for (int i = 0; i < CASES; i++) {
        struct rl_plane_scale s;
        const int32_t rows = rl_random_in(c, 1, 2), columns = rl_random_in(c, 1, 9);
        const int32_t step = RL_PLANE_CHANNELS + rl_random_in(c, 0, 9), row_step = columns * step;
        rl_case_begin(c, "%ld rows of %ld, step %ld", (long)rows, (long)columns, (long)step);
        const bool small = rl_random_one_in(c, 2);
        const int32_t most = small ? 300 : 200000;
        random_plane_scale(c, small, &s);
        struct rl_plane_block b = {.sums_row = (columns + 1) * RL_PLANE_CHANNELS};
        b.sums = rl_case_s32(c, (size_t)(rows * b.sums_row), -most, most);
        const size_t bytes = (size_t)((rows - 1) * row_step + (columns - 1) * step + RL_PLANE_CHANNELS);
        int8_t *output = rl_case_s8(c, bytes), *plain = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(plain, output, bytes);
        memcpy(expected, output, bytes);
        for (int32_t at = 0; at < rows * columns * RL_PLANE_CHANNELS; at++) {
            const int32_t k = at % RL_PLANE_CHANNELS, column = at / RL_PLANE_CHANNELS % columns;
            const int32_t row = at / RL_PLANE_CHANNELS / columns;
            const int32_t sum = b.sums[row * b.sums_row + column * RL_PLANE_CHANNELS + k] + s.bias[k];
            expected[row * row_step + column * step + order[k]] =
                rl_reference_output(sum, s.multiplier[k], s.shift[k], s.offset[k], s.low[k], s.high[k]);
        }
        rl_plane_store_plain(&s, &b, rows, columns, step, row_step, plain);
        rl_plane_store(&s, &b, rows, columns, step, row_step, output);
        rl_case_equal_s8(c, "plain output", expected, plain, bytes);
        rl_case_equal_s8(c, "output", plain, output, bytes);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// A random band of windows whose runs of taps overlap, with shifts to the right.
static void test_bands(struct rl_case *c)
{
    static const int8_t order[RL_PLANE_CHANNELS] = {0, 2, 4, 6, 1, 3, 5, 7};
    rl_test_start(c, "bands");
    for (int i = 0; i < CASES; i++) {
        struct rl_plane_scale s;
        const int32_t taps = rl_random_in(c, 1, 12), width = rl_random_in(c, 1, 5), lines = rl_random_in(c, 1, 3);
        const int32_t count = (lines - 1) * width + rl_random_in(c, 1, width), step = rl_random_in(c, 1, 3);
        const int32_t jump = rl_random_in(c, 0, 2), output_step = RL_PLANE_CHANNELS + rl_random_in(c, 0, 9);
        rl_case_begin(c, "%ld outputs in lines of %ld, %ld taps, step %ld, jump %ld", (long)count, (long)width,
                      (long)taps, (long)step, (long)jump);
        const int32_t pixels = (count - 1) * step + (count - 1) / width * jump + taps + 1;
        const int8_t *x = rl_case_s8(c, (size_t)(pixels * RL_BAND_CHANNELS));
        const int8_t *weights = rl_case_s8(c, (size_t)((taps + 1) * RL_BAND_CHANNELS));
        do {
            random_plane_scale(c, rl_random_one_in(c, 2), &s);
        } while (!s.shifts_right);
        const size_t bytes = (size_t)((count - 1) * output_step + RL_PLANE_CHANNELS);
        int8_t *output = rl_case_s8(c, bytes), *plain = rl_case_s8(c, bytes), *expected = rl_case_s8(c, bytes);
        memcpy(plain, output, bytes);
        memcpy(expected, output, bytes);
        for (int32_t at = 0; at < count * RL_PLANE_CHANNELS; at++) {
            const int32_t k = at % RL_PLANE_CHANNELS, window = at / RL_PLANE_CHANNELS;
            int32_t sum = s.bias[k];
            for (int32_t tap = 0; tap < taps; tap++) {
                const int32_t pixel = window * step + window / width * jump + tap;
                sum += x[pixel * RL_BAND_CHANNELS + order[k]] * weights[tap * RL_BAND_CHANNELS + order[k]];
            }
            expected[window * output_step + order[k]] =
                rl_reference_output(sum, s.multiplier[k], s.shift[k], s.offset[k], s.low[k], s.high[k]);
        }
        struct rl_band band = {.output = plain,
                               .x = x,
                               .count = count,
                               .scale = &s,
                               .step = step * RL_BAND_CHANNELS,
                               .taps = taps,
                               .output_step = output_step,
                               .weights = weights,
                               .jump = jump * RL_BAND_CHANNELS,
                               .width = width};
        rl_band_run_plain(&band);
        band.output = output;
        band_run(&band);
        rl_case_equal_s8(c, "plain output", expected, plain, bytes);
        rl_case_equal_s8(c, "output", plain, output, bytes);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Taps in any order and place, also none: groups of channels, or twice eight at any distance. The definition is that of
// the plain form.
static void test_sixteens(struct rl_case *c)
{
    enum { PLACES = 20, MOST_TAPS = 12, EIGHT = 8, MOST_APART = 40, MOST_ROWS = 3 };
    rl_test_start(c, "sixteens");
    for (int i = 0; i < CASES; i++) {
        const bool right = rl_random_one_in(c, 2), apart = rl_random_one_in(c, 2);
        const int32_t groups = apart ? 1 : rl_random_in(c, 1, 3), channels = groups * RL_SIXTEEN,
                      columns = rl_random_in(c, 0, MOST_TAPS);
        rl_case_begin(c, "%ld channels, %ld columns, apart %d, right %d", (long)channels, (long)columns, apart, right);
        struct rl_sixteen_tap taps[MOST_TAPS + RL_SIXTEEN_AHEAD];
        struct rl_sixteen_row rows[MOST_ROWS];
        memset(taps, 0, sizeof taps);
        for (int32_t k = 0; k < MOST_ROWS; k++) {
            rows[k].input = rl_random_in(c, 0, MOST_APART);
            rows[k].weights = rl_random_in(c, 0, MOST_APART);
            rows[k].count = rl_random_in(c, 0, columns > 0 ? MOST_TAPS / columns : 3);
        }
        for (int32_t k = 0; k < MOST_TAPS; k++) {
            taps[k].input = channels * rl_random_in(c, 0, PLACES - 1);
            taps[k].weights = channels * rl_random_in(c, 0, PLACES - 1);
        }
        int32_t *multiplier = rl_case_s32(c, (size_t)channels, 0, 0), *shift = rl_case_s32(c, (size_t)channels, 0, 0);
        for (int32_t k = 0; k < channels; k++) {
            rl_random_scale(c, &multiplier[k], &shift[k]);
            shift[k] = shift[k] < 0 || !right ? shift[k] : -1 - (shift[k] & 15);
        }
        const int32_t low = rl_random_extreme(c, -128, 127);
        struct rl_sixteen s = {.bias = rl_case_s32(c, (size_t)channels, -(1 << 20), 1 << 20),
                               .multiplier = multiplier,
                               .shift = shift,
                               .input = rl_case_s8(c, (size_t)(channels * PLACES + 2 * MOST_APART)),
                               .weights = rl_case_s8(c, (size_t)(channels * PLACES + 2 * MOST_APART)),
                               .groups = groups,
                               .taps = taps,
                               .columns = columns,
                               .input_offset = rl_random_extreme(c, -127, 128),
                               .output_offset = rl_random_extreme(c, -128, 127),
                               .next_input = apart ? rl_random_in(c, 0, MOST_APART) : EIGHT,
                               .next_weights = apart ? rl_random_in(c, 0, MOST_APART) : EIGHT,
                               .next_output = apart ? rl_random_in(c, 0, MOST_APART) : EIGHT,
                               .rows = rows,
                               .outputs = rl_random_in(c, 1, MOST_ROWS),
                               .line = rl_random_in(c, 0, MOST_APART)};
        const int32_t high = rl_random_extreme(c, low, 127);
        for (int32_t k = 0; k < EIGHT; k++) {
            s.limits[k] = (int16_t)low;
            s.limits[EIGHT + k] = (int16_t)high;
        }
        const size_t bytes = (size_t)(channels + MOST_APART * (1 + MOST_ROWS));
        int8_t *output = rl_case_s8(c, bytes), *plain = rl_case_s8(c, bytes);
        memcpy(plain, output, bytes);
        s.output = plain;
        rl_depthwise_sixteen_plain(&s);
        s.output = output;
        sixteen_run(&s, right, apart);
        rl_case_equal_s8(c, "output", plain, output, bytes);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// round(product), ties to even, within -2^20..2^20.
static int32_t round_to_even(float product)
{
    if (product != product) {
        return INT32_MIN / 2;
    }
    double value = product < -0x1p20f ? -0x1p20 : product;
    value = value > 0x1p20 ? 0x1p20 : value;
    const int32_t whole = (int32_t)value - (value < (int32_t)value ? 1 : 0);
    const double rest = value - whole;
    return whole + (rest > 0.5 || (rest == 0.5 && whole % 2 != 0) ? 1 : 0);
}

static float random_float(struct rl_case *c, float scale)
{
    const uint32_t bits = rl_random(c);
    float number;
    memcpy(&number, &bits, sizeof number);
    if (rl_random_one_in(c, 8)) {
        return number;
    }
    return (float)rl_random_in(c, -600, 600) * 0.5f * scale;
}

static void test_quantize(struct rl_case *c, bool wide)
{
    rl_test_start(c, wide ? "quantize_s16" : "quantize_s8");
    for (int i = 0; i < CASES; i++) {
        const int32_t low = wide ? INT16_MIN : INT8_MIN, high = wide ? INT16_MAX : INT8_MAX;
        const cmsis_nn_activation limits = rl_random_limits(c, low, high);
        const struct rl_quantization q = {(float)rl_random_in(c, 1, 1 << 20) / (float)(1 << rl_random_in(c, 0, 30)),
                                          rl_random_extreme(c, low, high), limits.min, limits.max};
        const uint32_t count = (uint32_t)rl_random_in(c, 0, MOST_FLOATS);
        const float inverse = 1.0f / q.scale;
        rl_case_begin(c, "%ld floats, zero point %ld, limits %ld %ld", (long)count, (long)q.zero_point, (long)q.min,
                      (long)q.max);
        float *from = rl_case_buffer(c, count * sizeof *from, 4);
        void *plain = rl_case_elements(c, wide, count), *actual = rl_case_elements(c, wide, count);
        int32_t expected[MOST_FLOATS];
        for (uint32_t k = 0; k < count; k++) {
            from[k] = random_float(c, q.scale);
            expected[k] = rl_reference_limited((int64_t)round_to_even(from[k] * inverse) + q.zero_point, limits);
        }
        // False says that this way is not exact here, or is left out of small code.
        if (rl_plain_quantize_many(from, count, &q, wide, plain)) {
            rl_case_equal_elements(c, "plain integers", wide, expected, plain, count);
        }
        const bool done = rl_quantize_many(from, count, &q, wide, actual);
        if (done) {
            rl_case_equal_elements(c, "integers", wide, expected, actual, count);
        }
        rl_case_expect(c, done || !RL_HAS_MVE, "Helium to do every ordinary scale");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_dequantize(struct rl_case *c, bool wide)
{
    rl_test_start(c, wide ? "dequantize_s16" : "dequantize_s8");
    for (int i = 0; i < CASES; i++) {
        const int32_t low = wide ? INT16_MIN : INT8_MIN, high = wide ? INT16_MAX : INT8_MAX;
        const struct rl_quantization q = {(float)rl_random_in(c, 1, 1 << 20) / (float)(1 << rl_random_in(c, 0, 30)),
                                          rl_random_extreme(c, low, high), low, high};
        const uint32_t count = (uint32_t)rl_random_in(c, 0, MOST_FLOATS);
        rl_case_begin(c, "%ld integers, zero point %ld", (long)count, (long)q.zero_point);
        const void *from = rl_case_elements(c, wide, count);
        float *plain = rl_case_buffer(c, count * sizeof *plain, 4);
        float *actual = rl_case_buffer(c, count * sizeof *plain, 8), expected[MOST_FLOATS];
        for (uint32_t k = 0; k < count; k++) {
            expected[k] = (float)(rl_element(wide, from, k) - q.zero_point) * q.scale;
        }
        if (rl_plain_dequantize_many(from, wide, count, &q, plain)) {
            rl_case_expect(c, memcmp(expected, plain, count * sizeof *plain) == 0, "the plain floats");
        }
        const bool done = rl_dequantize_many(from, wide, count, &q, actual);
        if (done) {
            rl_case_expect(c, memcmp(expected, actual, count * sizeof *plain) == 0, "the floats");
        }
        rl_case_expect(c, done || !RL_HAS_MVE, "Helium to do every ordinary scale");
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Scales of eight channels, with the definition of what is done to a sum.
static void fill_eight(struct rl_case *c, struct rl_depthwise_s16_eight *s)
{
    for (int32_t i = 0; i < RL_DEPTHWISE_S16_CHANNELS; i++) {
        s->bias[i] = rl_random_extreme(c, -1900000000, 1900000000);
        s->multiplier[i] = rl_random_extreme(c, 0, INT16_MAX) * 65536;
        s->shift[i] = rl_random_in(c, -30, -1);
    }
}

static int16_t output_of_eight(const struct rl_depthwise_s16_eight *s, int32_t channel, int32_t products,
                               cmsis_nn_activation limits)
{
    const int32_t at = channel % 2 * 4 + channel / 2;
    const int64_t product = ((int64_t)(s->bias[at] + products) * (s->multiplier[at] / 65536)) >> 16;
    const int64_t scaled = ((product >> (-s->shift[at] - 1)) + 1) >> 1;
    const int64_t below = scaled < limits.max ? scaled : limits.max;
    return (int16_t)(below > limits.min ? below : limits.min);
}

static void test_depthwise_s16_pair(struct rl_case *c)
{
    rl_test_start(c, "depthwise_s16_pair");
    for (int i = 0; i < CASES; i++) {
        const int32_t groups = rl_random_in(c, 1, 3), channels = 8 * groups + rl_random_in(c, 0, 9);
        const int32_t rows = rl_random_in(c, 0, 4), columns = rl_random_in(c, 1, 5);
        const int32_t second = rl_random_one_in(c, 2) ? channels * rl_random_in(c, 1, 2) : 0;
        const int32_t x_line = columns * channels + second + rl_random_in(c, 0, 9);
        const int32_t w_line = columns * channels + rl_random_in(c, 0, 9);
        const cmsis_nn_activation limits = rl_random_limits(c, INT16_MIN, INT16_MAX);
        rl_case_begin(c, "%ld rows, %ld columns, %ld of %ld channels, second %ld", (long)rows, (long)columns,
                      (long)(8 * groups), (long)channels, (long)second);
        const int16_t *x = rl_case_s16(c, (size_t)(rows * x_line));
        const int8_t *w = rl_case_s8(c, (size_t)(rows * w_line));
        struct rl_depthwise_s16_eight *scales = rl_case_buffer(c, (size_t)groups * sizeof *scales, 4);
        const int32_t row_outputs = second != 0 ? 8 * groups : 0; // from one position to the next
        const size_t count = (size_t)(8 * groups + row_outputs);
        int16_t *output = rl_case_s16(c, count), *plain = rl_case_s16(c, count), *expected = rl_case_s16(c, count);
        for (int32_t o = 0; o < 8 * groups; o++) {
            if (o % 8 == 0) {
                fill_eight(c, &scales[o / 8]);
            }
            for (int32_t at = 0; at < (second != 0 ? 2 : 1); at++) {
                int32_t sum = 0;
                for (int32_t tap = 0; tap < rows * columns; tap++) {
                    const int32_t row = tap / columns, channel = tap % columns * channels + o;
                    sum += x[row * x_line + at * second + channel] * w[row * w_line + channel];
                }
                expected[at * row_outputs + o] = output_of_eight(&scales[o / 8], o % 8, sum, limits);
            }
        }
        const struct rl_depthwise_s16_pair start = {.input = x,
                                                    .filter = w,
                                                    .input_column = 2 * channels,
                                                    .filter_column = channels,
                                                    .second = 2 * second,
                                                    .rows = rows,
                                                    .columns = columns,
                                                    .input_row = 2 * (x_line - columns * channels),
                                                    .filter_row = w_line - columns * channels,
                                                    .scales = scales,
                                                    .output = plain,
                                                    .output_second = 2 * row_outputs,
                                                    .low = limits.min,
                                                    .high = limits.max,
                                                    .groups = groups};
        struct rl_depthwise_s16_pair job = start;
        rl_depthwise_s16_pair_plain(&job);
        job = start;
        job.output = output;
        pair_run(&job);
        rl_case_equal_s16(c, "plain output", expected, plain, count);
        rl_case_equal_s16(c, "output", plain, output, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_plane_sums(&c);
    test_plane_store(&c);
    test_bands(&c);
    test_sixteens(&c);
    test_depthwise_s16_pair(&c);
    test_quantize(&c, false);
    test_quantize(&c, true);
    test_dequantize(&c, false);
    test_dequantize(&c, true);
    return rl_test_finish(&c);
}
