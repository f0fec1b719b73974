// SPDX-License-Identifier: Apache-2.0
    .section .rodata
    .global program_file, program_end
    .balign 16
program_file:
    .incbin "program.pte"
program_end:
    .section .note.GNU-stack, "", %progbits
