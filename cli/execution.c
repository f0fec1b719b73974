// SPDX-License-Identifier: Apache-2.0
#include "cli/execution.h"

#include <string.h>

#include "compiler/emit/interface.h"
#include "compiler/ir/elements.h"
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

// The tensors among the program's inputs. Numbers and None among them are part of the program.
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

// A verb that reads only what it wrote itself has no such option.
static bool requires_checksum(const struct rl_cli *cli)
{
    const struct rl_cli_option *option = cli->verb->options;
    while (option->name && strcmp(option->name, "require-checksum") != 0) {
        option++;
    }
    return option->name && rl_cli_given(cli, option->name);
}

// Takes the program out of a bundle, to where it is aligned; `bundle` becomes NULL if there is none.
static enum rl_status unwrap(struct rl_cli *cli, struct rl_host_files *files, const struct rl_bundle **bundle)
{
    struct rl_bundle *opened = rl_arena_alloc(cli->arena, sizeof *opened);

    *bundle = NULL;
    if (!rl_bundle_is(files->program, files->program_size)) {
        return RL_OK;
    }
    if (!rl_bundle_open(opened, files->program, files->program_size)) {
        return rl_fail(&cli->context, RL_ERROR_FORMAT,
                       "%s: the bundle is damaged, or holds no program; accepted: a .bpte of ExecuTorch, version %s",
                       files->source, RL_BUNDLE_IDENTIFIER);
    }
    const bool aligned = (uintptr_t)opened->program % RL_ALIGNMENT == 0;
    files->program = aligned ? opened->program : rl_arena_copy(cli->arena, opened->program, opened->program_bytes);
    files->program_size = opened->program_bytes;
    *bundle = opened;
    return RL_OK;
}

static enum rl_status read_files(struct rl_cli *cli, const char *path, const char *data_path, const char *method,
                                 struct rl_host_files *files, const struct rl_bundle **bundle)
{
    void *program = NULL, *data = NULL;

    *files = (struct rl_host_files){.source = path, .method = method, .require_checksum = requires_checksum(cli)};
    if (files->require_checksum && data_path) {
        rl_log(&cli->context, RL_LOG_WARNING, "%s: a .ptd carries no checksum", data_path);
    }
    enum rl_status status = rl_file_read(&cli->context, cli->arena, path, &program, &files->program_size);
    if (status == RL_OK && data_path) {
        status = rl_file_read(&cli->context, cli->arena, data_path, &data, &files->data_size);
    }
    files->program = program;
    files->data = data;
    return status == RL_OK ? unwrap(cli, files, bundle) : status;
}

enum rl_status rl_cli_read_program(struct rl_cli *cli, const char *path, const char *data_path, const char *method,
                                   struct rl_host_files *files)
{
    const struct rl_bundle *bundle;
    return read_files(cli, path, data_path, method, files, &bundle);
}

bool rl_cli_is_program(const struct rl_host_files *files)
{
    return files->program_size >= 8 && memcmp((const char *)files->program + 4, RL_PTE_IDENTIFIER, 4) == 0;
}

enum rl_status rl_cli_open_files(struct rl_cli *cli, const struct rl_host_files *files, struct rl_cli_program *program)
{
    *program = (struct rl_cli_program){.path = files->source, .files = *files};
    enum rl_status status = rl_host_program_open(&cli->context, cli->arena, files, &program->host);
    if (status == RL_OK) {
        status = describe_inputs(cli, program);
    }
    return status == RL_OK ? describe_outputs(cli, program) : status;
}

enum rl_status rl_cli_open_program(struct rl_cli *cli, const char *path, const char *data_path, const char *method,
                                   struct rl_cli_program *program)
{
    struct rl_host_files files;
    const struct rl_bundle *bundle = NULL;
    enum rl_status status = read_files(cli, path, data_path, method, &files, &bundle);

    if (status == RL_OK) {
        status = rl_cli_open_files(cli, &files, program);
        program->data_path = data_path;
        program->bundle = bundle;
    }
    return status;
}

bool rl_cli_output_grid(const struct rl_cli_program *program, int index, struct rl_io_grid *grid)
{
    return program->output_types[index].dtype == RL_INT8 &&
           rl_interface_grid(&program->host.program, "output", index, grid);
}

void rl_cli_read_output(const struct rl_cli_program *program, const struct rl_cli_outputs *outputs, int index,
                        int64_t sample, float *reals)
{
    const struct rl_tensor_type *type = &program->output_types[index];
    const size_t bytes = rl_tensor_bytes(type);
    const uint8_t *data = outputs->data[index] + (size_t)sample * bytes;
    struct rl_io_grid grid;

    if (!rl_cli_output_grid(program, index, &grid)) {
        int64_t unused;
        rl_convert_elements(type->dtype, data, RL_FLOAT32, reals, rl_tensor_numel(type), &unused);
        return;
    }
    for (size_t i = 0; i < bytes; i++) {
        reals[i] = (float)(((double)(int8_t)data[i] - (double)grid.zero_point) * grid.scale);
    }
}
