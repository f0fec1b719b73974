// SPDX-License-Identifier: Apache-2.0
#include "cli/execution.h"

#include <stdio.h>
#include <string.h>

#include "boards/qemu/emulator.h"
#include "compiler/data/files.h"
#include "compiler/data/npy.h"
#include "compiler/data/npz.h"
#include "compiler/support/file.h"

static enum rl_status tensor_type(struct rl_cli *cli, const char *path, enum rl_status status,
                                  const char *what, int index, const struct rl_tensor *tensor,
                                  struct rl_tensor_type *type)
{
    int64_t sizes[RL_MAX_RANK] = {0};

    if (status != RL_OK) {
        return rl_fail(&cli->context, status, "%s: %s %d: expected a tensor, a number or None", path, what,
                       index);
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
        enum rl_status found =
            rl_method_input_bound(method, (uint32_t)i, &tensor, &program->input_changes[k]);
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
        enum rl_status found =
            rl_method_output_bound(method, (uint32_t)i, &tensor, &program->output_changes[i]);
        if (found == RL_ERROR_TYPE) {
            found = rl_method_output_value(method, (uint32_t)i, &tensor);
        }
        status = tensor_type(cli, program->path, found, "output", i, &tensor, &program->output_bounds[i]);
        program->output_types[i] = program->output_bounds[i];
    }
    return status;
}

enum rl_status rl_cli_read_program(struct rl_cli *cli, const char *path, const char *data_path,
                                   const char *method, struct rl_host_files *files)
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

enum rl_status rl_cli_open_program(struct rl_cli *cli, const char *path, const char *data_path,
                                   const char *method, struct rl_cli_program *program)
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
    return status == RL_OK ? describe_outputs(cli, program) : status;
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

// Whether an array can hold samples of this type: an axis of samples first, in place of or before the first
// dimension. If its shape may change, any sizes will do.
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

// The name of the first array of a .npz that fits input `index` and that no input before it has; NULL if
// there is none.
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
        const char *name =
            program->input_count == 1 && !find_array(arrays, count, numbered) ? "input" : numbered;
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
        enum rl_status status =
            rl_data_read(&cli->context, cli->arena, paths[one_each ? i : 0], &arrays, &count);
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

static enum rl_status load_zeros(struct rl_cli *cli, const struct rl_cli_program *program,
                                 const struct rl_graph *graph, struct rl_dataset *samples)
{
    struct rl_array *arrays = rl_arena_array(cli->arena, (size_t)program->input_count, sizeof *arrays);

    for (int i = 0; i < program->input_count; i++) {
        const struct rl_tensor_type *type = &program->input_types[i];
        arrays[i] =
            (struct rl_array){.name = graph->inputs[i]->name, .dtype = type->dtype, .rank = type->rank};
        memcpy(arrays[i].sizes, type->sizes, sizeof arrays[i].sizes);
        arrays[i].data = rl_arena_alloc(cli->arena, rl_tensor_bytes(type));
    }
    return rl_dataset_from_arrays(&cli->context, cli->arena, "zeros", arrays, program->input_count, graph,
                                  samples);
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

enum rl_status rl_cli_load_samples(struct rl_cli *cli, struct rl_cli_program *program,
                                   const struct rl_graph *model, const char *const *paths, int path_count,
                                   struct rl_dataset *samples)
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
        return rl_fail(&cli->context, RL_ERROR_FORMAT, "%s: expected at least one sample, found none",
                       paths[0]);
    }
    return status;
}

static void narrow_sizes(const struct rl_tensor_type *type, int32_t sizes[RL_TENSOR_MAX_RANK])
{
    for (int i = 0; i < type->rank; i++) {
        sizes[i] = type->sizes[i] <= INT32_MAX ? (int32_t)type->sizes[i] : -1; // which the runtime refuses
    }
}

enum rl_status rl_cli_run_sample(struct rl_cli *cli, struct rl_cli_program *program,
                                 const struct rl_dataset *samples, int64_t sample)
{
    for (int i = 0; i < program->input_count; i++) {
        const struct rl_tensor_type *type = &program->input_types[i];
        int32_t sizes[RL_TENSOR_MAX_RANK] = {0};
        narrow_sizes(type, sizes);
        enum rl_status status = rl_host_program_resize_input(
            &cli->context, &program->host, program->input_places[i], (uint32_t)type->rank, sizes);
        if (status == RL_OK) {
            status = rl_host_program_set_input(&cli->context, &program->host, program->input_places[i],
                                               rl_dataset_sample(samples, i, sample), rl_tensor_bytes(type));
        }
        if (status != RL_OK) {
            return status;
        }
    }
    return rl_host_program_execute(&cli->context, &program->host);
}

// The sizes of an output of one sample are those of all.
static enum rl_status settle_sizes(struct rl_cli *cli, struct rl_cli_program *program, int output,
                                   const int32_t *sizes, int64_t sample)
{
    struct rl_tensor_type *type = &program->output_types[output];
    bool same = true;

    for (int i = 0; i < type->rank; i++) {
        same = same && type->sizes[i] == sizes[i];
        type->sizes[i] = sample == 0 ? sizes[i] : type->sizes[i];
    }
    return same || sample == 0
               ? RL_OK
               : rl_fail(&cli->context, RL_ERROR_UNSUPPORTED,
                         "%s: output %d of sample %lld has other sizes than that of the first; accepted: "
                         "samples with outputs of equal sizes, or one sample",
                         program->path, output, (long long)sample);
}

static enum rl_status run_on_host(struct rl_cli *cli, struct rl_cli_program *program,
                                  const struct rl_dataset *samples, struct rl_cli_outputs *outputs)
{
    enum rl_status status = RL_OK;
    struct rl_tensor tensor;

    for (int64_t sample = 0; sample < outputs->sample_count && status == RL_OK; sample++) {
        status = rl_cli_run_sample(cli, program, samples, sample);
        for (int i = 0; i < program->output_count && status == RL_OK; i++) {
            status = rl_method_output_value(&program->host.method, (uint32_t)i, &tensor);
            if (status == RL_OK && program->output_changes[i]) {
                status = settle_sizes(cli, program, i, tensor.sizes, sample);
            }
            size_t bytes = rl_tensor_bytes(&program->output_types[i]);
            if (status == RL_OK) {
                status = rl_host_program_get_output(&cli->context, &program->host, (uint32_t)i,
                                                    outputs->data[i] + (size_t)sample * bytes, bytes);
            }
        }
    }
    return status;
}

// Bytes of the sizes that a board takes and gives with a tensor whose shape may change.
static size_t sizes_bytes(const struct rl_tensor_type *type, bool changes)
{
    return changes ? (size_t)type->rank * sizeof(int32_t) : 0;
}

static size_t sum_bytes(const struct rl_tensor_type *bounds, const bool *changes, int count)
{
    size_t bytes = 0;

    for (int i = 0; i < count; i++) {
        bytes += sizes_bytes(&bounds[i], changes[i]) + rl_tensor_bytes(&bounds[i]);
    }
    return bytes;
}

// The emulator takes and gives all tensors of a sample in one piece: boards/runner/batch.h.
static enum rl_status join_inputs(struct rl_cli *cli, const struct rl_cli_program *program,
                                  const struct rl_dataset *samples, int64_t sample_count, size_t sample_bytes,
                                  const uint8_t **joined)
{
    uint8_t *next = rl_arena_array(cli->arena, (size_t)sample_count, sample_bytes);

    *joined = next;
    for (int64_t sample = 0; sample < sample_count; sample++) {
        for (int i = 0; i < program->input_count; i++) {
            const struct rl_tensor_type *bound = &program->input_bounds[i], *type = &program->input_types[i];
            size_t before = sizes_bytes(bound, program->input_changes[i]);
            int32_t sizes[RL_TENSOR_MAX_RANK] = {0};
            if (rl_tensor_bytes(type) > rl_tensor_bytes(bound)) {
                return rl_fail(&cli->context, RL_ERROR_TYPE,
                               "%s: input %d: a tensor would get more elements than its shape's bound",
                               program->path, i);
            }
            narrow_sizes(type, sizes);
            memcpy(next, sizes, before);
            memcpy(next + before, rl_dataset_sample(samples, i, sample), rl_tensor_bytes(type));
            next += before + rl_tensor_bytes(bound);
        }
    }
    return RL_OK;
}

static enum rl_status split_outputs(struct rl_cli *cli, struct rl_cli_program *program, const uint8_t *joined,
                                    struct rl_cli_outputs *outputs)
{
    for (int64_t sample = 0; sample < outputs->sample_count; sample++) {
        for (int i = 0; i < program->output_count; i++) {
            const struct rl_tensor_type *bound = &program->output_bounds[i];
            size_t before = sizes_bytes(bound, program->output_changes[i]);
            int32_t sizes[RL_TENSOR_MAX_RANK];
            memcpy(sizes, joined, before);
            enum rl_status status = before > 0 ? settle_sizes(cli, program, i, sizes, sample) : RL_OK;
            size_t bytes = rl_tensor_bytes(&program->output_types[i]);
            if (status != RL_OK || bytes > rl_tensor_bytes(bound)) {
                return status;
            }
            memcpy(outputs->data[i] + (size_t)sample * bytes, joined + before, bytes);
            joined += before + rl_tensor_bytes(bound);
        }
    }
    return RL_OK;
}

static enum rl_status run_on_core(struct rl_cli *cli, struct rl_cli_program *program,
                                  const struct rl_dataset *samples, const char *core,
                                  struct rl_cli_outputs *outputs)
{
    struct rl_emulation job = {
        .core = core,
        .program_path = program->path,
        .data_path = program->data_path,
        .method = program->host.method_index,
        .input_bytes = sum_bytes(program->input_bounds, program->input_changes, program->input_count),
        .output_bytes = sum_bytes(program->output_bounds, program->output_changes, program->output_count),
        .samples = (uint32_t)outputs->sample_count};
    struct rl_emulation_result result;
    const uint8_t *inputs;
    char message[768];

    enum rl_status status =
        join_inputs(cli, program, samples, outputs->sample_count, job.input_bytes, &inputs);
    if (status != RL_OK) {
        return status;
    }
    job.inputs = inputs;
    rl_log(&cli->context, RL_LOG_PROGRESS, "running %lld samples on an emulated %s",
           (long long)outputs->sample_count, core);
    if (rl_emulate(&job, &result, message, sizeof message) != RL_EMULATION_OK) {
        return rl_fail(&cli->context, RL_ERROR_KERNEL, "%s", message);
    }
    status = split_outputs(cli, program, result.outputs, outputs);
    outputs->instructions = rl_arena_copy(cli->arena, result.instructions,
                                          (size_t)outputs->sample_count * sizeof *outputs->instructions);
    outputs->arena_bytes = result.arena_bytes;
    outputs->state_bytes = result.state_bytes;
    outputs->stack_bytes = result.stack_bytes;
    rl_emulation_free(&result);
    return status;
}

enum rl_status rl_cli_run_samples(struct rl_cli *cli, struct rl_cli_program *program,
                                  const struct rl_dataset *samples, const char *core,
                                  struct rl_cli_outputs *outputs)
{
    // A program without inputs runs once.
    int64_t sample_count = program->input_count > 0 ? samples->sample_count : 1;

    *outputs = (struct rl_cli_outputs){.sample_count = sample_count};
    outputs->data = rl_arena_array(cli->arena, (size_t)program->output_count, sizeof(uint8_t *));
    for (int i = 0; i < program->output_count; i++) {
        outputs->data[i] =
            rl_arena_array(cli->arena, (size_t)sample_count, rl_tensor_bytes(&program->output_bounds[i]));
    }
    return strcmp(core, "host") == 0 ? run_on_host(cli, program, samples, outputs)
                                     : run_on_core(cli, program, samples, core, outputs);
}

int rl_cli_read_core(const struct rl_cli *cli, const char **core)
{
    char accepted[256] = "host";
    size_t used = strlen(accepted);

    *core = rl_cli_value(cli, "on", "host");
    if (strcmp(*core, "host") == 0) {
        return RL_EXIT_DONE;
    }
    for (size_t i = 0; rl_emulator_core(i); i++) {
        if (strcmp(*core, rl_emulator_core(i)) == 0) {
            return RL_EXIT_DONE;
        }
        if (used < sizeof accepted) {
            used += (size_t)snprintf(accepted + used, sizeof accepted - used, ", %s", rl_emulator_core(i));
        }
    }
    return rl_cli_usage_error(cli, "--on '%s' is not known; accepted: %s", *core, accepted);
}
