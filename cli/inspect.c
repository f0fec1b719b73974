// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect.h"
#include "cli/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/execution.h"
#include "format/pte.h"

// What a value is: where a tensor lies, or of which kind a number is and, where it is known, the number.
static void print_kind(const json_t *value)
{
    const char *kind = json_string_value(json_object_get(value, "kind"));
    char *is = json_dumps(json_object_get(value, "is"), JSON_COMPACT | JSON_ENCODE_ANY);

    if (kind) {
        printf("%s%s", json_object_get(value, "dtype") ? "  " : "", kind);
    }
    if (is) {
        printf(" %s", is);
    }
    rl_cli_free(is);
}

// The names of a list on one line; nothing for an empty list.
static void print_names(const json_t *report, const char *key, const char *title)
{
    size_t index;
    const json_t *name;

    json_array_foreach(json_object_get(report, key), index, name)
    {
        printf("%s%s", index > 0 ? ", " : title, json_string_value(name));
    }
    if (json_array_size(json_object_get(report, key)) > 0) {
        printf("\n");
    }
}

static void print_tensors(const json_t *tensors, const char *title)
{
    size_t index;
    const json_t *tensor;

    if (json_array_size(tensors) > 0) {
        printf("%s\n", title);
    }
    json_array_foreach(tensors, index, tensor)
    {
        const json_t *name = json_object_get(tensor, "name");
        if (name) {
            printf("  %-28s ", json_string_value(name));
        } else {
            printf("  %%%-5lld ", (long long)json_integer_value(json_object_get(tensor, "value")));
        }
        rl_cli_print_shape(tensor);
        print_kind(tensor);
        if (json_object_get(tensor, "offset")) {
            printf(" at %lld", (long long)json_integer_value(json_object_get(tensor, "offset")));
        }
        if (json_is_true(json_object_get(tensor, "initial_value"))) {
            printf(", starts with a value");
        }
        if (json_object_get(tensor, "scale")) {
            printf("  scale %g, zero point %lld", json_real_value(json_object_get(tensor, "scale")),
                   (long long)json_integer_value(json_object_get(tensor, "zero_point")));
        }
        printf("\n");
    }
}

static void print_counts(const json_t *report, const char *key)
{
    const char *name;
    const json_t *count;
    json_t *counts = json_object_get(report, key);

    if (counts) {
        printf("%s\n", key);
        json_object_foreach(counts, name, count)
        {
            printf("  %6lld x %s\n", (long long)json_integer_value(count), name);
        }
    }
}

// As the registry of a firmware lists them.
static void print_registry(const json_t *report)
{
    size_t index;
    const json_t *object;

    if (json_object_get(report, "registry")) {
        printf("registry%s\n",
               json_is_true(json_object_get(report, "control_flow")) ? ", with .flow = &rl_control_flow_all" : "");
    }
    json_array_foreach(json_object_get(report, "registry"), index, object)
    {
        printf("  &%s,\n", json_string_value(object));
    }
}

static void print_float_nodes(const json_t *report)
{
    size_t index;
    const json_t *node;
    const json_t *groups = json_object_get(report, "fp32_groups");

    printf("in floating point: %zu\n", json_array_size(json_object_get(report, "fp32_nodes")));
    json_array_foreach(groups, index, node)
    {
        char *text = rl_cli_group_text(node);
        printf("  %s\n", text);
        rl_cli_free(text);
    }
    if (groups) {
        return;
    }
    json_array_foreach(json_object_get(report, "fp32_nodes"), index, node)
    {
        printf("  %s (%s): %s\n", json_string_value(json_object_get(node, "node")),
               json_string_value(json_object_get(node, "op")), json_string_value(json_object_get(node, "reason")));
    }
}

// Only a .pte that verifies here has it.
static void print_work(const json_t *report)
{
    const json_t *work = json_object_get(report, "work");

    if (!json_is_object(work)) {
        return;
    }
    printf("work %lld units (multiply-adds, and elements read or written), at most %lld in instruction %lld%s\n",
           (long long)json_integer_value(json_object_get(work, "total")),
           (long long)json_integer_value(json_object_get(work, "largest")),
           (long long)json_integer_value(json_object_get(work, "instruction")),
           json_is_true(json_object_get(work, "repeats")) ? "; instructions repeat" : "");
}

static bool is_constant(const json_t *report, const json_t *tensor)
{
    const char *kind = json_string_value(json_object_get(tensor, "kind"));

    return json_object_get(report, "nodes") || (kind && (!strcmp(kind, "constant") || !strcmp(kind, "external")));
}

// The tensors that stay from run to run, and the constants: one by one, or their number and bytes.
static void print_lasting(const json_t *report, bool constants)
{
    size_t index;
    const json_t *tensor;
    json_t *listed = json_array(), *states = json_array();
    json_int_t bytes = 0;

    json_array_foreach(json_object_get(report, "tensors"), index, tensor)
    {
        if (is_constant(report, tensor)) {
            bytes += json_integer_value(json_object_get(tensor, "bytes"));
            json_array_append(listed, (json_t *)tensor);
        } else if (json_is_true(json_object_get(tensor, "initial_value"))) {
            json_array_append(states, (json_t *)tensor);
        }
    }
    print_tensors(states, "states");
    if (constants) {
        print_tensors(listed, "constants");
    } else {
        printf("constants: %zu tensors of %lld bytes (--constants lists them)\n", json_array_size(listed),
               (long long)bytes);
    }
    json_decref(listed);
    json_decref(states);
}

static int print_report(struct rl_cli *cli, json_t *report)
{
    const bool constants = rl_cli_given(cli, "constants");
    const json_t *error = json_object_get(report, "compile_error");

    printf("%s\n", json_string_value(json_object_get(report, "file")));
    print_names(report, "methods", "methods: ");
    if (json_array_size(json_object_get(report, "methods")) > 1) {
        printf("method: %s\n", json_string_value(json_object_get(report, "method")));
    }
    print_names(report, "missing_operators", "operators that the runtime does not have: ");
    print_tensors(json_object_get(report, "inputs"), "inputs");
    print_tensors(json_object_get(report, "outputs"), "outputs");
    print_lasting(report, constants);
    rl_cli_print_operators(report, constants);
    print_counts(report, "ops");
    print_counts(report, "lowered_ops");
    print_registry(report);
    if (error) {
        printf("cannot be compiled: %s\n", json_string_value(error));
    } else {
        rl_cli_print_memory(cli, report);
        printf("arena %lld bytes\n", (long long)json_integer_value(json_object_get(report, "arena_bytes")));
        print_work(report);
        print_float_nodes(report);
    }
    json_decref(report);
    return RL_EXIT_DONE;
}

static int run(struct rl_cli *cli)
{
    const char *path = cli->operands[0];
    const char *data = rl_cli_value(cli, "program-data", NULL), *method = rl_cli_value(cli, "method", NULL);
    struct rl_host_files files;
    struct rl_input_shapes shapes;

    if (rl_cli_shapes(cli, &shapes) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    if (rl_cli_read_program(cli, path, data, method, &files) != RL_OK) {
        return rl_cli_failed(cli);
    }
    const bool is_pte = rl_cli_is_program(&files);
    if (!is_pte && (data || method)) {
        return rl_cli_usage_error(cli, "--%s is for a .pte", data ? "program-data" : "method");
    }
    if (is_pte && shapes.count > 0) {
        return rl_cli_usage_error(cli, "--shape is for a .pt2");
    }
    json_t *report = is_pte ? rl_cli_inspect_pte(cli, &files) : rl_cli_inspect_pt2(cli, path, &shapes);
    if (!report) {
        return rl_cli_failed(cli);
    }
    return rl_cli_given(cli, "json") ? rl_cli_print_json(cli, report) : print_report(cli, report);
}

static const struct rl_cli_option options[] = {
    {"method", 0, "NAME", false, "which method of a .pte; forward, or else the first one"},
    {"program-data", 0, "MODEL.ptd", false, "the tensors that a .pte keeps in another file"},
    {"shape", 0, "NAME=SIZES", true, "fixes dynamic sizes of an input of a .pt2"},
    {"require-checksum", 0, NULL, false, "refuse a program without a checksum, or with a wrong one"},
    {"max-unpacked", 0, "BYTES", false, "what a .pt2 may unfold to; 32 times the file, 128M at least"},
    {"constants", 0, NULL, false, "list the constants, too"},
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_inspect = {
    .name = "inspect",
    .operands = "FILE",
    .operand_count = 1,
    .summary = "what is in a .pt2 or a .pte: graph, operators, tensors, memory, what stays in floating point",
    .options = options,
    .run = run,
};
