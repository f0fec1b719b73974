// SPDX-License-Identifier: Apache-2.0
//
// Tensors whose shape changes while a method runs.
#ifndef RL_RUNTIME_RUN_SHAPES_H
#define RL_RUNTIME_RUN_SHAPES_H

#include "rushlight/operator.h"

// Product of the sizes times the element size; false if it does not fit 31 bits or a size is negative. Empty tensors
// must fit as if their empty dimensions had size 1, because operators count along the others.
bool rl_count_bytes(int dtype, uint32_t rank, const int32_t *sizes, uint32_t *bytes);

// The result of rl_program_verify about the shapes of a program's tensors.
enum rl_shapes { RL_SHAPES_UNKNOWN, RL_SHAPES_FIXED, RL_SHAPES_CHANGE };

// Words that the sizes of a proved method's tensors take; 0 if none of them changes.
uint32_t rl_shape_words(const struct rl_program *program, const struct rl_pte_plan *plan);

// Gives every tensor of a changing shape its largest sizes.
void rl_shapes_reset(struct rl_method *method);

// rl_control_flow_all.resize and resize_output.
const char *rl_change_sizes(struct rl_method *method, uint32_t value, uint32_t rank, const int32_t *sizes);
const char *rl_change_output(struct rl_call *call, uint32_t argument, uint32_t index, uint32_t rank,
                             const int32_t *sizes);

// Dimensions of value `index` if it is a tensor of changing shape; otherwise 0.
uint32_t rl_changing_rank(const struct rl_program *program, const struct rl_pte_plan *plan, uint32_t index);

#endif
