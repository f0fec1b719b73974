// SPDX-License-Identifier: Apache-2.0
//
// What the printers of model.c and model.h share: a recorded program and the names of its parts.
#ifndef RL_COMPILER_C_MODEL_H
#define RL_COMPILER_C_MODEL_H

#include <stdio.h>

#include "compiler/c/emit.h"
#include "compiler/ir/graph.h"
#include "format/pte_reader.h"

struct rl_c_constant {
    const uint8_t *data; // in the file of the program
    size_t bytes;
    uint8_t dtype; // enum rl_scalar_type
    bool is_used;
};

struct rl_c_state {
    uint32_t offset, bytes; // in the arena
    const uint8_t *initial;
    bool is_zero;
};

// An input or an output.
struct rl_c_tensor {
    struct rl_tensor tensor;
    struct rl_io_grid grid; // scale 0: none
    const char *name;       // as in the model; NULL: unknown
};

struct rl_c_model {
    struct rl_context *context;
    struct rl_arena *arena;
    const struct rl_c_options *options;
    const char *upper; // the name in capitals
    struct rl_host_program *program;
    struct rl_c_calls calls;
    struct rl_c_constant *constants; // in the order of the file
    int constant_count;
    struct rl_c_state *states;
    int state_count;
    struct rl_c_tensor *inputs, *outputs;
    int input_count, output_count;
    const uint8_t *program_file; // the .pte
    size_t program_bytes;
    uint64_t work; // of one inference (rl_method_work), in the runtime form
    uint32_t program_crc;
    uint32_t arena_bytes, state_bytes, stack_bytes;
    bool failed; // an address belongs to nothing
};

// The element type of a constant or tensor in C. Floats of constants are written as their bits.
const char *rl_c_constant_type(uint8_t dtype);
const char *rl_c_tensor_type(uint8_t dtype);

// The address as an expression of type `type *`, which may be const. Marks the constant that it lies in.
void rl_c_print_address(FILE *out, struct rl_c_model *model, const char *type, const void *address);

// Whether the layer has an address in the arena.
bool rl_c_points_to_arena(const struct rl_c_model *model, const struct rl_c_call *call);

// The initializer of the layer of a call, with braces. Lines start with `indent` spaces.
void rl_c_print_layer(FILE *out, struct rl_c_model *model, const struct rl_c_call *call, int indent);

// The array of labels, if there are any.
void rl_c_print_labels(FILE *out, const struct rl_c_model *model);

// The runtime form of model.c, and program.c.
void rl_c_print_runtime_source(FILE *out, struct rl_c_model *model);
void rl_c_print_program(FILE *out, struct rl_c_model *model);

void rl_c_print_source(FILE *out, struct rl_c_model *model);
void rl_c_print_header(FILE *out, struct rl_c_model *model);

#endif
