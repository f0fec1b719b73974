// SPDX-License-Identifier: Apache-2.0
//
// The functions that the files of the graph parser share. Each starts at the current token, and moves past its own.
#ifndef RL_COMPILER_IR_PARSER_H
#define RL_COMPILER_IR_PARSER_H

#include "compiler/ir/lexer.h"
#include "compiler/support/name_map.h"

// A state of the graph. Until the end of the text it is among the constants.
struct rl_parsed_state {
    struct rl_value *value, *next_value; // the latter is NULL without a `next` statement
    struct rl_parsed_state *next;
};

struct rl_parser {
    struct rl_lexer lexer;
    struct rl_arena *arena;
    struct rl_graph *graph;
    struct rl_name_map values; // struct rl_value by name
    struct rl_name_map nodes;  // struct rl_node by name
    struct rl_value **constants_end;
    struct rl_parsed_state *states, **states_end;
};

// ---- parse_words.c

enum rl_status rl_parse_mark(struct rl_parser *parser, char mark);
enum rl_status rl_parse_integer(struct rl_parser *parser, int64_t *integer);
// A decimal number, inf, or nan(0xBITS).
enum rl_status rl_parse_double(struct rl_parser *parser, double *number);
// One element of a constant.
enum rl_status rl_parse_element(struct rl_parser *parser, enum rl_scalar_type dtype, unsigned char *element);
enum rl_status rl_parse_type(struct rl_parser *parser, struct rl_tensor_type *type);
// `turned(0,2,3,1)` behind the type of a result, if it is there.
enum rl_status rl_parse_turned(struct rl_parser *parser, struct rl_value *value);
// Reads `, item` up to and including the mark that ends the list; *more says whether an item follows.
enum rl_status rl_parse_next(struct rl_parser *parser, char end, int index, bool *more);

// ---- parse_arguments.c

// `name=value, ...)` in any order; arguments with a default may be missing.
enum rl_status rl_parse_arguments(struct rl_parser *parser, struct rl_node *node);

// ---- parse.c

enum rl_status rl_parse_define(struct rl_parser *parser, struct rl_value *value);

#endif
