// SPDX-License-Identifier: Apache-2.0
//
// The Rushlight runtime: runs an ExecuTorch program (.pte) in place, from flash or any read-only memory.
//
// The order of calls, each of which returns an enum rl_status (RL_OK is 0):
//
//     rl_program_open(&program, file, size, &error)
//     rl_program_verify(&program, &registry, &error)             or rl_program_trust: see below
//     rl_method_requirements(&program, 0, &needs, &error)        sizes of the buffers and the state
//     rl_method_init(&method, &program, 0, &registry, buffers, count, state, state_bytes, &error)
//     rl_method_set_input(&method, 0, data, bytes)               each input, before each execution
//     rl_method_execute(&method)                                 or rl_method_step, some operators at a time
//     rl_method_output(&method, 0, &tensor)
//
// examples/firmware/main.c is a whole program of them.
//
// Memory. The runtime never allocates and has no variables of its own. The caller provides and keeps alive, as long as
// the method is used: the file, the two structs, the planned buffers and the state. Several programs, and several
// methods of one program, may be used at the same time as long as each has its own structs, buffers and state.
//
// Trust (docs/trust.md). rl_program_verify proves once that all the file's tables lie inside it, aligned, that its
// constants do, that its tensors fit the planned buffers, and that operators get arguments that they take; it refuses
// every other file. After that, whatever the file says, execution reads and writes nothing but the file, the planned
// buffers and the memory that the caller bound: structure is not looked at again, and what depends on data or on sizes
// that change is checked at each call. Bytes that change after verification are outside this promise: a program in RAM
// that others can write to must be verified again. A firmware that knows its image to be good, because it was verified
// when it was made and is protected by a signature or a checksum, may say so with rl_program_trust instead; a program
// that is neither verified nor trusted is refused by rl_method_init.
//
// Interrupts and threads. No function waits, locks or keeps anything of its own, so each may be called from an
// interrupt handler as from anywhere else, also while it runs elsewhere, as long as the structs differ:
//   - on one rl_method, one function at a time, and nobody else touches its buffers and state meanwhile. An
//     interrupt that comes during rl_method_step collects the next input in memory of its own; to stop the
//     execution, it sets a flag that a hook or the loop around rl_method_step looks at;
//   - on one rl_program, rl_program_open, _attach, _verify and _trust alone; all others only read it.
// How deep the stack becomes depends on the operators that the program calls, not on what it says of them.
#ifndef RUSHLIGHT_RUNTIME_H
#define RUSHLIGHT_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/message.h"
#include "format/ptd_reader.h"
#include "format/pte_reader.h"
#include "format/scalar_type.h"
#include "rushlight/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RL_ALIGNMENT = 16,      // of the file and of every planned buffer, in bytes; the state: that of a pointer
    RL_TENSOR_MAX_RANK = 8, // tensors of more dimensions are refused
    RL_LIST_MAX = 16        // longest int list that operators accept
};

// Where and why something failed. Numbers are -1 where they say nothing. A call that succeeds leaves it as it was.
struct rl_error {
    enum rl_status status;
    const char *message;       // a constant sentence, "" when there is none (format/message.h); never NULL after a
                               // failing call
    const char *operator_name; // "cortex_m::quantized_add.out", in the registry or in the file; NULL outside
                               // operators
    int32_t instruction;       // index in the method's chain
    int32_t argument;          // index among the arguments of the instruction
    int32_t value;             // index among the values of the method
    uint32_t offset;           // byte in the file where the wrong thing is; 0 when unknown
};

// A view of a tensor. One whose shape may change has the sizes of this moment, at first its largest ones. Everything it
// points to belongs to the file, to the state, to a planned buffer or to the caller; it stays valid until the method is
// initialised again, but data of planned tensors is overwritten, and sizes that change do so, while the program goes
// on.
struct rl_tensor {
    void *data;               // dense elements; never written when constant
    const int32_t *sizes;     // `rank` logical sizes (N, C, H, W for images)
    const uint8_t *dim_order; // the dimensions from the outermost to the innermost in memory; channels-last: 0, 2, 3, 1
    uint32_t bytes;           // product of sizes times the size of an element
    uint8_t rank;
    uint8_t dtype; // enum rl_scalar_type
    bool constant; // lies in the file
};

// Number of elements.
uint32_t rl_tensor_count(const struct rl_tensor *tensor);

// Strides in elements that follow from sizes and dim_order, one per logical dimension.
void rl_tensor_element_strides(const struct rl_tensor *tensor, uint32_t strides[RL_TENSOR_MAX_RANK]);

// Copy between a tensor and dense elements in logical (C) order, as in a .npy file: the layout of the tensor's memory
// is taken care of. tensor->data must not be NULL. RL_ERROR_ARGUMENT when `bytes` is not tensor->bytes, or when a
// constant would be written.
enum rl_status rl_tensor_from_logical(const struct rl_tensor *tensor, const void *elements, size_t bytes);
enum rl_status rl_tensor_to_logical(const struct rl_tensor *tensor, void *elements, size_t bytes);

// ---- registry

struct rl_call;
struct rl_method;

// One operator. `signature` has one letter per argument of the call, outputs included (see runtime/signature.h).
struct rl_kernel {
    const char *name; // "cortex_m::quantized_add.out"
    const char *signature;
    uint16_t name_length;
    uint8_t argument_count;
    bool checks; // `run` asks rl_call_ready before it looks into a tensor: verification may call it
    enum rl_status (*run)(struct rl_call *call);
};

struct rl_program;
struct rl_registry;

// What programs may do beside calling operators that write tensors: jump, move and compute values, start tensors with a
// value, keep tensors in another file, change the shapes of tensors.
struct rl_control_flow {
    // Bytes of the state in which a method keeps what values have become; 0 when it changes none.
    uint32_t (*slot_bytes)(const struct rl_program *program, const struct rl_pte_plan *plan);
    enum rl_status (*run)(struct rl_method *method, enum rl_pte_instruction_kind kind, const uint8_t *table);
    enum rl_status (*place)(struct rl_method *method);
    // Give a tensor of changing shape other sizes: a value of the method, or an output of a call (of a list, number
    // `index`). NULL, or a sentence that says why not.
    const char *(*resize)(struct rl_method *method, uint32_t value, uint32_t rank, const int32_t *sizes);
    const char *(*resize_output)(struct rl_call *call, uint32_t argument, uint32_t index, uint32_t rank,
                                 const int32_t *sizes);
    // Lets a tensor lie where another one does: rl_call_show.
    void (*show)(struct rl_call *call, uint32_t argument, uint32_t shown);
    // Sets the address of a tensor that lies in the attached file; false when it does not.
    bool (*find)(const struct rl_method *method, uint32_t value, const uint8_t *table, struct rl_tensor *tensor);
    // During verification: whether a call that was refused may be right when the program runs, and whether an
    // instruction that is no call is.
    bool (*excuse)(const struct rl_call *call, const struct rl_registry *registry);
    enum rl_status (*check)(struct rl_method *method, const struct rl_registry *registry,
                            enum rl_pte_instruction_kind kind, const uint8_t *table);
};
extern const struct rl_control_flow rl_control_flow_all;

struct rl_registry {
    const struct rl_kernel *const *kernels;
    uint32_t count;
    const struct rl_control_flow *flow; // &rl_control_flow_all, or NULL for programs that only write tensors
};

// Every operator that the runtime has, and flow: 250 KB of flash. A firmware that wants to be small lists only what its
// programs call, as `rushlight inspect` prints it, and the linker drops the others:
//     static const struct rl_kernel *const kernels[] = {&rl_kernel_cm_quantized_conv2d, ...};
//     static const struct rl_registry registry = {.kernels = kernels,
//                                                 .count = sizeof kernels / sizeof kernels[0]};
// The objects are declared in rushlight/registry.h and named after the operators of rushlight/ops.def.
extern const struct rl_registry rl_registry_all;

// ---- program

struct rl_program {
    struct rl_pte pte;
    struct rl_ptd data; // the file of tensors that lie outside the program
    // rl_ptd_find once that file is attached, before NULL: who attaches none does not link it.
    bool (*find_data)(const struct rl_ptd *data, const char *key, uint32_t key_length, uint8_t dtype,
                      uint32_t *position, uint32_t *bytes);
    const struct rl_control_flow *flow; // of the registry with which it was verified or trusted
    bool proved;                        // verified or trusted
    uint8_t shapes;                     // whether shapes of tensors change, as far as verification has found out
};

// Looks at the headers only. `data` must be aligned to RL_ALIGNMENT; sizes of 2 GiB and more are refused.
// In every function `error` may be NULL. RL_ERROR_ARGUMENT without data, RL_ERROR_MEMORY when it is not aligned,
// RL_ERROR_FORMAT when it is no .pte.
enum rl_status rl_program_open(struct rl_program *program, const void *data, size_t size, struct rl_error *error);

// Gives an open program the file (.ptd) of the tensors that it keeps outside, by name; before it is verified. The file
// must stay where it is, as the program itself, aligned to RL_ALIGNMENT. Errors as above.
enum rl_status rl_program_attach(struct rl_program *program, const void *data, size_t size, struct rl_error *error);

// Checks every method of an open program completely: structure, indices, types of arguments against the operators'
// signatures, bounds of constants and planned tensors, dimension orders. Then each operator that is called checks what
// it is given, as far as it does not change while the method runs: element types, shapes, ranges, the work space on
// this core. None works or touches any memory but the file. Costs about as much time as a small inference and the stack
// that operators need to read their arguments, once. RL_ERROR_FORMAT for what no compiler writes, RL_ERROR_UNSUPPORTED
// for what this runtime does not run (delegates, more than RL_MAX_BUFFERS), RL_ERROR_MISSING_OPERATOR for what the
// registry does not have, RL_ERROR_TYPE or RL_ERROR_MEMORY (a work space that is too small) for arguments that an
// operator refuses; `error` names the byte, the instruction, the argument or the operator.
enum rl_status rl_program_verify(struct rl_program *program, const struct rl_registry *registry,
                                 struct rl_error *error);

// Compares the checksum of an open program, which our compiler writes, with its bytes: tables and constants. It notices
// every change of up to 32 neighbouring bits and all but one in 2^32 others, as flash that ages or an update that broke
// off makes them; whoever writes files on purpose can write the checksum, too, so it replaces neither verification nor
// a signature. RL_ERROR_FORMAT when they differ, RL_ERROR_UNSUPPORTED when the program has none, as those of other
// compilers. Takes less than 20 instructions a byte; may be called at any time.
enum rl_status rl_program_check(const struct rl_program *program, struct rl_error *error);

// Declares an open program good without looking at it: for an image that was verified before, with a registry that has
// flow if this one has it, and cannot have changed since. With any other file, execution may read and write anywhere.
// Whether shapes change is then told by its inputs and outputs; a program in which only shapes between them do must be
// verified.
void rl_program_trust(struct rl_program *program, const struct rl_registry *registry);

// How many methods the program has; they are numbered from 0.
uint32_t rl_program_method_count(const struct rl_program *program);

// The method's name, NUL-terminated, in the file; "" when it has none.
const char *rl_program_method_name(const struct rl_program *program, uint32_t method);

// The method of this name, as the `method` of the functions below; RL_ERROR_ARGUMENT when there is none.
enum rl_status rl_program_find_method(const struct rl_program *program, const char *name, uint32_t *method,
                                      struct rl_error *error);

// The int, double or bool that the method of this name returns without computing anything: so programs tell facts about
// themselves, such as `input0_scale` and `input0_zp` of an input that is int8 (0.02 and -128:
// a real number x goes in as x / 0.02 - 128, rounded). RL_ERROR_ARGUMENT when there is no such method, RL_ERROR_TYPE
// when it returns anything else.
enum rl_status rl_program_number(const struct rl_program *program, const char *name, double *number,
                                 struct rl_error *error);

// ---- method

// Memory handed in by the caller, which stays the caller's.
struct rl_buffer {
    void *data;
    size_t bytes;
};

enum { RL_MAX_BUFFERS = 8 };

// Most bytes that one operator keeps (see rl_call_keep), and most instructions for which memory is asked.
enum { RL_KEEPING_MOST = 4096, RL_KEPT_MOST = 96 + 12 * sizeof(void *) };

struct rl_requirements {
    uint32_t buffer_count;                 // planned buffers; most programs have one, the arena
    uint32_t buffer_bytes[RL_MAX_BUFFERS]; // of each
    uint32_t state_bytes;                  // of the runtime's own state of this method
    uint32_t kept_bytes;                   // more, for a faster method: see rl_method_init
};

// What a method of a verified or trusted program needs, in bytes. RL_ERROR_ARGUMENT for other programs and methods.
enum rl_status rl_method_requirements(const struct rl_program *program, uint32_t method,
                                      struct rl_requirements *requirements, struct rl_error *error);

// Functions of the caller, called by rl_method_step and rl_method_execute; each may be NULL. `before` and `after` see
// each operator before and after it runs, for tracing, profiling and observing; a status other than RL_OK ends the
// execution with it. `failed` is told why an execution ends with an error, just before the function returns it: the
// place to log or to count from. They run where that function was called, and may call none on the same method but
// rl_call_*, in `before` and `after`.
struct rl_hooks {
    enum rl_status (*before)(void *user, struct rl_call *call);
    enum rl_status (*after)(void *user, struct rl_call *call);
    void (*failed)(void *user, const struct rl_error *error);
    void *user;
};

// What the refusal of a call follows from. Verification refuses what follows from nothing that it does not know: sizes
// that change, numbers that are computed, and which tensor was moved to a value.
enum rl_reason {
    RL_BY_SIZES,   // from anything but where tensors lie
    RL_BY_PLACES,  // from anything
    RL_BY_TYPES,   // from element types and numbers of dimensions alone
    RL_BY_NUMBERS, // from these and from numbers of the call
};

struct rl_slot; // what a value of the file has become, in the state

struct rl_method {
    const struct rl_program *program;
    struct rl_pte_plan plan;
    const struct rl_buffer *buffers;
    uint32_t doubles;                   // tensors of float64: 0 not counted yet, 1 none, 2 some
    const struct rl_kernel **kernels;   // of plan.operators, in the state
    void **bound;                       // addresses of inputs and outputs that are not planned, in the state
    const struct rl_control_flow *flow; // the registry's
    struct rl_slot *slots;              // of plan.values, in the state; NULL when the program changes none
    const void **kept;                  // of plan.instructions, in the state; NULL when there is no room
    struct rl_buffer room;              // what is left of the state for rl_call_keep
    struct rl_buffer spare;             // what the first planned buffer has behind the plan
    struct rl_hooks hooks;
    struct rl_error error; // of the last failing call on this method
    uint32_t next;         // instruction that runs next
    // While rl_program_verify lets operators check their arguments: the address of a tensor that has no place in the
    // plan, which stands in for one as those of all others do. NULL when operators are to work.
    void *(*stand_in)(const struct rl_method *method, uint32_t value);
    enum rl_reason reason; // then: of the last refusal
};

// Prepares a method; tensors that keep a state from run to run get their first value. `buffers` needs
// requirements.buffer_count entries of at least the required sizes and `state` requirements.state_bytes; both are kept,
// not copied, and must not change. On failure the reason is in `error` and in method->error: RL_ERROR_MEMORY when a
// buffer or the state is missing, too small or not aligned, RL_ERROR_MISSING_OPERATOR with the name of one that the
// registry does not have, RL_ERROR_ARGUMENT as rl_method_requirements.
//
// A larger state makes later runs faster: operators keep in it what they made of their arguments in the first one,
// instead of reading and checking them again. requirements.kept_bytes more are enough for all of them; with fewer,
// those that come first are served. Methods whose values change keep nothing; those of more than RL_KEEPING_MOST
// instructions ask for nothing.
//
// A larger first buffer saves stack: kernels put blocks there that they otherwise have on the stack, unless the program
// has planned them, as ours for cores with DSP instructions do. For keyword spotting (ds_cnn) of the stock flow 1,488
// bytes more are enough on those cores, 2,624 on cores without. All of a buffer belongs to the method while it runs.
enum rl_status rl_method_init(struct rl_method *method, const struct rl_program *program, uint32_t index,
                              const struct rl_registry *registry, const struct rl_buffer *buffers,
                              uint32_t buffer_count, void *state, size_t state_bytes, struct rl_error *error);

// Copies `hooks`, for all executions from now on; rl_method_init forgets them.
void rl_method_set_hooks(struct rl_method *method, const struct rl_hooks *hooks);

// How many inputs and outputs the method has; they are numbered from 0.
uint32_t rl_method_input_count(const struct rl_method *method);
uint32_t rl_method_output_count(const struct rl_method *method);

// View of an input or output tensor. RL_ERROR_ARGUMENT when there is none of this number, RL_ERROR_TYPE when it is not
// a tensor. Its data is NULL while it has no memory: it has no place in the plan and is not bound yet. A program may
// end with other tensors in the place of its outputs, which rl_method_output shows then; what is bound, and each input,
// is the tensor of the file.
enum rl_status rl_method_input(struct rl_method *method, uint32_t index, struct rl_tensor *tensor);
enum rl_status rl_method_output(struct rl_method *method, uint32_t index, struct rl_tensor *tensor);

// The same of an output that may be no tensor: a number is shown as a tensor without dimensions (int64, float64 or
// bool, aligned to 4 bytes), None as one without elements. An input of this kind is part of the program: nobody sets
// it.
enum rl_status rl_method_output_value(struct rl_method *method, uint32_t index, struct rl_tensor *tensor);

// The same as the first two with the largest sizes that the tensor may have: those above unless its shape may change.
// *changes tells whether it may.
enum rl_status rl_method_input_bound(struct rl_method *method, uint32_t index, struct rl_tensor *tensor, bool *changes);
enum rl_status rl_method_output_bound(struct rl_method *method, uint32_t index, struct rl_tensor *tensor,
                                      bool *changes);

// Gives an input whose shape may change other sizes, `rank` of them, before it is written: as many dimensions as it
// has, and no more elements than its largest sizes make. They stay until they are changed again; outputs and everything
// between get theirs while the method runs. Of other inputs the sizes must be those they have. RL_ERROR_TYPE, with the
// reason in method->error.message, otherwise.
enum rl_status rl_method_resize_input(struct rl_method *method, uint32_t index, uint32_t rank, const int32_t *sizes);

// Copies `bytes` (exactly the tensor's) in the order of the tensor's memory; for elements in logical order use
// rl_tensor_from_logical on rl_method_input. Inputs share the arena with everything else: set all of them before each
// execution. RL_ERROR_TYPE for another number of bytes, RL_ERROR_MEMORY while the input is not bound; else as
// rl_method_input.
enum rl_status rl_method_set_input(struct rl_method *method, uint32_t index, const void *data, size_t bytes);

// The same for dense elements in logical (C) order whose type and sizes the caller knows: an input whose shape may
// change gets these sizes (rl_method_resize_input); other ones than the tensor's are RL_ERROR_TYPE otherwise, and
// method->error.message says which of them differs.
enum rl_status rl_method_set_input_tensor(struct rl_method *method, uint32_t index, enum rl_scalar_type dtype,
                                          uint32_t rank, const int32_t *sizes, const void *elements);

// For a program whose inputs or outputs have no place in the plan: the caller's memory is used directly and must stay
// valid during execution. `bytes` are those of the tensor, of its largest sizes if its shape may change.
// RL_ERROR_ARGUMENT when the tensor has its place, RL_ERROR_TYPE for another number of bytes, RL_ERROR_MEMORY when
// `data` is not aligned to its elements.
enum rl_status rl_method_bind_input(struct rl_method *method, uint32_t index, void *data, size_t bytes);
enum rl_status rl_method_bind_output(struct rl_method *method, uint32_t index, void *data, size_t bytes);

// Runs from the first to the last instruction. When an operator refuses its arguments, or a hook ends it, its status;
// method->error names instruction, operator and argument. Outputs are then undefined; another execution may follow.
enum rl_status rl_method_execute(struct rl_method *method);

// Runs at most `count` instructions and remembers where it stopped; *done tells whether the last one has run. After the
// last one, or after rl_method_restart, it begins again. A cooperative scheduler keeps its deadlines with this; it is
// also the limit for programs with loops, which verification does not prove to end. Errors as of rl_method_execute; the
// next call tries the same instruction again. `count` may be 0; `done` must not be NULL. rl_method_restart may be
// called at any time between two steps; tensors that keep a state from run to run keep it.
enum rl_status rl_method_step(struct rl_method *method, uint32_t count, bool *done);
void rl_method_restart(struct rl_method *method);

// ---- inside an operator or a hook

// One call of one operator. Accessors check kind, range and bounds; the first failure is kept in `status` (and
// described in method->error), later calls return zeros. An operator reads all its arguments and then asks
// rl_call_ready once.
struct rl_call {
    struct rl_method *method;
    const struct rl_kernel *kernel;
    const uint8_t *values;    // the method's, in the file
    struct rl_slot *slots;    // the method's
    const int32_t *arguments; // indices of values, in the file
    const void *kept;         // what an earlier run of this instruction gave to rl_call_keep; NULL when nothing
    uint32_t argument_count;
    uint32_t instruction;
    bool keeps; // whether there is room to keep anything, and all that was read will be the same next time
    enum rl_status status;
};

// Whether the operator may work, having read and checked its arguments: nothing was refused, and more than the
// arguments is asked for. Before that it touches no elements but those of constants.
static inline bool rl_call_ready(const struct rl_call *call)
{
    return call->status == RL_OK && !call->method->stand_in;
}

// Kind of an argument (enum rl_pte_kind); RL_PTE_NULL is None. Never fails: a wrong index gives RL_PTE_INVALID.
enum rl_pte_kind rl_call_kind(const struct rl_call *call, uint32_t argument);

// Index of the argument among the method's values, or -1.
int32_t rl_call_value(const struct rl_call *call, uint32_t argument);

void rl_call_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor);

// As above, but None gives false and an empty view.
bool rl_call_optional_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor);

// A tensor that the operator writes: a constant is refused.
void rl_call_output(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor);

// A list of tensors: how many, and each of them. In a list of written tensors a constant is refused.
uint32_t rl_call_list(struct rl_call *call, uint32_t argument);
void rl_call_list_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor);
bool rl_call_list_optional_tensor(struct rl_call *call, uint32_t argument, uint32_t index,
                                  struct rl_tensor *tensor); // None gives false and an empty view
void rl_call_list_output(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor);

// State the sizes of a result, whose output `tensor` is a view of: an output of fixed shape must have them; one whose
// shape may change gets them, as does the view. Otherwise the call is refused and nothing changes. To be called before
// the output is compared with anything else.
void rl_call_resize(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor, uint32_t rank,
                    const int32_t *sizes);
void rl_call_list_resize(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor,
                         uint32_t rank, const int32_t *sizes);

// Makes a tensor a view: from now on it lies where argument `shown` does, and cannot be written; argument `argument`
// itself stands for the tensor's own place. In programs without values that change, and while they are verified, it
// does nothing.
void rl_call_show(struct rl_call *call, uint32_t argument, uint32_t shown);

int64_t rl_call_int(struct rl_call *call, uint32_t argument);
int32_t rl_call_int32(struct rl_call *call, uint32_t argument); // a value outside int32_t is refused

// An int within lowest..highest; `lowest` when it is refused, so that whoever computes with it stays in range.
int32_t rl_call_bounded(struct rl_call *call, uint32_t argument, int32_t lowest, int32_t highest);

bool rl_call_bool(struct rl_call *call, uint32_t argument);
double rl_call_double(struct rl_call *call, uint32_t argument);
float rl_call_positive_float(struct rl_call *call, uint32_t argument); // the nearest; a normal number above 0
double rl_call_number(struct rl_call *call, uint32_t argument);        // int, double or bool
const char *rl_call_string(struct rl_call *call, uint32_t argument);   // NUL-terminated, never NULL

// Make a value of the method, the argument, a number: how operators that compute sizes and conditions return their
// result. It stays until the method starts again.
void rl_call_set_int(struct rl_call *call, uint32_t argument, int64_t number);
void rl_call_set_bool(struct rl_call *call, uint32_t argument, bool number);
void rl_call_set_double(struct rl_call *call, uint32_t argument, double number);

// Items of an int list, at most `capacity` of them; returns their number. A longer list, or an item outside
// lowest..highest, is refused. None gives 0, an int the list of it. Items that the list does not have, or that are
// refused, become 0 or what is nearest to it in the range.
uint32_t rl_call_bounded_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t capacity,
                              int32_t lowest, int32_t highest);

// The same with any item that fits int32_t.
uint32_t rl_call_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t capacity);

// Keeps a copy of what an operator made of its arguments, of at most RL_KEPT_MOST bytes, for later runs of this
// instruction, which find it as call->kept; without room for it, nothing. Returns `made`, or NULL unless rl_call_ready.
const void *rl_call_keep(struct rl_call *call, const void *made, uint32_t bytes);

// What rl_call_refuse does; NULL stands for the empty sentence.
enum rl_status rl_call_fail(struct rl_call *call, uint32_t argument, enum rl_status status, const char *message);

// Items of a list of floats, at most `capacity` of them; returns their number. A longer list is refused; None gives 0.
uint32_t rl_call_doubles(struct rl_call *call, uint32_t argument, double *items, uint32_t capacity);

// Refuses the call; `message` must be a constant string. Returns the status now in force (the first one).
static inline enum rl_status rl_call_refuse(struct rl_call *call, uint32_t argument, enum rl_status status,
                                            const char *message)
{
    return rl_call_fail(call, argument, status, RL_MESSAGES ? message : NULL);
}

#ifdef __cplusplus
}
#endif

#endif
