// SPDX-License-Identifier: Apache-2.0
//
// Where a tensor of a proved program lies, read without checks. rl_method_init lets no other program reach this.
#ifndef RL_RUNTIME_RUN_VIEW_H
#define RL_RUNTIME_RUN_VIEW_H

#include "rushlight/operator.h"

// Where the data of a tensor lies.
enum rl_storage {
    RL_STORAGE_CONSTANT, // at `position` in the file
    RL_STORAGE_PLANNED,  // `position` bytes into planned buffer `buffer`
    RL_STORAGE_EXTERNAL, // at `position` in the attached file of data
    RL_STORAGE_CALLER    // wherever the caller binds it
};

// View of a value that is a tensor, given its table. Its data is NULL when that is for the caller to bind and not bound
// yet.
enum rl_storage rl_view_tensor(const struct rl_method *method, uint32_t value, const uint8_t *table,
                               struct rl_tensor *tensor);

// rl_control_flow_all.alias.
void rl_alias(struct rl_call *call, uint32_t argument, uint32_t source);

// rl_control_flow_all.place: gives tensors of a method with an initial value that value, and finds those that lie in
// another file.
enum rl_status rl_place_data(struct rl_method *method);

// rl_control_flow_all.find.
bool rl_find_external(const struct rl_method *method, uint32_t value, const uint8_t *table, struct rl_tensor *tensor);

#endif
