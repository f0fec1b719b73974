// SPDX-License-Identifier: Apache-2.0
#include "scoreboard.h"

#include <string.h>

enum { LONG_AGO = -9 };

void rl_scoreboard_reset(struct rl_scoreboard *board, enum rl_cycle_core core)
{
    memset(board, 0, sizeof *board);
    board->core = core;
    board->before.kind = board->older.kind = KIND_SYSTEM; // joins nothing
    board->before.bytes = board->older.bytes = 4;
    board->before_cycle = LONG_AGO;
}

static uint32_t lowest_bit(uint64_t set)
{
    uint32_t bit = 0;
    while (!(set >> bit & 1)) {
        bit++;
    }
    return bit;
}

int rl_resources_ready(const struct rl_scoreboard *board, enum rl_reader reader, uint64_t resources)
{
    int latest = 0;
    for (; resources; resources &= resources - 1) {
        const int at = board->ready_at[reader][lowest_bit(resources)];
        latest = at > latest ? at : latest;
    }
    return latest;
}

int rl_operands_ready(const struct rl_scoreboard *board, const struct rl_instruction *next)
{
    int latest = 0;
    for (int reader = 0; reader < READERS; reader++) {
        const int at = rl_resources_ready(board, (enum rl_reader)reader, next->reads[reader]);
        latest = at > latest ? at : latest;
    }
    return latest;
}

void rl_produce(struct rl_scoreboard *board, uint64_t resources, int cycle, struct rl_latency latency)
{
    for (; resources; resources &= resources - 1) {
        const uint32_t resource = lowest_bit(resources);
        for (int reader = 0; reader < READERS; reader++) {
            board->ready_at[reader][resource] = cycle + latency.until[reader];
        }
    }
}

int rl_length_in_pairs(const struct rl_instruction *next)
{
    switch (next->kind) {
    case KIND_MULTIPLE_LOAD:
    case KIND_MULTIPLE_STORE:
        return (next->words + 1) / 2;
    case KIND_DIVIDE:
        return RL_DIVIDE_CYCLES;
    case KIND_FLOAT_DIVIDE:
        return RL_FLOAT_DIVIDE_CYCLES;
    case KIND_BRANCH:
        return next->is_table_branch ? 3 : 1;
    default:
        return 1;
    }
}

void rl_scoreboard_issue(struct rl_scoreboard *board, const struct rl_instruction *next)
{
    switch (board->core) {
    case RL_CYCLES_M7:
        rl_issue_m7(board, next);
        break;
    case RL_CYCLES_M33:
        rl_issue_m33(board, next);
        break;
    case RL_CYCLES_M55:
        rl_issue_m55(board, next);
        break;
    default:
        rl_issue_simple(board, next);
    }
    board->before = *next;
}

void rl_scoreboard_jump(struct rl_scoreboard *board, const struct rl_instruction *target)
{
    switch (board->core) {
    case RL_CYCLES_M7:
        rl_jump_m7(board);
        break;
    case RL_CYCLES_M33:
        rl_jump_m33(board);
        break;
    case RL_CYCLES_M55:
        rl_jump_m55(board, target);
        break;
    default:
        rl_jump_simple(board, target);
    }
}

int rl_scoreboard_position(const struct rl_scoreboard *board)
{
    int halves = 2 * board->cycle;
    if (board->core == RL_CYCLES_M7) {
        halves += board->filled > 1 ? 2 : board->filled;
    } else if (board->core == RL_CYCLES_M55 && board->filled) {
        halves += 2;
    }
    return halves;
}
