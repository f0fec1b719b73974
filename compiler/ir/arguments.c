// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/graph.h"

#include <assert.h>
#include <string.h>

struct rl_arg rl_arg_value(struct rl_value *value)
{
    if (!value) {
        return (struct rl_arg){.kind = RL_ARG_NONE};
    }
    return (struct rl_arg){.kind = RL_ARG_VALUE, .as.value = value};
}

struct rl_arg rl_arg_values(struct rl_arena *arena, struct rl_value *const *values, int count)
{
    struct rl_value **copy = rl_arena_copy(arena, values, (size_t)count * sizeof(struct rl_value *));
    return (struct rl_arg){.kind = RL_ARG_VALUES, .count = count, .as.values = copy};
}

struct rl_arg rl_arg_int(int64_t integer)
{
    return (struct rl_arg){.kind = RL_ARG_INT, .as.integer = integer};
}

struct rl_arg rl_arg_double(double number)
{
    return (struct rl_arg){.kind = RL_ARG_DOUBLE, .as.number = number};
}

struct rl_arg rl_arg_bool(bool boolean)
{
    return (struct rl_arg){.kind = RL_ARG_BOOL, .as.boolean = boolean};
}

struct rl_arg rl_arg_ints(struct rl_arena *arena, const int64_t *integers, int count)
{
    const int64_t *copy = rl_arena_copy(arena, integers, (size_t)count * sizeof(int64_t));
    return (struct rl_arg){.kind = RL_ARG_INTS, .count = count, .as.integers = copy};
}

struct rl_arg rl_arg_doubles(struct rl_arena *arena, const double *numbers, int count)
{
    const double *copy = rl_arena_copy(arena, numbers, (size_t)count * sizeof(double));
    return (struct rl_arg){.kind = RL_ARG_DOUBLES, .count = count, .as.numbers = copy};
}

struct rl_arg rl_arg_string(struct rl_arena *arena, const char *string)
{
    return (struct rl_arg){.kind = RL_ARG_STRING, .as.string = rl_arena_string(arena, string)};
}

int rl_node_arg_index(const struct rl_node *node, const char *name)
{
    const int index = rl_op_argument(rl_op_get(node->op), name);
    assert(index >= 0 && "no argument of this name in the operator's schema");
    return index;
}

struct rl_arg *rl_node_arg(const struct rl_node *node, const char *name)
{
    return &node->args[rl_node_arg_index(node, name)];
}

struct rl_value *rl_node_tensor(const struct rl_node *node, const char *name)
{
    const struct rl_arg *arg = rl_node_arg(node, name);
    assert(arg->kind == RL_ARG_VALUE || arg->kind == RL_ARG_NONE);
    return arg->kind == RL_ARG_VALUE ? arg->as.value : NULL;
}

int64_t rl_node_int(const struct rl_node *node, const char *name)
{
    const struct rl_arg *arg = rl_node_arg(node, name);
    assert(arg->kind == RL_ARG_INT);
    return arg->as.integer;
}

bool rl_node_bool(const struct rl_node *node, const char *name)
{
    const struct rl_arg *arg = rl_node_arg(node, name);
    assert(arg->kind == RL_ARG_BOOL);
    return arg->as.boolean;
}

double rl_node_number(const struct rl_node *node, const char *name)
{
    const struct rl_arg *arg = rl_node_arg(node, name);
    switch (arg->kind) {
    case RL_ARG_INT:
        return (double)arg->as.integer;
    case RL_ARG_BOOL:
        return arg->as.boolean ? 1.0 : 0.0;
    default:
        assert(arg->kind == RL_ARG_DOUBLE);
        return arg->as.number;
    }
}

bool rl_node_ints(const struct rl_node *node, const char *name, int count, int64_t fallback, int64_t *items)
{
    const struct rl_arg *arg = rl_node_arg(node, name);
    assert(arg->kind == RL_ARG_INTS || arg->kind == RL_ARG_NONE);
    const int found = arg->kind == RL_ARG_INTS ? arg->count : 0;
    if (found > 1 && found != count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        items[i] = found == 0 ? fallback : arg->as.integers[found == 1 ? 0 : i];
    }
    return true;
}
