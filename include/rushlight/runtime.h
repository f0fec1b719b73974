// SPDX-License-Identifier: Apache-2.0
//
// The Rushlight runtime: runs an ExecuTorch program (.pte) in place, from flash or any read-only memory.
//
// The order of calls, each of which returns an enum rl_status (RL_OK is 0), as in examples/firmware/main.c:
//
//     rl_program_open(&program, file, size, &error)
//     rl_program_verify(&program, &registry, &error)             or rl_program_trust: see below
//     rl_method_requirements(&program, 0, &needs, &error)        sizes of the buffers and the state
//     rl_method_init(&method, &program, 0, &registry, buffers, count, state, state_bytes, &error)
//     rl_method_set_input(&method, 0, data, bytes)               each input, before each execution
//     rl_method_execute(&method)                                 or rl_method_step, some operators at a time
//     rl_method_output(&method, 0, &tensor)
//
// Memory. The runtime never allocates and has no variables of its own. The caller provides the file, the two structs,
// the planned buffers and the state, and keeps them as long as the method is used. Several programs, and several
// methods of one program, may be used at the same time as long as each has its own structs, buffers and state.
//
// Trust (docs/trust.md). rl_program_verify proves once that the file's tables and constants lie inside it, aligned,
// that its tensors fit the planned buffers, and that operators get arguments that they take; it refuses every other
// file. After that, whatever the file says, execution reads and writes nothing but the file, the planned buffers and
// the memory that the caller bound: structure is not looked at again, and what depends on data or on sizes that change
// is checked at each call. Bytes that change after verification are outside this promise: a program in RAM that others
// can write to must be verified again. A firmware whose image was verified when it was made, and is protected by a
// signature or a checksum, may call rl_program_trust instead. rl_method_init refuses a program that is neither verified
// nor trusted.
//
// Interrupts and threads. No function waits, locks or keeps anything of its own. Each may be called from an interrupt
// handler, also while it runs elsewhere, as long as the structs differ:
//   - on one rl_method, call one function at a time, and do not access its buffers and state meanwhile. An interrupt
//     handler that runs during rl_method_step collects the next input in memory of its own. To stop the execution, it
//     sets a flag that a hook or the loop around rl_method_step reads;
//   - on one rl_program, rl_program_open, _attach, _verify and _trust must run alone; all others only read it.
// The depth of the stack depends on which operators the program calls, and not on their arguments.
#ifndef RUSHLIGHT_RUNTIME_H
#define RUSHLIGHT_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rushlight/file.h"
#include "rushlight/status.h"
#include "rushlight/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RL_ALIGNMENT = 16, // of the file and of every planned buffer, in bytes; the state is aligned like a pointer
    RL_MAX_BUFFERS = 8 // the most planned buffers of a method
};

struct rl_call;     // rushlight/operator.h
struct rl_registry; // rushlight/registry.h
struct rl_ptd_search;
struct rl_method;

// ---- program

// The fields are the runtime's own.
struct rl_program {
    struct rl_pte pte;
    struct rl_ptd data; // the attached file of tensors
    // rl_ptd_find once a file is attached, NULL before, so that a firmware that attaches no file does not link it.
    bool (*find_data)(const struct rl_ptd *data, struct rl_ptd_search *search);
    const struct rl_control_flow *flow; // of the registry with which it was verified or trusted
    // Clears the planned memory of a method (enum rl_cleared), or the work spaces of a call, if verification found that
    // a method may read what it has not written. Else NULL.
    void (*clear)(const struct rl_method *method, unsigned cleared, const struct rl_call *call);
    bool proved;    // verified or trusted
    uint8_t shapes; // enum rl_shapes: whether shapes of tensors change
};

// Checks only the headers. `data` must be aligned to RL_ALIGNMENT; sizes of 2 GiB and more are refused. In every
// function `error` may be NULL. RL_ERROR_ARGUMENT without data, RL_ERROR_MEMORY if it is not aligned, RL_ERROR_FORMAT
// if it is not a .pte.
enum rl_status rl_program_open(struct rl_program *program, const void *data, size_t size, struct rl_error *error);

// Gives an open program the file (.ptd) with the tensors that it has outside, by name. Call it before the program is
// verified. The file must be aligned to RL_ALIGNMENT and, like the program, stay where it is. Errors as above.
enum rl_status rl_program_attach(struct rl_program *program, const void *data, size_t size, struct rl_error *error);

// Checks every method of an open program: structure, indices, types of arguments against the operators' signatures,
// bounds of constants and planned tensors, dimension orders. Then each operator that is called checks its arguments as
// far as they do not change while the method runs: element types, shapes, ranges, the work space on this core. No
// operator computes or accesses any memory but the file. Takes about the time of a small inference, at most time linear
// in the file, and the stack on which operators read their arguments. RL_ERROR_FORMAT for a damaged file,
// RL_ERROR_UNSUPPORTED for features that this runtime does not have (delegates, more than RL_MAX_BUFFERS) and for a
// file that would take longer, RL_ERROR_MISSING_OPERATOR for an operator that the registry does not have, RL_ERROR_TYPE
// or RL_ERROR_MEMORY (a work space that is too small) for arguments that an operator refuses. `error` names the byte,
// the instruction, the argument or the operator.
enum rl_status rl_program_verify(struct rl_program *program, const struct rl_registry *registry,
                                 struct rl_error *error);

// Accepts an open program without checking it. It is for an image that was verified before, with a registry that had
// flow if this one has it, and that cannot have changed since. With any other file, execution may read and write
// anywhere, and memory that it reads before it writes it is not cleared. Only the shapes of inputs and outputs are
// examined for changes: a program in which only shapes between them change must be verified.
void rl_program_trust(struct rl_program *program, const struct rl_registry *registry);

// Compares the checksum of an open program, which our compiler writes, with its bytes, tables and constants. It notices
// every change of up to 32 neighbouring bits and all but one in 2^32 others, such as ageing flash or an interrupted
// update cause. It replaces neither verification nor a signature: an attacker can write the checksum, too. Returns
// RL_ERROR_FORMAT if they differ, and RL_ERROR_UNSUPPORTED if the program has no checksum, like programs of other
// compilers. Takes less than 20 instructions a byte; may be called at any time.
enum rl_status rl_program_check(const struct rl_program *program, struct rl_error *error);

// The same for a caller all of whose programs carry a checksum, as all programs of our compiler do: a program without
// one is RL_ERROR_FORMAT, too. Damage to the mark of the checksum itself would otherwise pass for a program of another
// compiler.
enum rl_status rl_program_require_checksum(const struct rl_program *program, struct rl_error *error);

// How many methods the program has; they are numbered from 0.
uint32_t rl_program_method_count(const struct rl_program *program);

// The method's name, NUL-terminated, in the file; "" when it has none.
const char *rl_program_method_name(const struct rl_program *program, uint32_t method);

// The method of this name, as the `method` of the functions below; RL_ERROR_ARGUMENT when there is none.
enum rl_status rl_program_find_method(const struct rl_program *program, const char *name, uint32_t *method,
                                      struct rl_error *error);

// The int, double or bool that the method of this name returns without computing anything. Programs store facts about
// themselves in this way, such as `input0_scale` and `input0_zp` of an int8 input (0.02 and -128: a real number x is
// passed as x / 0.02 - 128, rounded). RL_ERROR_ARGUMENT if there is no such method, RL_ERROR_TYPE if it returns
// anything else.
enum rl_status rl_program_number(const struct rl_program *program, const char *name, double *number,
                                 struct rl_error *error);

// How much a method of a verified or trusted program may have to do, so that a firmware can refuse a program that would
// take it too long. The unit is a multiply-add, or one element of a tensor that is read or written. No operator takes
// more than 2,000 instructions a unit: 12,000 calls are counted on each core, of which floats on a Cortex-M0 take the
// most, 1,440. Convolutional networks in int8 take one to two. rl_method_init does not count.
struct rl_work {
    uint64_t largest;     // of one call; UINT64_MAX if it is more than that
    uint64_t clearing;    // of memory that nothing may have written, before each execution (docs/trust.md)
    uint64_t total;       // of clearing and of all instructions, each once; UINT64_MAX if it is more than that
    uint32_t instruction; // that takes the most
    bool repeats;         // an instruction may jump back, so that an execution may take more than `total`
};

// Finds these numbers. They hold for all shapes and values that the method may have while it runs. An execution is
// bounded by `total` or, if it repeats, by `clearing` and `largest` times the instructions that rl_method_step is
// given. Operators of a firmware's own take what their signatures say (struct rl_kernel). RL_ERROR_ARGUMENT for other
// programs and methods, RL_ERROR_MISSING_OPERATOR if the registry does not have an operator.
enum rl_status rl_method_work(const struct rl_program *program, uint32_t method, const struct rl_registry *registry,
                              struct rl_work *work, struct rl_error *error);

// ---- method

// Memory handed in by the caller, which stays the caller's.
struct rl_buffer {
    void *data;
    size_t bytes;
};

struct rl_requirements {
    uint32_t buffer_count;                 // planned buffers; most programs have one, the arena
    uint32_t buffer_bytes[RL_MAX_BUFFERS]; // of each
    uint32_t state_bytes;                  // of the runtime's own state of this method
    uint32_t kept_bytes;                   // optional bytes more, for a faster method: see rl_method_init
};

// The memory that a method of a verified or trusted program needs. RL_ERROR_ARGUMENT for other programs and methods.
enum rl_status rl_method_requirements(const struct rl_program *program, uint32_t method,
                                      struct rl_requirements *requirements, struct rl_error *error);

// Functions of the caller, called by rl_method_step and rl_method_execute; each may be NULL. `before` and `after` see
// each operator before and after it runs, for tracing, profiling and observing; a status other than RL_OK ends the
// execution with it. `failed` gets the reason why an execution ends with an error, just before the function returns it,
// for example to log it. Hooks run in the context of that function. On the same method they may call only rl_call_*
// (rushlight/operator.h), and only in `before` and `after`.
struct rl_hooks {
    enum rl_status (*before)(void *user, struct rl_call *call);
    enum rl_status (*after)(void *user, struct rl_call *call);
    void (*failed)(void *user, const struct rl_error *error);
    void *user;
};

// The fields are the runtime's own, except `error`.
struct rl_method {
    const struct rl_program *program;
    struct rl_pte_plan plan;
    const struct rl_buffer *buffers;
    uint32_t doubles;                   // tensors of float64: 0 not counted yet, 1 none, 2 some
    const struct rl_kernel **kernels;   // of plan.operators, in the state
    void **bound;                       // addresses of inputs and outputs that are not planned, in the state
    const struct rl_control_flow *flow; // of the registry
    struct rl_slot *slots;              // changed values, in the state; NULL if the program changes none
    const void **kept;                  // one for each of plan.instructions, in the state; NULL without room
    struct rl_buffer room;              // the rest of the state, for rl_call_keep
    struct rl_buffer spare;             // the part of the first planned buffer behind the plan
    struct rl_hooks hooks;
    struct rl_error error; // of the last failing call on this method
    uint32_t next;         // instruction that runs next
    // The made-up address of a tensor without a place in the plan, while operators only check their arguments
    // (rl_program_verify). NULL when operators compute.
    void *(*stand_in)(const struct rl_method *method, uint32_t value);
    uint8_t reason; // then: enum rl_reason of the last refusal
};

// Prepares a method; tensors that keep a state from run to run get their first value, or zeros if the file has none. If
// verification found that the method may read memory that it has not written, clears the planned memory, and each
// execution clears it again but for inputs and state. So outputs do not depend on what the memory held before.
// `buffers` needs requirements.buffer_count entries of at least the required sizes and `state`
// requirements.state_bytes; both are kept, not copied, and must not change. On failure the reason is in `error` and in
// method->error: RL_ERROR_MEMORY if a buffer or the state is missing, too small or not aligned,
// RL_ERROR_MISSING_OPERATOR with the name of an operator that the registry does not have, RL_ERROR_ARGUMENT as in
// rl_method_requirements.
//
// A larger state makes later runs faster: operators keep the layers that they prepared in the first run, and do not
// read and check arguments again. requirements.kept_bytes more are enough for all operators; with fewer, the first ones
// keep theirs. Methods whose values change keep nothing. For methods of more than 4,096 instructions, kept_bytes is 0.
//
// A larger first buffer saves stack: kernels put blocks there that they otherwise have on the stack, unless the program
// has planned them, as ours for cores with DSP instructions do. For keyword spotting (ds_cnn) of the stock flow 1,488
// bytes more are enough on those cores, 2,624 on cores without. All of a buffer belongs to the method while it runs.
enum rl_status rl_method_init(struct rl_method *method, const struct rl_program *program, uint32_t index,
                              const struct rl_registry *registry, const struct rl_buffer *buffers,
                              uint32_t buffer_count, void *state, size_t state_bytes, struct rl_error *error);

// Copies `hooks`, for all executions from now on. rl_method_init removes them.
void rl_method_set_hooks(struct rl_method *method, const struct rl_hooks *hooks);

// How many inputs and outputs the method has; they are numbered from 0.
uint32_t rl_method_input_count(const struct rl_method *method);
uint32_t rl_method_output_count(const struct rl_method *method);

// View of an input or output tensor. RL_ERROR_ARGUMENT if there is none of this number, RL_ERROR_TYPE if it is not a
// tensor. Its data is NULL while it has no memory, that is, no place in the plan, and is not bound. A program may move
// other tensors to its outputs, which rl_method_output then gives. Inputs, and tensors that are bound, are those in the
// file.
enum rl_status rl_method_input(struct rl_method *method, uint32_t index, struct rl_tensor *tensor);
enum rl_status rl_method_output(struct rl_method *method, uint32_t index, struct rl_tensor *tensor);

// The same for an output that need not be a tensor: a number is given as a tensor without dimensions (int64, float64 or
// bool, aligned to 4 bytes), None as one without elements. An input of this kind is part of the program and cannot be
// set.
enum rl_status rl_method_output_value(struct rl_method *method, uint32_t index, struct rl_tensor *tensor);

// The same as the first two, with the largest sizes that the tensor may have. *changes tells whether its shape may
// change.
enum rl_status rl_method_input_bound(struct rl_method *method, uint32_t index, struct rl_tensor *tensor, bool *changes);
enum rl_status rl_method_output_bound(struct rl_method *method, uint32_t index, struct rl_tensor *tensor,
                                      bool *changes);

// Gives other sizes to an input whose shape may change, before it is written. `rank` must be the input's, and the
// number of elements at most that of its largest sizes. The sizes stay until they are changed again; outputs and
// everything between get theirs while the method runs. For other inputs, the sizes must be those they have. Otherwise
// RL_ERROR_TYPE, with the reason in method->error.message.
enum rl_status rl_method_resize_input(struct rl_method *method, uint32_t index, uint32_t rank, const int32_t *sizes);

// Copies `bytes` (exactly the tensor's) in the order of the tensor's memory; for elements in logical order use
// rl_tensor_from_logical on rl_method_input. Inputs share the arena with everything else: set all of them before each
// execution. RL_ERROR_TYPE for another number of bytes, RL_ERROR_MEMORY while the input is not bound; else as
// rl_method_input.
enum rl_status rl_method_set_input(struct rl_method *method, uint32_t index, const void *data, size_t bytes);

// The same for dense elements in logical (C) order whose type and sizes the caller knows. An input whose shape may
// change gets these sizes (rl_method_resize_input). RL_ERROR_TYPE when the tensor has another type or other sizes;
// method->error.message says which of them differs.
enum rl_status rl_method_set_input_tensor(struct rl_method *method, uint32_t index, enum rl_scalar_type dtype,
                                          uint32_t rank, const int32_t *sizes, const void *elements);

// For a program whose inputs or outputs have no place in the plan: the caller's memory is used directly and must stay
// valid during execution. `bytes` are those of the tensor, of its largest sizes if its shape may change.
// RL_ERROR_ARGUMENT when the tensor has its place, RL_ERROR_TYPE for another number of bytes, RL_ERROR_MEMORY when
// `data` is not aligned to its elements.
enum rl_status rl_method_bind_input(struct rl_method *method, uint32_t index, void *data, size_t bytes);
enum rl_status rl_method_bind_output(struct rl_method *method, uint32_t index, void *data, size_t bytes);

// Runs from the first to the last instruction. If an operator refuses its arguments, or a hook ends the execution,
// returns that status; method->error names instruction, operator and argument. Outputs are then undefined. Another
// execution may follow.
enum rl_status rl_method_execute(struct rl_method *method);

// Runs at most `count` instructions and remembers where it stopped; *done tells whether the last one has run. After the
// last one, or after rl_method_restart, it begins again. With this a cooperative scheduler keeps its deadlines, and
// limits programs with loops, which verification does not prove to end. Errors as in rl_method_execute; the next call
// tries the same instruction again. `count` may be 0; `done` must not be NULL. rl_method_restart may be called at any
// time between two steps; tensors that keep a state from run to run keep it.
enum rl_status rl_method_step(struct rl_method *method, uint32_t count, bool *done);
void rl_method_restart(struct rl_method *method);

// Gives tensors that keep a state from run to run their first value again, as rl_method_init did, for the start of
// another sequence; the next execution begins at the first instruction. Inputs whose shape may change have their
// largest sizes again. Everything else stays, such as hooks and bound memory. Fails only where rl_method_init would.
enum rl_status rl_method_reset(struct rl_method *method);

#ifdef __cplusplus
}
#endif

#endif
