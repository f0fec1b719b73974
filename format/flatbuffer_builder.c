// SPDX-License-Identifier: Apache-2.0
#include "format/flatbuffer_builder.h"

#include <string.h>

enum { USUAL_ALIGNMENT = 16, MAX_ALIGNMENT = 32 };

struct rl_fbb_entry {
    uint32_t hash;
    uint32_t reference; // 0: empty slot
    size_t key, key_size;
};

// ---- memory

static void *resize(struct rl_fbb *builder, void *block, size_t old_size, size_t new_size)
{
    void *resized = builder->failed ? NULL : builder->reallocate(builder->user, block, old_size, new_size);
    if (!resized) {
        builder->failed = true;
    }
    return resized;
}

void rl_fbb_free(struct rl_fbb *builder)
{
    if (builder->block) {
        builder->reallocate(builder->user, builder->block, builder->capacity, 0);
    }
    if (builder->keys) {
        builder->reallocate(builder->user, builder->keys, builder->keys_capacity, 0);
    }
    if (builder->entries) {
        builder->reallocate(builder->user, builder->entries, builder->entry_capacity * sizeof *builder->entries, 0);
    }
    memset(builder, 0, sizeof *builder);
}

// Makes room for `bytes` before what is written.
static bool reserve(struct rl_fbb *builder, size_t bytes)
{
    if (builder->failed) {
        return false;
    }
    if (builder->capacity - builder->used >= bytes) {
        return true;
    }
    size_t capacity = builder->capacity * 2 + bytes + 1024;
    uint8_t *block = resize(builder, builder->block, builder->capacity, capacity);
    if (!block) {
        return false;
    }
    memmove(block + capacity - builder->used, block + builder->capacity - builder->used, builder->used);
    builder->block = block;
    builder->capacity = capacity;
    return true;
}

static void prepend(struct rl_fbb *builder, const void *bytes, size_t count)
{
    if (count == 0 || !reserve(builder, count)) {
        return;
    }
    builder->used += count;
    memcpy(builder->block + builder->capacity - builder->used, bytes, count);
}

static void prepend_number(struct rl_fbb *builder, uint64_t number, size_t width)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < width; i++) {
        bytes[i] = (uint8_t)(number >> (8 * i));
    }
    prepend(builder, bytes, width);
}

// Pads so that an object starts aligned once `bytes` more are written.
static void align(struct rl_fbb *builder, size_t alignment, size_t bytes)
{
    static const uint8_t zeros[MAX_ALIGNMENT];
    prepend(builder, zeros, (alignment - (builder->used + bytes) % alignment) % alignment);
}

// ---- sharing

static uint32_t hash_of(const uint8_t *key, size_t size)
{
    uint32_t hash = 2166136261u; // FNV-1a
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ key[i]) * 16777619u;
    }
    return hash;
}

static bool add_to_key(struct rl_fbb *builder, size_t *size, const void *bytes, size_t count)
{
    size_t needed = builder->keys_used + *size + count;
    if (builder->failed) {
        return false;
    }
    if (needed > builder->keys_capacity) {
        size_t capacity = builder->keys_capacity * 2 + needed;
        uint8_t *keys = resize(builder, builder->keys, builder->keys_capacity, capacity);
        if (!keys) {
            return false;
        }
        builder->keys = keys;
        builder->keys_capacity = capacity;
    }
    if (count > 0) {
        memcpy(builder->keys + builder->keys_used + *size, bytes, count);
    }
    *size += count;
    return true;
}

static bool grow_entries(struct rl_fbb *builder)
{
    size_t capacity = builder->entry_capacity ? builder->entry_capacity * 2 : 256;
    struct rl_fbb_entry *entries = resize(builder, NULL, 0, capacity * sizeof *entries);
    if (!entries) {
        return false;
    }
    memset(entries, 0, capacity * sizeof *entries);
    for (size_t i = 0; i < builder->entry_capacity; i++) {
        if (builder->entries[i].reference == 0) {
            continue;
        }
        size_t slot = builder->entries[i].hash % capacity;
        while (entries[slot].reference != 0) {
            slot = (slot + 1) % capacity;
        }
        entries[slot] = builder->entries[i];
    }
    if (builder->entries) {
        builder->reallocate(builder->user, builder->entries, builder->entry_capacity * sizeof *entries, 0);
    }
    builder->entries = entries;
    builder->entry_capacity = capacity;
    return true;
}

// The entry for the key of `size` bytes that was put after the used keys; its reference is 0 when it is new. NULL when
// memory ran out.
static struct rl_fbb_entry *find_entry(struct rl_fbb *builder, size_t size)
{
    if (builder->failed) {
        return NULL;
    }
    if (builder->entry_count * 2 >= builder->entry_capacity && !grow_entries(builder)) {
        return NULL;
    }
    const uint8_t *key = builder->keys + builder->keys_used;
    uint32_t hash = hash_of(key, size);
    size_t slot = hash % builder->entry_capacity;
    for (;; slot = (slot + 1) % builder->entry_capacity) {
        struct rl_fbb_entry *entry = &builder->entries[slot];
        if (entry->reference == 0) {
            entry->hash = hash;
            entry->key = builder->keys_used;
            entry->key_size = size;
            return entry;
        }
        if (entry->hash == hash && entry->key_size == size && memcmp(builder->keys + entry->key, key, size) == 0) {
            return entry;
        }
    }
}

static uint32_t keep_entry(struct rl_fbb *builder, struct rl_fbb_entry *entry)
{
    if (builder->failed || builder->used > INT32_MAX) {
        builder->failed = true;
        return 0;
    }
    entry->reference = (uint32_t)builder->used;
    builder->keys_used += entry->key_size;
    builder->entry_count++;
    return entry->reference;
}

// Starts a key with a letter for the kind of object and its two numbers.
static bool start_key(struct rl_fbb *builder, size_t *size, char kind, uint32_t first, uint32_t second)
{
    uint32_t head[3] = {(uint32_t)kind, first, second};
    *size = 0;
    return add_to_key(builder, size, head, sizeof head);
}

// ---- objects

uint32_t rl_fbb_vector(struct rl_fbb *builder, const void *items, uint32_t count, uint32_t width)
{
    size_t size, bytes = (size_t)count * width;
    if (!start_key(builder, &size, 'v', count, width) || !add_to_key(builder, &size, items, bytes)) {
        return 0;
    }
    struct rl_fbb_entry *entry = find_entry(builder, size);
    if (!entry || entry->reference != 0) {
        return entry ? entry->reference : 0;
    }
    align(builder, width > 4 ? width : 4, bytes);
    prepend(builder, items, bytes);
    prepend_number(builder, count, 4);
    return keep_entry(builder, entry);
}

uint32_t rl_fbb_bytes(struct rl_fbb *builder, const void *bytes, uint32_t count, uint32_t alignment)
{
    builder->alignment = alignment > builder->alignment ? alignment : builder->alignment;
    align(builder, alignment, count);
    prepend(builder, bytes, count);
    prepend_number(builder, count, 4);
    if (builder->failed || builder->used > INT32_MAX) {
        builder->failed = true;
        return 0;
    }
    return (uint32_t)builder->used;
}

uint32_t rl_fbb_string(struct rl_fbb *builder, const char *string)
{
    size_t size, length = strlen(string);
    if (!start_key(builder, &size, 's', (uint32_t)length, 1) || !add_to_key(builder, &size, string, length)) {
        return 0;
    }
    struct rl_fbb_entry *entry = find_entry(builder, size);
    if (!entry || entry->reference != 0) {
        return entry ? entry->reference : 0;
    }
    align(builder, 4, length + 1);
    prepend(builder, string, length + 1);
    prepend_number(builder, length, 4);
    return keep_entry(builder, entry);
}

// An offset leads from its own position to the object.
static void prepend_reference(struct rl_fbb *builder, uint32_t reference)
{
    prepend_number(builder, builder->used + 4 - reference, 4);
}

uint32_t rl_fbb_references(struct rl_fbb *builder, const uint32_t *references, uint32_t count)
{
    size_t size;
    if (!start_key(builder, &size, 'r', count, 4) ||
        !add_to_key(builder, &size, references, count * sizeof *references)) {
        return 0;
    }
    struct rl_fbb_entry *entry = find_entry(builder, size);
    if (!entry || entry->reference != 0) {
        return entry ? entry->reference : 0;
    }
    align(builder, 4, 4 * (size_t)count);
    for (uint32_t i = count; i-- > 0;) {
        prepend_reference(builder, references[i]);
    }
    prepend_number(builder, count, 4);
    return keep_entry(builder, entry);
}

static void add_field(struct rl_fbb *builder, uint32_t id, uint32_t width, uint64_t value)
{
    if (builder->failed) {
        return;
    }
    if (builder->field_count == RL_FBB_MAX_FIELDS) {
        builder->failed = true;
        return;
    }
    builder->fields[builder->field_count++] = (struct rl_fbb_field){id, width, value};
}

void rl_fbb_scalar(struct rl_fbb *builder, uint32_t id, uint32_t width, uint64_t value)
{
    if (value != 0) {
        add_field(builder, id, width, value);
    }
}

void rl_fbb_reference(struct rl_fbb *builder, uint32_t id, uint32_t reference)
{
    if (reference != 0) {
        add_field(builder, id, 0, reference);
    }
}

void rl_fbb_present(struct rl_fbb *builder, uint32_t id, uint32_t width, uint64_t value)
{
    add_field(builder, id, width, value);
}

static uint32_t field_bytes(const struct rl_fbb_field *field)
{
    return field->width == 0 ? 4 : field->width;
}

// Widest fields first: then no padding is needed between them.
static void sort_fields(struct rl_fbb_field *fields, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t j = i; j > 0 && field_bytes(&fields[j]) > field_bytes(&fields[j - 1]); j--) {
            struct rl_fbb_field swapped = fields[j];
            fields[j] = fields[j - 1];
            fields[j - 1] = swapped;
        }
    }
}

// The vtable of the described fields, as it stands in the file; returns its size.
static uint32_t make_vtable(const struct rl_fbb *builder, uint8_t *vtable, uint32_t table_bytes)
{
    uint32_t last = 0, offset = 4;
    memset(vtable, 0, 4 + 2 * RL_FBB_MAX_FIELDS);
    for (uint32_t i = 0; i < builder->field_count; i++) {
        const struct rl_fbb_field *field = &builder->fields[i];
        vtable[4 + 2 * field->id] = (uint8_t)offset;
        offset += field_bytes(field);
        last = field->id + 1 > last ? field->id + 1 : last;
    }
    vtable[0] = (uint8_t)(4 + 2 * last);
    vtable[2] = (uint8_t)table_bytes;
    return 4 + 2 * last;
}

// Reference of the vtable, which is written now unless an equal one is there.
static uint32_t place_vtable(struct rl_fbb *builder, uint32_t table_bytes)
{
    uint8_t vtable[4 + 2 * RL_FBB_MAX_FIELDS];
    uint32_t bytes = make_vtable(builder, vtable, table_bytes);
    size_t size;
    if (!start_key(builder, &size, 't', bytes, 0) || !add_to_key(builder, &size, vtable, bytes)) {
        return 0;
    }
    struct rl_fbb_entry *entry = find_entry(builder, size);
    if (!entry || entry->reference != 0) {
        return entry ? entry->reference : 0;
    }
    align(builder, 2, bytes);
    prepend(builder, vtable, bytes);
    return keep_entry(builder, entry);
}

static void prepend_table(struct rl_fbb *builder, uint32_t vtable, uint32_t field_bytes_total, uint32_t widest)
{
    align(builder, widest, field_bytes_total);
    for (uint32_t i = builder->field_count; i-- > 0;) {
        const struct rl_fbb_field *field = &builder->fields[i];
        if (field->width == 0) {
            prepend_reference(builder, (uint32_t)field->value);
        } else {
            prepend_number(builder, field->value, field->width);
        }
    }
    // From the table back to its vtable; negative when the vtable lies behind.
    prepend_number(builder, (uint32_t)(vtable - (uint32_t)(builder->used + 4)), 4);
}

// The described fields as a key; false when memory ran out.
static bool make_table_key(struct rl_fbb *builder, size_t *size)
{
    if (!start_key(builder, size, 'o', builder->field_count, 0)) {
        return false;
    }
    for (uint32_t i = 0; i < builder->field_count; i++) {
        const struct rl_fbb_field *field = &builder->fields[i];
        uint32_t head[2] = {field->id, field->width};
        if (!add_to_key(builder, size, head, sizeof head) ||
            !add_to_key(builder, size, &field->value, sizeof field->value)) {
            return false;
        }
    }
    return true;
}

uint32_t rl_fbb_end(struct rl_fbb *builder)
{
    sort_fields(builder->fields, builder->field_count);
    uint32_t bytes = 0, widest = 4;
    for (uint32_t i = 0; i < builder->field_count; i++) {
        bytes += field_bytes(&builder->fields[i]);
        widest = builder->fields[i].width > widest ? builder->fields[i].width : widest;
    }
    uint32_t vtable = place_vtable(builder, 4 + bytes);
    size_t key_size;
    struct rl_fbb_entry *entry = make_table_key(builder, &key_size) ? find_entry(builder, key_size) : NULL;
    uint32_t reference = entry ? entry->reference : 0;
    if (entry && reference == 0) {
        prepend_table(builder, vtable, bytes, widest);
        reference = keep_entry(builder, entry);
    }
    builder->field_count = 0;
    return reference;
}

// `more` bytes will be put in front.
static void prepend_head(struct rl_fbb *builder, uint32_t root, const char *identifier, size_t more)
{
    align(builder, builder->alignment > USUAL_ALIGNMENT ? builder->alignment : USUAL_ALIGNMENT, 8 + more);
    prepend(builder, identifier, 4);
    prepend_reference(builder, root);
}

bool rl_fbb_finish(struct rl_fbb *builder, uint32_t root, const char *identifier)
{
    prepend_head(builder, root, identifier, 0);
    return !builder->failed;
}

bool rl_fbb_finish_sized(struct rl_fbb *builder, uint32_t root, const char *identifier)
{
    prepend_head(builder, root, identifier, 4);
    prepend_number(builder, builder->used, 4);
    return !builder->failed;
}
