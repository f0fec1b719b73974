// SPDX-License-Identifier: Apache-2.0
// Marks, numbers and types in the text form of graphs.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/parser.h"
#include "compiler/ir/text.h"

enum rl_status rl_parse_mark(struct rl_parser *parser, char mark)
{
    if (!rl_lexer_is_mark(&parser->lexer, mark)) {
        const char expected[] = {'\'', mark, '\'', '\0'};
        return rl_lexer_expected(&parser->lexer, expected);
    }
    rl_lexer_advance(&parser->lexer);
    return RL_OK;
}

enum rl_status rl_parse_next(struct rl_parser *parser, char end, int index, bool *more)
{
    *more = false;
    if (rl_lexer_is_mark(&parser->lexer, end)) {
        rl_lexer_advance(&parser->lexer);
        return RL_OK;
    }
    if (index > 0) {
        if (!rl_lexer_is_mark(&parser->lexer, ',')) {
            const char expected[] = {'\'', ',', '\'', ' ', 'o', 'r', ' ', '\'', end, '\'', '\0'};
            return rl_lexer_expected(&parser->lexer, expected);
        }
        rl_lexer_advance(&parser->lexer);
    }
    *more = true;
    return RL_OK;
}

// The 64 bits of the integer in a NUMBER token, which must lie in lowest..highest.
static bool integer_in_token(const struct rl_token *token, int64_t lowest, uint64_t highest, uint64_t *bits)
{
    const char *digits = token->start + (*token->start == '-' || *token->start == '+');
    const int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
    char *end;
    errno = 0;
    const unsigned long long magnitude = strtoull(digits, &end, base);
    if (token->kind != RL_TOKEN_NUMBER || end != token->start + token->length || errno != 0) {
        return false;
    }
    if (*token->start == '-') {
        *bits = 0 - (uint64_t)magnitude;
        return lowest < 0 && magnitude <= 0 - (uint64_t)lowest;
    }
    *bits = magnitude;
    return magnitude <= highest;
}

enum rl_status rl_parse_integer(struct rl_parser *parser, int64_t *integer)
{
    uint64_t bits;
    if (!integer_in_token(&parser->lexer.token, INT64_MIN, INT64_MAX, &bits)) {
        return rl_lexer_expected(&parser->lexer, "an integer");
    }
    memcpy(integer, &bits, sizeof bits);
    rl_lexer_advance(&parser->lexer);
    return RL_OK;
}

// nan(0xBITS): the bits of a number of `size` bytes.
static enum rl_status parse_nan(struct rl_parser *parser, size_t size, unsigned char *element)
{
    rl_lexer_advance(&parser->lexer);
    const enum rl_status status = rl_parse_mark(parser, '(');
    if (status != RL_OK) {
        return status;
    }
    uint64_t bits;
    if (!integer_in_token(&parser->lexer.token, 0, size == 4 ? UINT32_MAX : UINT64_MAX, &bits)) {
        return rl_lexer_expected(&parser->lexer, "the bits of a NaN, like 0x7fc00000");
    }
    memcpy(element, &bits, size);
    rl_lexer_advance(&parser->lexer);
    return rl_parse_mark(parser, ')');
}

static enum rl_status parse_real(struct rl_parser *parser, size_t size, unsigned char *element)
{
    struct rl_lexer *lexer = &parser->lexer;
    if (rl_lexer_is_word(lexer, "nan")) {
        return parse_nan(parser, size, element);
    }
    char *end;
    const double number = strtod(lexer->token.start, &end);
    const bool is_number = lexer->token.kind == RL_TOKEN_NUMBER || rl_lexer_is_word(lexer, "inf");
    if (!is_number || end != lexer->token.start + lexer->token.length) {
        return rl_lexer_expected(lexer, "a number");
    }
    // Converts the decimal to single precision at once, because rounding twice can give another number.
    const float single = strtof(lexer->token.start, &end);
    if (size == 4) {
        memcpy(element, &single, sizeof single);
    } else {
        memcpy(element, &number, sizeof number);
    }
    rl_lexer_advance(lexer);
    return RL_OK;
}

enum rl_status rl_parse_double(struct rl_parser *parser, double *number)
{
    unsigned char element[sizeof *number];
    const enum rl_status status = parse_real(parser, sizeof *number, element);
    if (status == RL_OK) {
        memcpy(number, element, sizeof *number);
    }
    return status;
}

enum rl_status rl_parse_element(struct rl_parser *parser, enum rl_scalar_type dtype, unsigned char *element)
{
    const size_t size = rl_scalar_size((int)dtype);
    if (dtype == RL_FLOAT32 || dtype == RL_FLOAT64) {
        return parse_real(parser, size, element);
    }
    const bool is_signed = dtype == RL_INT8 || dtype == RL_INT16 || dtype == RL_INT32 || dtype == RL_INT64;
    const int value_bits = (int)size * 8 - (is_signed ? 1 : 0);
    const uint64_t highest = value_bits == 64 ? UINT64_MAX : (UINT64_C(1) << value_bits) - 1;
    const int64_t lowest = is_signed ? (int64_t)(-(int64_t)highest - 1) : 0;
    uint64_t bits;
    if (!integer_in_token(&parser->lexer.token, lowest, dtype == RL_BOOL ? 1 : highest, &bits)) {
        return rl_lexer_expected(&parser->lexer,
                                 rl_arena_format(parser->arena, "an integer that fits %s", rl_text_dtype(dtype)));
    }
    memcpy(element, &bits, size);
    rl_lexer_advance(&parser->lexer);
    return RL_OK;
}

static enum rl_status parse_sizes(struct rl_parser *parser, char end, int *count, int64_t items[RL_MAX_RANK])
{
    bool more = true;
    for (int i = 0; more; i++) {
        enum rl_status status = rl_parse_next(parser, end, i, &more);
        if (status == RL_OK && more && i == RL_MAX_RANK) {
            status = rl_lexer_refuse(&parser->lexer, "more dimensions than a tensor can have");
        }
        if (status == RL_OK && more) {
            status = rl_parse_integer(parser, &items[i]);
        }
        if (status != RL_OK) {
            return status;
        }
        *count = i + (more ? 1 : 0);
    }
    return RL_OK;
}

// `(0,2,3,1)` behind a word. An order of another rank gets an impossible dimension.
static enum rl_status parse_dims(struct rl_parser *parser, int rank, uint8_t dims[RL_MAX_RANK])
{
    int64_t items[RL_MAX_RANK];
    int count = 0;
    rl_lexer_advance(&parser->lexer);
    enum rl_status status = rl_parse_mark(parser, '(');
    if (status == RL_OK) {
        status = parse_sizes(parser, ')', &count, items);
    }
    if (status != RL_OK) {
        return status;
    }
    for (int i = 0; i < rank; i++) {
        dims[i] = i < count && items[i] >= 0 && items[i] < RL_MAX_RANK ? (uint8_t)items[i] : RL_MAX_RANK;
    }
    dims[0] = count == rank ? dims[0] : RL_MAX_RANK;
    return RL_OK;
}

enum rl_status rl_parse_type(struct rl_parser *parser, struct rl_tensor_type *type)
{
    enum rl_scalar_type dtype;
    int64_t items[RL_MAX_RANK];
    int rank = 0;
    const struct rl_token start = parser->lexer.token;
    if (start.kind != RL_TOKEN_WORD || !rl_text_find_dtype(start.start, start.length, &dtype)) {
        return rl_lexer_expected(&parser->lexer,
                                 "a type (f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64 or bool)");
    }
    rl_lexer_advance(&parser->lexer);
    enum rl_status status = rl_parse_mark(parser, '[');
    if (status == RL_OK) {
        status = parse_sizes(parser, ']', &rank, items);
    }
    if (status != RL_OK) {
        return status;
    }
    *type = rl_tensor_type_make(dtype, rank, items);
    if (rl_lexer_is_word(&parser->lexer, "order")) {
        status = parse_dims(parser, rank, type->order);
        if (status != RL_OK) {
            return status;
        }
    }
    if (!rl_tensor_type_is_valid(type)) {
        return rl_lexer_refuse(&parser->lexer, "the type before this has impossible sizes or a wrong order");
    }
    return RL_OK;
}

enum rl_status rl_parse_turned(struct rl_parser *parser, struct rl_value *value)
{
    if (!rl_lexer_is_word(&parser->lexer, "turned")) {
        return RL_OK;
    }
    value->is_turned = true;
    const enum rl_status status = parse_dims(parser, value->type.rank, value->shown);
    if (status == RL_OK && !rl_value_turns(value)) {
        return rl_lexer_refuse(&parser->lexer, "the value before this is not row-major, or turned in a wrong way");
    }
    return status;
}
