// SPDX-License-Identifier: Apache-2.0
//
// The place of a tensor of a proved program, read without checks. rl_method_init refuses all other programs.
#ifndef RL_RUNTIME_RUN_VIEW_H
#define RL_RUNTIME_RUN_VIEW_H

#include "rushlight/operator.h"

// Where the data of a tensor lies.
enum rl_storage {
    RL_STORAGE_CONSTANT, // at `position` in the file
    RL_STORAGE_PLANNED,  // `position` bytes into planned buffer `buffer`
    RL_STORAGE_EXTERNAL, // at `position` in the attached file of data
    RL_STORAGE_CALLER    // at the address that the caller binds
};

// Views a value that is a tensor, given its table. Its data is NULL if the caller can bind it and has not yet.
enum rl_storage rl_view_tensor(const struct rl_method *method, uint32_t value, const uint8_t *table,
                               struct rl_tensor *tensor);

// rl_program.clear: what is cleared of the planned memory.
enum rl_cleared {
    RL_CLEAR_ALL,
    RL_CLEAR_BUT_INPUTS,
    RL_CLEAR_BUT_STATE, // inputs, and what lasts from execution to execution
    RL_CLEAR_WORK       // the work spaces of a call, which has run
};

// rl_control_flow_all.alias.
void rl_alias(struct rl_call *call, uint32_t argument, uint32_t source);

// rl_control_flow_all.place: copies initial values to the tensors of a method that have one, and finds the tensors that
// lie in another file.
enum rl_status rl_place_data(struct rl_method *method);

// rl_control_flow_all.find.
bool rl_find_external(const struct rl_method *method, uint32_t value, const uint8_t *table, struct rl_tensor *tensor);

#endif
