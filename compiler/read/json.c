// SPDX-License-Identifier: Apache-2.0
#include "compiler/read/reader.h"

#include <math.h>
#include <string.h>

enum { MAX_JSON = 64 * 1024 * 1024 };

enum rl_status rl_json_parse(struct rl_pt2_reader *reader, const char *member, json_t **root)
{
    void *text;
    size_t size;
    const enum rl_status status = rl_archive_read(&reader->archive, member, MAX_JSON, &text, &size);
    if (status != RL_OK) {
        return status;
    }
    json_error_t error;
    *root = json_loadb(text, size, 0, &error);
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
