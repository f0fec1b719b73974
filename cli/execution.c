// SPDX-License-Identifier: Apache-2.0
#include "cli/execution.h"

#include <string.h>

#include "compiler/data/files.h"
#include "compiler/data/npy.h"
#include "compiler/data/npz.h"
#include "compiler/support/file.h"

static enum rl_status tensor_type(struct rl_cli *cli, const char *path, enum rl_status status, const char *what,
                                  int index, const struct rl_tensor *tensor, struct rl_tensor_type *type)
{
    int64_t sizes[RL_MAX_RANK] = {0};

    if (status != RL_OK) {
        return rl_fail(&cli->context, status, "%s: %s %d: expected a tensor, a number or None", path, what, index);
    }
    for (int i = 0; i < tensor->rank; i++) {
        sizes[i] = tensor->sizes[i];
    }
    *type = rl_tensor_type_make((enum rl_scalar_type)tensor->dtype, tensor->rank, sizes);
    return RL_OK;
}

static struct rl_tensor_type *new_types(struct rl_cli *cli, int count)
{
    return rl_arena_array(cli->arena, (size_t)count, sizeof(struct rl_tensor_type));
}

// The tensors that the program takes; numbers and None among its inputs are part of it.
static enum rl_status describe_inputs(struct rl_cli *cli, struct rl_cli_program *program)
{
    struct rl_method *method = &program->host.method;
    const int count = (int)rl_method_input_count(method);
    struct rl_tensor tensor;
    enum rl_status status = RL_OK;

    program->input_bounds = new_types(cli, count);
    program->input_types = new_types(cli, count);
    program->input_places = rl_arena_array(cli->arena, (size_t)count, sizeof *program->input_places);
    program->input_changes = rl_arena_array(cli->arena, (size_t)count, sizeof(bool));
    for (int i = 0; i < count && status == RL_OK; i++) {
        const int k = program->input_count;
        enum rl_status found = rl_method_input_bound(method, (uint32_t)i, &tensor, &program->input_changes[k]);
        if (found == RL_ERROR_TYPE) {
            continue;
        }
        status = tensor_type(cli, program->path, found, "input", i, &tensor, &program->input_bounds[k]);
        program->input_types[k] = program->input_bounds[k];
        program->input_places[k] = (uint32_t)i;
        program->input_count++;
    }
    return status;
}

static enum rl_status describe_outputs(struct rl_cli *cli, struct rl_cli_program *program)
{
    struct rl_method *method = &program->host.method;
    struct rl_tensor tensor;
    enum rl_status status = RL_OK;

    program->output_count = (int)rl_method_output_count(method);
    program->output_bounds = new_types(cli, program->output_count);
    program->output_types = new_types(cli, program->output_count);
    program->output_changes = rl_arena_array(cli->arena, (size_t)program->output_count, sizeof(bool));
    for (int i = 0; i < program->output_count && status == RL_OK; i++) {
        enum rl_status found = rl_method_output_bound(method, (uint32_t)i, &tensor, &program->output_changes[i]);
        const bool is_number = found == RL_ERROR_TYPE;
        if (is_number) {
            found = rl_method_output_value(method, (uint32_t)i, &tensor);
        }
        status = tensor_type(cli, program->path, found, "output", i, &tensor, &program->output_bounds[i]);
        program->output_types[i] = program->output_bounds[i];
        if (is_number && program->output_types[i].rank == 0) {
            program->output_bounds[i].dtype = RL_INT64; // room for any kind of number
        }
    }
    return status;
}

enum rl_status rl_cli_read_program(struct rl_cli *cli, const char *path, const char *data_path, const char *method,
                                   struct rl_host_files *files)
{
    void *program = NULL, *data = NULL;

    *files = (struct rl_host_files){.source = path, .method = method};
    enum rl_status status = rl_file_read(&cli->context, cli->arena, path, &program, &files->program_size);
    if (status == RL_OK && data_path) {
        status = rl_file_read(&cli->context, cli->arena, data_path, &data, &files->data_size);
    }
    files->program = program;
    files->data = data;
    return status;
}

enum rl_status rl_cli_open_program(struct rl_cli *cli, const char *path, const char *data_path, const char *method,
                                   struct rl_cli_program *program)
{
    struct rl_host_files files;
    enum rl_status status = rl_cli_read_program(cli, path, data_path, method, &files);

    *program = (struct rl_cli_program){.path = path, .data_path = data_path};
    if (status == RL_OK) {
        status = rl_host_program_open(&cli->context, cli->arena, &files, &program->host);
    }
    if (status == RL_OK) {
        status = describe_inputs(cli, program);
    }
    if (status != RL_OK) {
        return status;
    }
    return describe_outputs(cli, program);
}

static const struct rl_array *find_array(const struct rl_array *arrays, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(arrays[i].name, name) == 0) {
            return &arrays[i];
        }
    }
    return NULL;
}

// Whether an array can hold samples of this type: an axis of samples first, in place of or before the first dimension.
// If its shape may change, any sizes will do.
static bool array_fits(const struct rl_array *array, const struct rl_tensor_type *type, bool changes)
{
    int extra = array->rank - type->rank;

    if (array->skipped || extra < 0 || extra > 1 || array->rank == 0) {
        return false;
    }
    if (changes) {
        return true;
    }
    for (int i = extra == 1 ? 0 : 1; i < type->rank; i++) {
        if (array->sizes[i + extra] != type->sizes[i]) {
            return false;
        }
    }
    return extra == 1 || (type->sizes[0] > 0 && array->sizes[0] % type->sizes[0] == 0);
}

// The name of the first array of a .npz that fits input `index` and that no input before it has; NULL if there is none.
static const char *fitting_array(const struct rl_graph *graph, const struct rl_array *arrays, int count,
                                 const struct rl_tensor_type *type, bool changes)
{
    for (int i = 0; i < count; i++) {
        bool taken = false;
        for (int k = 0; k < graph->input_count; k++) {
            taken = taken || strcmp(graph->inputs[k]->name, arrays[i].name) == 0;
        }
        if (!taken && array_fits(&arrays[i], type, changes)) {
            return arrays[i].name;
        }
    }
    return NULL;
}

// The program's inputs under the names by which data files call them.
static enum rl_status name_inputs(struct rl_cli *cli, const struct rl_cli_program *program,
                                  const struct rl_graph *model, const char *path, struct rl_graph **graph)
{
    struct rl_array *arrays = NULL;
    int count = 0;
    size_t length = path ? strlen(path) : 0;

    if (!model && length >= 4 && strcmp(path + length - 4, ".npz") == 0) {
        enum rl_status status = rl_npz_read(&cli->context, cli->arena, path, &arrays, &count);
        if (status != RL_OK) {
            return status;
        }
    }
    *graph = rl_graph_new(cli->arena, "inputs", program->path);
    for (int i = 0; i < program->input_count; i++) {
        const char *numbered = rl_arena_format(cli->arena, "input_%d", (int)program->input_places[i]);
        const char *name = program->input_count == 1 && !find_array(arrays, count, numbered) ? "input" : numbered;
        if (model && i < model->input_count) {
            name = model->inputs[i]->name;
        } else if (count > 1 && !find_array(arrays, count, name)) {
            const char *fitting =
                fitting_array(*graph, arrays, count, &program->input_types[i], program->input_changes[i]);
            name = fitting ? fitting : name;
        }
        rl_graph_add_input(*graph, name, &program->input_types[i]);
    }
    return RL_OK;
}

// Gives inputs whose shape may change the sizes of their arrays; what does not fit, the runtime refuses.
static enum rl_status adopt_sizes(struct rl_cli *cli, struct rl_cli_program *program, struct rl_graph *graph,
                                  const char *const *paths, int path_count, bool one_each)
{
    struct rl_array *arrays;
    int count = 0;

    for (int i = 0; i < program->input_count && path_count > 0; i++) {
        if (!program->input_changes[i]) {
            continue;
        }
        enum rl_status status = rl_data_read(&cli->context, cli->arena, paths[one_each ? i : 0], &arrays, &count);
        if (status != RL_OK) {
            return status;
        }
        const struct rl_array *array =
            one_each || count == 1 ? &arrays[0] : find_array(arrays, count, graph->inputs[i]->name);
        struct rl_tensor_type *type = &program->input_types[i];
        int extra = array && !array->skipped ? array->rank - type->rank : -1;
        if (extra == 0 || extra == 1) {
            memcpy(type->sizes, array->sizes + extra, (size_t)type->rank * sizeof *type->sizes);
            graph->inputs[i]->type = *type;
        }
    }
    return RL_OK;
}

static bool is_npy(const char *path)
{
    size_t length = strlen(path);

    return length >= 4 && strcmp(path + length - 4, ".npy") == 0;
}

static enum rl_status load_zeros(struct rl_cli *cli, const struct rl_cli_program *program, const struct rl_graph *graph,
                                 struct rl_dataset *samples)
{
    struct rl_array *arrays = rl_arena_array(cli->arena, (size_t)program->input_count, sizeof *arrays);

    for (int i = 0; i < program->input_count; i++) {
        const struct rl_tensor_type *type = &program->input_types[i];
        arrays[i] = (struct rl_array){.name = graph->inputs[i]->name, .dtype = type->dtype, .rank = type->rank};
        memcpy(arrays[i].sizes, type->sizes, sizeof arrays[i].sizes);
        arrays[i].data = rl_arena_alloc(cli->arena, rl_tensor_bytes(type));
    }
    return rl_dataset_from_arrays(&cli->context, cli->arena, "zeros", arrays, program->input_count, graph, samples);
}

static enum rl_status load_one_file_each(struct rl_cli *cli, const char *const *paths, int path_count,
                                         const struct rl_graph *graph, struct rl_dataset *samples)
{
    struct rl_array *arrays = rl_arena_array(cli->arena, (size_t)path_count, sizeof *arrays);

    for (int i = 0; i < path_count; i++) {
        enum rl_status status = rl_npy_read(&cli->context, cli->arena, paths[i], &arrays[i]);
        if (status != RL_OK) {
            return status;
        }
        arrays[i].name = graph->inputs[i]->name;
    }
    return rl_dataset_from_arrays(&cli->context, cli->arena, paths[0], arrays, path_count, graph, samples);
}

enum rl_status rl_cli_load_samples(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_graph *model,
                                   const char *const *paths, int path_count, struct rl_dataset *samples)
{
    bool one_each = program->input_count > 1 && path_count == program->input_count;
    struct rl_graph *graph;

    *samples = (struct rl_dataset){0};
    for (int i = 0; i < path_count; i++) {
        one_each = one_each && is_npy(paths[i]);
    }
    enum rl_status status = name_inputs(cli, program, model, path_count > 0 ? paths[0] : NULL, &graph);
    if (status == RL_OK) {
        status = adopt_sizes(cli, program, graph, paths, path_count, one_each);
    }
    if (status != RL_OK || program->input_count == 0) {
        return status;
    }
    if (path_count == 0) {
        return load_zeros(cli, program, graph, samples);
    }
    status = one_each ? load_one_file_each(cli, paths, path_count, graph, samples)
                      : rl_dataset_load(&cli->context, cli->arena, paths, path_count, graph, samples);
    if (status == RL_OK && samples->sample_count == 0) {
        return rl_fail(&cli->context, RL_ERROR_FORMAT, "%s: expected at least one sample, found none", paths[0]);
    }
    return status;
}
