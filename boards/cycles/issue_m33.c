// SPDX-License-Identifier: Apache-2.0
//
// Cortex-M33: one instruction a cycle, results later. A branch or IT of 16 bits goes along with an instruction of 16
// bits before it.
#include "scoreboard.h"

enum { REFILL = 2, REFILL_OF_PAIR = 1, FPU = PIPE_NONE };

// Later by a cycle, but not into an accumulator or a store.
static const struct rl_latency late = {{2, 2, 2, 2, 1, 1}};

static int length_of(const struct rl_instruction *before, const struct rl_instruction *next)
{
    const bool both_short = before->bytes == 2 && next->bytes == 2;
    switch (next->kind) {
    case KIND_LOAD:
    case KIND_STORE:
        return next->words == 2 ? 2 : 1;
    case KIND_MULTIPLE_LOAD:
    case KIND_MULTIPLE_STORE:
        return next->words;
    case KIND_DIVIDE:
        return RL_DIVIDE_CYCLES;
    case KIND_IT_OR_NOP:
        return both_short && before->kind != KIND_IT_OR_NOP ? 0 : 1;
    case KIND_BRANCH:
        if (next->is_table_branch) {
            return 3;
        }
        return both_short && before->kind != KIND_BRANCH && !next->is_indirect ? 0 : 1;
    case KIND_FLOAT_DIVIDE:
        return RL_FLOAT_DIVIDE_CYCLES;
    case KIND_MULTIPLY:
        return next->bytes == 2 && next->sets_flags ? 2 : 1;
    default:
        return 1;
    }
}

static struct rl_latency latency_of(const struct rl_instruction *next)
{
    switch (next->kind) {
    case KIND_LOAD:
    case KIND_MULTIPLE_LOAD:
    case KIND_MULTIPLY:
    case KIND_ACCUMULATE:
    case KIND_LONG_MULTIPLY:
    case KIND_LONG_ACCUMULATE:
    case KIND_SIMD:
        return late;
    case KIND_SHIFTED:
        return next->shifts_left ? rl_same_latency(1) : late;
    case KIND_BITS:
        return next->rotates ? late : rl_same_latency(1);
    case KIND_FLOAT:
    case KIND_FLOAT_MULTIPLY:
        return rl_same_latency(2);
    case KIND_FLOAT_ACCUMULATE:
        return rl_same_latency(3);
    default:
        return rl_same_latency(1);
    }
}

void rl_issue_m33(struct rl_scoreboard *board, const struct rl_instruction *next)
{
    const int ready = rl_operands_ready(board, next), length = length_of(&board->before, next);
    int start = ready > board->cycle ? ready : board->cycle;
    if (rl_is_float(next) && board->pipe_free_at[FPU] > start) {
        start = board->pipe_free_at[FPU];
    }
    board->older = board->before;
    board->cycle = start + length;
    board->before_cycle = start;
    if (next->kind == KIND_FLOAT || next->kind == KIND_FLOAT_MULTIPLY) {
        board->pipe_free_at[FPU] = start + 1;
    } else if (next->kind == KIND_FLOAT_ACCUMULATE) {
        board->pipe_free_at[FPU] = start + 3;
    }
    rl_produce(board, next->writes, start + (length ? length - 1 : 0), latency_of(next));
    rl_produce(board, next->updates, start, rl_same_latency(1));
}

void rl_jump_m33(struct rl_scoreboard *board)
{
    const struct rl_instruction *branch = &board->before, *partner = &board->older;
    const bool paired = branch->kind == KIND_BRANCH && !branch->is_indirect && branch->bytes == 2 &&
                        partner->bytes == 2 && partner->kind != KIND_BRANCH;
    if (!paired) {
        board->cycle += REFILL;
        return;
    }
    const bool waits_for_flags = partner->sets_flags && branch->is_conditional;
    board->cycle += REFILL_OF_PAIR + (waits_for_flags ? 1 : 0);
}
