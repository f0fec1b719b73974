// SPDX-License-Identifier: Apache-2.0
#include "cli/emission.h"

#include <string.h>

#include "cli/inspect.h"
#include "cli/ranking.h"
#include "compiler/host_program.h"
#include "compiler/support/file.h"

const char *rl_cli_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *rl_cli_model_name(struct rl_cli *cli, const char *path)
{
    const char *given = rl_cli_value(cli, "name", NULL);
    char *text = rl_arena_string(cli->arena, given ? given : path);
    size_t length = strlen(text);
    while (!given && length > 1 && text[length - 1] == '/') {
        text[--length] = '\0';
    }
    if (!given) {
        text = rl_arena_string(cli->arena, rl_cli_base_name(text));
        char *dot = strrchr(text, '.');
        if (dot && dot > text) {
            *dot = '\0';
        }
    }
    const char *name = rl_c_identifier(cli->arena, text);
    if (strcmp(name, text) != 0) {
        rl_log(&cli->context, RL_LOG_WARNING, "'%s' cannot start names in C: they start with '%s'", text, name);
    }
    return name;
}

// Labels name the numbers of an output: one of `counts` has as many.
static enum rl_status read_labels(struct rl_cli *cli, const int64_t *counts, int count, struct rl_cli_ranking *ranking)
{
    const enum rl_status status = rl_cli_read_labels(cli, ranking);
    if (status != RL_OK) {
        return status;
    }
    for (int i = 0; i < count; i++) {
        if (counts[i] == ranking->label_count) {
            return RL_OK;
        }
    }
    return rl_fail(&cli->context, RL_ERROR_ARGUMENT,
                   "%s: expected a name a line for the numbers of an output, found %d; the first output has %lld",
                   ranking->labels_path, ranking->label_count, count > 0 ? (long long)counts[0] : 0LL);
}

static struct rl_c_options describe(struct rl_cli *cli, const char *model, const struct rl_target *target,
                                    const struct rl_cli_ranking *ranking)
{
    return (struct rl_c_options){
        .name = rl_cli_model_name(cli, rl_cli_value(cli, "output", "")),
        .model = rl_cli_base_name(model),
        .core = target->core->isa == RL_ISA_ANY ? "any core" : target->core->name,
        .isa = target->isa,
        .labels = ranking->labels,
        .label_count = ranking->label_count,
        .arena_of_caller =
            rl_cli_has_option(cli, "arena") && strcmp(rl_cli_value(cli, "arena", "static"), "caller") == 0,
    };
}

int rl_cli_check_compiled(const struct rl_cli *cli)
{
    static const char *const useful[] = {
        "output",  "target",       "board", "name", "labels",           "force",       "emit",
        "runtime", "with-kernels", "arena", "json", "require-checksum", "max-unpacked"};
    for (const struct rl_cli_option *option = cli->verb->options; option->name; option++) {
        bool is_useful = !rl_cli_given(cli, option->name);
        for (size_t i = 0; i < sizeof useful / sizeof useful[0] && !is_useful; i++) {
            is_useful = strcmp(option->name, useful[i]) == 0;
        }
        if (!is_useful) {
            return rl_cli_usage_error(cli, "--%s is for a .pt2: %s has been compiled", option->name, cli->operands[0]);
        }
    }
    return RL_EXIT_DONE;
}

// The registry of the runtime form, for --runtime of verbs that have it.
static enum rl_status read_registry(struct rl_cli *cli, const struct rl_host_files *files, struct rl_c_options *c)
{
    struct rl_host_program program;
    if (!rl_cli_has_option(cli, "runtime") || !rl_cli_given(cli, "runtime")) {
        return RL_OK;
    }
    const enum rl_status status = rl_host_program_open(&cli->context, cli->arena, files, &program);
    if (status != RL_OK) {
        return status;
    }
    json_t *list = rl_cli_list_registry(&program.program);
    const char **names = rl_arena_array(cli->arena, json_array_size(list) + 1, sizeof *names);
    bool is_wide = false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        names[i] = rl_arena_string(cli->arena, json_string_value(json_array_get(list, i)));
        is_wide |= strncmp(names[i], "rl_kernel_wide_", strlen("rl_kernel_wide_")) == 0;
    }
    c->registry = names;
    c->registry_count = (int)json_array_size(list);
    c->has_flow = rl_cli_needs_flow(&program.program);
    json_decref(list);
    return is_wide
               ? rl_fail(&cli->context, RL_ERROR_UNSUPPORTED,
                         "%s: computes in float64, for which the project of --runtime has no build; docs/firmware.md "
                         "says how to make one",
                         files->source)
               : RL_OK;
}

enum rl_status rl_cli_emit_program(struct rl_cli *cli, const struct rl_host_files *files,
                                   const struct rl_target *target, struct rl_c_source *source)
{
    struct rl_cli_ranking ranking = {.labels_path = rl_cli_value(cli, "labels", NULL)};
    enum rl_status status = RL_OK;
    if (ranking.labels_path) {
        struct rl_cli_program *program = rl_arena_alloc(cli->arena, sizeof *program);
        status = rl_cli_open_files(cli, files, program);
        const int count = status == RL_OK ? program->output_count : 0;
        int64_t *counts = rl_arena_array(cli->arena, (size_t)count, sizeof *counts);
        for (int i = 0; i < count; i++) {
            counts[i] = rl_tensor_numel(&program->output_bounds[i]);
        }
        status = status == RL_OK ? read_labels(cli, counts, count, &ranking) : status;
    }
    if (status != RL_OK) {
        return status;
    }
    struct rl_c_options c = describe(cli, cli->operands[0], target, &ranking);
    status = read_registry(cli, files, &c);
    return status != RL_OK ? status : rl_c_emit(&cli->context, cli->arena, files, &c, source);
}

enum rl_status rl_cli_emit_c(struct rl_cli *cli, const struct rl_compile_options *options,
                             const struct rl_compiled *compiled, struct rl_c_source *source)
{
    const struct rl_graph *graph = compiled->graph;
    struct rl_cli_ranking ranking = {.labels_path = rl_cli_value(cli, "labels", NULL)};
    int64_t *counts = rl_arena_array(cli->arena, (size_t)graph->output_count, sizeof *counts);
    for (int i = 0; i < graph->output_count; i++) {
        counts[i] = rl_tensor_numel(&graph->outputs[i]->type);
    }
    enum rl_status status = ranking.labels_path ? read_labels(cli, counts, graph->output_count, &ranking) : RL_OK;
    if (status != RL_OK) {
        return status;
    }
    struct rl_c_options c = describe(cli, options->model, &options->target, &ranking);
    c.inputs = graph->input_names;
    c.outputs = graph->output_names;
    const struct rl_host_files files = {
        .source = options->model, .program = compiled->emitted.file, .program_size = compiled->emitted.size};
    status = read_registry(cli, &files, &c);
    return status != RL_OK ? status : rl_c_emit(&cli->context, cli->arena, &files, &c, source);
}

static const char *below(struct rl_cli *cli, const char *folder, const char *name)
{
    return folder[0] ? rl_arena_format(cli->arena, "%s/%s", folder, name) : name;
}

// All of the runtime, and what starts an update. The linker leaves out what the registry does not list.
static enum rl_status add_runtime(struct rl_cli *cli, const char *share, enum rl_isa isa, const char *folder,
                                  struct rl_project_files *files)
{
    static const char *const libraries[] = {"kernels", "format", "runtime"}, *const updates[] = {"update.c",
                                                                                                 "update.h"};
    enum rl_status status = RL_OK;
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0] && status == RL_OK; i++) {
        status = rl_sources_add(&cli->context, cli->arena, share, libraries[i], NULL, 0, isa, folder, files);
    }
    for (size_t i = 0; i < sizeof updates / sizeof updates[0] && status == RL_OK; i++) {
        void *data;
        size_t bytes;
        status = rl_file_read(&cli->context, cli->arena,
                              rl_arena_format(cli->arena, "%s/examples/update/%s", share, updates[i]), &data, &bytes);
        if (status == RL_OK) {
            rl_project_add(cli->arena, files, below(cli, folder, updates[i]), data, bytes);
        }
    }
    return status;
}

enum rl_status rl_cli_add_model(struct rl_cli *cli, const struct rl_c_source *source, const enum rl_isa *isa,
                                const char *folder, struct rl_project_files *files)
{
    rl_project_add(cli->arena, files, below(cli, folder, "model.c"), source->source, source->source_bytes);
    rl_project_add(cli->arena, files, below(cli, folder, "model.h"), source->header, source->header_bytes);
    const bool has_operators = source->operator_count > 0;
    const char *share = isa || has_operators ? rl_cli_share(cli) : NULL;
    if (!isa && !has_operators) {
        return RL_OK;
    }
    enum rl_status status = share ? RL_OK : RL_ERROR_IO;
    if (source->program && status == RL_OK) {
        rl_project_add(cli->arena, files, below(cli, folder, "program.c"), source->program, source->program_bytes);
        return add_runtime(cli, share, *isa, folder, files);
    }
    if (isa && status == RL_OK) {
        status = rl_sources_add(&cli->context, cli->arena, share, "kernels", source->functions, source->function_count,
                                *isa, folder, files);
    }
    if (has_operators && status == RL_OK) {
        status = rl_sources_add_operators(&cli->context, cli->arena, share, source->operators, source->operator_count,
                                          isa ? *isa : RL_ISA_ANY, folder, files);
    }
    return status;
}

enum rl_status rl_cli_write_c(struct rl_cli *cli, const struct rl_c_source *source, enum rl_isa isa)
{
    struct rl_project_files files = {0};
    const enum rl_status status =
        rl_cli_add_model(cli, source, rl_cli_given(cli, "with-kernels") ? &isa : NULL, "", &files);
    return status == RL_OK ? rl_project_write(&cli->context, cli->arena, rl_cli_value(cli, "output", NULL), &files,
                                              "model.h", rl_cli_given(cli, "force"))
                           : status;
}

json_t *rl_cli_c_json(struct rl_cli *cli, const struct rl_c_source *source)
{
    json_t *functions = json_array();
    for (int i = 0; i < source->function_count; i++) {
        json_array_append_new(functions, json_string(source->functions[i]));
    }
    return json_pack("{s:s, s:I, s:I, s:o}", "folder", rl_cli_value(cli, "output", ""), "stack_bytes",
                     (json_int_t)source->stack_bytes, "state_bytes", (json_int_t)source->state_bytes, "functions",
                     functions);
}
