// SPDX-License-Identifier: Apache-2.0
//
// A program as C source: model.c and model.h, which call the kernels directly. It gives the bytes that the runtime
// gives. docs/c.md is for users.
#ifndef RL_COMPILER_C_EMIT_H
#define RL_COMPILER_C_EMIT_H

#include "compiler/c/record.h"

struct rl_c_options {
    const char *name;          // a C identifier, with which all public names begin
    const char *model;         // the file that it was compiled from, for the comment at the top; no folder
    const char *core;          // that it was planned for, for the same comment; NULL: unknown
    enum rl_isa isa;           // of that core
    const char *const *inputs; // their names in the exported graph, or NULL
    const char *const *outputs;
    const char *const *labels; // of classes, or NULL
    int label_count;
    bool arena_of_caller; // functions take the arena; else it is a variable
    // Of the runtime form: the objects of the operators that the program calls (rushlight/registry.h), and whether the
    // registry has .flow. NULL: the model becomes calls of the kernels.
    const char *const *registry;
    int registry_count;
    bool has_flow;
};

struct rl_c_source {
    const char *name;            // of the options
    const char *source, *header; // model.c and model.h
    const char *program;         // program.c of the runtime form; else NULL
    size_t source_bytes, header_bytes, program_bytes;
    const char **functions; // the kernels that it calls, each once
    int function_count;
    const char **operators; // the functions of operators that it calls as they are, each once: rl_run_aten_exp
    int operator_count;
    bool can_refuse; // the function that runs it returns an int, which tells a refusal of data
    uint32_t arena_bytes, stack_bytes, state_bytes;
    uint32_t window_bytes;                // of the first input
    uint32_t constant_bytes, layer_bytes; // of flash; structs as they are on the host, which are larger
};

// The runtime form is model.c and model.h with the same names, over the runtime, which runs the .pte in program.c: any
// other program with the same interface can take its place while the firmware runs (examples/update). It has no
// `functions` and no bound of the stack.
//
// Writes the method `forward`, or the first one. Refuses programs whose values or shapes change. The calls that are
// written were made on the host, against the runtime, on made-up data.
enum rl_status rl_c_emit(struct rl_context *context, struct rl_arena *arena, const struct rl_host_files *files,
                         const struct rl_c_options *options, struct rl_c_source *result);

// `text` as a C identifier: other characters than letters, digits and _ become _, and a start that C or the kernels
// keep for themselves gets `model_` in front.
const char *rl_c_identifier(struct rl_arena *arena, const char *text);

// With capitals: what macros of model.h start with.
const char *rl_c_capitals(struct rl_arena *arena, const char *name);

#endif
