// SPDX-License-Identifier: Apache-2.0
// The taps of 3x3 filters in plane_rows.h for cores that issue one instruction at a time.
//
// Registers are those of plane_rows.h: r1-r3 and r8-r10 hold the weights, r11, r12 and lr a column of pixels.
#ifndef RL_KERNELS_DSP_PLANE_ROWS_SINGLE_H
#define RL_KERNELS_DSP_PLANE_ROWS_SINGLE_H

// clang-format off
// Adds one column of a 3x3 filter with stride 1 to `from_upper` and `from_lower`, into `upper` and `lower`. `even`
// holds the weights of the column's first and second line, `odd` those of its second and third.
#define RL_PLANE_COLUMN_1(even, odd, upper, lower, from_upper, from_lower) \
    "smlatb " lower ", r11, " even ", " from_lower "\n" \
    "smlad " upper ", r11, " even ", " from_upper "\n" \
    "smlad " lower ", r12, " odd ", " lower "\n" \
    "smlabt " upper ", r12, " odd ", " upper "\n"

// The same with stride 2: the lower output begins one pair of lines below the upper one.
#define RL_PLANE_COLUMN_2(even, odd, upper, lower, from_upper, from_lower) \
    "smlad " lower ", r12, " even ", " from_lower "\n" \
    "smlad " upper ", r11, " even ", " from_upper "\n" \
    "smlabb " lower ", lr, " odd ", " lower "\n" \
    "smlabb " upper ", r12, " odd ", " upper "\n"

#define RL_PLANE_TAPS_STRIDE_1 \
    "ldr r11, [r0]\n" \
    "ldr r12, [r0, #288]\n" \
    RL_PLANE_COLUMN_1("r1", "r8", "r4", "r6", "r5", "r5") \
    "ldr r11, [r0, #16]\n" \
    "ldr r12, [r0, #304]\n" \
    RL_PLANE_COLUMN_1("r2", "r9", "r4", "r6", "r4", "r6") \
    RL_PLANE_COLUMN_1("r1", "r8", "r5", "r7", "r5", "r5") \
    "ldr r11, [r0, #32]\n" \
    "ldr r12, [r0, #320]\n" \
    RL_PLANE_COLUMN_1("r3", "r10", "r4", "r6", "r4", "r6") \
    RL_PLANE_COLUMN_1("r2", "r9", "r5", "r7", "r5", "r7") \
    "ldr r11, [r0, #48]\n" \
    "ldr r12, [r0, #336]\n" \
    RL_PLANE_COLUMN_1("r3", "r10", "r5", "r7", "r5", "r7") \
    "adds r0, #32\n"

#define RL_PLANE_TAPS_STRIDE_2 \
    "ldr r11, [r0]\n" \
    "ldr r12, [r0, #288]\n" \
    "ldr lr, [r0, #576]\n" \
    RL_PLANE_COLUMN_2("r1", "r8", "r4", "r6", "r5", "r5") \
    "ldr r11, [r0, #16]\n" \
    "ldr r12, [r0, #304]\n" \
    "ldr lr, [r0, #592]\n" \
    RL_PLANE_COLUMN_2("r2", "r9", "r4", "r6", "r4", "r6") \
    "ldr r11, [r0, #32]\n" \
    "ldr r12, [r0, #320]\n" \
    "ldr lr, [r0, #608]\n" \
    RL_PLANE_COLUMN_2("r3", "r10", "r4", "r6", "r4", "r6") \
    RL_PLANE_COLUMN_2("r1", "r8", "r5", "r7", "r5", "r5") \
    "ldr r11, [r0, #48]\n" \
    "ldr r12, [r0, #336]\n" \
    "ldr lr, [r0, #624]\n" \
    RL_PLANE_COLUMN_2("r2", "r9", "r5", "r7", "r5", "r7") \
    "ldr r11, [r0, #64]\n" \
    "ldr r12, [r0, #352]\n" \
    "ldr lr, [r0, #640]\n" \
    RL_PLANE_COLUMN_2("r3", "r10", "r5", "r7", "r5", "r7") \
    "adds r0, #64\n"
// clang-format on

#endif
