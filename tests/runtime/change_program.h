// SPDX-License-Identifier: Apache-2.0
//
// Changes fields of a written program, to make what no compiler writes.
#ifndef RL_TESTS_RUNTIME_CHANGE_PROGRAM_H
#define RL_TESTS_RUNTIME_CHANGE_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "format/pte_reader.h"
#include "rushlight/registry.h"
#include "rushlight/runtime.h"

// The first method of a file that is about to be changed.
struct opened {
    struct rl_pte pte;
    struct rl_pte_plan plan;
};
struct opened open_file(const uint8_t *file, size_t size);

void store(uint8_t *file, uint32_t position, uint32_t number);

// Makes a kernel call a move or a jump: each has two fields of 32 bits.
void make_move(uint8_t *file, size_t size, uint32_t index, uint32_t from, uint32_t to);
void make_jump(uint8_t *file, size_t size, uint32_t index, uint32_t condition, uint32_t destination);

// Change the element type of a tensor, one of its sizes, an argument of a call, and an int.
void set_type(uint8_t *file, size_t size, uint32_t value, enum rl_scalar_type dtype);
void set_size(uint8_t *file, size_t size, uint32_t value, uint32_t dimension, int32_t length);
void set_argument(uint8_t *file, size_t size, uint32_t instruction, uint32_t argument, int32_t value);
void set_int(uint8_t *file, size_t size, uint32_t value, int32_t number);

#endif
