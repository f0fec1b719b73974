// SPDX-License-Identifier: Apache-2.0
//
// The structs of the kernels as data: what a layer in C is written from.
#ifndef RL_COMPILER_C_FIELDS_H
#define RL_COMPILER_C_FIELDS_H

#include <stddef.h>

#include "compiler/c/record.h"

enum rl_c_kind {
    RL_C_INT32,
    RL_C_UINT32,
    RL_C_INT8,
    RL_C_BOOL,
    RL_C_FLOAT,
    RL_C_ENUM,
    RL_C_POINTER,
    RL_C_UNION, // of pointers
    RL_C_STRUCT
};

struct rl_c_struct;

// One member, or an array of them. Of a union, the first member, whose type every pointer in it is written with.
struct rl_c_field {
    const char *name;
    enum rl_c_kind kind;
    size_t offset;
    int count;                        // elements; 0: not an array
    int inner;                        // of an array of arrays: elements of one; else 0
    const char *type;                 // of what a pointer points to
    const char *const *names;         // of the values of an enum, from 0 on
    const struct rl_c_struct *layout; // of a struct
};

struct rl_c_struct {
    const char *name;
    size_t bytes;
    const struct rl_c_field *fields; // in order; ends with a NULL name
};

enum rl_c_form {
    RL_C_FORM_UNARY,
    RL_C_FORM_UNARY_SCRATCH,
    RL_C_FORM_BINARY,
    RL_C_FORM_BINARY_SCRATCH,
    RL_C_FORM_OTHER
};

struct rl_c_function_info {
    const char *name; // "rl_pad_run"
    enum rl_c_form form;
    const struct rl_c_struct *layer;
    const char *from, *to; // types of elements; NULL for RL_C_FORM_OTHER
};

const struct rl_c_function_info *rl_c_function_get(enum rl_c_function function);

#endif
