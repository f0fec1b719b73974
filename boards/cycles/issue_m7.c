// SPDX-License-Identifier: Apache-2.0
//
// Cortex-M7: pairs of instructions.
#include "scoreboard.h"

static const struct rl_latency late_alu = {{1, 2, 2, 1, 0, 0}};

// Only the older one of a pair can be one of these.
static bool uses_first_slot(const struct rl_instruction *instruction)
{
    return instruction->kind == KIND_BITS || instruction->kind == KIND_SIMD;
}

static bool issues_alone(const struct rl_instruction *instruction)
{
    return rl_is_multiple(instruction) || instruction->kind == KIND_DIVIDE ||
           (rl_is_memory(instruction) && instruction->words == 2);
}

// Two banks of words: the offsets tell which, if the base is the same; else every second time is taken to succeed.
static bool loads_differ_in_bank(struct rl_scoreboard *board, const struct rl_instruction *older,
                                 const struct rl_instruction *younger)
{
    if (older->updates & younger->reads[READ_ADDRESS]) {
        return false;
    }
    if (older->base == younger->base && !older->has_register_offset && !younger->has_register_offset) {
        return (older->offset ^ younger->offset) & 4;
    }
    board->second_bank = !board->second_bank;
    return board->second_bank;
}

static bool can_pair(struct rl_scoreboard *board, const struct rl_instruction *older,
                     const struct rl_instruction *younger)
{
    if (issues_alone(older) || issues_alone(younger) || older->kind == KIND_SYSTEM || younger->kind == KIND_SYSTEM) {
        return false;
    }
    if (older->kind == KIND_BRANCH && (!older->is_conditional || younger->kind == KIND_BRANCH)) {
        return false;
    }
    if (older->kind == KIND_STORE && younger->kind == KIND_STORE) {
        return false;
    }
    if (older->kind == KIND_LOAD && younger->kind == KIND_LOAD) {
        return loads_differ_in_bank(board, older, younger);
    }
    const bool older_multiplies = rl_is_multiply(older), younger_multiplies = rl_is_multiply(younger);
    if ((older_multiplies && (younger_multiplies || younger->kind == KIND_STORE)) ||
        (younger_multiplies && older->kind == KIND_STORE)) {
        return false;
    }
    if (uses_first_slot(younger)) {
        return false;
    }
    if ((older->kind == KIND_SHIFTED || uses_first_slot(older)) && younger->kind == KIND_SHIFTED) {
        return false; // one shifter
    }
    if (rl_is_float(older) && rl_is_float(younger)) {
        return false;
    }
    return !(older->kind == KIND_FLOAT_ACCUMULATE && rl_is_memory(younger));
}

static struct rl_latency latency_of(const struct rl_instruction *next, bool early)
{
    static const struct rl_latency load = {{1, 2, 2, 2, 0, 0}}, narrow_load = {{2, 3, 3, 2, 1, 0}};
    static const struct rl_latency multiply = {{2, 3, 3, 2, 1, 1}}, extend = {{0, 1, 2, 0, 0, 0}};
    static const struct rl_latency early_alu = {{0, 1, 1, 0, 0, 0}};
    switch (next->kind) {
    case KIND_LOAD:
        return next->element_bytes == 4 ? load : narrow_load;
    case KIND_MULTIPLE_LOAD:
        return load;
    case KIND_MULTIPLY:
    case KIND_ACCUMULATE:
    case KIND_LONG_MULTIPLY:
    case KIND_LONG_ACCUMULATE:
        return multiply;
    case KIND_DIVIDE:
    case KIND_SIMD:
    case KIND_BRANCH:
        return late_alu;
    case KIND_BITS:
        return next->reads[READ_EARLY] ? extend : late_alu;
    case KIND_FLOAT:
    case KIND_FLOAT_MULTIPLY:
    case KIND_FLOAT_MOVE:
        return next->writes_core ? late_alu : (struct rl_latency){{3, 3, 3, 3, 3, 1}};
    case KIND_FLOAT_ACCUMULATE:
        return (struct rl_latency){{5, 5, 5, 5, 3, 3}};
    case KIND_FLOAT_DIVIDE:
        return rl_same_latency(2);
    default:
        return early ? early_alu : late_alu;
    }
}

// When its results start to be on their way, counted from the issue.
static int results_after(const struct rl_instruction *next, int length)
{
    switch (next->kind) {
    case KIND_MULTIPLE_LOAD:
    case KIND_DIVIDE:
        return length - 1;
    case KIND_FLOAT_DIVIDE:
        return length;
    default:
        return 0;
    }
}

void rl_issue_m7(struct rl_scoreboard *board, const struct rl_instruction *next)
{
    const int ready = rl_operands_ready(board, next), length = rl_length_in_pairs(next);
    int start = ready > board->cycle ? ready : board->cycle;
    if (board->filled && start == board->cycle && (board->filled > 1 || !can_pair(board, &board->older, next))) {
        start = board->cycle + 1;
    }
    if (start != board->cycle || !board->filled) {
        board->cycle = start;
        board->filled = 0;
        board->older = *next;
    }
    const bool is_older = board->filled == 0;
    board->filled++;
    board->before_cycle = start;
    // The early ALU takes it when its operands are there a cycle before.
    const bool early = next->is_simple && (is_older || next->kind == KIND_SHIFT) &&
                       rl_resources_ready(board, READ_EARLY, next->reads[READ_MAIN]) <= start;
    rl_produce(board, next->writes, start + results_after(next, length), latency_of(next, early));
    rl_produce(board, next->updates, start, (struct rl_latency){{1, 1, 1, 1, 0, 0}});
    if (length > 1 || issues_alone(next)) {
        board->cycle = start + length;
        board->filled = 0;
    }
}

void rl_jump_m7(struct rl_scoreboard *board)
{
    if (board->filled) {
        board->cycle++;
        board->filled = 0;
    }
}
