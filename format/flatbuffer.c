// SPDX-License-Identifier: Apache-2.0
#include "format/flatbuffer.h"

#include <stddef.h>
#include <string.h>

bool rl_fb_inside(const struct rl_flatbuffer *buffer, uint32_t position, uint64_t bytes)
{
    return position <= buffer->size && bytes <= buffer->size - position;
}

// Address of a scalar to read, or NULL where the default holds.
static const uint8_t *scalar(const struct rl_flatbuffer *buffer, uint32_t position, uint32_t bytes)
{
    if (position == RL_FB_ABSENT || !rl_fb_inside(buffer, position, bytes)) {
        return NULL;
    }
    return buffer->data + position;
}

// Positions of tables, vectors and offsets are multiples of 4.
static bool is_aligned(uint32_t position, uint32_t width)
{
    return (position & (width < 4 ? width - 1 : 3)) == 0;
}

// Compilers turn these into one load where the core allows unaligned ones.
static uint32_t load_u16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t load_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

uint32_t rl_fb_root(const struct rl_flatbuffer *buffer)
{
    // It lies at position 0, which stands for "absent" everywhere else.
    const uint32_t root = buffer->size >= 4 ? load_u32(buffer->data) : 0;
    return rl_fb_inside(buffer, root, 4) ? root : 0;
}

uint8_t rl_fb_u8(const struct rl_flatbuffer *buffer, uint32_t position)
{
    const uint8_t *bytes = scalar(buffer, position, 1);
    return bytes ? bytes[0] : 0;
}

uint16_t rl_fb_u16(const struct rl_flatbuffer *buffer, uint32_t position)
{
    const uint8_t *bytes = scalar(buffer, position, 2);
    return bytes ? (uint16_t)load_u16(bytes) : 0;
}

uint32_t rl_fb_u32(const struct rl_flatbuffer *buffer, uint32_t position)
{
    const uint8_t *bytes = scalar(buffer, position, 4);
    return bytes ? load_u32(bytes) : 0;
}

uint64_t rl_fb_u64(const struct rl_flatbuffer *buffer, uint32_t position)
{
    const uint8_t *bytes = scalar(buffer, position, 8);
    return bytes ? (uint64_t)load_u32(bytes + 4) << 32 | load_u32(bytes) : 0;
}

double rl_fb_f64(const struct rl_flatbuffer *buffer, uint32_t position)
{
    uint64_t bits = rl_fb_u64(buffer, position);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

uint32_t rl_fb_follow(const struct rl_flatbuffer *buffer, uint32_t position)
{
    const uint8_t *bytes = scalar(buffer, position, 4);
    if (!bytes) {
        return RL_FB_BAD;
    }
    uint32_t offset = load_u32(bytes);
    uint32_t room = buffer->size - position;
    return offset == 0 || offset >= room || !is_aligned(position + offset, 4) ? RL_FB_BAD : position + offset;
}

struct rl_fb_table rl_fb_open_table(const struct rl_flatbuffer *buffer, uint32_t position)
{
    struct rl_fb_table table = {position, 0, 0};
    if (position == RL_FB_ABSENT) {
        return table;
    }
    table.position = RL_FB_BAD;
    const uint8_t *start = scalar(buffer, position, 4);
    if (!start || !is_aligned(position, 4)) {
        return table;
    }
    // The vtable may lie on either side of its table; arithmetic modulo 2^32 covers both.
    uint32_t vtable = position - load_u32(start);
    if (!rl_fb_inside(buffer, vtable, 4) || !is_aligned(vtable, 2)) {
        return table;
    }
    uint32_t bytes = load_u16(buffer->data + vtable);
    if (bytes < 4 || bytes % 2 != 0 || !rl_fb_inside(buffer, vtable, bytes)) {
        return table;
    }
    return (struct rl_fb_table){position, vtable + 4, (bytes - 4) / 2};
}

uint32_t rl_fb_table_field(const struct rl_flatbuffer *buffer, const struct rl_fb_table *table, uint32_t id,
                           uint32_t width)
{
    if (id >= table->count) {
        return table->position == RL_FB_BAD ? RL_FB_BAD : RL_FB_ABSENT;
    }
    // The table's size in the vtable is not used: some writers share vtables between tables of different sizes.
    uint32_t offset = load_u16(buffer->data + table->entries + 2 * id);
    if (offset == 0) {
        return RL_FB_ABSENT;
    }
    uint32_t field = table->position + offset;
    return rl_fb_inside(buffer, field, width) && is_aligned(field, width) ? field : RL_FB_BAD;
}

uint32_t rl_fb_table_child(const struct rl_flatbuffer *buffer, const struct rl_fb_table *table, uint32_t id)
{
    uint32_t field = rl_fb_table_field(buffer, table, id, 4);
    return field == RL_FB_ABSENT ? RL_FB_ABSENT : rl_fb_follow(buffer, field);
}

uint32_t rl_fb_field(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id, uint32_t width)
{
    struct rl_fb_table opened = rl_fb_open_table(buffer, table);
    return rl_fb_table_field(buffer, &opened, id, width);
}

uint32_t rl_fb_child(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id)
{
    struct rl_fb_table opened = rl_fb_open_table(buffer, table);
    return rl_fb_table_child(buffer, &opened, id);
}

bool rl_fb_vector_at(const struct rl_flatbuffer *buffer, uint32_t position, uint32_t item_width,
                     struct rl_fb_vector *vector)
{
    vector->items = RL_FB_ABSENT;
    vector->count = 0;
    if (position == RL_FB_ABSENT) {
        return true;
    }
    if (!rl_fb_inside(buffer, position, 4) || !is_aligned(position, 4)) {
        return false;
    }
    uint32_t count = rl_fb_u32(buffer, position);
    if (!rl_fb_inside(buffer, position + 4, (uint64_t)count * item_width)) {
        return false;
    }
    vector->items = position + 4;
    vector->count = count;
    return true;
}

bool rl_fb_vector(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id, uint32_t item_width,
                  struct rl_fb_vector *vector)
{
    return rl_fb_vector_at(buffer, rl_fb_child(buffer, table, id), item_width, vector);
}

const char *rl_fb_string(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id, uint32_t *length)
{
    struct rl_fb_vector characters;
    *length = 0;
    if (!rl_fb_vector(buffer, table, id, 1, &characters)) {
        return NULL;
    }
    if (characters.items == RL_FB_ABSENT) {
        return "";
    }
    uint32_t end = characters.items + characters.count;
    if (!rl_fb_inside(buffer, end, 1) || buffer->data[end] != 0) {
        return NULL;
    }
    *length = characters.count;
    return (const char *)buffer->data + characters.items;
}

uint32_t rl_fb_item_table(const struct rl_flatbuffer *buffer, const struct rl_fb_vector *vector, uint32_t index)
{
    if (index >= vector->count) {
        return RL_FB_BAD;
    }
    return rl_fb_follow(buffer, vector->items + 4 * index);
}
