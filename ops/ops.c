// SPDX-License-Identifier: Apache-2.0
#include "ops/ops.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- ops.def, expanded three times: argument arrays, number of positional arguments, table

#define TENSOR(name)              ARG(name, RL_TYPE_TENSOR, false, false, false, NULL)
#define REUSED(name)              ARG(name, RL_TYPE_TENSOR, false, false, true, NULL)
#define WEIGHTS_SECOND(name)      ARG(name, RL_TYPE_TENSOR, false, false, false, NULL)
#define WEIGHTS_LAST(name)        ARG(name, RL_TYPE_TENSOR, false, false, false, NULL)
#define FACTOR(name)              ARG(name, RL_TYPE_TENSOR, false, false, false, NULL)
#define SCALED(name)              ARG(name, RL_TYPE_TENSOR, false, false, false, NULL)
#define TENSOR_WRITTEN(name)      ARG(name, RL_TYPE_TENSOR, false, false, false, NULL)
#define TENSOR_OPT(name)          ARG(name, RL_TYPE_TENSOR, true, false, false, "None")
#define TENSORS(name)             ARG(name, RL_TYPE_TENSOR_LIST, false, false, false, NULL)
#define TENSORS_OPT(name)         ARG(name, RL_TYPE_TENSOR_LIST, false, true, false, NULL)
#define SCRATCH(name)             ARG(name, RL_TYPE_SCRATCH, false, false, false, NULL)
#define INT(name)                 ARG(name, RL_TYPE_INT, false, false, false, NULL)
#define INT_OR(name, fallback)    ARG(name, RL_TYPE_INT, false, false, false, #fallback)
#define INT_OPT(name)             ARG(name, RL_TYPE_INT, true, false, false, "None")
#define INTS(name)                ARG(name, RL_TYPE_INT_LIST, false, false, false, NULL)
#define WINDOW(name)              ARG(name, RL_TYPE_INT_LIST, false, false, false, NULL)
#define PASSES(name)              ARG(name, RL_TYPE_INT, false, false, false, NULL)
#define INTS_OR(name, ...)        ARG(name, RL_TYPE_INT_LIST, false, false, false, #__VA_ARGS__)
#define INTS_OPT(name)            ARG(name, RL_TYPE_INT_LIST, true, false, false, "None")
#define FLOAT(name)               ARG(name, RL_TYPE_FLOAT, false, false, false, NULL)
#define FLOAT_OR(name, fallback)  ARG(name, RL_TYPE_FLOAT, false, false, false, #fallback)
#define FLOAT_OPT(name)           ARG(name, RL_TYPE_FLOAT, true, false, false, "None")
#define FLOATS_OPT(name)          ARG(name, RL_TYPE_FLOAT_LIST, true, false, false, "None")
#define BOOL(name)                ARG(name, RL_TYPE_BOOL, false, false, false, NULL)
#define BOOL_OR(name, fallback)   ARG(name, RL_TYPE_BOOL, false, false, false, #fallback)
#define BOOL_OPT(name)            ARG(name, RL_TYPE_BOOL, true, false, false, "None")
#define STRING(name)              ARG(name, RL_TYPE_STRING, false, false, false, NULL)
#define STRING_OR(name, fallback) ARG(name, RL_TYPE_STRING, false, false, false, #fallback)
#define STRING_OPT(name)          ARG(name, RL_TYPE_STRING, true, false, false, "None")
#define SCALAR(name)              ARG(name, RL_TYPE_SCALAR, false, false, false, NULL)
#define SCALAR_OR(name, fallback) ARG(name, RL_TYPE_SCALAR, false, false, false, #fallback)
#define SCALAR_OPT(name)          ARG(name, RL_TYPE_SCALAR, true, false, false, "None")
#define DTYPE(name)               ARG(name, RL_TYPE_DTYPE, false, false, false, NULL)
#define DTYPE_OPT(name)           ARG(name, RL_TYPE_DTYPE, true, false, false, "None")
#define LAYOUT_OPT(name)          ARG(name, RL_TYPE_LAYOUT, true, false, false, "None")
#define DEVICE(name)              ARG(name, RL_TYPE_DEVICE, false, false, false, NULL)
#define DEVICE_OPT(name)          ARG(name, RL_TYPE_DEVICE, true, false, false, "None")
#define MEMORY_FORMAT_OPT(name)   ARG(name, RL_TYPE_MEMORY_FORMAT, true, false, false, "None")

#define RETURNS0()                 0
#define RETURNS1(out)              1
#define RETURNS_ONCE(out)          1
#define RETURNS2(out0, out1)       2
#define RETURNS3(out0, out1, out2) 3
#define RETURNS4(a, b, c, d)       4
#define RETURNS_LIST(out)          -1
#define RETURNS_NUMBER(out)        0

// Each expansion below defines both RL_OP and RL_OP_AHEAD. If RL_OP_AHEAD called RL_OP, it would pass on arguments that
// are already expanded, and their commas would separate them.

// An array ends with an empty entry, so that an operator may have no argument.
#define KEYWORD
#define ARG(name, type, optional, elements_optional, reused, fallback)                                                 \
    {#name, type, optional, elements_optional, reused, fallback},

#define ARRAY(id, ...) static const struct rl_op_arg args_##id[] = {__VA_ARGS__{0}};

#define RL_OP(id, name, overload, out_overload, arguments, results, traits) ARRAY(id, arguments)
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)         ARRAY(id, arguments)
#include "rushlight/ops.def"
#undef RL_OP
#undef ARG
#undef KEYWORD

// Arguments up to KEYWORD: "0 + 1 + 1, 0 + 1" has two positional arguments.
#define KEYWORD                                                        , 0
#define ARG(name, type, optional, elements_optional, reused, fallback) +1
#define FIRST(...)                                                     FIRST_OF(__VA_ARGS__, 0)
#define FIRST_OF(first, ...)                                           first
enum {
#define RL_OP(id, name, overload, out_overload, arguments, results, traits) positional_##id = FIRST(0 arguments),
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)         positional_##id = FIRST(0 arguments),
#include "rushlight/ops.def"
    positional_end
};
#undef RL_OP
#undef ARG
#undef KEYWORD

// A trait is an initializer of its member, so that a word that does not exist, or two for one member, cannot compile.
static const struct rl_op table[RL_OP_COUNT];

#define PLAIN
#define QUANTIZED_DECOMPOSED .dialect = RL_DIALECT_QUANTIZED_DECOMPOSED,
#define CORTEX_M             .dialect = RL_DIALECT_CORTEX_M,
#define RUSHLIGHT            .dialect = RL_DIALECT_RUSHLIGHT,
#define DIM_ORDER            .dialect = RL_DIALECT_DIM_ORDER,
#define PRIM                 .dialect = RL_DIALECT_PRIM,
#define QUANTIZES            .quantizes = true,
#define DEQUANTIZES          .dequantizes = true,
#define LAYER(kind)          .layer = RL_LAYER_##kind,
#define WEIGHTS              .has_weights = true,
#define TRANSPOSED           .transposed = true,
#define LAYOUT(rule)         .layout = RL_LAYOUT_##rule,
#define REARRANGES(how)      .rearranges = RL_REARRANGES_##how,
#define VIEW(when)           .view = RL_OP_VIEW_##when,
#define IN_PLACE_OF(id)      .in_place_of = &table[RL_OP_##id],
#define SYNONYM_OF(id)       .synonym_of = &table[RL_OP_##id],
#define RUNS_AS(id)          .runs_as = &table[RL_OP_##id],
#define NHWC_AS(id)          .nhwc_as = &table[RL_OP_##id],
#define COUNTS_AS(id)        .counts_as = &table[RL_OP_##id],
#define CONVERTS             .converts = true,
#define SHARES_GRID          .shares_grid = true,
#define SHARES_GRID_IN_BEST  .shares_grid_in_best = true,
#define COMMUTES             .commutes = true,
#define CHOOSES              .chooses = true,
#define ADDS                 .adds = true,
#define GIVES_BOOL           .gives_bool = true,
#define NEEDS_EVERY_BIT      .needs_every_bit = true,
#define ACTIVATION           .is_activation = true,

// One word for three members.
#define TAKES(operand, result, loop_) .takes = operand, .gives = result, .loop = loop_,

#define COUNT(id) ((int)(sizeof args_##id / sizeof args_##id[0]) - 1)
#define ROW(id_, name_, overload_, out_overload_, results_, wide_, ...)                                                \
    {.id = #id_,                                                                                                       \
     .name = name_,                                                                                                    \
     .overload = overload_,                                                                                            \
     .out_overload = out_overload_,                                                                                    \
     .args = args_##id_,                                                                                               \
     .arg_count = COUNT(id_),                                                                                          \
     .result_count = results_,                                                                                         \
     .positional_count = positional_##id_,                                                                             \
     .wide = wide_,                                                                                                    \
     __VA_ARGS__},
static const struct rl_op table[RL_OP_COUNT] = {
#define RL_OP(id, name, overload, out_overload, arguments, results, traits)                                            \
    ROW(id, name, overload, out_overload, results, false, traits)
#define RL_OP_WIDE(id, name, overload, out_overload, arguments, results, traits)                                       \
    ROW(id, name, overload, out_overload, results, true, traits)
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)                                                    \
    ROW(id, name, overload, NULL, results, false, traits)
#include "rushlight/ops.def"
};
#undef RL_OP

// ---- look-up

const struct rl_op *rl_op_get(enum rl_op_id id)
{
    return &table[id];
}

const char *rl_op_counted_name(const struct rl_op *op)
{
    return op->counts_as ? op->counts_as->name : op->name;
}

enum rl_op_id rl_op_id(const struct rl_op *op)
{
    return (enum rl_op_id)(op - table);
}

bool rl_op_is_quantized(const struct rl_op *op)
{
    return op->dialect == RL_DIALECT_CORTEX_M || op->dialect == RL_DIALECT_RUSHLIGHT;
}

int rl_op_argument(const struct rl_op *op, const char *name)
{
    for (int i = 0; i < op->arg_count; i++) {
        if (strcmp(op->args[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

bool rl_op_find(const char *name, const char *overload, enum rl_op_id *id)
{
    for (int i = 0; i < RL_OP_COUNT; i++) {
        if (strcmp(table[i].name, name) == 0 && strcmp(table[i].overload, overload) == 0) {
            *id = (enum rl_op_id)i;
            return true;
        }
    }
    return false;
}

bool rl_op_find_out(const char *name, const char *out_overload, enum rl_op_id *id)
{
    for (int i = 0; i < RL_OP_COUNT; i++) {
        const char *found = table[i].out_overload;
        if (found && strcmp(table[i].name, name) == 0 && strcmp(found, out_overload) == 0) {
            *id = (enum rl_op_id)i;
            return true;
        }
    }
    return false;
}

// ---- schema as text

struct text {
    char *start;
    size_t capacity;
    int length;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
    size_t used = (size_t)text->length < text->capacity ? (size_t)text->length : text->capacity;
    va_list arguments;
    va_start(arguments, format);
    int written =
        vsnprintf(text->capacity > used ? text->start + used : NULL, text->capacity - used, format, arguments);
    va_end(arguments);
    if (written > 0) {
        text->length += written;
    }
}

static const char *type_name(enum rl_arg_type type)
{
    switch (type) {
    case RL_TYPE_TENSOR:
    case RL_TYPE_SCRATCH:
        return "Tensor";
    case RL_TYPE_TENSOR_LIST:
        return "Tensor[]";
    case RL_TYPE_INT:
        return "int";
    case RL_TYPE_INT_LIST:
        return "int[]";
    case RL_TYPE_FLOAT:
        return "float";
    case RL_TYPE_FLOAT_LIST:
        return "float[]";
    case RL_TYPE_BOOL:
        return "bool";
    case RL_TYPE_STRING:
        return "str";
    case RL_TYPE_SCALAR:
        return "Scalar";
    case RL_TYPE_DTYPE:
        return "ScalarType";
    case RL_TYPE_LAYOUT:
        return "Layout";
    case RL_TYPE_DEVICE:
        return "Device";
    case RL_TYPE_MEMORY_FORMAT:
        return "MemoryFormat";
    }
    return "?";
}

// An optional argument before a required one has no default in the schema: it must be given, as None if need be.
static bool may_be_left_out(const struct rl_op *op, int index)
{
    int end = index < op->positional_count ? op->positional_count : op->arg_count;
    for (int i = index; i < end; i++) {
        if (!op->args[i].default_text) {
            return false;
        }
    }
    return true;
}

static void append_arg(struct text *text, const struct rl_op *op, int index)
{
    const struct rl_op_arg *arg = &op->args[index];
    append(text, "%s%s %s", arg->list_elements_optional ? "Tensor?[]" : type_name(arg->type), arg->optional ? "?" : "",
           arg->name);
    if (!may_be_left_out(op, index)) {
        return;
    }
    if (arg->type == RL_TYPE_STRING) {
        append(text, "=\"%s\"", arg->default_text);
    } else {
        append(text, "=%s", arg->default_text);
    }
}

static void append_results(struct text *text, int count)
{
    if (count == 1 || count < 0) {
        append(text, count == 1 ? " -> Tensor" : " -> Tensor[]");
        return;
    }
    append(text, " -> (");
    for (int i = 0; i < count; i++) {
        append(text, "%sTensor", i == 0 ? "" : ", ");
    }
    append(text, ")");
}

int rl_op_schema(enum rl_op_id id, char *text, size_t size)
{
    const struct rl_op *op = &table[id];
    struct text out = {text, size, 0};
    append(&out, "%s", op->name);
    if (strcmp(op->overload, "default") != 0) {
        append(&out, ".%s", op->overload);
    }
    append(&out, "(");
    for (int i = 0; i < op->arg_count; i++) {
        if (i > 0) {
            append(&out, ", ");
        }
        if (i == op->positional_count) {
            append(&out, "*, ");
        }
        append_arg(&out, op, i);
    }
    append(&out, ")");
    append_results(&out, op->result_count);
    return out.length;
}
