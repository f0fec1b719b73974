// SPDX-License-Identifier: Apache-2.0
//
// Structs as initializers. They list all members in order and cast every pointer, so that C99, C11 and C++ read them
// without a warning.
#include <inttypes.h>
#include <string.h>

#include "compiler/c/fields.h"
#include "compiler/c/model.h"

const char *rl_c_constant_type(uint8_t dtype)
{
    static const char *const bits[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t"};
    switch (dtype) {
    case RL_INT8:
        return "int8_t";
    case RL_INT16:
        return "int16_t";
    case RL_INT32:
        return "int32_t";
    case RL_INT64:
        return "int64_t";
    default:
        break;
    }
    const size_t size = rl_scalar_size(dtype);
    return bits[(size > 1) + (size > 2) + (size > 4)];
}

const char *rl_c_tensor_type(uint8_t dtype)
{
    switch (dtype) {
    case RL_FLOAT32:
        return "float";
    case RL_FLOAT64:
        return "double";
    case RL_BOOL:
        return "bool";
    default:
        return rl_c_constant_type(dtype);
    }
}

static bool in_arena(const struct rl_c_model *model, const void *address, size_t *offset)
{
    const struct rl_buffer *memory = &model->memory;
    *offset = (size_t)((uintptr_t)address - (uintptr_t)memory->data);
    return (uintptr_t)address >= (uintptr_t)memory->data && *offset < memory->bytes;
}

void rl_c_print_address(FILE *out, struct rl_c_model *model, const char *type, const void *address)
{
    size_t offset;
    if (!address) {
        fprintf(out, "NULL");
        return;
    }
    if (in_arena(model, address, &offset)) {
        fprintf(out, "AT(%s, %zu)", type, offset);
        return;
    }
    for (int i = 0; i < model->constant_count; i++) {
        struct rl_c_constant *c = &model->constants[i];
        offset = (size_t)((uintptr_t)address - (uintptr_t)c->data);
        if ((uintptr_t)address < (uintptr_t)c->data || offset >= c->bytes) {
            continue;
        }
        c->is_used = true;
        const bool same = strncmp(type, "const ", 6) == 0 && strcmp(type + 6, rl_c_constant_type(c->dtype)) == 0;
        if (offset == 0 && same) {
            fprintf(out, "constant_%d", i);
        } else if (offset == 0) {
            fprintf(out, "(%s *)(const void *)constant_%d", type, i);
        } else {
            fprintf(out, "(%s *)(const void *)((const uint8_t *)(const void *)constant_%d + %zu)", type, i, offset);
        }
        return;
    }
    model->failed = true;
}

// ---- layers

static bool struct_points_to_arena(const struct rl_c_model *model, const struct rl_c_struct *layout, const uint8_t *at)
{
    for (const struct rl_c_field *f = layout->fields; f->name; f++) {
        const int count = f->count > 0 ? f->count : 1;
        for (int i = 0; i < count; i++) {
            const void *pointer;
            size_t offset;
            if (f->kind == RL_C_STRUCT &&
                struct_points_to_arena(model, f->layout, at + f->offset + (size_t)i * f->layout->bytes)) {
                return true;
            }
            if (f->kind != RL_C_POINTER && f->kind != RL_C_UNION) {
                continue;
            }
            memcpy(&pointer, at + f->offset, sizeof pointer);
            if (pointer && in_arena(model, pointer, &offset)) {
                return true;
            }
        }
    }
    return false;
}

bool rl_c_points_to_arena(const struct rl_c_model *model, const struct rl_c_call *call)
{
    return struct_points_to_arena(model, rl_c_function_get(call->function)->layer, call->layer);
}

static void print_int32(FILE *out, int32_t number)
{
    if (number == INT32_MIN) { // has no literal of its type
        fprintf(out, "(-2147483647 - 1)");
    } else {
        fprintf(out, "%" PRId32, number);
    }
}

// With a point, so that it is a constant of type float with its suffix, and exact.
static void print_float(FILE *out, float number)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", (double)number);
    fprintf(out, "%s%sf", text, strpbrk(text, ".e") ? "" : ".0");
}

static void print_struct(FILE *out, struct rl_c_model *model, const struct rl_c_struct *layout, const uint8_t *at);

static size_t size_of(const struct rl_c_field *field)
{
    if (field->kind == RL_C_STRUCT) {
        return field->layout->bytes;
    }
    return field->kind == RL_C_BOOL || field->kind == RL_C_INT8 ? 1 : sizeof(int32_t);
}

static void print_member(FILE *out, struct rl_c_model *model, const struct rl_c_field *field, const uint8_t *at)
{
    int32_t word;
    float number;
    const void *pointer;
    switch (field->kind) {
    case RL_C_INT8:
        fprintf(out, "%d", (int)(int8_t)*at);
        break;
    case RL_C_BOOL:
        fprintf(out, "%s", *at ? "true" : "false");
        break;
    case RL_C_FLOAT:
        memcpy(&number, at, sizeof number);
        print_float(out, number);
        break;
    case RL_C_POINTER:
    case RL_C_UNION:
        memcpy(&pointer, at, sizeof pointer);
        fprintf(out, field->kind == RL_C_UNION ? "{" : "");
        rl_c_print_address(out, model, rl_arena_format(model->arena, "const %s", field->type), pointer);
        fprintf(out, field->kind == RL_C_UNION ? "}" : "");
        break;
    case RL_C_STRUCT:
        print_struct(out, model, field->layout, at);
        break;
    case RL_C_INT32:
    case RL_C_UINT32:
    case RL_C_ENUM:
        memcpy(&word, at, sizeof word);
        if (field->kind == RL_C_ENUM) {
            fprintf(out, "%s", field->names[word]);
        } else if (field->kind == RL_C_UINT32) {
            fprintf(out, "%" PRIu32 "u", (uint32_t)word);
        } else {
            print_int32(out, word);
        }
        break;
    }
}

static void print_field(FILE *out, struct rl_c_model *model, const struct rl_c_field *field, const uint8_t *at)
{
    if (field->count == 0) {
        print_member(out, model, field, at + field->offset);
        return;
    }
    const size_t size = size_of(field);
    fprintf(out, field->inner > 0 ? "{{" : "{");
    for (int i = 0; i < field->count; i++) {
        const bool next_row = field->inner > 0 && i > 0 && i % field->inner == 0;
        const char *comma = i > 0 ? ", " : "";
        fprintf(out, "%s", next_row ? "}, {" : comma);
        print_member(out, model, field, at + field->offset + (size_t)i * size);
    }
    fprintf(out, field->inner > 0 ? "}}" : "}");
}

static void print_struct(FILE *out, struct rl_c_model *model, const struct rl_c_struct *layout, const uint8_t *at)
{
    fprintf(out, "{");
    for (const struct rl_c_field *f = layout->fields; f->name; f++) {
        fprintf(out, f > layout->fields ? ", " : "");
        print_field(out, model, f, at);
    }
    fprintf(out, "}");
}

void rl_c_print_layer(FILE *out, struct rl_c_model *model, const struct rl_c_call *call, int indent)
{
    const struct rl_c_struct *layout = rl_c_function_get(call->function)->layer;
    fprintf(out, "{\n");
    for (const struct rl_c_field *f = layout->fields; f->name; f++) {
        fprintf(out, "%*s", indent + 4, "");
        print_field(out, model, f, call->layer);
        fprintf(out, ", // %s\n", f->name);
    }
    fprintf(out, "%*s}", indent, "");
}
