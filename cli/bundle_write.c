// SPDX-License-Identifier: Apache-2.0
//
// Writes a program with samples and what it computes from them.
#include <string.h>

#include "cli/bundle.h"
#include "cli/compiled.h"
#include "compiler/support/file.h"
#include "format/bundle_writer.h"
#include "format/pte_reader.h"

enum { MOST_CASES = 8 };

static const char suffix[] = ".bpte";

bool rl_cli_is_bundle_path(const char *path)
{
    const size_t length = strlen(path), end = sizeof suffix - 1;
    return length > end && strcmp(path + length - end, suffix) == 0;
}

const char *rl_cli_bundle_path(struct rl_arena *arena, const char *program)
{
    const size_t length = strlen(program);
    const bool usual = length > 4 && strcmp(program + length - 4, ".pte") == 0;

    if (rl_cli_is_bundle_path(program)) {
        return program;
    }
    return rl_arena_format(arena, "%.*s%s", (int)(usual ? length - 4 : length), program, suffix);
}

struct bundler {
    struct rl_cli *cli;
    struct rl_cli_program program;
    struct rl_dataset samples;
    const char *path;
};

// A tensor with its elements as they lie in memory now.
static void copy_tensor(struct rl_arena *arena, const struct rl_tensor *tensor, struct rl_bundle_value *value)
{
    *value = (struct rl_bundle_value){.kind = RL_BUNDLE_TENSOR,
                                      .dtype = (enum rl_scalar_type)tensor->dtype,
                                      .rank = tensor->rank,
                                      .bytes = tensor->bytes};
    for (uint32_t i = 0; i < tensor->rank; i++) {
        value->sizes[i] = tensor->sizes[i];
        value->dim_order[i] = tensor->dim_order[i];
    }
    value->data = tensor->bytes > 0 ? rl_arena_copy(arena, tensor->data, tensor->bytes) : NULL;
}

// An input that is a number belongs to the program; readers want it all the same.
static bool copy_number(const struct rl_method *method, uint32_t index, struct rl_bundle_value *value)
{
    const struct rl_pte *pte = &method->program->pte;
    uint32_t table;
    const int32_t number = rl_pte_item_i32(pte, &method->plan.inputs, index);

    switch (rl_pte_value(pte, &method->plan, (uint32_t)number, &table)) {
    case RL_PTE_INT:
        *value = (struct rl_bundle_value){.kind = RL_BUNDLE_INT, .integer = rl_pte_int(pte, table)};
        return true;
    case RL_PTE_BOOL:
        *value = (struct rl_bundle_value){.kind = RL_BUNDLE_BOOL, .integer = rl_pte_bool(pte, table)};
        return true;
    case RL_PTE_DOUBLE:
        *value = (struct rl_bundle_value){.kind = RL_BUNDLE_DOUBLE, .real = rl_pte_double(pte, table)};
        return true;
    default:
        return false;
    }
}

static enum rl_status copy_inputs(struct bundler *bundler, struct rl_bundle_case *item)
{
    struct rl_method *method = &bundler->program.host.method;
    const uint32_t count = rl_method_input_count(method);
    struct rl_bundle_value *values = rl_arena_array(bundler->cli->arena, count, sizeof *values);
    struct rl_tensor tensor;

    for (uint32_t i = 0; i < count; i++) {
        if (rl_method_input(method, i, &tensor) == RL_OK) {
            copy_tensor(bundler->cli->arena, &tensor, &values[i]);
        } else if (!copy_number(method, i, &values[i])) {
            return rl_fail(&bundler->cli->context, RL_ERROR_UNSUPPORTED,
                           "%s: input %u is neither a tensor nor a number; a bundle has no place for it", bundler->path,
                           (unsigned)i);
        }
    }
    item->inputs = values;
    item->input_count = count;
    return RL_OK;
}

static enum rl_status copy_outputs(struct bundler *bundler, struct rl_bundle_case *item)
{
    struct rl_method *method = &bundler->program.host.method;
    const uint32_t count = rl_method_output_count(method);
    struct rl_bundle_value *values = rl_arena_array(bundler->cli->arena, count, sizeof *values);
    struct rl_tensor tensor;

    for (uint32_t i = 0; i < count; i++) {
        if (rl_method_output(method, i, &tensor) != RL_OK) {
            return rl_fail(&bundler->cli->context, RL_ERROR_UNSUPPORTED,
                           "%s: output %u is not a tensor; ExecuTorch's bundles expect tensors only", bundler->path,
                           (unsigned)i);
        }
        copy_tensor(bundler->cli->arena, &tensor, &values[i]);
    }
    item->outputs = values;
    item->output_count = count;
    return RL_OK;
}

static enum rl_status run_case(struct bundler *bundler, int64_t sample, struct rl_bundle_case *item)
{
    struct rl_cli *cli = bundler->cli;
    enum rl_status status = rl_cli_set_sample(cli, &bundler->program, &bundler->samples, sample);

    // Inputs share memory with what is computed from them.
    if (status == RL_OK) {
        status = copy_inputs(bundler, item);
    }
    if (status == RL_OK) {
        status = rl_host_program_execute(&cli->context, &bundler->program.host);
    }
    return status == RL_OK ? copy_outputs(bundler, item) : status;
}

static enum rl_status write_file(struct bundler *bundler, const struct rl_emitted *emitted,
                                 const struct rl_bundle_case *cases, uint32_t count)
{
    struct rl_cli *cli = bundler->cli;
    const struct rl_method *method = &bundler->program.host.method;
    const uint32_t inputs = rl_method_input_count(method), outputs = rl_method_output_count(method);
    uint32_t *references =
        rl_arena_array(cli->arena, count + (inputs > outputs ? inputs : outputs) + 1, sizeof *references);
    struct rl_fbb builder = {.reallocate = rl_arena_reallocate, .user = cli->arena};
    const struct rl_bundle_description description = {
        .program = emitted->file,
        .program_bytes = (uint32_t)emitted->size,
        .method = rl_program_method_name(method->program, bundler->program.host.method_index),
        .cases = cases,
        .case_count = count};

    if (!rl_bundle_write(&builder, &description, references)) {
        return rl_fail(&cli->context, RL_ERROR_UNSUPPORTED, "%s: the file would have more than 2 GB", bundler->path);
    }
    const enum rl_status status =
        rl_file_write(&cli->context, bundler->path, builder.block + builder.capacity - builder.used, builder.used);
    rl_fbb_free(&builder);
    return status;
}

enum rl_status rl_cli_write_bundle(struct rl_cli *cli, const struct rl_compile_options *options,
                                   const struct rl_emitted *emitted, const char *path, uint32_t *case_count)
{
    struct bundler *bundler = rl_arena_alloc(cli->arena, sizeof *bundler);
    *bundler = (struct bundler){.cli = cli, .path = path};
    enum rl_status status = rl_cli_open_compiled(cli, options, emitted, path, &bundler->program, &bundler->samples);

    if (status != RL_OK) {
        return status;
    }
    const int64_t samples = bundler->program.input_count > 0 ? bundler->samples.sample_count : 1;
    *case_count = (uint32_t)(samples < MOST_CASES ? samples : MOST_CASES);
    struct rl_bundle_case *cases = rl_arena_array(cli->arena, *case_count, sizeof *cases);
    for (uint32_t i = 0; i < *case_count && status == RL_OK; i++) {
        status = run_case(bundler, i, &cases[i]);
    }
    return status == RL_OK ? write_file(bundler, emitted, cases, *case_count) : status;
}
