// SPDX-License-Identifier: Apache-2.0
//
// Reads without checks, for programs that rl_program_verify has accepted: it made every one of these reads with the
// checks of format/flatbuffer.h and format/pte_reader.h, which prove bounds and alignment. Each is a few instructions
// where a checked one is a hundred. Everywhere else, use the checked readers.
//
// Results are addresses instead of positions; NULL for a field that a table leaves out.
#ifndef RL_FORMAT_PROVED_H
#define RL_FORMAT_PROVED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/pte_reader.h"

static inline uint32_t rl_proved_u16(const uint8_t *place)
{
    return *(const uint16_t *)(const void *)place;
}

static inline uint32_t rl_proved_u32(const uint8_t *place)
{
    return *(const uint32_t *)(const void *)place;
}

// Wide numbers may lie at any multiple of 4.
static inline uint64_t rl_proved_u64(const uint8_t *place)
{
    return (uint64_t)rl_proved_u32(place + 4) << 32 | rl_proved_u32(place);
}

static inline const uint8_t *rl_proved_follow(const uint8_t *place)
{
    return place + rl_proved_u32(place);
}

static inline const uint8_t *rl_proved_field(const uint8_t *table, uint32_t id)
{
    const uint8_t *vtable = table - (int32_t)rl_proved_u32(table);
    uint32_t entry = 4 + 2 * id;
    if (entry >= rl_proved_u16(vtable)) {
        return NULL;
    }
    uint32_t offset = rl_proved_u16(vtable + entry);
    return offset != 0 ? table + offset : NULL;
}

// A field that every accepted program has.
static inline const uint8_t *rl_proved_present(const uint8_t *table, uint32_t id)
{
    const uint8_t *vtable = table - (int32_t)rl_proved_u32(table);
    return table + rl_proved_u16(vtable + 4 + 2 * id);
}

static inline uint32_t rl_proved_number(const uint8_t *table, uint32_t id)
{
    const uint8_t *field = rl_proved_field(table, id);
    return field ? rl_proved_u32(field) : 0;
}

static inline uint32_t rl_proved_byte(const uint8_t *table, uint32_t id)
{
    const uint8_t *field = rl_proved_field(table, id);
    return field ? *field : 0;
}

static inline const uint8_t *rl_proved_child(const uint8_t *table, uint32_t id)
{
    const uint8_t *field = rl_proved_field(table, id);
    return field ? rl_proved_follow(field) : NULL;
}

// First item of the vector in a field, and how many there are.
static inline const uint8_t *rl_proved_vector(const uint8_t *table, uint32_t id, uint32_t *count)
{
    const uint8_t *vector = rl_proved_child(table, id);
    *count = vector ? rl_proved_u32(vector) : 0;
    return vector ? vector + 4 : NULL;
}

// Table that item `index` of a vector of tables refers to. The index must be below the vector's count.
static inline const uint8_t *rl_proved_item_table(const struct rl_pte *pte, const struct rl_fb_vector *vector,
                                                  uint32_t index)
{
    return rl_proved_follow(pte->fb.data + vector->items + 4 * index);
}

// Item of a vector of int32. The index must be below the vector's count.
static inline int32_t rl_proved_item(const struct rl_pte *pte, const struct rl_fb_vector *vector, uint32_t index)
{
    return (int32_t)rl_proved_u32(pte->fb.data + vector->items + 4 * index);
}

// ---- tensors

// The information about a tensor's place in another file; NULL if it is not in one.
static inline const uint8_t *rl_proved_external(const uint8_t *table)
{
    const uint8_t *extra = rl_proved_child(table, RL_PTE_tensor_extra_tensor_info);
    return extra && rl_proved_byte(extra, RL_PTE_extra_location) != 0 ? extra : NULL;
}

// Whether the tensor lies in this file or in another one, instead of in memory.
static inline bool rl_proved_is_constant(const uint8_t *table)
{
    return !rl_proved_child(table, RL_PTE_tensor_allocation_info) &&
           (rl_proved_number(table, RL_PTE_tensor_data_buffer_idx) != 0 || rl_proved_external(table));
}

// ---- values

// Kind of a value and its table; `place` is that of its offset in the vector of values.
static inline enum rl_pte_kind rl_proved_value(const uint8_t *place, const uint8_t **table)
{
    const uint8_t *value = rl_proved_follow(place);
    *table = rl_proved_follow(rl_proved_present(value, RL_PTE_value_table));
    return (enum rl_pte_kind) * rl_proved_present(value, RL_PTE_value_type);
}

// Kind of instruction `index`, which must be below the chain's count, and its table.
static inline enum rl_pte_instruction_kind
rl_proved_instruction(const struct rl_pte *pte, const struct rl_fb_vector *chain, uint32_t index, const uint8_t **table)
{
    const uint8_t *instruction = rl_proved_item_table(pte, chain, index);
    *table = rl_proved_follow(rl_proved_present(instruction, RL_PTE_instruction_table));
    return (enum rl_pte_instruction_kind) * rl_proved_present(instruction, RL_PTE_instruction_type);
}

static inline int64_t rl_proved_int(const uint8_t *table)
{
    const uint8_t *field = rl_proved_field(table, RL_PTE_payload_item);
    return field ? (int64_t)rl_proved_u64(field) : 0;
}

static inline bool rl_proved_bool(const uint8_t *table)
{
    return rl_proved_byte(table, RL_PTE_payload_item) != 0;
}

static inline double rl_proved_double(const uint8_t *table)
{
    double number;
    int64_t bits = rl_proved_int(table);
    memcpy(&number, &bits, sizeof number);
    return number;
}

#endif
