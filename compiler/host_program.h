// SPDX-License-Identifier: Apache-2.0
//
// A .pte opened by the runtime on the host, with all the memory it needs.
#ifndef RL_COMPILER_HOST_PROGRAM_H
#define RL_COMPILER_HOST_PROGRAM_H

#include "compiler/support/arena.h"
#include "compiler/support/context.h"
#include "rushlight/runtime.h"

struct rl_host_program {
    const char *source; // for messages
    struct rl_program program;
    struct rl_method method; // the first one of the program
    struct rl_requirements needs;
    struct rl_buffer buffers[RL_MAX_BUFFERS];
};

// Compares the program with its checksum, if it has one, verifies it completely and prepares its first
// method. `file` must be aligned to 16 bytes and outlive the program, as must `source` and `arena`; the
// program must not be copied. `data` is the file
// (.ptd) of tensors that the program keeps outside, with the same alignment and life, or NULL. The message
// names what the runtime objects to.
enum rl_status rl_host_program_open(struct rl_context *context, struct rl_arena *arena, const char *source,
                                    const void *file, size_t size, const void *data, size_t data_size,
                                    struct rl_host_program *program);

// Sets input `index` from dense elements in logical (C) order.
enum rl_status rl_host_program_set_input(struct rl_context *context, struct rl_host_program *program,
                                         uint32_t index, const void *elements, size_t bytes);

enum rl_status rl_host_program_execute(struct rl_context *context, struct rl_host_program *program);

// Copies output `index` as dense elements in logical (C) order; `bytes` must be the tensor's.
enum rl_status rl_host_program_get_output(struct rl_context *context, struct rl_host_program *program,
                                          uint32_t index, void *elements, size_t bytes);

#endif
