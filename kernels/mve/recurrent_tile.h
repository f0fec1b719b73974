// SPDX-License-Identifier: Apache-2.0
// Four gates at a time. See scalar/recurrent_tile.h.
#ifndef RL_KERNELS_MVE_RECURRENT_TILE_H
#define RL_KERNELS_MVE_RECURRENT_TILE_H

#include "mve/requantize_mve.h"
#include "mve/row_sums_tile.h"
#include "recurrent/rows.h"

// The low half of each lane is its value, saturated to int16.
static inline int32x4_t rl_saturated_lanes(int32x4_t value)
{
    return vreinterpretq_s32_s16(vqmovnbq_s32(vreinterpretq_s16_s32(value), value));
}

// The sums of both matrices, times their multipliers, in places where they can be added.
struct rl_gate_lanes {
    int32x4_t input, hidden;
    int32x4_t right; // 0 or less
};

static inline __attribute__((always_inline)) struct rl_gate_lanes rl_gate_lanes(const struct rl_row_scales *scales,
                                                                                const int32_t *sums, int32_t i)
{
    const int32x4_t zero = vdupq_n_s32(0), shift = vldrwq_s32(scales->shift + i), left = vmaxq_s32(shift, zero);
    const int32x4_t input = vshlq_s32(vldrwq_s32(sums + i), left);
    const int32x4_t hidden = vshlq_s32(vldrwq_s32(sums + RL_GATE_BLOCK + i), left);
    return (struct rl_gate_lanes){vrmulhq_s32(input, vldrwq_s32(scales->input + i)),
                                  vrmulhq_s32(hidden, vldrwq_s32(scales->hidden + i)), vminq_s32(shift, zero)};
}

// The same for the last gates, those that are active.
static inline struct rl_gate_lanes rl_last_gate_lanes(const struct rl_row_scales *scales, const int32_t *sums,
                                                      int32_t i, mve_pred16_t active)
{
    const int32x4_t zero = vdupq_n_s32(0), shift = vldrwq_z_s32(scales->shift + i, active);
    const int32x4_t left = vmaxq_s32(shift, zero);
    const int32x4_t input = vshlq_s32(vldrwq_z_s32(sums + i, active), left);
    const int32x4_t hidden = vshlq_s32(vldrwq_z_s32(sums + RL_GATE_BLOCK + i, active), left);
    return (struct rl_gate_lanes){vrmulhq_s32(input, vldrwq_z_s32(scales->input + i, active)),
                                  vrmulhq_s32(hidden, vldrwq_z_s32(scales->hidden + i, active)),
                                  vminq_s32(shift, zero)};
}

static inline int32x4_t rl_gate_four(struct rl_gate_lanes gates)
{
    return rl_saturated_lanes(vrshlq_s32(vaddq_s32(gates.input, gates.hidden), gates.right));
}

static inline void rl_gate_values(const struct rl_row_scales *scales, const int32_t *sums, int32_t count,
                                  int16_t *values)
{
    const struct rl_row_scales own = *scales;
    int32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        vstrhq_s32(values + i, rl_gate_four(rl_gate_lanes(&own, sums, i)));
    }
    if (i < count) {
        const mve_pred16_t active = vctp32q((uint32_t)(count - i));
        vstrhq_p_s32(values + i, rl_gate_four(rl_last_gate_lanes(&own, sums, i, active)), active);
    }
}

// Four inputs of tanh of the third gate of a GRU.
static inline int32x4_t rl_new_four(struct rl_gate_lanes gates, int32x4_t reset)
{
    enum { MOST = 65535 }; // its product with a reset gate fits int32
    const int32x4_t hidden = vrshlq_s32(gates.hidden, gates.right);
    const int32x4_t limited = vmaxq_s32(vminq_s32(hidden, vdupq_n_s32(MOST)), vdupq_n_s32(-MOST));
    const int32x4_t kept = vrshrq_n_s32(vmulq_s32(reset, limited), 15);
    return rl_saturated_lanes(vaddq_s32(vrshlq_s32(gates.input, gates.right), kept));
}

// All of them in place of `reset`, from sums as rl_gate_values takes them.
static inline void rl_new_gates(const struct rl_row_scales *scales, const int32_t *sums, int32_t count, int16_t *reset)
{
    const struct rl_row_scales own = *scales;
    int32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        vstrhq_s32(reset + i, rl_new_four(rl_gate_lanes(&own, sums, i), vldrhq_s32(reset + i)));
    }
    if (i < count) {
        const mve_pred16_t active = vctp32q((uint32_t)(count - i));
        const struct rl_gate_lanes gates = rl_last_gate_lanes(&own, sums, i, active);
        vstrhq_p_s32(reset + i, rl_new_four(gates, vldrhq_z_s32(reset + i, active)), active);
    }
}

// c = forget * c + in * fresh for `count` cells, the latter divided by 2^shift, shift 15..30.
static inline void rl_move_cells(const int16_t *in, const int16_t *forget, const int16_t *fresh, int32_t count,
                                 int32_t shift, int16_t *cells)
{
    const int32x4_t right = vdupq_n_s32(-shift);
    for (; count > 0; count -= 4, in += 4, forget += 4, fresh += 4, cells += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t added = vmulq_s32(vldrhq_z_s32(in, active), vldrhq_z_s32(fresh, active));
        const int32x4_t kept = vmulq_s32(vldrhq_z_s32(forget, active), vldrhq_z_s32(cells, active));
        const int32x4_t sum = vaddq_s32(vrshrq_n_s32(kept, 15), vrshlq_s32(added, right));
        vstrhq_p_s32(cells, rl_saturated_lanes(sum), active);
    }
}

// output[i] = values[i], scaled, plus the output offset, for i < count.
static inline void rl_scale_states(struct rl_scale scale, int32_t offset, int32_t count, const int16_t *values,
                                   int8_t *output)
{
    const int32x4_t low = vdupq_n_s32(INT8_MIN), high = vdupq_n_s32(INT8_MAX);
    for (; count > 0; count -= 4, values += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t scaled = rl_requantize_mve(vldrhq_z_s32(values, active), scale.multiplier, scale.shift);
        vstrbq_p_s32(output, vmaxq_s32(vminq_s32(vaddq_n_s32(scaled, offset), high), low), active);
    }
}

// The states of a GRU from tanh of its third gate, for i < count. H stays within int16.
static inline void rl_move_states(struct rl_scale scale, int32_t count, const int16_t *fresh, const int16_t *update,
                                  int16_t *wide, int8_t *output)
{
    const int32x4_t low = vdupq_n_s32(INT16_MIN), high = vdupq_n_s32(INT16_MAX), most = vdupq_n_s32(INT8_MAX);
    for (; count > 0; count -= 4, fresh += 4, update += 4, wide += 4, output += 4) {
        const mve_pred16_t active = vctp32q((uint32_t)count);
        const int32x4_t scaled = rl_requantize_mve(vldrhq_z_s32(fresh, active), scale.multiplier, scale.shift);
        const int32x4_t n = vmaxq_s32(vminq_s32(scaled, high), low);
        const int32x4_t way = vmulq_s32(vldrhq_z_s32(update, active), vsubq_s32(vldrhq_z_s32(wide, active), n));
        const int32x4_t moved = vaddq_s32(n, vrshrq_n_s32(way, 15));
        vstrhq_p_s32(wide, moved, active);
        vstrbq_p_s32(output, vminq_s32(vrshrq_n_s32(moved, 8), most), active);
    }
}

#endif
