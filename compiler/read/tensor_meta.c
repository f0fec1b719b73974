// SPDX-License-Identifier: Apache-2.0
// TensorMeta: dtype, sizes, strides and offset.
#include "compiler/read/reader.h"

#include <string.h>

bool rl_pt2_dtype(int64_t number, enum rl_scalar_type *dtype)
{
    static const struct {
        int number;
        enum rl_scalar_type dtype;
    } types[] = {{1, RL_UINT8},   {2, RL_INT8},    {3, RL_INT16},   {4, RL_INT32}, {5, RL_INT64},
                 {6, RL_FLOAT16}, {7, RL_FLOAT32}, {8, RL_FLOAT64}, {12, RL_BOOL}, {13, RL_BFLOAT16},
                 {28, RL_UINT16}, {34, RL_UINT32}, {35, RL_UINT64}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].number == number) {
            *dtype = types[i].dtype;
            return true;
        }
    }
    return false;
}

static enum rl_status refuse_size(struct rl_pt2_reader *reader, const char *place, const char *expression)
{
    int64_t number;
    const char *symbol;
    if (!rl_pt2_evaluate(reader, expression, &number, &symbol) && symbol) {
        return rl_fail(
            reader->context, RL_ERROR_UNSUPPORTED,
            "%s: %s: has the dynamic size '%s'; accepted: fixed sizes (export without dynamic_shapes, or give "
            "the sizes of the inputs with --shape)",
            reader->path, place, symbol);
    }
    return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                   "%s: %s: has the size '%s', which cannot be computed; accepted: fixed sizes (export without "
                   "dynamic_shapes)",
                   reader->path, place, expression);
}

// The value of a size that the file computes and gives a name.
static enum rl_status find_size(struct rl_pt2_reader *reader, const char *place, const char *name, int64_t *number)
{
    const int64_t *known = rl_name_map_find(&reader->sizes, name);
    if (!known) {
        const json_t *item = json_object_get(reader->size_values, name);
        const json_t *integer = json_object_get(item, "as_int");
        const char *expression = json_string_value(json_object_get(json_object_get(item, "as_expr"), "expr_str"));
        const char *unknown;
        int64_t *value = rl_arena_alloc(reader->arena, sizeof *value);
        if (json_is_integer(integer)) {
            *value = json_integer_value(integer);
        } else if (!expression || !rl_pt2_evaluate(reader, expression, value, &unknown)) {
            return refuse_size(reader, place, expression ? expression : name);
        }
        rl_name_map_add(&reader->sizes, rl_arena_string(reader->arena, name), value);
        known = value;
    }
    *number = *known;
    return RL_OK;
}

enum rl_status rl_pt2_read_sym_int(struct rl_pt2_reader *reader, const char *place, const json_t *item, int64_t *number)
{
    *number = 0;
    const char *kind;
    const json_t *content;
    const enum rl_status status = rl_json_get_union(reader, place, item, &kind, &content);
    if (status != RL_OK) {
        return status;
    }
    if (strcmp(kind, "as_int") == 0 && json_is_integer(content)) {
        *number = json_integer_value(content);
        return RL_OK;
    }
    if (strcmp(kind, "as_name") == 0 && json_is_string(content)) {
        return find_size(reader, place, json_string_value(content), number);
    }
    const char *expression = json_string_value(json_object_get(content, "expr_str"));
    if (!expression) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: expected an integer or a symbol, found '%s'",
                       reader->path, place, kind);
    }
    const char *unknown;
    return rl_pt2_evaluate(reader, expression, number, &unknown) ? RL_OK : refuse_size(reader, place, expression);
}

static enum rl_status read_sym_ints(struct rl_pt2_reader *reader, const char *place, const json_t *meta,
                                    const char *key, int *count, int64_t items[RL_MAX_RANK])
{
    const json_t *list;
    enum rl_status status = rl_json_get(reader, place, meta, key, JSON_ARRAY, &list);
    if (status != RL_OK) {
        return status;
    }
    if (json_array_size(list) > RL_MAX_RANK) {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED, "%s: %s: has %zu dimensions; accepted: up to %d",
                       reader->path, place, json_array_size(list), RL_MAX_RANK);
    }
    *count = (int)json_array_size(list);
    for (int d = 0; d < *count && status == RL_OK; d++) {
        status = rl_pt2_read_sym_int(reader, place, json_array_get(list, (size_t)d), &items[d]);
    }
    return status;
}

// Only some tensors may be of complex numbers.
static enum rl_status read_meta(struct rl_pt2_reader *reader, const char *place, const json_t *meta,
                                bool may_be_complex, struct rl_pt2_tensor *tensor)
{
    enum { STRIDED = 7, COMPLEX = 10 };
    *tensor = (struct rl_pt2_tensor){.dense = true};
    int64_t number = 0;
    int64_t layout = STRIDED;
    int64_t sizes[RL_MAX_RANK] = {0};
    int rank = 0;
    int stride_count = 0;
    const json_t *offset = NULL;
    enum rl_status status = rl_json_get_int(reader, place, meta, "dtype", &number);
    if (status == RL_OK) {
        status = rl_json_get_int(reader, place, meta, "layout", &layout);
    }
    if (status == RL_OK) {
        status = read_sym_ints(reader, place, meta, "sizes", &rank, sizes);
    }
    if (status == RL_OK) {
        status = read_sym_ints(reader, place, meta, "strides", &stride_count, tensor->strides);
    }
    if (status == RL_OK) {
        status = rl_json_get(reader, place, meta, "storage_offset", JSON_OBJECT, &offset);
    }
    if (status == RL_OK) {
        status = rl_pt2_read_sym_int(reader, place, offset, &tensor->offset);
    }
    if (status != RL_OK) {
        return status;
    }
    enum rl_scalar_type dtype = RL_COMPLEX64;
    if ((!rl_pt2_dtype(number, &dtype) && !(may_be_complex && number == COMPLEX)) || layout != STRIDED) {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                       "%s: %s: has dtype %lld and layout %lld (numbers of torch.export's schema); accepted: dense "
                       "tensors (layout 7) of integers, booleans and float16, bfloat16, float32, float64",
                       reader->path, place, (long long)number, (long long)layout);
    }
    tensor->type = rl_tensor_type_make(dtype, rank, sizes);
    if (stride_count != rank || !rl_pt2_check_tensor(tensor)) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: its sizes, strides or offset are impossible",
                       reader->path, place);
    }
    return RL_OK;
}

enum rl_status rl_pt2_read_tensor_meta(struct rl_pt2_reader *reader, const char *place, const json_t *meta,
                                       struct rl_pt2_tensor *tensor)
{
    return read_meta(reader, place, meta, false, tensor);
}

static enum rl_status find_type(struct rl_pt2_reader *reader, const char *name, bool may_be_complex,
                                struct rl_tensor_type *type)
{
    const char *place = rl_arena_format(reader->arena, "tensor '%s'", name);
    const json_t *meta = json_object_get(reader->tensor_values, name);
    if (!meta) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: not in tensor_values", reader->path, place);
    }
    struct rl_pt2_tensor tensor;
    const enum rl_status status = read_meta(reader, place, meta, may_be_complex, &tensor);
    *type = tensor.type;
    return status;
}

enum rl_status rl_pt2_find_type(struct rl_pt2_reader *reader, const char *name, struct rl_tensor_type *type)
{
    return find_type(reader, name, false, type);
}

enum rl_status rl_pt2_find_result_type(struct rl_pt2_reader *reader, const char *name, struct rl_tensor_type *type)
{
    return find_type(reader, name, true, type);
}
