// SPDX-License-Identifier: Apache-2.0
//
// The interface between the parts of rl_program_verify.
#ifndef RL_RUNTIME_VERIFY_VERIFY_H
#define RL_RUNTIME_VERIFY_VERIFY_H

#include "format/pte.h"
#include "runtime/run/view.h"
#include "rushlight/registry.h"

// What verification may still do. A file may name a table, a list or a name as often as it likes, so what follows from
// its size alone grows with the square of it, or faster. Every loop over items that can be named twice spends steps
// before it runs.
struct rl_effort {
    uint64_t left;  // steps: items of lists, instructions and names to look at
    uint32_t entry; // of the attached file, where the search for the next name begins
};

// Steps for each byte of tables. Programs of compilers, which name a list in a few places at most, take less than one.
enum { RL_STEPS_A_BYTE = 64 };

// Bytes of constants that an operator may look at in one step.
enum { RL_BYTES_A_STEP = 32 };

// Spends steps, or all that are left if they are too few. Then the result is false, and verification ends.
static inline bool rl_spend(struct rl_effort *effort, uint64_t steps)
{
    const bool enough = steps < effort->left;
    effort->left = enough ? effort->left - steps : 0;
    return enough;
}

// Records that verification ends because no steps are left.
enum rl_status rl_report_effort(struct rl_error *error, int32_t instruction);

// What the instructions of a method change, found when it is first asked for. A bit stands for all values whose number
// is the same modulo 32 RL_VALUE_SET, so what is noted of a value may be true of another one.
enum { RL_VALUE_SET = 32 };

struct rl_changes {
    bool are_known;
    unsigned moved;                 // what is not known of tensors that moves replace: changing_values.c
    uint32_t written[RL_VALUE_SET]; // values that moves or calls replace
    uint32_t aliases[RL_VALUE_SET]; // values that calls may make aliases of others
};

// Bytes of a planned buffer.
struct rl_span {
    uint32_t buffer, start, end;
};

// Spans that neither overlap nor touch. If there are more of them than fit, the smallest ones are forgotten.
enum { RL_MOST_SPANS = 24 };

struct rl_spans {
    uint32_t count;
    struct rl_span items[RL_MOST_SPANS];
};

// What the calls that were checked so far write, and whether one of them reads anything else.
struct rl_written {
    bool is_missing;
    struct rl_spans spans;
};

// A method whose calls are being checked.
struct rl_checked_method {
    struct rl_method method; // the first member: functions that operators call find the others from it
    struct rl_buffer buffers[RL_MAX_BUFFERS];
    struct rl_fb_vector inputs, outputs; // the plan's lists; those of `method` are empty, so nothing is bound
    uintptr_t first;                     // address of the first tensor of the caller
    struct rl_effort *effort;
    struct rl_changes *changes; // NULL if the registry has no flow
};

static inline bool rl_is_noted(const uint32_t *set, uint32_t value)
{
    return (set[value / 32 % RL_VALUE_SET] >> value % 32 & 1) != 0;
}

// Whether an instruction may make a value another one: a number, a tensor that moves replace, or an alias.
static inline bool rl_may_change(const struct rl_changes *changes, uint32_t value)
{
    return rl_is_noted(changes->written, value);
}

static inline const struct rl_checked_method *rl_checked(const struct rl_method *method)
{
    return (const struct rl_checked_method *)(const void *)method;
}

// Looks at all instructions of a method once.
void rl_find_changes(const struct rl_method *method, const struct rl_registry *registry);

struct rl_placed_tensor {
    struct rl_tensor view; // its data is NULL
    enum rl_storage place;
    uint32_t buffer;
    uint32_t position;
    uint32_t initial; // the first value in the file of a planned tensor; 0 if it has none
    bool changes;     // its sizes may differ from those in the file: run/shapes.h
};

// Reads and checks value `index`, which must be a tensor: element type, rank, sizes, dim_order, and that its bytes lie
// inside the file or the planned buffer. On failure *message says why.
enum rl_status rl_place_tensor(const struct rl_program *program, const struct rl_pte_plan *plan, uint32_t index,
                               struct rl_effort *effort, struct rl_placed_tensor *tensor, const char **message);

// Bytes that planned buffer `index` (from 0) must have; false if the file has no such buffer or an impossible size.
bool rl_planned_bytes(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index, uint32_t *bytes);

// Checks the structure of everything in the program that runtime/run/ reads without checks.
enum rl_status rl_verify_structure(struct rl_program *program, const struct rl_registry *registry,
                                   struct rl_effort *effort, struct rl_error *error);

// Refuses a call in which an output or a work space shares memory with another tensor and may not.
enum rl_status rl_check_overlap(struct rl_call *call);

// Whether a move of a proved method may replace this value. True if no steps are left.
bool rl_is_moved(const struct rl_method *method, uint32_t value);

// The operator of a call, given the call's table in a proved method.
const struct rl_kernel *rl_called_kernel(const struct rl_method *method, const struct rl_registry *registry,
                                         const uint8_t *table);

// Follow what a method writes, once its values are proved: before its first instruction, after each call, given its
// operator and its list of arguments, and at the end. Lists cost steps. Then written->is_missing tells whether a method
// of calls alone may read planned memory that it has not written in the same execution.
void rl_start_written(const struct rl_pte *pte, const struct rl_pte_plan *plan, struct rl_written *written);
void rl_follow_written(const struct rl_pte *pte, const struct rl_pte_plan *plan, const struct rl_kernel *kernel,
                       const struct rl_fb_vector *called, struct rl_effort *effort, struct rl_written *written);
void rl_end_written(const struct rl_pte *pte, const struct rl_pte_plan *plan, struct rl_written *written);

// rl_program.clear, for such a program; `cleared` is an enum rl_cleared.
void rl_clear_memory(const struct rl_method *method, unsigned cleared, const struct rl_call *call);

// rl_control_flow_all.tolerates and check.
bool rl_tolerates(const struct rl_call *call, const struct rl_registry *registry);
enum rl_status rl_check_flow(struct rl_method *method, const struct rl_registry *registry,
                             enum rl_pte_instruction_kind kind, const uint8_t *table);

#endif
