// SPDX-License-Identifier: Apache-2.0
// The channels of a column of outputs in groups of 16: what depthwise_sixteen.h computes in assembler.
#ifndef RL_KERNELS_MVE_DEPTHWISE_SIXTEEN_PLAIN_H
#define RL_KERNELS_MVE_DEPTHWISE_SIXTEEN_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "requantize.h"

enum {
    RL_SIXTEEN = 16, // channels of a group
    RL_SIXTEEN_TAPS = 64,
    RL_SIXTEEN_ROWS = 16, // outputs of a column at a time
    RL_SIXTEEN_AHEAD = 2, // distances that are read behind those of the taps, and not used
};

// Distances in bytes, from a common place.
struct rl_sixteen_tap {
    int32_t input;
    int32_t weights;
};

// What the windows of an output have in common with those of the outputs beside it: the distances of their first tap
// from that of the column, and how many rows of taps they have. The assembler relies on the order of these fields.
struct rl_sixteen_row {
    int32_t input;
    int32_t weights;
    int32_t count;
};

// The assembler relies on the order of these fields.
struct rl_sixteen {
    const int32_t *bias, *multiplier, *shift; // of the first channel
    const int8_t *input, *weights;            // the places from which the distances count, at the first channel
    int8_t *output;
    int32_t groups;                    // at least 1
    const struct rl_sixteen_tap *taps; // of all rows, and RL_SIXTEEN_AHEAD more
    int32_t columns;                   // of taps in each row
    int32_t input_offset;
    int32_t output_offset;
    int16_t limits[16]; // eight times the lower one, then eight times the upper one
    // How far behind the first eight channels of a group the input, the weights and the output of the others are. With
    // other distances than 8 there is one group.
    int32_t next_input, next_weights, next_output;
    const struct rl_sixteen_row *rows; // of the outputs
    int32_t outputs;                   // at least 1
    int32_t line;                      // from one output to the one below
};

static inline int8_t rl_sixteen_output_plain(const struct rl_sixteen *s, const struct rl_sixteen_row *row,
                                             int32_t channel, int32_t next_input, int32_t next_weights)
{
    const int8_t *input = s->input + row->input + next_input, *weights = s->weights + row->weights + next_weights;
    int32_t sum = s->bias[channel];
    for (int32_t tap = 0; tap < row->count * s->columns; tap++) {
        sum += (input[s->taps[tap].input] + s->input_offset) * weights[s->taps[tap].weights];
    }
    const int32_t value = rl_requantize(sum, s->multiplier[channel], s->shift[channel]) + s->output_offset;
    return (int8_t)rl_clamp_s32(value, s->limits[0], s->limits[RL_SIXTEEN / 2]);
}

static inline void rl_depthwise_sixteen_plain(const struct rl_sixteen *s)
{
    for (int32_t y = 0; y < s->outputs; y++) {
        int8_t *output = s->output + y * s->line;
        for (int32_t i = 0; i < s->groups * RL_SIXTEEN; i++) {
            const bool other = i % RL_SIXTEEN >= RL_SIXTEEN / 2;
            const int32_t at = other ? i - RL_SIXTEEN / 2 : i;
            output[at + (other ? s->next_output : 0)] = rl_sixteen_output_plain(
                s, &s->rows[y], i, at + (other ? s->next_input : 0), at + (other ? s->next_weights : 0));
        }
    }
}

#endif
