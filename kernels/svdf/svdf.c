// SPDX-License-Identifier: Apache-2.0
#include "rushlight/kernels/svdf.h"

#include <stddef.h>

#include "fully_connected/fully_connected.h"
#include "isa.h"
#include "requantize.h"
#include RL_TILE(dot_tile.h)
#include RL_TILE(memory_tile.h)
#include RL_TILE(scale_s4_tile.h)

enum rl_status rl_svdf_prepare(struct rl_svdf *layer)
{
    return layer->input_size >= 0 && layer->time >= 1 && layer->rank >= 1 ? RL_OK : RL_ERROR_ARGUMENT;
}

// A new activation from the sum over the input.
static int32_t activation_of(const struct rl_svdf *s, int32_t sum)
{
    const int32_t scaled = rl_requantize(sum, s->state_scale.multiplier, s->state_scale.shift);
    return rl_clamp_s32(scaled, s->state_range.min, s->state_range.max);
}

// An output from the sum over the state.
static int8_t output_of(const struct rl_svdf *s, int32_t unit, int32_t sum)
{
    const int32_t biased = sum + (s->bias ? s->bias[unit] : 0);
    const int32_t scaled = rl_requantize(biased, s->scale.multiplier, s->scale.shift);
    return rl_output_s8(scaled, s->output_offset, s->range.min, s->range.max);
}

// Makes each feature's activations one step older. What is last then belongs to the next feature, and is written next.
static void shift_state(const struct rl_svdf *s, int8_t *state, int32_t element)
{
    const int32_t count = s->batches * s->features * s->time;
    if (count > 0) {
        rl_copy_s8(state, state + element, (count - 1) * element);
    }
}

// The newest activation of each feature, `time` apart: a fully connected layer.
static void add_activations(const struct rl_svdf *s, const int8_t *input, int8_t *newest)
{
    struct rl_fully_connected layer = {
        .rows = 1,
        .depth = s->input_size,
        .channels = s->features,
        .weights = s->feature_weights,
        .folded = s->folded,
        .input_offset = s->input_offset,
        .scale = s->state_scale,
        .range = s->state_range,
    };
    rl_fully_connected_begin(&layer);
    if ((RL_HAS_MVE || !RL_SMALL) && s->input_size > 0) {
        rl_fully_connected_run_apart(&layer, input, 0, newest, s->time, (struct rl_scratch){NULL, 0});
        return;
    }
    for (int32_t feature = 0; feature < s->features; feature++, newest += s->time) {
        const int8_t *weights = s->feature_weights + feature * s->input_size;
        const int32_t sum = rl_dot_s8_s8(input, layer.base_offset, weights, s->input_size);
        *newest = rl_fully_connected_output(&layer, feature, sum);
    }
}

// The outputs of a batch from its state, so many at a time as can be scaled together.
static void write_outputs(const struct rl_svdf *s, const int8_t *state, int8_t *output)
{
    struct rl_fully_connected scaling; // what rl_scale_s4 reads
    scaling.bias = s->bias;
    scaling.scale = s->scale;
    scaling.output_offset = s->output_offset;
    scaling.range = s->range;
    const int32_t unit_size = s->rank * s->time, units = s->features / s->rank;
    const int8_t *weights = s->time_weights;
    for (int32_t first = 0; first < units; first += RL_SUMS_S4) {
        const int32_t count = rl_min_s32(units - first, RL_SUMS_S4);
        int32_t sums[RL_SUMS_S4];
        for (int32_t i = 0; i < count; i++, state += unit_size, weights += unit_size) {
            sums[i] = rl_dot_s8_s8(state, 0, weights, unit_size);
        }
        rl_scale_s4(&scaling, sums, first, count, output + first);
    }
}

void rl_svdf_run(const struct rl_svdf *layer, const int8_t *input, int8_t *state, int8_t *output)
{
    const struct rl_svdf *s = layer;
    shift_state(s, state, 1);
    for (int32_t batch = 0; batch < s->batches; batch++, input += s->input_size, state += s->features * s->time) {
        add_activations(s, input, state + s->time - 1);
        write_outputs(s, state, output);
        output += s->features / s->rank;
    }
}

void rl_svdf_s16_run(const struct rl_svdf *layer, const int8_t *input, int16_t *state, int8_t *output)
{
    const struct rl_svdf *s = layer;
    const int32_t unit_size = s->rank * s->time;
    shift_state(s, (int8_t *)state, (int32_t)sizeof *state);
    for (int32_t batch = 0; batch < s->batches; batch++, input += s->input_size, state += s->features * s->time) {
        for (int32_t feature = 0; feature < s->features; feature++) {
            const int8_t *weights = s->feature_weights + feature * s->input_size;
            const int32_t sum = rl_dot_s8_s8(input, s->input_offset, weights, s->input_size);
            state[(feature + 1) * s->time - 1] = (int16_t)activation_of(s, sum);
        }
        for (int32_t unit = 0; unit < s->features / s->rank; unit++) {
            const int32_t at = unit * unit_size;
            const int64_t sum = rl_dot_s16_s16(state + at, s->wide_time_weights + at, unit_size);
            *output++ = output_of(s, unit, (int32_t)sum);
        }
    }
}
