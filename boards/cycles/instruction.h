// SPDX-License-Identifier: Apache-2.0
//
// A Thumb instruction as the cycle model sees it: what it reads and writes, and how.
#ifndef RL_BOARDS_CYCLES_INSTRUCTION_H
#define RL_BOARDS_CYCLES_INSTRUCTION_H

#include "cycle_model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rl_kind {
    KIND_ALU,
    KIND_SHIFT,   // by a constant or a register, and nothing else
    KIND_SHIFTED, // with a shifted operand
    KIND_BITS,    // bit fields, extensions, reversals
    KIND_SIMD,
    KIND_MULTIPLY,
    KIND_ACCUMULATE,
    KIND_LONG_MULTIPLY,
    KIND_LONG_ACCUMULATE,
    KIND_DIVIDE,
    KIND_LOAD,
    KIND_STORE,
    KIND_MULTIPLE_LOAD,
    KIND_MULTIPLE_STORE,
    KIND_BRANCH,
    KIND_LOOP_START,
    KIND_LOOP_END,
    KIND_IT_OR_NOP,
    KIND_SYSTEM,
    KIND_FLOAT,
    KIND_FLOAT_MULTIPLY,
    KIND_FLOAT_ACCUMULATE,
    KIND_FLOAT_DIVIDE,
    KIND_FLOAT_MOVE,
    KIND_VECTOR, // Helium
};

// Where a vector instruction executes.
enum rl_pipe { PIPE_NONE, PIPE_MEMORY, PIPE_INTEGER, PIPE_MULTIPLY, PIPE_EITHER, PIPES }; // integer or multiply

// The stage that reads an operand: the later the stage, the sooner an operand is ready for it.
enum rl_reader {
    READ_MAIN,
    READ_EARLY,   // by a shifter or an early ALU
    READ_ADDRESS, // of memory
    READ_FACTOR,  // by a multiplier
    READ_SUM,     // as the accumulator of a multiplication
    READ_DATA,    // to be stored
    READERS
};

// Resources are bits: 0 to 15 the core's registers, then flags and predicate, then 32 single floats. A vector is four.
enum { RESOURCE_FLAGS = 16, RESOURCE_PREDICATE = 17, RESOURCE_SINGLE = 20, RESOURCES = 52 };

struct rl_instruction {
    uint64_t reads[READERS], writes;
    uint64_t updates; // the base register of a load or store that writes it back
    uint32_t address;
    enum rl_kind kind;
    enum rl_pipe pipe;
    uint8_t bytes;         // of the encoding: 2 or 4
    uint8_t words;         // moved to or from memory
    uint8_t element_bytes; // of one access to memory
    uint8_t latency;       // of a vector result
    uint8_t lanes;         // of a gather or scatter, else 0
    bool sets_flags;
    bool is_conditional; // a branch with a condition
    bool is_call;
    bool is_indirect;         // a branch to an address in a register or in memory
    bool is_table_branch;     // TBB, TBH
    bool is_simple;           // an ALU before the main one could execute it
    bool shifts_left;         // the shifted operand: by LSL
    bool rotates;             // an extension that rotates first
    bool has_register_offset; // the address: base and register
    bool writes_core;         // a float or vector instruction with a result in a core register
    uint8_t base;             // the register of the address
    int16_t offset;           // from it
};

// Decodes `code`, of 2 or 4 bytes as its first halfword says. `in_it`: an IT instruction makes it conditional.
struct rl_instruction rl_instruction_decode(enum rl_cycle_core core, const uint8_t *code, uint32_t address, bool in_it);

static inline bool rl_is_memory(const struct rl_instruction *instruction)
{
    return instruction->kind == KIND_LOAD || instruction->kind == KIND_STORE;
}

static inline bool rl_is_multiple(const struct rl_instruction *instruction)
{
    return instruction->kind == KIND_MULTIPLE_LOAD || instruction->kind == KIND_MULTIPLE_STORE;
}

static inline bool rl_is_load(const struct rl_instruction *instruction)
{
    const bool is_vector = instruction->kind == KIND_VECTOR && instruction->pipe == PIPE_MEMORY && instruction->writes;
    return instruction->kind == KIND_LOAD || instruction->kind == KIND_MULTIPLE_LOAD || is_vector;
}

static inline bool rl_is_store(const struct rl_instruction *instruction)
{
    const bool is_vector = instruction->kind == KIND_VECTOR && instruction->pipe == PIPE_MEMORY && !instruction->writes;
    return instruction->kind == KIND_STORE || instruction->kind == KIND_MULTIPLE_STORE || is_vector;
}

static inline bool rl_is_multiply(const struct rl_instruction *instruction)
{
    return instruction->kind >= KIND_MULTIPLY && instruction->kind <= KIND_LONG_ACCUMULATE;
}

static inline bool rl_is_float(const struct rl_instruction *instruction)
{
    return instruction->kind >= KIND_FLOAT && instruction->kind <= KIND_FLOAT_MOVE;
}

#endif
