// SPDX-License-Identifier: Apache-2.0
// Copy and fill of int8 runs with Helium: the functions of scalar/memory_tile.h.
#ifndef RL_KERNELS_MVE_MEMORY_TILE_H
#define RL_KERNELS_MVE_MEMORY_TILE_H

#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>

// The loops are in assembler because gcc makes no loop that ends in a partial vector from intrinsics.

// Copies `count` >= 0 elements from the first on; `to` may lie before `from` in the same area.
static inline void rl_copy_s8(int8_t *to, const int8_t *from, int32_t count)
{
    __asm__ volatile("wlstp.8 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vldrb.u8 q0, [%[from]], #16\n"
                     "vstrb.8 q0, [%[to]], #16\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [to] "+r"(to), [from] "+r"(from)
                     : [count] "r"(count)
                     : "q0", "lr", "memory");
}

// The same of int32.
static inline void rl_copy_s32(int32_t *to, const int32_t *from, int32_t count)
{
    rl_copy_s8((int8_t *)to, (const int8_t *)from, count * (int32_t)sizeof *to);
}

// Copies `runs` >= 0 runs of `count` >= 1 elements whose starts are `to_step` and `from_step` apart. It changes the
// predicate, and gcc 12 cannot be told so: callers keep none across the call.
static inline void rl_copy_runs_s8(int8_t *to, ptrdiff_t to_step, const int8_t *from, ptrdiff_t from_step,
                                   int32_t count, int32_t runs)
{
    if (count <= 16) { // a run is one vector, so one predicate serves all runs
        __asm__ volatile("vctp.8 %[count]\n"
                         "wls lr, %[runs], 2f\n"
                         ".p2align 2\n"
                         "1: vpstt\n"
                         "vldrbt.u8 q0, [%[from]]\n"
                         "vstrbt.8 q0, [%[to]]\n"
                         "add %[from], %[from], %[from_step]\n"
                         "add %[to], %[to], %[to_step]\n"
                         "le lr, 1b\n"
                         "2:"
                         : [to] "+r"(to), [from] "+r"(from)
                         : [count] "r"(count), [runs] "r"(runs), [to_step] "r"(to_step), [from_step] "r"(from_step)
                         : "q0", "lr", "memory");
        return;
    }
    const int32_t moved = (count + 15) & -16;
    for (; runs > 0; runs--, to += to_step - moved, from += from_step - moved) {
        __asm__ volatile("dlstp.8 lr, %[count]\n"
                         ".p2align 2\n"
                         "1: vldrb.u8 q0, [%[from]], #16\n"
                         "vstrb.8 q0, [%[to]], #16\n"
                         "letp lr, 1b\n"
                         : [to] "+r"(to), [from] "+r"(from)
                         : [count] "r"(count)
                         : "q0", "lr", "memory");
    }
}

// Writes `count` >= 0 copies of `value`.
static inline void rl_fill_s8(int8_t *to, int8_t value, int32_t count)
{
    __asm__ volatile("wlstp.8 lr, %[count], 2f\n"
                     ".p2align 2\n"
                     "1: vstrb.8 %q[vector], [%[to]], #16\n"
                     "letp lr, 1b\n"
                     "2:"
                     : [to] "+r"(to)
                     : [count] "r"(count), [vector] "w"(vdupq_n_s8(value))
                     : "lr", "memory");
}

#endif
