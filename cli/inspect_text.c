// SPDX-License-Identifier: Apache-2.0
//
// Operators and memory of a report of `rushlight inspect` as text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/inspect.h"

enum {
    LAYER_WIDTH = 28, // of the column of layers; longer ones push the rest of their line
    BAR_WIDTH = 48,   // columns for the time in the memory map
    ITEMS = 8         // of a list, of which the rest is counted
};

static void print_sizes(const json_t *tensor)
{
    size_t index;
    const json_t *size;

    if (!json_object_get(tensor, "dtype")) {
        return;
    }
    printf("%s [", json_string_value(json_object_get(tensor, "dtype")));
    json_array_foreach(json_object_get(tensor, "shape"), index, size)
    {
        printf("%s%lld", index > 0 ? ", " : "", (long long)json_integer_value(size));
    }
    printf(json_is_true(json_object_get(tensor, "at_most")) ? "] at most" : "]");
}

// The dimensions from the outermost to the innermost in memory, unless they are in their own order.
static void print_order(const json_t *order)
{
    size_t index;
    const json_t *dimension;
    bool row_major = true;

    json_array_foreach(order, index, dimension)
    {
        row_major = row_major && json_integer_value(dimension) == (json_int_t)index;
    }
    json_array_foreach(order, index, dimension)
    {
        if (!row_major) {
            printf("%s%lld", index > 0 ? "," : " order ", (long long)json_integer_value(dimension));
        }
    }
}

void rl_cli_print_shape(const json_t *tensor)
{
    print_sizes(tensor);
    print_order(json_object_get(tensor, "dim_order"));
}

// ---- operators

static json_int_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static bool has_kind(const json_t *tensor, const char *kind)
{
    const char *own = json_string_value(json_object_get(tensor, "kind"));
    return own && strcmp(own, kind) == 0;
}

// The tensors of a report by the number of their value: a new array. Other values have null.
static json_t *index_tensors(const json_t *report)
{
    json_t *by_value = json_array();
    const json_t *tensor;
    size_t index;

    for (json_int_t i = 0; i < number_of(report, "values"); i++) {
        json_array_append_new(by_value, json_null());
    }
    json_array_foreach(json_object_get(report, "tensors"), index, tensor)
    {
        json_array_set(by_value, (size_t)number_of(tensor, "value"), (json_t *)(uintptr_t)tensor);
    }
    return by_value;
}

static void print_place(const json_t *tensor)
{
    printf("%%%lld ", (long long)number_of(tensor, "value"));
    rl_cli_print_shape(tensor);
    if (json_object_get(tensor, "offset")) {
        printf(" at %lld, %lld bytes", (long long)number_of(tensor, "offset"), (long long)number_of(tensor, "bytes"));
    } else {
        printf(" %s, %lld bytes", json_string_value(json_object_get(tensor, "kind")),
               (long long)number_of(tensor, "bytes"));
    }
}

// A line for each tensor of `values`; the bytes of constants in one line, unless they are asked for.
static void print_tensors_of(const json_t *values, const json_t *by_value, const char *sign, bool constants)
{
    json_int_t folded = 0;
    const json_t *value;
    size_t index;

    json_array_foreach(values, index, value)
    {
        const json_t *tensor = json_array_get(by_value, (size_t)json_integer_value(value));
        if (!constants && has_kind(tensor, "constant")) {
            folded += number_of(tensor, "bytes");
        } else if (tensor && !json_is_null(tensor)) {
            printf("        %s ", sign);
            print_place(tensor);
            printf("\n");
        }
    }
    if (folded > 0) {
        printf("        %s constants, %lld bytes\n", sign, (long long)folded);
    }
}

static void print_value(const json_t *value)
{
    const size_t count = json_array_size(value);

    if (!json_is_array(value)) {
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        printf("%s", text ? text : "?");
        rl_cli_free(text);
        return;
    }
    printf("[");
    for (size_t i = 0; i < count && i < ITEMS; i++) {
        printf(i > 0 ? ", " : "");
        print_value(json_array_get(value, i));
    }
    if (count > ITEMS) {
        printf(", and %zu more", count - ITEMS);
    }
    printf("]");
}

// The settings of a call, several on a line.
static void print_numbers(json_t *numbers)
{
    const char *name, *before = "        ";
    const json_t *value;

    json_object_foreach(numbers, name, value)
    {
        if (!json_is_null(value)) {
            printf("%s%s ", before, name);
            print_value(value);
            before = ", ";
        }
    }
    printf(*before == ',' ? "\n" : "");
}

// The module of the model, or where there is none the node in brackets.
static void print_layer(const json_t *call, int width)
{
    const char *layer = json_string_value(json_object_get(call, "layer"));
    const char *node = json_string_value(json_object_get(call, "node"));
    char text[RL_PTE_LONGEST_NAME + 3] = "-";

    if (layer && *layer != '\0') {
        snprintf(text, sizeof text, "%s", layer);
    } else if (node) {
        snprintf(text, sizeof text, "(%s)", node);
    }
    printf("%-*s", width, text);
}

static void print_nodes(const json_t *nodes)
{
    const json_t *node;
    size_t index;

    printf("nodes: index, layer, name, operator\n");
    json_array_foreach(nodes, index, node)
    {
        printf("  %3zu ", index);
        print_layer(node, LAYER_WIDTH);
        printf(" %-28s %s\n", json_string_value(json_object_get(node, "name")),
               json_string_value(json_object_get(node, "op")));
    }
}

void rl_cli_print_operators(const json_t *report, bool constants)
{
    const json_t *calls = json_object_get(report, "instructions"), *call;
    size_t index;

    if (!calls) {
        print_nodes(json_object_get(report, "nodes"));
        return;
    }
    printf("operators: index, layer, operator; > what it gives, < what it reads, its settings\n");
    json_t *by_value = index_tensors(report);
    json_array_foreach(calls, index, call)
    {
        json_t *numbers = json_object_get(call, "numbers");
        printf("  %3zu ", index);
        print_layer(call, LAYER_WIDTH);
        printf(" %s\n", json_string_value(json_object_get(call, "op")));
        if (!numbers) { // it calls no operator
            printf("        ");
            print_value(json_object_get(call, "args"));
            printf("\n");
            continue;
        }
        print_tensors_of(json_object_get(call, "results"), by_value, ">", constants);
        print_tensors_of(json_object_get(call, "reads"), by_value, "<", constants);
        print_numbers(numbers);
    }
    json_decref(by_value);
}

// ---- memory

static int compare_entries(const void *a, const void *b)
{
    const json_t *left = *(json_t *const *)a, *right = *(json_t *const *)b;
    static const char *const keys[] = {"first", "offset", "last"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_int_t difference = number_of(left, keys[i]) - number_of(right, keys[i]);
        if (difference != 0) {
            return difference < 0 ? -1 : 1;
        }
    }
    return 0;
}

// The time from before the first instruction (-1) to after the last one, as columns.
static void print_bar(json_int_t first, json_int_t last, json_int_t count)
{
    const json_int_t steps = count + 2, width = steps < BAR_WIDTH ? steps : BAR_WIDTH;
    char bar[BAR_WIDTH + 1];

    for (json_int_t i = 0; i < width; i++) {
        const json_int_t begin = i * steps / width - 1, end = (i + 1) * steps / width - 2;
        bar[i] = first <= end && last >= begin ? '#' : '.';
    }
    bar[width] = '\0';
    printf("%s", bar);
}

// Whose tensor it is: the value of a .pt2, or the number of that of a .pte and the operator that gives it.
static void print_owner(const json_t *report, const json_t *entry)
{
    const json_t *value = json_object_get(entry, "value");
    const json_int_t first = number_of(entry, "first");

    if (json_is_integer(value)) {
        printf("%%%-5lld ", (long long)json_integer_value(value));
        if (first < 0) {
            printf("input or state");
        } else {
            print_layer(json_array_get(json_object_get(report, "instructions"), (size_t)first), 0);
        }
    } else {
        printf("%s", json_string_value(value));
    }
}

void rl_cli_print_memory(struct rl_cli *cli, const json_t *report)
{
    const json_t *map = json_object_get(report, "memory_map"), *entry;
    const json_t **sorted = rl_arena_array(cli->arena, json_array_size(map), sizeof(const json_t *));
    json_int_t count = (json_int_t)json_array_size(json_object_get(report, "instructions"));
    size_t index;

    json_array_foreach(map, index, entry)
    {
        sorted[index] = entry;
        count = number_of(entry, "last") > count ? number_of(entry, "last") : count;
    }
    if (json_array_size(map) == 0) {
        return;
    }
    qsort(sorted, json_array_size(map), sizeof *sorted, compare_entries);
    printf("memory map: from, to, bytes, alive during operators, tensor\n");
    for (index = 0; index < json_array_size(map); index++) {
        const json_int_t offset = number_of(sorted[index], "offset"), bytes = number_of(sorted[index], "bytes");
        const json_int_t first = number_of(sorted[index], "first"), last = number_of(sorted[index], "last");
        printf("  %8lld %8lld %8lld  %3lld..%-3lld ", (long long)offset, (long long)(offset + bytes), (long long)bytes,
               (long long)first, (long long)last);
        print_bar(first, last, count);
        printf("  ");
        print_owner(report, sorted[index]);
        printf("\n");
    }
    if (json_object_get(report, "memory_peak")) {
        const json_t *peak = json_object_get(report, "memory_peak");
        printf("tensors reach %lld bytes, first during operator %lld\n", (long long)number_of(peak, "bytes"),
               (long long)number_of(peak, "instruction"));
    }
}
