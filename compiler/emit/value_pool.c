// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/value_pool.h"

#include <string.h>

struct rl_value_pool rl_value_pool_make(struct rl_arena *arena)
{
    return (struct rl_value_pool){.arena = arena};
}

// FNV-1a, 64 bits.
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static size_t list_item_size(enum rl_pte_kind kind)
{
    switch (kind) {
    case RL_PTE_DOUBLE_LIST:
        return sizeof(double);
    case RL_PTE_BOOL_LIST:
        return sizeof(bool);
    default:
        return sizeof(int32_t);
    }
}

static const void *list_items(const struct rl_pte_value_description *value)
{
    switch (value->kind) {
    case RL_PTE_DOUBLE_LIST:
        return value->as.numbers;
    case RL_PTE_BOOL_LIST:
        return value->as.booleans;
    default:
        return value->as.indices;
    }
}

static uint64_t hash_value(const struct rl_pte_value_description *value)
{
    uint64_t hash = hash_bytes(UINT64_C(14695981039346656037), &value->kind, sizeof value->kind);
    const struct rl_pte_tensor_description *tensor = &value->as.tensor;

    switch (value->kind) {
    case RL_PTE_NULL:
        return hash;
    case RL_PTE_INT:
        return hash_bytes(hash, &value->as.integer, sizeof value->as.integer);
    case RL_PTE_BOOL:
        return hash_bytes(hash, &value->as.boolean, sizeof value->as.boolean);
    case RL_PTE_DOUBLE:
        return hash_bytes(hash, &value->as.number, sizeof value->as.number);
    case RL_PTE_STRING:
        return hash_bytes(hash, value->as.string, strlen(value->as.string));
    case RL_PTE_TENSOR:
        return hash_bytes(hash, &tensor->constant, sizeof tensor->constant);
    default:
        return hash_bytes(hash, list_items(value), (size_t)value->count * list_item_size(value->kind));
    }
}

static bool same_constant_tensor(const struct rl_pte_tensor_description *a, const struct rl_pte_tensor_description *b)
{
    return a->constant == b->constant && a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof *a->sizes) == 0 &&
           memcmp(a->dim_order, b->dim_order, (size_t)a->rank) == 0;
}

static bool same_value(const struct rl_pte_value_description *a, const struct rl_pte_value_description *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case RL_PTE_NULL:
        return true;
    case RL_PTE_INT:
        return a->as.integer == b->as.integer;
    case RL_PTE_BOOL:
        return a->as.boolean == b->as.boolean;
    case RL_PTE_DOUBLE: // by bits: 0.0 and -0.0 differ, a NaN equals itself
        return memcmp(&a->as.number, &b->as.number, sizeof a->as.number) == 0;
    case RL_PTE_STRING:
        return strcmp(a->as.string, b->as.string) == 0;
    case RL_PTE_TENSOR:
        return same_constant_tensor(&a->as.tensor, &b->as.tensor);
    default:
        return a->count == b->count &&
               memcmp(list_items(a), list_items(b), (size_t)a->count * list_item_size(a->kind)) == 0;
    }
}

static bool is_planned_tensor(const struct rl_pte_value_description *value)
{
    return value->kind == RL_PTE_TENSOR && value->as.tensor.constant == 0;
}

// A table twice as large, with the same entries.
static void *grow(struct rl_arena *arena, const void *items, int count, int *capacity, size_t size)
{
    *capacity = *capacity > 0 ? *capacity * 2 : 64;
    void *larger = rl_arena_array(arena, (size_t)*capacity, size);
    if (count > 0) {
        memcpy(larger, items, (size_t)count * size);
    }
    return larger;
}

static void rehash_values(struct rl_value_pool *pool)
{
    pool->value_slot_count = pool->value_capacity * 2;
    pool->value_slots = rl_arena_array(pool->arena, (size_t)pool->value_slot_count, sizeof *pool->value_slots);
    for (int i = 0; i < pool->value_count; i++) {
        if (is_planned_tensor(&pool->values[i])) {
            continue;
        }
        int slot = (int)(hash_value(&pool->values[i]) >> 33) & (pool->value_slot_count - 1);
        while (pool->value_slots[slot] != 0) {
            slot = (slot + 1) & (pool->value_slot_count - 1);
        }
        pool->value_slots[slot] = i + 1;
    }
}

int32_t rl_value_pool_add(struct rl_value_pool *pool, const struct rl_pte_value_description *value)
{
    if (pool->value_count == pool->value_capacity) {
        pool->values = grow(pool->arena, pool->values, pool->value_count, &pool->value_capacity, sizeof *pool->values);
        rehash_values(pool);
    }
    if (is_planned_tensor(value)) {
        pool->values[pool->value_count] = *value;
        return pool->value_count++;
    }
    int slot = (int)(hash_value(value) >> 33) & (pool->value_slot_count - 1);
    while (pool->value_slots[slot] != 0) {
        int index = pool->value_slots[slot] - 1;
        if (same_value(&pool->values[index], value)) {
            return index;
        }
        slot = (slot + 1) & (pool->value_slot_count - 1);
    }
    pool->values[pool->value_count++] = *value;
    pool->value_slots[slot] = pool->value_count;
    return pool->value_count - 1;
}

static uint64_t hash_constant(const struct rl_pte_constant_description *constant)
{
    return hash_bytes(hash_bytes(0, &constant->size, sizeof constant->size), constant->data, constant->size);
}

static void rehash_constants(struct rl_value_pool *pool)
{
    pool->constant_slot_count = pool->constant_capacity * 2;
    pool->constant_slots = rl_arena_array(pool->arena, (size_t)pool->constant_slot_count, sizeof *pool->constant_slots);
    for (int i = 0; i < pool->constant_count; i++) {
        int slot = (int)(hash_constant(&pool->constants[i]) >> 33) & (pool->constant_slot_count - 1);
        while (pool->constant_slots[slot] != 0) {
            slot = (slot + 1) & (pool->constant_slot_count - 1);
        }
        pool->constant_slots[slot] = i + 1;
    }
}

uint32_t rl_value_pool_add_constant(struct rl_value_pool *pool, const void *data, size_t size)
{
    struct rl_pte_constant_description constant = {.data = data, .size = size};

    if (pool->constant_count == pool->constant_capacity) {
        pool->constants =
            grow(pool->arena, pool->constants, pool->constant_count, &pool->constant_capacity, sizeof *pool->constants);
        rehash_constants(pool);
    }
    int slot = (int)(hash_constant(&constant) >> 33) & (pool->constant_slot_count - 1);
    while (pool->constant_slots[slot] != 0) {
        const struct rl_pte_constant_description *other = &pool->constants[pool->constant_slots[slot] - 1];
        if (other->size == size && memcmp(other->data, data, size) == 0) {
            return (uint32_t)pool->constant_slots[slot];
        }
        slot = (slot + 1) & (pool->constant_slot_count - 1);
    }
    pool->constants[pool->constant_count++] = constant;
    pool->constant_slots[slot] = pool->constant_count;
    return (uint32_t)pool->constant_count;
}
