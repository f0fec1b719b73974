// SPDX-License-Identifier: Apache-2.0
// Three neighbouring outputs of a convolution at once, with windows read in place from the input: filters of three
// columns, stride 1, pixels of 16, 32 or 64 values. Only five of the nine pixels in a row of the three windows differ,
// so 11 loads feed 18 VMLADAV. In assembler for the same reason as dot_rows.h; dot_slide_plain.h is the same in C.
#ifndef RL_KERNELS_MVE_DOT_SLIDE_H
#define RL_KERNELS_MVE_DOT_SLIDE_H

#include "mve/dot_rows.h"
#include "mve/dot_slide_plain.h"

__extension__ _Static_assert(offsetof(struct rl_windows, lines) == 12 && offsetof(struct rl_windows, sums) == 16,
                             "the assembler below uses these offsets");

// clang-format off
// Registers as in RL_DOT_BEGIN, but r5 is `near`, r9 line_bytes, r11 the distant pixels, r7 the bytes of the filters'
// lines that are left out. q0 and q1 are the filters.
#define RL_SLIDE_LOOPS(pixel_bits) \
    "mov lr, r11\n" \
    "add r7, r11, r11, lsl #1\n" \
    "sub r7, r3, r7, lsl #" pixel_bits "\n"

// One vector of each pixel in a row, whose first two loads, of q0 and q2, are done. The arguments are the multiplication
// that first meets a sum, the addresses of the filters' column 0 (without the register), 1 and 2 (as distances) and of
// the pixels 1 to 4, and the first loads of the next vectors: of q0 and of q2.
#define RL_SLIDE_VECTOR(multiply, column_0, column_1, column_2, pixel_1, pixel_2, pixel_3, pixel_4, next_0, next_1) \
    multiply " r0, q0, q2\n" \
    "vldrb.8 q1, [r3" column_0 "\n" \
    multiply " r2, q1, q2\n" \
    "vldrb.8 q3, [" pixel_1 "]\n" \
    multiply " r4, q0, q3\n" \
    "vldrb.8 q2, [" pixel_2 "]\n" \
    multiply " r6, q1, q3\n" \
    multiply " r8, q0, q2\n" \
    "vldrb.8 q0, [r1, #" column_1 "]\n" \
    multiply " r10, q1, q2\n" \
    "vldrb.8 q1, [r3, #" column_1 "]\n" \
    "vmladava.s8 r0, q0, q3\n" \
    "vmladava.s8 r2, q1, q3\n" \
    "vldrb.8 q3, [" pixel_3 "]\n" \
    "vmladava.s8 r4, q0, q2\n" \
    "vmladava.s8 r6, q1, q2\n" \
    "vmladava.s8 r8, q0, q3\n" \
    "vldrb.8 q0, [r1, #" column_2 "]\n" \
    "vmladava.s8 r10, q1, q3\n" \
    "vldrb.8 q1, [r3, #" column_2 "]\n" \
    "vmladava.s8 r0, q0, q2\n" \
    "vmladava.s8 r2, q1, q2\n" \
    "vldrb.8 q4, [" pixel_4 "]\n" \
    "vmladava.s8 r4, q0, q3\n" next_1 \
    "vmladava.s8 r8, q0, q4\n" next_0 \
    "vmladava.s8 r6, q1, q3\n" \
    "vmladava.s8 r10, q1, q4\n"

static __attribute__((naked, noinline)) void
rl_dot_slide_16(__attribute__((unused)) const void *windows)
{
    __asm__(RL_DOT_BEGIN(RL_SLIDE_LOOPS("4"))
            "dls lr, lr\n"
            ".p2align 2\n"
            "2:\n"
            "vldrb.8 q0, [r1], #48\n"
            "vldrb.8 q2, [r5, #-64]\n"
            RL_SLIDE_VECTOR("vmladava.s8", "], #48", "-32", "-16", "r5, #-48", "r5, #-32", "r5, #-16", "r5", "", "")
            "add r5, r5, r9\n"
            "le lr, 2b\n"
            RL_DOT_END);
}

static __attribute__((naked, noinline)) void
rl_dot_slide_32(__attribute__((unused)) const void *windows)
{
    __asm__(RL_DOT_BEGIN(RL_SLIDE_LOOPS("5"))
            "dls lr, lr\n"
            ".p2align 2\n"
            "2:\n"
            "vldrb.8 q0, [r1], #96\n"
            "vldrb.8 q2, [r5, #-64]\n"
            RL_SLIDE_VECTOR("vmladava.s8", "], #96", "-64", "-32", "r5, #-32", "r5", "r5, #32", "r5, #64",
                         "vldrb.8 q0, [r1, #-80]\n", "vldrb.8 q2, [r5, #-48]\n")
            RL_SLIDE_VECTOR("vmladava.s8", ", #-80]", "-48", "-16", "r5, #-16", "r5, #16", "r5, #48", "r5, #80", "", "")
            "add r5, r5, r9\n"
            "le lr, 2b\n"
            RL_DOT_END);
}

static __attribute__((naked, noinline)) void
rl_dot_slide_64(__attribute__((unused)) const void *windows)
{
    __asm__(RL_DOT_BEGIN(RL_SLIDE_LOOPS("6"))
            "add r11, r5, #128\n"
            "add r1, r1, #96\n"
            "add r3, r3, #96\n"
            "dls lr, lr\n"
            ".p2align 2\n"
            "2:\n"
            "vldrb.8 q0, [r1, #-96]\n"
            "vldrb.8 q2, [r5, #-64]\n"
            RL_SLIDE_VECTOR("vmladava.s8", ", #-96]", "-32", "32", "r5", "r5, #64", "r11", "r11, #64",
                         "vldrb.8 q0, [r1, #-80]\n", "vldrb.8 q2, [r5, #-48]\n")
            RL_SLIDE_VECTOR("vmladava.s8", ", #-80]", "-16", "48", "r5, #16", "r5, #80", "r11, #16", "r11, #80",
                         "vldrb.8 q0, [r1, #-64]\n", "vldrb.8 q2, [r5, #-32]\n")
            RL_SLIDE_VECTOR("vmladava.s8", ", #-64]", "0", "64", "r5, #32", "r5, #96", "r11, #32", "r11, #96",
                         "vldrb.8 q0, [r1, #-48]\n", "vldrb.8 q2, [r5, #-16]\n")
            RL_SLIDE_VECTOR("vmladava.s8", ", #-48]", "16", "80", "r5, #48", "r5, #112", "r11, #48", "r11, #112", "", "")
            "add r1, r1, #192\n"
            "add r3, r3, #192\n"
            "add r5, r5, r9\n"
            "add r11, r11, r9\n"
            "le lr, 2b\n"
            "sub r3, r3, #96\n"
            RL_DOT_END);
}

// Filters of three lines, which keep nothing on the stack. r5, r9 and r11 point to the lines, r7 is 1 if one channel
// remains at the end. `vectors` are the products of a pair of filters, `next` leads to the next pair.
#define RL_SLIDE_THREE_LINES(vectors, next) \
    "push {r7, lr}\n" \
    RL_DOT_PASS_LOAD \
    "add r11, r5, r9, lsl #1\n" \
    "add r9, r5, r9\n" \
    "add r3, r3, r1\n" \
    "and r7, r4, #1\n" \
    "lsr lr, r4, #1\n" \
    "vldrb.8 q2, [r5, #-64]\n" \
    "wls lr, lr, 2f\n" \
    ".p2align 2\n" \
    "1:\n" \
    vectors \
    "strd r4, r6, [r12, #256]\n" \
    "strd r8, r10, [r12, #512]\n" \
    "strd r0, r2, [r12], #8\n" \
    next \
    "le lr, 1b\n" \
    RL_DOT_PASS_LAST \
    "pop {r7, pc}\n"

// A line of them, whose pixels start 64 bytes before the address in register `line`.
#define RL_SLIDE_LINE_OF_16(multiply, line, next_0, next_line) \
    RL_SLIDE_VECTOR(multiply, "], #48", "-32", "-16", line ", #-48", line ", #-32", line ", #-16", line, \
                    next_0, "vldrb.8 q2, [" next_line ", #-64]\n")
#define RL_SLIDE_LINE_OF_32(multiply, line, next_0, next_line) \
    RL_SLIDE_VECTOR(multiply, "], #96", "-64", "-32", line ", #-32", line, line ", #32", line ", #64", \
                    "vldrb.8 q0, [r1, #-80]\n", "vldrb.8 q2, [" line ", #-48]\n") \
    RL_SLIDE_VECTOR("vmladava.s8", ", #-80]", "-48", "-16", line ", #-16", line ", #16", line ", #48", line ", #80", \
                    next_0, "vldrb.8 q2, [" next_line ", #-64]\n")

static __attribute__((naked, noinline)) void
rl_dot_slide_16_by_three(__attribute__((unused)) const void *windows)
{
    __asm__(RL_SLIDE_THREE_LINES(
            "vldrb.8 q0, [r1], #48\n"
            RL_SLIDE_LINE_OF_16("vmladav.s8", "r5", "vldrb.8 q0, [r1], #48\n", "r9")
            RL_SLIDE_LINE_OF_16("vmladava.s8", "r9", "vldrb.8 q0, [r1], #48\n", "r11")
            RL_SLIDE_LINE_OF_16("vmladava.s8", "r11", "", "r5"),
            "adds r1, r1, #144\n"
            "adds r3, r3, #144\n"));
}

static __attribute__((naked, noinline)) void
rl_dot_slide_32_by_three(__attribute__((unused)) const void *windows)
{
    __asm__(RL_SLIDE_THREE_LINES(
            "vldrb.8 q0, [r1], #96\n"
            RL_SLIDE_LINE_OF_32("vmladav.s8", "r5", "vldrb.8 q0, [r1], #96\n", "r9")
            RL_SLIDE_LINE_OF_32("vmladava.s8", "r9", "vldrb.8 q0, [r1], #96\n", "r11")
            RL_SLIDE_LINE_OF_32("vmladava.s8", "r11", "", "r5"),
            "add r1, r1, #288\n"
            "add r3, r3, #288\n"));
}
// clang-format on

// Whether rl_dot_slide has a function for filters of so many columns and pixels of so many values.
static inline bool rl_dot_can_slide(int32_t columns, int32_t pixel)
{
    return columns == 3 && (pixel == 16 || pixel == 32 || pixel == 64);
}

// The function that multiplies the windows of a struct rl_windows with so many lines, all of the filters' or fewer.
static inline rl_assembler *rl_dot_slide(int32_t pixel, int32_t lines, bool all)
{
    if (pixel == 16) {
        return lines == 3 && all ? rl_dot_slide_16_by_three : rl_dot_slide_16;
    }
    if (pixel == 32) {
        return lines == 3 && all ? rl_dot_slide_32_by_three : rl_dot_slide_32;
    }
    return rl_dot_slide_64;
}

#endif
