// SPDX-License-Identifier: Apache-2.0
//
// Writes a .pte file from a description of the program. Host code. The same description gives the same bytes; equal
// tables, vectors and strings of the file are stored once.
//
// The describer decides values, indices, plan and order; where bytes lie in the file is decided here.
#ifndef RL_FORMAT_PTE_WRITER_H
#define RL_FORMAT_PTE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/pte.h"
#include "rushlight/status.h"
#include "rushlight/types.h"

struct rl_pte_tensor_description {
    enum rl_scalar_type dtype;
    int rank;
    const int32_t *sizes;     // logical
    const uint8_t *dim_order; // permutation of 0..rank-1, outermost first
    uint32_t constant;        // 1 + index in rl_pte_description.constants; 0: the tensor is not a constant
    uint32_t memory_id;       // 1 and up: the planned buffer it lies in; 0: not planned
    uint64_t memory_offset;   // in that buffer; a multiple of RL_PTE_ALIGNMENT
    uint32_t initial;         // of a planned tensor: 1 + index in rl_pte_description.initials; 0: no first value
};

struct rl_pte_value_description {
    enum rl_pte_kind kind;
    int count; // items of a list
    union {
        int64_t integer;
        bool boolean;
        double number;
        const char *string;
        const int32_t *indices; // INT_LIST, TENSOR_LIST, OPTIONAL_TENSOR_LIST: indices of values (-1: None)
        const double *numbers;  // DOUBLE_LIST
        const bool *booleans;   // BOOL_LIST
        struct rl_pte_tensor_description tensor;
    } as;
};

struct rl_pte_operator_description {
    const char *name;     // "cortex_m::quantized_add"
    const char *overload; // "out"
};

// A kernel call. `args` are indices of values in schema order, then each output, then the returned value: the one
// output again, or, for an operator with several outputs, a TENSOR_LIST value of them.
struct rl_pte_instruction_description {
    int op_index;
    int arg_count;
    const int32_t *args;
};

// What an instruction is called; see struct rl_pte_name of format/pte_names.h.
struct rl_pte_name_description {
    const char *layer;
    const char *node;
};

struct rl_pte_method_description {
    const char *name; // "forward"
    int value_count;
    const struct rl_pte_value_description *values;
    int input_count;
    const int32_t *inputs; // indices of values
    int output_count;
    const int32_t *outputs;
    int operator_count;
    const struct rl_pte_operator_description *operators;
    int instruction_count;
    const struct rl_pte_instruction_description *instructions;
    int buffer_count;            // planned buffers, without the unused entry 0 that the file has
    const int64_t *buffer_sizes; // of memory 1, 2, ...
    const char *input_tree;      // pytree strings; NULL: left out
    const char *output_tree;
    const struct rl_pte_name_description *names; // by instruction; NULL: none
};

struct rl_pte_constant_description {
    const void *data;
    size_t size; // bytes
};

struct rl_pte_description {
    int method_count;
    const struct rl_pte_method_description *methods;
    int constant_count;
    const struct rl_pte_constant_description *constants;
    int initial_count; // first values of tensors that the program changes and keeps from run to run
    const struct rl_pte_constant_description *initials;
    size_t *name_bytes; // is told what the names of the methods take in the file; NULL: nobody asks
};

// Memory of the writer. `reallocate` works like realloc but is told the old size (0 with block NULL at first; new_size
// 0 frees and returns NULL); it returns NULL when memory runs out. NULL: the C library's realloc is used.
struct rl_pte_allocator {
    void *(*reallocate)(void *user, void *block, size_t old_size, size_t new_size);
    void *user;
};

// On RL_OK *file is a block of *size bytes from the allocator (aligned as the allocator aligns), which the caller frees
// with it. Otherwise *message is a constant sentence that says what is wrong with the description (RL_ERROR_ARGUMENT)
// or that memory ran out (RL_ERROR_OUT_OF_MEMORY).
enum rl_status rl_pte_write(const struct rl_pte_description *description, const struct rl_pte_allocator *allocator,
                            uint8_t **file, size_t *size, const char **message);

#endif
