// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/evaluation.h"

static void print_number(const json_t *object, const char *key, const char *label, const char *format)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_real(value)) {
        printf("  %-22s ", label);
        printf(format, json_real_value(value));
    }
}

static void print_output(const json_t *output)
{
    printf("output %s\n", json_string_value(json_object_get(output, "name")));
    print_number(output, "top1_float", "top-1 float", "%.4f\n");
    print_number(output, "top1_quantized", "top-1 quantized", "%.4f\n");
    print_number(output, "agreement", "agreement", "%.4f\n");
    print_number(output, "equal", "equal elements", "%.4f\n");
    print_number(output, "sqnr_db", "SQNR", "%.2f dB\n");
    print_number(output, "logits_sqnr_db", "SQNR of logits", "%.2f dB\n");
    print_number(output, "probabilities_sqnr_db", "SQNR of probabilities", "%.2f dB\n");
    print_number(output, "largest_difference", "largest difference", "%g\n");
    print_number(output, "largest_difference_steps", "in steps", "%.1f\n");
}

static void print_culprits(const json_t *report)
{
    enum { MOST_LINES = 5 };
    const json_t *culprits = json_object_get(report, "culprits"), *culprit;
    size_t index;

    if (json_array_size(culprits) == 0) {
        return;
    }
    printf("culprits: SQNR of the output if this layer alone is quantized, share of the error (%lld samples)\n",
           (long long)json_integer_value(json_object_get(report, "culprit_samples")));
    json_array_foreach(culprits, index, culprit)
    {
        if (index < MOST_LINES) {
            printf("    %7.2f dB  %3.0f %%  %-28s %s\n", json_real_value(json_object_get(culprit, "alone_db")),
                   100 * json_real_value(json_object_get(culprit, "share")),
                   json_string_value(json_object_get(culprit, "name")),
                   rl_cli_culprit_advice(json_string_value(json_object_get(culprit, "help"))));
        }
    }
}

static int print_table(json_t *report)
{
    const json_t *outputs = json_object_get(report, "outputs"), *layers = json_object_get(report, "layers");
    size_t index;
    const json_t *layer, *output;

    printf("%lld samples on %s\n", (long long)json_integer_value(json_object_get(report, "samples")),
           json_string_value(json_object_get(report, "core")));
    json_array_foreach(outputs, index, output)
    {
        print_output(output);
    }
    printf("layers\n");
    json_array_foreach(layers, index, layer)
    {
        const json_int_t calls = json_integer_value(json_object_get(layer, "calls"));
        printf("    %7.2f dB  %-28s %s", json_real_value(json_object_get(layer, "sqnr_db")),
               json_string_value(json_object_get(layer, "name")), json_string_value(json_object_get(layer, "op")));
        if (calls > 1) {
            printf(" (%lld calls)", (long long)calls);
        }
        printf("\n");
    }
    print_culprits(report);
    json_decref(report);
    return RL_EXIT_DONE;
}

static int run(struct rl_cli *cli)
{
    struct rl_cli_evaluation *evaluation = rl_arena_alloc(cli->arena, sizeof *evaluation);
    struct rl_cli_comparison comparison;
    int64_t samples;
    int status = rl_cli_count_of(cli, "culprits", "samples", -1, &samples);

    if (status == RL_EXIT_DONE) {
        status = rl_cli_read_comparison(cli, &comparison);
    }
    if (status == RL_EXIT_DONE) {
        status = rl_cli_evaluate_all(cli, &comparison, evaluation);
    }
    if (status == RL_EXIT_DONE) {
        evaluation->culprit_samples = samples;
        status = rl_cli_find_culprits(cli, evaluation);
    }
    if (status != RL_EXIT_DONE) {
        return status;
    }
    json_t *report = rl_cli_evaluation_json(evaluation, comparison.core);
    return rl_cli_given(cli, "json") ? rl_cli_print_json(cli, report) : print_table(report);
}

static const struct rl_cli_option options[] = {
    {"data", 0, "DATA", true, ".npz, images and so on as of compile, and labels if top-1 accuracy is wanted"},
#include "cli/preparation.def"
    {"output", 0, "NAME", false, "the output whose accuracy counts; the first one with classes"},
    {"sequence", 0, "N", false, "with state: each N samples are a sequence, which starts anew; all are one"},
    {"method", 0, "NAME", false, "the method of the program; forward, or else the first one"},
    {"on", 0, "CORE", false, "host (default), or an emulated core such as cortex-m4"},
    {"culprits", 0, "N", false, "samples on which each layer is quantized alone; 8, fewer of large models; 0: none"},
    {"require-checksum", 0, NULL, false, "refuse a program without a checksum"},
    {"max-unpacked", 0, "BYTES", false, "what a .pt2, .npz or image may unfold to; 32 times the file, 128M at least"},
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_evaluate = {
    .name = "evaluate",
    .operands = "MODEL.pt2 MODEL.pte",
    .operand_count = 2,
    .summary = "float model against quantized program: accuracy, signal to noise of outputs and layers",
    .options = options,
    .run = run,
};
