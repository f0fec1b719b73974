// SPDX-License-Identifier: Apache-2.0
// rl_words_s4_run in assembler: 32 cycles for 8 products on a Cortex-M0, and 41 for 16 on a Cortex-M3, which takes two
// filters at a time. Included by scalar/words_s4.h.
#ifndef RL_KERNELS_SCALAR_WORDS_S4_THUMB_H
#define RL_KERNELS_SCALAR_WORDS_S4_THUMB_H

__extension__ _Static_assert(offsetof(struct rl_words_s4, filter) == 8 && offsetof(struct rl_words_s4, sums) == 16 &&
                                 offsetof(struct rl_words_s4, start) == 28,
                             "the assembler below uses these offsets");

#if RL_HAS_LONG_MULTIPLY

// The eight weights of a filter: their address, sum, and the values in r4-r7. r9 is the mask.
#define RL_WORDS_S4_EIGHT(filter, sum)                                                                                 \
    "ldr r3, [" filter "], #4\n"                                                                                       \
    "eor r3, r3, #0x88888888\n"                                                                                        \
    "and r8, r9, r3\n"                                                                                                 \
    "and r10, r9, r3, lsr #4\n"                                                                                        \
    "mul r8, r4, r8\n"                                                                                                 \
    "mla r8, r5, r10, r8\n"                                                                                            \
    "and r10, r9, r3, lsr #8\n"                                                                                        \
    "mla r8, r6, r10, r8\n"                                                                                            \
    "and r10, r9, r3, lsr #12\n"                                                                                       \
    "mla r8, r7, r10, r8\n"                                                                                            \
    "add r8, r8, #0x8000\n"                                                                                            \
    "add " sum ", " sum ", r8, asr #16\n"

// r0 is the address of values, r1 and r2 of weights, r11 and r12 are sums, lr is the end of the values. The job is at
// the top of the stack. A last filter that has no other is computed twice.
static __attribute__((naked, noinline)) void rl_words_s4_loop(__attribute__((unused)) struct rl_words_s4 *job)
{
    __asm__(".syntax unified\n"
            "push {r0, r4-r11, lr}\n"
            "mov r9, #0x000f000f\n"
            "1:\n"
            "ldr r7, [sp]\n"
            "ldm r7, {r0, r1, r2, r3}\n"
            "mov lr, r1\n"
            "ldr r4, [r7, #24]\n"
            "ldr r11, [r7, #28]\n"
            "mov r1, r2\n"
            "mov r12, r11\n"
            "cmp r4, #1\n"
            "it ne\n"
            "addne r2, r2, r3\n"
            "add r3, r2, r3\n"
            "str r3, [r7, #8]\n"
            "2:\n"
            "ldmia r0!, {r4-r7}\n" RL_WORDS_S4_EIGHT("r1", "r11") RL_WORDS_S4_EIGHT("r2", "r12") //
            "cmp r0, lr\n"
            "bne 2b\n"
            "ldr r7, [sp]\n"
            "ldrd r0, r1, [r7, #16]\n"
            "ldr r4, [r7, #24]\n"
            "ldr r2, [r0]\n"
            "add r2, r2, r11\n"
            "str r2, [r0]\n"
            "subs r4, r4, #1\n"
            "beq 3f\n"
            "ldr r2, [r0, r1]\n"
            "add r2, r2, r12\n"
            "str r2, [r0, r1]\n"
            "add r0, r0, r1, lsl #1\n"
            "str r0, [r7, #16]\n"
            "subs r4, r4, #1\n"
            "str r4, [r7, #24]\n"
            "bne 1b\n"
            "3:\n"
            "pop {r0, r4-r11, pc}\n");
}

#else

// Two weights, whose values are in `value`: adds them to r3.
#define RL_WORDS_S4_TWO(shift, value)                                                                                  \
    "lsrs r4, r2, #" #shift "\n"                                                                                       \
    "ands r4, r5\n"                                                                                                    \
    "muls r4, " value ", r4\n"                                                                                         \
    "adds r3, r3, r4\n"

// r0 is the address of values, r1 of weights, r2 weights, r3 four products, r5 the mask, r6 and r7 values, r8 is 2^15,
// r9 a sum, r10 the end of the values, r11 has the top bits of weights, r12 is the step of filters. The job is at the
// top of the stack.
static __attribute__((naked, noinline)) void rl_words_s4_loop(__attribute__((unused)) struct rl_words_s4 *job)
{
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n" RL_HIGH_TO_LOW "push {r0, r4-r7}\n"
            "movs r5, #15\n"
            "lsls r1, r5, #16\n"
            "adds r5, r5, r1\n"
            "movs r1, #1\n"
            "lsls r1, r1, #15\n"
            "mov r8, r1\n"
            "ldr r1, 9f\n"
            "mov r11, r1\n"
            "ldr r1, [r0, #4]\n"
            "mov r10, r1\n"
            "ldr r1, [r0, #12]\n"
            "mov r12, r1\n"
            "1:\n"
            "ldr r7, [sp]\n"
            "ldr r0, [r7]\n"
            "ldr r1, [r7, #8]\n"
            "movs r2, r1\n"
            "add r2, r12\n"
            "str r2, [r7, #8]\n"
            "ldr r2, [r7, #28]\n"
            "mov r9, r2\n"
            "2:\n"
            "ldm r1!, {r2}\n"
            "mov r3, r11\n"
            "eors r2, r3\n"
            "ldm r0!, {r6, r7}\n"
            "movs r3, r2\n"
            "ands r3, r5\n"
            "muls r3, r6, r3\n"
            "add r3, r8\n" RL_WORDS_S4_TWO(4, "r7")            //
            "ldm r0!, {r6, r7}\n"                              //
            RL_WORDS_S4_TWO(8, "r6") RL_WORDS_S4_TWO(12, "r7") //
            "asrs r3, r3, #16\n"
            "add r9, r3\n"
            "cmp r0, r10\n"
            "bne 2b\n"
            "ldr r7, [sp]\n"
            "ldr r0, [r7, #16]\n"
            "ldr r2, [r0]\n"
            "add r2, r9\n"
            "str r2, [r0]\n"
            "ldr r2, [r7, #20]\n"
            "adds r0, r0, r2\n"
            "str r0, [r7, #16]\n"
            "ldr r2, [r7, #24]\n"
            "subs r2, r2, #1\n"
            "str r2, [r7, #24]\n"
            "bne 1b\n"
            "pop {r0, r4-r7}\n" RL_LOW_TO_HIGH "pop {r4-r7, pc}\n"
            ".balign 4\n"
            "9:\n"
            ".word 0x88888888\n");
}

#endif

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_words_s4_run(struct rl_words_s4 *job)
{
    __asm__ volatile("" : : "r"(job) : "memory");
    rl_words_s4_loop(job);
    __asm__ volatile("" : : "r"(job) : "memory");
}

#endif
