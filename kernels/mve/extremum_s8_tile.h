// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_MVE_EXTREMUM_S8_TILE_H
#define RL_KERNELS_MVE_EXTREMUM_S8_TILE_H

#include <arm_mve.h>
#include <stddef.h>

// The loops are in assembler because gcc makes no loop that ends in a partial vector from intrinsics, and puts stores
// behind each other, where they wait.

// clang-format off
// The loops of minima and maxima, which differ in an instruction, and in that under a predicate.
#define RL_EXTREMUM(of_two) \
    __asm__ volatile("wlstp.8 lr, %[count], 2f\n" \
                     ".p2align 2\n" \
                     "1: vldrb.s8 q0, [%[a]], #16\n" \
                     "vldrb.s8 q1, [%[b]], #16\n" \
                     of_two " q0, q0, q1\n" \
                     "vstrb.8 q0, [%[output]], #16\n" \
                     "letp lr, 1b\n" \
                     "2:" \
                     : [a] "+r"(a), [b] "+r"(b), [output] "+r"(output) \
                     : [count] "r"(count) \
                     : "q0", "q1", "lr", "memory")
#define RL_EXTREMUM_ROWS(of_two) \
    __asm__ volatile("vctp.8 %[row]\n" \
                     "wls lr, %[rows], 2f\n" \
                     ".p2align 2\n" \
                     "1: vpstt\n" \
                     "vldrbt.u8 q0, [%[a]]\n" \
                     "vldrbt.u8 q1, [%[b]]\n" \
                     "add %[a], %[a], %[step_a]\n" \
                     "add %[b], %[b], %[step_b]\n" \
                     "vpstt\n" \
                     of_two " q0, q0, q1\n" \
                     "vstrbt.8 q0, [%[output]]\n" \
                     "add %[output], %[output], %[row]\n" \
                     "le lr, 1b\n" \
                     "2:" \
                     : [a] "+r"(a), [b] "+r"(b), [output] "+r"(output) \
                     : [row] "r"(row), [rows] "r"(rows), [step_a] "r"(step_a), [step_b] "r"(step_b) \
                     : "q0", "q1", "lr", "memory")
// clang-format on

// output[i] = min(a[i], b[i]) for i < count. The output may be one of the inputs.
static inline void rl_minimum_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count)
{
    RL_EXTREMUM("vmin.s8");
}

// output[i] = max(a[i], b[i]) for i < count. The output may be one of the inputs.
static inline void rl_maximum_s8(const int8_t *a, const int8_t *b, int8_t *output, int32_t count)
{
    RL_EXTREMUM("vmax.s8");
}

enum { RL_EXTREMUM_ROW = 16 }; // elements of a vector

// output[i][k] = min(a[i * step_a + k], b[i * step_b + k]) for i < rows and k < row, which is at most RL_EXTREMUM_ROW.
// The output may be one of the inputs.
static inline void rl_minimum_rows_s8(const int8_t *a, ptrdiff_t step_a, const int8_t *b, ptrdiff_t step_b,
                                      int8_t *output, int32_t row, int32_t rows)
{
    RL_EXTREMUM_ROWS("vmint.s8");
}

// output[i][k] = max(a[i * step_a + k], b[i * step_b + k]) for i < rows and k < row, which is at most RL_EXTREMUM_ROW.
// The output may be one of the inputs.
static inline void rl_maximum_rows_s8(const int8_t *a, ptrdiff_t step_a, const int8_t *b, ptrdiff_t step_b,
                                      int8_t *output, int32_t row, int32_t rows)
{
    RL_EXTREMUM_ROWS("vmaxt.s8");
}

// output[i] = min(max(input[i], low), high) for i < count. In place is allowed.
static inline void rl_clamp_s8(const int8_t *input, int8_t low, int8_t high, int8_t *output, int32_t count)
{
    const int8x16_t lows = vdupq_n_s8(low), highs = vdupq_n_s8(high);
    __asm__ volatile("wls lr, %[pairs], 2f\n"
                     ".p2align 2\n"
                     "1: vldrb.s8 q0, [%[input]], #16\n"
                     "vmax.s8 q0, q0, %q[lows]\n"
                     "vldrb.s8 q1, [%[input]], #16\n"
                     "vmin.s8 q0, q0, %q[highs]\n"
                     "vstrb.8 q0, [%[output]], #16\n"
                     "vmax.s8 q1, q1, %q[lows]\n"
                     "vmin.s8 q1, q1, %q[highs]\n"
                     "vstrb.8 q1, [%[output]], #16\n"
                     "le lr, 1b\n"
                     "2: wlstp.8 lr, %[rest], 4f\n"
                     "3: vldrb.s8 q0, [%[input]], #16\n"
                     "vmax.s8 q0, q0, %q[lows]\n"
                     "vmin.s8 q0, q0, %q[highs]\n"
                     "vstrb.8 q0, [%[output]], #16\n"
                     "letp lr, 3b\n"
                     "4:"
                     : [input] "+r"(input), [output] "+r"(output)
                     : [pairs] "r"(count >> 5), [rest] "r"(count & 31), [lows] "w"(lows), [highs] "w"(highs)
                     : "q0", "q1", "lr", "memory");
}

// output[i] = min(input[i], value) for i < count. In place is allowed.
static inline void rl_minimum_of_s8(const int8_t *input, int8_t value, int8_t *output, int32_t count)
{
    rl_clamp_s8(input, INT8_MIN, value, output, count);
}

// output[i] = max(input[i], value) for i < count. In place is allowed.
static inline void rl_maximum_of_s8(const int8_t *input, int8_t value, int8_t *output, int32_t count)
{
    rl_clamp_s8(input, value, INT8_MAX, output, count);
}

#endif
