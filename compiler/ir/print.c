// SPDX-License-Identifier: Apache-2.0
// Graphs as text (docs/ir.md).
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/text.h"

enum { HEX_BYTES_PER_LINE = 32 };

static void print_string(FILE *file, const char *string)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)string; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(file, "\\%c", *c);
        } else if (*c < ' ' || *c == 127) {
            fprintf(file, "\\x%02x", *c);
        } else {
            fputc(*c, file);
        }
    }
    fputc('"', file);
}

// Prints a name as it is if the parser reads it as one word, otherwise in quotes.
static void print_name(FILE *file, const char *name)
{
    bool plain = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *c = name; *c != '\0' && plain; c++) {
        plain = isalnum((unsigned char)*c) || *c == '_';
    }
    if (plain) {
        fputs(name, file);
    } else {
        print_string(file, name);
    }
}

static void print_value(FILE *file, const struct rl_value *value)
{
    fputc('%', file);
    print_name(file, value->name);
}

// ` word(0,2,3,1)`
static void print_dims(FILE *file, const char *word, const uint8_t *dims, int count)
{
    fprintf(file, " %s(", word);
    for (int d = 0; d < count; d++) {
        fprintf(file, "%s%d", d > 0 ? "," : "", dims[d]);
    }
    fputc(')', file);
}

static void print_type(FILE *file, const struct rl_tensor_type *type)
{
    fprintf(file, "%s[", rl_text_dtype(type->dtype));
    bool identity = true;
    for (int d = 0; d < type->rank; d++) {
        fprintf(file, "%s%lld", d > 0 ? "," : "", (long long)type->sizes[d]);
        identity = identity && type->order[d] == d;
    }
    fputc(']', file);
    if (!identity) {
        print_dims(file, "order", type->order, type->rank);
    }
}

// ---- numbers

// Prints the shortest decimal that reads back as the same number, in a form that is not an integer's.
static void print_double(FILE *file, double number, bool single)
{
    if (isnan(number)) {
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        fprintf(file, "nan(0x%llx)", (unsigned long long)bits);
        return;
    }
    char text[40];
    if (number == floor(number) && fabs(number) < 1e9) {
        fprintf(file, "%.1f", number);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        const bool same = single ? strtof(text, NULL) == (float)number : strtod(text, NULL) == number;
        if (same) {
            break;
        }
    }
    fputs(text, file);
    if (!strpbrk(text, ".en")) {
        fputs(".0", file);
    }
}

static void print_element(FILE *file, enum rl_scalar_type dtype, const unsigned char *element)
{
    const size_t size = rl_scalar_size((int)dtype);
    uint64_t bits = 0;
    memcpy(&bits, element, size);
    float single;
    double number;
    memcpy(&single, element, sizeof single < size ? sizeof single : size);
    switch (dtype) {
    case RL_FLOAT32:
        if (isnan(single)) {
            fprintf(file, "nan(0x%llx)", (unsigned long long)bits);
        } else {
            print_double(file, (double)single, true);
        }
        return;
    case RL_FLOAT64:
        memcpy(&number, element, sizeof number);
        print_double(file, number, false);
        return;
    case RL_FLOAT16:
    case RL_BFLOAT16:
        fprintf(file, "0x%04llx", (unsigned long long)bits);
        return;
    case RL_INT8:
    case RL_INT16:
    case RL_INT32:
    case RL_INT64: {
        const int unused = 64 - 8 * (int)size;
        int64_t value;
        bits <<= unused;
        memcpy(&value, &bits, sizeof value);
        fprintf(file, "%lld", (long long)(value / (INT64_C(1) << unused)));
        return;
    }
    default:
        fprintf(file, "%llu", (unsigned long long)bits);
    }
}

// ---- constants

static bool all_equal(const struct rl_value *value)
{
    const size_t element = rl_scalar_size((int)value->type.dtype);
    const size_t bytes = rl_tensor_bytes(&value->type);
    const unsigned char *data = value->data;
    return bytes > element && memcmp(data, data + element, bytes - element) == 0;
}

static bool is_inline(const struct rl_value *value)
{
    return rl_tensor_numel(&value->type) <= RL_TEXT_INLINE_ELEMENTS || all_equal(value);
}

// Elements stand in memory order, as in the data section.
static void print_constant(FILE *file, const char *keyword, const struct rl_value *value)
{
    fputs(keyword, file);
    print_value(file, value);
    fputs(" : ", file);
    print_type(file, &value->type);
    const size_t element = rl_scalar_size((int)value->type.dtype);
    const int64_t count = rl_tensor_numel(&value->type);
    const unsigned char *data = value->data;
    if (count > RL_TEXT_INLINE_ELEMENTS && all_equal(value)) {
        fputs(" = fill(", file);
        print_element(file, value->type.dtype, data);
        fputs(")", file);
    } else if (is_inline(value)) {
        fputs(" = [", file);
        for (int64_t i = 0; i < count; i++) {
            fputs(i > 0 ? ", " : "", file);
            print_element(file, value->type.dtype, data + (size_t)i * element);
        }
        fputs("]", file);
    }
    fputc('\n', file);
}

static void print_data(FILE *file, const struct rl_value *value)
{
    fputs("data ", file);
    print_value(file, value);
    const unsigned char *data = value->data;
    const size_t bytes = rl_tensor_bytes(&value->type);
    for (size_t i = 0; i < bytes; i++) {
        fprintf(file, "%s%02x", i % HEX_BYTES_PER_LINE == 0 ? "\n" : "", data[i]);
    }
    fputc('\n', file);
}

// ---- nodes

static void print_value_or_none(FILE *file, const struct rl_value *value)
{
    if (!value) {
        fputs("None", file);
    } else if (value->kind == RL_VALUE_SCRATCH) {
        fputs("scratch(", file);
        print_value(file, value);
        fprintf(file, ", %lld)", (long long)rl_tensor_numel(&value->type));
    } else {
        print_value(file, value);
    }
}

static void print_int(FILE *file, enum rl_arg_type type, int64_t integer)
{
    const char *word = NULL;
    if (type == RL_TYPE_DTYPE) {
        word = rl_text_dtype(integer);
    } else if (type == RL_TYPE_MEMORY_FORMAT) {
        word = rl_text_memory_format(integer);
    }
    if (word) {
        fputs(word, file);
    } else {
        fprintf(file, "%lld", (long long)integer);
    }
}

static void print_list_item(FILE *file, const struct rl_arg *arg, int index)
{
    if (arg->kind == RL_ARG_VALUES) {
        print_value_or_none(file, arg->as.values[index]);
    } else if (arg->kind == RL_ARG_INTS) {
        fprintf(file, "%lld", (long long)arg->as.integers[index]);
    } else {
        print_double(file, arg->as.numbers[index], false);
    }
}

static void print_arg(FILE *file, enum rl_arg_type type, const struct rl_arg *arg)
{
    switch (arg->kind) {
    case RL_ARG_NONE:
        fputs("None", file);
        return;
    case RL_ARG_VALUE:
        print_value_or_none(file, arg->as.value);
        return;
    case RL_ARG_INT:
        print_int(file, type, arg->as.integer);
        return;
    case RL_ARG_DOUBLE:
        print_double(file, arg->as.number, false);
        return;
    case RL_ARG_BOOL:
        fputs(arg->as.boolean ? "True" : "False", file);
        return;
    case RL_ARG_STRING:
        print_string(file, arg->as.string);
        return;
    case RL_ARG_VALUES:
    case RL_ARG_INTS:
    case RL_ARG_DOUBLES:
        break;
    }
    fputc('[', file);
    for (int i = 0; i < arg->count; i++) {
        fputs(i > 0 ? ", " : "", file);
        print_list_item(file, arg, i);
    }
    fputc(']', file);
}

static void print_attributes(FILE *file, const struct rl_node *node)
{
    if (node->result_count != 1 || strcmp(node->name, node->results[0]->name) != 0) {
        fputs(" @node ", file);
        print_name(file, node->name);
    }
    if (node->origin && strcmp(node->origin, node->name) != 0) {
        fputs(" @origin ", file);
        print_name(file, node->origin);
    }
    if (node->layer) {
        fputs(" @layer ", file);
        print_string(file, node->layer);
    }
    if (node->reason) {
        fputs(" @reason ", file);
        print_string(file, node->reason);
    }
}

static void print_node(FILE *file, const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    for (int i = 0; i < node->result_count; i++) {
        fputs(i > 0 ? ", " : "", file);
        print_value(file, node->results[i]);
    }
    fprintf(file, "%s%s.%s(", node->result_count > 0 ? " = " : "", op->name, op->overload);
    for (int i = 0; i < node->arg_count; i++) {
        fprintf(file, "%s%s=", i > 0 ? ", " : "", op->args[i].name);
        print_arg(file, op->args[i].type, &node->args[i]);
    }
    fputc(')', file);
    for (int i = 0; i < node->result_count; i++) {
        fputs(i > 0 ? ", " : " : ", file);
        print_type(file, &node->results[i]->type);
        if (node->results[i]->is_turned) {
            print_dims(file, "turned", node->results[i]->shown, node->results[i]->type.rank);
        }
    }
    print_attributes(file, node);
    fputc('\n', file);
}

static void print_tree(FILE *file, const char *keyword, const char *tree)
{
    if (tree) {
        fprintf(file, "%s ", keyword);
        print_string(file, tree);
        fputc('\n', file);
    }
}

enum rl_status rl_graph_print(struct rl_context *context, const struct rl_graph *graph, void *file)
{
    FILE *out = file;
    fputs("graph ", out);
    print_name(out, graph->name);
    fputc('\n', out);
    print_tree(out, "input_tree", graph->input_tree);
    print_tree(out, "output_tree", graph->output_tree);
    for (int i = 0; i < graph->input_count; i++) {
        fputs("input ", out);
        print_value(out, graph->inputs[i]);
        fputs(" : ", out);
        print_type(out, &graph->inputs[i]->type);
        fputc('\n', out);
    }
    for (int i = graph->input_count; i < rl_graph_source_count(graph); i++) {
        print_constant(out, "state ", graph->inputs[i]);
    }
    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        print_constant(out, "constant ", value);
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        print_node(out, node);
    }
    for (int i = 0; i < graph->output_count; i++) {
        fputs("output ", out);
        print_value(out, graph->outputs[i]);
        fputc('\n', out);
    }
    for (int i = graph->output_count; i < rl_graph_target_count(graph); i++) {
        fputs("next ", out);
        print_value(out, graph->inputs[graph->input_count + i - graph->output_count]);
        fputc(' ', out);
        print_value(out, graph->outputs[i]);
        fputc('\n', out);
    }
    for (int i = graph->input_count; i < rl_graph_source_count(graph); i++) {
        if (!is_inline(graph->inputs[i])) {
            print_data(out, graph->inputs[i]);
        }
    }
    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        if (!is_inline(value)) {
            print_data(out, value);
        }
    }
    if (ferror(out)) {
        return rl_fail(context, RL_ERROR_IO, "%s: cannot write the graph: %s", graph->source, strerror(errno));
    }
    return RL_OK;
}
