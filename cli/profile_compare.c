// SPDX-License-Identifier: Apache-2.0
//
// Two profiles side by side.
#include <stdio.h>
#include <string.h>

#include "cli/profile.h"

static const struct figure {
    const char *key, *title;
} figures[] = {
    {"cycles", "cycles"},           {"instructions", "instructions"},         {"loads", "loads"},
    {"stores", "stores"},           {"milliseconds", "milliseconds"},         {"macs", "multiply-adds"},
    {"arena_bytes", "arena bytes"}, {"inference_stack_bytes", "stack bytes"}, {"flash_bytes", "flash bytes"},
    {"ram_bytes", "RAM bytes"},     {"constant_bytes", "constants bytes"},    {"program_bytes", "program bytes"}};

enum { FIGURE_COUNT = sizeof figures / sizeof *figures };

// {a, b, percent}: null for what is not known, or not there.
static json_t *both(const json_t *a, const json_t *b, const char *key)
{
    json_t *of_a = json_object_get(a, key), *of_b = json_object_get(b, key);
    json_t *pair =
        json_pack("{s:O, s:O, s:n}", "a", of_a ? of_a : json_null(), "b", of_b ? of_b : json_null(), "percent");
    const double before = json_number_value(of_a);

    if (json_is_number(of_a) && json_is_number(of_b) && before > 0) {
        json_object_set_new(pair, "percent", json_real(100 * (json_number_value(of_b) - before) / before));
    }
    return pair;
}

static const json_t *find_part(const json_t *parts, const char *key, const json_t *name)
{
    const json_t *part;
    size_t index;

    json_array_foreach(parts, index, part)
    {
        if (json_equal(json_object_get(part, key), name)) {
            return part;
        }
    }
    return NULL;
}

static void add_part(json_t *list, const json_t *a, const json_t *b, const char *key, const char *measure)
{
    json_t *pair = both(a, b, measure);
    json_object_set(pair, key, json_object_get(a ? a : b, key));
    json_array_append_new(list, pair);
}

// All parts of A, and then those that only B has.
static json_t *compare_parts(const json_t *a, const json_t *b, const char *list, const char *key, const char *measure)
{
    const json_t *of_a = json_object_get(a, list), *of_b = json_object_get(b, list), *part;
    json_t *parts = json_array();
    size_t index;

    json_array_foreach(of_a, index, part)
    {
        add_part(parts, part, find_part(of_b, key, json_object_get(part, key)), key, measure);
    }
    json_array_foreach(of_b, index, part)
    {
        if (!find_part(of_a, key, json_object_get(part, key))) {
            add_part(parts, NULL, part, key, measure);
        }
    }
    return parts;
}

json_t *rl_cli_profile_compare(json_t *a, json_t *b)
{
    const bool by_layer =
        json_is_true(json_object_get(a, "has_names")) && json_is_true(json_object_get(b, "has_names"));
    const char *measure = rl_cli_profile_measure(a), *key = by_layer ? "layer" : "kind";
    json_t *pairs = json_object();

    for (int i = 0; i < FIGURE_COUNT; i++) {
        json_object_set_new(pairs, figures[i].key, both(a, b, figures[i].key));
    }
    json_t *parts = compare_parts(a, b, by_layer ? "layers" : "kinds", key, measure);
    return json_pack("{s:o, s:o, s:o, s:s, s:s, s:o}", "a", a, "b", b, "figures", pairs, "by", key, "measure", measure,
                     "parts", parts);
}

static void print_pair(const char *title, const json_t *pair)
{
    const json_t *percent = json_object_get(pair, "percent");

    rl_cli_profile_print_label(title);
    rl_cli_profile_print_figure(pair, "a", 12, 4);
    rl_cli_profile_print_figure(pair, "b", 12, 4);
    if (json_is_real(percent)) {
        printf(" %+8.1f %%", json_real_value(percent));
    } else if (json_is_null(json_object_get(pair, "a")) || json_is_null(json_object_get(pair, "b"))) {
        printf("   only in %s", json_is_null(json_object_get(pair, "a")) ? "B" : "A");
    }
    printf("\n");
}

static void print_unknown(const json_t *report, const char *side)
{
    const json_t *sentence;
    size_t index;

    json_array_foreach(json_object_get(report, "unknown"), index, sentence)
    {
        printf("not known of %s: %s\n", side, json_string_value(sentence));
    }
}

void rl_cli_profile_print_comparison(const json_t *comparison)
{
    const json_t *a = json_object_get(comparison, "a"), *b = json_object_get(comparison, "b"), *part;
    const json_t *model = json_object_get(a, "cycle_model"), *pairs = json_object_get(comparison, "figures");
    const char *key = json_string_value(json_object_get(comparison, "by"));
    size_t index;

    printf("A %s\nB %s\non %s, one inference\n", json_string_value(json_object_get(a, "file")),
           json_string_value(json_object_get(b, "file")), json_string_value(json_object_get(a, "core")));
    if (json_is_object(model)) {
        printf("cycles are modelled; error against boards: %s\n", json_string_value(json_object_get(model, "error")));
    }
    rl_cli_profile_print_label("");
    printf(" %12s %12s\n", "A", "B");
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const json_t *pair = json_object_get(pairs, figures[i].key);
        if (json_is_number(json_object_get(pair, "a")) || json_is_number(json_object_get(pair, "b"))) {
            print_pair(figures[i].title, pair);
        }
    }
    printf("%s: %s\n", strcmp(key, "layer") == 0 ? "layers" : "kinds of operators",
           json_string_value(json_object_get(comparison, "measure")));
    json_array_foreach(json_object_get(comparison, "parts"), index, part)
    {
        print_pair(rl_cli_profile_label(part, key), part);
    }
    print_unknown(a, "A");
    print_unknown(b, "B");
}
