// SPDX-License-Identifier: Apache-2.0
//
// Tokens of the text form of graphs, and messages that point at them.
#ifndef RL_COMPILER_IR_LEXER_H
#define RL_COMPILER_IR_LEXER_H

#include "compiler/ir/graph.h"

enum rl_token_kind {
    RL_TOKEN_END,
    RL_TOKEN_WORD,   // conv2d, aten::conv2d.default, True
    RL_TOKEN_VALUE,  // %name, %"any name"
    RL_TOKEN_NUMBER, // -1, 0x1f, 1e-5, -inf
    RL_TOKEN_STRING, // "..." with \", \\ and \xNN
    RL_TOKEN_MARK,   // one of ( ) [ ] , = : @
    RL_TOKEN_WRONG   // any other character, or a string without an end
};

struct rl_token {
    enum rl_token_kind kind;
    const char *start;
    size_t length;
};

struct rl_lexer {
    struct rl_context *context;
    struct rl_arena *arena;
    const char *source;    // file name, for messages
    const char *text;      // a string
    const char *end;       // its zero
    const char *next;      // where reading goes on
    struct rl_token token; // the current one
};

// Starts at the first token of `text`.
void rl_lexer_start(struct rl_lexer *lexer, struct rl_context *context, struct rl_arena *arena, const char *text,
                    const char *source);
void rl_lexer_advance(struct rl_lexer *lexer);

bool rl_lexer_is_mark(const struct rl_lexer *lexer, char mark);
bool rl_lexer_is_word(const struct rl_lexer *lexer, const char *word);

// The name in a WORD, VALUE or STRING token, escapes resolved.
const char *rl_lexer_name(const struct rl_lexer *lexer);

// Records "source:line:column: expected A, found B" with the line and a caret. Returns RL_ERROR_FORMAT.
enum rl_status rl_lexer_expected(const struct rl_lexer *lexer, const char *expected);

// The same place and line with a whole sentence.
enum rl_status rl_lexer_refuse(const struct rl_lexer *lexer, const char *sentence);

#endif
