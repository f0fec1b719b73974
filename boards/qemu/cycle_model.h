// SPDX-License-Identifier: Apache-2.0
//
// Estimates the cycles that a basic block of Thumb code takes, to rank kernels: fewer instructions are not better if
// the core executes them slowly. The model's memory has no wait states, and its caches never miss.
//
//     core      costs
//     all       1 for each instruction; a multiple transfer 1 + registers; a division 8
//     m0        load and store 2
//     m3        load 2, but 1 right after a load or store; a pair of words 3 to load, 2 to store;
//               multiply and accumulate 2, with a 64-bit result 4 to multiply and 6 to accumulate
//     m4 m33    as m3, with every multiplication in 1
//     m7        load and store 1, two registers a cycle in multiple transfers; two neighbours issue together
//               when neither is a branch, a division, a multiple transfer or a vector or FPU instruction, and
//               not both access memory or both multiply
//     m55       load and store 1, two registers a cycle in multiple transfers; the end of a low-overhead loop
//               0; a Helium instruction 2, but 1 right after one of another kind (memory, multiplier,
//               others); gathers and scatters 1 a lane
//     with FPU  multiply-accumulate 3, division and square root 14, others 1
//     flow      2 more when a block does not follow the one before it; m7 and m55 predict branches
//
// Sources: the tables of instruction timings in Arm's Technical Reference Manuals of Cortex-M0 (DDI 0432), M3 (DDI
// 0337) and M4 (DDI 0439). M7, M33 and M55 have no such tables; their figures follow Arm's software optimization guides
// and its advice on overlapping Helium loads and multiplications. Encodings: ARMv8-M Architecture Reference Manual (DDI
// 0553). The model is within about 10 % of published figures of real boards.
#ifndef RL_BOARDS_CYCLE_MODEL_H
#define RL_BOARDS_CYCLE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rl_cycle_core {
    RL_CYCLES_M0,
    RL_CYCLES_M3,
    RL_CYCLES_M4,
    RL_CYCLES_M7,
    RL_CYCLES_M33,
    RL_CYCLES_M55,
    RL_CYCLES_CORES
};

// The core with this short name, or RL_CYCLES_CORES.
enum rl_cycle_core rl_cycle_core_named(const char *name);

// Cycles of a block while its instructions are added in order. Starts as {.core = ...}.
struct rl_cycle_block {
    enum rl_cycle_core core;
    uint32_t cycles;
    uint32_t count;  // instructions
    int first, last; // their kinds
    uint32_t first_transfers;
    bool can_pair; // the next instruction may issue together with the last one
};

// `bytes` is 2 or 4.
void rl_cycle_block_add(struct rl_cycle_block *block, const uint8_t *code, size_t bytes);

// The cycles of a block that follows `before` directly. The emulator cuts blocks at the ends of pages; the cut itself
// costs nothing here. The address of code still changes the sum by a few per cent in some cases. So if two counts
// differ in cycles but not in instructions, their code is the same.
uint32_t rl_cycle_block_following(const struct rl_cycle_block *before, const struct rl_cycle_block *block);

// The cost of a jump to a block that does not follow the last one executed.
uint32_t rl_cycle_refill(enum rl_cycle_core core);

#endif
