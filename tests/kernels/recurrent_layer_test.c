// SPDX-License-Identifier: Apache-2.0
// Recurrent layers with a scale for each row against their definition (rushlight/kernels/recurrent.h), one value at a
// time: all kinds, in both directions, with and without first states.
#include "reference_activation.h"
#include "rushlight/kernels/recurrent.h"
#include "support/kernel_test.h"

#include <string.h>

enum { MOST_STEPS = 4, MOST_BATCHES = 2, MOST_UNITS = 40 };

static const cmsis_nn_activation int16_limits = {INT16_MIN, INT16_MAX}, int8_limits = {INT8_MIN, INT8_MAX};

// value / 2^exponent, ties upwards; a negative exponent multiplies.
static int64_t divided(int64_t value, int32_t exponent)
{
    if (exponent <= 0) {
        return value * (INT64_C(1) << -exponent);
    }
    const int64_t divisor = INT64_C(1) << exponent, raised = value + divisor / 2;
    return raised >= 0 ? raised / divisor : -((-raised + divisor - 1) / divisor);
}

static int32_t sum_of(const struct rl_recurrent_part *part, int32_t row, const int32_t *values, int32_t depth)
{
    int64_t sum = part->bias[row];
    for (int32_t k = 0; k < depth; k++) {
        sum += part->weights[row * depth + k] * values[k];
    }
    return rl_reference_low_word(sum);
}

// of_input[row] or of_hidden[row], scaled but not shifted to the right.
static int64_t scaled(const struct rl_recurrent *l, const struct rl_recurrent_part *part, int32_t row,
                      const int32_t *values, int32_t depth)
{
    const int32_t left = l->shift[row] > 0 ? l->shift[row] : 0;
    const int32_t sum = rl_reference_low_word(sum_of(part, row, values, depth) * (INT64_C(1) << left));
    return divided((int64_t)sum * part->multiplier[row], 32);
}

static int32_t shifted(const struct rl_recurrent *l, int32_t row, int64_t value)
{
    const int32_t right = l->shift[row] < 0 ? -l->shift[row] : 0;
    const int32_t word = rl_reference_low_word(value);
    return right > 0 ? (int32_t)(rl_reference_low_word(word + (INT64_C(1) << (right - 1))) >> right) : word;
}

static int32_t gate(const struct rl_recurrent *l, int32_t row, const int32_t *input, const int32_t *hidden)
{
    const int64_t sum =
        scaled(l, &l->input, row, input, l->input_size) + scaled(l, &l->hidden, row, hidden, l->hidden_size);
    return rl_reference_limited(shifted(l, row, sum), int16_limits);
}

static int32_t output_of(const struct rl_recurrent *l, int32_t value)
{
    const int64_t output = rl_reference_requantize(value, l->output_scale.multiplier, l->output_scale.shift);
    return rl_reference_limited(output + l->output_offset, int8_limits);
}

// One unit of a step of an LSTM; `wide` is its cell.
static int32_t lstm_unit(const struct rl_recurrent *l, int32_t unit, const int32_t *input, const int32_t *hidden,
                         int32_t *wide)
{
    const int32_t units = l->hidden_size;
    const int32_t in = reference_activation_s16((int16_t)gate(l, unit, input, hidden), 0, ARM_SIGMOID);
    const int32_t forget = reference_activation_s16((int16_t)gate(l, units + unit, input, hidden), 0, ARM_SIGMOID);
    const int32_t fresh = reference_activation_s16((int16_t)gate(l, 2 * units + unit, input, hidden), 0, ARM_TANH);
    const int32_t out = reference_activation_s16((int16_t)gate(l, 3 * units + unit, input, hidden), 0, ARM_SIGMOID);
    *wide = rl_reference_limited(divided((int64_t)forget * *wide, 15) + divided((int64_t)in * fresh, 30 - l->cell_bits),
                                 int16_limits);
    return output_of(l, out * reference_activation_s16((int16_t)*wide, 12 - l->cell_bits, ARM_TANH));
}

// One unit of a step of a GRU; `wide` is H.
static int32_t gru_unit(const struct rl_recurrent *l, int32_t unit, const int32_t *input, const int32_t *hidden,
                        int32_t *wide)
{
    const cmsis_nn_activation most = {-65535, 65535};
    const int32_t units = l->hidden_size, row = 2 * units + unit;
    const int32_t reset = reference_activation_s16((int16_t)gate(l, unit, input, hidden), 0, ARM_SIGMOID);
    const int32_t update = reference_activation_s16((int16_t)gate(l, units + unit, input, hidden), 0, ARM_SIGMOID);
    const int32_t of_input = shifted(l, row, scaled(l, &l->input, row, input, l->input_size));
    const int32_t of_hidden = shifted(l, row, scaled(l, &l->hidden, row, hidden, units));
    const int64_t kept = divided((int64_t)reset * rl_reference_limited(of_hidden, most), 15);
    const int32_t sum = rl_reference_limited(rl_reference_low_word(of_input + kept), int16_limits);
    const int32_t fresh =
        rl_reference_limited(rl_reference_requantize(reference_activation_s16((int16_t)sum, 0, ARM_TANH),
                                                     l->output_scale.multiplier, l->output_scale.shift),
                             int16_limits);
    *wide = fresh + (int32_t)divided((int64_t)update * (*wide - fresh), 15);
    return rl_reference_limited(divided(*wide, 8), int8_limits);
}

static int32_t unit_of(const struct rl_recurrent *l, int32_t unit, const int32_t *input, const int32_t *hidden,
                       int32_t *wide)
{
    switch (l->kind) {
    case RL_RECURRENT_LSTM:
        return lstm_unit(l, unit, input, hidden, wide);
    case RL_RECURRENT_GRU:
        return gru_unit(l, unit, input, hidden, wide);
    case RL_RECURRENT_TANH:
        return output_of(l, reference_activation_s16((int16_t)gate(l, unit, input, hidden), 0, ARM_TANH));
    default: {
        const int32_t sum = gate(l, unit, input, hidden);
        return output_of(l, sum < 0 ? 0 : sum);
    }
    }
}

// All steps of one batch. `hidden` and `wide` hold the first state and get the last one.
static void expect_batch(const struct rl_recurrent *l, int32_t batch, const int8_t *input, int32_t *hidden,
                         int32_t *wide, int8_t *output)
{
    for (int32_t step = 0; step < l->time_steps; step++) {
        const int32_t time = l->reverse ? l->time_steps - 1 - step : step;
        int32_t x[64], next[MOST_UNITS];
        for (int32_t k = 0; k < l->input_size; k++) {
            x[k] = input[(time * l->batches + batch) * l->input_size + k];
        }
        for (int32_t unit = 0; unit < l->hidden_size; unit++) {
            next[unit] = unit_of(l, unit, x, hidden, &wide[unit]);
            output[(time * l->batches + batch) * l->hidden_size + unit] = (int8_t)next[unit];
        }
        memcpy(hidden, next, sizeof next);
    }
}

// Factors as they are for weights, and one row in eight with any.
static void random_rows(struct rl_case *c, struct rl_recurrent *l)
{
    const size_t rows = (size_t)(l->hidden_size * rl_recurrent_gates(l->kind));
    int32_t *shift = rl_case_s32(c, rows, -6, 0);
    for (size_t row = 0; row < rows; row++) {
        shift[row] = rl_random_one_in(c, 8) ? rl_random_extreme(c, -31, 30) : shift[row];
    }
    l->shift = shift;
    struct rl_recurrent_part *parts[2] = {&l->input, &l->hidden};
    for (int i = 0; i < 2; i++) {
        int32_t *multiplier = rl_case_s32(c, rows, 1 << 20, INT32_MAX);
        int32_t *bias = rl_case_s32(c, rows, -20000, 20000);
        if (rl_random_one_in(c, 8)) {
            bias[rl_random_in(c, 0, (int32_t)rows - 1)] = rl_random_extreme(c, INT32_MIN, INT32_MAX);
            multiplier[rl_random_in(c, 0, (int32_t)rows - 1)] = rl_random_extreme(c, INT32_MIN, INT32_MAX);
        }
        parts[i]->bias = bias;
        parts[i]->multiplier = multiplier;
        parts[i]->weights = rl_case_s8(c, rows * (size_t)(i == 0 ? l->input_size : l->hidden_size));
    }
}

static void random_layer(struct rl_case *c, enum rl_recurrent_kind kind, struct rl_recurrent *l)
{
    *l = (struct rl_recurrent){
        .kind = kind,
        .reverse = rl_random_one_in(c, 2),
        .time_steps = rl_random_in(c, 1, MOST_STEPS),
        .batches = rl_random_in(c, 1, MOST_BATCHES),
        .input_size = rl_random_one_in(c, 4) ? rl_random_in(c, 1, 40) : rl_random_in(c, 1, 9),
        .hidden_size = rl_random_one_in(c, 4) ? rl_random_in(c, 1, MOST_UNITS) : rl_random_in(c, 1, 9),
        .cell_bits = rl_random_extreme(c, 0, 15),
        .output_scale = {rl_random_extreme(c, 1 << 30, INT32_MAX), rl_random_in(c, -24, -20)},
        .output_offset = kind == RL_RECURRENT_GRU ? 0 : rl_random_extreme(c, INT8_MIN, INT8_MAX),
    };
    if (kind != RL_RECURRENT_LSTM) {
        l->output_scale.shift = rl_random_in(c, kind == RL_RECURRENT_GRU ? -1 : -10, kind == RL_RECURRENT_GRU ? 2 : -4);
        if (rl_random_one_in(c, 8)) {
            l->output_scale.shift = rl_random_extreme(c, -31, 15);
        }
    }
}

static void check_layer(struct rl_case *c, const struct rl_recurrent *l)
{
    const size_t steps = (size_t)(l->time_steps * l->batches), states = (size_t)(l->batches * l->hidden_size);
    const size_t units = (size_t)l->hidden_size;
    const int8_t *input = rl_case_s8(c, steps * (size_t)l->input_size);
    int8_t *expected = rl_case_s8(c, steps * units), *output = rl_case_s8(c, steps * units);
    int8_t *first_hidden = rl_case_s8(c, states);
    int16_t *first_cell = rl_case_s16(c, states), *last_cell = rl_case_s16(c, states);
    int16_t *expected_cell = rl_case_s16(c, states);
    const bool has_hidden = rl_random_one_in(c, 2), has_cell = rl_random_one_in(c, 2);
    for (int32_t batch = 0; batch < l->batches; batch++) {
        int32_t hidden[MOST_UNITS], wide[MOST_UNITS];
        for (int32_t unit = 0; unit < l->hidden_size; unit++) {
            const int32_t at = batch * l->hidden_size + unit;
            hidden[unit] = has_hidden ? first_hidden[at] : l->output_offset;
            wide[unit] = has_cell ? first_cell[at] : 0;
            wide[unit] = l->kind == RL_RECURRENT_GRU ? hidden[unit] * 256 : wide[unit];
        }
        expect_batch(l, batch, input, hidden, wide, expected);
        for (int32_t unit = 0; unit < l->hidden_size; unit++) {
            expected_cell[batch * l->hidden_size + unit] = (int16_t)wide[unit];
        }
    }
    const struct rl_recurrent_state state = {has_hidden ? first_hidden : NULL, has_cell ? first_cell : NULL, last_cell};
    const int32_t bytes = rl_recurrent_scratch(l);
    const struct rl_scratch scratch = {rl_case_buffer(c, (size_t)bytes, 2), bytes};
    rl_recurrent_run(l, &state, input, output, scratch);
    rl_case_equal_s8(c, "output", expected, output, steps * units);
    if (l->kind == RL_RECURRENT_LSTM) {
        rl_case_equal_s16(c, "last cell", expected_cell, last_cell, states);
    }
}

static void test_kind(struct rl_case *c, const char *name, enum rl_recurrent_kind kind)
{
    rl_test_start(c, name);
    for (int i = 0; i < 150; i++) {
        struct rl_recurrent layer;
        random_layer(c, kind, &layer);
        rl_case_begin(c, "%ld steps of %ld, %ld inputs, %ld units, %s", (long)layer.time_steps, (long)layer.batches,
                      (long)layer.input_size, (long)layer.hidden_size, layer.reverse ? "backwards" : "forwards");
        random_rows(c, &layer);
        check_layer(c, &layer);
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_kind(&c, "lstm", RL_RECURRENT_LSTM);
    test_kind(&c, "gru", RL_RECURRENT_GRU);
    test_kind(&c, "rnn_tanh", RL_RECURRENT_TANH);
    test_kind(&c, "rnn_relu", RL_RECURRENT_RELU);
    return rl_test_finish(&c);
}
