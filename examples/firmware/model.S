// SPDX-License-Identifier: Apache-2.0
// The program as it came from `rushlight compile`, in flash, at a multiple of RL_ALIGNMENT.
    .section .rodata.model, "a"
    .balign 16
    .global model, model_end
model:
    .incbin "model.pte"
model_end:
