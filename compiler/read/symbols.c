// SPDX-License-Identifier: Apache-2.0
// Symbols of dynamic sizes, and the values that follow from the shapes that the caller gives to inputs.
#include "compiler/read/reader.h"

#include <string.h>

#include "compiler/support/suggest.h"

// A size of an input that the caller gives.
struct given_size {
    struct rl_pt2_reader *reader;
    const char *input;
    int dim;
    int64_t size;
    const char *expression;
};

static struct rl_pt2_symbol *find_symbol(struct rl_pt2_reader *reader, const char *name)
{
    struct rl_pt2_symbol *symbol = rl_name_map_find(&reader->symbols, name);
    if (!symbol) {
        symbol = rl_arena_alloc(reader->arena, sizeof *symbol);
        *symbol = (struct rl_pt2_symbol){.max = INT64_MAX};
        rl_name_map_add(&reader->symbols, rl_arena_string(reader->arena, name), symbol);
    }
    return symbol;
}

static void read_ranges(struct rl_pt2_reader *reader)
{
    const char *name;
    json_t *range;
    json_object_foreach((json_t *)json_object_get(reader->model, "range_constraints"), name, range)
    {
        const json_t *max = json_object_get(range, "max_val");
        struct rl_pt2_symbol *symbol = find_symbol(reader, name);
        symbol->min = json_integer_value(json_object_get(range, "min_val"));
        symbol->max = json_is_integer(max) ? json_integer_value(max) : INT64_MAX;
    }
}

static enum rl_status refuse(const struct given_size *given, const char *expected)
{
    return rl_fail(given->reader->context, RL_ERROR_ARGUMENT, "%s: input '%s': expected %s in dimension %d, found %lld",
                   given->reader->path, given->input, expected, given->dim, (long long)given->size);
}

// The exporter takes 2 for any size that it does not know more about, so this bound means nothing.
static bool is_in_range(const struct rl_pt2_symbol *symbol, int64_t value)
{
    enum { ASSUMED = 2 };
    return value <= symbol->max && (value >= symbol->min || symbol->min <= ASSUMED) && value >= 0;
}

// The size of the input where its symbol, left unknown, has this value.
static const char *size_at(const struct given_size *given, struct rl_pt2_symbol *symbol, int64_t value)
{
    const char *unused;
    int64_t size;
    symbol->value = value;
    if (value == INT64_MAX || !rl_pt2_evaluate(given->reader, given->expression, &size, &unused)) {
        return "any size";
    }
    return rl_arena_format(given->reader->arena, "%lld", (long long)size);
}

static enum rl_status refuse_range(const struct given_size *given, struct rl_pt2_symbol *symbol)
{
    const char *least = size_at(given, symbol, symbol->min);
    const char *most = size_at(given, symbol, symbol->max);
    return refuse(given, rl_arena_format(given->reader->arena, "a size from %s to %s, as exported,", least, most));
}

// Sizes that are `step` times an integer, plus `rest`.
static enum rl_status refuse_form(const struct given_size *given, int64_t step, int64_t rest)
{
    struct rl_arena *arena = given->reader->arena;
    const char *multiple = rl_arena_format(arena, "a multiple of %lld", (long long)step);
    return refuse(given, rest == 0 ? multiple : rl_arena_format(arena, "%s plus %lld", multiple, (long long)rest));
}

// Solves `expression = size` for the one unknown symbol of an expression in which it occurs as a multiple. What is not
// such an expression fails the comparison that follows.
static enum rl_status solve(const struct given_size *given)
{
    const char *name, *unused;
    int64_t at_1, at_2;
    if (rl_pt2_evaluate(given->reader, given->expression, &at_1, &name) || !name) {
        return RL_OK;
    }
    struct rl_pt2_symbol *symbol = find_symbol(given->reader, name);
    symbol->is_known = true;
    symbol->value = 1;
    const bool first = rl_pt2_evaluate(given->reader, given->expression, &at_1, &unused);
    symbol->value = 2;
    const bool second = rl_pt2_evaluate(given->reader, given->expression, &at_2, &unused);
    if (!first || !second) {
        symbol->is_known = false; // another symbol is unknown: a later size may tell
        return RL_OK;
    }
    const int64_t limit = INT64_C(1) << 60;
    if (at_1 < -limit || at_2 > limit || at_2 <= at_1 || given->size < 0 || given->size > limit) {
        return refuse(given, "a size that can be computed");
    }
    const int64_t step = at_2 - at_1;
    if ((given->size - at_1) % step != 0) {
        return refuse_form(given, step, at_1 - step);
    }
    symbol->value = 1 + (given->size - at_1) / step;
    return is_in_range(symbol, symbol->value) ? RL_OK : refuse_range(given, symbol);
}

static enum rl_status check(const struct given_size *given)
{
    int64_t size;
    const char *unknown;
    if (!rl_pt2_evaluate(given->reader, given->expression, &size, &unknown)) {
        return unknown ? RL_OK : refuse(given, "a size that can be computed");
    }
    return size == given->size
               ? RL_OK
               : refuse(given, rl_arena_format(given->reader->arena, "%lld, which follows from another size,",
                                               (long long)size));
}

// Applies `function` to each dynamic size of an input; compares the others, if the caller named the input.
static enum rl_status visit_sizes(struct rl_pt2_reader *reader, const char *input, const json_t *sizes,
                                  const struct rl_input_shape *shape,
                                  enum rl_status (*function)(const struct given_size *))
{
    for (int d = 0; d < shape->rank; d++) {
        const json_t *size = json_array_get(sizes, (size_t)d);
        const json_t *fixed = json_object_get(size, "as_int");
        const struct given_size given = {
            .reader = reader,
            .input = input,
            .dim = d,
            .size = shape->sizes[d],
            .expression = json_string_value(json_object_get(json_object_get(size, "as_expr"), "expr_str"))};
        enum rl_status status = RL_OK;
        if (given.expression) {
            status = function(&given);
        } else if (shape->name && json_is_integer(fixed) && json_integer_value(fixed) != given.size) {
            status = refuse(&given, rl_arena_format(reader->arena, "the fixed size %lld (export with dynamic_shapes)",
                                                    (long long)json_integer_value(fixed)));
        }
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

// The name of a tensor among the inputs of the model; NULL for what is not one.
static const char *user_tensor(const json_t *spec)
{
    const json_t *arg = json_object_get(json_object_get(spec, "user_input"), "arg");
    return json_string_value(json_object_get(json_object_get(arg, "as_tensor"), "name"));
}

struct rl_input_shape rl_input_shape_of(const struct rl_tensor_type *type)
{
    struct rl_input_shape shape = {.rank = type->rank};
    memcpy(shape.sizes, type->sizes, sizeof shape.sizes);
    return shape;
}

static const struct rl_input_shape *shape_of(const struct rl_pt2_reader *reader, const char *input, int place)
{
    const struct rl_input_shapes *shapes = &reader->shapes;
    for (int i = 0; i < shapes->count; i++) {
        const char *name = shapes->items[i].name;
        if (name ? strcmp(name, input) == 0 : i == place) {
            return &shapes->items[i];
        }
    }
    return NULL;
}

static enum rl_status visit_inputs(struct rl_pt2_reader *reader, const json_t *specs,
                                   enum rl_status (*function)(const struct given_size *))
{
    int place = 0;
    for (size_t i = 0; i < json_array_size(specs); i++) {
        const char *input = user_tensor(json_array_get(specs, i));
        const struct rl_input_shape *shape = input ? shape_of(reader, input, place) : NULL;
        place += input ? 1 : 0;
        if (!shape) {
            continue;
        }
        const json_t *sizes = json_object_get(json_object_get(reader->tensor_values, input), "sizes");
        const bool fits = json_array_size(sizes) == (size_t)shape->rank;
        if (!fits && shape->name) {
            return rl_fail(reader->context, RL_ERROR_ARGUMENT, "%s: input '%s': expected %zu sizes, found %d",
                           reader->path, input, json_array_size(sizes), shape->rank);
        }
        const enum rl_status status = fits ? visit_sizes(reader, input, sizes, shape, function) : RL_OK;
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

static enum rl_status check_names(struct rl_pt2_reader *reader, const json_t *specs)
{
    const char **names = rl_arena_array(reader->arena, json_array_size(specs), sizeof *names), *list = "";
    char close[RL_SUGGEST_TEXT_BYTES];
    int count = 0;
    for (size_t i = 0; i < json_array_size(specs); i++) {
        const char *input = user_tensor(json_array_get(specs, i));
        if (input) {
            list = rl_arena_format(reader->arena, "%s%s'%s'", list, *list ? ", " : "", input);
            names[count++] = input;
        }
    }
    for (int k = 0; k < reader->shapes.count; k++) {
        const char *name = reader->shapes.items[k].name;
        bool found = !name;
        for (int i = 0; i < count && !found; i++) {
            found = strcmp(names[i], name) == 0;
        }
        if (!found) {
            return rl_fail(reader->context, RL_ERROR_ARGUMENT,
                           "%s: a shape for '%s', which is not an input%s; accepted: %s", reader->path, name,
                           rl_suggest(close, name, names, count), list);
        }
    }
    return RL_OK;
}

enum rl_status rl_pt2_fix_sizes(struct rl_pt2_reader *reader, const json_t *signature)
{
    const json_t *specs = json_object_get(signature, "input_specs");
    if (reader->shapes.count == 0) {
        return RL_OK;
    }
    read_ranges(reader);
    enum rl_status status = check_names(reader, specs);
    if (status == RL_OK) {
        status = visit_inputs(reader, specs, solve);
    }
    if (status == RL_OK) {
        status = visit_inputs(reader, specs, solve); // what the first round could not, knowing more
    }
    return status == RL_OK ? visit_inputs(reader, specs, check) : status;
}
