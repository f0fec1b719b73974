// SPDX-License-Identifier: Apache-2.0
//
// Models the cycles that Thumb code takes on a core. Each block of code is decoded once, and its instructions are
// issued in order through a scoreboard of the core. The cost of a block is what it adds right after the block before
// it, so that a loop waits for its own results and a cut by the emulator costs nothing.
//
// bench/MODEL.md has the rules with their sources, the errors against boards, and what is not modelled. Memory has no
// wait states unless flash.h is asked for them.
#ifndef RL_BOARDS_CYCLES_CYCLE_MODEL_H
#define RL_BOARDS_CYCLES_CYCLE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum rl_cycle_core {
#define RL_CYCLE_CORE(id, name, limit, percent, error) RL_CYCLES_##id,
#include "cores.def"
#undef RL_CYCLE_CORE
    RL_CYCLES_CORES
};

// The core with this short name (m0, m3, ..), or RL_CYCLES_CORES.
enum rl_cycle_core rl_cycle_core_named(const char *name);

struct rl_cycle_block;

// A block for at most `capacity` instructions, which is the caller's to free; NULL without memory.
struct rl_cycle_block *rl_cycle_block_new(enum rl_cycle_core core, uint32_t capacity);
void rl_cycle_block_free(struct rl_cycle_block *block);

// Adds the instruction at `address`, behind those added before; `code` has 2 bytes, or 4 if the first halfword says so.
// False if the block is full.
bool rl_cycle_block_add(struct rl_cycle_block *block, const uint8_t *code, uint32_t address);

// What the accesses of the last instruction added can cost: whether the clock wants to know their addresses.
enum rl_cycle_access { RL_CYCLES_NO_ACCESS, RL_CYCLES_LOADS, RL_CYCLES_MAY_BE_UNALIGNED };
enum rl_cycle_access rl_cycle_block_access(const struct rl_cycle_block *block);

uint32_t rl_cycle_block_start(const struct rl_cycle_block *block);
uint32_t rl_cycle_block_end(const struct rl_cycle_block *block);

// How many of its instructions read memory, and how many write it. One that moves several registers counts once.
uint32_t rl_cycle_block_loads(const struct rl_cycle_block *block);
uint32_t rl_cycle_block_stores(const struct rl_cycle_block *block);

// The cycles of running code. Starts as {.core = ...}.
struct rl_cycle_clock {
    enum rl_cycle_core core;
    struct rl_cycle_block *last;
    uint64_t half_cycles;
    uint64_t waits;    // cycles of accesses to memory
    uint32_t loop_end; // address of the low-overhead loop that is known to loop, else 0
};

// Enters a block after the last one entered; it must outlive the clock. Returns half-cycles, or -1 without memory.
int64_t rl_cycle_clock_enter(struct rl_cycle_clock *clock, struct rl_cycle_block *block);

// Charges an access of `bytes`, a power of two, for its address.
void rl_cycle_clock_access(struct rl_cycle_clock *clock, uint64_t address, uint32_t bytes);

uint64_t rl_cycle_clock_cycles(const struct rl_cycle_clock *clock);

#endif
