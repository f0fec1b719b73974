// SPDX-License-Identifier: Apache-2.0
//
// Two programs side by side, for readers.
#include <stdio.h>

#include "cli/diff.h"

// "+2.6 %"; "" where nothing has changed, or it cannot be said.
static const char *percent(char *text, size_t size, const json_t *figure)
{
    const json_t *change = json_object_get(figure, "percent");

    text[0] = '\0';
    if (json_is_real(change) && !json_equal(json_object_get(figure, "a"), json_object_get(figure, "b"))) {
        snprintf(text, size, "%+.1f %%", json_real_value(change));
    }
    return text;
}

static long long count_of(const json_t *object, const char *side)
{
    return (long long)json_integer_value(json_object_get(object, side));
}

static void print_figures(const json_t *report)
{
    char change[32];

    printf("%-18s %12s %12s\n", "", "A", "B");
    for (const struct rl_cli_diff_figure *figure = rl_cli_diff_figures; figure->key; figure++) {
        const json_t *both = json_object_get(report, figure->key);
        if (!both) {
            continue;
        }
        printf("%-18s %12lld %12lld %9s\n", figure->title, count_of(both, "a"), count_of(both, "b"),
               percent(change, sizeof change, both));
    }
}

static const char *change(long long a, long long b)
{
    if (a == 0) {
        return "added";
    }
    return b == 0 ? "removed" : "changed";
}

static void print_operators(const json_t *report)
{
    size_t index;
    const json_t *op;

    json_array_foreach(json_object_get(report, "ops"), index, op)
    {
        const long long a = count_of(op, "a"), b = count_of(op, "b");
        if (a != b) {
            printf("  %s %s: %lld, %lld\n", change(a, b), json_string_value(json_object_get(op, "op")), a, b);
        }
    }
    if (json_is_false(json_object_get(report, "calls_equal"))) {
        printf("calls or their arguments differ\n");
    }
    if (json_is_false(json_object_get(report, "constants_equal"))) {
        printf("constants differ\n");
    }
}

static void print_interface(const json_t *report, const char *side, const char *title)
{
    size_t index;
    const json_t *entry;

    json_array_foreach(json_object_get(report, side), index, entry)
    {
        char *a = json_dumps(json_object_get(entry, "a"), JSON_COMPACT | JSON_ENCODE_ANY);
        char *b = json_dumps(json_object_get(entry, "b"), JSON_COMPACT | JSON_ENCODE_ANY);
        printf("%s %lld\n  A %s\n  B %s\n", title, count_of(entry, "index"), a, b);
        rl_cli_free(a);
        rl_cli_free(b);
    }
}

static void print_results(const json_t *report)
{
    const long long samples = count_of(report, "samples");
    size_t index;
    const json_t *result;

    json_array_foreach(json_object_get(report, "results"), index, result)
    {
        const json_t *agreement = json_object_get(result, "agreement");
        if (json_is_false(json_object_get(result, "comparable"))) {
            printf("output %zu: of another size, or in one program only\n", index);
            continue;
        }
        printf("output %zu: %lld of %lld samples equal, %.1f dB of B against A", index,
               count_of(result, "equal_samples"), samples, json_real_value(json_object_get(result, "sqnr_db")));
        if (json_is_real(agreement)) {
            printf(", largest elements agree in %.4f", json_real_value(agreement));
        }
        printf("\n");
    }
}

// Against the float model: a line of a table for each figure that both have.
static void print_accuracy(const json_t *report, const char *format)
{
    static const struct {
        const char *key, *title;
    } figures[] = {{"top1_quantized", "top-1"}, {"agreement", "agreement"}, {"sqnr_db", "SQNR, dB"}};
    const json_t *accuracy = json_object_get(report, "accuracy");

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const json_t *both = json_object_get(accuracy, figures[i].key);
        const json_t *a = json_object_get(both, "a"), *b = json_object_get(both, "b");
        if (json_is_number(a) && json_is_number(b)) {
            printf(format, figures[i].title, json_number_value(a), json_number_value(b));
        }
    }
}

void rl_cli_diff_print(const json_t *report)
{
    size_t index;
    const json_t *sentence;

    printf("A %s\nB %s\n", json_string_value(json_object_get(report, "a")),
           json_string_value(json_object_get(report, "b")));
    print_figures(report);
    print_accuracy(report, "%-18s %12.4f %12.4f\n");
    print_operators(report);
    print_interface(report, "inputs", "input");
    print_interface(report, "outputs", "output");
    print_results(report);
    json_array_foreach(json_object_get(report, "exceeded"), index, sentence)
    {
        printf("too much: %s\n", json_string_value(sentence));
    }
    printf(json_is_true(json_object_get(report, "equal")) ? "the files are equal\n" : "the files differ\n");
}

// ---- Markdown

// "int8 [1, 10]"; a dash for what a program does not have.
static void print_type(const json_t *type)
{
    size_t index;
    const json_t *size;
    const char *dtype = json_string_value(json_object_get(type, "dtype"));

    if (!dtype) {
        printf("%s", json_is_object(type) ? "a number" : "–");
        return;
    }
    printf("%s [", dtype);
    json_array_foreach(json_object_get(type, "shape"), index, size)
    {
        printf("%s%lld", index > 0 ? ", " : "", (long long)json_integer_value(size));
    }
    printf("]");
    if (json_object_get(type, "scale")) {
        printf(", scale %g", json_real_value(json_object_get(type, "scale")));
    }
}

static void print_type_rows(const json_t *report, const char *side, const char *title)
{
    size_t index;
    const json_t *entry;

    json_array_foreach(json_object_get(report, side), index, entry)
    {
        printf("| type of %s %lld | ", title, count_of(entry, "index"));
        print_type(json_object_get(entry, "a"));
        printf(" | ");
        print_type(json_object_get(entry, "b"));
        printf(" | |\n");
    }
}

static void print_operator_rows(const json_t *report)
{
    size_t index;
    const json_t *op;

    json_array_foreach(json_object_get(report, "ops"), index, op)
    {
        const long long a = count_of(op, "a"), b = count_of(op, "b");
        if (a != b) {
            printf("| `%s` | %lld | %lld | %s |\n", json_string_value(json_object_get(op, "op")), a, b, change(a, b));
        }
    }
}

static void print_result_rows(const json_t *report)
{
    size_t index;
    const json_t *result;

    json_array_foreach(json_object_get(report, "results"), index, result)
    {
        if (json_is_false(json_object_get(result, "comparable"))) {
            printf("| output %zu | | | of another size, or in one program only |\n", index);
            continue;
        }
        printf("| output %zu, %lld samples | | | ", index, count_of(report, "samples"));
        if (json_is_true(json_object_get(result, "equal"))) {
            printf("equal |\n");
            continue;
        }
        printf("%.1f dB", json_real_value(json_object_get(result, "sqnr_db")));
        if (json_is_real(json_object_get(result, "agreement"))) {
            printf(", agreement %.4f", json_real_value(json_object_get(result, "agreement")));
        }
        printf(" |\n");
    }
}

void rl_cli_diff_print_markdown(const json_t *report)
{
    char change_text[32];
    size_t index;
    const json_t *sentence;

    printf("| | before | after | change |\n|---|---:|---:|---|\n");
    for (const struct rl_cli_diff_figure *figure = rl_cli_diff_figures; figure->key; figure++) {
        const json_t *both = json_object_get(report, figure->key);
        if (!both) {
            continue;
        }
        printf("| %s | %lld | %lld | %s |\n", figure->title, count_of(both, "a"), count_of(both, "b"),
               percent(change_text, sizeof change_text, both));
    }
    print_accuracy(report, "| %s | %.4f | %.4f | |\n");
    print_operator_rows(report);
    if (json_is_false(json_object_get(report, "constants_equal"))) {
        printf("| values of constants | | | changed |\n");
    }
    print_type_rows(report, "inputs", "input");
    print_type_rows(report, "outputs", "output");
    print_result_rows(report);
    json_array_foreach(json_object_get(report, "exceeded"), index, sentence)
    {
        printf("%s- **too much**: %s\n", index == 0 ? "\n" : "", json_string_value(sentence));
    }
    if (json_is_true(json_object_get(report, "equal"))) {
        printf("\nThe files are equal.\n");
    }
}
