// SPDX-License-Identifier: Apache-2.0
// One argument of a node: from the union of the file ("as_int", "as_tensor", ...) to the kind in the schema.
#include "compiler/read/reader.h"

#include <string.h>

// The data of a conversion, and the names for its messages.
struct conversion {
    struct rl_pt2_reader *reader;
    const char *place;
    struct rl_node *node;
    const struct rl_op_arg *schema;
};

static enum rl_status refuse(const struct conversion *c, const char *accepted, const char *found)
{
    return rl_fail(c->reader->context, RL_ERROR_FORMAT, "%s: %s: argument '%s': expected %s, found '%s'",
                   c->reader->path, c->place, c->schema->name, accepted, found);
}

enum rl_status rl_pt2_find_value(struct rl_pt2_reader *reader, const char *place, const json_t *reference,
                                 struct rl_value **value)
{
    const char *name;
    const enum rl_status status = rl_json_get_string(reader, place, reference, "name", &name);
    if (status != RL_OK) {
        return status;
    }
    *value = rl_name_map_find(&reader->values, name);
    if (!*value) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: uses '%s', which no input or earlier node defines",
                       reader->path, place, name);
    }
    return RL_OK;
}

// as_int, as_float, as_bool, and the symbolic kinds when they hold a plain number. `arg->kind` stays NONE for others.
static enum rl_status convert_number(const struct conversion *c, const char *kind, const json_t *content,
                                     struct rl_arg *arg)
{
    double number;
    *arg = (struct rl_arg){.kind = RL_ARG_NONE};
    if (strcmp(kind, "as_int") == 0 && json_is_integer(content)) {
        *arg = rl_arg_int(json_integer_value(content));
    } else if (strcmp(kind, "as_bool") == 0 && json_is_boolean(content)) {
        *arg = rl_arg_bool(json_boolean_value(content));
    } else if (strcmp(kind, "as_float") == 0 && rl_json_number(content, &number)) {
        *arg = rl_arg_double(number);
    } else if (strcmp(kind, "as_sym_int") == 0) {
        int64_t integer;
        const enum rl_status status = rl_pt2_read_sym_int(c->reader, c->place, content, &integer);
        *arg = rl_arg_int(integer);
        return status;
    } else if (strncmp(kind, "as_sym_", 7) == 0 && strcmp(kind, "as_sym_ints") != 0) {
        return rl_fail(c->reader->context, RL_ERROR_UNSUPPORTED,
                       "%s: %s: argument '%s' is a symbolic value; accepted: fixed values (export without "
                       "dynamic_shapes)",
                       c->reader->path, c->place, c->schema->name);
    }
    return RL_OK;
}

static enum rl_status convert_tensor(const struct conversion *c, const char *kind, const json_t *content,
                                     struct rl_arg *arg)
{
    struct rl_value *value = NULL;
    if (strcmp(kind, "as_tensor") == 0) {
        const enum rl_status status = rl_pt2_find_value(c->reader, c->place, content, &value);
        *arg = rl_arg_value(value);
        return status;
    }
    struct rl_arg number;
    enum rl_status status = convert_number(c, kind, content, &number);
    if (status != RL_OK) {
        return status;
    }
    if (number.kind == RL_ARG_NONE) {
        return refuse(c, "a tensor", kind);
    }
    status = rl_pt2_number_as_tensor(c->reader, c->place, c->node, c->schema, &number, &value);
    *arg = rl_arg_value(value);
    return status;
}

// The content of as_optional_tensor(s): {"as_tensor": {...}} or {"as_none": true}.
static enum rl_status convert_optional(const struct conversion *c, const json_t *item, struct rl_value **value)
{
    const char *kind;
    const json_t *content;
    *value = NULL;
    const enum rl_status status = rl_json_get_union(c->reader, c->place, item, &kind, &content);
    if (status != RL_OK || strcmp(kind, "as_none") == 0) {
        return status;
    }
    if (strcmp(kind, "as_tensor") != 0) {
        return refuse(c, "a tensor or None", kind);
    }
    return rl_pt2_find_value(c->reader, c->place, content, value);
}

static enum rl_status convert_tensor_list(const struct conversion *c, const char *kind, const json_t *content,
                                          struct rl_arg *arg)
{
    const bool optional = strcmp(kind, "as_optional_tensors") == 0 && c->schema->list_elements_optional;
    if ((strcmp(kind, "as_tensors") != 0 && !optional) || !json_is_array(content)) {
        return refuse(c, "a list of tensors", kind);
    }
    const size_t count = json_array_size(content);
    struct rl_value **values = rl_arena_array(c->reader->arena, count, sizeof(struct rl_value *));
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(content, i);
        const enum rl_status status =
            optional ? convert_optional(c, item, &values[i]) : rl_pt2_find_value(c->reader, c->place, item, &values[i]);
        if (status != RL_OK) {
            return status;
        }
    }
    *arg = (struct rl_arg){.kind = RL_ARG_VALUES, .count = (int)count, .as.values = values};
    return RL_OK;
}

static enum rl_status convert_int_list(const struct conversion *c, const char *kind, const json_t *content,
                                       struct rl_arg *arg)
{
    const bool symbolic = strcmp(kind, "as_sym_ints") == 0;
    if (strcmp(kind, "as_int") == 0 && json_is_integer(content)) {
        const int64_t integer = json_integer_value(content);
        *arg = rl_arg_ints(c->reader->arena, &integer, 1);
        return RL_OK;
    }
    if ((strcmp(kind, "as_ints") != 0 && !symbolic) || !json_is_array(content)) {
        return refuse(c, "a list of integers", kind);
    }
    const size_t count = json_array_size(content);
    int64_t *integers = rl_arena_array(c->reader->arena, count, sizeof *integers);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(content, i);
        if (symbolic) {
            const enum rl_status status = rl_pt2_read_sym_int(c->reader, c->place, item, &integers[i]);
            if (status != RL_OK) {
                return status;
            }
        } else if (json_is_integer(item)) {
            integers[i] = json_integer_value(item);
        } else {
            return refuse(c, "a list of integers", rl_json_type_name(item));
        }
    }
    *arg = (struct rl_arg){.kind = RL_ARG_INTS, .count = (int)count, .as.integers = integers};
    return RL_OK;
}

static enum rl_status convert_float_list(const struct conversion *c, const char *kind, const json_t *content,
                                         struct rl_arg *arg)
{
    if ((strcmp(kind, "as_floats") != 0 && strcmp(kind, "as_ints") != 0) || !json_is_array(content)) {
        return refuse(c, "a list of numbers", kind);
    }
    const size_t count = json_array_size(content);
    double *numbers = rl_arena_array(c->reader->arena, count, sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        if (!rl_json_number(json_array_get(content, i), &numbers[i])) {
            return refuse(c, "a list of numbers", rl_json_type_name(json_array_get(content, i)));
        }
    }
    *arg = (struct rl_arg){.kind = RL_ARG_DOUBLES, .count = (int)count, .as.numbers = numbers};
    return RL_OK;
}

static enum rl_status convert_scalar(const struct conversion *c, const char *kind, const json_t *content,
                                     struct rl_arg *arg)
{
    const enum rl_status status = convert_number(c, kind, content, arg);
    if (status != RL_OK) {
        return status;
    }
    const enum rl_arg_type type = c->schema->type;
    if (type == RL_TYPE_FLOAT && arg->kind == RL_ARG_INT) {
        *arg = rl_arg_double((double)arg->as.integer);
    }
    switch (type) {
    case RL_TYPE_INT:
        return arg->kind == RL_ARG_INT ? RL_OK : refuse(c, "an integer", kind);
    case RL_TYPE_FLOAT:
        return arg->kind == RL_ARG_DOUBLE ? RL_OK : refuse(c, "a number", kind);
    case RL_TYPE_BOOL:
        return arg->kind == RL_ARG_BOOL ? RL_OK : refuse(c, "a boolean", kind);
    default:
        return arg->kind != RL_ARG_NONE ? RL_OK : refuse(c, "a number", kind);
    }
}

// dtype, layout and memory format are numbered by the file; the graph numbers them as a .pte does.
static const char *accepted_for(enum rl_arg_type type)
{
    switch (type) {
    case RL_TYPE_DTYPE:
        return "dtypes of integers, booleans and real numbers";
    case RL_TYPE_LAYOUT:
        return "the dense layout, 7";
    default:
        return "memory formats 1 to 4";
    }
}

static enum rl_status convert_enum(const struct conversion *c, const char *kind, const json_t *content,
                                   struct rl_arg *arg)
{
    static const int formats[] = {-1, RL_FORMAT_CONTIGUOUS, RL_FORMAT_CHANNELS_LAST, RL_FORMAT_CHANNELS_LAST_3D,
                                  RL_FORMAT_PRESERVE};
    enum { FORMAT_COUNT = sizeof formats / sizeof formats[0], STRIDED = 7 };
    const enum rl_arg_type type = c->schema->type;
    const json_int_t number = json_integer_value(content);
    enum rl_scalar_type dtype;
    if (type == RL_TYPE_DTYPE && strcmp(kind, "as_scalar_type") == 0 && rl_pt2_dtype(number, &dtype)) {
        *arg = rl_arg_int(dtype);
    } else if (type == RL_TYPE_LAYOUT && strcmp(kind, "as_layout") == 0 && number == STRIDED) {
        *arg = rl_arg_int(0);
    } else if (type == RL_TYPE_MEMORY_FORMAT && strcmp(kind, "as_memory_format") == 0 && number > 0 &&
               number < FORMAT_COUNT) {
        *arg = rl_arg_int(formats[number]);
    } else {
        return rl_fail(c->reader->context, RL_ERROR_UNSUPPORTED, "%s: %s: argument '%s' is '%s' %lld; accepted: %s",
                       c->reader->path, c->place, c->schema->name, kind, (long long)number, accepted_for(type));
    }
    return RL_OK;
}

static enum rl_status convert_text(const struct conversion *c, const char *kind, const json_t *content,
                                   struct rl_arg *arg)
{
    const char *text = "";
    enum rl_status status = RL_OK;
    if (c->schema->type == RL_TYPE_STRING && strcmp(kind, "as_string") == 0 && json_is_string(content)) {
        text = json_string_value(content);
    } else if (c->schema->type == RL_TYPE_DEVICE && strcmp(kind, "as_device") == 0) {
        status = rl_json_get_string(c->reader, c->place, content, "type", &text);
    } else {
        return refuse(c, c->schema->type == RL_TYPE_DEVICE ? "a device" : "a string", kind);
    }
    *arg = rl_arg_string(c->reader->arena, text);
    return status;
}

enum rl_status rl_pt2_read_argument(struct rl_pt2_reader *reader, const char *place, struct rl_node *node,
                                    const struct rl_op_arg *schema, const json_t *item, struct rl_arg *arg)
{
    const struct conversion c = {.reader = reader, .place = place, .node = node, .schema = schema};
    const char *kind;
    const json_t *content;
    *arg = (struct rl_arg){.kind = RL_ARG_NONE};
    enum rl_status status = rl_json_get_union(reader, place, item, &kind, &content);
    if (status == RL_OK && strcmp(kind, "as_optional_tensor") == 0) {
        item = content;
        status = rl_json_get_union(reader, place, item, &kind, &content);
    }
    if (status != RL_OK) {
        return status;
    }
    if (strcmp(kind, "as_none") == 0) {
        return schema->optional ? RL_OK : refuse(&c, "a value", "None");
    }
    switch (schema->type) {
    case RL_TYPE_SCRATCH:
        return refuse(&c, "no operator with work space", kind);
    case RL_TYPE_TENSOR:
        return convert_tensor(&c, kind, content, arg);
    case RL_TYPE_TENSOR_LIST:
        return convert_tensor_list(&c, kind, content, arg);
    case RL_TYPE_INT_LIST:
        return convert_int_list(&c, kind, content, arg);
    case RL_TYPE_FLOAT_LIST:
        return convert_float_list(&c, kind, content, arg);
    case RL_TYPE_INT:
    case RL_TYPE_FLOAT:
    case RL_TYPE_BOOL:
    case RL_TYPE_SCALAR:
        return convert_scalar(&c, kind, content, arg);
    case RL_TYPE_DTYPE:
    case RL_TYPE_LAYOUT:
    case RL_TYPE_MEMORY_FORMAT:
        return convert_enum(&c, kind, content, arg);
    case RL_TYPE_STRING:
    case RL_TYPE_DEVICE:
        break;
    }
    return convert_text(&c, kind, content, arg);
}
