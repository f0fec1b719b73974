// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bundle.h"
#include "cli/cli.h"
#include "cli/compilation.h"
#include "cli/compiled.h"
#include "cli/emission.h"
#include "cli/execution.h"
#include "cli/histograms.h"
#include "cli/inspect.h"
#include "cli/page.h"
#include "cli/report.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite/geometry.h"
#include "compiler/support/file.h"

enum emission { EMIT_PTE, EMIT_C };

static const struct rl_cli_choice emissions[] = {
    {"pte", EMIT_PTE, false},
    {"c", EMIT_C, false},
    {0},
};

static const struct rl_cli_choice arenas[] = {
    {"static", 0, false},
    {"caller", 1, false},
    {0},
};

static const struct rl_cli_choices choices[] = {
    {"quantize", rl_cli_quantizations},
    {"quantizer", rl_cli_quantizers},
    {"accuracy", rl_cli_accuracies},
    {"io", rl_cli_interfaces},
    {"emit", emissions},
    {"arena", arenas},
    {0},
};

static int read_stage(const struct rl_cli *cli, const char **name)
{
    int count = 0;

    *name = rl_cli_value(cli, "dump-after", NULL);
    if (!*name) {
        return RL_EXIT_DONE;
    }
    while (rl_stage_at(count)) {
        count++;
    }
    const char **names = rl_arena_array(cli->arena, (size_t)count, sizeof *names);
    for (int i = 0; i < count; i++) {
        names[i] = rl_stage_at(i)->name;
        if (strcmp(*name, names[i]) == 0) {
            return RL_EXIT_DONE;
        }
    }
    return rl_cli_unknown(cli, "dump-after", *name, names, count);
}

static void print_stages(void)
{
    printf("stages, in order:\n");
    for (int i = 0; rl_stage_at(i); i++) {
        printf("  %-34s %s\n", rl_stage_at(i)->name, rl_stage_at(i)->meaning);
    }
}

// Options of --emit c alone.
static int check_emission(const struct rl_cli *cli, int emission)
{
    static const char *const names[] = {"with-kernels", "name", "labels", "arena", "force"};

    for (size_t i = 0; emission == EMIT_PTE && i < sizeof names / sizeof names[0]; i++) {
        if (rl_cli_given(cli, names[i])) {
            return rl_cli_usage_error(cli, "--%s goes with --emit c", names[i]);
        }
    }
    if (emission == EMIT_C && rl_cli_given(cli, "bundle")) {
        return rl_cli_usage_error(cli, "--bundle cannot be combined with --emit c: it holds a .pte");
    }
    if (emission == EMIT_C && rl_cli_given(cli, "report")) {
        return rl_cli_usage_error(cli, "--report cannot be combined with --emit c: the page is about a .pte");
    }
    return RL_EXIT_DONE;
}

static int read_options(struct rl_cli *cli, struct rl_compile_options *options, int *emission)
{
    int arena;

    if (rl_cli_read_compilation(cli, options) != RL_EXIT_DONE ||
        rl_cli_choose(cli, "emit", "pte", emission) != RL_EXIT_DONE ||
        rl_cli_choose(cli, "arena", "static", &arena) != RL_EXIT_DONE ||
        check_emission(cli, *emission) != RL_EXIT_DONE ||
        rl_cli_bytes(cli, "max-arena", 0, &options->max_arena) != RL_EXIT_DONE ||
        read_stage(cli, &options->dump_after) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    if (!rl_cli_given(cli, "output")) {
        return rl_cli_usage_error(cli, "-o OUT.pte is missing (with --emit c: -o FOLDER)");
    }
    if (rl_cli_given(cli, "verbose") && rl_cli_given(cli, "json")) {
        return rl_cli_usage_error(cli,
                                  "--verbose is for people, and --json for scripts; 'rushlight inspect --json' has "
                                  "layers and memory map");
    }
    if (rl_cli_is_bundle_path(rl_cli_value(cli, "output", "")) && !rl_cli_given(cli, "bundle")) {
        return rl_cli_usage_error(cli,
                                  "-o %s: a .bpte is a program with inputs and expected outputs, which --bundle "
                                  "adds; accepted: a .pte, or --bundle",
                                  rl_cli_value(cli, "output", ""));
    }
    if (rl_cli_given(cli, "explicit-layout") && options->quantization == RL_QUANTIZE_NONE) {
        return rl_cli_usage_error(cli, "--explicit-layout cannot be combined with --quantize none: only integer "
                                       "operators have a form for it (cortex_m::*_nhwc)");
    }
    options->explicit_layout = rl_cli_given(cli, "explicit-layout");
    // Standard output belongs to the result.
    options->dump_file = rl_cli_given(cli, "json") ? stderr : stdout;
    return RL_EXIT_DONE;
}

// One line for all nodes with the same reason.
static void warn_about_float(struct rl_cli *cli, const json_t *groups)
{
    size_t index;
    const json_t *group;

    json_array_foreach(groups, index, group)
    {
        char *text = rl_cli_group_text(group);
        rl_log(&cli->context, RL_LOG_WARNING, "%s: %s", cli->operands[0], text);
        rl_cli_free(text);
    }
}

// Those inputs or outputs whose users have to know a scale.
static void print_grids(const json_t *report, const char *key)
{
    size_t index;
    const json_t *value;

    json_array_foreach(json_object_get(report, key), index, value)
    {
        if (json_object_get(value, "scale")) {
            printf("  %s %zu '%s': int8, scale %.9g, zero point %lld\n", key, index,
                   json_string_value(json_object_get(value, "name")), json_real_value(json_object_get(value, "scale")),
                   (long long)json_integer_value(json_object_get(value, "zero_point")));
        }
    }
}

static void print_dropped(const json_t *dropped)
{
    if (json_is_object(dropped)) {
        printf("  dropped %12lld channels that cannot change an output: %lld of %lld MACs are left, %lld of %lld bytes "
               "of weights\n",
               (long long)json_integer_value(json_object_get(dropped, "channels")),
               (long long)json_integer_value(json_object_get(dropped, "macs")),
               (long long)json_integer_value(json_object_get(dropped, "macs_before")),
               (long long)json_integer_value(json_object_get(dropped, "weight_bytes")),
               (long long)json_integer_value(json_object_get(dropped, "weight_bytes_before")));
    }
}

// What --winograd changed.
static void print_winograd(const json_t *winograd)
{
    if (json_is_object(winograd)) {
        printf("  winograd %11lld convolutions, %lld bytes of weights in place of %lld\n",
               (long long)json_integer_value(json_object_get(winograd, "convolutions")),
               (long long)json_integer_value(json_object_get(winograd, "weight_bytes")),
               (long long)json_integer_value(json_object_get(winograd, "weight_bytes_before")));
    }
}

static int print_table(const struct rl_cli *cli, json_t *report)
{
    const char *name;
    json_t *count;

    printf("%s\n", rl_cli_value(cli, "output", ""));
    const json_int_t name_bytes = json_integer_value(json_object_get(report, "name_bytes"));
    printf("  program %12lld bytes, of which constants %lld",
           (long long)json_integer_value(json_object_get(report, "program_bytes")),
           (long long)json_integer_value(json_object_get(report, "constant_bytes")));
    printf(name_bytes > 0 ? ", names of layers %lld\n" : "\n", (long long)name_bytes);
    printf("  arena   %12lld bytes; no plan of this order needs less than %lld\n",
           (long long)json_integer_value(json_object_get(report, "arena_bytes")),
           (long long)json_integer_value(json_object_get(report, "lower_bound_bytes")));
    print_dropped(json_object_get(report, "dropped_channels"));
    print_winograd(json_object_get(report, "winograd"));
    json_object_foreach(json_object_get(report, "ops"), name, count)
    {
        printf("  %6lld x %s\n", (long long)json_integer_value(count), name);
    }
    const json_t *bundle = json_object_get(report, "bundle");
    if (json_is_object(bundle)) {
        printf("  bundle  %12lld cases in %s\n", (long long)json_integer_value(json_object_get(bundle, "cases")),
               json_string_value(json_object_get(bundle, "file")));
    }
    print_grids(report, "inputs");
    print_grids(report, "outputs");
    printf("  %.2f seconds\n", json_real_value(json_object_get(report, "seconds")));
    json_decref(report);
    return RL_EXIT_DONE;
}

// The layers in order, and where each tensor lies when.
static void print_details(struct rl_cli *cli, const struct rl_emitted *emitted)
{
    const struct rl_host_files files = {
        .source = rl_cli_value(cli, "output", NULL), .program = emitted->file, .program_size = emitted->size};
    json_t *facts = rl_cli_inspect_pte(cli, &files);

    rl_cli_print_operators(facts, false);
    rl_cli_print_memory(cli, facts);
    json_decref(facts);
}

// null if there are none.
static json_t *dropped_json(const struct rl_dropped_channels *dropped)
{
    if (!dropped) {
        return json_null();
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "channels", (json_int_t)dropped->channels, "macs_before",
                     (json_int_t)dropped->macs_before, "macs", (json_int_t)dropped->macs_after, "weight_bytes_before",
                     (json_int_t)dropped->weight_bytes_before, "weight_bytes", (json_int_t)dropped->weight_bytes_after);
}

// null if no convolution has transformed weights.
static json_t *winograd_json(const struct rl_graph *graph)
{
    int64_t convolutions = 0, bytes = 0;

    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (rl_is_winograd(node)) {
            convolutions++;
            bytes += (int64_t)rl_tensor_bytes(&rl_node_tensor(node, "weight")->type);
        }
    }
    return convolutions == 0
               ? json_null()
               : json_pack("{s:I, s:I, s:I}", "convolutions", (json_int_t)convolutions, "weight_bytes_before",
                           (json_int_t)(bytes / 32 * 9), "weight_bytes", (json_int_t)bytes);
}

static json_t *report_json(const struct rl_compiled *compiled, json_t *groups, double seconds)
{
    const struct rl_graph *graph = compiled->graph;

    return json_pack(
        "{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "fp32_groups", groups, "quantizer",
        rl_cli_quantizer_json(compiled->quantizer_report), "arena_bytes", (json_int_t)compiled->plan.sizes.arena_bytes,
        "lower_bound_bytes", (json_int_t)compiled->plan.sizes.lower_bound_bytes, "constant_bytes",
        (json_int_t)compiled->emitted.constant_bytes, "program_bytes", (json_int_t)compiled->emitted.size, "name_bytes",
        (json_int_t)compiled->emitted.name_bytes, "dropped_channels", dropped_json(compiled->dropped), "winograd",
        winograd_json(graph), "ops", rl_cli_operator_counts(&compiled->emitted), "fp32_nodes",
        rl_cli_float_nodes(graph), "inputs", rl_cli_interface(graph->inputs, graph->input_grids, graph->input_count),
        "outputs", rl_cli_interface(graph->outputs, graph->output_grids, graph->output_count), "seconds", seconds);
}

// How the samples of the compilation are distributed on the grids of the program.
static void add_histograms(struct rl_cli *cli, const struct rl_compile_options *options,
                           const struct rl_emitted *emitted, json_t *data)
{
    struct rl_cli_program *program = rl_arena_alloc(cli->arena, sizeof *program);
    struct rl_dataset samples;

    if (rl_cli_open_compiled(cli, options, emitted, rl_cli_value(cli, "output", NULL), program, &samples) != RL_OK) {
        return; // those of the weights are there
    }
    json_t *histograms = rl_cli_histograms(cli, program, &samples, NULL);
    rl_cli_histogram_grids(histograms, json_object_get(json_object_get(data, "inspect"), "instructions"),
                           json_object_get(json_object_get(data, "compilation"), "quantizer"));
    json_object_set_new(data, "histograms", histograms);
}

// The page about the program, which was written before. What takes another time in each run is not on it.
static enum rl_status write_page(struct rl_cli *cli, const struct rl_compile_options *options,
                                 const struct rl_emitted *emitted, const json_t *report)
{
    const char *path = rl_cli_value(cli, "report", NULL);
    const struct rl_core *core = options->target.core;
    struct rl_cli_room room = {0};

    if (!path) {
        return RL_OK;
    }
    if (core->isa != RL_ISA_ANY) {
        rl_cli_set_core(&room, core);
    }
    json_t *data = rl_cli_page_data(cli, rl_cli_value(cli, "output", NULL), NULL, room.core ? &room : NULL);
    if (!data) {
        return RL_ERROR_IO;
    }
    json_t *compilation = json_copy((json_t *)(uintptr_t)report);
    json_object_del(compilation, "seconds");
    json_object_set_new(data, "compilation", compilation);
    add_histograms(cli, options, emitted, data);
    const enum rl_status status = rl_cli_write_page(cli, path, data);
    json_decref(data);
    return status;
}

// Writes the program, and a bundle where that is wanted: in its place, if its name says so.
static enum rl_status write_files(struct rl_cli *cli, const struct rl_compile_options *options,
                                  const struct rl_emitted *emitted, json_t **bundle)
{
    const char *path = rl_cli_value(cli, "output", NULL);
    enum rl_status status = RL_OK;
    uint32_t cases = 0;

    *bundle = json_null();
    if (!rl_cli_is_bundle_path(path)) {
        status = rl_file_write(&cli->context, path, emitted->file, emitted->size);
    }
    if (status == RL_OK && rl_cli_given(cli, "bundle")) {
        const char *bundle_path = rl_cli_bundle_path(cli->arena, path);
        status = rl_cli_write_bundle(cli, options, emitted, bundle_path, &cases);
        *bundle = json_pack("{s:s, s:I}", "file", bundle_path, "cases", (json_int_t)cases);
    }
    return status;
}

static enum rl_status write_result(struct rl_cli *cli, int emission, const struct rl_compile_options *options,
                                   const struct rl_compiled *compiled, struct rl_c_source *source, json_t **bundle)
{
    if (emission == EMIT_C) {
        *bundle = json_null();
        const enum rl_status status = rl_cli_emit_c(cli, options, compiled, source);
        return status == RL_OK ? rl_cli_write_c(cli, source, options->target.isa) : status;
    }
    return write_files(cli, options, &compiled->emitted, bundle);
}

// --emit c of what has been compiled.
static int emit_program(struct rl_cli *cli, const struct rl_host_files *files, const struct rl_target *target)
{
    struct rl_c_source source;

    if (rl_cli_check_compiled(cli) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    if (rl_cli_emit_program(cli, files, target, &source) != RL_OK ||
        rl_cli_write_c(cli, &source, target->isa) != RL_OK) {
        return rl_cli_failed(cli);
    }
    if (rl_cli_given(cli, "json")) {
        return rl_cli_print_json(cli, json_pack("{s:I, s:I, s:o}", "arena_bytes", (json_int_t)source.arena_bytes,
                                                "constant_bytes", (json_int_t)source.constant_bytes, "c",
                                                rl_cli_c_json(cli, &source)));
    }
    printf("%s: model.c and model.h; constants %u bytes, arena %u, stack at most %u\n", rl_cli_value(cli, "output", ""),
           source.constant_bytes, source.arena_bytes, source.stack_bytes);
    return RL_EXIT_DONE;
}

static int run(struct rl_cli *cli)
{
    struct rl_compile_options options = {0};
    struct rl_host_files files;
    struct rl_compiled compiled;
    struct rl_c_source source;
    double start = rl_cli_seconds();
    int emission = EMIT_PTE, status = read_options(cli, &options, &emission);

    if (status != RL_EXIT_DONE) {
        return status;
    }
    if (emission == EMIT_C) {
        if (rl_cli_read_program(cli, cli->operands[0], NULL, NULL, &files) != RL_OK) {
            return rl_cli_failed(cli);
        }
        if (rl_cli_is_program(&files)) {
            return emit_program(cli, &files, &options.target);
        }
    }
    json_t *bundle = NULL;
    if (rl_compile(&cli->context, cli->arena, &options, &compiled) != RL_OK ||
        write_result(cli, emission, &options, &compiled, &source, &bundle) != RL_OK) {
        json_decref(bundle);
        return rl_cli_failed(cli);
    }
    json_t *groups = rl_cli_float_groups(compiled.graph);
    if (options.quantization != RL_QUANTIZE_NONE) {
        warn_about_float(cli, groups);
    }
    json_t *report = report_json(&compiled, groups, rl_cli_seconds() - start);
    json_object_set_new(report, "bundle", bundle);
    if (emission == EMIT_C) {
        json_object_set_new(report, "c", rl_cli_c_json(cli, &source));
    }
    if (write_page(cli, &options, &compiled.emitted, report) != RL_OK) {
        json_decref(report);
        return rl_cli_failed(cli);
    }
    if (rl_cli_given(cli, "explain")) {
        rl_cli_print_quantizer(json_object_get(report, "quantizer"), rl_cli_given(cli, "json") ? stderr : stdout);
    }
    if (rl_cli_given(cli, "json")) {
        return rl_cli_print_json(cli, report);
    }
    if (rl_cli_given(cli, "verbose")) {
        print_details(cli, &compiled.emitted);
    }
    return print_table(cli, report);
}

static const struct rl_cli_option option_table[] = {
    {"output", 'o', "OUT", false, "the program to write: a .pte, or a folder with --emit c"},
    {"target", 0, "CORE[+ISA]", false, "see 'rushlight targets'; cortex-m55"},
#include "cli/compilation.def"
    {"for", 0, "RUNTIME", false, "rushlight (default), executorch"},
    {"explicit-layout", 0, NULL, false, "images are tensors of N, H, W, C, for cortex_m::*_nhwc operators"},
    {"emit", 0, "FORM", false,
     "pte (default), c: model.c and model.h, which call the kernels directly; also of a .pte"},
    {"with-kernels", 0, NULL, false, "of c: the sources of the kernels as well, for the core of --target"},
    {"name", 0, "NAME", false, "of c: how public names start; the name of the folder"},
    {"labels", 0, "FILE", false, "of c: the names of the classes, one a line"},
    {"arena", 0, "WHOSE", false, "of c: static (default), caller: functions take it"},
    {"force", 0, NULL, false, "of c: replace a folder that rushlight wrote"},
    {"max-arena", 0, "BYTES", false, "fail when more memory is needed"},
    {"bundle", 0, NULL, false, "write OUT.bpte, too: the program with inputs and expected outputs, for any runner"},
    {"report", 0, "OUT.html", false, "write a page about the program, too, measured on the core of --target"},
    {"verbose", 0, NULL, false, "print the operators with their layers, and the memory map, too"},
    {"explain", 0, NULL, false, "print what the quantizer decided: patterns, nodes, reasons, scales of all tensors"},
    {"dump-after", 0, "STAGE", false, "print the graph after this stage; the stages are below"},
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_compile = {
    .name = "compile",
    .operands = "MODEL.pt2",
    .operand_count = 1,
    .summary = "quantize, lower and plan a model; write it as an ExecuTorch program",
    .options = option_table,
    .choices = choices,
    .print_more_help = print_stages,
    .run = run,
};
