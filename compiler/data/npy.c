// SPDX-License-Identifier: Apache-2.0
#include "compiler/data/npy.h"

#include <stdint.h>
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

// The header's text, a Python dictionary, lies in the file from `start` to before `end`, where the elements begin.
struct header {
    struct rl_context *context;
    const char *place;
    const unsigned char *file;
    size_t start, end;
};

static enum rl_status refuse(const struct header *header, const char *problem)
{
    return rl_fail(header->context, RL_ERROR_FORMAT, "%s: not a .npy array: %s", header->place, problem);
}

// Character `at` of the file; a zero behind the header. Nothing else reads the text, so nothing reads behind its end.
static char character(const struct header *header, size_t at)
{
    return at < header->end ? (char)header->file[at] : '\0';
}

static size_t skip(const struct header *header, size_t at, const char *skipped)
{
    while (character(header, at) != '\0' && strchr(skipped, character(header, at))) {
        at++;
    }
    return at;
}

static bool has_word(const struct header *header, size_t at, const char *word)
{
    size_t i = 0;
    while (word[i] != '\0' && character(header, at + i) == word[i]) {
        i++;
    }
    return word[i] == '\0';
}

static bool is_quote(char c)
{
    return c == '\'' || c == '"';
}

// Finds what is behind `'key':` in the dictionary. False if the key is missing.
static bool find_entry(const struct header *header, const char *key, size_t *value)
{
    const size_t length = strlen(key);
    *value = 0;
    for (size_t at = header->start; at < header->end; at++) {
        const char quote = character(header, at);
        if (is_quote(quote) && has_word(header, at + 1, key) && character(header, at + 1 + length) == quote) {
            const size_t colon = skip(header, at + length + 2, " \t\n");
            *value = skip(header, colon + 1, " \t\n");
            return character(header, colon) == ':';
        }
    }
    return false;
}

// Reads a size and steps behind it; INT64_MAX if it is about that or larger. False if there is no number.
static bool read_size(const struct header *header, size_t *at, int64_t *size)
{
    const size_t start = *at;
    *size = 0;
    for (char c = character(header, *at); c >= '0' && c <= '9'; c = character(header, ++*at)) {
        *size = *size >= INT64_MAX / 10 ? INT64_MAX : *size * 10 + (c - '0');
    }
    return *at > start;
}

static enum rl_status parse_shape(const struct header *header, struct rl_array *array)
{
    size_t at;
    if (!find_entry(header, "shape", &at) || character(header, at) != '(') {
        return refuse(header, "its header has no 'shape'");
    }
    at++;
    for (;;) {
        int64_t size;
        at = skip(header, at, " ,");
        if (character(header, at) == ')') {
            return RL_OK;
        }
        if (!read_size(header, &at, &size)) {
            return refuse(header, "the 'shape' in its header is not a tuple of sizes");
        }
        if (array->rank >= RL_MAX_RANK) {
            return rl_fail(header->context, RL_ERROR_UNSUPPORTED, "%s: more than %d axes; accepted: up to %d",
                           header->place, RL_MAX_RANK, RL_MAX_RANK);
        }
        array->sizes[array->rank++] = size;
        at += character(header, at) == 'L'; // numpy under Python 2 wrote 3L
    }
}

// The name of the element type at `at`, which is in quotes; NULL if they do not end.
static const char *read_type(const struct header *header, struct rl_arena *arena, size_t at)
{
    const char quote = character(header, at);
    for (size_t end = at + 1; end < header->end; end++) {
        if (character(header, end) == quote) {
            return rl_arena_format(arena, "%.*s", (int)(end - at - 1), (const char *)header->file + at + 1);
        }
    }
    return NULL;
}

static enum rl_status parse_type(const struct header *header, struct rl_arena *arena, struct rl_array *array)
{
    size_t at;
    if (!find_entry(header, "descr", &at)) {
        return refuse(header, "its header has no 'descr'");
    }
    if (!is_quote(character(header, at))) {
        array->skipped = "a structured type";
        return RL_OK;
    }
    const char *name = read_type(header, arena, at);
    if (!name) {
        return refuse(header, "the 'descr' in its header does not end");
    }
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

static enum rl_status find_header(struct header *header, size_t size)
{
    const unsigned char *bytes = header->file;
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
    const size_t end = start + length;
    if (length > size || end > size) {
        return refuse(header, "its header does not end");
    }
    if (length > MAX_HEADER) {
        return rl_fail(header->context, RL_ERROR_UNSUPPORTED, "%s: a header of %zu bytes; accepted: up to %d",
                       header->place, length, MAX_HEADER);
    }
    header->start = start;
    header->end = end;
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
    struct header header = {.context = context, .place = place, .file = bytes};
    enum rl_status status = find_header(&header, count);
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
    size_t order;
    if (!find_entry(&header, "fortran_order", &order) ||
        (!has_word(&header, order, "True") && !has_word(&header, order, "False"))) {
        return refuse(&header, "its header has no 'fortran_order'");
    }
    const struct rl_tensor_type type = rl_tensor_type_make(array->dtype, array->rank, array->sizes);
    if (!rl_tensor_type_is_valid(&type) || rl_tensor_bytes(&type) > size - header.end) {
        return refuse(&header, "it has fewer bytes than its shape says");
    }
    *layout = (struct rl_npy_layout){.data = header.end, .fortran_order = has_word(&header, order, "True")};
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
