// SPDX-License-Identifier: Apache-2.0
//
// Samples for the inputs of a program.
#include <string.h>

#include "cli/execution.h"
#include "compiler/data/files.h"
#include "compiler/emit/interface.h"
#include "compiler/media/media.h"
#include "compiler/passes/rewrite/match.h"

static struct rl_array *find_array(struct rl_array *arrays, int count, const char *name)
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
    if (extra == 1 || type->sizes[0] == 0) {
        return extra == 1 || array->sizes[0] == 0;
    }
    return array->sizes[0] % type->sizes[0] == 0;
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
    bool described = false;
    size_t length = path ? strlen(path) : 0;

    if (!model && length >= 4 && strcmp(path + length - 4, ".npz") == 0) {
        enum rl_status status = rl_data_list(&cli->context, cli->arena, path, &arrays, &count);
        if (status != RL_OK) {
            return status;
        }
    }
    *graph = rl_graph_new(cli->arena, "inputs", model && !path ? model->source : program->path);
    for (int i = 0; i < program->input_count; i++) {
        const char *numbered = rl_arena_format(cli->arena, "input_%d", (int)program->input_places[i]);
        const char *name = program->input_count == 1 && !find_array(arrays, count, numbered) ? "input" : numbered;
        if (model && i < model->input_count) {
            name = model->inputs[i]->name;
        } else if (count > 1 && !find_array(arrays, count, name)) {
            enum rl_status status =
                described ? RL_OK : rl_data_describe(&cli->context, cli->arena, NULL, arrays, count);
            if (status != RL_OK) {
                return status;
            }
            described = true;
            const char *fitting =
                fitting_array(*graph, arrays, count, &program->input_types[i], program->input_changes[i]);
            name = fitting ? fitting : name;
        }
        rl_graph_add_input(*graph, name, &program->input_types[i]);
    }
    return RL_OK;
}

// The arrays of a file, or of the first one in a folder.
static enum rl_status list_first(struct rl_cli *cli, const char *path, struct rl_array **arrays, int *count)
{
    struct rl_data_files files;
    enum rl_status status = rl_data_files(&cli->context, cli->arena, &path, 1, &files);

    if (status == RL_OK) {
        status = rl_data_list(&cli->context, cli->arena, files.paths[0], arrays, count);
    }
    return status;
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
        enum rl_status status = list_first(cli, paths[one_each ? i : 0], &arrays, &count);
        if (status != RL_OK) {
            return status;
        }
        struct rl_array *array =
            one_each || count == 1 ? &arrays[0] : find_array(arrays, count, graph->inputs[i]->name);
        status = rl_data_describe(&cli->context, cli->arena, &program->input_types[i], array, array ? 1 : 0);
        if (status != RL_OK) {
            return status;
        }
        struct rl_tensor_type *type = &program->input_types[i];
        int extra = array && !array->skipped ? array->rank - type->rank : -1;
        if (extra == 0 || extra == 1) {
            memcpy(type->sizes, array->sizes + extra, (size_t)type->rank * sizeof *type->sizes);
            graph->inputs[i]->type = *type;
        }
    }
    return RL_OK;
}

// Whether a file holds data for one input.
static bool is_for_one(const char *path)
{
    size_t length = strlen(path);

    return (length >= 4 && strcmp(path + length - 4, ".npy") == 0) || rl_media_kind(path) != RL_MEDIA_NONE;
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
    struct rl_array *arrays = rl_arena_array(cli->arena, (size_t)path_count, sizeof *arrays), *listed;
    enum rl_status status = rl_media_check(&cli->context, paths, path_count);

    for (int i = 0; i < path_count && status == RL_OK; i++) {
        const struct rl_tensor_type *type = &graph->inputs[i]->type;
        int count;
        status = rl_data_list(&cli->context, cli->arena, paths[i], &listed, &count);
        if (status == RL_OK) {
            status = rl_data_describe(&cli->context, cli->arena, type, listed, 1);
        }
        if (status == RL_OK && !listed->skipped) {
            status = rl_data_load(&cli->context, cli->arena, type, listed);
        }
        if (status == RL_OK) {
            arrays[i] = *listed;
            arrays[i].name = graph->inputs[i]->name;
        }
    }
    if (status != RL_OK) {
        return status;
    }
    return rl_dataset_from_arrays(&cli->context, cli->arena, paths[0], arrays, path_count, graph, samples);
}

// ---- real numbers for int8 inputs

static bool is_real(const struct rl_array *array)
{
    return array && !array->skipped &&
           (array->dtype == RL_FLOAT32 || array->dtype == RL_FLOAT64 || array->dtype == RL_FLOAT16);
}

// Whether the data for an input are real numbers. `model` tells; without one, the array of this input does.
static enum rl_status is_given_as_real(struct rl_cli *cli, const struct rl_graph *model, const struct rl_graph *graph,
                                       int index, const char *path, bool *given)
{
    struct rl_array *arrays;
    int count;

    if (model) {
        *given = model->inputs[index]->type.dtype == RL_FLOAT32;
        return RL_OK;
    }
    enum rl_status status = list_first(cli, path, &arrays, &count);
    if (status != RL_OK) {
        return status;
    }
    struct rl_array *array = find_array(arrays, count, graph->inputs[index]->name);
    array = !array && count == 1 ? &arrays[0] : array;
    const struct rl_tensor_type *type = &graph->inputs[index]->type;
    status = rl_data_describe(&cli->context, cli->arena, type, array, array ? 1 : 0);
    *given = status == RL_OK && is_real(array);
    return status;
}

// Inputs on a known grid take real numbers until they are loaded: grids[i].scale is above 0 for them.
static enum rl_status expect_reals(struct rl_cli *cli, const struct rl_cli_program *program,
                                   const struct rl_graph *model, struct rl_graph *graph, const char *const *paths,
                                   int path_count, bool one_each, struct rl_io_grid *grids)
{
    for (int i = 0; i < program->input_count; i++) {
        bool given = false;
        struct rl_io_grid grid;
        if (program->input_types[i].dtype != RL_INT8 ||
            !rl_interface_grid(&program->host.program, "input", (int)program->input_places[i], &grid)) {
            continue;
        }
        const char *path = path_count > 0 ? paths[one_each ? i : 0] : NULL;
        const enum rl_status status = is_given_as_real(cli, model, graph, i, path, &given);
        if (status != RL_OK) {
            return status;
        }
        if (given) {
            grids[i] = grid;
            graph->inputs[i]->type.dtype = RL_FLOAT32;
        }
    }
    return RL_OK;
}

// Puts them on the grid, as the program's own quantize would.
static void quantize_input(struct rl_arena *arena, const struct rl_io_grid *io_grid, int64_t sample_count,
                           struct rl_dataset_input *input)
{
    const size_t count = (size_t)sample_count * (size_t)rl_tensor_numel(&input->type);
    const float *reals = (const float *)(const void *)input->samples;
    const struct rl_grid grid = {io_grid->scale, io_grid->zero_point, INT8_MIN, INT8_MAX, RL_INT8};
    int8_t *integers = rl_arena_array(arena, count, sizeof *integers);

    for (size_t i = 0; i < count; i++) {
        integers[i] = (int8_t)rl_grid_quantize(&grid, reals[i]);
    }
    input->type.dtype = RL_INT8;
    input->samples = (const unsigned char *)integers;
    input->sample_bytes = rl_tensor_bytes(&input->type);
}

enum rl_status rl_cli_load_samples(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_graph *model,
                                   const char *const *paths, int path_count, struct rl_dataset *samples)
{
    bool one_each = program->input_count > 1 && path_count == program->input_count;
    struct rl_io_grid *grids = rl_arena_array(cli->arena, (size_t)program->input_count, sizeof *grids);
    struct rl_graph *graph;

    *samples = (struct rl_dataset){0};
    for (int i = 0; i < path_count; i++) {
        one_each = one_each && is_for_one(paths[i]);
    }
    enum rl_status status = name_inputs(cli, program, model, path_count > 0 ? paths[0] : NULL, &graph);
    if (status == RL_OK) {
        status = adopt_sizes(cli, program, graph, paths, path_count, one_each);
    }
    if (status != RL_OK || program->input_count == 0) {
        return status;
    }
    if (path_count == 0 && !model) {
        return load_zeros(cli, program, graph, samples);
    }
    status = expect_reals(cli, program, model, graph, paths, path_count, one_each, grids);
    if (status != RL_OK) {
        return status;
    }
    status = one_each ? load_one_file_each(cli, paths, path_count, graph, samples)
                      : rl_dataset_load(&cli->context, cli->arena, paths, path_count, graph, samples);
    if (status == RL_OK && samples->sample_count == 0) {
        return rl_fail(&cli->context, RL_ERROR_FORMAT, "%s: expected at least one sample, found none",
                       path_count > 0 ? paths[0] : graph->source);
    }
    for (int i = 0; i < program->input_count && status == RL_OK; i++) {
        if (grids[i].scale > 0) {
            quantize_input(cli->arena, &grids[i], samples->sample_count, &samples->inputs[i]);
        }
    }
    return status;
}
