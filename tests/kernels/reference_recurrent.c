// SPDX-License-Identifier: Apache-2.0
#include "reference_recurrent.h"

#include "reference_activation.h"

static const cmsis_nn_activation int16_limits = {INT16_MIN, INT16_MAX};

// A new activation of a feature, from the input.
static int32_t svdf_activation(const struct reference_svdf *s, int32_t batch, int32_t feature)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < s->input_size; k++) {
        sum += (int64_t)s->input[batch * s->input_size + k] * s->feature_weights[feature * s->input_size + k];
    }
    const int32_t scaled =
        rl_reference_requantize(rl_reference_low_word(sum), s->input_scale.multiplier, s->input_scale.shift);
    return rl_reference_limited(scaled, s->state_limits);
}

void reference_svdf_step(const struct reference_svdf *s, int32_t *state, int8_t *output)
{
    const int32_t units = s->features / s->rank;
    for (int32_t row = 0; row < s->batches * s->features; row++) {
        int32_t *past = state + row * s->time;
        for (int32_t t = 0; t + 1 < s->time; t++) {
            past[t] = past[t + 1];
        }
        past[s->time - 1] = svdf_activation(s, row / s->features, row % s->features);
    }
    for (int32_t at = 0; at < s->batches * units; at++) {
        const int32_t batch = at / units, unit = at % units;
        int64_t sum = s->bias ? s->bias[unit] : 0;
        for (int32_t k = 0; k < s->rank * s->time; k++) {
            const int32_t weight = unit * s->rank * s->time + k;
            sum += (int64_t)state[batch * s->features * s->time + weight] * s->time_weights[weight];
        }
        output[at] = rl_reference_output(rl_reference_low_word(sum), s->output_scale.multiplier, s->output_scale.shift,
                                         s->output_offset, s->output_limits.min, s->output_limits.max);
    }
}

static int64_t lstm_scaled(bool wide, int64_t sum, int32_t multiplier, int32_t shift)
{
    return wide ? rl_reference_requantize_s64(sum, multiplier, shift)
                : rl_reference_requantize(rl_reference_low_word(sum), multiplier, shift);
}

static int64_t product(const int32_t *weights, const int32_t *values, int32_t count)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < count; k++) {
        sum += (int64_t)weights[k] * values[k];
    }
    return sum;
}

// One unit of one gate. `hidden` is NULL without a past.
static int32_t lstm_gate(const struct reference_lstm *l, int which, int32_t unit, const int32_t *input,
                         const int32_t *hidden)
{
    const cmsis_nn_lstm_params *p = l->params;
    const cmsis_nn_lstm_gate *gates[] = {&p->forget_gate, &p->input_gate, &p->cell_gate, &p->output_gate};
    const cmsis_nn_lstm_gate *gate = gates[which];
    const int64_t seen =
        product(l->input_weights[which] + unit * p->input_size, input, p->input_size) + l->input_bias[which][unit];
    int64_t sum =
        rl_reference_limited(lstm_scaled(l->wide, seen, gate->input_multiplier, gate->input_shift), int16_limits);
    if (hidden) {
        const int64_t past = product(l->hidden_weights[which] + unit * p->hidden_size, hidden, p->hidden_size) +
                             l->hidden_bias[which][unit];
        sum += lstm_scaled(l->wide, past, gate->hidden_multiplier, gate->hidden_shift);
    }
    return reference_activation_s16((int16_t)rl_reference_limited(sum, int16_limits), 0, gate->activation_type);
}

static int32_t lstm_unit(const struct reference_lstm *l, int32_t unit, const int32_t *input, const int32_t *hidden,
                         int32_t *cell)
{
    const cmsis_nn_lstm_params *p = l->params;
    const int32_t forget = lstm_gate(l, 0, unit, input, hidden), in = lstm_gate(l, 1, unit, input, hidden);
    const int32_t update = lstm_gate(l, 2, unit, input, hidden), out = lstm_gate(l, 3, unit, input, hidden);
    const cmsis_nn_activation clip =
        p->cell_clip > 0 ? (cmsis_nn_activation){-p->cell_clip, p->cell_clip} : int16_limits; // 0: no limit
    const int32_t kept = rl_reference_limited(
        rl_reference_requantize(forget * *cell, p->forget_to_cell_multiplier, p->forget_to_cell_shift), int16_limits);
    *cell = rl_reference_limited(
        (int64_t)kept + rl_reference_requantize(in * update, p->input_to_cell_multiplier, p->input_to_cell_shift),
        clip);
    const int32_t tangent = reference_activation_s16((int16_t)*cell, p->cell_scale_power + 12, ARM_TANH);
    const int64_t result =
        (int64_t)rl_reference_requantize(out * tangent, p->output_multiplier, p->output_shift) + p->output_offset;
    const cmsis_nn_activation narrow = {INT8_MIN, INT8_MAX};
    return rl_reference_limited(result, l->wide ? int16_limits : narrow);
}

void reference_lstm_sequence(const struct reference_lstm *l, const int32_t *input, bool has_past, int32_t *hidden,
                             int32_t *cell, int32_t *output)
{
    const int32_t units = l->params->hidden_size;
    for (int32_t time = 0; time < l->params->time_steps; time++) {
        for (int32_t unit = 0; unit < units; unit++) {
            output[unit] = lstm_unit(l, unit, input, has_past ? hidden : NULL, &cell[unit]);
        }
        for (int32_t unit = 0; unit < units; unit++) {
            hidden[unit] = output[unit];
        }
        has_past = true;
        input += l->params->input_size;
        output += units;
    }
}
