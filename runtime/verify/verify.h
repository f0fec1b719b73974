// SPDX-License-Identifier: Apache-2.0
//
// The interface between the parts of rl_program_verify.
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
    uint32_t initial; // the first value in the file of a planned tensor; 0 if it has none
    bool changes;     // its sizes may differ from those in the file: run/shapes.h
};

// Reads and checks value `index`, which must be a tensor: element type, rank, sizes, dim_order, and that its bytes lie
// inside the file or the planned buffer. On failure *message says why.
enum rl_status rl_place_tensor(const struct rl_program *program, const struct rl_pte_plan *plan, uint32_t index,
                               struct rl_placed_tensor *tensor, const char **message);

// Bytes that planned buffer `index` (from 0) must have; false if the file has no such buffer or an impossible size.
bool rl_planned_bytes(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index, uint32_t *bytes);

// Checks the structure of everything in the program that runtime/run/ reads without checks.
enum rl_status rl_verify_structure(struct rl_program *program, const struct rl_registry *registry,
                                   struct rl_error *error);

// Refuses a call in which an output or a work space shares memory with another tensor and may not.
enum rl_status rl_check_overlap(struct rl_call *call);

// Whether a move of a proved method may replace this value.
bool rl_is_moved(const struct rl_method *method, uint32_t value);

// The operator of a call, given the call's table in a proved method.
const struct rl_kernel *rl_called_kernel(const struct rl_method *method, const struct rl_registry *registry,
                                         const uint8_t *table);

// rl_control_flow_all.tolerates and check.
bool rl_tolerates(const struct rl_call *call, const struct rl_registry *registry);
enum rl_status rl_check_flow(struct rl_method *method, const struct rl_registry *registry,
                             enum rl_pte_instruction_kind kind, const uint8_t *table);

#endif
