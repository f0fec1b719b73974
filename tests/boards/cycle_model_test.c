// SPDX-License-Identifier: Apache-2.0
//
// The cycle model charges what bench/MODEL.md says, and the same when the emulator cuts code in two. The expected
// figures were counted by hand from the rules.
#include "cycle_model.h"
#include "flash.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_INSTRUCTIONS = 5, ADDRESS = 0x1000 };

// Instructions with their first half in the upper 16 bits; short ones have nothing there. 0 ends them. Half-cycles,
// because the M7 may fill half of its last cycle.
struct expectation {
    const char *what;
    const char *core;
    uint32_t code[MOST_INSTRUCTIONS];
    uint32_t half_cycles;
};

// clang-format off
enum {
    ADD = 0x1888, ADD_TO_R3 = 0x188B,            // adds r0|r3, r1, r2
    ADD_R0 = 0x1880,                             // adds r0, r0, r2
    LOAD = 0x6808, LOAD_R2 = 0x680A,             // ldr r0|r2, [r1]
    LOAD_OTHER_BANK = 0x684A, LOAD_SAME_BANK = 0x688A, // ldr r2, [r1, #4]; #8
    LOAD_CHAIN = 0x6809,                         // ldr r1, [r1]
    LOAD_BYTE = 0x7808,                          // ldrb r0, [r1]
    ADD_CONSTANT = 0x3401,                       // adds r4, #1
    STORE = 0x6008,                              // str r0, [r1]
    STORE_BY_REGISTER = 0x5088,                  // str r0, [r1, r2]
    PUSH = 0xB5F0, POP = 0xBDF0,                 // r4-r7 and lr; r4-r7 and pc
    BRANCH_BACK = 0xE7FD, BRANCH_IF_NOT_ZERO = 0xD1FD,
    IT = 0xBF18,
};

static const uint32_t LOAD_NEXT = 0xF8510B04, LOAD_NEXT_R2 = 0xF8523B04; // ldr r0, [r1], #4; ldr r3, [r2], #4
static const uint32_t SMLAD = 0xFB210002;                                // r0 = r0 + r1 r2
static const uint32_t LOAD_VECTOR = 0xED901F00;                          // vldrw q0, [r0]
static const uint32_t STORE_VECTOR = 0xED801F00;                         // vstrw q0, [r0]
static const uint32_t MULTIPLY_VECTOR = 0xEF224952;                      // vmul q2, q1, q1
static const uint32_t MULTIPLY_LOADED = 0xEF204950;                      // vmul q2, q0, q0
static const uint32_t ADD_LONG = 0xEB010203;                             // add.w r2, r1, r3
static const uint32_t NARROW_VECTOR = 0xEE330E03;                        // vqmovnb q0, q1
static const uint32_t ADD_NARROWED = 0xEF204840;                         // vadd q2, q0, q0
static const uint32_t SUM_VECTOR = 0xEEF10F00;                           // vaddv r0, q0
static const uint32_t MOVE_TO_VECTOR = 0xEC140F03;                       // vmov q0[2], q0[0], r3, r4
static const uint32_t MOVE_TO_CORE = 0xEC040F03;                         // vmov r3, r4, q0[2], q0[0]
static const uint32_t MOVE_TO_PREDICATE = 0xEEED0A10;                    // vmsr p0, r0
static const uint32_t SELECT_VECTOR = 0xFE330F05;                        // vpsel q0, q1, q2
static const uint32_t LOOP_END = 0xF00FC003;                             // le lr

static const struct expectation expectations[] = {
    {"an addition", "m0", {ADD}, 2},
    {"a load", "m0", {LOAD}, 4},
    {"two loads", "m0", {LOAD, LOAD}, 8},
    {"push of five registers", "m0", {PUSH}, 12},
    {"pop of five registers, one of them pc", "m0", {POP}, 14},
    {"two loads", "m3", {LOAD, LOAD}, 6},
    {"two loads, the second by the first", "m3", {LOAD_CHAIN, LOAD_CHAIN}, 8},
    {"smull", "m3", {0xFB820103}, 8},
    {"smlal", "m3", {0xFBC20103}, 12},
    {"smlal", "m4", {0xFBC20103}, 2},
    {"a load and an addition", "m4", {LOAD, ADD}, 6},
    {"a load after a store", "m4", {STORE, LOAD_R2}, 8},
    {"a store with a register offset", "m4", {STORE_BY_REGISTER}, 4},
    {"four loads by one pointer", "m4", {LOAD_NEXT, LOAD_NEXT, LOAD_NEXT, LOAD_NEXT}, 16},
    {"four loads by two pointers", "m4", {LOAD_NEXT, LOAD_NEXT_R2, LOAD_NEXT, LOAD_NEXT_R2}, 10},
    {"four loads by two pointers", "m3", {LOAD_NEXT, LOAD_NEXT_R2, LOAD_NEXT, LOAD_NEXT_R2}, 16},
    {"IT after an addition", "m4", {ADD, IT}, 2},
    {"vfma", "m4", {0xEEA00A81}, 6},
    {"sdiv", "m4", {0xFB91F0F2}, 14},
    {"push of five registers", "m4", {PUSH}, 12},
    {"a load and an addition", "m33", {LOAD, ADD_TO_R3}, 4},
    {"a load and an addition of its result", "m33", {LOAD, ADD_R0}, 6},
    {"two multiplications into one sum", "m33", {SMLAD, SMLAD}, 4},
    {"push of five registers", "m33", {PUSH}, 10},
    {"two additions", "m7", {ADD, ADD_TO_R3}, 2},
    {"an addition", "m7", {ADD}, 1},
    {"a load and an addition", "m7", {LOAD, ADD_TO_R3}, 2},
    {"a load of a byte and an addition of it", "m7", {LOAD_BYTE, ADD_R0}, 5},
    {"two loads on two banks", "m7", {LOAD, LOAD_OTHER_BANK}, 2},
    {"two loads on one bank", "m7", {LOAD, LOAD_SAME_BANK}, 3},
    {"two multiplications into one sum", "m7", {SMLAD, SMLAD}, 3},
    {"push of five registers", "m7", {PUSH}, 6},
    {"push of five registers", "m55", {PUSH}, 6},
    {"two additions", "m55", {ADD, ADD_TO_R3}, 4},
    {"IT and an addition", "m55", {IT, ADD}, 2},
    {"two vector loads", "m55", {LOAD_VECTOR, LOAD_VECTOR}, 6},
    {"a vector load and a vector multiplication", "m55", {LOAD_VECTOR, MULTIPLY_VECTOR}, 4},
    {"a vector load and a multiplication of it", "m55", {LOAD_VECTOR, MULTIPLY_LOADED}, 4},
    {"a vector load and an addition", "m55", {LOAD_VECTOR, ADD}, 6},
    {"a gather of four lanes", "m55", {0xFC900F43}, 6},
    {"a narrowing and an addition of its result", "m55", {NARROW_VECTOR, ADD_NARROWED}, 8},
    {"a sum of a vector and an addition of it", "m55", {SUM_VECTOR, ADD_R0}, 8},
    {"a move of two lanes to a vector and an addition of it", "m55", {MOVE_TO_VECTOR, ADD_NARROWED}, 6},
    {"a move of two lanes of a vector and an addition of one", "m55", {MOVE_TO_CORE, ADD_CONSTANT}, 8},
    {"a move to the predicate and a selection by it", "m55", {MOVE_TO_PREDICATE, SELECT_VECTOR}, 10},
    {"a load two cycles after a store", "m55", {ADD, STORE, ADD_LONG, ADD_CONSTANT, LOAD_R2}, 10},
    {"two gathers of four lanes", "m55", {0xFC900F43, 0xFC900F43}, 12},
};
// clang-format on

static struct rl_cycle_block *new_block(const char *core)
{
    struct rl_cycle_block *block = rl_cycle_block_new(rl_cycle_core_named(core), MOST_INSTRUCTIONS);
    if (!block) {
        abort();
    }
    return block;
}

static void add(struct rl_cycle_block *block, uint32_t code, uint32_t *address)
{
    const uint32_t first = code >> 16 ? code >> 16 : code;
    const uint8_t bytes[] = {(uint8_t)first, (uint8_t)(first >> 8), (uint8_t)code, (uint8_t)(code >> 8)};
    rl_cycle_block_add(block, bytes, *address);
    *address = rl_cycle_block_end(block);
}

static int expect(const char *what, const char *core, int64_t found, int64_t expected)
{
    if (found == expected) {
        return 0;
    }
    printf("FAIL: %s on %s: %d half-cycles instead of %d\n", what, core, (int)found, (int)expected);
    return 1;
}

// The instructions in two blocks, the first with `cut` of them; in one for 0.
static int64_t measure(const struct expectation *test, int cut)
{
    struct rl_cycle_block *head = new_block(test->core), *tail = new_block(test->core);
    struct rl_cycle_clock clock = {.core = rl_cycle_core_named(test->core)};
    uint32_t address = ADDRESS;
    for (int i = 0; i < MOST_INSTRUCTIONS && test->code[i]; i++) {
        add(i < cut ? head : tail, test->code[i], &address);
    }
    const int64_t first = cut ? rl_cycle_clock_enter(&clock, head) : 0;
    const int64_t sum = first + rl_cycle_clock_enter(&clock, tail);
    rl_cycle_block_free(head);
    rl_cycle_block_free(tail);
    return sum;
}

static int check_expectations(void)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *test = &expectations[i];
        failures += expect(test->what, test->core, measure(test, 0), test->half_cycles);
        for (int cut = 1; cut < MOST_INSTRUCTIONS && test->code[cut]; cut++) {
            failures += expect(test->what, test->core, measure(test, cut), test->half_cycles);
        }
    }
    return failures;
}

// A block that runs three times: what each run costs.
struct loop {
    const char *what;
    const char *core;
    uint32_t code[MOST_INSTRUCTIONS];
    int64_t half_cycles[3];
    uint32_t halfwords; // from a word's begin to the first instruction
};

static int check_loops(void)
{
    const struct loop loops[] = {
        {"a loop", "m0", {ADD, BRANCH_BACK}, {4, 8, 8}, 0},
        {"a loop", "m4", {ADD, BRANCH_BACK}, {4, 8, 8}, 0},
        {"a loop to a long instruction", "m4", {SMLAD, BRANCH_BACK}, {4, 8, 8}, 0},
        {"a loop to a long instruction across words", "m4", {SMLAD, BRANCH_BACK}, {4, 10, 10}, 1},
        {"a loop", "m55", {ADD, BRANCH_BACK}, {2, 8, 8}, 0},
        {"a loop", "m33", {ADD, BRANCH_BACK}, {2, 4, 4}, 0},
        {"a loop until a result", "m33", {ADD, BRANCH_IF_NOT_ZERO}, {2, 6, 6}, 0},
        {"a loop that is foreseen", "m7", {ADD, BRANCH_IF_NOT_ZERO}, {2, 16, 2}, 0},
        {"a low-overhead loop", "m55", {ADD, LOOP_END}, {2, 8, 2}, 0},
        {"a low-overhead loop of vectors", "m55", {LOAD_VECTOR, MULTIPLY_LOADED, LOOP_END}, {4, 10, 4}, 0},
    };
    int failures = 0;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        const struct loop *test = &loops[i];
        struct rl_cycle_block *block = new_block(test->core);
        struct rl_cycle_clock clock = {.core = rl_cycle_core_named(test->core)};
        uint32_t address = ADDRESS + 2 * test->halfwords;
        for (int k = 0; k < MOST_INSTRUCTIONS && test->code[k]; k++) {
            add(block, test->code[k], &address);
        }
        for (int run = 0; run < 3; run++) {
            failures += expect(test->what, test->core, rl_cycle_clock_enter(&clock, block), test->half_cycles[run]);
        }
        rl_cycle_block_free(block);
    }
    return failures;
}

// Instructions that read and write memory, of whatever kind.
static int check_moves(void)
{
    const uint32_t code[] = {LOAD, STORE, PUSH, POP, ADD, LOAD_VECTOR, STORE_VECTOR, LOAD_NEXT};
    struct rl_cycle_block *block = rl_cycle_block_new(RL_CYCLES_M55, sizeof code / sizeof *code);
    uint32_t address = ADDRESS;
    if (!block) {
        abort();
    }
    for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
        add(block, code[i], &address);
    }
    const int failed = rl_cycle_block_loads(block) != 4 || rl_cycle_block_stores(block) != 3;
    if (failed) {
        printf("FAIL: %u loads and %u stores instead of 4 and 3\n", (unsigned)rl_cycle_block_loads(block),
               (unsigned)rl_cycle_block_stores(block));
    }
    rl_cycle_block_free(block);
    return failed;
}

static int check_accesses(void)
{
    static const char *const cores[] = {"m0", "m4", "m7"};
    static const int64_t penalties[] = {0, 1, 3};
    int failures = 0;
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        struct rl_cycle_clock clock = {.core = rl_cycle_core_named(cores[i])};
        rl_cycle_clock_access(&clock, ADDRESS, 4);
        rl_cycle_clock_access(&clock, ADDRESS + 2, 4);
        failures += expect("an unaligned access", cores[i], (int64_t)rl_cycle_clock_cycles(&clock), penalties[i]);
    }
    return failures;
}

// Two lines of 16 bytes: the third one drives out the one that was used longest ago.
static int check_flash(void)
{
    static struct rl_flash_cache cache = {.begin = 0x100, .end = 0x200, .lines = 2, .line_bytes = 16};
    const struct {
        uint64_t begin, end;
        uint32_t missing;
    } touches[] = {{0x100, 0x104, 1}, {0x10C, 0x114, 1}, {0x104, 0x108, 0}, {0x120, 0x124, 1},
                   {0x100, 0x104, 0}, {0x110, 0x114, 1}, {0x200, 0x204, 0}, {0xFC, 0x104, 0}};
    int failures = 0;
    for (size_t i = 0; i < sizeof touches / sizeof *touches; i++) {
        const uint32_t missing = rl_flash_touch(&cache, touches[i].begin, touches[i].end);
        if (missing != touches[i].missing) {
            printf("FAIL: touch %u misses %u lines of flash\n", (unsigned)i, (unsigned)missing);
            failures++;
        }
    }
    return failures;
}

int main(void)
{
    const int unknown = rl_cycle_core_named("m85") != RL_CYCLES_CORES;
    return unknown + check_expectations() + check_loops() + check_moves() + check_accesses() + check_flash() ? 1 : 0;
}
