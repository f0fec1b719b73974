// SPDX-License-Identifier: Apache-2.0
// The sums of four rows to int8, in portable C, for channels that can use struct rl_rescale. Included by
// scalar/matmul_tile.h.
#ifndef RL_KERNELS_SCALAR_PACKED_STORE_PLAIN_H
#define RL_KERNELS_SCALAR_PACKED_STORE_PLAIN_H

// Scales the sums of four rows, limits and stores them. Takes only scales of struct rl_rescale. `open`, a constant,
// tells whether the limits are those of int8.
static inline __attribute__((always_inline)) void rl_packed_store_scaled(const struct rl_matmul *m,
                                                                         const struct rl_packed_sums *sums,
                                                                         const ptrdiff_t offsets[RL_PACKED_ROWS],
                                                                         int8_t *output, bool open)
{
    const struct rl_limits_s8 limits = {m->output_min, m->output_max};
    const struct rl_rescale *scale = m->scale;
    const ptrdiff_t row_1 = offsets[1], row_2 = offsets[2], row_3 = offsets[3];
    for (int32_t channels = m->channels; channels > 0; channels--, sums++, scale++, output++) {
        const struct rl_rescale s = *scale;
        output[0] = rl_limit_s8(rl_rescale(s, rl_packed_first(sums, 0) * 2), limits, open);
        output[row_1] = rl_limit_s8(rl_rescale(s, rl_packed_second(sums, 0) * 2), limits, open);
        output[row_2] = rl_limit_s8(rl_rescale(s, rl_packed_first(sums, 1) * 2), limits, open);
        output[row_3] = rl_limit_s8(rl_rescale(s, rl_packed_second(sums, 1) * 2), limits, open);
    }
}

// Not inlined, because with limits there are more live values than registers.
static __attribute__((noinline)) void rl_packed_store_limited(const struct rl_matmul *m,
                                                              const struct rl_packed_sums *sums,
                                                              const ptrdiff_t offsets[RL_PACKED_ROWS], int8_t *output)
{
    rl_packed_store_scaled(m, sums, offsets, output, false);
}

static __attribute__((noinline)) void rl_packed_clamp(const struct rl_matmul *m,
                                                      const ptrdiff_t offsets[RL_PACKED_ROWS], int8_t *output)
{
    const int32_t low = m->output_min, high = m->output_max, channels = m->channels;
    for (int32_t row = 0; row < RL_PACKED_ROWS; row++) {
        int8_t *to = output + offsets[row];
        int8_t *const end = to + channels;
        for (; to != end; to++) {
            *to = (int8_t)rl_clamp_s32(*to, low, high);
        }
    }
}

// Scales, limits and stores the sums. Returns false, and does nothing, where small code leaves this to the caller.
static inline bool rl_packed_store_simple(const struct rl_matmul *m, const struct rl_packed_sums *sums,
                                          const ptrdiff_t offsets[RL_PACKED_ROWS], int8_t *output)
{
    const bool open = m->output_min <= INT8_MIN && m->output_max >= INT8_MAX;
    if (RL_SMALL && !open) {
        return false;
    }
    if (!open && RL_HAS_THUMB2_LOOP) {
        rl_packed_store_limited(m, sums, offsets, output);
        return true;
    }
    rl_packed_store_scaled(m, sums, offsets, output, true);
    if (!open) {
        rl_packed_clamp(m, offsets, output);
    }
    return true;
}

#endif
