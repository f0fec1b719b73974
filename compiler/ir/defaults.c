// SPDX-License-Identifier: Apache-2.0
// Default values of schema arguments, from their spelling in the operator table.
#include "compiler/ir/graph.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ITEMS = 8 };

static struct rl_arg number_or_bool(const char *text)
{
    if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) {
        return rl_arg_bool(text[0] == 'T');
    }
    if (strpbrk(text, ".eE")) {
        return rl_arg_double(strtod(text, NULL));
    }
    return rl_arg_int(strtoll(text, NULL, 10));
}

static struct rl_arg integers(struct rl_arena *arena, const char *text)
{
    int64_t items[MAX_ITEMS];
    int count = 0;
    while (*text != '\0' && count < MAX_ITEMS) {
        char *end;
        const long long item = strtoll(text, &end, 10);
        if (end == text) {
            text++;
            continue;
        }
        items[count++] = item;
        text = end;
    }
    return rl_arg_ints(arena, items, count);
}

struct rl_arg rl_arg_default(struct rl_arena *arena, const struct rl_op_arg *schema)
{
    const char *text = schema->default_text;
    if (strcmp(text, "None") == 0) {
        return (struct rl_arg){.kind = RL_ARG_NONE};
    }
    switch (schema->type) {
    case RL_TYPE_INT_LIST:
        return integers(arena, text);
    case RL_TYPE_FLOAT:
        return rl_arg_double(strtod(text, NULL));
    case RL_TYPE_STRING:
        return rl_arg_string(arena, text);
    case RL_TYPE_TENSOR_LIST:
        return rl_arg_values(arena, NULL, 0);
    case RL_TYPE_FLOAT_LIST:
        return rl_arg_doubles(arena, NULL, 0);
    default:
        return number_or_bool(text);
    }
}
