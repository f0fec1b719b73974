// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/host/products.h"

#include "runtime/operators/portable/number.h"

#if defined(__x86_64__) || defined(__i386__)
#define HAS_AVX2 1
#else
#define HAS_AVX2 0
#endif

// ---- vectors of 16 bytes, which every host has: SSE2, NEON, or what the compiler makes of them

enum { NARROW = 16 / sizeof(rl_real) };

typedef rl_real narrow __attribute__((vector_size(16)));
typedef rl_real narrow_in_memory __attribute__((vector_size(16), aligned(sizeof(rl_real)), may_alias));

#ifdef RL_WIDE
typedef int64_t narrow_bits __attribute__((vector_size(16)));
#define NOT_A_NUMBER ((narrow_bits){0} + INT64_C(0x7ff8000000000000))
#else
typedef int32_t narrow_bits __attribute__((vector_size(16)));
#define NOT_A_NUMBER ((narrow_bits){0} + 0x7fc00000)
#endif

// Two vectors for each channel: with one, each sum would wait for its last addition.
void rl_add_products_plainly(struct rl_sums *sums, const rl_real *places, const rl_real *weights, int32_t count)
{
    for (int first = 0; first < RL_LANES; first += 2 * NARROW) {
        narrow_in_memory *const to_0 = (narrow_in_memory *)&sums->of[0][first];
        narrow_in_memory *const to_1 = (narrow_in_memory *)&sums->of[1][first];
        narrow_in_memory *const to_2 = (narrow_in_memory *)&sums->of[2][first];
        narrow_in_memory *const to_3 = (narrow_in_memory *)&sums->of[3][first];
        narrow a_0 = to_0[0], a_1 = to_1[0], a_2 = to_2[0], a_3 = to_3[0];
        narrow b_0 = to_0[1], b_1 = to_1[1], b_2 = to_2[1], b_3 = to_3[1];
        const rl_real *place = places + first, *weight = weights;
        for (int32_t k = 0; k < count; k++, place += RL_LANES, weight += RL_CHANNELS) {
            const narrow a = ((const narrow_in_memory *)place)[0], b = ((const narrow_in_memory *)place)[1];
            a_0 += a * weight[0];
            b_0 += b * weight[0];
            a_1 += a * weight[1];
            b_1 += b * weight[1];
            a_2 += a * weight[2];
            b_2 += b * weight[2];
            a_3 += a * weight[3];
            b_3 += b * weight[3];
        }
        to_0[0] = a_0;
        to_1[0] = a_1;
        to_2[0] = a_2;
        to_3[0] = a_3;
        to_0[1] = b_0;
        to_1[1] = b_1;
        to_2[1] = b_2;
        to_3[1] = b_3;
    }
}

void rl_add_twice_plainly(struct rl_sums sums[2], const rl_real *places, const rl_real *others, const rl_real *weights,
                          int32_t count)
{
    rl_add_products_plainly(&sums[0], places, weights, count);
    rl_add_products_plainly(&sums[1], others, weights, count);
}

// ---- vectors of 32 bytes

#if HAS_AVX2

enum { WIDE = 32 / sizeof(rl_real) };

typedef rl_real wide __attribute__((vector_size(32)));
typedef rl_real wide_in_memory __attribute__((vector_size(32), aligned(sizeof(rl_real)), may_alias));

__attribute__((target("avx2"))) static void add_products_avx2(struct rl_sums *sums, const rl_real *places,
                                                              const rl_real *weights, int32_t count)
{
    for (int first = 0; first < RL_LANES; first += WIDE) {
        wide_in_memory *const to_0 = (wide_in_memory *)&sums->of[0][first];
        wide_in_memory *const to_1 = (wide_in_memory *)&sums->of[1][first];
        wide_in_memory *const to_2 = (wide_in_memory *)&sums->of[2][first];
        wide_in_memory *const to_3 = (wide_in_memory *)&sums->of[3][first];
        wide sum_0 = *to_0, sum_1 = *to_1, sum_2 = *to_2, sum_3 = *to_3;
        const rl_real *place = places + first, *weight = weights;
        for (int32_t k = 0; k < count; k++, place += RL_LANES, weight += RL_CHANNELS) {
            const wide lanes = *(const wide_in_memory *)place;
            sum_0 += lanes * weight[0];
            sum_1 += lanes * weight[1];
            sum_2 += lanes * weight[2];
            sum_3 += lanes * weight[3];
        }
        *to_0 = sum_0;
        *to_1 = sum_1;
        *to_2 = sum_2;
        *to_3 = sum_3;
    }
}

// An addition takes three or four cycles, and two begin in each: four sums would leave half of them out.
__attribute__((target("avx2"))) static void add_products_twice_avx2(struct rl_sums sums[2], const rl_real *places,
                                                                    const rl_real *others, const rl_real *weights,
                                                                    int32_t count)
{
    for (int first = 0; first < RL_LANES; first += WIDE) {
        wide_in_memory *to[2][RL_CHANNELS];
        for (int c = 0; c < RL_CHANNELS; c++) {
            to[0][c] = (wide_in_memory *)&sums[0].of[c][first];
            to[1][c] = (wide_in_memory *)&sums[1].of[c][first];
        }
        wide a_0 = *to[0][0], a_1 = *to[0][1], a_2 = *to[0][2], a_3 = *to[0][3];
        wide b_0 = *to[1][0], b_1 = *to[1][1], b_2 = *to[1][2], b_3 = *to[1][3];
        const rl_real *place = places + first, *other = others + first, *weight = weights;
        for (int32_t k = 0; k < count; k++, place += RL_LANES, other += RL_LANES, weight += RL_CHANNELS) {
            const wide a = *(const wide_in_memory *)place, b = *(const wide_in_memory *)other;
            a_0 += a * weight[0];
            b_0 += b * weight[0];
            a_1 += a * weight[1];
            b_1 += b * weight[1];
            a_2 += a * weight[2];
            b_2 += b * weight[2];
            a_3 += a * weight[3];
            b_3 += b * weight[3];
        }
        *to[0][0] = a_0, *to[0][1] = a_1, *to[0][2] = a_2, *to[0][3] = a_3;
        *to[1][0] = b_0, *to[1][1] = b_1, *to[1][2] = b_2, *to[1][3] = b_3;
    }
}

#endif

struct rl_products rl_find_products(void)
{
#if HAS_AVX2
    if (__builtin_cpu_supports("avx2")) {
        return (struct rl_products){add_products_avx2, add_products_twice_avx2};
    }
#endif
    return (struct rl_products){rl_add_products_plainly, rl_add_twice_plainly};
}

#ifdef RL_WIDE
#define LOW(a, b)  __builtin_shufflevector(a, b, 0, 2)
#define HIGH(a, b) __builtin_shufflevector(a, b, 1, 3)
#else
#define LOW(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#endif

void rl_turn_weights(rl_real *to, const rl_real *a, const rl_real *b, const rl_real *c, const rl_real *d)
{
    narrow_in_memory *const rows = (narrow_in_memory *)to;
    const narrow of_a = *(const narrow_in_memory *)a, of_b = *(const narrow_in_memory *)b;
    const narrow of_c = *(const narrow_in_memory *)c, of_d = *(const narrow_in_memory *)d;
#ifdef RL_WIDE
    rows[0] = LOW(of_a, of_b);
    rows[1] = LOW(of_c, of_d);
    rows[2] = HIGH(of_a, of_b);
    rows[3] = HIGH(of_c, of_d);
#else
    const narrow even_low = LOW(of_a, of_c), even_high = HIGH(of_a, of_c);
    const narrow odd_low = LOW(of_b, of_d), odd_high = HIGH(of_b, of_d);
    rows[0] = LOW(even_low, odd_low);
    rows[1] = HIGH(even_low, odd_low);
    rows[2] = LOW(even_high, odd_high);
    rows[3] = HIGH(even_high, odd_high);
#endif
}

void rl_put_sums(rl_real *to, const rl_real *sums, int32_t count)
{
    int32_t i = 0;
    for (; i + NARROW <= count; i += NARROW) {
        const narrow some = *(const narrow_in_memory *)(sums + i);
        const narrow_bits is_number = some == some, bits = (narrow_bits)some;
        *(narrow_in_memory *)(to + i) = (narrow)((bits & is_number) | (NOT_A_NUMBER & ~is_number));
    }
    for (; i < count; i++) {
        rl_put_real(to + i, sums[i]);
    }
}
