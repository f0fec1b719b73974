// SPDX-License-Identifier: Apache-2.0
// Two programs in flash, at multiples of RL_ALIGNMENT.
    .section .rodata.programs, "a"
    .global digits, digits_end, counter, counter_end
    .balign 16
digits:
    .incbin "digits.pte"
digits_end:
    .balign 16
counter:
    .incbin "counter.pte"
counter_end:
