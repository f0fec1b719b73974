// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a program that matter: those of tensors, values and instructions, and their places in the file.
#ifndef RL_TESTS_FUZZ_PTE_FIELDS_H
#define RL_TESTS_FUZZ_PTE_FIELDS_H

#include "format/pte_reader.h"

enum { MOST_FIELDS = 4096 };

enum field_role {
    FIELD_SIZE,     // of a tensor along a dimension
    FIELD_ORDER,    // of its dimensions in memory
    FIELD_TYPE,     // of its elements
    FIELD_OFFSET,   // in its planned buffer
    FIELD_MEMORY,   // that buffer
    FIELD_OTHER,    // of a tensor: constant, storage offset, dynamism
    FIELD_INT,      // values
    FIELD_BOOL,     //
    FIELD_DOUBLE,   //
    FIELD_ITEM,     // index of a value, in a list
    FIELD_COUNT,    // items of a list
    FIELD_ARGUMENT, // index of a value, in a call, a move or among the ends of the method
    FIELD_CODE,     // operator, kind of instruction, sizes of planned buffers, tables of values
};

struct field {
    uint32_t position, width;
    enum field_role role;
};

struct fields {
    struct field items[MOST_FIELDS];
    uint32_t count;
};

// All of a method; those of one instruction and of the values that it names.
void fields_of_plan(struct fields *fields, const struct rl_pte *pte, const struct rl_pte_plan *plan);
void fields_of_instruction(struct fields *fields, const struct rl_pte *pte, const struct rl_pte_plan *plan,
                           uint32_t index);

uint64_t field_read(const uint8_t *file, const struct field *field);
void field_write(uint8_t *file, const struct field *field, uint64_t number);

#endif
