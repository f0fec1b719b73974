// SPDX-License-Identifier: Apache-2.0
//
// Cortex-M55: one instruction a cycle, or two of 16 bits of which one is light. A vector instruction holds its pipe for
// two cycles. FITTED constants were chosen by the error against boards, because no document states them.
#include "scoreboard.h"

enum {
    REFILL = 3, // of a taken branch, beside its own cycle; and of the first end of a loop
    FETCH_ACROSS_WORDS = 1,
    LOAD_AFTER_STORE = 1, // within two cycles
    VECTOR_TO_CORE = 3,
    SCALAR_AFTER_VECTOR = 1, // FITTED: no scalar instruction in the second cycle of a vector instruction
    CORE_TO_PREDICATE = 4,   // FITTED: until an instruction under the predicate
    FULL = 2,                // instructions in a cycle
};

static bool is_light(const struct rl_instruction *instruction)
{
    switch (instruction->kind) {
    case KIND_IT_OR_NOP:
        return true;
    case KIND_BRANCH:
        return !instruction->is_indirect;
    case KIND_BITS:
        return !instruction->reads[READ_EARLY];
    case KIND_ALU: {
        const uint64_t registers = instruction->reads[READ_MAIN] & 0xFFFF;
        return instruction->is_simple && !(registers & (registers - 1)); // one at most
    }
    default:
        return false;
    }
}

static bool can_pair(const struct rl_instruction *older, const struct rl_instruction *younger)
{
    const bool older_accesses = rl_is_memory(older) || rl_is_multiple(older);
    return older->bytes == 2 && younger->bytes == 2 && (is_light(older) || is_light(younger)) &&
           older->kind != KIND_BRANCH && !rl_is_multiple(younger) && !(older_accesses && rl_is_memory(younger));
}

static bool is_vector_access(const struct rl_instruction *next)
{
    return next->kind == KIND_VECTOR && next->pipe == PIPE_MEMORY;
}

// Stores of interleaved vectors read them in the main stage, and count as loads.
static bool is_load(const struct rl_instruction *next)
{
    return next->kind == KIND_LOAD || next->kind == KIND_MULTIPLE_LOAD ||
           (is_vector_access(next) && !next->reads[READ_DATA]);
}

static bool is_store(const struct rl_instruction *next)
{
    return next->kind == KIND_STORE || next->kind == KIND_MULTIPLE_STORE ||
           (is_vector_access(next) && next->reads[READ_DATA]);
}

static enum rl_pipe choose_pipe(const struct rl_scoreboard *board, const struct rl_instruction *next)
{
    if (next->pipe != PIPE_EITHER) {
        return next->pipe;
    }
    const bool integer_first = board->pipe_free_at[PIPE_INTEGER] <= board->pipe_free_at[PIPE_MULTIPLY];
    return integer_first ? PIPE_INTEGER : PIPE_MULTIPLY;
}

static struct rl_latency latency_of_vector(const struct rl_instruction *next, int held)
{
    if (next->writes_core) {
        const int8_t far = VECTOR_TO_CORE;
        return (struct rl_latency){{far, far, far, far, 2, far}}; // 2 along a chain of sums
    }
    const int8_t latency = (int8_t)(next->lanes ? held + 1 : next->latency);
    const bool soon = latency > 1 && next->latency < 3; // a store takes such a result a cycle earlier
    const int8_t to_store = (int8_t)(soon ? latency - 1 : latency), to_offsets = (int8_t)(latency + 2);
    return (struct rl_latency){{latency, to_offsets, latency, latency, latency, to_store}};
}

static void issue_vector(struct rl_scoreboard *board, const struct rl_instruction *next, int start)
{
    const enum rl_pipe pipe = choose_pipe(board, next);
    int held = 2;
    if (next->lanes) {
        held = next->lanes / 2 + 1; // two lanes a cycle, and one more
    } else if (next->pipe == PIPE_NONE) {
        held = 1;
    }
    if (board->filled && start == board->cycle) {
        start = board->cycle + 1;
    }
    if (pipe != PIPE_NONE) {
        start = board->pipe_free_at[pipe] > start ? board->pipe_free_at[pipe] : start;
        board->pipe_free_at[pipe] = start + held;
    }
    board->cycle = start;
    board->filled = FULL;
    board->before_cycle = start;
    if (is_store(next)) {
        board->store_cycle = start;
    }
    rl_produce(board, next->writes, start, latency_of_vector(next, held));
    rl_produce(board, next->updates, start, rl_same_latency(1));
    if (next->lanes) {
        board->cycle = start + held - 1; // nothing goes along with a gather
    }
}

static int latency_of_scalar(const struct rl_instruction *next)
{
    switch (next->kind) {
    case KIND_LOAD:
    case KIND_MULTIPLE_LOAD:
    case KIND_MULTIPLY:
    case KIND_ACCUMULATE:
    case KIND_LONG_MULTIPLY:
    case KIND_LONG_ACCUMULATE:
    case KIND_SIMD:
    case KIND_SHIFTED:
    case KIND_DIVIDE:
    case KIND_FLOAT:
    case KIND_FLOAT_MULTIPLY:
    case KIND_FLOAT_DIVIDE:
        return 2;
    case KIND_BITS:
        return next->reads[READ_EARLY] ? 2 : 1;
    case KIND_FLOAT_ACCUMULATE:
        return 4;
    default:
        return 1;
    }
}

static void produce_scalar(struct rl_scoreboard *board, const struct rl_instruction *next, int start, int length)
{
    struct rl_latency latency = rl_same_latency(latency_of_scalar(next));
    int from = start;
    if (next->kind == KIND_MULTIPLE_LOAD || next->kind == KIND_DIVIDE) {
        from = start + length - 1;
    } else if (next->kind == KIND_FLOAT_DIVIDE) {
        from = start + length;
    } else if (next->kind == KIND_FLOAT_MOVE && !next->writes_core) {
        latency = rl_same_latency(2);
        latency.until[READ_MAIN] = CORE_TO_PREDICATE;
    }
    rl_produce(board, next->writes, from, latency);
    rl_produce(board, next->updates, start, rl_same_latency(1));
}

static void issue_scalar(struct rl_scoreboard *board, const struct rl_instruction *next, int start)
{
    const bool accesses = rl_is_memory(next) || rl_is_multiple(next);
    const int length = rl_length_in_pairs(next);
    if (accesses && board->pipe_free_at[PIPE_MEMORY] > start) {
        start = board->pipe_free_at[PIPE_MEMORY];
    }
    const bool after_vector = board->before.kind == KIND_VECTOR && board->before.pipe != PIPE_NONE;
    if (after_vector && start <= board->before_cycle + SCALAR_AFTER_VECTOR) {
        start = board->before_cycle + SCALAR_AFTER_VECTOR + 1;
    }
    if (board->filled && start == board->cycle && (board->filled > 1 || !can_pair(&board->older, next))) {
        start = board->cycle + 1;
    }
    if (start != board->cycle || !board->filled) {
        board->cycle = start;
        board->filled = 0;
        board->older = *next;
    }
    board->filled++;
    board->before_cycle = start;
    if (is_store(next)) {
        board->store_cycle = start;
    }
    produce_scalar(board, next, start, length);
    if (accesses) {
        board->pipe_free_at[PIPE_MEMORY] = start + length;
    }
    if (length > 1) {
        board->cycle = start + length - 1;
        board->filled = FULL;
    }
}

void rl_issue_m55(struct rl_scoreboard *board, const struct rl_instruction *next)
{
    if (next->kind == KIND_LOOP_END) {
        return;
    }
    const int ready = rl_operands_ready(board, next);
    int start = ready > board->cycle ? ready : board->cycle;
    if (is_load(next) && board->store_cycle && start - board->store_cycle <= 2) {
        start += LOAD_AFTER_STORE;
    }
    if (next->kind == KIND_VECTOR) {
        issue_vector(board, next, start);
    } else {
        issue_scalar(board, next, start);
    }
}

void rl_jump_m55(struct rl_scoreboard *board, const struct rl_instruction *target)
{
    if (board->before.kind != KIND_LOOP_END) { // which the clock charges for, once a loop
        board->cycle += REFILL + (board->filled ? 1 : 0);
        board->filled = 0;
    }
    board->cycle += rl_crosses_words(target) ? FETCH_ACROSS_WORDS : 0;
}
