// SPDX-License-Identifier: Apache-2.0
//
// What the parts of rl_program_verify share.
#ifndef RL_RUNTIME_VERIFY_VERIFY_H
#define RL_RUNTIME_VERIFY_VERIFY_H

#include "format/pte.h"
#include "runtime/run/view.h"
#include "rushlight/registry.h"

struct rl_placed_tensor {
    struct rl_tensor view; // its data is NULL
    enum rl_storage place;
    uint32_t buffer;
    uint32_t position;
    uint32_t initial; // of a planned tensor: its first value in the file, 0 when it has none
    bool changes;     // its sizes may be other ones than the file's: run/shapes.h
};

// Reads and checks value `index`, which must be a tensor: element type, rank, sizes, dim_order, and that its bytes lie
// inside the file or the planned buffer. On failure *message says why.
enum rl_status rl_place_tensor(const struct rl_program *program, const struct rl_pte_plan *plan, uint32_t index,
                               struct rl_placed_tensor *tensor, const char **message);

// Bytes that planned buffer `index` (from 0) must have; false when the file has no such buffer or an impossible size.
bool rl_planned_bytes(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index, uint32_t *bytes);

// Checks that everything in the program that runtime/run/ reads is what it takes it for.
enum rl_status rl_verify_structure(struct rl_program *program, const struct rl_registry *registry,
                                   struct rl_error *error);

// Refuses a call in which an output or a work space shares memory with another tensor that it may not share with.
enum rl_status rl_check_overlap(struct rl_call *call);

// Whether a move of a proved method may put another value in the place of this one.
bool rl_is_moved(const struct rl_method *method, uint32_t value);

// The operator that a call of a proved method, given its table, calls.
const struct rl_kernel *rl_called_kernel(const struct rl_method *method, const struct rl_registry *registry,
                                         const uint8_t *table);

// rl_control_flow_all.tolerates and check.
bool rl_tolerates(const struct rl_call *call, const struct rl_registry *registry);
enum rl_status rl_check_flow(struct rl_method *method, const struct rl_registry *registry,
                             enum rl_pte_instruction_kind kind, const uint8_t *table);

#endif
