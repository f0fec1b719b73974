// SPDX-License-Identifier: Apache-2.0
//
// A .pte opened by the runtime on the host, with all the memory it needs.
#ifndef RL_COMPILER_HOST_PROGRAM_H
#define RL_COMPILER_HOST_PROGRAM_H

#include "compiler/support/arena.h"
#include "compiler/support/context.h"
#include "rushlight/operator.h"
#include "rushlight/registry.h"

// What to open. Program and data must be aligned to 16 bytes and outlive what is opened, as must `source`.
struct rl_host_files {
    const char *source;  // for messages
    const void *program; // a .pte
    size_t program_size;
    const void *data; // the .ptd of tensors that the program has outside; NULL if there is none
    size_t data_size;
    const char *method;       // NULL: forward, or else the first one
    bool require_checksum;    // refuses a program without one; a wrong one is refused in any case
    const void *const *bound; // what the last inputs are, which have no place in the plan; it must outlive the program
    uint32_t bound_count;
};

struct rl_host_program {
    const char *source;
    struct rl_program program;
    uint32_t method_index;
    struct rl_method method;
    struct rl_requirements needs;
    struct rl_buffer buffers[RL_MAX_BUFFERS];
    const void *const *bound; // as in rl_host_files
    uint32_t bound_count;
    uint64_t max_steps; // of one run; rl_host_program_open sets RL_HOST_MAX_STEPS, the caller may change it
};

// A program that jumps back may never end. Honest ones need far fewer instructions.
enum { RL_HOST_MAX_STEPS = 100000000 };

// Compares the program with its checksum, if it has one or must have one, verifies it completely and prepares one of
// its methods. Inputs and outputs that the plan leaves to the caller get memory from the arena. A program whose buffers
// need more than 4 GiB in all, which no core can address, is refused before memory is reserved. `arena` must outlive
// the program, which must not be copied. The message of an error lists all missing operators, or the methods of the
// program.
enum rl_status rl_host_program_open(struct rl_context *context, struct rl_arena *arena,
                                    const struct rl_host_files *files, struct rl_host_program *program);

// Prepares the method of an open program once more, with memory of its own, to run beside it. Nothing is checked again.
// What was opened must outlive it.
enum rl_status rl_host_program_open_again(struct rl_context *context, struct rl_arena *arena,
                                          const struct rl_host_program *opened, struct rl_host_program *program);

// The number of the method that `files` names. The message of an error lists the methods of the program.
enum rl_status rl_host_find_method(struct rl_context *context, struct rl_arena *arena,
                                   const struct rl_host_files *files, const struct rl_program *program,
                                   uint32_t *method);

// The number and the names of the operators of an open program, verified or not, that the runtime does not have.
int rl_host_missing_operators(struct rl_arena *arena, const struct rl_program *program, const char ***names);

// Changes the sizes of input `index`. Its shape must be dynamic, or have these sizes already.
enum rl_status rl_host_program_resize_input(struct rl_context *context, struct rl_host_program *program, uint32_t index,
                                            uint32_t rank, const int32_t *sizes);

// Sets input `index` from dense elements in logical (C) order.
enum rl_status rl_host_program_set_input(struct rl_context *context, struct rl_host_program *program, uint32_t index,
                                         const void *elements, size_t bytes);

// Gives the program's states their first values again.
enum rl_status rl_host_program_reset(struct rl_context *context, struct rl_host_program *program);

// Runs the program from its start; an error if it has not ended after max_steps instructions.
enum rl_status rl_host_program_execute(struct rl_context *context, struct rl_host_program *program);

// Runs one instruction of a program that rl_method_restart has prepared.
enum rl_status rl_host_program_step(struct rl_context *context, struct rl_host_program *program, bool *done);

// Makes `instruction` the next one, of a program without branches. Its memory must be as it was there.
void rl_host_program_continue_at(struct rl_host_program *program, int instruction);

// Moves the planned memory. The caller brings what the next instructions read, and the program never starts again if
// there is less than it needs.
void rl_host_program_move(struct rl_host_program *program, void *memory, size_t bytes);

// Records the message of an instruction that failed with `status`, which is returned.
enum rl_status rl_host_program_failed(struct rl_context *context, const struct rl_host_program *program,
                                      enum rl_status status);

// Copies output `index` as dense elements in logical (C) order; `bytes` must be the tensor's.
enum rl_status rl_host_program_get_output(struct rl_context *context, struct rl_host_program *program, uint32_t index,
                                          void *elements, size_t bytes);

#endif
