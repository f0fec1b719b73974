// SPDX-License-Identifier: Apache-2.0
//
// The scoreboard of a core: which cycle is being filled, and when each result can be read. Instructions are issued in
// order. bench/MODEL.md has the rules of each core with their sources.
#ifndef RL_BOARDS_CYCLES_SCOREBOARD_H
#define RL_BOARDS_CYCLES_SCOREBOARD_H

#include "instruction.h"

struct rl_scoreboard {
    enum rl_cycle_core core;
    int cycle;  // M7, M55: the cycle being filled; others: the next free one
    int filled; // instructions in it
    int ready_at[READERS][RESOURCES];
    int pipe_free_at[PIPES];      // M33 keeps its FPU in PIPE_NONE
    struct rl_instruction before; // the instruction before
    struct rl_instruction older;  // M7, M55: the first one in this cycle; M33: the one before `before`
    int before_cycle;
    int store_cycle;   // of the last store, 0 if there was none
    bool load_is_open; // its second cycle can overlap the next access to memory
    bool second_bank;  // of two loads whose banks are not known
};

// Cycles from the issue of an instruction until each kind of reader can have its result.
struct rl_latency {
    int8_t until[READERS]; // main, early, address, factor, sum, data
};

enum {
    RL_DIVIDE_CYCLES = 7, // 2 to 12 on boards, by operands
    RL_FLOAT_DIVIDE_CYCLES = 14,
};

void rl_scoreboard_reset(struct rl_scoreboard *board, enum rl_cycle_core core);
void rl_scoreboard_issue(struct rl_scoreboard *board, const struct rl_instruction *next);

// A jump to `target` after all that was issued.
void rl_scoreboard_jump(struct rl_scoreboard *board, const struct rl_instruction *target);

// Where the next instruction could start, in halves of cycles.
int rl_scoreboard_position(const struct rl_scoreboard *board);

// For the cores: the cycle in which all operands are ready; and a result, counted from `cycle`.
int rl_operands_ready(const struct rl_scoreboard *board, const struct rl_instruction *next);
int rl_resources_ready(const struct rl_scoreboard *board, enum rl_reader reader, uint64_t resources);
void rl_produce(struct rl_scoreboard *board, uint64_t resources, int cycle, struct rl_latency latency);

// M7, M55: how many cycles an instruction takes that does not go along with another one.
int rl_length_in_pairs(const struct rl_instruction *next);

// M0, M3 and M4; the others each.
void rl_issue_simple(struct rl_scoreboard *board, const struct rl_instruction *next);
void rl_issue_m33(struct rl_scoreboard *board, const struct rl_instruction *next);
void rl_issue_m7(struct rl_scoreboard *board, const struct rl_instruction *next);
void rl_issue_m55(struct rl_scoreboard *board, const struct rl_instruction *next);
void rl_jump_simple(struct rl_scoreboard *board, const struct rl_instruction *target);
void rl_jump_m33(struct rl_scoreboard *board);
void rl_jump_m7(struct rl_scoreboard *board);
void rl_jump_m55(struct rl_scoreboard *board, const struct rl_instruction *target);

static inline struct rl_latency rl_same_latency(int cycles)
{
    const int8_t each = (int8_t)cycles;
    return (struct rl_latency){{each, each, each, each, each, each}};
}

// Whether an instruction of 32 bits lies across two words, so that fetching it takes a cycle more after a jump.
static inline bool rl_crosses_words(const struct rl_instruction *target)
{
    return target->bytes == 4 && target->address & 2;
}

#endif
