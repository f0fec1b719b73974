// SPDX-License-Identifier: Apache-2.0
#include "compiler/read/reader.h"

#include <math.h>
#include <string.h>

// A value takes about 100 bytes in memory. Models have one for 8 to 10 bytes of text, which deflates to a tenth at
// best.
enum { MAX_JSON = 64 * 1024 * 1024, FREE_VALUES = 1 << 19, VALUES_PER_BYTE = 4 };

// At least half as many as the text has values: what opens or separates them, outside of strings.
static size_t count_values(const char *text, size_t size)
{
    size_t count = 0;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        const char letter = text[i];
        if (letter == '"') {
            in_string = !in_string;
        } else if (in_string) {
            i += letter == '\\' ? 1 : 0;
        } else if (letter == ',' || letter == ':' || letter == '[' || letter == '{') {
            count++;
        }
    }
    return count;
}

// A small file must not fill the memory.
static enum rl_status check_values(const struct rl_pt2_reader *reader, const char *member, const char *text,
                                   size_t size)
{
    const size_t stored = rl_archive_stored_size(&reader->archive, member);
    const size_t most = FREE_VALUES + VALUES_PER_BYTE * (stored < MAX_JSON ? stored : MAX_JSON);
    const size_t found = count_values(text, size);
    return found <= most ? RL_OK
                         : rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                                   "%s: %s: %zu values in %zu bytes of the archive; accepted: up to %zu", reader->path,
                                   member, found, stored, most);
}

enum rl_status rl_json_parse(struct rl_pt2_reader *reader, const char *member, json_t **root)
{
    void *text;
    size_t size;
    const enum rl_status status = rl_archive_read(&reader->archive, member, MAX_JSON, &text, &size);
    if (status != RL_OK) {
        return status;
    }
    const enum rl_status moderate = check_values(reader, member, text, size);
    if (moderate != RL_OK) {
        return moderate;
    }
    json_error_t error;
    *root = json_loadb(text, size, 0, &error);
    rl_arena_release(reader->arena, text);
    if (!*root && json_error_code(&error) == json_error_out_of_memory) {
        return rl_fail(reader->context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", reader->path);
    }
    if (!*root) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s:%d:%d: %s", reader->path, member, error.line,
                       error.column, error.text);
    }
    if (!json_is_object(*root)) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: expected an object, found %s", reader->path, member,
                       rl_json_type_name(*root));
    }
    return RL_OK;
}

const char *rl_json_type_name(const json_t *item)
{
    if (!item) {
        return "nothing";
    }
    switch (json_typeof(item)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        break;
    }
    return "null";
}

static const char *expected_name(json_type type)
{
    static const char *const names[] = {"an object", "an array",  "a string",  "an integer",
                                        "a number",  "a boolean", "a boolean", "null"};
    return names[type];
}

enum rl_status rl_json_get(struct rl_pt2_reader *reader, const char *place, const json_t *object, const char *key,
                           json_type type, const json_t **item)
{
    if (!json_is_object(object)) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: expected an object with '%s', found %s", reader->path,
                       place, key, rl_json_type_name(object));
    }
    *item = json_object_get(object, key);
    const bool fits = type == JSON_TRUE ? json_is_boolean(*item) : *item && json_typeof(*item) == type;
    if (!fits) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: expected %s '%s', found %s", reader->path, place,
                       expected_name(type), key, rl_json_type_name(*item));
    }
    return RL_OK;
}

enum rl_status rl_json_get_string(struct rl_pt2_reader *reader, const char *place, const json_t *object,
                                  const char *key, const char **string)
{
    const json_t *item;
    const enum rl_status status = rl_json_get(reader, place, object, key, JSON_STRING, &item);
    *string = status == RL_OK ? json_string_value(item) : "";
    return status;
}

enum rl_status rl_json_get_int(struct rl_pt2_reader *reader, const char *place, const json_t *object, const char *key,
                               int64_t *number)
{
    const json_t *item;
    const enum rl_status status = rl_json_get(reader, place, object, key, JSON_INTEGER, &item);
    *number = status == RL_OK ? json_integer_value(item) : 0;
    return status;
}

enum rl_status rl_json_get_union(struct rl_pt2_reader *reader, const char *place, const json_t *item, const char **kind,
                                 const json_t **content)
{
    if (!json_is_object(item) || json_object_size(item) != 1) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: expected an object of one member, found %s%s",
                       reader->path, place, rl_json_type_name(item), json_is_object(item) ? " of several or none" : "");
    }
    // The library has no iterator over constant objects; this one changes nothing.
    void *first = json_object_iter((json_t *)item);
    *kind = json_object_iter_key(first);
    *content = json_object_iter_value(first);
    return RL_OK;
}

bool rl_json_number(const json_t *item, double *number)
{
    if (json_is_number(item)) {
        *number = json_number_value(item);
        return true;
    }
    const char *text = json_string_value(item);
    if (!text) {
        return false;
    }
    if (strcmp(text, "Infinity") == 0) {
        *number = (double)INFINITY;
    } else if (strcmp(text, "-Infinity") == 0) {
        *number = (double)-INFINITY;
    } else if (strcmp(text, "NaN") == 0) {
        *number = (double)NAN;
    } else {
        return false;
    }
    return true;
}
