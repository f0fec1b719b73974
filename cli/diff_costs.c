// SPDX-License-Identifier: Apache-2.0
//
// What two programs cost on a core, and how close they are to the float model.
#include "cli/diff.h"

#include <string.h>

#include "cli/evaluation.h"
#include "cli/profile.h"

json_t *rl_cli_diff_pair(json_int_t a, json_int_t b)
{
    json_t *object = json_pack("{s:I, s:I, s:n}", "a", a, "b", b, "percent");

    if (a > 0) {
        json_object_set_new(object, "percent", json_real(100.0 * (double)(b - a) / (double)a));
    }
    return object;
}

// ---- on a core

int rl_cli_diff_core(const struct rl_cli *cli, const char **core)
{
    if (rl_cli_read_core(cli, core) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    if (strcmp(*core, "host") == 0) {
        return rl_cli_usage_error(cli, "--on host: the host's time differs from run to run; --on cortex-m4, or another "
                                       "core, counts cycles");
    }
    return RL_EXIT_DONE;
}

int rl_cli_diff_costs(struct rl_cli *cli, const char *core, json_t *report)
{
    static const char *const keys[] = {"cycles", "instructions", "flash_bytes", "ram_bytes", "stack_bytes", NULL};
    struct rl_cli_profile_settings settings = {.method = rl_cli_value(cli, "method", NULL)};

    settings.inputs = rl_cli_values(cli, "input", &settings.input_count);
    json_t *a = rl_cli_profile_program(cli, cli->operands[0], core, &settings);
    json_t *b = a ? rl_cli_profile_program(cli, cli->operands[1], core, &settings) : NULL;
    if (!b) {
        json_decref(a);
        return rl_cli_failed(cli);
    }
    json_object_set_new(report, "core", json_string(core));
    for (const char *const *key = keys; *key; key++) {
        const json_t *of_a = json_object_get(a, *key), *of_b = json_object_get(b, *key);
        if (json_is_integer(of_a) && json_is_integer(of_b)) {
            json_object_set_new(report, *key, rl_cli_diff_pair(json_integer_value(of_a), json_integer_value(of_b)));
        }
    }
    json_decref(a);
    json_decref(b);
    return RL_EXIT_DONE;
}

// ---- against the model

static json_t *evaluate(struct rl_cli *cli, const char *program)
{
    struct rl_cli_evaluation *evaluation = rl_arena_alloc(cli->arena, sizeof *evaluation);
    struct rl_cli_comparison comparison = {.model_path = rl_cli_value(cli, "model", NULL),
                                           .program_path = program,
                                           .method = rl_cli_value(cli, "method", NULL),
                                           .core = "host"};

    comparison.data = rl_cli_values(cli, "data", &comparison.data_count);
    if (rl_cli_sequence(cli, &comparison.sequence) != RL_EXIT_DONE ||
        rl_cli_evaluate_all(cli, &comparison, evaluation) != RL_EXIT_DONE) {
        return NULL;
    }
    return rl_cli_evaluation_json(evaluation, comparison.core);
}

int rl_cli_diff_accuracy(struct rl_cli *cli, json_t *report)
{
    static const char *const keys[] = {"top1_quantized", "agreement", "sqnr_db", NULL};
    json_t *a = evaluate(cli, cli->operands[0]), *b = a ? evaluate(cli, cli->operands[1]) : NULL;

    if (!b) { // the reason was printed
        json_decref(a);
        return RL_EXIT_USAGE;
    }
    json_t *accuracy = json_object();
    json_object_set(accuracy, "samples", json_object_get(a, "samples"));
    json_object_set(accuracy, "top1_float", json_object_get(a, "top1_float"));
    for (const char *const *key = keys; *key; key++) {
        json_object_set_new(accuracy, *key,
                            json_pack("{s:O, s:O}", "a", json_object_get(a, *key), "b", json_object_get(b, *key)));
    }
    json_object_set_new(report, "accuracy", accuracy);
    json_decref(a);
    json_decref(b);
    return RL_EXIT_DONE;
}
