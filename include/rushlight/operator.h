// SPDX-License-Identifier: Apache-2.0
//
// For authors of operators and hooks: the struct of an operator, and the functions with which a call reads its
// arguments and returns its results.
#ifndef RUSHLIGHT_OPERATOR_H
#define RUSHLIGHT_OPERATOR_H

#include "rushlight/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

// One operator. Its signature has one letter per argument of the call, in order, outputs included:
//
// clang-format off
//   T tensor            t tensor or None             L list of tensors     l list of tensors or None
//   U tensor whose memory an output may take, all of it
//   S work space        O tensor written             W number written
//   R the written tensor again, as the returned value                      M list of the written tensors
//   I int               i int or None                N list of ints        n list of ints or None
//   F float             f float or None              g list of floats or None
//   B bool              b bool or None               C number              c number or None
//   Z string            z string or None
// These state that an operator takes more than a few steps for each element of its tensors (rl_method_work), n being the
// elements of its first output:
//   H, K tensor of weights: its elements for each place of the output, whose dimension 1 (H) or last dimension (K) counts
//        channels and not places
//   D tensor: n times its last dimension         A tensor of images: n times how often they are larger than the output
//   X list of one or two ints, or int: n times the square or the product              J int: so many times all tensors
//   Q tensor: its elements times all tensors, for operators of a firmware that none of the others describes
// clang-format on
struct rl_kernel {
    const char *name; // "cortex_m::quantized_add.out"
    const char *signature;
    uint16_t name_length;
    uint8_t argument_count;
    bool checks; // `run` calls rl_call_ready before it accesses elements, so verification may call it
    enum rl_status (*run)(struct rl_call *call);
};

// One call of one operator. An operator reads all its arguments, checks them, calls rl_call_ready once, and then
// computes. The accessors below check kind, range and bounds. The first failure is kept in `status` and described in
// method->error. After a failure, accessors return zeros.
struct rl_call {
    struct rl_method *method;
    const struct rl_kernel *kernel;
    const uint8_t *values;    // of the method, in the file
    struct rl_slot *slots;    // of the method
    const int32_t *arguments; // indices of values, in the file
    const void *kept;         // the copy that an earlier run of this instruction kept (rl_call_keep), or NULL
    uint32_t argument_count;
    uint32_t instruction;
    bool keeps; // whether there is room to keep a copy, and all that was read will be the same in later runs
    bool empty; // the output has no elements, so that nothing is computed (rl_call_keep)
    enum rl_status status;
};

enum {
    RL_LIST_MAX = 16,                       // longest int list that operators accept
    RL_KEPT_MOST = 96 + 12 * sizeof(void *) // most bytes that one operator keeps: see rl_call_keep
};

// Whether the operator may compute: nothing was refused, and this is not a verification, which only checks arguments.
// Before this call an operator may access only the elements of constants.
static inline bool rl_call_ready(const struct rl_call *call)
{
    return call->status == RL_OK && !call->method->stand_in;
}

// rl_call_refuse as a function. A message of NULL means "".
enum rl_status rl_call_fail(struct rl_call *call, uint32_t argument, enum rl_status status, const char *message);

// Refuses the call because of `argument`; `message` must be a constant string. Returns the status of the first refusal
// of the call.
static inline enum rl_status rl_call_refuse(struct rl_call *call, uint32_t argument, enum rl_status status,
                                            const char *message)
{
    return rl_call_fail(call, argument, status, RL_MESSAGES ? message : NULL);
}

// Kind of an argument; RL_PTE_NULL is None. Never fails: a wrong index gives RL_PTE_INVALID.
enum rl_pte_kind rl_call_kind(const struct rl_call *call, uint32_t argument);

// Index of the argument among the method's values, or -1.
int32_t rl_call_value(const struct rl_call *call, uint32_t argument);

// ---- tensors

void rl_call_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor);

// The same, but None gives false and an empty view.
bool rl_call_optional_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor);

// A tensor that the operator writes: a constant is refused.
void rl_call_output(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor);

// A list of tensors: how many there are, and each of them as above.
uint32_t rl_call_list(struct rl_call *call, uint32_t argument);
void rl_call_list_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor);
bool rl_call_list_optional_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor);
void rl_call_list_output(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor);

// Set the sizes of a result; `tensor` is a view of the output. An output of fixed shape must have these sizes. One
// whose shape may change gets them, and so does the view. Otherwise the call is refused and nothing changes. Call this
// before the output is compared with anything else.
void rl_call_resize(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor, uint32_t rank,
                    const int32_t *sizes);
void rl_call_list_resize(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor,
                         uint32_t rank, const int32_t *sizes);

// Makes a tensor an alias: from now on it has the memory of argument `source`, and cannot be written. If `source` is
// the argument itself, the tensor has its own memory again. Does nothing in programs whose values do not change, nor
// during verification.
void rl_call_alias(struct rl_call *call, uint32_t argument, uint32_t source);

// ---- numbers and strings

int64_t rl_call_int(struct rl_call *call, uint32_t argument);
int32_t rl_call_int32(struct rl_call *call, uint32_t argument); // a value outside int32_t is refused

// An int within lowest..highest; `lowest` if it is refused, so that results computed from it stay in range.
int32_t rl_call_bounded(struct rl_call *call, uint32_t argument, int32_t lowest, int32_t highest);

bool rl_call_bool(struct rl_call *call, uint32_t argument);
double rl_call_double(struct rl_call *call, uint32_t argument);
float rl_call_positive_float(struct rl_call *call, uint32_t argument); // the nearest; a normal number above 0
double rl_call_number(struct rl_call *call, uint32_t argument);        // int, double or bool
const char *rl_call_string(struct rl_call *call, uint32_t argument);   // NUL-terminated, never NULL

// Items of an int list, at most `capacity` of them; returns their number. A longer list, or an item outside
// lowest..highest, is refused. None gives 0 items, an int one. Items that are missing or refused become the number in
// the range that is nearest to 0.
uint32_t rl_call_bounded_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t capacity,
                              int32_t lowest, int32_t highest);

// The same with any item that fits int32_t.
uint32_t rl_call_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t capacity);

// Items of a list of floats, at most `capacity` of them; returns their number. A longer list is refused; None gives 0.
uint32_t rl_call_doubles(struct rl_call *call, uint32_t argument, double *items, uint32_t capacity);

// Set an argument to a number. Operators that compute sizes and conditions return their results in this way. The number
// lasts until the method starts again.
void rl_call_set_int(struct rl_call *call, uint32_t argument, int64_t number);
void rl_call_set_bool(struct rl_call *call, uint32_t argument, bool number);
void rl_call_set_double(struct rl_call *call, uint32_t argument, double number);

// ---- between runs

// Keeps a copy of a struct `made` from the arguments, at most RL_KEPT_MOST bytes, for later runs of this instruction,
// which find it as call->kept. Without room, nothing is kept. Returns `made`, or NULL unless rl_call_ready, and if the
// output read last is empty.
const void *rl_call_keep(struct rl_call *call, const void *made, uint32_t bytes);

#ifdef __cplusplus
}
#endif

#endif
