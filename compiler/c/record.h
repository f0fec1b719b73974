// SPDX-License-Identifier: Apache-2.0
//
// What a program does, as a list of calls of the kernels. The operators of the runtime are compiled a second time, with
// functions in place of the kernels that write down how they were called (record.c). So a program in C calls what the
// runtime calls, with what the runtime reads from the program; there is no second reader of arguments.
#ifndef RL_COMPILER_C_RECORD_H
#define RL_COMPILER_C_RECORD_H

#include "compiler/host_program.h"
#include "rushlight/kernels/layer.h"
#include "rushlight/kernels/recurrent.h"

// The functions of functions.def.
enum rl_c_function {
#define RL_C_UNARY(name, layer, from, to)          RL_C_##name,
#define RL_C_UNARY_SCRATCH(name, layer, from, to)  RL_C_##name,
#define RL_C_BINARY(name, layer, from, to)         RL_C_##name,
#define RL_C_BINARY_SCRATCH(name, layer, from, to) RL_C_##name,
#define RL_C_OTHER(name, layer)                    RL_C_##name,
#include "compiler/c/functions.def"
#undef RL_C_UNARY
#undef RL_C_UNARY_SCRATCH
#undef RL_C_BINARY
#undef RL_C_BINARY_SCRATCH
#undef RL_C_OTHER
    RL_C_FUNCTIONS
};

// One call of a kernel, or of an operator: rl_direct_call. All addresses are those of the program on the host: in its
// arena, in its file, or NULL.
struct rl_c_call {
    enum rl_c_function function;
    uint32_t instruction; // of the program
    const void *layer;    // a copy of the struct
    const void *from[2];
    void *to;
    struct rl_scratch scratch[2];    // the second one for the filters of a transposed convolution
    struct rl_recurrent_state state; // of rl_recurrent_run
    uint32_t count;                  // elements that are quantized or dequantized,
    bool wide;                       // to or from int16
    struct rl_call call;             // of rl_direct_call
};

struct rl_c_calls {
    struct rl_c_call *items;
    int count;
};

// Moves planned buffers, and inputs and outputs without a place in the plan, into one block, and prepares the program's
// method again, with its first values.
enum rl_status rl_c_gather(struct rl_context *context, struct rl_arena *arena, struct rl_host_program *program,
                           struct rl_buffer *memory);

// Prepares another method on that block.
enum rl_status rl_c_prepare(struct rl_arena *arena, struct rl_host_program *program, const struct rl_registry *registry,
                            const struct rl_buffer *memory, struct rl_method *method, struct rl_error *error);

// Runs the program with operators that only write down what they would call. Those that are not in operators.def, or
// that compute without a kernel for the shapes and types of a call, are called as they are.
enum rl_status rl_c_record(struct rl_context *context, struct rl_arena *arena, struct rl_host_program *program,
                           const struct rl_buffer *memory, struct rl_c_calls *calls);

// Turns calls into those of functions that have no other loops than the layers take on cores with that instruction set.
void rl_c_narrow(struct rl_arena *arena, const struct rl_c_calls *calls, enum rl_isa isa);

// Makes the calls, on the addresses in them.
void rl_c_replay(const struct rl_c_calls *calls);

#endif
