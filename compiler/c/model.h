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

// Bytes of the arena.
struct rl_c_span {
    size_t offset, bytes;
};

struct rl_c_spans {
    struct rl_c_span *items;
    int count;
};

// An input or an output.
struct rl_c_tensor {
    struct rl_tensor tensor;
    struct rl_io_grid grid; // scale 0: none
    const char *name;       // as in the model; NULL: unknown
    const char *identifier; // the same in C, unlike those of all others of its side; NULL: unknown
};

struct rl_c_model {
    struct rl_context *context;
    struct rl_arena *arena;
    const struct rl_c_options *options;
    const char *upper; // the name in capitals
    struct rl_host_program *program;
    struct rl_buffer memory; // all that it writes
    // What is cleared before each run, because it may read there what nothing has written, and when the model is reset.
    struct rl_c_spans cleared, reset;
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
    const char **operators; // as in struct rl_c_source
    int operator_count;
    uint32_t operator_bytes; // of flash: their arguments
    bool failed;             // an address belongs to nothing
};

// Names of `count` inputs or outputs: the keys of the tree, such as "boxes" or "aux.0", and where no key leads to one
// its `own` name (NULL: none).
const char *const *rl_c_names(struct rl_arena *arena, const char *tree, const char *const *own, int count);

// Gives each tensor with a name an identifier.
void rl_c_name_tensors(struct rl_arena *arena, struct rl_c_tensor *tensors, int count);

// The element type of a constant or tensor in C. Floats of constants are written as their bits.
const char *rl_c_constant_type(uint8_t dtype);
const char *rl_c_tensor_type(uint8_t dtype);

// The address as an expression of type `type *`, which may be const. Marks the constant that it lies in.
void rl_c_print_address(FILE *out, struct rl_c_model *model, const char *type, const void *address);

// Whether the layer has an address in the arena.
bool rl_c_points_to_arena(const struct rl_c_model *model, const struct rl_c_call *call);

// The initializer of the layer of a call, with braces. Lines start with `indent` spaces.
void rl_c_print_layer(FILE *out, struct rl_c_model *model, const struct rl_c_call *call, int indent);

// The arguments of a call of an operator, as constants: operator_INDEX.
void rl_c_print_arguments(FILE *out, struct rl_c_model *model, const struct rl_c_call *call, int index);

// Whether operators are called as they are. The function that runs the model then returns whether they accepted their
// data.
bool rl_c_calls_operators(const struct rl_c_model *model);

// Whether a run can fail, and tells so.
bool rl_c_can_refuse(const struct rl_c_model *model);

// The function of an operator that is called as it is: "rl_run_aten_exp". Adds it to those of the model.
const char *rl_c_operator_function(struct rl_c_model *model, const struct rl_c_call *call);
// The array of labels, if there are any.
void rl_c_print_labels(FILE *out, const struct rl_c_model *model);

// The runtime form of model.c, and program.c.
void rl_c_print_runtime_source(FILE *out, struct rl_c_model *model);
void rl_c_print_program(FILE *out, struct rl_c_model *model);

void rl_c_print_source(FILE *out, struct rl_c_model *model);
void rl_c_print_header(FILE *out, struct rl_c_model *model);

#endif
