// SPDX-License-Identifier: Apache-2.0
//
// Judges a program by what its user demands of it: for scripts that must stop when a demand is not met.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/evaluation.h"
#include "compiler/evaluate/trace.h"
#include "compiler/support/suggest.h"

// What is demanded, and what was found.
struct judgement {
    struct rl_cli *cli;
    json_t *checks; // [{check, demanded, found, passed}]
    bool passed;
};

static void judge(struct judgement *judgement, const char *check, double demanded, json_t *found, bool passed)
{
    json_array_append_new(judgement->checks, json_pack("{s:s, s:f, s:o, s:b}", "check", check, "demanded", demanded,
                                                       "found", found, "passed", passed));
    judgement->passed = judgement->passed && passed;
}

// ---- the command line

struct demands {
    double steps, sqnr, top1, agreement;
};

static int read_demands(const struct rl_cli *cli, struct demands *demands)
{
    int count;
    const char *const *ops = rl_cli_values(cli, "ops", &count);

    for (int i = 0; i < count; i++) {
        const char *equals = strrchr(ops[i], '=');
        const size_t digits = equals ? strspn(equals + 1, "0123456789") : 0;
        if (!equals || equals == ops[i] || digits == 0 || digits > 9 || equals[1 + digits] != '\0') {
            return rl_cli_usage_error(cli,
                                      "--ops: expected an operator and a count such as cortex_m::quantized_conv2d=9, "
                                      "found '%s'",
                                      ops[i]);
        }
    }
    if (rl_cli_number(cli, "steps", &demands->steps) != RL_EXIT_DONE ||
        rl_cli_number(cli, "sqnr", &demands->sqnr) != RL_EXIT_DONE ||
        rl_cli_number(cli, "top1", &demands->top1) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    return rl_cli_number(cli, "agreement", &demands->agreement);
}

// ---- the program

static bool computes_floats(const struct rl_trace *trace, const struct rl_traced_call *call)
{
    struct rl_pte_tensor result;

    return !rl_op_is_quantized(call->op) && call->op->dialect != RL_DIALECT_DIM_ORDER &&
           call->op->rearranges == RL_REARRANGES_OTHERWISE &&
           rl_traced_tensor(trace, call, call->op->arg_count, &result) && result.dtype == RL_FLOAT32;
}

// A name that the program does not call may be misspelt: 0 of them would be found for ever.
static void warn_of_unknown(struct judgement *judgement, const char *name, json_t *counts)
{
    const char **names = rl_arena_array(judgement->cli->arena, json_object_size(counts), sizeof *names);
    char close[RL_SUGGEST_TEXT_BYTES];
    int count = 0;
    const char *called;
    json_t *calls;

    json_object_foreach(counts, called, calls)
    {
        names[count++] = called;
    }
    if (*rl_suggest(close, name, names, count)) {
        rl_log(&judgement->cli->context, RL_LOG_WARNING, "--ops: the program has no call of '%s'%s", name, close);
    }
}

static void judge_calls(struct judgement *judgement, const struct rl_method *method)
{
    struct rl_trace trace;
    json_t *counts = json_object();
    int op_count;
    const char *const *ops = rl_cli_values(judgement->cli, "ops", &op_count);
    int floats = 0;

    rl_trace_read(judgement->cli->arena, method, &trace);
    for (int i = 0; i < trace.count; i++) {
        rl_cli_count(counts, rl_op_counted_name(trace.calls[i].op));
        floats += computes_floats(&trace, &trace.calls[i]);
    }
    for (int i = 0; i < op_count; i++) {
        const char *equals = strrchr(ops[i], '=');
        const char *name = rl_arena_format(judgement->cli->arena, "%.*s", (int)(equals - ops[i]), ops[i]);
        const json_int_t found = json_integer_value(json_object_get(counts, name)), demanded = atol(equals + 1);
        if (found == 0 && demanded > 0) {
            warn_of_unknown(judgement, name, counts);
        }
        judge(judgement, name, (double)demanded, json_integer(found), found == demanded);
    }
    if (rl_cli_given(judgement->cli, "no-float")) {
        judge(judgement, "calls in floating point", 0, json_integer(floats), floats == 0);
    }
    json_decref(counts);
}

// ---- the outputs

// The largest difference of any output, in steps of its scale; null when one of them has none.
static json_t *most_steps(const struct rl_cli_evaluation *evaluation)
{
    double most = 0;

    for (int i = 0; i < evaluation->graph->output_count; i++) {
        const struct rl_output *output = &evaluation->outputs[i];
        if (output->is_exact || output->largest_difference == 0) {
            continue;
        }
        if (!(output->step > 0)) {
            return json_null();
        }
        most = fmax(most, output->largest_difference / output->step);
    }
    return json_real(most);
}

static void judge_least(struct judgement *judgement, const char *check, double demanded, json_t *found)
{
    if (isnan(demanded)) {
        json_decref(found);
        return;
    }
    judge(judgement, check, demanded, found, json_is_number(found) && json_number_value(found) >= demanded);
}

static void judge_outputs(struct judgement *judgement, const struct demands *demands,
                          const struct rl_cli_evaluation *evaluation, const json_t *report)
{
    enum { ROUNDING = 1000 }; // floats of a result are exact to about a thousandth of a step
    const char *const keys[] = {"top1_quantized", "agreement"};
    const double shares[] = {demands->top1, demands->agreement};

    if (!isnan(demands->steps)) {
        json_t *found = most_steps(evaluation);
        judge(judgement, "steps", demands->steps, found,
              json_is_number(found) && json_number_value(found) <= demands->steps + 1.0 / ROUNDING);
    }
    judge_least(judgement, "sqnr_db", demands->sqnr, json_real(rl_cli_lowest_db(evaluation)));
    for (int i = 0; i < 2; i++) {
        judge_least(judgement, keys[i], shares[i], json_incref(json_object_get(report, keys[i])));
    }
}

static int finish(struct judgement *judgement, const char *core, int64_t samples)
{
    size_t index;
    const json_t *check;
    const int status = judgement->passed ? RL_EXIT_DONE : RL_EXIT_FAILED;

    json_array_foreach(judgement->checks, index, check)
    {
        if (judgement->cli->capture) {
            break; // who gets the object needs no text
        }
        char *found = json_dumps(json_object_get(check, "found"), JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        fprintf(rl_cli_given(judgement->cli, "json") ? stderr : stdout, "%s  %s: demanded %g, found %s\n",
                json_is_true(json_object_get(check, "passed")) ? "passed" : "FAILED",
                json_string_value(json_object_get(check, "check")), json_real_value(json_object_get(check, "demanded")),
                found);
        rl_cli_free(found);
    }
    if (!rl_cli_given(judgement->cli, "json")) {
        printf("%s on %s, %lld samples\n", judgement->passed ? "passed" : "FAILED", core, (long long)samples);
        json_decref(judgement->checks);
        return status;
    }
    const int printed =
        rl_cli_print_json(judgement->cli, json_pack("{s:b, s:s, s:I, s:o}", "passed", judgement->passed, "core", core,
                                                    "samples", (json_int_t)samples, "checks", judgement->checks));
    return printed == RL_EXIT_DONE ? status : printed;
}

static int run(struct rl_cli *cli)
{
    struct rl_cli_evaluation *evaluation = rl_arena_alloc(cli->arena, sizeof *evaluation);
    struct demands demands;
    struct rl_cli_comparison comparison;
    int status = read_demands(cli, &demands);

    if (status == RL_EXIT_DONE) {
        status = rl_cli_read_comparison(cli, &comparison);
    }
    if (status == RL_EXIT_DONE) {
        status = rl_cli_evaluate_all(cli, &comparison, evaluation);
    }
    if (status != RL_EXIT_DONE) {
        return status;
    }
    struct judgement judgement = {.cli = cli, .checks = json_array(), .passed = true};
    json_t *report = rl_cli_evaluation_json(evaluation, comparison.core);
    judge_calls(&judgement, &evaluation->program.host.method);
    judge_outputs(&judgement, &demands, evaluation, report);
    json_decref(report);
    return finish(&judgement, comparison.core, evaluation->results.sample_count);
}

static const struct rl_cli_option options[] = {
    {"data", 0, "DATA", true, ".npz, images and so on as of compile, and labels for --top1"},
#include "cli/preparation.def"
    {"ops", 0, "OPERATOR=N", true, "so many calls of this operator, for example cortex_m::quantized_conv2d=9"},
    {"no-float", 0, NULL, false, "nothing computes in floating point"},
    {"steps", 0, "N", false, "outputs differ from the model's by N steps of their scale at most"},
    {"sqnr", 0, "DB", false, "signal to noise of every output is DB at least"},
    {"top1", 0, "SHARE", false, "top-1 accuracy of the program is SHARE at least"},
    {"agreement", 0, "SHARE", false, "the program answers as the model in SHARE of all cases at least"},
    {"output", 0, "NAME", false, "the output whose accuracy counts; the first one with classes"},
    {"sequence", 0, "N", false, "with state: each N samples are a sequence, which starts anew; all are one"},
    {"method", 0, "NAME", false, "the method of the program; forward, or else the first one"},
    {"on", 0, "CORE", false, "host (default), or an emulated core such as cortex-m4"},
    {"require-checksum", 0, NULL, false, "refuse a program without a checksum"},
    {"max-unpacked", 0, "BYTES", false, "what a .pt2, .npz or image may unfold to; 32 times the file, 128M at least"},
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_check = {
    .name = "check",
    .operands = "MODEL.pt2 MODEL.pte",
    .operand_count = 2,
    .summary = "exit status 0 if a program has the operators and the accuracy demanded, else 1",
    .options = options,
    .run = run,
};
