// SPDX-License-Identifier: Apache-2.0
// Sizes as expressions of symbols, as sympy's srepr writes them: "Mul(Integer(8), Symbol('s16', positive=True))".
#include <ctype.h>
#include <string.h>

#include "compiler/read/reader.h"

enum { MAX_DEPTH = 64 };

struct parser {
    const struct rl_pt2_reader *reader;
    const char *next;
    const char *unknown; // name of the first symbol without a value
};

static bool take(struct parser *p, const char *text)
{
    p->next += strspn(p->next, " ");
    const size_t length = strlen(text);
    if (strncmp(p->next, text, length) != 0) {
        return false;
    }
    p->next += length;
    return true;
}

static bool fits_product(int64_t a, int64_t b)
{
    const int64_t size_a = a < 0 ? -a : a;
    const int64_t size_b = b < 0 ? -b : b;
    return a != INT64_MIN && b != INT64_MIN && (size_b == 0 || size_a <= INT64_MAX / size_b);
}

static bool add(int64_t a, int64_t b, int64_t *result)
{
    if ((b > 0 && a > INT64_MAX - b) || (b < 0 && a < INT64_MIN - b)) {
        return false;
    }
    *result = a + b;
    return true;
}

static bool multiply(int64_t a, int64_t b, int64_t *result)
{
    if (!fits_product(a, b)) {
        return false;
    }
    *result = a * b;
    return true;
}

static bool raise(int64_t a, int64_t b, int64_t *result)
{
    *result = 1;
    for (int64_t i = 0; i < b; i++) {
        if (b > 62 || !multiply(*result, a, result)) {
            return false;
        }
    }
    return b >= 0;
}

// Python's //, towards negative infinity.
static bool floor_divide(int64_t a, int64_t b, int64_t *result)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) {
        return false;
    }
    *result = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    return true;
}

static bool ceil_divide(int64_t a, int64_t b, int64_t *result)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) {
        return false;
    }
    *result = a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
    return true;
}

static bool exact_divide(int64_t a, int64_t b, int64_t *result)
{
    return floor_divide(a, b, result) && a % b == 0;
}

static bool modulo(int64_t a, int64_t b, int64_t *result)
{
    if (!floor_divide(a, b, result)) {
        return false;
    }
    *result = a - *result * b;
    return true;
}

static bool higher(int64_t a, int64_t b, int64_t *result)
{
    *result = a > b ? a : b;
    return true;
}

static bool lower(int64_t a, int64_t b, int64_t *result)
{
    *result = a < b ? a : b;
    return true;
}

static const struct {
    const char *start;
    bool (*apply)(int64_t a, int64_t b, int64_t *result);
} functions[] = {{"Add(", add},
                 {"Mul(", multiply},
                 {"Pow(", raise},
                 {"PowByNatural(", raise},
                 {"FloorDiv(", floor_divide},
                 {"CeilDiv(", ceil_divide},
                 {"CleanDiv(", exact_divide},
                 {"Mod(", modulo},
                 {"PythonMod(", modulo},
                 {"Max(", higher},
                 {"Min(", lower}};

// The digits of Integer(-12) and its end.
static bool take_integer(struct parser *p, int64_t *number)
{
    const bool negative = take(p, "-");
    *number = 0;
    if (!isdigit((unsigned char)*p->next)) {
        return false;
    }
    for (; isdigit((unsigned char)*p->next); p->next++) {
        if (!multiply(*number, 10, number) || !add(*number, *p->next - '0', number)) {
            return false;
        }
    }
    *number = negative ? -*number : *number;
    return take(p, ")");
}

// The rest of Symbol('s16', positive=True, integer=True).
static bool take_symbol(struct parser *p, int64_t *number)
{
    const size_t length = strcspn(p->next, "'");
    const char *name = rl_arena_format(p->reader->arena, "%.*s", (int)length, p->next);
    const struct rl_pt2_symbol *symbol = rl_name_map_find(&p->reader->symbols, name);
    p->next += length;
    p->next += strcspn(p->next, ")");
    if (!take(p, ")")) {
        return false;
    }
    if (!symbol || !symbol->is_known) {
        p->unknown = p->unknown ? p->unknown : name;
        *number = 1;
        return true;
    }
    *number = symbol->value;
    return true;
}

static bool take_expression(struct parser *p, int depth, int64_t *number);

// The arguments of a function; the first two or more are combined from left to right.
static bool take_arguments(struct parser *p, int depth, bool (*apply)(int64_t, int64_t, int64_t *), int64_t *number)
{
    if (!take_expression(p, depth + 1, number)) {
        return false;
    }
    while (take(p, ",")) {
        int64_t other;
        if (!take_expression(p, depth + 1, &other) || !apply(*number, other, number)) {
            return false;
        }
    }
    return take(p, ")");
}

static bool take_expression(struct parser *p, int depth, int64_t *number)
{
    if (depth > MAX_DEPTH) {
        return false;
    }
    if (take(p, "Integer(")) {
        return take_integer(p, number);
    }
    if (take(p, "Symbol('")) {
        return take_symbol(p, number);
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (take(p, functions[i].start)) {
            return take_arguments(p, depth, functions[i].apply, number);
        }
    }
    return false;
}

bool rl_pt2_evaluate(const struct rl_pt2_reader *reader, const char *expression, int64_t *number, const char **unknown)
{
    struct parser parser = {.reader = reader, .next = expression};
    const bool understood = take_expression(&parser, 0, number) && *parser.next == '\0';
    *unknown = parser.unknown;
    return understood && !parser.unknown;
}
