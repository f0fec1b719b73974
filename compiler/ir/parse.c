// SPDX-License-Identifier: Apache-2.0
// Graphs from text (docs/ir.md).
#include <ctype.h>
#include <string.h>

#include "compiler/ir/parser.h"
#include "compiler/ir/text.h"

enum { MAX_CONSTANT_BYTES = 1 << 30, MAX_RESULTS = 4096 };

enum rl_status rl_parse_define(struct rl_parser *parser, struct rl_value *value)
{
    if (!rl_name_map_add(&parser->values, value->name, value)) {
        return rl_lexer_expected(&parser->lexer, "a name that is not taken");
    }
    return RL_OK;
}

// %name, not yet taken
static enum rl_status parse_new_name(struct rl_parser *parser, const char **name)
{
    if (parser->lexer.token.kind != RL_TOKEN_VALUE) {
        return rl_lexer_expected(&parser->lexer, "a name (%name)");
    }
    *name = rl_lexer_name(&parser->lexer);
    if (rl_name_map_find(&parser->values, *name)) {
        return rl_lexer_expected(&parser->lexer, "a name that is not taken");
    }
    rl_lexer_advance(&parser->lexer);
    return RL_OK;
}

// %name : type
static enum rl_status parse_declaration(struct rl_parser *parser, const char **name, struct rl_tensor_type *type)
{
    enum rl_status status = parse_new_name(parser, name);
    if (status == RL_OK) {
        status = rl_parse_mark(parser, ':');
    }
    if (status != RL_OK) {
        return status;
    }
    status = rl_parse_type(parser, type);
    if (status == RL_OK && type->dtype == RL_COMPLEX64) {
        return rl_lexer_refuse(&parser->lexer, "only results of nodes may have complex numbers");
    }
    return status;
}

static enum rl_status parse_input(struct rl_parser *parser)
{
    const char *name = "";
    struct rl_tensor_type type;
    const enum rl_status status = parse_declaration(parser, &name, &type);
    if (status != RL_OK) {
        return status;
    }
    return rl_parse_define(parser, rl_graph_add_input(parser->graph, name, &type));
}

// ---- constants

static enum rl_status parse_elements(struct rl_parser *parser, const struct rl_tensor_type *type, unsigned char *data)
{
    const int64_t count = rl_tensor_numel(type);
    const size_t element = rl_scalar_size((int)type->dtype);
    bool more = true;
    for (int i = 0; more; i++) {
        enum rl_status status = rl_parse_next(parser, ']', i, &more);
        if (status == RL_OK && (more ? i >= count : i != count)) {
            return rl_lexer_refuse(&parser->lexer, rl_arena_format(parser->arena, "the type has %lld elements, not %s",
                                                                   (long long)count, more ? "more" : "fewer"));
        }
        if (status == RL_OK && more) {
            status = rl_parse_element(parser, type->dtype, data + (size_t)i * element);
        }
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

// fill(element)
static enum rl_status parse_fill(struct rl_parser *parser, const struct rl_tensor_type *type, unsigned char *data)
{
    rl_lexer_advance(&parser->lexer);
    unsigned char value[8];
    enum rl_status status = rl_parse_mark(parser, '(');
    if (status == RL_OK) {
        status = rl_parse_element(parser, type->dtype, value);
    }
    if (status == RL_OK) {
        status = rl_parse_mark(parser, ')');
    }
    const size_t element = rl_scalar_size((int)type->dtype);
    const int64_t count = status == RL_OK ? rl_tensor_numel(type) : 0;
    for (int64_t i = 0; i < count; i++) {
        memcpy(data + (size_t)i * element, value, element);
    }
    return status;
}

static enum rl_status parse_constant(struct rl_parser *parser)
{
    const char *name = "";
    struct rl_tensor_type type;
    const enum rl_status status = parse_declaration(parser, &name, &type);
    if (status != RL_OK) {
        return status;
    }
    struct rl_value *value = rl_arena_alloc(parser->arena, sizeof *value);
    value->kind = RL_VALUE_CONSTANT;
    value->name = name;
    value->type = type;
    *parser->constants_end = value;
    parser->constants_end = &value->next;
    rl_name_map_add(&parser->values, name, value);
    if (!rl_lexer_is_mark(&parser->lexer, '=')) {
        return RL_OK; // its data come in a `data` statement
    }
    if (rl_tensor_bytes(&type) > MAX_CONSTANT_BYTES) {
        return rl_lexer_refuse(&parser->lexer, "a constant of more than 1 GiB");
    }
    rl_lexer_advance(&parser->lexer);
    unsigned char *data = rl_arena_alloc(parser->arena, rl_tensor_bytes(&type));
    value->data = data;
    if (rl_lexer_is_word(&parser->lexer, "fill")) {
        return parse_fill(parser, &type, data);
    }
    if (!rl_lexer_is_mark(&parser->lexer, '[')) {
        return rl_lexer_expected(&parser->lexer, "'[' or fill(...)");
    }
    rl_lexer_advance(&parser->lexer);
    return parse_elements(parser, &type, data);
}

// Declared like a constant, with its first value.
static enum rl_status parse_state(struct rl_parser *parser)
{
    struct rl_value **place = parser->constants_end;
    const enum rl_status status = parse_constant(parser);
    if (status != RL_OK) {
        return status;
    }
    struct rl_parsed_state *state = rl_arena_alloc(parser->arena, sizeof *state);
    state->value = *place;
    *parser->states_end = state;
    parser->states_end = &state->next;
    return RL_OK;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(digits, tolower((unsigned char)c)) : NULL;
    return found ? (int)(found - digits) : -1;
}

// Bytes as pairs of hexadecimal digits, blanks anywhere between pairs. Advances to the first token after them.
static enum rl_status parse_hex(struct rl_parser *parser, unsigned char *data, size_t bytes)
{
    const char *text = parser->lexer.next;
    for (size_t i = 0; i < bytes; i++) {
        text += strspn(text, " \t\r\n");
        const int high = hex_digit(text[0]);
        const int low = high >= 0 ? hex_digit(text[1]) : -1;
        if (low < 0) {
            parser->lexer.next = text;
            rl_lexer_advance(&parser->lexer);
            return rl_lexer_expected(
                &parser->lexer, rl_arena_format(parser->arena, "two hexadecimal digits (byte %zu of %zu)", i, bytes));
        }
        data[i] = (unsigned char)(high << 4 | low);
        text += 2;
    }
    parser->lexer.next = text;
    rl_lexer_advance(&parser->lexer);
    return RL_OK;
}

static enum rl_status parse_data(struct rl_parser *parser)
{
    struct rl_value *value = NULL;
    if (parser->lexer.token.kind == RL_TOKEN_VALUE) {
        value = rl_name_map_find(&parser->values, rl_lexer_name(&parser->lexer));
    }
    if (!value || value->kind != RL_VALUE_CONSTANT || value->data) {
        return rl_lexer_expected(&parser->lexer, "a constant without data");
    }
    const size_t bytes = rl_tensor_bytes(&value->type);
    if (bytes > (size_t)(parser->lexer.end - parser->lexer.next) / 2) {
        return rl_lexer_refuse(&parser->lexer, "the text is shorter than the data of this constant");
    }
    unsigned char *data = rl_arena_alloc(parser->arena, bytes);
    value->data = data;
    return parse_hex(parser, data, bytes);
}

// ---- nodes

// %a, %b =
static enum rl_status parse_result_names(struct rl_parser *parser, const char **names, int *count)
{
    *count = 0;
    while (parser->lexer.token.kind == RL_TOKEN_VALUE) {
        if (*count == MAX_RESULTS) {
            return rl_lexer_refuse(&parser->lexer, "too many results");
        }
        const enum rl_status status = parse_new_name(parser, &names[*count]);
        if (status != RL_OK) {
            return status;
        }
        ++*count;
        if (!rl_lexer_is_mark(&parser->lexer, ',')) {
            return rl_parse_mark(parser, '=');
        }
        rl_lexer_advance(&parser->lexer);
    }
    return *count > 0 ? rl_lexer_expected(&parser->lexer, "a name (%name)") : RL_OK;
}

// namespace::name.overload
static enum rl_status parse_operator(struct rl_parser *parser, enum rl_op_id *op)
{
    const struct rl_token token = parser->lexer.token;
    char *name = rl_arena_format(parser->arena, "%.*s", (int)token.length, token.start);
    char *dot = strrchr(name, '.');
    if (dot) {
        *dot = '\0';
    }
    if (token.kind != RL_TOKEN_WORD || !dot || !rl_op_find(name, dot + 1, op)) {
        return rl_lexer_expected(&parser->lexer, "an operator of rushlight/ops.def, like aten::relu.default");
    }
    rl_lexer_advance(&parser->lexer);
    return RL_OK;
}

struct named_text {
    const char *name;
    const char **text;
};

// One of the names, then its text.
static enum rl_status parse_named_text(struct rl_parser *parser, const struct named_text *texts, int count,
                                       const char *expected)
{
    for (int i = 0; i < count; i++) {
        if (!rl_lexer_is_word(&parser->lexer, texts[i].name)) {
            continue;
        }
        rl_lexer_advance(&parser->lexer);
        if (parser->lexer.token.kind != RL_TOKEN_WORD && parser->lexer.token.kind != RL_TOKEN_STRING) {
            return rl_lexer_expected(&parser->lexer, "a name or a string");
        }
        *texts[i].text = rl_lexer_name(&parser->lexer);
        rl_lexer_advance(&parser->lexer);
        return RL_OK;
    }
    return rl_lexer_expected(&parser->lexer, expected);
}

// @node name, @origin name, @layer "path", @reason "sentence"
static enum rl_status parse_attribute(struct rl_parser *parser, struct rl_node *node)
{
    const struct named_text texts[] = {
        {"node", &node->name}, {"origin", &node->origin}, {"layer", &node->layer}, {"reason", &node->reason}};
    rl_lexer_advance(&parser->lexer);
    return parse_named_text(parser, texts, sizeof texts / sizeof *texts, "node, origin, layer or reason");
}

static enum rl_status parse_result_types(struct rl_parser *parser, struct rl_node *node)
{
    for (int i = 0; i < node->result_count; i++) {
        enum rl_status status = rl_parse_mark(parser, i == 0 ? ':' : ',');
        if (status == RL_OK) {
            status = rl_parse_type(parser, &node->results[i]->type);
        }
        if (status == RL_OK) {
            status = rl_parse_turned(parser, node->results[i]);
        }
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

static enum rl_status finish_node(struct rl_parser *parser, struct rl_node *node)
{
    node->origin = NULL;
    while (rl_lexer_is_mark(&parser->lexer, '@')) {
        const enum rl_status status = parse_attribute(parser, node);
        if (status != RL_OK) {
            return status;
        }
    }
    if (!node->name || !rl_name_map_add(&parser->nodes, node->name, node)) {
        return rl_lexer_refuse(&parser->lexer, "the node before this needs a name of its own (@node name)");
    }
    node->origin = node->origin ? node->origin : node->name;
    for (int i = 0; i < node->result_count; i++) {
        const enum rl_status status = rl_parse_define(parser, node->results[i]);
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

static enum rl_status parse_node(struct rl_parser *parser)
{
    const char *names[MAX_RESULTS];
    int count;
    enum rl_op_id id = RL_OP_COUNT;
    enum rl_status status = parse_result_names(parser, names, &count);
    if (status == RL_OK) {
        status = parse_operator(parser, &id);
    }
    if (status != RL_OK) {
        return status;
    }
    const struct rl_op *op = rl_op_get(id);
    if (op->result_count >= 0 && op->result_count != count) {
        return rl_lexer_refuse(&parser->lexer, rl_arena_format(parser->arena, "%s has %d results, not %d", op->name,
                                                               op->result_count, count));
    }
    struct rl_tensor_type *types = rl_arena_array(parser->arena, (size_t)count, sizeof *types);
    struct rl_node *node =
        rl_graph_insert_named(parser->graph, NULL, id, count > 0 ? names[0] : NULL, count, names, types);
    status = rl_parse_mark(parser, '(');
    if (status == RL_OK) {
        status = rl_parse_arguments(parser, node);
    }
    if (status == RL_OK) {
        status = parse_result_types(parser, node);
    }
    if (status != RL_OK) {
        return status;
    }
    return finish_node(parser, node);
}

// ---- the whole

static enum rl_status parse_known_value(struct rl_parser *parser, struct rl_value **value)
{
    *value = NULL;
    if (parser->lexer.token.kind == RL_TOKEN_VALUE) {
        *value = rl_name_map_find(&parser->values, rl_lexer_name(&parser->lexer));
    }
    if (!*value || (*value)->kind == RL_VALUE_SCRATCH) {
        return rl_lexer_expected(&parser->lexer, "a value that is defined before");
    }
    rl_lexer_advance(&parser->lexer);
    return RL_OK;
}

static enum rl_status parse_output(struct rl_parser *parser)
{
    struct rl_value *value;
    const enum rl_status status = parse_known_value(parser, &value);
    if (status == RL_OK) {
        rl_graph_add_output(parser->graph, value);
    }
    return status;
}

// %state %value
static enum rl_status parse_next_value(struct rl_parser *parser)
{
    struct rl_value *value;
    const enum rl_status status = parse_known_value(parser, &value);
    if (status != RL_OK) {
        return status;
    }
    struct rl_parsed_state *state = parser->states;
    while (state && state->value != value) {
        state = state->next;
    }
    return state ? parse_known_value(parser, &state->next_value) : rl_lexer_expected(&parser->lexer, "a state");
}

// A graph of which no state has a next value writes its states itself.
static void finish_states(struct rl_parser *parser)
{
    struct rl_graph *graph = parser->graph;
    bool writes_back = parser->states;
    for (const struct rl_parsed_state *state = parser->states; state; state = state->next) {
        rl_graph_add_state(graph, state->value);
        if (state->next_value) {
            rl_graph_set_next(graph, graph->state_count - 1, state->next_value);
            writes_back = false;
        }
    }
    graph->writes_back = writes_back;
}

static enum rl_status parse_statement(struct rl_parser *parser)
{
    const struct rl_token token = parser->lexer.token;
    if (token.kind == RL_TOKEN_VALUE || (token.kind == RL_TOKEN_WORD && memchr(token.start, ':', token.length))) {
        return parse_node(parser);
    }
    static const char *const keywords[] = {"input", "constant", "state", "output", "next", "data"};
    static enum rl_status (*const parsers[])(struct rl_parser *) = {parse_input,  parse_constant,   parse_state,
                                                                    parse_output, parse_next_value, parse_data};
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (rl_lexer_is_word(&parser->lexer, keywords[i])) {
            rl_lexer_advance(&parser->lexer);
            return parsers[i](parser);
        }
    }
    struct rl_graph *graph = parser->graph;
    const struct named_text texts[] = {
        {"graph", &graph->name}, {"input_tree", &graph->input_tree}, {"output_tree", &graph->output_tree}};
    return parse_named_text(parser, texts, 3,
                            "graph, input, state, constant, a node (%name = ...), output, next or data");
}

static enum rl_status check_data(const struct rl_parser *parser)
{
    for (const struct rl_value *value = parser->graph->constants; value; value = value->next) {
        if (!value->data) {
            return rl_lexer_refuse(&parser->lexer,
                                   rl_arena_format(parser->arena, "constant '%s' has no data", value->name));
        }
    }
    return RL_OK;
}

enum rl_status rl_graph_parse(struct rl_context *context, struct rl_arena *arena, const char *text, const char *source,
                              struct rl_graph **graph)
{
    struct rl_parser parser = {.arena = arena, .values.arena = arena, .nodes.arena = arena};
    parser.graph = rl_graph_new(arena, "forward", source);
    parser.constants_end = &parser.graph->constants;
    parser.states_end = &parser.states;
    rl_lexer_start(&parser.lexer, context, arena, text, source);
    enum rl_status status = RL_OK;
    while (status == RL_OK && parser.lexer.token.kind != RL_TOKEN_END) {
        status = parse_statement(&parser);
    }
    if (status == RL_OK) {
        status = check_data(&parser);
    }
    if (status == RL_OK) {
        finish_states(&parser);
        status = rl_graph_verify(context, parser.graph, "parsing");
    }
    *graph = status == RL_OK ? parser.graph : NULL;
    return status;
}
