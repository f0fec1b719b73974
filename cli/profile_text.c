// SPDX-License-Identifier: Apache-2.0
//
// A profile for a terminal.
#include <stdio.h>
#include <string.h>

#include "cli/profile.h"

enum { LABEL_WIDTH = 36, OPERATOR_WIDTH = 34, BAR_WIDTH = 40 };

static long long integer_of(const json_t *object, const char *key)
{
    return (long long)json_integer_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

void rl_cli_profile_print_figure(const json_t *entry, const char *key, int width, int decimals)
{
    const json_t *figure = json_object_get(entry, key);

    if (json_is_integer(figure)) {
        printf(" %*lld", width, (long long)json_integer_value(figure));
    } else if (json_is_real(figure)) {
        printf(" %*.*f", width, decimals, json_real_value(figure));
    } else {
        printf(" %*s", width, "-");
    }
}

const char *rl_cli_profile_label(const json_t *entry, const char *key)
{
    const json_t *text = json_object_get(entry, key);

    if (!json_is_string(text)) {
        return "(no layer)";
    }
    return json_string_length(text) > 0 ? json_string_value(text) : "(the model)";
}

void rl_cli_profile_print_label(const char *label)
{
    printf("  %-*s", LABEL_WIDTH, label);
}

// ---- the head

static void print_time(const json_t *report)
{
    const json_t *percent = json_object_get(report, "cycles_error_percent");

    if (!json_is_real(json_object_get(report, "clock_hz"))) {
        return;
    }
    printf("  %.4g ms at %g MHz", json_real_value(json_object_get(report, "milliseconds")),
           json_real_value(json_object_get(report, "clock_hz")) / 1e6);
    if (json_is_real(percent)) {
        printf(", give or take %g %%", json_real_value(percent));
    }
    if (json_is_real(json_object_get(report, "microjoules"))) {
        printf("; %s%.4g uJ at %.4g mW", json_is_object(json_object_get(report, "current")) ? "about " : "",
               json_real_value(json_object_get(report, "microjoules")),
               1000 * json_real_value(json_object_get(report, "watts")));
    }
    printf("\n");
}

static void print_macs(const json_t *report)
{
    const json_t *model = json_object_get(report, "cycle_model"), *each = json_object_get(report, "cycles_per_mac");

    if (!json_is_integer(json_object_get(report, "macs"))) {
        return;
    }
    printf("  %lld multiply-adds", integer_of(report, "macs"));
    if (json_is_real(each)) {
        printf(", %.3f cycles each", json_real_value(each));
    }
    if (json_is_real(json_object_get(model, "limit")) && integer_of(report, "macs") > 0) {
        printf("; the multiplier allows %g for int8", json_real_value(json_object_get(model, "limit")));
    }
    printf("\n");
}

static void print_model(const json_t *report)
{
    const json_t *model = json_object_get(report, "cycle_model");

    if (json_is_object(model)) {
        printf("  cycles are modelled; error against boards:\n    %s\n", text_of(model, "error"));
    }
    if (integer_of(report, "wait_states") > 0) {
        printf("  code and constants in flash of %lld wait states, behind caches of 64 and 16 lines of 16 bytes\n",
               integer_of(report, "wait_states"));
    } else {
        printf("  memory without wait states\n");
    }
}

static void print_memory(const json_t *report)
{
    printf("  arena %lld bytes, constants %lld, program %lld", integer_of(report, "arena_bytes"),
           integer_of(report, "constant_bytes"), integer_of(report, "program_bytes"));
    if (json_is_integer(json_object_get(report, "stack_bytes"))) {
        printf("\n  stack %lld bytes for inferences, %lld with loading and verification; state %lld",
               integer_of(report, "inference_stack_bytes"), integer_of(report, "stack_bytes"),
               integer_of(report, "state_bytes"));
    }
    if (json_is_integer(json_object_get(report, "flash_bytes"))) {
        printf("\n  flash %lld bytes, with %lld of code; RAM %lld in all", integer_of(report, "flash_bytes"),
               integer_of(report, "code_bytes"), integer_of(report, "ram_bytes"));
    }
    printf("\n");
}

static void print_head(const json_t *report)
{
    const char *core = text_of(report, "core");

    if (strcmp(core, "host") == 0) {
        printf("%s on the host, one inference\n", text_of(report, "file"));
        printf("  %.4g ms, the fastest of %lld runs\n", json_real_value(json_object_get(report, "milliseconds")),
               integer_of(report, "repeated"));
        print_macs(report);
        print_memory(report);
        return;
    }
    printf("%s on an emulated %s, one inference\n", text_of(report, "file"), core);
    printf("  %lld instructions", integer_of(report, "instructions"));
    if (json_is_integer(json_object_get(report, "cycles"))) {
        printf(", %lld cycles, %lld loads, %lld stores", integer_of(report, "cycles"), integer_of(report, "loads"),
               integer_of(report, "stores"));
    }
    printf("\n  the first inference, which also reads the program: %lld instructions\n",
           integer_of(json_object_get(report, "first"), "instructions"));
    print_time(report);
    print_macs(report);
    print_model(report);
    print_memory(report);
}

// ---- layers

static void print_bar(double percent, double most)
{
    const int width = most > 0 ? (int)(percent / most * BAR_WIDTH + 0.5) : 0;
    for (int i = 0; i < width; i++) {
        fputs(i == 0 ? " #" : "#", stdout);
    }
}

// A bar for each group of a list, by its text under `key`.
static void print_groups(const json_t *report, const char *list, const char *key, const char *title)
{
    const json_t *groups = json_object_get(report, list), *group;
    const char *measure = rl_cli_profile_measure(report);
    double most = 0;
    size_t index;

    json_array_foreach(groups, index, group)
    {
        const double percent = json_number_value(json_object_get(group, "percent"));
        most = percent > most ? percent : most;
    }
    printf("%s: %s, share\n", title, measure);
    json_array_foreach(groups, index, group)
    {
        const double percent = json_number_value(json_object_get(group, "percent"));
        rl_cli_profile_print_label(rl_cli_profile_label(group, key));
        rl_cli_profile_print_figure(group, measure, 12, 4);
        printf(" %5.1f %%", percent);
        print_bar(percent, most);
        printf("\n");
    }
}

// ---- operators

struct column {
    const char *key, *title;
    int width, decimals;
};

static const struct column columns[] = {
    {"cycles", "cycles", 10, 0}, {"percent", "share", 5, 1},        {"instructions", "instr.", 10, 0},
    {"macs", "MACs", 10, 0},     {"cycles_per_mac", "c/MAC", 7, 3}, {"loads", "loads", 9, 0},
    {"stores", "stores", 9, 0},  {"stack_bytes", "stack", 6, 0},    {"milliseconds", "ms", 9, 4}};

enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

// Columns that no operator has are not shown.
static void find_shown(const json_t *report, bool shown[COLUMN_COUNT])
{
    const json_t *entry;
    size_t index;

    for (int i = 0; i < COLUMN_COUNT; i++) {
        shown[i] = false;
        json_array_foreach(json_object_get(report, "ops"), index, entry)
        {
            shown[i] = shown[i] || json_is_number(json_object_get(entry, columns[i].key));
        }
    }
}

static void print_columns(const bool shown[COLUMN_COUNT], const json_t *entry)
{
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (shown[i]) {
            rl_cli_profile_print_figure(entry, columns[i].key, columns[i].width, columns[i].decimals);
        }
    }
}

static void print_titles(const json_t *report, const bool shown[COLUMN_COUNT])
{
    printf("  %3s %-*s", "", OPERATOR_WIDTH, "operator");
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (shown[i]) {
            printf(" %*s", columns[i].width, columns[i].title);
        }
    }
    printf(json_is_true(json_object_get(report, "has_names")) ? "  layer\n" : "\n");
}

static const char *without_namespace(const char *op)
{
    const char *colons = strstr(op, "::");
    return colons ? colons + 2 : op;
}

static void print_operators(const json_t *report)
{
    bool shown[COLUMN_COUNT];
    const json_t *entry;
    size_t index;

    find_shown(report, shown);
    print_titles(report, shown);
    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        const long long runs = integer_of(entry, "runs");
        printf("  %3lld %-*s", integer_of(entry, "index"), OPERATOR_WIDTH,
               without_namespace(text_of(entry, "operator")));
        print_columns(shown, entry);
        if (json_is_true(json_object_get(report, "has_names"))) {
            printf("  %s", rl_cli_profile_label(entry, "layer"));
        }
        if (runs != 1) {
            printf(runs == 0 ? "  not reached" : "  %lld runs", runs);
        }
        printf("\n");
    }
    printf("  %3s %-*s", "", OPERATOR_WIDTH, "outside of operators");
    print_columns(shown, json_object_get(report, "outside"));
    printf("\n");
}

void rl_cli_profile_print(const json_t *report)
{
    const json_t *sentence;
    size_t index;

    print_head(report);
    if (json_is_true(json_object_get(report, "has_names"))) {
        print_groups(report, "layers", "layer", "layers");
    }
    print_groups(report, "kinds", "kind", "kinds of operators");
    print_operators(report);
    json_array_foreach(json_object_get(report, "unknown"), index, sentence)
    {
        printf("not known: %s\n", json_string_value(sentence));
    }
}
