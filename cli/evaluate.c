// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/execution.h"
#include "compiler/emit/interface.h"
#include "compiler/evaluate/layers.h"
#include "compiler/graph_runner.h"
#include "compiler/passes/rewrite/match.h"
#include "compiler/pipeline.h"

struct evaluation {
    struct rl_cli *cli;
    struct rl_graph *graph; // of the float model
    struct rl_graph_runner *runner;
    struct rl_cli_program program;
    struct rl_dataset float_samples, samples; // the same data for the one and the other
    struct rl_cli_outputs outputs;            // of the program, on the core asked for
    struct rl_layers layers;
    struct rl_similarity *similarities; // by output, of floats
    int64_t *equal;                     // by output, elements of integers and truth values
    void *reference;                    // one output of one sample, as the model has it
    float *quantized;
    int64_t right_float, right_quantized, agreeing;
};

// The grid of an input or output that is int8 where the model has floats. False when the program has floats as well, or
// when its grid is unknown.
static bool find_grid(const struct evaluation *evaluation, const char *side, int index,
                      const struct rl_tensor_type *type, struct rl_io_grid *grid)
{
    return type->dtype == RL_INT8 && rl_interface_grid(&evaluation->program.host.program, side, index, grid);
}

// Integers and truth values of the model are counted where they are equal.
static bool is_exact(const struct evaluation *evaluation, int index)
{
    switch (evaluation->graph->outputs[index]->type.dtype) {
    case RL_FLOAT32:
    case RL_FLOAT64:
    case RL_FLOAT16:
    case RL_BFLOAT16:
        return false;
    default:
        return true;
    }
}

static bool is_comparable(const struct evaluation *evaluation, int index)
{
    const struct rl_tensor_type *model = &evaluation->graph->outputs[index]->type;
    const struct rl_tensor_type *own = &evaluation->program.output_types[index];
    struct rl_io_grid grid;

    if (!rl_tensor_same_sizes(model, own)) {
        return false;
    }
    if (is_exact(evaluation, index)) {
        return model->dtype == own->dtype;
    }
    return model->dtype == RL_FLOAT32 &&
           (own->dtype == RL_FLOAT32 || find_grid(evaluation, "output", index, own, &grid));
}

// The outputs must be comparable: equal in number and sizes, and in floating point, on known grids or of the same type
// of integers.
static enum rl_status check_outputs(struct evaluation *evaluation)
{
    const struct rl_graph *graph = evaluation->graph;
    const struct rl_cli_program *program = &evaluation->program;

    if (graph->output_count != program->output_count || graph->input_count != program->input_count) {
        return rl_fail(&evaluation->cli->context, RL_ERROR_TYPE,
                       "%s: expected the %d inputs and %d outputs of %s, found %d and %d", program->path,
                       graph->input_count, graph->output_count, graph->source, program->input_count,
                       program->output_count);
    }
    for (int i = 0; i < graph->output_count; i++) {
        if (!is_comparable(evaluation, i)) {
            return rl_fail(&evaluation->cli->context, RL_ERROR_TYPE,
                           "%s: output %d: expected the sizes of the model's output, both in float32 or the "
                           "program's in int8 with methods output%d_scale and output%d_zp, or both in the "
                           "same type of integers",
                           program->path, i, i, i);
        }
    }
    return RL_OK;
}

// Loads the samples of an int8 input as floats and puts them on its grid, as the program's own quantize would.
static enum rl_status load_samples(struct evaluation *evaluation, const char *const *data, int data_count)
{
    struct rl_cli_program *program = &evaluation->program;
    struct rl_arena *arena = evaluation->cli->arena;
    struct rl_io_grid *grids = rl_arena_array(arena, (size_t)program->input_count, sizeof *grids);

    for (int i = 0; i < program->input_count; i++) {
        if (evaluation->graph->inputs[i]->type.dtype == RL_FLOAT32 &&
            find_grid(evaluation, "input", i, &program->input_types[i], &grids[i])) {
            program->input_types[i].dtype = RL_FLOAT32;
        } else {
            grids[i].scale = 0.0;
        }
    }
    enum rl_status status =
        rl_cli_load_samples(evaluation->cli, program, evaluation->graph, data, data_count, &evaluation->samples);
    for (int i = 0; i < program->input_count && status == RL_OK; i++) {
        struct rl_dataset_input *input = &evaluation->samples.inputs[i];
        const size_t count = (size_t)evaluation->samples.sample_count * input->sample_bytes / sizeof(float);
        if (grids[i].scale == 0.0) {
            continue;
        }
        const float *reals = (const float *)(const void *)input->samples;
        int8_t *integers = rl_arena_array(arena, count, sizeof *integers);
        const struct rl_grid grid = {grids[i].scale, grids[i].zero_point, INT8_MIN, INT8_MAX, RL_INT8};
        for (size_t k = 0; k < count; k++) {
            integers[k] = (int8_t)rl_grid_quantize(&grid, reals[k]);
        }
        program->input_types[i].dtype = input->type.dtype = RL_INT8;
        input->samples = (const unsigned char *)integers;
        input->sample_bytes /= sizeof(float);
    }
    return status;
}

// One output of one sample as floats.
static void read_output(const struct evaluation *evaluation, int index, int64_t sample, float *reals)
{
    const struct rl_tensor_type *type = &evaluation->program.output_types[index];
    const size_t bytes = rl_tensor_bytes(type);
    const uint8_t *data = evaluation->outputs.data[index] + (size_t)sample * bytes;
    struct rl_io_grid grid;

    if (!find_grid(evaluation, "output", index, type, &grid)) {
        memcpy(reals, data, bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i++) {
        reals[i] = (float)(((double)(int8_t)data[i] - (double)grid.zero_point) * grid.scale);
    }
}

static size_t largest_output(const struct rl_cli_program *program)
{
    size_t largest = 0;

    for (int i = 0; i < program->output_count; i++) {
        size_t bytes = (size_t)rl_tensor_numel(&program->output_types[i]) * sizeof(int64_t);
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

static enum rl_status prepare(struct evaluation *evaluation, const char *const *data, int data_count, const char *core)
{
    struct rl_cli *cli = evaluation->cli;
    struct rl_target target;
    enum rl_status status = rl_target_parse(&cli->context, "any", &target);

    if (status != RL_OK) {
        return status;
    }
    status = rl_compile_front(&cli->context, cli->arena, cli->operands[0], &target, &evaluation->graph);
    if (status != RL_OK) {
        return status;
    }
    status = rl_cli_open_program(cli, cli->operands[1], NULL, rl_cli_value(cli, "method", NULL), &evaluation->program);
    if (status != RL_OK) {
        return status;
    }
    status = check_outputs(evaluation);
    if (status != RL_OK) {
        return status;
    }
    status =
        rl_dataset_load(&cli->context, cli->arena, data, data_count, evaluation->graph, &evaluation->float_samples);
    if (status != RL_OK) {
        return status;
    }
    status = load_samples(evaluation, data, data_count);
    if (status != RL_OK) {
        return status;
    }
    status = rl_graph_runner_new(&cli->context, cli->arena, evaluation->graph, &evaluation->runner);
    if (status != RL_OK) {
        return status;
    }
    status = rl_cli_run_samples(cli, &evaluation->program, &evaluation->samples, core, &evaluation->outputs);
    if (status != RL_OK) {
        return status;
    }
    size_t largest = largest_output(&evaluation->program);
    evaluation->reference = rl_arena_alloc(cli->arena, largest);
    evaluation->quantized = rl_arena_alloc(cli->arena, largest);
    evaluation->equal = rl_arena_array(cli->arena, (size_t)evaluation->program.output_count, sizeof(int64_t));
    evaluation->similarities =
        rl_arena_array(cli->arena, (size_t)evaluation->program.output_count, sizeof *evaluation->similarities);
    rl_layers_pair(cli->arena, evaluation->graph, &evaluation->program.host.method, &evaluation->layers);
    return RL_OK;
}

static int64_t largest_index(const float *values, int64_t count)
{
    int64_t largest = 0;

    for (int64_t i = 1; i < count; i++) {
        largest = values[i] > values[largest] ? i : largest;
    }
    return largest;
}

// The class that the first output names: by the place of its largest element.
static void count_classes(struct evaluation *evaluation, int64_t sample, int64_t count)
{
    int64_t reference = largest_index(evaluation->reference, count);
    int64_t quantized = largest_index(evaluation->quantized, count);

    evaluation->agreeing += reference == quantized;
    if (evaluation->samples.labels) {
        evaluation->right_float += reference == evaluation->samples.labels[sample];
        evaluation->right_quantized += quantized == evaluation->samples.labels[sample];
    }
}

// Integers agree when all of them are equal.
static void count_equal(struct evaluation *evaluation, int index, int64_t sample)
{
    const struct rl_tensor_type *type = &evaluation->program.output_types[index];
    const size_t bytes = rl_tensor_bytes(type), element = rl_scalar_size((int)type->dtype);
    const uint8_t *own = evaluation->outputs.data[index] + (size_t)sample * bytes;
    const uint8_t *model = evaluation->reference;
    int64_t equal = 0;

    for (size_t at = 0; at < bytes; at += element) {
        equal += memcmp(own + at, model + at, element) == 0;
    }
    evaluation->equal[index] += equal;
    evaluation->agreeing += index == 0 && equal == rl_tensor_numel(type);
}

static void compare_output(struct evaluation *evaluation, int index, int64_t sample)
{
    const int64_t count = rl_tensor_numel(&evaluation->program.output_types[index]);

    if (is_exact(evaluation, index)) {
        count_equal(evaluation, index, sample);
        return;
    }
    read_output(evaluation, index, sample, evaluation->quantized);
    rl_similarity_add(&evaluation->similarities[index], evaluation->reference, evaluation->quantized, count);
    if (index == 0) {
        count_classes(evaluation, sample, count);
    }
}

static enum rl_status evaluate_sample(struct evaluation *evaluation, const void **inputs, int64_t sample)
{
    struct rl_cli *cli = evaluation->cli;

    for (int i = 0; i < evaluation->graph->input_count; i++) {
        inputs[i] = rl_dataset_sample(&evaluation->float_samples, i, sample);
    }
    enum rl_status status =
        rl_graph_runner_run(&cli->context, evaluation->runner, inputs, rl_layers_observe, &evaluation->layers);
    if (status == RL_OK) {
        status = rl_cli_run_sample(cli, &evaluation->program, &evaluation->samples, sample);
    }
    for (int i = 0; i < evaluation->program.output_count && status == RL_OK; i++) {
        status = rl_graph_runner_output(&cli->context, evaluation->runner, i, evaluation->reference);
        if (status == RL_OK) {
            compare_output(evaluation, i, sample);
        }
    }
    return status;
}

static enum rl_status evaluate(struct evaluation *evaluation)
{
    const struct rl_hooks hooks = {.after = rl_layers_after_call, .user = &evaluation->layers};
    const void **inputs =
        rl_arena_array(evaluation->cli->arena, (size_t)evaluation->graph->input_count, sizeof(void *));
    enum rl_status status = RL_OK;

    rl_log(&evaluation->cli->context, RL_LOG_PROGRESS, "comparing %lld samples",
           (long long)evaluation->samples.sample_count);
    rl_method_set_hooks(&evaluation->program.host.method, &hooks);
    for (int64_t sample = 0; sample < evaluation->samples.sample_count && status == RL_OK; sample++) {
        status = evaluate_sample(evaluation, inputs, sample);
    }
    return status;
}

// The worst output of floats decides.
static double lowest_db(const struct evaluation *evaluation)
{
    double lowest = RL_SQNR_EQUAL;

    for (int i = 0; i < evaluation->program.output_count; i++) {
        double db = rl_similarity_db(&evaluation->similarities[i], false);
        lowest = !is_exact(evaluation, i) && db < lowest ? db : lowest;
    }
    return lowest;
}

static json_t *layers_json(const struct rl_layers *layers)
{
    json_t *list = json_array();

    for (int i = 0; i < layers->count; i++) {
        const struct rl_layer *layer = &layers->items[i];
        double db = rl_similarity_db(&layer->similarity, layer->zero_point_argument >= 0);
        json_array_append_new(list, json_pack("{s:s, s:s, s:f}", "name", layer->name, "op", layer->op, "sqnr_db", db));
    }
    return list;
}

// Of integers, the share of elements that are equal over all samples.
static double equal_share(const struct evaluation *evaluation, int index)
{
    double count =
        (double)rl_tensor_numel(&evaluation->program.output_types[index]) * (double)evaluation->samples.sample_count;

    return count > 0 ? (double)evaluation->equal[index] / count : 1.0;
}

static json_t *report_json(const struct evaluation *evaluation, const char *core)
{
    double samples = (double)evaluation->samples.sample_count;
    const bool has_classes = evaluation->program.output_count > 0 && !is_exact(evaluation, 0);
    const bool labels = evaluation->samples.labels && has_classes;
    json_t *outputs = json_array(), *equal = json_array();

    for (int i = 0; i < evaluation->program.output_count; i++) {
        const bool exact = is_exact(evaluation, i);
        json_array_append_new(outputs,
                              exact ? json_null() : json_real(rl_similarity_db(&evaluation->similarities[i], false)));
        json_array_append_new(equal, exact ? json_real(equal_share(evaluation, i)) : json_null());
    }
    return json_pack("{s:I, s:s, s:o, s:o, s:f, s:f, s:o, s:o, s:o}", "samples",
                     (json_int_t)evaluation->samples.sample_count, "core", core, "top1_float",
                     labels ? json_real((double)evaluation->right_float / samples) : json_null(), "top1_quantized",
                     labels ? json_real((double)evaluation->right_quantized / samples) : json_null(), "agreement",
                     (double)evaluation->agreeing / samples, "sqnr_db", lowest_db(evaluation), "outputs_sqnr_db",
                     outputs, "outputs_equal", equal, "layers", layers_json(&evaluation->layers));
}

static int print_table(json_t *report)
{
    size_t index;
    const json_t *layer, *share;

    printf("%lld samples on %s\n", (long long)json_integer_value(json_object_get(report, "samples")),
           json_string_value(json_object_get(report, "core")));
    if (json_is_real(json_object_get(report, "top1_float"))) {
        printf("  top-1 float      %.4f\n", json_real_value(json_object_get(report, "top1_float")));
        printf("  top-1 quantized  %.4f\n", json_real_value(json_object_get(report, "top1_quantized")));
    }
    printf("  agreement        %.4f\n", json_real_value(json_object_get(report, "agreement")));
    printf("  SQNR             %.2f dB\n", json_real_value(json_object_get(report, "sqnr_db")));
    json_array_foreach(json_object_get(report, "outputs_equal"), index, share)
    {
        if (json_is_real(share)) {
            printf("  output %zu         %.4f of elements equal\n", index, json_real_value(share));
        }
    }
    json_array_foreach(json_object_get(report, "layers"), index, layer)
    {
        printf("    %7.2f dB  %-28s %s\n", json_real_value(json_object_get(layer, "sqnr_db")),
               json_string_value(json_object_get(layer, "name")), json_string_value(json_object_get(layer, "op")));
    }
    json_decref(report);
    return RL_EXIT_DONE;
}

static int run(struct rl_cli *cli)
{
    struct evaluation *evaluation = rl_arena_alloc(cli->arena, sizeof *evaluation);
    const char *core;
    int data_count, status = rl_cli_read_core(cli, &core);
    const char *const *data = rl_cli_values(cli, "data", &data_count);

    evaluation->cli = cli;
    if (status != RL_EXIT_DONE) {
        return status;
    }
    if (data_count == 0) {
        return rl_cli_usage_error(cli, "--data EVAL.npz is missing");
    }
    if (prepare(evaluation, data, data_count, core) != RL_OK || evaluate(evaluation) != RL_OK) {
        return rl_cli_failed(cli);
    }
    json_t *report = report_json(evaluation, core);
    return rl_cli_given(cli, "json") ? rl_cli_print_json(cli, report) : print_table(report);
}

static const struct rl_cli_option options[] = {
    {"data", 0, "EVAL.npz", true, "samples, and labels if top-1 accuracy is wanted"},
    {"method", 0, "NAME", false, "the method of the program; forward, or else the first one"},
    {"on", 0, "CORE", false, "host (default), or an emulated core such as cortex-m4"},
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
