// SPDX-License-Identifier: Apache-2.0
// Arguments of nodes in the text form of graphs, read as the operator's schema says.
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/parser.h"
#include "compiler/ir/text.h"

enum { MAX_ARGUMENTS = 64 };

static enum rl_status parse_value(struct rl_parser *parser, struct rl_value **value)
{
    if (parser->lexer.token.kind != RL_TOKEN_VALUE) {
        return rl_lexer_expected(&parser->lexer, "a value (%name)");
    }
    *value = rl_name_map_find(&parser->values, rl_lexer_name(&parser->lexer));
    if (!*value) {
        return rl_lexer_expected(&parser->lexer, "a value that is defined before");
    }
    if ((*value)->kind == RL_VALUE_SCRATCH) {
        return rl_lexer_expected(&parser->lexer, "a tensor, not work space");
    }
    rl_lexer_advance(&parser->lexer);
    return RL_OK;
}

// scratch(%name, bytes)
static enum rl_status parse_scratch(struct rl_parser *parser, struct rl_arg *arg)
{
    if (!rl_lexer_is_word(&parser->lexer, "scratch")) {
        return rl_lexer_expected(&parser->lexer, "work space, like scratch(%name, 512)");
    }
    rl_lexer_advance(&parser->lexer);
    enum rl_status status = rl_parse_mark(parser, '(');
    if (status != RL_OK) {
        return status;
    }
    struct rl_value *value = rl_arena_alloc(parser->arena, sizeof *value);
    value->kind = RL_VALUE_SCRATCH;
    if (parser->lexer.token.kind != RL_TOKEN_VALUE) {
        return rl_lexer_expected(&parser->lexer, "a name (%name)");
    }
    value->name = rl_lexer_name(&parser->lexer);
    status = rl_parse_define(parser, value);
    int64_t bytes = 0;
    if (status == RL_OK) {
        rl_lexer_advance(&parser->lexer);
        status = rl_parse_mark(parser, ',');
    }
    if (status == RL_OK) {
        status = rl_parse_integer(parser, &bytes);
    }
    if (status == RL_OK) {
        status = rl_parse_mark(parser, ')');
    }
    value->type = rl_tensor_type_make(RL_UINT8, 1, &bytes);
    *arg = rl_arg_value(value);
    return status == RL_OK && bytes < 0 ? rl_lexer_refuse(&parser->lexer, "work space of negative size") : status;
}

// ---- lists

static enum rl_status parse_item(struct rl_parser *parser, const struct rl_op_arg *schema, struct rl_arg *list,
                                 int capacity)
{
    const int i = list->count;
    if (i == capacity) {
        return rl_lexer_refuse(&parser->lexer, "a list too long");
    }
    list->count++;
    if (schema->type == RL_TYPE_INT_LIST) {
        return rl_parse_integer(parser, (int64_t *)list->as.integers + i);
    }
    if (schema->type == RL_TYPE_FLOAT_LIST) {
        return rl_parse_double(parser, (double *)list->as.numbers + i);
    }
    if (schema->list_elements_optional && rl_lexer_is_word(&parser->lexer, "None")) {
        rl_lexer_advance(&parser->lexer);
        return RL_OK;
    }
    return parse_value(parser, &list->as.values[i]);
}

// At most as many items as there are commas up to the end of the list.
static int count_items(const struct rl_parser *parser)
{
    int count = 1;
    for (const char *c = parser->lexer.next; *c != '\0' && *c != ']'; c++) {
        count += *c == ',' ? 1 : 0;
    }
    return count;
}

static enum rl_status parse_list(struct rl_parser *parser, const struct rl_op_arg *schema, struct rl_arg *arg)
{
    const int capacity = count_items(parser);
    const enum rl_status start = rl_parse_mark(parser, '[');
    if (start != RL_OK) {
        return start;
    }
    if (schema->type == RL_TYPE_INT_LIST) {
        arg->kind = RL_ARG_INTS;
        arg->as.integers = rl_arena_array(parser->arena, (size_t)capacity, sizeof(int64_t));
    } else if (schema->type == RL_TYPE_FLOAT_LIST) {
        arg->kind = RL_ARG_DOUBLES;
        arg->as.numbers = rl_arena_array(parser->arena, (size_t)capacity, sizeof(double));
    } else {
        arg->kind = RL_ARG_VALUES;
        arg->as.values = rl_arena_array(parser->arena, (size_t)capacity, sizeof(struct rl_value *));
    }
    bool more = true;
    while (more) {
        enum rl_status status = rl_parse_next(parser, ']', arg->count, &more);
        if (status == RL_OK && more) {
            status = parse_item(parser, schema, arg, capacity);
        }
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

// ---- scalars

static enum rl_status parse_bool(struct rl_parser *parser, struct rl_arg *arg)
{
    const bool is_true = rl_lexer_is_word(&parser->lexer, "True");
    if (!is_true && !rl_lexer_is_word(&parser->lexer, "False")) {
        return rl_lexer_expected(&parser->lexer, "True or False");
    }
    rl_lexer_advance(&parser->lexer);
    *arg = rl_arg_bool(is_true);
    return RL_OK;
}

static enum rl_status parse_double(struct rl_parser *parser, struct rl_arg *arg)
{
    double number = 0.0;
    const enum rl_status status = rl_parse_double(parser, &number);
    *arg = rl_arg_double(number);
    return status;
}

static enum rl_status parse_int(struct rl_parser *parser, struct rl_arg *arg)
{
    int64_t integer = 0;
    const enum rl_status status = rl_parse_integer(parser, &integer);
    *arg = rl_arg_int(integer);
    return status;
}

// A number is an integer unless it has a point, an exponent or no end.
static enum rl_status parse_scalar(struct rl_parser *parser, struct rl_arg *arg)
{
    const struct rl_token *token = &parser->lexer.token;
    if (rl_lexer_is_word(&parser->lexer, "True") || rl_lexer_is_word(&parser->lexer, "False")) {
        return parse_bool(parser, arg);
    }
    const size_t plain = strspn(token->start, "+-0123456789");
    return token->kind == RL_TOKEN_NUMBER && plain >= token->length ? parse_int(parser, arg)
                                                                    : parse_double(parser, arg);
}

static enum rl_status parse_enum(struct rl_parser *parser, enum rl_arg_type type, struct rl_arg *arg)
{
    const struct rl_token *token = &parser->lexer.token;
    enum rl_scalar_type dtype;
    int64_t format;
    if (type == RL_TYPE_DTYPE) {
        if (token->kind != RL_TOKEN_WORD || !rl_text_find_dtype(token->start, token->length, &dtype)) {
            return rl_lexer_expected(&parser->lexer, "a type (f32, i8, ...)");
        }
        *arg = rl_arg_int(dtype);
    } else {
        if (token->kind != RL_TOKEN_WORD || !rl_text_find_memory_format(token->start, token->length, &format)) {
            return rl_lexer_expected(&parser->lexer, "contiguous, preserve, channels_last or channels_last_3d");
        }
        *arg = rl_arg_int(format);
    }
    rl_lexer_advance(&parser->lexer);
    return RL_OK;
}

static enum rl_status parse_string(struct rl_parser *parser, struct rl_arg *arg)
{
    if (parser->lexer.token.kind != RL_TOKEN_STRING) {
        return rl_lexer_expected(&parser->lexer, "a string");
    }
    *arg = rl_arg_string(parser->arena, rl_lexer_name(&parser->lexer));
    rl_lexer_advance(&parser->lexer);
    return RL_OK;
}

static enum rl_status parse_layout(struct rl_parser *parser, struct rl_arg *arg)
{
    const enum rl_status status = parse_int(parser, arg);
    return status == RL_OK && arg->as.integer != 0 ? rl_lexer_refuse(&parser->lexer, "the only layout is 0, strided")
                                                   : status;
}

static enum rl_status parse_argument(struct rl_parser *parser, const struct rl_op_arg *schema, struct rl_arg *arg)
{
    struct rl_value *value = NULL;
    enum rl_status status;
    if (rl_lexer_is_word(&parser->lexer, "None") && (schema->optional || schema->type == RL_TYPE_SCRATCH)) {
        rl_lexer_advance(&parser->lexer);
        return RL_OK;
    }
    switch (schema->type) {
    case RL_TYPE_TENSOR:
        status = parse_value(parser, &value);
        *arg = rl_arg_value(value);
        return status;
    case RL_TYPE_SCRATCH:
        return parse_scratch(parser, arg);
    case RL_TYPE_TENSOR_LIST:
    case RL_TYPE_INT_LIST:
    case RL_TYPE_FLOAT_LIST:
        return parse_list(parser, schema, arg);
    case RL_TYPE_INT:
        return parse_int(parser, arg);
    case RL_TYPE_FLOAT:
        return parse_double(parser, arg);
    case RL_TYPE_BOOL:
        return parse_bool(parser, arg);
    case RL_TYPE_SCALAR:
        return parse_scalar(parser, arg);
    case RL_TYPE_DTYPE:
    case RL_TYPE_MEMORY_FORMAT:
        return parse_enum(parser, schema->type, arg);
    case RL_TYPE_LAYOUT:
        return parse_layout(parser, arg);
    case RL_TYPE_STRING:
    case RL_TYPE_DEVICE:
        break;
    }
    return parse_string(parser, arg);
}

// ---- all arguments

static int find_argument(const struct rl_op *op, const struct rl_token *token)
{
    for (int i = 0; i < op->arg_count && token->kind == RL_TOKEN_WORD; i++) {
        if (strlen(op->args[i].name) == token->length && memcmp(op->args[i].name, token->start, token->length) == 0) {
            return i;
        }
    }
    return -1;
}

static enum rl_status parse_named(struct rl_parser *parser, struct rl_node *node, bool given[MAX_ARGUMENTS])
{
    const struct rl_op *op = rl_op_get(node->op);
    const int index = find_argument(op, &parser->lexer.token);
    if (index < 0 || index >= MAX_ARGUMENTS || given[index]) {
        char schema[512];
        rl_op_schema(node->op, schema, sizeof schema);
        return rl_lexer_expected(&parser->lexer, rl_arena_format(parser->arena, "an argument of %s", schema));
    }
    given[index] = true;
    rl_lexer_advance(&parser->lexer);
    const enum rl_status status = rl_parse_mark(parser, '=');
    if (status != RL_OK) {
        return status;
    }
    return parse_argument(parser, &op->args[index], &node->args[index]);
}

enum rl_status rl_parse_arguments(struct rl_parser *parser, struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    bool given[MAX_ARGUMENTS] = {false};
    bool more = true;
    for (int i = 0; more; i++) {
        enum rl_status status = rl_parse_next(parser, ')', i, &more);
        if (status == RL_OK && more) {
            status = parse_named(parser, node, given);
        }
        if (status != RL_OK) {
            return status;
        }
    }
    for (int i = 0; i < op->arg_count && i < MAX_ARGUMENTS; i++) {
        if (given[i] || op->args[i].type == RL_TYPE_SCRATCH) {
            continue;
        }
        if (!op->args[i].default_text) {
            return rl_lexer_refuse(&parser->lexer, rl_arena_format(parser->arena, "argument '%s' of '%s' is missing",
                                                                   op->args[i].name, op->name));
        }
        node->args[i] = rl_arg_default(parser->arena, &op->args[i]);
    }
    return RL_OK;
}
