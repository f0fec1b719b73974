// SPDX-License-Identifier: Apache-2.0
//
// Builds a FlatBuffer from its leaves to its root. Equal vectors, strings, tables and vtables are stored once. Host
// code.
//
// Objects are written from the end of the buffer towards its start, so that offsets point forward; a reference is the
// distance of an object's first byte from the end. When memory runs out, `failed` is set, references become 0 and the
// following calls do nothing: check once, at the end.
#ifndef RL_FORMAT_FLATBUFFER_BUILDER_H
#define RL_FORMAT_FLATBUFFER_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RL_FBB_MAX_FIELDS = 16 };

struct rl_fbb_field {
    uint32_t id;
    uint32_t width; // 1, 2, 4, 8; 0: a reference
    uint64_t value;
};

struct rl_fbb_entry;

struct rl_fbb {
    void *(*reallocate)(void *user, void *block, size_t old_size, size_t new_size);
    void *user;
    uint8_t *block; // the last `used` of its `capacity` bytes are written
    size_t capacity, used;
    uint8_t *keys; // the keys of the entries, one after the other
    size_t keys_capacity, keys_used;
    struct rl_fbb_entry *entries; // hash table over the keys
    size_t entry_capacity, entry_count;
    struct rl_fbb_field fields[RL_FBB_MAX_FIELDS]; // of the table being described
    uint32_t field_count;
    uint32_t alignment; // of the whole, if it is more than 16
    bool failed;
};

// Zero-initialise, then set reallocate and user. Frees everything:
void rl_fbb_free(struct rl_fbb *builder);

// Vector of `count` little-endian items of `width` bytes.
uint32_t rl_fbb_vector(struct rl_fbb *builder, const void *items, uint32_t count, uint32_t width);
// Vector of bytes that lies at a multiple of `alignment` in the file, a power of two up to 32. It is not shared: large
// data would have to be kept twice for that.
uint32_t rl_fbb_bytes(struct rl_fbb *builder, const void *bytes, uint32_t count, uint32_t alignment);
uint32_t rl_fbb_string(struct rl_fbb *builder, const char *string);
uint32_t rl_fbb_references(struct rl_fbb *builder, const uint32_t *references, uint32_t count);

// Describes a table field by field, then ends it. Zeros are left out: they are the default. Children come first:
// between the first field and rl_fbb_end no other object may be built.
void rl_fbb_scalar(struct rl_fbb *builder, uint32_t id, uint32_t width, uint64_t value);
void rl_fbb_reference(struct rl_fbb *builder, uint32_t id, uint32_t reference);

// A scalar that is written even if it is zero, because the default of its field is not.
void rl_fbb_present(struct rl_fbb *builder, uint32_t id, uint32_t width, uint64_t value);
uint32_t rl_fbb_end(struct rl_fbb *builder);

// Adds root offset and identifier; the buffer is the last `used` bytes of `block`, a multiple of 16, or
// of what rl_fbb_bytes asked for. False when memory
// ran out on the way.
bool rl_fbb_finish(struct rl_fbb *builder, uint32_t root, const char *identifier);

// The same with the number of bytes that follow in front, four bytes.
bool rl_fbb_finish_sized(struct rl_fbb *builder, uint32_t root, const char *identifier);

#endif
