// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/bundle.h"
#include "cli/cli.h"
#include "cli/execution.h"
#include "cli/ranking.h"
#include "cli/watch.h"
#include "compiler/data/npz.h"

// An output of all samples as one array: the first dimension grows with their number.
static struct rl_array output_array(struct rl_cli *cli, const struct rl_cli_program *program,
                                    const struct rl_cli_outputs *outputs, int index)
{
    const struct rl_tensor_type *type = &program->output_types[index];
    struct rl_array array = {.dtype = type->dtype, .rank = type->rank, .data = outputs->data[index]};

    array.name = program->output_count == 1 ? "output" : rl_arena_format(cli->arena, "output_%d", index);
    memcpy(array.sizes, type->sizes, sizeof array.sizes);
    if (outputs->sample_count > 1) {
        if (type->rank == 0) {
            array.rank = 1;
            array.sizes[0] = 1;
        }
        array.sizes[0] *= outputs->sample_count;
    }
    return array;
}

// JSON has no NaN and no infinities: they become the strings that Python's float() reads.
static json_t *real_json(double number)
{
    if (isnan(number)) {
        return json_string("nan");
    }
    return isinf(number) ? json_string(number > 0 ? "inf" : "-inf") : json_real(number);
}

static json_t *element_json(const struct rl_array *array, int64_t index)
{
    double number = 0;
    int64_t integer = 0, bad;
    const uint8_t *element = (const uint8_t *)array->data + (size_t)index * rl_scalar_size((int)array->dtype);

    switch (array->dtype) {
    case RL_FLOAT16:
    case RL_BFLOAT16:
    case RL_FLOAT32:
    case RL_FLOAT64:
        rl_convert_elements(array->dtype, element, RL_FLOAT64, &number, 1, &bad);
        return real_json(number);
    default:
        rl_convert_elements(array->dtype, element, RL_INT64, &integer, 1, &bad);
        return json_integer(integer);
    }
}

static json_t *array_json(const struct rl_array *array, bool has_elements)
{
    json_t *shape = json_array(), *data = has_elements ? json_array() : NULL;
    const int64_t count = has_elements ? rl_array_numel(array) : 0;

    for (int i = 0; i < array->rank; i++) {
        json_array_append_new(shape, json_integer(array->sizes[i]));
    }
    for (int64_t i = 0; i < count; i++) {
        json_array_append_new(data, element_json(array, i));
    }
    return json_pack("{s:s, s:o, s:o*}", "dtype", rl_dtype_name(array->dtype), "shape", shape, "data", data);
}

// Instructions of one inference: the mean over the samples.
static uint64_t mean_instructions(const struct rl_cli_outputs *outputs)
{
    uint64_t sum = 0;

    for (int64_t i = 0; i < outputs->sample_count; i++) {
        sum += outputs->instructions[i];
    }
    return outputs->sample_count > 0 ? sum / (uint64_t)outputs->sample_count : 0;
}

struct result {
    struct rl_array *arrays; // the outputs
    int count;
    const struct rl_cli_outputs *outputs;
    const char *core;
    json_t *ranked; // the likeliest classes of each sample; NULL: nobody asked for them
    json_t *bundle; // what the bundle expects beside what was found; NULL: its cases were not run
};

static int print_json(const struct rl_cli *cli, const struct result *result)
{
    const bool has_elements = !rl_cli_given(cli, "no-elements");
    const struct rl_cli_outputs *outputs = result->outputs;
    json_t *list = json_array();

    for (int i = 0; i < result->count; i++) {
        json_array_append_new(list, array_json(&result->arrays[i], has_elements));
    }
    json_t *report = json_pack("{s:o, s:s, s:n, s:I}", "outputs", list, "core", result->core, "instructions", "samples",
                               (json_int_t)outputs->sample_count);
    if (outputs->instructions) {
        json_object_set_new(report, "instructions", json_integer((json_int_t)mean_instructions(outputs)));
        json_object_set_new(report, "arena_bytes", json_integer(outputs->arena_bytes));
        json_object_set_new(report, "state_bytes", json_integer(outputs->state_bytes));
        json_object_set_new(report, "stack_bytes", json_integer(outputs->stack_bytes));
    }
    if (result->ranked) {
        json_object_set_new(report, "classes", result->ranked);
    }
    if (result->bundle) {
        json_object_set_new(report, "bundle", result->bundle);
    }
    return rl_cli_print_json(cli, report);
}

static void print_array(const struct rl_array *array)
{
    enum { SHOWN = 16 };
    const int64_t numel = rl_array_numel(array);

    printf("%s %s:", array->name, rl_dtype_name(array->dtype));
    for (int64_t k = 0; k < numel && k < SHOWN; k++) {
        json_t *element = element_json(array, k);
        if (json_is_integer(element)) {
            printf(" %lld", (long long)json_integer_value(element));
        } else {
            printf(" %g", json_real_value(element));
        }
        json_decref(element);
    }
    printf("%s\n", numel > SHOWN ? " ..." : "");
}

static int print_table(const struct result *result)
{
    const struct rl_cli_outputs *outputs = result->outputs;

    for (int i = 0; i < result->count && !result->ranked; i++) {
        print_array(&result->arrays[i]);
    }
    if (result->ranked) {
        rl_cli_print_ranking(result->ranked);
        json_decref(result->ranked);
    }
    printf("%" PRId64 " sample%s on %s", outputs->sample_count, outputs->sample_count == 1 ? "" : "s", result->core);
    if (outputs->instructions) {
        printf(", %" PRIu64 " instructions each\n", mean_instructions(outputs));
        printf("arena %" PRIu32 " bytes, state %" PRIu32 " bytes, stack %" PRIu32 " bytes", outputs->arena_bytes,
               outputs->state_bytes, outputs->stack_bytes);
    }
    printf("\n");
    if (result->bundle) {
        rl_cli_print_bundle(result->bundle);
        json_decref(result->bundle);
    }
    return RL_EXIT_DONE;
}

static char stopped[64];
static size_t stopped_length;

// Nothing has been written yet that would have to be removed.
static void stop(int number)
{
    ssize_t written = number; // SIGALRM
    for (size_t done = 0; done < stopped_length && written > 0; done += written > 0 ? (size_t)written : 0) {
        written = write(STDERR_FILENO, stopped + done, stopped_length - done);
    }
    _exit(RL_EXIT_FAILED);
}

static bool has_clock(const struct rl_cli_program *program, const char *core)
{
    return program->timeout_seconds > 0 && strcmp(core, "host") == 0;
}

// On the host the whole run is limited, with operators that take long; an emulation is ended by the emulator.
static void start_clock(const struct rl_cli_program *program, const char *core)
{
    if (has_clock(program, core)) {
        const int length =
            snprintf(stopped, sizeof stopped, "rushlight run: no result within %u seconds\n", program->timeout_seconds);
        stopped_length = (size_t)length;
        signal(SIGALRM, stop);
        alarm(program->timeout_seconds);
    }
}

static void stop_clock(const struct rl_cli_program *program, const char *core)
{
    if (has_clock(program, core)) {
        alarm(0);
    }
}

// What was asked for.
struct request {
    const char *core;
    int64_t sequence, steps, seconds;
    struct rl_cli_ranking ranking;
    struct rl_cli_tolerance tolerance;
    bool runs_cases; // of a bundle
};

static int read_request(struct rl_cli *cli, struct request *request)
{
    if (rl_cli_read_core(cli, &request->core) != RL_EXIT_DONE ||
        rl_cli_sequence(cli, &request->sequence) != RL_EXIT_DONE ||
        rl_cli_read_tolerance(cli, &request->tolerance) != RL_EXIT_DONE ||
        rl_cli_count_of(cli, "max-steps", "instructions", RL_HOST_MAX_STEPS, &request->steps) != RL_EXIT_DONE ||
        rl_cli_count_of(cli, "timeout", "seconds", 0, &request->seconds) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    return RL_EXIT_DONE;
}

static enum rl_status execute(struct rl_cli *cli, struct request *request, struct rl_cli_program *program,
                              struct rl_dataset *samples, struct rl_cli_outputs *outputs)
{
    int path_count;
    const char *const *paths = rl_cli_values(cli, "input", &path_count);
    enum rl_status status = rl_cli_open_program(cli, cli->operands[0], rl_cli_value(cli, "program-data", NULL),
                                                rl_cli_value(cli, "method", NULL), program);

    if (status == RL_OK) {
        status = rl_cli_settle_ranking(cli, program, false, &request->ranking);
    }
    request->runs_cases = status == RL_OK && program->bundle && path_count == 0;
    if (status == RL_OK) {
        status = request->runs_cases ? rl_cli_bundle_samples(cli, program, samples)
                                     : rl_cli_load_samples(cli, program, NULL, paths, path_count, samples);
    }
    if (status != RL_OK) {
        return status;
    }
    if (cli->capture && request->seconds > 0 && strcmp(request->core, "host") == 0) {
        return rl_fail(&cli->context, RL_ERROR_ARGUMENT,
                       "--timeout is for emulated cores, and for the command line: a run on the host can be cancelled");
    }
    samples->sequence = request->runs_cases ? samples->sequence : request->sequence;
    program->host.max_steps = (uint64_t)request->steps;
    program->timeout_seconds = (unsigned)request->seconds;
    start_clock(program, request->core);
    status = rl_cli_run_samples(cli, program, samples, request->core, outputs);
    if (status == RL_OK) {
        stop_clock(program, request->core);
        status = rl_cli_settle_ranking(cli, program, true, &request->ranking);
    }
    return status;
}

static int run_once(struct rl_cli *cli, struct request *request)
{
    struct rl_cli_program program;
    struct rl_dataset samples;
    struct rl_cli_outputs outputs;
    const char *path = rl_cli_value(cli, "output", NULL);
    const int status = rl_cli_read_ranking(cli, &request->ranking);

    if (status != RL_EXIT_DONE) {
        return status;
    }
    if (execute(cli, request, &program, &samples, &outputs) != RL_OK) {
        return rl_cli_failed(cli);
    }
    struct result result = {.outputs = &outputs, .core = request->core, .count = program.output_count};
    result.arrays = rl_arena_array(cli->arena, (size_t)program.output_count, sizeof *result.arrays);
    for (int i = 0; i < program.output_count; i++) {
        result.arrays[i] = output_array(cli, &program, &outputs, i);
    }
    if (request->runs_cases) {
        result.bundle = rl_cli_compare_bundle(cli, &program, &outputs, &request->tolerance);
        if (!result.bundle) {
            return rl_cli_failed(cli);
        }
    }
    const bool differs = result.bundle && json_array_size(json_object_get(result.bundle, "failed")) > 0;
    if (path && rl_npz_write(&cli->context, path, result.arrays, program.output_count) != RL_OK) {
        return rl_cli_failed(cli);
    }
    if (request->ranking.top > 0) {
        result.ranked = rl_cli_ranking_json(cli, &program, &samples, &outputs, &request->ranking);
    }
    const int printed = rl_cli_given(cli, "json") ? print_json(cli, &result) : print_table(&result);
    return printed == RL_EXIT_DONE && differs ? RL_EXIT_FAILED : printed;
}

// The files that a run reads.
static const char **watched_paths(struct rl_cli *cli, int *count)
{
    const char *const *inputs = rl_cli_values(cli, "input", count);
    const char **paths = rl_arena_array(cli->arena, (size_t)*count + 3, sizeof *paths);

    memcpy(paths, inputs, (size_t)*count * sizeof *paths);
    paths[(*count)++] = cli->operands[0];
    paths[(*count)++] = rl_cli_value(cli, "program-data", NULL);
    paths[(*count)++] = rl_cli_value(cli, "labels", NULL);
    return paths;
}

static int run(struct rl_cli *cli)
{
    struct request request;
    int count, status = read_request(cli, &request);

    if (status != RL_EXIT_DONE) {
        return status;
    }
    if (rl_cli_given(cli, "watch")) {
        const char **paths = watched_paths(cli, &count);
        if (!rl_cli_watch(cli, paths, count, rl_cli_value(cli, "output", NULL), &status)) {
            return status;
        }
    }
    return run_once(cli, &request);
}

static const struct rl_cli_option options[] = {
    {"input", 0, "DATA", true, ".npz, .npy, .png, .jpg, .wav, .csv or a folder of files; else one sample of zeros"},
#include "cli/preparation.def"
    {"labels", 0, "FILE", false, "the names of the classes, one a line; prints the likeliest"},
    {"top", 0, "N", false, "print the N likeliest classes of each sample; 5 with --labels"},
    {"watch", 0, NULL, false, "run again when a file changes, until Ctrl-C"},
    {"output", 'o', "Y.npz", false, "write the outputs of all samples"},
    {"no-elements", 0, NULL, false, "with --json: outputs have their types and shapes only"},
    {"sequence", 0, "N", false, "with state: each N samples are a sequence, which starts anew; all are one"},
    {"rtol", 0, "R", false, "for the outputs that a .bpte expects: relative tolerance (1e-5)"},
    {"atol", 0, "A", false, "the same: absolute tolerance (1e-8)"},
    {"program-data", 0, "MODEL.ptd", false, "the tensors that the program keeps in another file"},
    {"method", 0, "NAME", false, "which method to run; forward, or else the first one"},
    {"max-steps", 0, "N", false, "instructions of one inference on the host (100000000)"},
    {"timeout", 0, "SECONDS", false, "for all samples; on an emulated core 600 without this option"},
    {"on", 0, "CORE", false, "host (default), or an emulated core such as cortex-m4"},
    {"require-checksum", 0, NULL, false, "refuse a program without a checksum"},
    {"max-unpacked", 0, "BYTES", false, "what a .npz or image may unfold to; 32 times the file, 128M at least"},
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_run = {
    .name = "run",
    .operands = "MODEL.pte|MODEL.bpte",
    .operand_count = 1,
    .summary = "run a program on the host or on an emulated core; test a bundled one",
    .options = options,
    .run = run,
};
