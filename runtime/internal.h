// SPDX-License-Identifier: Apache-2.0
//
// What the files of the runtime share.
#ifndef RL_RUNTIME_INTERNAL_H
#define RL_RUNTIME_INTERNAL_H

#include "rushlight/runtime.h"

// Fills in `error` (may be NULL) and returns `status`.
enum rl_status rl_report(struct rl_error *error, enum rl_status status, const char *message, uint32_t offset);

// Where the data of a tensor lies.
enum rl_place {
    RL_PLACE_CONSTANT, // at `position` in the file
    RL_PLACE_PLANNED,  // `position` bytes into planned buffer `buffer`
    RL_PLACE_CALLER    // wherever the caller binds it
};

struct rl_placed_tensor {
    struct rl_tensor view; // its data is NULL
    enum rl_place place;
    uint32_t buffer;
    uint32_t position;
};

// Reads and checks value `index`, which must be a tensor: element type, rank, sizes, dim_order, and that its
// bytes lie inside the file or the planned buffer. On failure *message says why.
enum rl_status rl_place_tensor(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index,
                               struct rl_placed_tensor *tensor, const char **message);

// Finds a method and what it requires.
enum rl_status rl_read_plan(const struct rl_program *program, uint32_t method, struct rl_pte_plan *plan,
                            struct rl_requirements *requirements, struct rl_error *error);

// Bytes that planned buffer `index` (from 0) must have; false when the file says nonsense.
bool rl_planned_bytes(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index,
                      uint32_t *bytes);

// An operator as a program names it: "cortex_m::quantized_add" and "out".
struct rl_operator_name {
    const char *base, *overload;
    uint32_t base_length, overload_length;
};

// NULL when the registry has no kernel of this name.
const struct rl_kernel *rl_find_kernel(const struct rl_registry *registry,
                                       const struct rl_operator_name *name);

// Why an instruction of this kind, which is no kernel call, is refused.
const char *rl_instruction_refusal(enum rl_pte_instruction_kind kind);

// ---- views of proved programs; rl_method_init lets no other reach them

// View of a value that is a tensor, given its table. Its data is NULL when that is for the caller to bind and
// not bound yet.
enum rl_place rl_view_tensor(const struct rl_method *method, uint32_t value, const uint8_t *table,
                             struct rl_tensor *tensor);

#endif
