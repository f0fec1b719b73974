// SPDX-License-Identifier: Apache-2.0
#include "cycle_model.h"

#include "instruction.h"
#include "scoreboard.h"

#include <stdlib.h>

enum {
    M7_WRONG_GUESS = 7,     // of a conditional branch
    M55_FIRST_LOOP_END = 3, // later ones are known
    WEAKLY_NOT_TAKEN = 1,   // of two bits a branch
    WEAKLY_TAKEN = 2,
    STRONGLY_TAKEN = 3,
};

// The cost of a block after one certain block.
struct edge {
    const struct rl_cycle_block *before;
    int half_cycles;
};

struct rl_cycle_block {
    enum rl_cycle_core core;
    uint32_t start, end;
    uint32_t capacity, count;
    uint32_t loads, stores;    // instructions among them
    uint32_t conditional_left; // instructions under the last IT
    int prediction;            // of the branch at its end
    uint32_t edge_count, edge_capacity;
    struct edge *edges; // the likely ones first
    struct rl_instruction instructions[];
};

struct rl_cycle_block *rl_cycle_block_new(enum rl_cycle_core core, uint32_t capacity)
{
    const size_t most = (SIZE_MAX - sizeof(struct rl_cycle_block)) / sizeof(struct rl_instruction);
    if (capacity > most) {
        return NULL;
    }
    struct rl_cycle_block *block = calloc(1, sizeof *block + capacity * sizeof *block->instructions);
    if (block) {
        block->core = core;
        block->capacity = capacity;
        block->prediction = WEAKLY_NOT_TAKEN;
    }
    return block;
}

void rl_cycle_block_free(struct rl_cycle_block *block)
{
    if (block) {
        free(block->edges);
        free(block);
    }
}

// How many instructions the IT instruction `code` makes conditional; 0 for others.
static uint32_t length_of_it(const uint8_t *code)
{
    const bool is_it = code[1] == 0xBF && code[0] & 15;
    uint32_t length = is_it ? 4 : 0;
    for (uint32_t mask = code[0]; is_it && !(mask & 1); mask >>= 1) {
        length--;
    }
    return length;
}

bool rl_cycle_block_add(struct rl_cycle_block *block, const uint8_t *code, uint32_t address)
{
    if (block->count == block->capacity) {
        return false;
    }
    const struct rl_instruction added = rl_instruction_decode(block->core, code, address, block->conditional_left > 0);
    const uint32_t more = length_of_it(code);
    if (block->count == 0) {
        block->start = address;
    }
    block->end = address + added.bytes;
    block->instructions[block->count++] = added;
    block->loads += rl_is_load(&added) ? 1 : 0;
    block->stores += rl_is_store(&added) ? 1 : 0;
    block->conditional_left -= block->conditional_left ? 1 : 0;
    block->conditional_left = more ? more : block->conditional_left;
    return true;
}

enum rl_cycle_access rl_cycle_block_access(const struct rl_cycle_block *block)
{
    const struct rl_instruction *last = &block->instructions[block->count - 1];
    if (rl_is_memory(last) && last->element_bytes > 1 && block->core != RL_CYCLES_M0) {
        return RL_CYCLES_MAY_BE_UNALIGNED;
    }
    const bool loads = last->kind == KIND_LOAD || last->kind == KIND_MULTIPLE_LOAD;
    return loads || (last->kind == KIND_VECTOR && last->pipe == PIPE_MEMORY) ? RL_CYCLES_LOADS : RL_CYCLES_NO_ACCESS;
}

uint32_t rl_cycle_block_start(const struct rl_cycle_block *block)
{
    return block->start;
}

uint32_t rl_cycle_block_end(const struct rl_cycle_block *block)
{
    return block->end;
}

uint32_t rl_cycle_block_loads(const struct rl_cycle_block *block)
{
    return block->loads;
}

uint32_t rl_cycle_block_stores(const struct rl_cycle_block *block)
{
    return block->stores;
}

static void issue_all(struct rl_scoreboard *board, const struct rl_cycle_block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        rl_scoreboard_issue(board, &block->instructions[i]);
    }
}

static int cost_after(const struct rl_cycle_block *before, const struct rl_cycle_block *block)
{
    struct rl_scoreboard board;
    rl_scoreboard_reset(&board, block->core);
    int from = 0;
    if (before) {
        issue_all(&board, before);
        from = rl_scoreboard_position(&board);
        if (before->end != block->start) {
            rl_scoreboard_jump(&board, &block->instructions[0]);
        }
    }
    issue_all(&board, block);
    return rl_scoreboard_position(&board) - from;
}

static struct edge *add_edge(struct rl_cycle_block *block, const struct rl_cycle_block *before)
{
    if (block->edge_count == block->edge_capacity) {
        const uint32_t capacity = block->edge_capacity ? 2 * block->edge_capacity : 4;
        struct edge *edges = realloc(block->edges, capacity * sizeof *edges);
        if (!edges) {
            return NULL;
        }
        block->edges = edges;
        block->edge_capacity = capacity;
    }
    struct edge *edge = &block->edges[block->edge_count++];
    *edge = (struct edge){before, cost_after(before, block)};
    return edge;
}

// NULL without memory. Moves what it finds to the front by a place.
static const struct edge *find_edge(struct rl_cycle_block *block, const struct rl_cycle_block *before)
{
    uint32_t i = 0;
    while (i < block->edge_count && block->edges[i].before != before) {
        i++;
    }
    if (i == block->edge_count) {
        return add_edge(block, before);
    }
    if (i > 0) {
        const struct edge found = block->edges[i];
        block->edges[i] = block->edges[i - 1];
        block->edges[--i] = found;
    }
    return &block->edges[i];
}

static int cost_of_prediction(struct rl_cycle_block *block, bool taken)
{
    const bool guess = block->prediction >= WEAKLY_TAKEN;
    if (taken && block->prediction < STRONGLY_TAKEN) {
        block->prediction++;
    } else if (!taken && block->prediction > 0) {
        block->prediction--;
    }
    return guess == taken ? 0 : M7_WRONG_GUESS;
}

static int cost_of_loop_end(struct rl_cycle_clock *clock, uint32_t address, bool taken)
{
    const bool known = clock->loop_end == address;
    clock->loop_end = taken ? address : 0;
    return taken && !known ? M55_FIRST_LOOP_END : 0;
}

// What leaving `before` costs beside the refill, which depends on the past.
static int cost_of_flow(struct rl_cycle_clock *clock, struct rl_cycle_block *before, bool taken)
{
    const struct rl_instruction *last = &before->instructions[before->count - 1];
    if (clock->core == RL_CYCLES_M7 && last->kind == KIND_BRANCH && last->is_conditional) {
        return cost_of_prediction(before, taken);
    }
    if (clock->core == RL_CYCLES_M55 && last->kind == KIND_LOOP_END) {
        return cost_of_loop_end(clock, last->address, taken);
    }
    return 0;
}

int64_t rl_cycle_clock_enter(struct rl_cycle_clock *clock, struct rl_cycle_block *block)
{
    struct rl_cycle_block *before = clock->last;
    const struct edge *edge = find_edge(block, before);
    if (!edge) {
        return -1;
    }
    int64_t half_cycles = edge->half_cycles;
    if (before) {
        half_cycles += 2 * cost_of_flow(clock, before, before->end != block->start);
    }
    clock->half_cycles += (uint64_t)half_cycles;
    clock->last = block;
    return half_cycles;
}

void rl_cycle_clock_access(struct rl_cycle_clock *clock, uint64_t address, uint32_t bytes)
{
    static const uint8_t penalties[RL_CYCLES_CORES] = {0, 1, 1, 3, 1, 1};
    if (address & (bytes - 1)) {
        clock->waits += penalties[clock->core];
    }
}

uint64_t rl_cycle_clock_cycles(const struct rl_cycle_clock *clock)
{
    return clock->half_cycles / 2 + clock->waits;
}
