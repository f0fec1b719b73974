// SPDX-License-Identifier: Apache-2.0
//
// Checked reads from a FlatBuffer, in place. Positions are byte offsets from the start of the buffer. Integers are
// little-endian; the buffer may lie at any address. No function reads outside the buffer, whatever it contains. A value
// that is absent has position RL_FB_ABSENT, one that cannot be in the buffer has RL_FB_BAD, and reading at either gives
// the default. Tables, vectors and fields at positions that are not a multiple of their width (of 4 for wider ones)
// have RL_FB_BAD, too: format/proved.h relies on it. Format: FlatBuffers internals, https://flatbuffers.dev/internals/
#ifndef RL_FORMAT_FLATBUFFER_H
#define RL_FORMAT_FLATBUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "rushlight/file.h"

enum { RL_FB_ABSENT = 0 };
#define RL_FB_BAD UINT32_MAX

// True when `bytes` at `position` lie in the buffer.
bool rl_fb_inside(const struct rl_flatbuffer *buffer, uint32_t position, uint64_t bytes);

// The table that the file starts with, by the offset in its first four bytes; 0 when it lies outside.
uint32_t rl_fb_root(const struct rl_flatbuffer *buffer);

// Scalars at a position; 0 when they are not inside the buffer.
uint8_t rl_fb_u8(const struct rl_flatbuffer *buffer, uint32_t position);
uint16_t rl_fb_u16(const struct rl_flatbuffer *buffer, uint32_t position);
uint32_t rl_fb_u32(const struct rl_flatbuffer *buffer, uint32_t position);
uint64_t rl_fb_u64(const struct rl_flatbuffer *buffer, uint32_t position);
double rl_fb_f64(const struct rl_flatbuffer *buffer, uint32_t position);

// Position that the offset stored at `position` leads to; RL_FB_BAD if it is outside or not a multiple of 4.
uint32_t rl_fb_follow(const struct rl_flatbuffer *buffer, uint32_t position);

// A table whose vtable is known: for tables of which several fields are read.
struct rl_fb_table {
    uint32_t position; // RL_FB_BAD when the table or its vtable leaves the buffer
    uint32_t entries;  // position of the offset of field 0
    uint32_t count;    // fields that the vtable has entries for
};

// Opens the table at a position; one at RL_FB_ABSENT has no fields.
struct rl_fb_table rl_fb_open_table(const struct rl_flatbuffer *buffer, uint32_t position);

// Like rl_fb_field and rl_fb_child.
uint32_t rl_fb_table_field(const struct rl_flatbuffer *buffer, const struct rl_fb_table *table, uint32_t id,
                           uint32_t width);
uint32_t rl_fb_table_child(const struct rl_flatbuffer *buffer, const struct rl_fb_table *table, uint32_t id);

// Position of a field of `width` bytes in a table; RL_FB_ABSENT when the table leaves it out (the default holds).
uint32_t rl_fb_field(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id, uint32_t width);

// Position of the table, vector or string that a field refers to.
uint32_t rl_fb_child(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id);

// The vector at a position (RL_FB_ABSENT: empty). False, and empty, when it does not fit in the buffer.
bool rl_fb_vector_at(const struct rl_flatbuffer *buffer, uint32_t position, uint32_t item_width,
                     struct rl_fb_vector *vector);

// The vector in a field; an absent one is empty.
bool rl_fb_vector(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id, uint32_t item_width,
                  struct rl_fb_vector *vector);

// The string in a field: characters inside the buffer, without the NUL that follows them. An absent one is "" with
// length 0; NULL when it does not fit or the NUL is missing.
const char *rl_fb_string(const struct rl_flatbuffer *buffer, uint32_t table, uint32_t id, uint32_t *length);

// Table that item `index` of a vector of tables refers to; RL_FB_BAD when the index or the table is outside.
uint32_t rl_fb_item_table(const struct rl_flatbuffer *buffer, const struct rl_fb_vector *vector, uint32_t index);

#endif
