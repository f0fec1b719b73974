// SPDX-License-Identifier: Apache-2.0
// rl_packed_six in assembler for a Cortex-M0. packed_six_plain.h is the same in C. Included by scalar/packed_six.h.
#ifndef RL_KERNELS_SCALAR_PACKED_SIX_THUMB_H
#define RL_KERNELS_SCALAR_PACKED_SIX_THUMB_H

#if RL_HAS_THUMB2_LOOP
#include "scalar/packed_six_plain.h"
#else

// The assembler relies on the offsets of the fields.
struct rl_packed_six_run {
    struct rl_packed_six job;
    const uint32_t *last; // 28: the end of the words of filters that start on words
    uint32_t entry;       // 32: 1 where those start with the second half of a round; then the address where they start
};

struct rl_pack_three {
    const int8_t *end[3]; // of the rows
    int32_t first;        // 12: from there, below 0
    int32_t skip;         // 16: bytes behind the words of a value
    uint32_t *words;      // 20
};

__extension__ _Static_assert(
    offsetof(struct rl_packed_six_run, entry) == 32 && offsetof(struct rl_pack_three, words) == 20 &&
        offsetof(struct rl_packed_six, sums) == 16 && offsetof(struct rl_packed_six, start) == 24 &&
        (int)RL_SIX_BEHIND == 3,
    "the assembler below uses these offsets, and multiplies up to three values behind the last one");

// clang-format off
// A value of six rows or of three, whose weight is in r3.
#define RL_SIX_PRODUCTS \
    "ldm r0!, {r4-r7}\n" \
    "muls r4, r3, r4\n" \
    "muls r5, r3, r5\n" \
    "muls r6, r3, r6\n" \
    "muls r7, r3, r7\n" \
    "add r8, r4\n" \
    "add r9, r5\n" \
    "add r10, r6\n" \
    "add r11, r7\n"
#define RL_THREE_PRODUCTS \
    "ldm r0!, {r4, r5}\n" \
    "muls r4, r3, r4\n" \
    "muls r5, r3, r5\n" \
    "add r8, r4\n" \
    "add r9, r5\n"

// Where the sums of a filter and of three rows start: at those that are there.
#define RL_SIX_ADDED \
    "ldm r0!, {r1, r2, r4}\n" \
    "subs r0, #12\n"
// At one value of each filter, in r8.
#define RL_SIX_BEGIN_EACH \
    "ldr r1, [r7, #24]\n" \
    "ldm r1!, {r2}\n" \
    "str r1, [r7, #24]\n" \
    "mov r8, r2\n"
#define RL_SIX_EACH \
    "mov r1, r8\n" \
    "mov r2, r8\n" \
    "mov r4, r8\n"
// At one value of each row, which all filters share.
#define RL_SIX_BEGIN_SHARED "ldr r7, [r7, #24]\n"
#define RL_SIX_SHARED "ldm r7!, {r1, r2, r4}\n"
#define RL_SIX_END_SHARED "ldr r7, [sp]\n"

// Subtracts the sums of three rows, whose packed sums are in r3 and r4, from where they start, stores them at r0, and
// moves r0 on.
#define RL_SIX_UNPACK(start) \
    "lsls r5, r4, #11\n" \
    "asrs r5, r5, #11\n" \
    "subs r4, r4, r5\n" \
    "lsrs r6, r4, #10\n" \
    "subs r3, r3, r6\n" \
    "lsls r6, r3, #10\n" \
    "asrs r6, r6, #10\n" \
    "subs r3, r3, r6\n" \
    "asrs r3, r3, #11\n" \
    "lsrs r4, r4, #21\n" \
    "adds r3, r3, r4\n" \
    start \
    "subs r1, r1, r6\n" \
    "subs r2, r2, r5\n" \
    "subs r4, r4, r3\n" \
    "stm r0!, {r1, r2, r4}\n"

// Four values: the weights of a word.
#define RL_SIX_ROUND(products) \
    "ldm r1!, {r2}\n" \
    "sxtb r3, r2\n" \
    products \
    "asrs r2, r2, #8\n" \
    "sxtb r3, r2\n" \
    products \
    "asrs r2, r2, #8\n" \
    "sxtb r3, r2\n" \
    products \
    "asrs r3, r2, #8\n" \
    products

// r0 and r1 are the addresses of words and filter, r2 the weights of a word, r3 a weight, r4-r7 words and products,
// r8-r11 sums, lr the end of the words. The job is at the top of the stack. The loop has `rounds` bytes, and for six
// rows two rounds in fast code, the second from byte `half` on: 120 cycles for 48 products, and 4 more. An odd number
// of rounds starts there. A filter that starts inside of a word starts with the step of its first weight. `step` is
// the size of a step, and of the first step with its load, `shift` the logarithm of the bytes of a value's words,
// `behind` the bytes of three of them.
#define RL_SIX_RUN(round, rounds, half, step, shift, behind, begin, start, last, end) \
    ".syntax unified\n" \
    "push {r4-r7, lr}\n" \
    RL_HIGH_TO_LOW \
    "push {r0, r4-r7}\n" \
    "ldr r1, [r0, #32]\n" \
    "movs r2, #" half "\n" \
    "muls r1, r2, r1\n" \
    "adr r2, 2f\n" \
    "adds r1, r1, r2\n" \
    "str r1, [r0, #32]\n" \
    "1:\n" \
    "ldr r7, [sp]\n" \
    "ldr r0, [r7]\n" \
    "ldr r1, [r7, #8]\n" \
    "ldr r2, [r7, #12]\n" \
    "adds r2, r2, r1\n" \
    "str r2, [r7, #8]\n" \
    "movs r3, #0\n" \
    "mov r8, r3\n" \
    "mov r9, r3\n" \
    "mov r10, r3\n" \
    "mov r11, r3\n" \
    "movs r4, #3\n" \
    "ands r4, r1\n" \
    "beq 3f\n" \
    "ldr r5, [r7, #4]\n" \
    "subs r5, r5, r0\n" \
    "lsls r6, r4, #" shift "\n" \
    "adds r5, r5, r6\n" \
    "adds r5, #" behind "\n" \
    "lsrs r5, r5, #" shift " + 2\n" \
    "movs r3, #1\n" \
    "ands r3, r5\n" \
    "lsls r5, r5, #" shift " + 2\n" \
    "subs r5, r5, r6\n" \
    "adds r5, r5, r0\n" \
    "mov lr, r5\n" \
    "subs r1, r1, r4\n" \
    "ldm r1!, {r2}\n" \
    "adr r5, 2f\n" \
    "movs r6, #" half "\n" \
    "muls r3, r6, r3\n" \
    "adds r5, r5, r3\n" \
    "movs r6, #" step "\n" \
    "muls r6, r4, r6\n" \
    "adds r5, r5, r6\n" \
    "subs r4, #1\n" \
    "lsls r4, r4, #3\n" \
    "asrs r2, r4\n" \
    "mov pc, r5\n" \
    "3:\n" \
    "ldr r5, [r7, #28]\n" \
    "mov lr, r5\n" \
    "ldr r5, [r7, #32]\n" \
    "mov pc, r5\n" \
    ".balign 4\n" \
    "2:\n" \
    round \
    RL_SIZE_CHECK("2b", rounds) \
    "cmp r0, lr\n" \
    "bne 2b\n" \
    "ldr r7, [sp]\n" \
    "ldr r0, [r7, #16]\n" \
    "mov r3, r8\n" \
    "mov r4, r9\n" \
    begin \
    RL_SIX_UNPACK(start) \
    last \
    end \
    "str r0, [r7, #16]\n" \
    "ldr r1, [r7, #20]\n" \
    "cmp r0, r1\n" \
    "beq 6f\n" \
    "b 1b\n" \
    "6:\n" \
    "pop {r0, r4-r7}\n" \
    RL_LOW_TO_HIGH \
    "pop {r4-r7, pc}\n"

// The job of six rows, and that of three.
#define RL_SIX_JOB(begin, start, end) \
    RL_SIX_RUN(RL_SIX_ROUND(RL_SIX_PRODUCTS) \
               ".if " RL_SMALL_TEXT " == 0\n" \
               RL_SIX_ROUND(RL_SIX_PRODUCTS) \
               ".endif\n", \
               "172 - 86 * " RL_SMALL_TEXT, "86 - 86 * " RL_SMALL_TEXT, "22", "4", "48", begin, start, \
               "mov r3, r10\n" \
               "mov r4, r11\n" \
               RL_SIX_UNPACK(start), end)
#define RL_THREE_JOB(begin, start, end) \
    RL_SIX_RUN(RL_SIX_ROUND(RL_THREE_PRODUCTS), "54", "0", "14", "3", "24", begin, start, "adds r0, #12\n", end)

static __attribute__((naked, noinline)) void
rl_packed_six_run(__attribute__((unused)) struct rl_packed_six_run *run)
{
    __asm__(RL_SIX_JOB("", RL_SIX_ADDED, ""));
}

static __attribute__((naked, noinline)) void
rl_packed_three_run(__attribute__((unused)) struct rl_packed_six_run *run)
{
    __asm__(RL_THREE_JOB("", RL_SIX_ADDED, ""));
}

static __attribute__((naked, noinline)) void
rl_packed_six_each(__attribute__((unused)) struct rl_packed_six_run *run)
{
    __asm__(RL_SIX_JOB(RL_SIX_BEGIN_EACH, RL_SIX_EACH, ""));
}

static __attribute__((naked, noinline)) void
rl_packed_three_each(__attribute__((unused)) struct rl_packed_six_run *run)
{
    __asm__(RL_THREE_JOB(RL_SIX_BEGIN_EACH, RL_SIX_EACH, ""));
}

static __attribute__((naked, noinline)) void
rl_packed_six_shared(__attribute__((unused)) struct rl_packed_six_run *run)
{
    __asm__(RL_SIX_JOB(RL_SIX_BEGIN_SHARED, RL_SIX_SHARED, RL_SIX_END_SHARED));
}

static __attribute__((naked, noinline)) void
rl_packed_three_shared(__attribute__((unused)) struct rl_packed_six_run *run)
{
    __asm__(RL_THREE_JOB(RL_SIX_BEGIN_SHARED, RL_SIX_SHARED, RL_SIX_END_SHARED));
}

// The words of a value.
#define RL_PACK_VALUE \
    "ldrsb r6, [r2, r4]\n" \
    "ldrsb r7, [r0, r4]\n" \
    "negs r6, r6\n" \
    "lsls r5, r6, #11\n" \
    "subs r5, r5, r7\n" \
    "ldrsb r7, [r1, r4]\n" \
    "lsls r6, r6, #21\n" \
    "subs r6, r6, r7\n" \
    "stm r3!, {r5, r6}\n" \
    "add r3, r8\n" \
    "adds r4, #1\n"

// r0-r2 are the ends of the rows, r3 the address of words, r4 the number of a value, below 0, r5-r7 its words, r8 the
// bytes behind them.
static __attribute__((naked, noinline)) void
rl_pack_three_run(__attribute__((unused)) const struct rl_pack_three *job)
{
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n"
            "mov r7, r8\n"
            "push {r7}\n"
            "ldr r3, [r0, #20]\n"
            "ldr r4, [r0, #16]\n"
            "mov r8, r4\n"
            "ldr r4, [r0, #12]\n"
            "ldm r0, {r0-r2}\n"
            "lsrs r5, r4, #1\n"
            "bcs 2f\n"
            "1:\n"
            RL_PACK_VALUE
            "2:\n"
            RL_PACK_VALUE
            "bne 1b\n"
            "pop {r7}\n"
            "mov r8, r7\n"
            "pop {r4-r7, pc}\n");
}

// clang-format on

static inline void rl_pack_three(const int8_t *const rows[3], int32_t at, int32_t count, int32_t step, uint32_t *words)
{
    const int32_t end = at + count;
    const struct rl_pack_three job = {{rows[0] + end, rows[1] + end, rows[2] + end}, -count, 4 * (step - 2), words};
    __asm__ volatile("" : : "r"(&job) : "memory");
    rl_pack_three_run(&job);
    __asm__ volatile("" : : "r"(&job) : "memory");
}

// The empty statements tell the compiler that the assembler reads and writes memory through the job.
static inline void rl_packed_six(struct rl_packed_six *job, bool three, enum rl_six_start from)
{
    struct rl_packed_six_run run = {*job, NULL, 0};
    const int32_t words = three ? RL_SIX_WORDS / 2 : RL_SIX_WORDS;
    const ptrdiff_t all = job->end - job->words, round = 4 * words;
    run.last = job->words + ((all + round - 1) & -round);
    run.entry = (uint32_t)((run.last - job->words) / round) & 1;
    __asm__ volatile("" : : "r"(&run) : "memory");
    if (!RL_SMALL && from == RL_SIX_FROM_EACH) {
        three ? rl_packed_three_each(&run) : rl_packed_six_each(&run);
    } else if (!RL_SMALL && from == RL_SIX_FROM_SHARED) {
        three ? rl_packed_three_shared(&run) : rl_packed_six_shared(&run);
    } else {
        three ? rl_packed_three_run(&run) : rl_packed_six_run(&run);
    }
    __asm__ volatile("" : : "r"(&run) : "memory");
}

#endif

#endif
