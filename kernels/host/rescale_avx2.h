// SPDX-License-Identifier: Apache-2.0
// What the tiles with AVX2 share.
#ifndef RL_KERNELS_HOST_RESCALE_AVX2_H
#define RL_KERNELS_HOST_RESCALE_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#define RL_AVX2 static inline __attribute__((target("avx2")))

RL_AVX2 __m256i rl_avx2_load(const void *from)
{
    return _mm256_loadu_si256(from);
}

// rl_rescale of eight sums, from the fields of struct rl_rescale for each, and then within low..high.
RL_AVX2 __m256i rl_avx2_rescale(__m256i sums, __m256i multiplier, __m256i addend, __m256i right_shift, int32_t low,
                                int32_t high)
{
    const __m256i doubled = _mm256_add_epi32(sums, sums), half = _mm256_set1_epi64x(INT64_C(1) << 31);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(doubled, multiplier), half);
    const __m256i odd =
        _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(doubled, 32), _mm256_srli_epi64(multiplier, 32)), half);
    const __m256i high_words = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    const __m256i sign = _mm256_srai_epi32(doubled, 31);
    const __m256i scaled = _mm256_srav_epi32(_mm256_add_epi32(_mm256_add_epi32(high_words, addend), sign), right_shift);
    return _mm256_max_epi32(_mm256_min_epi32(scaled, _mm256_set1_epi32(high)), _mm256_set1_epi32(low));
}

#endif
