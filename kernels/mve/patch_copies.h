// SPDX-License-Identifier: Apache-2.0
// Copies of several patches at once, for the loops of patches_nest.h.
#ifndef RL_KERNELS_MVE_PATCH_COPIES_H
#define RL_KERNELS_MVE_PATCH_COPIES_H

#include <stddef.h>

#include "convolution/patch.h"
#include "mve/memory_tile.h"
#include "requantize.h"

// clang-format off
// Parts of the loops for three windows, `step` apart, which are written one behind the other: the same for each of them.
#define RL_COPY_LOAD(to_0, to_1, to_2, update) \
    "vldrb.u8 " to_0 ", [%[first]]" update "\n" \
    "vldrb.u8 " to_1 ", [%[second]]" update "\n" \
    "vldrb.u8 " to_2 ", [%[third]]" update "\n"
#define RL_COPY_STORE(from_0, from_1, from_2, update) \
    "vstrb.8 " from_0 ", [%[to]]" update "\n" \
    "vstrb.8 " from_1 ", [%[to_second]]" update "\n" \
    "vstrb.8 " from_2 ", [%[to_third]]" update "\n"
#define RL_COPY_FROM(bytes) \
    "add %[first], %[first], " bytes "\n" \
    "add %[second], %[second], " bytes "\n" \
    "add %[third], %[third], " bytes "\n"
#define RL_COPY_TO(bytes) \
    "add %[to], %[to], " bytes "\n" \
    "add %[to_second], %[to_second], " bytes "\n" \
    "add %[to_third], %[to_third], " bytes "\n"

// Three windows that are copied so. gcc has seven registers for operands at -O0, so that the bytes of a run and of a
// line are loaded by `code`, to r12 and others. In assembler because compilers do not know that one predicate serves all
// lines, and make no loop that ends in a partial vector.
#define RL_COPY_THREE(code) \
    const int8_t *second = window + step, *third = second + step; \
    int8_t *to_second = to + depth, *to_third = to_second + depth; \
    __asm__ volatile( \
        code \
        : [first] "+&r"(window), [second] "+&r"(second), [third] "+&r"(third), [to] "+&r"(to), \
          [to_second] "+&r"(to_second), [to_third] "+&r"(to_third) \
        : [row] "r"(row), [run] "i"(offsetof(struct rl_patch_row, run_bytes)), \
          [line] "i"(offsetof(struct rl_patch_row, line_bytes)), \
          [present] "i"(offsetof(struct rl_patch_row, present)) \
        : "q0", "q1", "q2", "q3", "q4", "q5", "r8", "r12", "lr", "cc", "memory")
#define RL_COPY_LINES(prepare, body) \
    RL_COPY_THREE("ldr r12, [%[row], %[run]]\n" \
                  "ldr r8, [%[row], %[line]]\n" \
                  "ldr lr, [%[row], %[present]]\n" \
                  prepare \
                  "wls lr, lr, 2f\n" \
                  ".p2align 2\n" \
                  "1:\n" \
                  body \
                  "le lr, 1b\n" \
                  "2:")

// Copies three windows of runs of at most a vector.
static inline void rl_patches_copy_three(const struct rl_patch_row *row, const int8_t *window, ptrdiff_t step,
                                         int8_t *to, int32_t depth)
{
    RL_COPY_LINES("vctp.8 r12\n",
                  "vpsttt\n"
                  "vldrbt.u8 q0, [%[first]]\n"
                  "vldrbt.u8 q1, [%[second]]\n"
                  "vldrbt.u8 q2, [%[third]]\n"
                  RL_COPY_FROM("r8")
                  "vpsttt\n"
                  "vstrbt.8 q0, [%[to]]\n"
                  "vstrbt.8 q1, [%[to_second]]\n"
                  "vstrbt.8 q2, [%[to_third]]\n"
                  RL_COPY_TO("r12"));
}

// Of 16 to 32 values. The last vector ends where the run ends, and so do those of longer runs.
static inline void rl_patches_copy_three_of_two(const struct rl_patch_row *row, const int8_t *window, ptrdiff_t step,
                                                int8_t *to, int32_t depth)
{
    RL_COPY_LINES("sub r12, r12, #16\n"
                  "sub r8, r8, r12\n",
                  RL_COPY_LOAD("q0", "q1", "q2", "")
                  RL_COPY_FROM("r12")
                  RL_COPY_LOAD("q3", "q4", "q5", "")
                  RL_COPY_FROM("r8")
                  RL_COPY_STORE("q0", "q1", "q2", "")
                  RL_COPY_TO("r12")
                  RL_COPY_STORE("q3", "q4", "q5", ", #16"));
}

// Of 32 to 48 values.
static inline void rl_patches_copy_three_of_three(const struct rl_patch_row *row, const int8_t *window, ptrdiff_t step,
                                                  int8_t *to, int32_t depth)
{
    RL_COPY_LINES("sub r12, r12, #32\n"
                  "sub r8, r8, r12\n"
                  "sub r8, r8, #16\n",
                  RL_COPY_LOAD("q0", "q1", "q2", ", #16")
                  RL_COPY_LOAD("q3", "q4", "q5", "")
                  RL_COPY_FROM("r12")
                  RL_COPY_STORE("q0", "q1", "q2", ", #16")
                  RL_COPY_LOAD("q0", "q1", "q2", "")
                  RL_COPY_FROM("r8")
                  RL_COPY_STORE("q3", "q4", "q5", "")
                  RL_COPY_TO("r12")
                  RL_COPY_STORE("q0", "q1", "q2", ", #16"));
}

// Of any length, for one line or more. Behind the loop of a line, pointers have moved on by whole vectors.
static inline void rl_patches_copy_three_long(const struct rl_patch_row *row, const int8_t *window, ptrdiff_t step,
                                              int8_t *to, int32_t depth)
{
    RL_COPY_THREE("ldr r8, [%[row], %[present]]\n"
                  ".p2align 2\n"
                  "1: ldr r12, [%[row], %[run]]\n"
                  "dlstp.8 lr, r12\n"
                  ".p2align 2\n"
                  "2:\n"
                  RL_COPY_LOAD("q0", "q1", "q2", ", #16")
                  RL_COPY_STORE("q0", "q1", "q2", ", #16")
                  "letp lr, 2b\n"
                  "ldr lr, [%[row], %[line]]\n"
                  "sub lr, lr, r12\n"
                  "rsb r12, r12, #0\n"
                  "and r12, r12, #15\n"
                  "sub lr, lr, r12\n"
                  "rsb r12, r12, #0\n"
                  RL_COPY_FROM("lr")
                  RL_COPY_TO("r12")
                  "subs r8, r8, #1\n"
                  "bne 1b\n");
}
// clang-format on

// The taps of neighbouring windows with gaps that lie on the input.
struct rl_gap_taps {
    int32_t above, lines;   // of the filter that are missing above, and present
    int32_t before, inside; // taps of a line that are missing on the left, and present
    int32_t last;           // input column up to which windows have the same taps
};

// Taps that lie before the input and on it, on one axis where the first one is at `start`.
static inline void rl_gap_axis(int32_t start, int32_t taps, int32_t step, int32_t inputs, int32_t *before,
                               int32_t *inside)
{
    *before = 0;
    *inside = taps;
    if (start < 0 || start + (taps - 1) * step >= inputs) { // spare others the divisions
        *before = start < 0 ? rl_min_s32((step - 1 - start) / step, taps) : 0;
        const int32_t end = start < inputs ? rl_min_s32((inputs - 1 - start) / step + 1, taps) : 0;
        *inside = rl_max_s32(end - *before, 0);
    }
}

// Those of windows of a row from input column `in_x` on, or none where no three windows have the same. Not inlined, so
// that the loop over windows has registers.
static __attribute__((noinline)) void rl_gap_taps_of(const struct rl_patch_row *row, int32_t in_x,
                                                     struct rl_gap_taps *taps)
{
    const struct rl_convolution *c = row->layer;
    const int32_t step = c->dilation.w, whole = c->input.w - 1 - (c->filter.w - 1) * step;
    taps->inside = 0;
    taps->last = in_x < 0 ? -1 : c->input.w;
    if (c->spread_h || c->spread_w || (step < 3 && (in_x < 0 || in_x > whole))) {
        return;
    }
    rl_gap_axis(row->in_y, c->filter.h, c->dilation.h, c->input.h, &taps->above, &taps->lines);
    rl_gap_axis(in_x, c->filter.w, step, c->input.w, &taps->before, &taps->inside);
    const int32_t last = c->input.w - 1 - (taps->before + taps->inside - 1) * step;
    taps->last = taps->before > 0 ? rl_min_s32(last, -1 - (taps->before - 1) * step) : last;
    if (taps->lines == 0) {
        taps->inside = 0;
    }
}

// Copies three windows as rl_patches_copy_three does, with runs of any length.
static inline __attribute__((always_inline)) void
rl_patches_copy_runs(const struct rl_patch_row *row, const int8_t *window, ptrdiff_t step, int8_t *to, int32_t depth)
{
    if (row->run_bytes <= 16) {
        rl_patches_copy_three(row, window, step, to, depth);
    } else if (row->run_bytes <= 32) {
        rl_patches_copy_three_of_two(row, window, step, to, depth);
    } else if (row->run_bytes <= 48) {
        rl_patches_copy_three_of_three(row, window, step, to, depth);
    } else if (row->present > 0) {
        rl_patches_copy_three_long(row, window, step, to, depth);
    }
}

// Copies the taps of three windows with gaps that lie on the input, each of them a run. Not inlined, so that windows of
// runs have registers.
static __attribute__((noinline)) void rl_patches_copy_taps(const struct rl_patch_row *row,
                                                           const struct rl_gap_taps *gaps, const int8_t *window,
                                                           ptrdiff_t step, int8_t *to, int32_t depth)
{
    const struct rl_convolution *c = row->layer;
    const ptrdiff_t next = (ptrdiff_t)c->dilation.h * row->line_bytes;
    struct rl_patch_row taps;
    taps.run_bytes = c->filter_channels;
    taps.line_bytes = c->dilation.w * c->input.c;
    taps.present = gaps->inside;
    window += gaps->above * next + (ptrdiff_t)gaps->before * taps.line_bytes;
    to += gaps->above * row->run_bytes + gaps->before * taps.run_bytes;
    for (int32_t i = gaps->lines; i > 0; i--, window += next, to += row->run_bytes) {
        rl_patches_copy_runs(&taps, window, step, to, depth);
    }
}

// What the patches of a row of outputs whose windows are runs have in common: the lines of the input under them.
struct rl_patch_runs {
    const struct rl_convolution *layer;
    const int8_t *from; // the first of the lines
    int32_t to;         // its place in a patch
    int32_t present;    // lines
    int32_t line_bytes; // from one line of the input to the next
};

static inline void rl_patch_runs_start(struct rl_patch_runs *runs, const struct rl_convolution *c, const int8_t *input,
                                       int32_t y)
{
    const int32_t taps = c->filter.h, in_y = y * c->stride.h - c->padding.h;
    const int32_t below = rl_clamp_s32(in_y + taps - c->input.h, 0, taps);
    const int32_t above = rl_clamp_s32(-in_y, 0, taps - below);
    runs->layer = c;
    runs->line_bytes = c->input.w * c->input.c;
    runs->from = input + (ptrdiff_t)(in_y + above) * runs->line_bytes;
    runs->to = above * c->filter.w * c->filter_channels;
    runs->present = taps - below - above;
}

// The patch of column `x`, in memory that is filled with padding.
static inline void rl_patch_copy_inside(const struct rl_patch_runs *runs, int32_t x, int8_t *patch)
{
    const struct rl_convolution *c = runs->layer;
    const int32_t in_x = x * c->stride.w - c->padding.w, taps = c->filter.w, channels = c->filter_channels;
    const int32_t left = rl_max_s32(-in_x, 0), right = rl_max_s32(in_x + taps - c->input.w, 0);
    if (left + right < taps && runs->present > 0) {
        rl_copy_runs_s8(patch + runs->to + left * channels, taps * channels, runs->from + (in_x + left) * c->input.c,
                        runs->line_bytes, (taps - left - right) * channels, runs->present);
    }
}

// Copies the lines of `threes` times three windows, `step` apart, one window behind the other: line after line, three
// windows at a time. In assembler for the same reason as rl_patches_copy_three.
static void rl_patches_copy_threes(const struct rl_patch_row *row, const int8_t *window, ptrdiff_t step, int8_t *to,
                                   int32_t depth, int32_t threes)
{
    for (int32_t line = row->present; line > 0; line--, window += row->line_bytes, to += row->run_bytes) {
        const int8_t *first = window, *second = window + step, *third = second + step;
        int8_t *out = to;
        __asm__ volatile("sub r12, %[second], %[first]\n"
                         "add r12, r12, r12, lsl #1\n"
                         "vctp.8 %[run]\n"
                         "dls lr, %[threes]\n"
                         ".p2align 2\n"
                         "1: vpsttt\n"
                         "vldrbt.u8 q0, [%[first]]\n"
                         "vldrbt.u8 q1, [%[second]]\n"
                         "vldrbt.u8 q2, [%[third]]\n"
                         "add %[first], %[first], r12\n"
                         "add %[second], %[second], r12\n"
                         "add %[third], %[third], r12\n"
                         "vpst\n"
                         "vstrbt.8 q0, [%[out]]\n"
                         "add %[out], %[out], %[depth]\n"
                         "vpst\n"
                         "vstrbt.8 q1, [%[out]]\n"
                         "add %[out], %[out], %[depth]\n"
                         "vpst\n"
                         "vstrbt.8 q2, [%[out]]\n"
                         "add %[out], %[out], %[depth]\n"
                         "le lr, 1b\n"
                         : [first] "+&r"(first), [second] "+&r"(second), [third] "+&r"(third), [out] "+&r"(out)
                         : [depth] "r"(depth), [run] "r"(row->run_bytes), [threes] "r"(threes)
                         : "q0", "q1", "q2", "r12", "lr", "memory");
    }
}

#endif
