// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHOWN = 100 }; // characters of a line in a message

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#') {
            return text;
        }
        text += strcspn(text, "\n");
    }
}

static const char *end_of_word(const char *text)
{
    for (;;) {
        while (is_word_character(*text)) {
            text++;
        }
        if (text[0] == '.' && is_word_character(text[1])) {
            text++;
        } else if (text[0] == ':' && text[1] == ':' && is_word_character(text[2])) {
            text += 2;
        } else {
            return text;
        }
    }
}

static const char *end_of_number(const char *text)
{
    text++;
    while (is_word_character(*text) || *text == '.' || ((*text == '-' || *text == '+') && tolower(text[-1]) == 'e')) {
        text++;
    }
    return text;
}

// NULL when the string does not end in its line.
static const char *end_of_string(const char *text)
{
    for (text++; *text != '"'; text++) {
        if (*text == '\\' && text[1] != '\0') {
            text++;
        }
        if (*text == '\0' || *text == '\n') {
            return NULL;
        }
    }
    return text + 1;
}

static const char *end_of_name(const char *text)
{
    if (*text == '"') {
        return end_of_string(text);
    }
    const char *end = text;
    while (is_word_character(*end)) {
        end++;
    }
    return end > text ? end : NULL;
}

void rl_lexer_advance(struct rl_lexer *lexer)
{
    const char *start = skip_blanks(lexer->next);
    const char *end = start + 1;
    enum rl_token_kind kind = RL_TOKEN_WRONG;
    if (*start == '\0') {
        kind = RL_TOKEN_END;
        end = start;
    } else if (*start == '%') {
        kind = RL_TOKEN_VALUE;
        end = end_of_name(start + 1);
    } else if (*start == '"') {
        kind = RL_TOKEN_STRING;
        end = end_of_string(start);
    } else if (isdigit((unsigned char)*start) || *start == '-' || *start == '+') {
        kind = RL_TOKEN_NUMBER;
        end = end_of_number(start);
    } else if (is_word_character(*start)) {
        kind = RL_TOKEN_WORD;
        end = end_of_word(start);
    } else if (strchr("()[],=:@", *start)) {
        kind = RL_TOKEN_MARK;
    }
    if (!end) {
        kind = RL_TOKEN_WRONG;
        end = start + 1;
    }
    lexer->token = (struct rl_token){.kind = kind, .start = start, .length = (size_t)(end - start)};
    lexer->next = end;
}

void rl_lexer_start(struct rl_lexer *lexer, struct rl_context *context, struct rl_arena *arena, const char *text,
                    const char *source)
{
    *lexer = (struct rl_lexer){
        .context = context, .arena = arena, .source = source, .text = text, .end = text + strlen(text), .next = text};
    rl_lexer_advance(lexer);
}

bool rl_lexer_is_mark(const struct rl_lexer *lexer, char mark)
{
    return lexer->token.kind == RL_TOKEN_MARK && *lexer->token.start == mark;
}

bool rl_lexer_is_word(const struct rl_lexer *lexer, const char *word)
{
    return lexer->token.kind == RL_TOKEN_WORD && strlen(word) == lexer->token.length &&
           memcmp(lexer->token.start, word, lexer->token.length) == 0;
}

// The character of an escape that starts after the backslash; *text moves to its last character.
static char unescape(const char **text)
{
    const char *c = *text;
    if (c[0] == 'x' && isxdigit((unsigned char)c[1]) && isxdigit((unsigned char)c[2])) {
        const char digits[3] = {c[1], c[2], '\0'};
        *text = c + 2;
        return (char)strtol(digits, NULL, 16);
    }
    return *c;
}

const char *rl_lexer_name(const struct rl_lexer *lexer)
{
    const char *start = lexer->token.start + (lexer->token.kind == RL_TOKEN_VALUE ? 1 : 0);
    const char *end = lexer->token.start + lexer->token.length;
    if (*start != '"') {
        return rl_arena_format(lexer->arena, "%.*s", (int)(end - start), start);
    }
    char *name = rl_arena_alloc(lexer->arena, (size_t)(end - start));
    size_t length = 0;
    for (const char *c = start + 1; c < end - 1; c++) {
        if (*c == '\\') {
            c++;
            name[length++] = unescape(&c);
        } else {
            name[length++] = *c;
        }
    }
    return name;
}

static const char *describe_token(const struct rl_lexer *lexer)
{
    if (lexer->token.kind == RL_TOKEN_END) {
        return "the end of the text";
    }
    const size_t length = lexer->token.length < 40 ? lexer->token.length : 40;
    return rl_arena_format(lexer->arena, "'%.*s'", (int)length, lexer->token.start);
}

enum rl_status rl_lexer_refuse(const struct rl_lexer *lexer, const char *sentence)
{
    const char *place = lexer->token.start;
    const char *line = lexer->text;
    int number = 1;
    for (const char *c = lexer->text; c < place; c++) {
        if (*c == '\n') {
            line = c + 1;
            number++;
        }
    }
    // A long line is shown from a point somewhat before the token.
    const int column = (int)(place - line);
    const int first = column > MAX_SHOWN / 2 ? column - MAX_SHOWN / 2 : 0;
    const int length = (int)strcspn(line + first, "\n");
    return rl_fail(lexer->context, RL_ERROR_FORMAT, "%s:%d:%d: %s\n%.*s\n%*s^", lexer->source, number, column + 1,
                   sentence, length < MAX_SHOWN ? length : MAX_SHOWN, line + first, column - first, "");
}

enum rl_status rl_lexer_expected(const struct rl_lexer *lexer, const char *expected)
{
    return rl_lexer_refuse(lexer,
                           rl_arena_format(lexer->arena, "expected %s, found %s", expected, describe_token(lexer)));
}
