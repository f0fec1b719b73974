// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with AVX2: eight channels at a time, output by output. Nothing is copied.
#ifndef RL_KERNELS_HOST_DEPTHWISE_AVX2_H
#define RL_KERNELS_HOST_DEPTHWISE_AVX2_H

#include <string.h>

#include "depthwise/depthwise.h"
#include "elementwise/rescale.h"
#include "host/rescale_avx2.h"

enum { RL_AVX2_LANES = 8, RL_AVX2_TAPS = 1 << 12 };

// Whether every channel can use the requantization of rescale.h: sums stay below 2^29 in magnitude, of which 2^12
// products of at most 2^16 are a half.
static inline bool rl_avx2_depthwise_fits(const struct rl_depthwise *d)
{
    const int32_t limit = INT32_C(1) << 28;
    bool fits =
        d->multiplier == 1 && d->output.c >= RL_AVX2_LANES && (int64_t)d->filter.w * d->filter.h <= RL_AVX2_TAPS;
    for (int32_t i = 0; i < d->output.c && fits; i++) {
        fits = rl_rescale_fits(d->output_offset, d->scales.shift[i]) &&
               (!d->bias || (d->bias[i] >= -limit && d->bias[i] <= limit));
    }
    return fits;
}

RL_AVX2 __m256i rl_avx2_widen_words(const int8_t *from)
{
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)from));
}

// The sums of eight channels. The window's first tap is at (row, left); `input` and `weights` are at the first channel.
RL_AVX2 __m256i rl_avx2_depthwise_sums(const struct rl_depthwise *d, const int8_t *input, const int8_t *weights,
                                       int32_t row, int32_t left)
{
    const struct rl_image *in = &d->input;
    const __m256i offset = _mm256_set1_epi32(d->input_offset);
    __m256i sums = _mm256_setzero_si256();
    for (int32_t rows = d->filter.h; rows > 0; rows--, row += d->dilation.h) {
        const bool inside = (uint32_t)row < (uint32_t)in->h;
        int32_t column = left;
        for (int32_t columns = d->filter.w; columns > 0; columns--, weights += in->c, column += d->dilation.w) {
            if (inside && (uint32_t)column < (uint32_t)in->w) {
                const int8_t *from = input + ((ptrdiff_t)row * in->w + column) * in->c;
                const __m256i values = _mm256_add_epi32(rl_avx2_widen_words(from), offset);
                sums = _mm256_add_epi32(sums, _mm256_mullo_epi32(values, rl_avx2_widen_words(weights)));
            }
        }
    }
    return sums;
}

// Rescales the sums of eight channels from `channel` on and stores them there.
RL_AVX2 void rl_avx2_depthwise_store(const struct rl_depthwise *d, int32_t channel, __m256i sums, int8_t *output)
{
    const __m256i right_shift = _mm256_sub_epi32(_mm256_setzero_si256(), rl_avx2_load(d->scales.shift + channel));
    const __m256i half_steps = _mm256_sub_epi32(right_shift, _mm256_set1_epi32(1));
    const __m256i addend = _mm256_sllv_epi32(_mm256_set1_epi32(rl_rescale_rounding(d->output_offset)), half_steps);
    if (d->bias) {
        sums = _mm256_add_epi32(sums, rl_avx2_load(d->bias + channel));
    }
    const __m256i scaled = rl_avx2_rescale(sums, rl_avx2_load(d->scales.multiplier + channel), addend, right_shift,
                                           d->range.min, d->range.max);
    const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128(scaled), _mm256_extracti128_si256(scaled, 1));
    _mm_storel_epi64((void *)(output + channel), _mm_packs_epi16(halves, halves));
}

static __attribute__((target("avx2"))) void rl_avx2_depthwise_run(const struct rl_depthwise *d, const int8_t *input,
                                                                  int8_t *output)
{
    const int32_t channels = d->output.c;
    for (int32_t batch = 0; batch < d->input.n; batch++, input += rl_image_size(d->input)) {
        for (int32_t y = 0; y < d->output.h; y++) {
            for (int32_t x = 0; x < d->output.w; x++, output += channels) {
                const int32_t row = y * d->stride.h - d->padding.h, left = x * d->stride.w - d->padding.w;
                for (int32_t i = 0; i < channels; i += RL_AVX2_LANES) {
                    // The last channels overlap those before where they are not a multiple of LANES.
                    const int32_t channel = rl_min_s32(i, channels - RL_AVX2_LANES);
                    rl_avx2_depthwise_store(d, channel,
                                            rl_avx2_depthwise_sums(d, input + channel, d->weights + channel, row, left),
                                            output);
                }
            }
        }
    }
}

// Returns false and does nothing without AVX2, and for layers that do not fit.
static inline bool rl_host_depthwise(const struct rl_depthwise *d, const int8_t *input, int8_t *output)
{
    if (!__builtin_cpu_supports("avx2") || !rl_avx2_depthwise_fits(d)) {
        return false;
    }
    rl_avx2_depthwise_run(d, input, output);
    return true;
}

#endif
