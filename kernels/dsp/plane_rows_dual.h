// SPDX-License-Identifier: Apache-2.0
// The taps of 3x3 filters in plane_rows.h for a Cortex-M7.
//
// Registers are those of plane_rows.h: r1-r3 and r8-r10 hold the weights, r11, r12 and lr a column of pixels.
// In C they are plane_rows_plain.h; plane_rows_single.h has the same products, column by column. The order was searched
// for with the cycle model.
#ifndef RL_KERNELS_DSP_PLANE_ROWS_DUAL_H
#define RL_KERNELS_DSP_PLANE_ROWS_DUAL_H

// clang-format off
#define RL_PLANE_TAPS_STRIDE_1 \
    "ldr.w r11, [r0, #0]\n" \
    "ldr.w r12, [r0, #288]\n" \
    "smlad r4, r11, r1, r5\n" \
    "smlatb r6, r11, r1, r5\n" \
    "ldr.w r11, [r0, #16]\n" \
    "smlad r6, r12, r8, r6\n" \
    "smlatb r7, r11, r1, r5\n" \
    "smlabt r4, r12, r8, r4\n" \
    "smlad r5, r11, r1, r5\n" \
    "ldr.w r12, [r0, #304]\n" \
    "smlad r4, r11, r2, r4\n" \
    "smlatb r6, r11, r2, r6\n" \
    "smlabt r4, r12, r9, r4\n" \
    "smlad r6, r12, r9, r6\n" \
    "ldr.w r11, [r0, #32]\n" \
    "smlabt r5, r12, r8, r5\n" \
    "smlad r5, r11, r2, r5\n" \
    "smlad r7, r12, r8, r7\n" \
    "ldr.w r12, [r0, #320]\n" \
    "smlad r4, r11, r3, r4\n" \
    "smlatb r6, r11, r3, r6\n" \
    "smlatb r7, r11, r2, r7\n" \
    "ldr.w r11, [r0, #48]\n" \
    "smlad r6, r12, r10, r6\n" \
    "smlabt r4, r12, r10, r4\n" \
    "smlad r7, r12, r9, r7\n" \
    "smlabt r5, r12, r9, r5\n" \
    "ldr.w r12, [r0, #336]\n" \
    "smlad r5, r11, r3, r5\n" \
    "smlabt r5, r12, r10, r5\n" \
    "smlad r7, r12, r10, r7\n" \
    "add r0, r0, #32\n" \
    "smlatb r7, r11, r3, r7\n"

#define RL_PLANE_TAPS_STRIDE_2 \
    "ldr.w r12, [r0, #288]\n" \
    "ldr.w r11, [r0, #0]\n" \
    "ldr.w lr, [r0, #576]\n" \
    "smlad r6, r12, r1, r5\n" \
    "smlad r4, r11, r1, r5\n" \
    "smlabb r4, r12, r8, r4\n" \
    "ldr.w r11, [r0, #16]\n" \
    "smlabb r6, lr, r8, r6\n" \
    "ldr.w r12, [r0, #304]\n" \
    "ldr.w lr, [r0, #592]\n" \
    "smlad r4, r11, r2, r4\n" \
    "smlabb r4, r12, r9, r4\n" \
    "smlad r6, r12, r2, r6\n" \
    "ldr.w r12, [r0, #320]\n" \
    "ldr.w r11, [r0, #32]\n" \
    "smlabb r6, lr, r9, r6\n" \
    "ldr.w lr, [r0, #608]\n" \
    "smlad r7, r12, r1, r5\n" \
    "smlabb r5, r12, r8, r5\n" \
    "smlabb r7, lr, r8, r7\n" \
    "smlad r4, r11, r3, r4\n" \
    "smlad r6, r12, r3, r6\n" \
    "smlad r5, r11, r1, r5\n" \
    "ldr.w r11, [r0, #48]\n" \
    "smlabb r6, lr, r10, r6\n" \
    "ldr.w lr, [r0, #624]\n" \
    "smlabb r4, r12, r10, r4\n" \
    "smlabb r7, lr, r9, r7\n" \
    "ldr.w r12, [r0, #336]\n" \
    "smlad r5, r11, r2, r5\n" \
    "ldr.w r11, [r0, #64]\n" \
    "ldr.w lr, [r0, #640]\n" \
    "smlabb r5, r12, r9, r5\n" \
    "smlad r7, r12, r2, r7\n" \
    "ldr.w r12, [r0, #352]\n" \
    "add.w r0, r0, #64\n" \
    "smlad r5, r11, r3, r5\n" \
    "smlad r7, r12, r3, r7\n" \
    "smlabb r7, lr, r10, r7\n" \
    "smlabb r5, r12, r10, r5\n"
// clang-format on

#endif
