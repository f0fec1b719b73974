// SPDX-License-Identifier: Apache-2.0
//
// Two programs side by side. Exit status as of diff(1): 0 equal, 1 different, 2 error.
#include "cli/diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/inspect.h"
#include "format/pte_reader.h"

const struct rl_cli_diff_figure rl_cli_diff_figures[] = {
    {"program_bytes", "file bytes", "fail-if-larger"},
    {"constant_bytes", "constants bytes", "fail-if-larger"},
    {"arena_bytes", "arena bytes", "fail-if-larger"},
    {"calls", "calls", NULL},
    {"cycles", "cycles", "fail-if-slower"},
    {"instructions", "instructions", NULL},
    {"flash_bytes", "flash bytes", "fail-if-larger"},
    {"ram_bytes", "RAM bytes", "fail-if-larger"},
    {"stack_bytes", "stack bytes", NULL},
    {0},
};

struct side {
    struct rl_host_files files;
    json_t *report; // of inspect
};

// What makes the verdict: NAN where nothing is demanded.
struct demands {
    double larger, slower, sqnr;
};

// ---- what the files hold

static void compare_sizes(const struct side *a, const struct side *b, json_t *report)
{
    static const char *const keys[] = {"program_bytes", "constant_bytes", "arena_bytes", NULL};

    for (const char *const *key = keys; *key; key++) {
        json_object_set_new(report, *key,
                            rl_cli_diff_pair(json_integer_value(json_object_get(a->report, *key)),
                                             json_integer_value(json_object_get(b->report, *key))));
    }
    json_object_set_new(report, "calls",
                        rl_cli_diff_pair((json_int_t)json_array_size(json_object_get(a->report, "instructions")),
                                         (json_int_t)json_array_size(json_object_get(b->report, "instructions"))));
}

// {operator: {a, b}} of all operators, those of A first, in the order of their first calls.
static json_t *compare_operators(const json_t *a, json_t *b)
{
    json_t *list = json_array(), *of_a = json_object_get(a, "ops"), *of_b = json_object_get(b, "ops");
    const char *name;
    const json_t *count;

    json_object_foreach(of_a, name, count)
    {
        json_array_append_new(list, json_pack("{s:s, s:I, s:I}", "op", name, "a", json_integer_value(count), "b",
                                              json_integer_value(json_object_get(of_b, name))));
    }
    json_object_foreach(of_b, name, count)
    {
        if (!json_object_get(of_a, name)) {
            json_array_append_new(list,
                                  json_pack("{s:s, s:i, s:I}", "op", name, "a", 0, "b", json_integer_value(count)));
        }
    }
    return list;
}

// Some keys of an object; null instead of an object that there is not.
static json_t *selected(const json_t *object, const char *const *keys)
{
    json_t *part = json_object();

    for (; object && *keys; keys++) {
        json_t *value = json_object_get(object, *keys);
        if (value) {
            json_object_set(part, *keys, value);
        }
    }
    if (object) {
        return part;
    }
    json_decref(part);
    return json_null();
}

// [{index, a, b}] of the inputs or outputs that differ.
static json_t *compare_interface(const json_t *a, const json_t *b, const char *side)
{
    static const char *const keys[] = {"dtype", "shape", "dim_order", "at_most", "scale", "zero_point", NULL};
    json_t *list = json_array(), *of_a = json_object_get(a, side), *of_b = json_object_get(b, side);
    const size_t a_count = json_array_size(of_a), b_count = json_array_size(of_b);

    for (size_t i = 0; i < a_count || i < b_count; i++) {
        json_t *one = selected(json_array_get(of_a, i), keys), *other = selected(json_array_get(of_b, i), keys);
        if (!json_equal(one, other)) {
            json_array_append(list, json_pack("{s:I, s:O, s:O}", "index", (json_int_t)i, "a", one, "b", other));
        }
        json_decref(one);
        json_decref(other);
    }
    return list;
}

// Whether both call the same operators with the same arguments, in the same order.
static bool same_calls(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"op", "overload", "args", NULL};
    const json_t *of_a = json_object_get(a, "instructions"), *of_b = json_object_get(b, "instructions");
    bool same = json_array_size(of_a) == json_array_size(of_b);

    for (size_t i = 0; i < json_array_size(of_a) && same; i++) {
        json_t *one = selected(json_array_get(of_a, i), keys), *other = selected(json_array_get(of_b, i), keys);
        same = json_equal(one, other);
        json_decref(one);
        json_decref(other);
    }
    return same;
}

// The bytes of the segments with constants; null where a file has them elsewhere.
static json_t *same_constants(const struct side *a, const struct side *b)
{
    struct rl_pte of_a, of_b;
    uint32_t offset;

    if (rl_pte_open(&of_a, a->files.program, a->files.program_size, &offset) ||
        rl_pte_open(&of_b, b->files.program, b->files.program_size, &offset) || of_a.constants_inline ||
        of_b.constants_inline) {
        return json_null();
    }
    return json_boolean(of_a.constants_size == of_b.constants_size &&
                        memcmp((const uint8_t *)a->files.program + of_a.constants_position,
                               (const uint8_t *)b->files.program + of_b.constants_position, of_a.constants_size) == 0);
}

static json_t *compare_files(const struct side *a, const struct side *b)
{
    const bool equal = a->files.program_size == b->files.program_size &&
                       memcmp(a->files.program, b->files.program, a->files.program_size) == 0;
    json_t *report = json_pack("{s:s, s:s, s:b}", "a", a->files.source, "b", b->files.source, "equal", (int)equal);

    compare_sizes(a, b, report);
    json_object_set_new(report, "ops", compare_operators(a->report, b->report));
    json_object_set_new(report, "calls_equal", json_boolean(same_calls(a->report, b->report)));
    json_object_set_new(report, "constants_equal", same_constants(a, b));
    json_object_set_new(report, "inputs", compare_interface(a->report, b->report, "inputs"));
    json_object_set_new(report, "outputs", compare_interface(a->report, b->report, "outputs"));
    return report;
}

static bool read_side(struct rl_cli *cli, const char *path, struct side *side)
{
    if (rl_cli_read_program(cli, path, NULL, rl_cli_value(cli, "method", NULL), &side->files) != RL_OK) {
        return false;
    }
    side->report = rl_cli_inspect_pte(cli, &side->files);
    return side->report;
}

// ---- the verdict

static void exceed(json_t *report, json_t *sentence)
{
    json_array_append_new(json_object_get(report, "exceeded"), sentence);
}

static double most_percent(const struct demands *demands, const struct rl_cli_diff_figure *figure)
{
    if (!figure->limit) {
        return NAN;
    }
    return strcmp(figure->limit, "fail-if-slower") == 0 ? demands->slower : demands->larger;
}

// Adds `exceeded`: a sentence for each demand that is not met.
static void judge(const struct demands *demands, json_t *report)
{
    size_t index;
    const json_t *result;

    json_object_set_new(report, "exceeded", json_array());
    for (const struct rl_cli_diff_figure *figure = rl_cli_diff_figures; figure->key; figure++) {
        const json_t *both = json_object_get(report, figure->key);
        const double a = json_number_value(json_object_get(both, "a")),
                     b = json_number_value(json_object_get(both, "b"));
        const double percent = most_percent(demands, figure);
        if (!isnan(percent) && b > a * (1 + percent / 100)) {
            exceed(report, json_sprintf("%s: %.0f instead of %.0f, at most %g %% more are accepted", figure->title, b,
                                        a, percent));
        }
    }
    json_array_foreach(json_object_get(report, "results"), index, result)
    {
        const json_t *db = json_object_get(result, "sqnr_db");
        if (!isnan(demands->sqnr) && !(db && json_number_value(db) >= demands->sqnr)) {
            exceed(report, db ? json_sprintf("output %zu: %.1f dB, at least %g are demanded", index,
                                             json_number_value(db), demands->sqnr)
                              : json_sprintf("output %zu: cannot be compared", index));
        }
    }
}

static int verdict(const struct demands *demands, const json_t *report)
{
    if (isnan(demands->larger) && isnan(demands->slower) && isnan(demands->sqnr)) {
        return json_is_true(json_object_get(report, "equal")) ? RL_EXIT_DONE : RL_EXIT_FAILED;
    }
    return json_array_size(json_object_get(report, "exceeded")) == 0 ? RL_EXIT_DONE : RL_EXIT_FAILED;
}

// ---- the verb

static int read_demands(const struct rl_cli *cli, int path_count, struct demands *demands)
{
    if (rl_cli_number(cli, "fail-if-larger", &demands->larger) != RL_EXIT_DONE ||
        rl_cli_number(cli, "fail-if-slower", &demands->slower) != RL_EXIT_DONE ||
        rl_cli_number(cli, "sqnr", &demands->sqnr) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    if (demands->larger < 0 || demands->slower < 0) {
        return rl_cli_usage_error(cli, "--fail-if-%s: expected a percentage from 0 on, found '%g'",
                                  demands->larger < 0 ? "larger" : "slower",
                                  demands->larger < 0 ? demands->larger : demands->slower);
    }
    if (!isnan(demands->slower) && !rl_cli_given(cli, "on")) {
        return rl_cli_usage_error(cli, "--fail-if-slower needs --on CORE");
    }
    if (rl_cli_given(cli, "model") != rl_cli_given(cli, "data")) {
        return rl_cli_usage_error(cli, "--model MODEL.pt2 and --data EVAL.npz want each other");
    }
    if (path_count == 0 && !isnan(demands->sqnr)) {
        return rl_cli_usage_error(cli, "--sqnr needs --input");
    }
    if (path_count == 0 && rl_cli_given(cli, "sequence") && !rl_cli_given(cli, "data")) {
        return rl_cli_usage_error(cli, "--sequence needs --input or --data");
    }
    return RL_EXIT_DONE;
}

static int run(struct rl_cli *cli)
{
    struct side a, b;
    struct demands demands;
    int path_count;
    const char *const *paths = rl_cli_values(cli, "input", &path_count);
    const char *core = NULL;

    if (read_demands(cli, path_count, &demands) != RL_EXIT_DONE ||
        (rl_cli_given(cli, "on") && rl_cli_diff_core(cli, &core) != RL_EXIT_DONE)) {
        return RL_EXIT_USAGE;
    }
    if (!read_side(cli, cli->operands[0], &a) || !read_side(cli, cli->operands[1], &b)) {
        return rl_cli_failed(cli);
    }
    json_t *report = compare_files(&a, &b);
    int done = path_count > 0 ? rl_cli_diff_results(cli, paths, path_count, report) : RL_EXIT_DONE;
    if (done == RL_EXIT_DONE && core) {
        done = rl_cli_diff_costs(cli, core, report);
    }
    if (done == RL_EXIT_DONE && rl_cli_given(cli, "model")) {
        done = rl_cli_diff_accuracy(cli, report);
    }
    if (done != RL_EXIT_DONE) {
        json_decref(report);
        return done;
    }
    judge(&demands, report);
    const int status = verdict(&demands, report);
    if (rl_cli_given(cli, "json")) {
        rl_cli_print_json(cli, report);
    } else if (rl_cli_given(cli, "markdown")) {
        rl_cli_diff_print_markdown(report);
    } else {
        rl_cli_diff_print(report);
    }
    return status;
}

static const struct rl_cli_option options[] = {
    {"input", 0, "DATA", true, "run both on these samples, on the host, and compare the outputs"},
#include "cli/preparation.def"
    {"sequence", 0, "N", false, "with state: each N samples are a sequence, which starts anew; all are one"},
    {"method", 0, "NAME", false, "which method of both; forward, or else the first one"},
    {"on", 0, "CORE", false, "what both take on an emulated core: cycles, instructions, flash, RAM, stack"},
    {"model", 0, "MODEL.pt2", false, "how close both are to the float model on the samples of --data"},
    {"data", 0, "EVAL.npz", true, "samples for --model, and labels if top-1 accuracy is wanted"},
    {"fail-if-larger", 0, "PERCENT", false, "1 only if file, constants, arena, flash or RAM of B are so much larger"},
    {"fail-if-slower", 0, "PERCENT", false, "1 only if B takes so many more cycles on the core of --on"},
    {"sqnr", 0, "DB", false, "1 only if the ratio of an output of B against A is lower"},
    {"require-checksum", 0, NULL, false, "refuse a program without a checksum, or with a wrong one"},
    {"max-unpacked", 0, "BYTES", false, "what a .npz may unfold to; 32 times the file, 128M at least"},
    {"markdown", 0, NULL, false, "print a table in Markdown"},
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_diff = {
    .name = "diff",
    .operands = "A.pte B.pte",
    .operand_count = 2,
    .summary = "two programs: operators, sizes, cycles, results, accuracy; exit status 0 equal, 1 different, 2 error",
    .options = options,
    .failure = RL_EXIT_USAGE,
    .run = run,
};
