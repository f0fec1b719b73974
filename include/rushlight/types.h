// SPDX-License-Identifier: Apache-2.0
//
// The element types of tensors and the kinds of values, numbered as in a .pte.
#ifndef RUSHLIGHT_TYPES_H
#define RUSHLIGHT_TYPES_H

#include <stdbool.h>
#include <stddef.h>

// Element types (c10::ScalarType).
enum rl_scalar_type {
    RL_UINT8 = 0,
    RL_INT8 = 1,
    RL_INT16 = 2,
    RL_INT32 = 3,
    RL_INT64 = 4,
    RL_FLOAT16 = 5,
    RL_FLOAT32 = 6,
    RL_FLOAT64 = 7,
    RL_COMPLEX64 = 9, // of a model before its operators are lowered; no program has it
    RL_BOOL = 11,
    RL_BFLOAT16 = 15,
    RL_UINT16 = 27,
    RL_UINT32 = 28,
    RL_UINT64 = 29
};

// Bytes of one element; 0 for a type not listed above.
static inline size_t rl_scalar_size(int type)
{
    switch (type) {
    case RL_UINT8:
    case RL_INT8:
    case RL_BOOL:
        return 1;
    case RL_INT16:
    case RL_FLOAT16:
    case RL_BFLOAT16:
    case RL_UINT16:
        return 2;
    case RL_INT32:
    case RL_FLOAT32:
    case RL_UINT32:
        return 4;
    case RL_INT64:
    case RL_FLOAT64:
    case RL_UINT64:
        return 8;
    default:
        return 0;
    }
}

static inline bool rl_scalar_is_floating(enum rl_scalar_type type)
{
    return type == RL_FLOAT32 || type == RL_FLOAT64 || type == RL_FLOAT16 || type == RL_BFLOAT16;
}

// Kinds of values (the union KernelTypes).
enum rl_pte_kind {
    RL_PTE_INVALID = 0,
    RL_PTE_NULL = 1,
    RL_PTE_INT = 2,
    RL_PTE_BOOL = 3,
    RL_PTE_DOUBLE = 4,
    RL_PTE_TENSOR = 5,
    RL_PTE_STRING = 6,
    RL_PTE_INT_LIST = 7,    // of indices of int values
    RL_PTE_DOUBLE_LIST = 8, // of numbers
    RL_PTE_BOOL_LIST = 9,
    RL_PTE_TENSOR_LIST = 10,         // of indices of tensor values
    RL_PTE_OPTIONAL_TENSOR_LIST = 11 // -1 stands for None
};

#endif
