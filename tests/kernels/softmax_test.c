// SPDX-License-Identifier: Apache-2.0
// Softmax: against the formulas written down once more with 64-bit arithmetic, and against floating point.
#include "arm_nnfunctions.h"
#include "rushlight/kernels/softmax.h"
#include "support/kernel_test.h"

#include <math.h>
#include <string.h>

static int64_t divide_rounding(int64_t value, int64_t divisor) // ties away from zero
{
    const int64_t half = divisor / 2;
    return value < 0 ? -((-value + half) / divisor) : (value + half) / divisor;
}

// a * b / 2^31, ties upwards.
static int64_t multiply_q31(int64_t a, int64_t b)
{
    const int64_t sum = a * b + ((int64_t)1 << 30);
    return sum >= 0 ? sum >> 31 : -((-sum + ((int64_t)1 << 31) - 1) >> 31);
}

// exp(value / 2^26) in q31.
static int64_t reference_exp(int64_t value)
{
    static const double exponents[7] = {0.25, 0.5, 1, 2, 4, 8, 16};
    if (value == 0) {
        return INT32_MAX;
    }
    const int64_t quarter = (int64_t)1 << 24;
    const int64_t fraction = ((value % quarter) + quarter) % quarter - quarter;
    const int64_t x = fraction * 32 + ((int64_t)1 << 28);
    const int64_t x2 = multiply_q31(x, x);
    const int64_t x3 = multiply_q31(x2, x);
    const int64_t x4 = multiply_q31(x2, x2);
    const int64_t third = multiply_q31(divide_rounding(x4, 4) + x3, 715827883);
    const int64_t e_eighth = 1895147668;
    int64_t result = e_eighth + multiply_q31(e_eighth, x + divide_rounding(third + x2, 2));
    const int64_t quarters = (fraction - value) / quarter;
    for (int bit = 0; bit < 7; bit++) {
        if (quarters >> bit & 1) {
            result = multiply_q31(result, (int64_t)floor(exp(-exponents[bit]) * 2147483648.0 + 0.5));
        }
    }
    return result;
}

static int64_t saturate_q31(int64_t value)
{
    return rl_reference_limited(value, (cmsis_nn_activation){INT32_MIN, INT32_MAX});
}

// 2^31 / (1 + value / 2^31) by three Newton-Raphson steps.
static int64_t reference_reciprocal(int64_t value)
{
    const int64_t sum = value + INT32_MAX;
    const int64_t half = (sum + (sum >= 0 ? 1 : -1)) / 2;
    int64_t x = 1515870810 + multiply_q31(half, -1010580540);
    for (int i = 0; i < 3; i++) {
        x += saturate_q31(4 * multiply_q31(x, ((int64_t)1 << 29) - multiply_q31(half, x)));
    }
    return saturate_q31(2 * x);
}

struct scaling {
    int32_t multiplier, shift, diff_min;
};

static int64_t reference_term(const struct scaling *s, int32_t difference)
{
    if (difference < s->diff_min) {
        return 0;
    }
    return reference_exp(multiply_q31(difference * ((int64_t)1 << s->shift), s->multiplier));
}

// One row of values whose differences are all that matters; outputs of 2^bits levels above `lowest`.
static void reference_row(const struct scaling *s, const int32_t *input, int32_t count, int32_t bits, int32_t lowest,
                          int32_t *output)
{
    int32_t maximum = input[0];
    for (int32_t i = 1; i < count; i++) {
        maximum = input[i] > maximum ? input[i] : maximum;
    }
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += divide_rounding(reference_term(s, input[i] - maximum), 4096);
    }
    int32_t headroom = 0;
    while (sum << headroom < (int64_t)1 << 31) {
        headroom++;
    }
    const int64_t reciprocal = reference_reciprocal((sum << headroom) - ((int64_t)1 << 31));
    const int64_t divisor = (int64_t)1 << (12 - headroom + 31 - bits);
    for (int32_t i = 0; i < count; i++) {
        const int64_t product = multiply_q31(reciprocal, reference_term(s, input[i] - maximum));
        const int64_t value = divide_rounding(product, divisor);
        const int64_t highest = ((int64_t)1 << bits) - 1;
        output[i] = (int32_t)(value > highest ? highest : value) + lowest;
    }
}

// mult and shift hold scale * 2^26, as the frameworks compute them; differences beyond 2^31 / 2^26 units do not count.
static struct scaling scaling_of(double scale)
{
    int exponent = 0;
    const double mantissa = frexp(scale * 67108864.0, &exponent);
    struct scaling s = {(int32_t)floor(mantissa * 2147483648.0 + 0.5), exponent, 0};
    s.diff_min = -(int32_t)floor(31.0 * 67108864.0 / ldexp(1.0, s.shift));
    return s;
}

static struct scaling random_scaling(struct rl_case *c)
{
    struct scaling s = scaling_of(ldexp(1.0 + rl_random_in(c, 0, 1000) / 1001.0, rl_random_in(c, -12, -1)));
    if (rl_random_one_in(c, 8)) {
        s.diff_min = rl_random_in(c, s.diff_min, 0);
    }
    return s;
}

enum {
    MOST_ROWS = 4,
    MOST_COLUMNS = 300,
    LONGEST_ROW = 8191, // without an overflow of the sum
};

static void random_rows(struct rl_case *c, int32_t *rows, int32_t *columns)
{
    *rows = rl_random_one_in(c, 3) ? 1 : rl_random_in(c, 1, MOST_ROWS); // short single rows go another way
    *columns = rl_random_one_in(c, 4) ? rl_random_in(c, 1, MOST_COLUMNS) : rl_random_in(c, 1, 40);
}

// The types that share the 8-bit input.
enum types { S8, S8_TO_S16, U8 };

static int32_t widened(enum types types, const void *input, int32_t index)
{
    return types == U8 ? ((const uint8_t *)input)[index] : ((const int8_t *)input)[index];
}

static void run(enum types types, const void *input, int32_t rows, int32_t columns, const struct scaling *s,
                void *output)
{
    if (types == U8) {
        arm_softmax_u8(input, rows, columns, s->multiplier, s->shift, s->diff_min, output);
    } else if (types == S8) {
        arm_softmax_s8(input, rows, columns, s->multiplier, s->shift, s->diff_min, output);
    } else {
        arm_softmax_s8_s16(input, rows, columns, s->multiplier, s->shift, s->diff_min, output);
    }
}

static void check_rows(struct rl_case *c, enum types types, int32_t rows, int32_t columns, bool equal)
{
    static const int32_t lowest[] = {[S8] = INT8_MIN, [S8_TO_S16] = INT16_MIN, [U8] = 0};
    static int32_t values[LONGEST_ROW];
    const struct scaling s = random_scaling(c);
    rl_case_begin(c, "%ld rows of %ld, multiplier %ld, shift %ld, least difference %ld", (long)rows, (long)columns,
                  (long)s.multiplier, (long)s.shift, (long)s.diff_min);
    const size_t count = (size_t)(rows * columns);
    int8_t *input = rl_case_s8(c, count);
    void *output = types == S8_TO_S16 ? (void *)rl_case_s16(c, count) : rl_case_s8(c, count);
    int32_t *expected = rl_case_s32(c, count, 0, 0);
    if (equal) {
        memset(input, 5, count);
    }
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t k = 0; k < columns; k++) {
            values[k] = widened(types, input, row * columns + k);
        }
        reference_row(&s, values, columns, types == S8_TO_S16 ? 16 : 8, lowest[types], expected + row * columns);
    }
    void *target = types != S8_TO_S16 && rl_random_one_in(c, 4) ? input : output;
    run(types, input, rows, columns, &s, target);
    for (size_t k = 0; k < count; k++) {
        const int32_t actual = types == S8_TO_S16 ? ((const int16_t *)target)[k] : widened(types, target, (int32_t)k);
        rl_case_equal_s32(c, "output", &expected[k], &actual, 1);
    }
    rl_case_end(c);
}

static void test_rows(struct rl_case *c, const char *name, enum types types)
{
    rl_test_start(c, name);
    for (int i = 0; i < 150; i++) {
        int32_t rows, columns;
        random_rows(c, &rows, &columns);
        check_rows(c, types, rows, columns, rl_random_one_in(c, 8));
    }
    // More elements at the maximum than an 8-bit output has levels, and sums beyond 31 bits.
    static const int32_t long_rows[] = {511, 513, 1025, 4095, 4097, LONGEST_ROW};
    for (size_t i = 0; i < sizeof long_rows / sizeof *long_rows; i++) {
        check_rows(c, types, 1, long_rows[i], true);
        check_rows(c, types, 1, long_rows[i], false);
    }
    rl_test_stop(c);
}

// The tables of the int16 softmax: e^x for -10..0 and 1 / (1 + x) for 0..1, evenly spaced.
struct tables {
    int16_t exponential[513], reciprocal[513];
};

static void fill_tables(struct tables *t)
{
    for (int i = 0; i < 513; i++) {
        t->exponential[i] = (int16_t)fmin(32767.0, floor(exp(-10.0 + i * 10.0 / 512) * 32768.0 + 0.5));
        t->reciprocal[i] = (int16_t)fmin(32767.0, floor(32768.0 / (1.0 + i / 512.0) + 0.5));
    }
}

// Between the entries by a line, rounded; `position` -32768..32767 goes over the whole table.
static int64_t look_up(const int16_t *table, int64_t position)
{
    const int64_t from_start = position + 32768, index = from_start / 128, offset = from_start % 128;
    const int64_t rise = (table[index + 1] - table[index]) * offset + 64;
    return table[index] + (rise >= 0 ? rise / 128 : -((-rise + 127) / 128));
}

static void reference_row_s16(const struct scaling *s, const struct tables *t, const int16_t *input, int32_t count,
                              int16_t *output)
{
    const cmsis_nn_activation limits = {INT16_MIN, INT16_MAX};
    static int64_t exponentials[MOST_COLUMNS];
    int32_t maximum = input[0];
    for (int32_t i = 1; i < count; i++) {
        maximum = input[i] > maximum ? input[i] : maximum;
    }
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        const int64_t units = rl_reference_requantize(input[i] - maximum, s->multiplier, s->shift);
        exponentials[i] = look_up(t->exponential, rl_reference_limited(units + INT16_MAX, limits));
        sum += exponentials[i];
    }
    int32_t headroom = 0;
    while (sum << headroom < (int64_t)1 << 31) {
        headroom++;
    }
    const int64_t one_to_two = ((sum << (headroom - 1)) + (1 << 13)) >> 14;
    const int64_t factor = look_up(t->reciprocal, rl_reference_limited(one_to_two - 98304, limits));
    const int64_t divisor = (int64_t)1 << (31 - headroom);
    for (int32_t i = 0; i < count; i++) {
        output[i] = (int16_t)((exponentials[i] * factor + divisor / 2) / divisor);
    }
}

// The difference of two inputs in units of 10 / 65535.
static struct scaling scaling_s16(double scale)
{
    int exponent = 0;
    const double mantissa = frexp(scale * 65535.0 / 10.0, &exponent);
    return (struct scaling){(int32_t)floor(mantissa * 2147483648.0 + 0.5), exponent, 0};
}

static void test_s16(struct rl_case *c)
{
    static struct tables tables;
    fill_tables(&tables);
    const cmsis_nn_softmax_lut_s16 luts = {tables.exponential, tables.reciprocal};
    rl_test_start(c, "softmax_s16");
    for (int i = 0; i < 150; i++) {
        int32_t rows, columns;
        random_rows(c, &rows, &columns);
        const struct scaling s = scaling_s16(ldexp(1.0 + rl_random_in(c, 0, 1000) / 1001.0, rl_random_in(c, -18, -9)));
        rl_case_begin(c, "%ld rows of %ld, multiplier %ld, shift %ld", (long)rows, (long)columns, (long)s.multiplier,
                      (long)s.shift);
        const size_t count = (size_t)(rows * columns);
        int16_t *input = rl_case_s16(c, count), *expected = rl_case_s16(c, count);
        int16_t *target = rl_random_one_in(c, 4) ? input : rl_case_s16(c, count);
        for (int32_t row = 0; row < rows; row++) {
            reference_row_s16(&s, &tables, input + row * columns, columns, expected + row * columns);
        }
        const arm_cmsis_nn_status status = arm_softmax_s16(input, rows, columns, s.multiplier, s.shift, &luts, target);
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        rl_case_equal_s16(c, "output", expected, target, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_accuracy_s16(struct rl_case *c)
{
    static struct tables tables;
    fill_tables(&tables);
    const cmsis_nn_softmax_lut_s16 luts = {tables.exponential, tables.reciprocal};
    rl_test_start(c, "softmax_s16_is_close_to_floating_point");
    for (int i = 0; i < 40; i++) {
        const double scale = ldexp(1.0, rl_random_in(c, -14, -11));
        const struct scaling s = scaling_s16(scale);
        rl_case_begin(c, "scale %ld / 2^16", (long)(scale * 65536));
        enum { COLUMNS = 20 };
        int16_t *input = rl_case_s16(c, COLUMNS), *output = rl_case_s16(c, COLUMNS);
        arm_softmax_s16(input, 1, COLUMNS, s.multiplier, s.shift, &luts, output);
        double sum = 0;
        for (int k = 0; k < COLUMNS; k++) {
            sum += exp(input[k] * scale);
        }
        for (int k = 0; k < COLUMNS; k++) {
            const double exact = exp(input[k] * scale) / sum * 32768.0;
            rl_case_expect(c, fabs(output[k] - exact) < 16.0, "less than 16 of 32768 of error");
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// Guards against an error in all fixed-point formulas together: no output differs from the true value by more than
// rounding explains.
static void test_accuracy(struct rl_case *c)
{
    rl_test_start(c, "softmax_is_close_to_floating_point");
    for (int i = 0; i < 40; i++) {
        const double scale = ldexp(1.0, rl_random_in(c, -7, -3));
        const struct scaling s = scaling_of(scale);
        rl_case_begin(c, "scale %ld / 2^16", (long)(scale * 65536));
        enum { COLUMNS = 20 };
        int8_t *input = rl_case_buffer(c, COLUMNS, 0), *output = rl_case_buffer(c, COLUMNS, 0);
        rl_random_s8(c, input, COLUMNS);
        arm_softmax_s8(input, 1, COLUMNS, s.multiplier, s.shift, s.diff_min, output);
        double sum = 0;
        for (int k = 0; k < COLUMNS; k++) {
            sum += exp(input[k] * scale);
        }
        for (int k = 0; k < COLUMNS; k++) {
            const double exact = fmin(exp(input[k] * scale) / sum * 256.0, 255.0);
            rl_case_expect(c, fabs(output[k] + 128 - exact) < 0.51, "less than 0.51 steps of error");
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

// ---- the logarithm

// log2(sum) - 31 with 24 fractional bits, bit by bit as the header says.
static int64_t reference_logarithm(uint64_t sum)
{
    int64_t whole = 31;
    while (sum >> (whole + 1) != 0) {
        whole++;
    }
    uint64_t mantissa = sum >> (whole - 31), bits = 0;
    for (int i = 0; i < 24; i++) {
        mantissa = mantissa * mantissa / 2147483648u;
        bits *= 2;
        if (mantissa >= 4294967296u) {
            mantissa /= 2;
            bits++;
        }
    }
    return (whole - 31) * 16777216 + (int64_t)bits;
}

static void reference_log_row(const struct rl_log_softmax *layer, const int8_t *input, int8_t *output)
{
    const struct rl_softmax *e = &layer->exponentials;
    const struct scaling s = {e->scale.multiplier, e->scale.shift, e->diff_min};
    int32_t maximum = input[0];
    for (int32_t i = 1; i < e->row; i++) {
        maximum = input[i] > maximum ? input[i] : maximum;
    }
    uint64_t sum = 1;
    for (int32_t i = 0; i < e->row; i++) {
        sum += (uint64_t)reference_term(&s, input[i] - maximum);
    }
    const int64_t half = (int64_t)1 << (layer->log_shift - 1);
    const int64_t addend = (reference_logarithm(sum) * layer->log_multiplier + half) / (2 * half);
    const int64_t limited = addend < 1 << 30 ? addend : 1 << 30, unit = (int64_t)1 << layer->fraction;
    for (int32_t i = 0; i < e->row; i++) {
        const int64_t below = ((int64_t)(maximum - input[i]) * layer->step + limited + unit / 2) / unit;
        const int64_t value = layer->output_offset - below;
        output[i] = (int8_t)(value < INT8_MIN ? INT8_MIN : value);
    }
}

// The numbers of a layer between two scales.
static void set_scales(struct rl_log_softmax *layer, double input, double output)
{
    const struct scaling s = scaling_of(input);
    layer->exponentials.scale = (struct rl_scale){s.multiplier, s.shift};
    layer->exponentials.diff_min = s.diff_min;
    layer->fraction = RL_LOG_SOFTMAX_MOST_FRACTION;
    while (ldexp(input / output, layer->fraction) > RL_LOG_SOFTMAX_MOST_STEP) {
        layer->fraction--;
    }
    layer->step = (int32_t)floor(ldexp(input / output, layer->fraction) + 0.5);
    const double unit = ldexp(log(2.0) / output, layer->fraction - 24);
    layer->log_shift = 1;
    while (layer->log_shift < 62 && ldexp(unit, layer->log_shift + 1) < 2147483647.0) {
        layer->log_shift++;
    }
    layer->log_multiplier = (int32_t)fmin(floor(ldexp(unit, layer->log_shift) + 0.5), 2147483647.0);
}

static int8_t *random_logits(struct rl_case *c, size_t count)
{
    int8_t *input = rl_case_s8(c, count);
    if (rl_random_one_in(c, 4)) { // both ends, or all the same
        const int8_t value = (int8_t)rl_random_extreme(c, INT8_MIN, INT8_MAX);
        const bool same = rl_random_one_in(c, 2);
        for (size_t i = 0; i < count; i++) {
            input[i] = same ? value : (int8_t)(rl_random_one_in(c, 2) ? INT8_MIN : INT8_MAX);
        }
    }
    return input;
}

static void test_log_softmax(struct rl_case *c)
{
    rl_test_start(c, "log_softmax");
    for (int i = 0; i < 200; i++) {
        struct rl_log_softmax layer = {.output_offset = rl_random_extreme(c, INT8_MIN, INT8_MAX)};
        set_scales(&layer, ldexp(1.0, rl_random_in(c, -12, 1)), ldexp(1.0, rl_random_in(c, -16, 2)));
        if (rl_random_one_in(c, 3)) { // any numbers that are accepted
            layer.step = rl_random_extreme(c, 0, RL_LOG_SOFTMAX_MOST_STEP);
            layer.fraction = rl_random_extreme(c, 0, RL_LOG_SOFTMAX_MOST_FRACTION);
            layer.log_multiplier = rl_random_extreme(c, 0, INT32_MAX);
            layer.log_shift = rl_random_extreme(c, 1, 62);
        }
        random_rows(c, &layer.exponentials.rows, &layer.exponentials.row);
        const int32_t rows = layer.exponentials.rows, columns = layer.exponentials.row;
        rl_case_begin(c, "%ld rows of %ld, step %ld / 2^%ld, %ld / 2^%ld", (long)rows, (long)columns, (long)layer.step,
                      (long)layer.fraction, (long)layer.log_multiplier, (long)layer.log_shift);
        const size_t count = (size_t)(rows * columns);
        int8_t *input = random_logits(c, count), *expected = rl_case_s8(c, count), *output = rl_case_s8(c, count);
        for (int32_t row = 0; row < rows; row++) {
            reference_log_row(&layer, input + row * columns, expected + row * columns);
        }
        rl_log_softmax_run(&layer, input, output);
        rl_case_equal_s8(c, "output", expected, output, count);
        rl_log_softmax_run(&layer, input, input);
        rl_case_equal_s8(c, "in place", expected, input, count);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

static void test_log_accuracy(struct rl_case *c)
{
    rl_test_start(c, "log_softmax_is_close_to_floating_point");
    for (int i = 0; i < 60; i++) {
        const double in = ldexp(1.0 + rl_random_in(c, 0, 1000) / 1001.0, rl_random_in(c, -12, -1));
        const double out = ldexp(1.0 + rl_random_in(c, 0, 1000) / 1001.0, rl_random_in(c, -15, 0));
        struct rl_log_softmax layer = {.output_offset = 127};
        set_scales(&layer, in, out);
        layer.exponentials.rows = 1;
        layer.exponentials.row = rl_random_in(c, 1, MOST_COLUMNS);
        rl_case_begin(c, "scales %ld and %ld / 2^16", (long)(in * 65536), (long)(out * 65536));
        const size_t count = (size_t)layer.exponentials.row;
        int8_t *input = random_logits(c, count), *output = rl_case_s8(c, count);
        rl_log_softmax_run(&layer, input, output);
        double sum = 0;
        for (size_t k = 0; k < count; k++) {
            sum += exp(input[k] * in);
        }
        for (size_t k = 0; k < count; k++) {
            const double exact = (input[k] * in - log(sum)) / out + layer.output_offset;
            rl_case_expect(c, fabs(output[k] - fmax(exact, INT8_MIN)) <= 0.5 + 1.0 / 64, "half a step and 1/64");
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_log_softmax(&c);
    test_log_accuracy(&c);
    test_rows(&c, "softmax_s8", S8);
    test_rows(&c, "softmax_s8_s16", S8_TO_S16);
    test_rows(&c, "softmax_u8", U8);
    test_s16(&c);
    test_accuracy(&c);
    test_accuracy_s16(&c);
    return rl_test_finish(&c);
}
