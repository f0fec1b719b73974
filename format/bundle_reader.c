// SPDX-License-Identifier: Apache-2.0
#include "format/bundle_reader.h"

#include <string.h>

#include "format/flatbuffer.h"

enum { HEAD_BYTES = 8 }; // root offset, identifier

bool rl_bundle_is(const void *bytes, size_t size)
{
    return size >= HEAD_BYTES && memcmp((const char *)bytes + 4, RL_BUNDLE_IDENTIFIER, 4) == 0;
}

bool rl_bundle_open(struct rl_bundle *bundle, const void *bytes, size_t size)
{
    struct rl_fb_vector program;

    if (!rl_bundle_is(bytes, size) || size > INT32_MAX) {
        return false;
    }
    *bundle = (struct rl_bundle){.file = {bytes, (uint32_t)size}};
    const uint32_t root = rl_fb_root(&bundle->file);
    if (!rl_fb_vector(&bundle->file, root, RL_BUNDLE_bundle_suites, 4, &bundle->suites) ||
        !rl_fb_vector(&bundle->file, root, RL_BUNDLE_bundle_program, 1, &program) || program.count == 0) {
        return false;
    }
    bundle->program = bundle->file.data + program.items;
    bundle->program_bytes = program.count;
    return true;
}

bool rl_bundle_cases(const struct rl_bundle *bundle, const char *method, struct rl_fb_vector *cases)
{
    *cases = (struct rl_fb_vector){0};
    for (uint32_t i = 0; i < bundle->suites.count; i++) {
        uint32_t length;
        const uint32_t suite = rl_fb_item_table(&bundle->file, &bundle->suites, i);
        const char *name = rl_fb_string(&bundle->file, suite, RL_BUNDLE_suite_method, &length);
        if (suite == RL_FB_BAD || !name) {
            return false;
        }
        if (strcmp(name, method) == 0) {
            return rl_fb_vector(&bundle->file, suite, RL_BUNDLE_suite_cases, 4, cases);
        }
    }
    return true;
}

bool rl_bundle_values(const struct rl_bundle *bundle, const struct rl_fb_vector *cases, uint32_t index, bool outputs,
                      struct rl_fb_vector *values)
{
    const uint32_t table = rl_fb_item_table(&bundle->file, cases, index);

    *values = (struct rl_fb_vector){0};
    return table != RL_FB_BAD &&
           rl_fb_vector(&bundle->file, table, outputs ? RL_BUNDLE_case_outputs : RL_BUNDLE_case_inputs, 4, values);
}

// ---- tensors

// Copies the sizes; false if there are too many, or they are not those of `bytes` bytes.
static bool read_sizes(const struct rl_flatbuffer *file, const struct rl_fb_vector *sizes,
                       struct rl_bundle_value *value)
{
    uint64_t bytes = rl_scalar_size((int)value->dtype);
    bool empty = false;

    if (bytes == 0 || sizes->count > RL_BUNDLE_MAX_RANK) {
        return false;
    }
    value->rank = sizes->count;
    for (uint32_t i = 0; i < sizes->count; i++) {
        value->sizes[i] = (int32_t)rl_fb_u32(file, sizes->items + 4 * i);
        empty = empty || value->sizes[i] == 0;
        if (value->sizes[i] < 0 || (value->sizes[i] > 0 && bytes > UINT32_MAX / (uint32_t)value->sizes[i])) {
            return false;
        }
        bytes *= value->sizes[i] > 0 ? (uint32_t)value->sizes[i] : 1;
    }
    return value->bytes == (empty ? 0 : bytes);
}

// Copies the order of the dimensions; false if it is not one.
static bool read_order(const struct rl_flatbuffer *file, const struct rl_fb_vector *order,
                       struct rl_bundle_value *value)
{
    unsigned seen = 0;

    if (order->count != 0 && order->count != value->rank) {
        return false;
    }
    for (uint32_t i = 0; i < value->rank; i++) {
        value->dim_order[i] = order->count > 0 ? rl_fb_u8(file, order->items + i) : (uint8_t)i;
        if (value->dim_order[i] >= value->rank || (seen >> value->dim_order[i] & 1)) {
            return false;
        }
        seen |= 1u << value->dim_order[i];
    }
    return true;
}

static bool read_tensor(const struct rl_flatbuffer *file, uint32_t table, struct rl_bundle_value *value)
{
    struct rl_fb_vector sizes, order, data;

    if (!rl_fb_vector(file, table, RL_BUNDLE_tensor_sizes, 4, &sizes) ||
        !rl_fb_vector(file, table, RL_BUNDLE_tensor_dim_order, 1, &order) ||
        !rl_fb_vector(file, table, RL_BUNDLE_tensor_data, 1, &data)) {
        return false;
    }
    value->dtype = (enum rl_scalar_type)rl_fb_u8(file, rl_fb_field(file, table, RL_BUNDLE_tensor_dtype, 1));
    value->data = file->data + data.items;
    value->bytes = data.count;
    return read_sizes(file, &sizes, value) && read_order(file, &order, value);
}

bool rl_bundle_value(const struct rl_bundle *bundle, const struct rl_fb_vector *values, uint32_t index,
                     struct rl_bundle_value *value)
{
    const struct rl_flatbuffer *file = &bundle->file;
    const uint32_t table = rl_fb_item_table(file, values, index);
    const uint32_t item = rl_fb_child(file, table, RL_BUNDLE_value_item);
    const uint8_t kind = rl_fb_u8(file, rl_fb_field(file, table, RL_BUNDLE_value_kind, 1));

    *value = (struct rl_bundle_value){.kind = (enum rl_bundle_kind)kind};
    if (table == RL_FB_BAD || item == RL_FB_BAD || item == RL_FB_ABSENT) {
        return false;
    }
    switch (kind) {
    case RL_BUNDLE_TENSOR:
        return read_tensor(file, item, value);
    case RL_BUNDLE_INT:
        value->integer = (int64_t)rl_fb_u64(file, rl_fb_field(file, item, RL_BUNDLE_number_item, 8));
        return true;
    case RL_BUNDLE_BOOL:
        value->integer = rl_fb_u8(file, rl_fb_field(file, item, RL_BUNDLE_number_item, 1)) != 0;
        return true;
    case RL_BUNDLE_DOUBLE:
        value->real = rl_fb_f64(file, rl_fb_field(file, item, RL_BUNDLE_number_item, 8));
        return true;
    default:
        return false;
    }
}
