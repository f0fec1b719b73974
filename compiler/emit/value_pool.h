// SPDX-License-Identifier: Apache-2.0
//
// The values and constants of a program while it is being described. Adding an equal one returns the existing one.
#ifndef RL_COMPILER_EMIT_VALUE_POOL_H
#define RL_COMPILER_EMIT_VALUE_POOL_H

#include "compiler/support/arena.h"
#include "format/pte_writer.h"

struct rl_value_pool {
    struct rl_arena *arena;
    struct rl_pte_value_description *values;
    int value_count, value_capacity;
    struct rl_pte_constant_description *constants;
    int constant_count, constant_capacity;
    int *value_slots, *constant_slots; // hash -> index + 1
    int value_slot_count, constant_slot_count;
};

struct rl_value_pool rl_value_pool_make(struct rl_arena *arena);

// Index of the value in the file. Planned tensors are never shared; everything else is. The memory that `value` points
// to must outlive the pool.
int32_t rl_value_pool_add(struct rl_value_pool *pool, const struct rl_pte_value_description *value);

// 1 + index of the constant, as rl_pte_tensor_description.constant wants it.
uint32_t rl_value_pool_add_constant(struct rl_value_pool *pool, const void *data, size_t size);

#endif
