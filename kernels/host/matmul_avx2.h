// SPDX-License-Identifier: Apache-2.0
// Four int8 rows times filters with AVX2: the same results as scalar/matmul_tile.h. The sums of a channel are four
// words, one a row, so those of two channels are a vector.
#ifndef RL_KERNELS_HOST_MATMUL_AVX2_H
#define RL_KERNELS_HOST_MATMUL_AVX2_H

#include <string.h>

#include "convolution/matmul.h"
#include "host/rescale_avx2.h"
#include "scalar/packed_rows.h"

enum {
    RL_AVX2_VALUES = 16,  // int16 of a vector
    RL_AVX2_CHANNELS = 8, // that are stored together
};

__extension__ _Static_assert(RL_PACKED_DEPTH % RL_AVX2_VALUES == 0, "only the last part of a row has a rest");

RL_AVX2 __m256i rl_avx2_widen(const int8_t *from)
{
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)from));
}

// sum + the products of values and weights, two neighbours to a word.
RL_AVX2 __m256i rl_avx2_add(__m256i sum, const int16_t *values, __m256i weights)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(rl_avx2_load(values), weights));
}

// A part of four rows as int16: whole vectors, then one that ends with the part's last value and has zeros for those
// that came before.
struct rl_avx2_part {
    const int16_t *values; // [4][whole]
    int32_t whole;         // a multiple of RL_AVX2_VALUES
    int32_t rest;
    int16_t last[RL_PACKED_ROWS][RL_AVX2_VALUES];
};

RL_AVX2 void rl_avx2_pack(const struct rl_packed_rows *rows, int32_t at, int32_t count, int16_t *values,
                          struct rl_avx2_part *part)
{
    part->values = values;
    part->rest = count % RL_AVX2_VALUES;
    part->whole = count - part->rest;
    memset(part->last, 0, sizeof part->last);
    for (int32_t row = 0; row < RL_PACKED_ROWS; row++) {
        const int8_t *from = rows->row[row] + at;
        for (int32_t k = 0; k < part->whole; k += RL_AVX2_VALUES, values += RL_AVX2_VALUES) {
            _mm256_storeu_si256((void *)values, rl_avx2_widen(from + k));
        }
        for (int32_t k = 0; k < part->rest; k++) {
            part->last[row][RL_AVX2_VALUES - part->rest + k] = from[part->whole + k];
        }
    }
}

// Adds the words of each of four vectors: one sum for each.
RL_AVX2 __m128i rl_avx2_sum(__m256i a, __m256i b, __m256i c, __m256i d)
{
    const __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

// Adds the products of a part with the filter of each channel, `depth` bytes apart, to the channel's sums.
RL_AVX2 void rl_avx2_multiply(const struct rl_avx2_part *part, const int8_t *filter, int32_t depth, int32_t channels,
                              int32_t *sums)
{
    const int32_t whole = part->whole;
    for (; channels > 0; channels--, filter += depth, sums += RL_PACKED_ROWS) {
        const int16_t *values = part->values;
        __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
        for (int32_t k = 0; k < whole; k += RL_AVX2_VALUES, values += RL_AVX2_VALUES) {
            const __m256i weights = rl_avx2_widen(filter + k);
            a = rl_avx2_add(a, values, weights);
            b = rl_avx2_add(b, values + whole, weights);
            c = rl_avx2_add(c, values + 2 * whole, weights);
            d = rl_avx2_add(d, values + 3 * whole, weights);
        }
        if (part->rest > 0) {
            const __m256i weights = rl_avx2_widen(filter + whole + part->rest - RL_AVX2_VALUES);
            a = rl_avx2_add(a, part->last[0], weights);
            b = rl_avx2_add(b, part->last[1], weights);
            c = rl_avx2_add(c, part->last[2], weights);
            d = rl_avx2_add(d, part->last[3], weights);
        }
        const __m128i four = _mm_loadu_si128((const void *)sums);
        _mm_storeu_si128((void *)sums, _mm_add_epi32(four, rl_avx2_sum(a, b, c, d)));
    }
}

// The same number for the four rows of each of two channels.
RL_AVX2 __m256i rl_avx2_pair(int32_t first, int32_t second)
{
    return _mm256_set_m128i(_mm_set1_epi32(second), _mm_set1_epi32(first));
}

// The outputs of two channels as words.
RL_AVX2 __m256i rl_avx2_outputs(const struct rl_matmul *m, int32_t channel, const int32_t *sums)
{
    const struct rl_rescale *first = &m->scale[channel], *second = first + 1;
    return rl_avx2_rescale(rl_avx2_load(sums), rl_avx2_pair(first->multiplier, second->multiplier),
                           rl_avx2_pair(first->addend, second->addend),
                           rl_avx2_pair(first->right_shift, second->right_shift), m->output_min, m->output_max);
}

// Stores the outputs of eight channels from `channel` on. Their bytes come as those of channels 0 2 4 6 and of 1 3 5 7,
// four rows for each.
RL_AVX2 void rl_avx2_store(const struct rl_matmul *m, int32_t channel, const int32_t *sums,
                           const ptrdiff_t offsets[RL_PACKED_ROWS], int8_t *output)
{
    enum { TWO = 2 * RL_PACKED_ROWS };
    const __m256i rows =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    const __m256i low =
        _mm256_packs_epi32(rl_avx2_outputs(m, channel, sums), rl_avx2_outputs(m, channel + 2, sums + TWO));
    const __m256i high = _mm256_packs_epi32(rl_avx2_outputs(m, channel + 4, sums + 2 * TWO),
                                            rl_avx2_outputs(m, channel + 6, sums + 3 * TWO));
    const __m256i all = _mm256_shuffle_epi8(_mm256_packs_epi16(low, high), rows);
    const __m128i even = _mm256_castsi256_si128(all), odd = _mm256_extracti128_si256(all, 1);
    int8_t bytes[RL_PACKED_ROWS][RL_AVX2_CHANNELS];
    _mm_storeu_si128((void *)bytes[0], _mm_unpacklo_epi8(even, odd));
    _mm_storeu_si128((void *)bytes[2], _mm_unpackhi_epi8(even, odd));
    for (int32_t row = 0; row < RL_PACKED_ROWS; row++) {
        memcpy(output + offsets[row], bytes[row], RL_AVX2_CHANNELS);
    }
}

static __attribute__((target("avx2"), noinline)) void
rl_avx2_four_rows(const struct rl_matmul *m, const struct rl_packed_rows *rows, int8_t *output)
{
    int32_t *sums = m->work, channel = 0;
    for (int32_t i = 0; i < m->channels; i++) {
        _mm_storeu_si128((void *)(sums + RL_PACKED_ROWS * i), _mm_set1_epi32(m->bias[i]));
    }
    for (int32_t at = 0; at < m->depth; at += RL_PACKED_DEPTH) {
        struct rl_avx2_part part;
        rl_avx2_pack(rows, at, rl_min_s32(m->depth - at, RL_PACKED_DEPTH),
                     (int16_t *)(sums + RL_PACKED_ROWS * m->channels), &part);
        rl_avx2_multiply(&part, m->filter + at, m->depth, m->channels, sums);
    }
    for (; m->simple && channel + RL_AVX2_CHANNELS <= m->channels; channel += RL_AVX2_CHANNELS) {
        rl_avx2_store(m, channel, sums + RL_PACKED_ROWS * channel, rows->output, output + channel);
    }
    for (; channel < m->channels; channel++) {
        for (int32_t row = 0; row < RL_PACKED_ROWS; row++) {
            output[rows->output[row] + channel] = rl_matmul_output(m, channel, sums[RL_PACKED_ROWS * channel + row]);
        }
    }
}

// Returns false and does nothing without AVX2, and for short rows: the last vector of a filter ends with its last
// weight, and may begin before the rest.
static inline bool rl_host_four_rows(const struct rl_matmul *m, const struct rl_packed_rows *rows, int8_t *output)
{
    if (m->depth < RL_AVX2_VALUES || !__builtin_cpu_supports("avx2")) {
        return false;
    }
    rl_avx2_four_rows(m, rows, output);
    return true;
}

#endif
