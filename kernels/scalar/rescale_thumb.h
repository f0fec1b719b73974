// SPDX-License-Identifier: Apache-2.0
// rl_rescale of scalar/rescale_tile.h and limits, in assembler for cores without a long multiply.
#ifndef RL_KERNELS_SCALAR_RESCALE_THUMB_H
#define RL_KERNELS_SCALAR_RESCALE_THUMB_H

// Turns the low register `sum`, a value that is not doubled, into its result. r11 and r12 are the halves of the
// multiplier, the lower one first, lr is the addend, and the top of the stack holds the shift. `limits` puts the lower
// limit into r2 and the upper limit less the lower one into r7. Changes r0, r1, r2, r7 and the flags. The upper word of
// the product is summed from four products, and rounded by the carry of the last shift.
#define RL_RESCALED(sum, limits)                                                                                       \
    "lsls " sum ", " sum ", #1\n"                                                                                      \
    "uxth r0, " sum "\n"                                                                                               \
    "asrs r1, " sum ", #16\n"                                                                                          \
    "mov r2, r11\n"                                                                                                    \
    "movs r7, r2\n"                                                                                                    \
    "muls r7, r0, r7\n"                                                                                                \
    "muls r2, r1, r2\n"                                                                                                \
    "lsrs r7, r7, #16\n"                                                                                               \
    "adds r2, r2, r7\n"                                                                                                \
    "mov r7, r12\n"                                                                                                    \
    "muls r0, r7, r0\n"                                                                                                \
    "muls r1, r7, r1\n"                                                                                                \
    "uxth r7, r2\n"                                                                                                    \
    "adds r0, r0, r7\n"                                                                                                \
    "asrs r2, r2, #16\n"                                                                                               \
    "adds r1, r1, r2\n"                                                                                                \
    "asrs r0, r0, #16\n"                                                                                               \
    "adcs r1, r0\n"                                                                                                    \
    "asrs " sum ", " sum ", #31\n"                                                                                     \
    "adds r1, r1, " sum "\n"                                                                                           \
    "add r1, lr\n"                                                                                                     \
    "ldr r0, [sp]\n"                                                                                                   \
    "asrs r1, r0\n" limits "subs " sum ", r1, r2\n"                                                                    \
    "cmp " sum ", r7\n"                                                                                                \
    "bls 9f\n"                                                                                                         \
    "asrs " sum ", " sum ", #31\n"                                                                                     \
    "bics r7, " sum "\n"                                                                                               \
    "movs " sum ", r7\n"                                                                                               \
    "9:\n"                                                                                                             \
    "adds " sum ", " sum ", r2\n"

#endif
