// SPDX-License-Identifier: Apache-2.0
#include "compiler/data/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/support/file.h"

enum { ALIGNMENT = 64, MAX_HEADER = 65536 };

static const struct {
    const char *name; // without the byte order
    enum rl_scalar_type dtype;
} element_types[] = {{"u1", RL_UINT8}, {"i1", RL_INT8},    {"i2", RL_INT16},   {"i4", RL_INT32},
                     {"i8", RL_INT64}, {"f2", RL_FLOAT16}, {"f4", RL_FLOAT32}, {"f8", RL_FLOAT64},
                     {"b1", RL_BOOL},  {"u2", RL_UINT16},  {"u4", RL_UINT32},  {"u8", RL_UINT64}};
enum { ELEMENT_TYPE_COUNT = sizeof element_types / sizeof element_types[0] };

// The header's text, a Python dictionary, and the places of its parts.
struct header {
    struct rl_context *context;
    const char *place;
    const char *text; // ends with a zero
    size_t data;      // the start of the elements
};

static enum rl_status refuse(const struct header *header, const char *problem)
{
    return rl_fail(header->context, RL_ERROR_FORMAT, "%s: not a .npy array: %s", header->place, problem);
}

// The text behind `'key':` in the dictionary; NULL if the key is missing.
static const char *find_entry(const struct header *header, const char *key)
{
    const size_t length = strlen(key);
    for (const char *quote = strpbrk(header->text, "'\""); quote; quote = strpbrk(quote + 1, "'\"")) {
        if (strncmp(quote + 1, key, length) == 0 && quote[length + 1] == *quote) {
            const char *colon = quote + length + 2;
            colon += strspn(colon, " \t\n");
            return *colon == ':' ? colon + 1 + strspn(colon + 1, " \t\n") : NULL;
        }
    }
    return NULL;
}

static enum rl_status parse_shape(const struct header *header, struct rl_array *array)
{
    const char *text = find_entry(header, "shape");
    if (!text || *text != '(') {
        return refuse(header, "its header has no 'shape'");
    }
    text++;
    for (;;) {
        text += strspn(text, " ,");
        if (*text == ')') {
            return RL_OK;
        }
        char *end;
        const long long size = strtoll(text, &end, 10);
        if (end == text || size < 0) {
            return refuse(header, "the 'shape' in its header is not a tuple of sizes");
        }
        if (array->rank == RL_MAX_RANK) {
            return rl_fail(header->context, RL_ERROR_UNSUPPORTED, "%s: more than %d axes; accepted: up to %d",
                           header->place, RL_MAX_RANK, RL_MAX_RANK);
        }
        array->sizes[array->rank++] = size;
        text = *end == 'L' ? end + 1 : end; // numpy under Python 2 wrote 3L
    }
}

static enum rl_status parse_type(const struct header *header, struct rl_arena *arena, struct rl_array *array)
{
    const char *text = find_entry(header, "descr");
    if (!text) {
        return refuse(header, "its header has no 'descr'");
    }
    if (*text != '\'' && *text != '"') {
        array->skipped = "a structured type";
        return RL_OK;
    }
    const char *end = strchr(text + 1, *text);
    if (!end) {
        return refuse(header, "the 'descr' in its header does not end");
    }
    const char *name = rl_arena_format(arena, "%.*s", (int)(end - text - 1), text + 1);
    array->skipped = name;
    for (int i = 0; i < ELEMENT_TYPE_COUNT && name[0] != '\0'; i++) {
        const bool one_byte = element_types[i].name[1] == '1';
        if (strcmp(name + 1, element_types[i].name) == 0 && (name[0] == '<' || (one_byte && name[0] == '|'))) {
            array->dtype = element_types[i].dtype;
            array->skipped = NULL;
        }
    }
    return RL_OK;
}

static enum rl_status find_header(struct rl_arena *arena, const unsigned char *bytes, size_t size,
                                  struct header *header)
{
    static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    if (size < 10 || memcmp(bytes, magic, sizeof magic) != 0) {
        return refuse(header, "it does not start with '\\x93NUMPY'");
    }
    const int version = bytes[6];
    if (version < 1 || version > 3 || (version > 1 && size < 12)) {
        return rl_fail(header->context, RL_ERROR_UNSUPPORTED, "%s: .npy version %d; accepted: 1, 2, 3", header->place,
                       version);
    }
    const size_t start = version == 1 ? 10 : 12;
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (version > 1) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (length > size - start) {
        return refuse(header, "its header does not end");
    }
    if (length > MAX_HEADER) {
        return rl_fail(header->context, RL_ERROR_UNSUPPORTED, "%s: a header of %zu bytes; accepted: up to %d",
                       header->place, length, MAX_HEADER);
    }
    header->text = rl_arena_format(arena, "%.*s", (int)length, (const char *)bytes + start);
    header->data = start + length;
    return RL_OK;
}

// The elements in C order, in place or in a copy.
static void take_data(struct rl_arena *arena, const unsigned char *data, bool fortran_order, struct rl_array *array)
{
    struct rl_tensor_type type = rl_tensor_type_make(array->dtype, array->rank, array->sizes);
    const size_t bytes = rl_tensor_bytes(&type);
    if (!fortran_order && (uintptr_t)data % 16 == 0) {
        array->data = data;
        return;
    }
    for (int d = 0; fortran_order && d < type.rank; d++) {
        type.order[d] = (uint8_t)(type.rank - 1 - d);
    }
    void *copy = rl_arena_alloc(arena, bytes);
    rl_tensor_to_c_order(&type, data, copy);
    array->data = copy;
}

size_t rl_npy_header_bytes(const unsigned char *bytes, size_t count)
{
    if (count < RL_NPY_START) {
        return count;
    }
    const size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] == 1) {
        return 10 + length;
    }
    const size_t upper = (size_t)bytes[10] | (size_t)bytes[11] << 8;
    return upper == 0 ? 12 + length : RL_NPY_START + MAX_HEADER; // too long; refused when it is parsed
}

enum rl_status rl_npy_parse_header(struct rl_context *context, struct rl_arena *arena, const char *place,
                                   const void *bytes, size_t count, size_t size, struct rl_array *array,
                                   struct rl_npy_layout *layout)
{
    struct header header = {.context = context, .place = place};
    enum rl_status status = find_header(arena, bytes, count, &header);
    if (status == RL_OK) {
        status = parse_type(&header, arena, array);
    }
    if (status != RL_OK || array->skipped) {
        return status;
    }
    status = parse_shape(&header, array);
    if (status != RL_OK) {
        return status;
    }
    const char *order = find_entry(&header, "fortran_order");
    if (!order || (strncmp(order, "True", 4) != 0 && strncmp(order, "False", 5) != 0)) {
        return refuse(&header, "its header has no 'fortran_order'");
    }
    const struct rl_tensor_type type = rl_tensor_type_make(array->dtype, array->rank, array->sizes);
    if (!rl_tensor_type_is_valid(&type) || rl_tensor_bytes(&type) > size - header.data) {
        return refuse(&header, "it has fewer bytes than its shape says");
    }
    *layout = (struct rl_npy_layout){.data = header.data, .fortran_order = *order == 'T'};
    return RL_OK;
}

enum rl_status rl_npy_parse(struct rl_context *context, struct rl_arena *arena, const char *place, const char *name,
                            const void *bytes, size_t size, struct rl_array *array)
{
    *array = (struct rl_array){.name = name};
    struct rl_npy_layout layout;
    const enum rl_status status = rl_npy_parse_header(context, arena, place, bytes, size, size, array, &layout);
    if (status == RL_OK && !array->skipped) {
        take_data(arena, (const unsigned char *)bytes + layout.data, layout.fortran_order, array);
    }
    return status;
}

// The name of the file without its folder and without ".npy".
static const char *name_of(struct rl_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = rl_arena_string(arena, slash ? slash + 1 : path);
    const size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".npy") == 0) {
        name[length - 4] = '\0';
    }
    return name;
}

enum rl_status rl_npy_list(struct rl_context *context, struct rl_arena *arena, const char *path, struct rl_array *array)
{
    uint64_t bytes;
    const enum rl_status status = rl_file_size(context, path, &bytes);
    *array =
        (struct rl_array){.name = name_of(arena, path), .file = {.path = path, .bytes = bytes, .file_bytes = bytes}};
    return status;
}

enum rl_status rl_npy_describe(struct rl_context *context, struct rl_arena *arena, struct rl_array *array)
{
    const char *path = array->file.path;
    unsigned char start[RL_NPY_START] = {0};
    size_t count;
    enum rl_status status = rl_file_read_start(context, path, start, sizeof start, &count);
    if (status != RL_OK) {
        return status;
    }
    const size_t room = rl_npy_header_bytes(start, count);
    unsigned char *bytes = rl_arena_alloc(arena, room);
    status = rl_file_read_start(context, path, bytes, room, &count);
    if (status != RL_OK) {
        return status;
    }
    struct rl_npy_layout layout;
    array->rank = 0;
    return rl_npy_parse_header(context, arena, path, bytes, count, (size_t)array->file.bytes, array, &layout);
}

enum rl_status rl_npy_read(struct rl_context *context, struct rl_arena *arena, const char *path, struct rl_array *array)
{
    void *bytes;
    size_t size;
    enum rl_status status = rl_file_read(context, arena, path, &bytes, &size);
    if (status != RL_OK) {
        return status;
    }
    status = rl_npy_parse(context, arena, path, name_of(arena, path), bytes, size, array);
    array->file = (struct rl_array_file){.path = path, .bytes = size, .file_bytes = size};
    return status;
}

static const char *element_name(enum rl_scalar_type dtype)
{
    for (int i = 0; i < ELEMENT_TYPE_COUNT; i++) {
        if (element_types[i].dtype == dtype) {
            return element_types[i].name;
        }
    }
    return NULL;
}

const char *rl_npy_header(struct rl_arena *arena, const struct rl_array *array, size_t *size)
{
    const char *element = element_name(array->dtype);
    if (!element) {
        return NULL;
    }
    const char *shape = "";
    for (int d = 0; d < array->rank; d++) {
        shape = rl_arena_format(arena, "%s%s%lld%s", shape, d > 0 ? " " : "", (long long)array->sizes[d],
                                d + 1 < array->rank || array->rank == 1 ? "," : "");
    }
    const char *text = rl_arena_format(arena, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }",
                                       element[1] == '1' ? '|' : '<', element, shape);
    const size_t used = 10 + strlen(text) + 1;
    *size = (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t length = *size - 10;
    char *header = rl_arena_format(arena, "??????????%-*s\n", (int)length - 1, text);
    const unsigned char start[10] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, (unsigned char)(length >> 8)};
    memcpy(header, start, sizeof start);
    return header;
}
