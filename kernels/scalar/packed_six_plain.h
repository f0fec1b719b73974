// SPDX-License-Identifier: Apache-2.0
// rl_packed_six in portable C. Included by scalar/packed_six.h.
#ifndef RL_KERNELS_SCALAR_PACKED_SIX_PLAIN_H
#define RL_KERNELS_SCALAR_PACKED_SIX_PLAIN_H

static inline void rl_pack_three(const int8_t *const rows[3], int32_t at, int32_t count, int32_t step, uint32_t *words)
{
    const int8_t *const row_a = rows[0] + at, *const row_b = rows[1] + at, *const row_c = rows[2] + at;
    for (int32_t k = 0; k < count; k++, words += step) {
        const uint32_t c = 0u - (uint32_t)row_c[k];
        words[0] = (c << 11) - (uint32_t)row_a[k];
        words[1] = (c << 21) - (uint32_t)row_b[k];
    }
}

// The lower bits of a value, with their sign.
static inline int32_t rl_lower_bits(uint32_t value, int32_t bits)
{
    return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

// Subtracts the sums of the negated values of three rows.
static inline void rl_unpack_three(uint32_t sum_1, uint32_t sum_2, int32_t *sums)
{
    const int32_t b = rl_lower_bits(sum_2, 21);
    const uint32_t lower_c = (sum_2 - (uint32_t)b) >> 21, rest = sum_1 - (lower_c << 11);
    const int32_t a = rl_lower_bits(rest, 22);
    const int32_t c = ((int32_t)(rest - (uint32_t)a) >> 11) + (int32_t)lower_c;
    sums[0] -= a;
    sums[1] -= b;
    sums[2] -= c;
}

static inline void rl_packed_six(struct rl_packed_six *job, bool three, enum rl_six_start from)
{
    const int32_t parts = three ? 1 : 2;
    for (; job->sums != job->sums_end; job->filter += job->step, job->sums += 6) {
        for (int32_t row = 0; from != RL_SIX_FROM_SUMS && row < 3 * parts; row++) {
            job->sums[row] = from == RL_SIX_FROM_EACH ? *job->start : job->start[row];
        }
        job->start += from == RL_SIX_FROM_EACH ? 1 : 0;
        for (int32_t part = 0; part < parts; part++) {
            const int8_t *weight = job->filter;
            uint32_t sum_1 = 0, sum_2 = 0;
            for (const uint32_t *word = job->words + 2 * part; word < job->end; word += 2 * parts, weight++) {
                sum_1 += word[0] * (uint32_t)*weight;
                sum_2 += word[1] * (uint32_t)*weight;
            }
            rl_unpack_three(sum_1, sum_2, job->sums + 3 * part);
        }
    }
}

#endif
