// SPDX-License-Identifier: Apache-2.0
//
// model.c: constants, a struct a layer, and the calls one after the other.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/c/fields.h"
#include "compiler/c/model.h"
#include "format/pte_names.h"

enum { COLUMNS = 118 };

// ---- constants

static int64_t element(const uint8_t *data, size_t size, bool is_signed)
{
    uint64_t bits = 0;
    memcpy(&bits, data, size); // hosts are little-endian, as programs are
    if (!is_signed || size == 8) {
        return (int64_t)bits;
    }
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return (int64_t)((bits ^ sign) - sign);
}

// A number that no compiler warns of.
static int format_number(char text[32], int64_t number, size_t size, bool is_signed)
{
    if (!is_signed) {
        return snprintf(text, 32, size == 8 ? "%" PRIu64 "ull" : "%" PRIu64 "u", (uint64_t)number);
    }
    if (size == 8 && number == INT64_MIN) {
        return snprintf(text, 32, "(-9223372036854775807ll - 1)");
    }
    if (number == INT32_MIN) {
        return snprintf(text, 32, "(-2147483647 - 1)");
    }
    return snprintf(text, 32, size == 8 ? "%" PRId64 "ll" : "%" PRId64, number);
}

static void print_array(FILE *out, const char *type, size_t size, const char *name, int index, const uint8_t *data,
                        size_t bytes)
{
    const bool is_signed = type[0] == 'i';
    const size_t count = bytes / size;
    int column = COLUMNS;
    fprintf(out, "static const %s %s_%d[%zu] ALIGNED = {", type, name, index, count);
    for (size_t i = 0; i < count; i++) {
        char text[32];
        const int length = format_number(text, element(data + i * size, size, is_signed), size, is_signed);
        if (column + length + 2 > COLUMNS) {
            fprintf(out, "\n    ");
            column = 4;
        }
        column += fprintf(out, "%s,%s", text, i + 1 < count ? " " : "");
    }
    fprintf(out, "\n};\n");
}

static void print_constants(FILE *out, const struct rl_c_model *model)
{
    for (int i = 0; i < model->constant_count; i++) {
        const struct rl_c_constant *c = &model->constants[i];
        if (c->is_used) {
            print_array(out, rl_c_constant_type(c->dtype), rl_scalar_size(c->dtype), "constant", i, c->data, c->bytes);
        }
    }
    for (int i = 0; i < model->state_count; i++) {
        if (!model->states[i].is_zero) {
            print_array(out, "uint8_t", 1, "initial", i, model->states[i].initial, model->states[i].bytes);
        }
    }
}

// ---- layers and calls

static bool has_layer(const struct rl_c_model *model, const struct rl_c_call *call, bool inside)
{
    return inside == (model->options->arena_of_caller && rl_c_points_to_arena(model, call));
}

// Where the layer came from, as a comment that cannot end early.
static void print_origin(FILE *out, const struct rl_c_model *model, const struct rl_c_call *call, int indent)
{
    struct rl_pte_names names;
    const struct rl_method *method = &model->program->method;
    if (rl_pte_names_open(&model->program->program.pte, &method->plan, &names)) {
        return;
    }
    const struct rl_pte_name name = rl_pte_names_at(&names, call->instruction);
    const char *parts[] = {name.layer, name.node};
    bool any = false;
    for (int i = 0; i < 2; i++) {
        if (!parts[i] || !parts[i][0]) {
            continue;
        }
        fprintf(out, any ? ": " : "%*s// ", indent, "");
        any = true;
        for (const char *c = parts[i]; *c; c++) {
            fputc(*c == '\\' || *c == '?' ? '_' : *c, out); // neither a line that goes on nor a trigraph
        }
    }
    fprintf(out, any ? "\n" : "");
}

static void print_layer(FILE *out, struct rl_c_model *model, int index, int indent)
{
    const struct rl_c_call *call = &model->calls.items[index];
    const struct rl_c_struct *layout = rl_c_function_get(call->function)->layer;
    if (call->function == RL_C_rl_direct_call) {
        rl_c_print_arguments(out, model, call, index);
        return;
    }
    fprintf(out, "%*s%sconst struct %s layer_%d = ", indent, "", indent > 0 ? "" : "static ", layout->name, index);
    rl_c_print_layer(out, model, call, indent);
    fprintf(out, ";\n");
}

static void print_layers(FILE *out, struct rl_c_model *model)
{
    for (int i = 0; i < model->calls.count; i++) {
        if (has_layer(model, &model->calls.items[i], false)) {
            print_origin(out, model, &model->calls.items[i], 0);
            print_layer(out, model, i, 0);
        }
    }
}

static void print_scratch(FILE *out, struct rl_c_model *model, struct rl_scratch scratch)
{
    fprintf(out, ", scratch(");
    rl_c_print_address(out, model, "void", scratch.bytes > 0 ? scratch.memory : NULL);
    fprintf(out, ", %" PRId32 ")", scratch.bytes > 0 ? scratch.bytes : 0);
}

static void print_data(FILE *out, struct rl_c_model *model, const char *constness, const char *type,
                       const void *address)
{
    fprintf(out, ", ");
    rl_c_print_address(out, model, rl_arena_format(model->arena, "%s%s", constness, type), address);
}

static void print_other(FILE *out, struct rl_c_model *model, const struct rl_c_call *call, int index)
{
    const char *integers = call->wide ? "int16_t" : "int8_t";
    switch (call->function) {
    case RL_C_rl_transpose_convolution_run:
        fprintf(out, "(&layer_%d", index);
        print_data(out, model, "const ", "int8_t", call->from[0]);
        print_data(out, model, "", "int8_t", call->to);
        print_scratch(out, model, call->scratch[0]);
        print_scratch(out, model, call->scratch[1]);
        break;
    case RL_C_rl_recurrent_run:
        fprintf(out, "(&layer_%d, &state_%d", index, index);
        print_data(out, model, "const ", "int8_t", call->from[0]);
        print_data(out, model, "", "int8_t", call->to);
        print_scratch(out, model, call->scratch[0]);
        break;
    case RL_C_rl_quantize_s8:
    case RL_C_rl_quantize_s16:
        fprintf(out, "(");
        rl_c_print_address(out, model, "const float", call->from[0]);
        fprintf(out, ", %" PRIu32 ", &layer_%d", call->count, index);
        print_data(out, model, "", integers, call->to);
        break;
    default:
        fprintf(out, "(");
        rl_c_print_address(out, model, rl_arena_format(model->arena, "const %s", integers), call->from[0]);
        fprintf(out, ", %" PRIu32 ", &layer_%d", call->count, index);
        print_data(out, model, "", "float", call->to);
        break;
    }
}

static void print_recurrent_state(FILE *out, struct rl_c_model *model, const struct rl_c_call *call, int index)
{
    fprintf(out, "    const struct rl_recurrent_state state_%d = {", index);
    rl_c_print_address(out, model, "const int8_t", call->state.hidden);
    print_data(out, model, "const ", "int16_t", call->state.cell);
    print_data(out, model, "", "int16_t", call->state.last_cell);
    fprintf(out, "};\n");
}

static void print_operator_call(FILE *out, struct rl_c_model *model, const struct rl_c_call *call, int index)
{
    const struct rl_c_options *o = model->options;
    fprintf(out,
            "    refused = (int)rl_direct_call(%s, operator_%d, %s%s);\n    if (refused) {\n"
            "        return refused + 256 * %" PRIu32 ";\n    }\n",
            rl_c_operator_function(model, call), index, o->arena_of_caller ? "" : o->name,
            o->arena_of_caller ? "arena" : "_arena", call->instruction);
}

static void print_call(FILE *out, struct rl_c_model *model, int index)
{
    const struct rl_c_call *call = &model->calls.items[index];
    const struct rl_c_function_info *f = rl_c_function_get(call->function);
    if (call->function == RL_C_rl_direct_call) {
        print_operator_call(out, model, call, index);
        return;
    }
    fprintf(out, "    %s", f->name);
    if (f->form == RL_C_FORM_OTHER) {
        print_other(out, model, call, index);
        fprintf(out, ");\n");
        return;
    }
    fprintf(out, "(&layer_%d", index);
    print_data(out, model, "const ", f->from, call->from[0]);
    if (f->form == RL_C_FORM_BINARY || f->form == RL_C_FORM_BINARY_SCRATCH) {
        print_data(out, model, "const ", f->from, call->from[1]);
    }
    print_data(out, model, "", f->to, call->to);
    if (f->form == RL_C_FORM_UNARY_SCRATCH || f->form == RL_C_FORM_BINARY_SCRATCH) {
        print_scratch(out, model, call->scratch[0]);
    }
    fprintf(out, ");\n");
}

static bool uses_scratch(const struct rl_c_model *model)
{
    for (int i = 0; i < model->calls.count; i++) {
        const enum rl_c_function f = model->calls.items[i].function;
        const enum rl_c_form form = rl_c_function_get(f)->form;
        if (form == RL_C_FORM_UNARY_SCRATCH || form == RL_C_FORM_BINARY_SCRATCH || f == RL_C_rl_recurrent_run ||
            f == RL_C_rl_transpose_convolution_run) {
            return true;
        }
    }
    return false;
}

static void print_cleared(FILE *out, const struct rl_c_spans *spans)
{
    for (int i = 0; i < spans->count; i++) {
        fprintf(out, "    memset(AT(uint8_t, %zu), 0, %zu);\n", spans->items[i].offset, spans->items[i].bytes);
    }
}

static void print_run(FILE *out, struct rl_c_model *model)
{
    const bool given = model->options->arena_of_caller;
    if (uses_scratch(model)) {
        fprintf(out, "\nstatic struct rl_scratch scratch(void *memory, int32_t bytes)\n{\n"
                     "    struct rl_scratch result;\n    result.memory = memory;\n    result.bytes = bytes;\n"
                     "    return result;\n}\n");
    }
    fprintf(out, "\n%s %s_run(%s)\n{\n", rl_c_calls_operators(model) ? "int" : "void", model->options->name,
            given ? "void *arena" : "void");
    for (int i = 0; i < model->calls.count; i++) {
        const struct rl_c_call *call = &model->calls.items[i];
        if (has_layer(model, call, true)) {
            print_layer(out, model, i, 4);
        }
        if (call->function == RL_C_rl_recurrent_run) {
            print_recurrent_state(out, model, call, i);
        }
    }
    fprintf(out, rl_c_calls_operators(model) ? "    int refused;\n" : "");
    print_cleared(out, &model->cleared);
    for (int i = 0; i < model->calls.count; i++) {
        if (i == 0 || model->calls.items[i].instruction != model->calls.items[i - 1].instruction) {
            print_origin(out, model, &model->calls.items[i], 4);
        }
        print_call(out, model, i);
    }
    fprintf(out, given && model->calls.count == 0 ? "    (void)arena;\n" : "");
    fprintf(out, rl_c_calls_operators(model) ? "    return 0;\n}\n" : "}\n");
}

static void print_reset(FILE *out, const struct rl_c_model *model)
{
    const bool given = model->options->arena_of_caller;
    fprintf(out, "\nvoid %s_reset(%s)\n{\n", model->options->name, given ? "void *arena" : "void");
    print_cleared(out, &model->reset);
    for (int i = 0; i < model->state_count; i++) {
        const struct rl_c_state *s = &model->states[i];
        if (s->is_zero) {
            fprintf(out, "    memset(AT(uint8_t, %" PRIu32 "), 0, %" PRIu32 ");\n", s->offset, s->bytes);
        } else {
            fprintf(out, "    memcpy(AT(uint8_t, %" PRIu32 "), initial_%d, %" PRIu32 ");\n", s->offset, i, s->bytes);
        }
    }
    fprintf(out, given && model->state_count + model->reset.count == 0 ? "    (void)arena;\n}\n" : "}\n");
}

// ---- inputs and outputs

static void print_tensor(FILE *out, struct rl_c_model *model, const char *side, int index, const struct rl_tensor *t,
                         bool is_input)
{
    const char *name = model->options->name;
    const char *type = rl_arena_format(model->arena, "%s%s", is_input ? "" : "const ", rl_c_tensor_type(t->dtype));
    if (model->options->arena_of_caller) {
        fprintf(out, "\n%s *%s_%s_%d(void *arena)\n{\n    return ", type, name, side, index);
        rl_c_print_address(out, model, type, t->data);
        fprintf(out, ";\n}\n");
    } else {
        fprintf(out, "%s *const %s_%s_%d = ", type, name, side, index);
        rl_c_print_address(out, model, type, t->data);
        fprintf(out, ";\n");
    }
}

static void print_tensors(FILE *out, struct rl_c_model *model)
{
    for (int i = 0; i < model->input_count; i++) {
        print_tensor(out, model, "input", i, &model->inputs[i].tensor, true);
    }
    for (int i = 0; i < model->output_count; i++) {
        print_tensor(out, model, "output", i, &model->outputs[i].tensor, false);
    }
}

void rl_c_print_labels(FILE *out, const struct rl_c_model *model)
{
    const struct rl_c_options *o = model->options;
    if (o->label_count == 0) {
        return;
    }
    fprintf(out, "\nconst char *const %s_labels[%s_LABEL_COUNT] = {\n", o->name, model->upper);
    for (int i = 0; i < o->label_count; i++) {
        fprintf(out, "    \"");
        for (const unsigned char *c = (const unsigned char *)o->labels[i]; *c; c++) {
            if (*c < ' ' || *c > '~' || strchr("\"\\?", *c)) {
                fprintf(out, "\\%03o", *c);
            } else {
                fputc(*c, out);
            }
        }
        fprintf(out, "\",\n");
    }
    fprintf(out, "};\n");
}

void rl_c_print_source(FILE *out, struct rl_c_model *model)
{
    const struct rl_c_options *o = model->options;
    char *body = NULL;
    size_t bytes;
    FILE *later = open_memstream(&body, &bytes);
    if (!later) {
        model->failed = true;
        return;
    }
    print_layers(later, model);
    if (!o->arena_of_caller) {
        fprintf(later, "\n");
    }
    print_tensors(later, model);
    rl_c_print_labels(later, model);
    print_run(later, model);
    print_reset(later, model);
    fclose(later);

    fprintf(out,
            "// Written by Rushlight. See model.h.\n#include \"model.h\"\n\n#include <string.h>\n\n"
            "#include \"rushlight/kernels.h\"\n%s\n"
            "// Kernels load words from weights, and the arena holds all types.\n"
            "#if defined(__GNUC__)\n#define ALIGNED __attribute__((aligned(16)))\n#else\n#define ALIGNED\n"
            "#endif\n\n",
            rl_c_calls_operators(model) ? "#include \"rushlight/direct.h\"\n" : "");
    if (o->arena_of_caller) {
        fprintf(out, "#define AT(type, offset) ((type *)(void *)((uint8_t *)arena + (offset)))\n\n");
    } else {
        fprintf(out, "uint8_t %s_arena[%s_ARENA_BYTES] ALIGNED;\n", o->name, model->upper);
        fprintf(out, "#define AT(type, offset) ((type *)(void *)(%s_arena + (offset)))\n\n", o->name);
    }
    print_constants(out, model);
    fprintf(out, "\n");
    fwrite(body, 1, bytes, out);
    free(body);
}
