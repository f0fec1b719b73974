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

// The same in about half the time, for most values of a scale whose multiplier is 2^30 or more and whose shift is 6 to
// 21: the product of value / 2^(shift - 6), rounded down, and the upper half of the multiplier, rounded, is the result
// in units of 2^-21, less 2^16 or plus 7 * 2^13 at most. With the addend and 7 * 2^13 in it, its integer part is the
// result unless the part behind is below 2^17. A value of more than 16 bits after the first shift is beyond the limits
// of int8, whatever the offset.
//
// `sum` becomes the result less the lower limit, within 0 and the upper limit less the lower one, which is in the
// register `range`. Of values that are beyond, the sign is that of `sum` at the label `beyond`, and all is lost but the
// sign; at `close` the result is not known, and `sum` is lost. `shift` is the shift less 6, `half` the upper half of
// the multiplier, `addend` that of RL_QUICK_ADDEND. Changes r1 and the flags.
#define RL_QUICK(sum, shift, half, addend, range, beyond, close)                                                       \
    "asrs " sum ", " shift "\n"                                                                                        \
    "sxth r1, " sum "\n"                                                                                               \
    "cmp r1, " sum "\n"                                                                                                \
    "bne " beyond "\n"                                                                                                 \
    "muls " sum ", " half ", " sum "\n"                                                                                \
    "add " sum ", " addend "\n"                                                                                        \
    "lsls r1, " sum ", #11\n"                                                                                          \
    "lsrs r1, r1, #28\n"                                                                                               \
    "beq " close "\n"                                                                                                  \
    "asrs " sum ", " sum ", #21\n"                                                                                     \
    "cmp " sum ", " range "\n"                                                                                         \
    "bhi " beyond "\n"

// A value beyond the limits: r1 becomes 0 or `range`. Changes `sum`.
#define RL_QUICK_LIMIT(sum, range)                                                                                     \
    "asrs " sum ", " sum ", #31\n"                                                                                     \
    "mov r1, " range "\n"                                                                                              \
    "bics r1, " sum "\n"

// From the multiplier in the low register `factor` and the shift in `shift` to what RL_QUICK takes. Jumps to `others`
// where RL_QUICK does not take the scale; `factor` is as it was then. Changes r1 and the flags.
#define RL_QUICK_SCALE(factor, shift, others)                                                                          \
    "subs " shift ", #6\n"                                                                                             \
    "cmp " shift ", #15\n"                                                                                             \
    "bhi " others "\n"                                                                                                 \
    "lsrs r1, " factor ", #30\n"                                                                                       \
    "beq " others "\n"                                                                                                 \
    "lsls r1, r1, #15\n"                                                                                               \
    "adds " factor ", " factor ", r1\n"                                                                                \
    "lsrs " factor ", " factor ", #16\n"

#define RL_QUICK_ADDEND(offset, low) (((offset) - (low)) * (INT32_C(1) << 21) + (INT32_C(1) << 20) + 7 * (1 << 13))

#endif
