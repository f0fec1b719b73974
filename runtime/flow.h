// SPDX-License-Identifier: Apache-2.0
//
// The functions that a registry with `.flow` adds to a firmware. They are only called through the registry, so that the
// linker drops them from a firmware whose registry has no flow.
#ifndef RL_RUNTIME_FLOW_H
#define RL_RUNTIME_FLOW_H

#include "format/pte.h"
#include "rushlight/operator.h"
#include "rushlight/registry.h"

struct rl_control_flow {
    // Bytes of the state in which a method keeps changed values; 0 if it changes none.
    uint32_t (*slot_bytes)(const struct rl_program *program, const struct rl_pte_plan *plan);
    enum rl_status (*run)(struct rl_method *method, enum rl_pte_instruction_kind kind, const uint8_t *table);
    enum rl_status (*place)(struct rl_method *method);
    // Give other sizes to a tensor of changing shape: a value of the method, or an output of a call (item `index` of a
    // list). NULL, or a sentence that says why not.
    const char *(*resize)(struct rl_method *method, uint32_t value, uint32_t rank, const int32_t *sizes);
    const char *(*resize_output)(struct rl_call *call, uint32_t argument, uint32_t index, uint32_t rank,
                                 const int32_t *sizes);
    // rl_call_alias.
    void (*alias)(struct rl_call *call, uint32_t argument, uint32_t source);
    // Sets the address of a tensor in the attached file; false if the tensor is not there.
    bool (*find)(const struct rl_method *method, uint32_t value, const uint8_t *table, struct rl_tensor *tensor);
    // During verification: whether a call that was refused may be right when the program runs, and whether an
    // instruction that is not a call may be.
    bool (*tolerates)(const struct rl_call *call, const struct rl_registry *registry);
    enum rl_status (*check)(struct rl_method *method, const struct rl_registry *registry,
                            enum rl_pte_instruction_kind kind, const uint8_t *table);
};

// The message for a program that needs flow if its registry has none.
static const char rl_no_flow[] = "the program needs a registry with .flow = &rl_control_flow_all";

#endif
