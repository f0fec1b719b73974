// SPDX-License-Identifier: Apache-2.0
// From gates to hidden states, for cores without Helium. rushlight/kernels/recurrent.h has the formulas.
#ifndef RL_KERNELS_SCALAR_RECURRENT_STATES_H
#define RL_KERNELS_SCALAR_RECURRENT_STATES_H

#include "isa.h"
#include "recurrent/rows.h"

#include RL_TILE(rescale_tile.h)

// The scale of int16 values as one product: (high(value * 2^left) + addend - (1 if negative and signs)) >> right.
struct rl_state_scale {
    int32_t multiplier, addend;
    int32_t left, right;
    int32_t signs; // -1 or 0
};

// Returns false where the scale and the offset do not fit that. A shift to the left has no second rounding.
static inline bool rl_state_scale_init(struct rl_scale scale, int32_t offset, struct rl_state_scale *out)
{
    struct rl_rescale rescale;
    if (!RL_SMALL && rl_rescale_init(offset, scale.multiplier, scale.shift, &rescale)) {
        *out = (struct rl_state_scale){rescale.multiplier, rescale.addend, 1, rescale.right_shift, -1};
        return true;
    }
    *out = (struct rl_state_scale){scale.multiplier, offset, scale.shift + 1, 0, 0};
    return !RL_SMALL && scale.shift >= 0 && scale.shift <= 14;
}

static inline int32_t rl_state_scaled(struct rl_state_scale s, int32_t value)
{
    const int32_t high = rl_scaled_by((int32_t)((uint32_t)value << s.left), s.multiplier, s.addend);
    return (high + ((value >> 31) & s.signs)) >> s.right;
}

// c = forget * c + in * fresh for `count` cells, the latter divided by 2^shift, shift 15..30.
static inline void rl_move_cells(const int16_t *in, const int16_t *forget, const int16_t *fresh, int32_t count,
                                 int32_t shift, int16_t *cells)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t added = (in[i] * fresh[i] + (1 << (shift - 1))) >> shift;
        cells[i] = (int16_t)rl_saturate_s16(((forget[i] * cells[i] + (1 << 14)) >> 15) + added);
    }
}

// output[i] = values[i], scaled, plus the output offset, for i < count.
static inline void rl_scale_states(struct rl_scale scale, int32_t offset, int32_t count, const int16_t *values,
                                   int8_t *output)
{
    struct rl_state_scale own;
    if (rl_state_scale_init(scale, offset, &own)) {
        for (int32_t i = 0; i < count; i++) {
            output[i] = (int8_t)rl_saturate_s8(rl_state_scaled(own, values[i]));
        }
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t scaled = rl_requantize(values[i], scale.multiplier, scale.shift);
        output[i] = rl_output_s8(scaled, offset, INT8_MIN, INT8_MAX);
    }
}

// Moves one H towards n, which is limited here, and returns h.
static inline int8_t rl_moved_state(int32_t scaled, int32_t update, int16_t *wide)
{
    const int32_t fresh = rl_saturate_s16(scaled);
    const int32_t moved = (int16_t)(fresh + ((update * (*wide - fresh) + (1 << 14)) >> 15));
    *wide = (int16_t)moved;
    return (int8_t)rl_saturate_s8((moved + 128) >> 8);
}

// The states of a GRU from tanh of its third gate, for i < count.
static inline void rl_move_states(struct rl_scale scale, int32_t count, const int16_t *fresh, const int16_t *update,
                                  int16_t *wide, int8_t *output)
{
    struct rl_state_scale own;
    if (rl_state_scale_init(scale, 0, &own)) {
        for (int32_t i = 0; i < count; i++) {
            output[i] = rl_moved_state(rl_state_scaled(own, fresh[i]), update[i], &wide[i]);
        }
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t scaled = rl_requantize(fresh[i], scale.multiplier, scale.shift);
        output[i] = rl_moved_state(scaled, update[i], &wide[i]);
    }
}

// The input of tanh of the third gate of a GRU in place of `reset`, from sums as rl_gate_values takes them.
static inline void rl_new_gates(const struct rl_row_scales *scales, const int32_t *sums, int32_t count, int16_t *reset)
{
    enum { MOST = 65535 }; // its product with a reset gate fits int32
    for (int32_t i = 0; i < count; i++) {
        const int32_t shift = scales->shift[i];
        const int32_t input = rl_row_scaled(sums[i], scales->input[i], shift);
        const int32_t hidden = rl_row_scaled(sums[RL_GATE_BLOCK + i], scales->hidden[i], shift);
        const int32_t limited = rl_clamp_s32(rl_row_rounded(hidden, shift), -MOST, MOST);
        const int32_t kept = (reset[i] * limited + (1 << 14)) >> 15;
        reset[i] = (int16_t)rl_saturate_s16((int32_t)((uint32_t)rl_row_rounded(input, shift) + (uint32_t)kept));
    }
}

#endif
