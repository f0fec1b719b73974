// SPDX-License-Identifier: Apache-2.0
//
// Cortex-M0, M3 and M4: an instruction has a length. On M3 and M4 the second cycle of a load overlaps the load or store
// after it.
#include "scoreboard.h"

enum {
    REFILL = 2, // of a taken branch, beside its own cycle
    FETCH_ACROSS_WORDS = 1,
    LOAD_AFTER_STORE = 1,
    FLOAT_ACCUMULATE_CYCLES = 3,
};

static int length_of_m0(const struct rl_instruction *next)
{
    switch (next->kind) {
    case KIND_LOAD:
    case KIND_STORE:
        return 2;
    case KIND_MULTIPLE_LOAD:
    case KIND_MULTIPLE_STORE:
        return 1 + next->words + (next->is_indirect ? 1 : 0);
    case KIND_DIVIDE:
        return RL_DIVIDE_CYCLES;
    case KIND_BRANCH:
        return next->is_call && next->bytes == 4 ? 2 : 1;
    default:
        return 1;
    }
}

static int length_of_store(const struct rl_instruction *next)
{
    if (next->words == 2) {
        return 3;
    }
    return next->has_register_offset ? 2 : 1;
}

static int length_of(const struct rl_scoreboard *board, const struct rl_instruction *next)
{
    const bool is_m3 = board->core == RL_CYCLES_M3;
    switch (next->kind) {
    case KIND_LOAD:
        return next->words == 2 ? 3 : 2;
    case KIND_STORE:
        return length_of_store(next);
    case KIND_MULTIPLE_LOAD:
    case KIND_MULTIPLE_STORE:
        return 1 + next->words;
    case KIND_ACCUMULATE:
        return is_m3 ? 2 : 1;
    case KIND_LONG_MULTIPLY:
        return is_m3 ? 4 : 1;
    case KIND_LONG_ACCUMULATE:
        return is_m3 ? 6 : 1;
    case KIND_DIVIDE:
        return RL_DIVIDE_CYCLES;
    case KIND_IT_OR_NOP:
        return board->before.bytes == 2 && next->bytes == 2 ? 0 : 1;
    case KIND_BRANCH:
        return next->is_table_branch ? 3 : 1;
    case KIND_FLOAT_ACCUMULATE:
        return FLOAT_ACCUMULATE_CYCLES;
    case KIND_FLOAT_DIVIDE:
        return RL_FLOAT_DIVIDE_CYCLES;
    default:
        return 1;
    }
}

static bool overlaps_load(const struct rl_scoreboard *board, const struct rl_instruction *next)
{
    const bool needs_result = next->reads[READ_ADDRESS] & board->before.writes;
    const bool m3_updates = board->core == RL_CYCLES_M3 && next->kind == KIND_LOAD && next->updates;
    return board->load_is_open && rl_is_memory(next) && next->words == 1 && !needs_result && !m3_updates;
}

void rl_issue_simple(struct rl_scoreboard *board, const struct rl_instruction *next)
{
    if (board->core == RL_CYCLES_M0) {
        board->cycle += length_of_m0(next);
        return;
    }
    const int address_ready = rl_resources_ready(board, READ_ADDRESS, next->reads[READ_ADDRESS]);
    int start = overlaps_load(board, next) ? board->cycle - 1 : board->cycle;
    start = address_ready > start ? address_ready : start;
    if (next->kind == KIND_LOAD && board->before.kind == KIND_STORE && board->before_cycle + 1 == start) {
        start += LOAD_AFTER_STORE;
    }
    board->cycle = start + length_of(board, next);
    board->before_cycle = board->cycle - 1;
    board->load_is_open = next->kind == KIND_LOAD && next->words == 1 && !next->is_indirect;

    const struct rl_latency address_later = {.until[READ_ADDRESS] = 1};
    const bool loads = next->kind == KIND_LOAD || next->kind == KIND_MULTIPLE_LOAD;
    rl_produce(board, next->writes, board->cycle, loads ? rl_same_latency(0) : address_later);
    rl_produce(board, next->updates, start + 1, address_later);
}

void rl_jump_simple(struct rl_scoreboard *board, const struct rl_instruction *target)
{
    board->cycle += REFILL;
    if (board->core != RL_CYCLES_M0) {
        board->cycle += rl_crosses_words(target) ? FETCH_ACROSS_WORDS : 0;
        board->load_is_open = false;
    }
}
