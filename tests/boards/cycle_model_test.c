// SPDX-License-Identifier: Apache-2.0
//
// The cycle model charges what its header says, and the same when the emulator cuts code in two.
#include "cycle_model.h"

#include <stdio.h>

enum { MOST_INSTRUCTIONS = 4 };

// Instructions with their first half in the upper 16 bits; short ones have nothing there. 0 ends them.
struct expectation {
    const char *what;
    const char *core;
    uint32_t code[MOST_INSTRUCTIONS];
    uint32_t cycles;
};

static const struct expectation expectations[] = {
    {"an addition", "m0", {0x1888}, 1},
    {"a load", "m0", {0x6808}, 2},
    {"a load", "m7", {0x6808}, 1},
    {"two loads", "m0", {0x6808, 0x6808}, 4},
    {"two loads", "m3", {0x6808, 0x6808}, 3},
    {"two loads", "m7", {0x6808, 0x6808}, 2},
    {"a load and an addition", "m4", {0x6808, 0x1888}, 3},
    {"a load and an addition", "m7", {0x6808, 0x1888}, 1},
    {"four additions", "m7", {0x1888, 0x1888, 0x1888, 0x1888}, 2},
    {"push of five registers", "m4", {0xB5F0}, 6},
    {"push of five registers", "m55", {0xB5F0}, 4},
    {"smull", "m3", {0xFB820103}, 4},
    {"smlal", "m3", {0xFBC20103}, 6},
    {"smlal", "m4", {0xFBC20103}, 1},
    {"smlad", "m33", {0xFB213002}, 1},
    {"sdiv", "m33", {0xFB91F0F2}, 8},
    {"vfma", "m4", {0xEEA00A81}, 3},
    {"vdup", "m55", {0xEEA01B10}, 1},
    {"a vector load", "m55", {0xED901F00}, 2},
    {"a vector load and a vector multiplication", "m55", {0xED901F00, 0xEEF00F22}, 3},
    {"two vector loads", "m55", {0xED901F00, 0xED901F00}, 4},
    {"a gather of four lanes", "m55", {0xFC900F43}, 4},
};

static void add(struct rl_cycle_block *block, uint32_t code)
{
    const uint32_t first = code >> 16 ? code >> 16 : code;
    const uint8_t bytes[] = {(uint8_t)first, (uint8_t)(first >> 8), (uint8_t)code, (uint8_t)(code >> 8)};
    rl_cycle_block_add(block, bytes, code >> 16 ? 4 : 2);
}

// Adds the instructions from `begin` to before `end`.
static struct rl_cycle_block part(const struct expectation *test, int begin, int end)
{
    struct rl_cycle_block block = {.core = rl_cycle_core_named(test->core)};
    for (int i = begin; i < end; i++) {
        add(&block, test->code[i]);
    }
    return block;
}

static int expect(const struct expectation *test, const char *how, uint32_t cycles)
{
    if (cycles == test->cycles) {
        return 0;
    }
    printf("FAIL: %s on %s%s: %u cycles instead of %u\n", test->what, test->core, how, (unsigned)cycles,
           (unsigned)test->cycles);
    return 1;
}

int main(void)
{
    int failures = rl_cycle_core_named("m85") != RL_CYCLES_CORES;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *test = &expectations[i];
        int count = 0;
        while (count < MOST_INSTRUCTIONS && test->code[count]) {
            count++;
        }
        failures += expect(test, "", part(test, 0, count).cycles);
        if (count < 2) {
            continue;
        }
        const struct rl_cycle_block head = part(test, 0, 1), tail = part(test, 1, 2);
        if (count == 2) {
            failures += expect(test, " in two blocks", head.cycles + rl_cycle_block_following(&head, &tail));
        }
    }
    return failures ? 1 : 0;
}
