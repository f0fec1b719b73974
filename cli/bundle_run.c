// SPDX-License-Identifier: Apache-2.0
//
// Runs the cases of a bundle and compares their outputs.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/bundle.h"
#include "compiler/ir/elements.h"

static const double usual_relative = 1e-5, usual_absolute = 1e-8; // of torch.allclose, and of ExecuTorch's runner

// ---- reading

static enum rl_status fail_damaged(struct rl_cli *cli, const struct rl_cli_program *program, uint32_t item)
{
    return rl_fail(&cli->context, RL_ERROR_FORMAT, "%s: case %u of the bundle is damaged", program->path,
                   (unsigned)item);
}

static const char *method_name(const struct rl_cli_program *program)
{
    return rl_program_method_name(&program->host.program, program->host.method_index);
}

// A tensor of the bundle must be what the program has in its place.
static enum rl_status check_tensor(struct rl_cli *cli, const struct rl_cli_program *program, uint32_t item,
                                   const char *side, uint32_t index, const struct rl_bundle_value *value,
                                   const struct rl_tensor_type *type)
{
    bool same = value->kind == RL_BUNDLE_TENSOR && value->dtype == type->dtype && (int)value->rank == type->rank;

    for (uint32_t i = 0; i < value->rank && same; i++) {
        same = value->sizes[i] == type->sizes[i];
    }
    return same ? RL_OK
                : rl_fail(&cli->context, RL_ERROR_TYPE,
                          "%s: case %u of the bundle: %s %u has another type or other sizes than the program's, %s of "
                          "%d dimensions, or than that of the first case; accepted: cases of equal sizes",
                          program->path, (unsigned)item, side, (unsigned)index, rl_dtype_name(type->dtype), type->rank);
}

// Its elements in logical order.
static void copy_logical(const struct rl_bundle_value *value, uint8_t *elements)
{
    const struct rl_tensor tensor = {.data = (void *)(uintptr_t)value->data,
                                     .sizes = value->sizes,
                                     .dim_order = value->dim_order,
                                     .bytes = value->bytes,
                                     .rank = (uint8_t)value->rank,
                                     .dtype = (uint8_t)value->dtype};
    if (value->bytes > 0) {
        rl_tensor_to_logical(&tensor, elements, value->bytes);
    }
}

static enum rl_status find_cases(struct rl_cli *cli, const struct rl_cli_program *program, struct rl_fb_vector *cases)
{
    if (!rl_bundle_cases(program->bundle, method_name(program), cases)) {
        return rl_fail(&cli->context, RL_ERROR_FORMAT, "%s: the bundle is damaged", program->path);
    }
    return cases->count > 0 ? RL_OK
                            : rl_fail(&cli->context, RL_ERROR_FORMAT,
                                      "%s: the bundle has no case for the method '%s'; --input gives samples",
                                      program->path, method_name(program));
}

// ---- inputs

// An input whose sizes may change takes those of the first case.
static void adopt_sizes(struct rl_cli_program *program, int input, const struct rl_bundle_value *value)
{
    struct rl_tensor_type *type = &program->input_types[input];
    for (uint32_t i = 0; program->input_changes[input] && (int)value->rank == type->rank && i < value->rank; i++) {
        type->sizes[i] = value->sizes[i];
    }
}

static enum rl_status read_inputs(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_fb_vector *cases,
                                  uint32_t item, struct rl_dataset *samples)
{
    struct rl_fb_vector values;
    struct rl_bundle_value value;
    const uint32_t all = rl_method_input_count(&program->host.method);

    if (!rl_bundle_values(program->bundle, cases, item, false, &values)) {
        return fail_damaged(cli, program, item);
    }
    if (values.count != all) {
        return rl_fail(&cli->context, RL_ERROR_TYPE, "%s: case %u of the bundle has %u inputs, the program %u",
                       program->path, (unsigned)item, (unsigned)values.count, (unsigned)all);
    }
    for (int i = 0; i < program->input_count; i++) {
        struct rl_dataset_input *input = &samples->inputs[i];
        if (!rl_bundle_value(program->bundle, &values, program->input_places[i], &value)) {
            return fail_damaged(cli, program, item);
        }
        if (item == 0) {
            adopt_sizes(program, i, &value);
            *input = (struct rl_dataset_input){.name = "input", .type = program->input_types[i]};
            input->sample_bytes = rl_tensor_bytes(&input->type);
            input->samples = rl_arena_array(cli->arena, cases->count, input->sample_bytes);
        }
        const enum rl_status status =
            check_tensor(cli, program, item, "input", program->input_places[i], &value, &input->type);
        if (status != RL_OK) {
            return status;
        }
        copy_logical(&value, (uint8_t *)(uintptr_t)input->samples + item * input->sample_bytes);
    }
    return RL_OK;
}

enum rl_status rl_cli_bundle_samples(struct rl_cli *cli, struct rl_cli_program *program, struct rl_dataset *samples)
{
    struct rl_fb_vector cases;
    enum rl_status status = find_cases(cli, program, &cases);

    *samples = (struct rl_dataset){.sample_count = cases.count, .sequence = 1, .input_count = program->input_count};
    samples->inputs = rl_arena_array(cli->arena, (size_t)program->input_count, sizeof *samples->inputs);
    for (uint32_t i = 0; i < cases.count && status == RL_OK; i++) {
        status = read_inputs(cli, program, &cases, i, samples);
    }
    return status;
}

// ---- outputs

int rl_cli_read_tolerance(const struct rl_cli *cli, struct rl_cli_tolerance *tolerance)
{
    if (rl_cli_number(cli, "rtol", &tolerance->relative) != RL_EXIT_DONE ||
        rl_cli_number(cli, "atol", &tolerance->absolute) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    if (tolerance->relative < 0 || tolerance->absolute < 0) {
        return rl_cli_usage_error(cli, "--rtol and --atol are tolerances, which are not negative");
    }
    tolerance->relative = isnan(tolerance->relative) ? usual_relative : tolerance->relative;
    tolerance->absolute = isnan(tolerance->absolute) ? usual_absolute : tolerance->absolute;
    return RL_EXIT_DONE;
}

struct judgement {
    bool is_close, is_identical;
    double largest; // difference of two elements
};

static void judge_element(struct judgement *judgement, double found, double expected,
                          const struct rl_cli_tolerance *tolerance)
{
    if (found == expected || (isnan(found) && isnan(expected))) {
        return;
    }
    const double difference = fabs(found - expected); // NaN if one of them is
    judgement->largest = difference <= judgement->largest ? judgement->largest : difference;
    if (!(difference <= tolerance->absolute + tolerance->relative * fabs(expected)) || isinf(difference)) {
        judgement->is_close = false;
    }
}

static void judge_output(struct rl_cli *cli, const struct rl_tensor_type *type, const uint8_t *found,
                         const uint8_t *expected, const struct rl_cli_tolerance *tolerance, struct judgement *judgement)
{
    const int64_t count = rl_tensor_numel(type);
    double *reals = rl_arena_array(cli->arena, 2 * (size_t)count, sizeof *reals);
    int64_t unused;

    if (memcmp(found, expected, rl_tensor_bytes(type)) == 0) {
        return;
    }
    judgement->is_identical = false;
    rl_convert_elements(type->dtype, found, RL_FLOAT64, reals, count, &unused);
    rl_convert_elements(type->dtype, expected, RL_FLOAT64, reals + count, count, &unused);
    for (int64_t i = 0; i < count; i++) {
        judge_element(judgement, reals[i], reals[count + i], tolerance);
    }
}

static enum rl_status judge_case(struct rl_cli *cli, const struct rl_cli_program *program,
                                 const struct rl_cli_outputs *outputs, const struct rl_fb_vector *cases, uint32_t item,
                                 const struct rl_cli_tolerance *tolerance, struct judgement *judgement)
{
    struct rl_fb_vector values;
    struct rl_bundle_value value;

    if (!rl_bundle_values(program->bundle, cases, item, true, &values)) {
        return fail_damaged(cli, program, item);
    }
    if (values.count != (uint32_t)program->output_count) {
        return rl_fail(&cli->context, RL_ERROR_TYPE, "%s: case %u of the bundle expects %u outputs, the program has %d",
                       program->path, (unsigned)item, (unsigned)values.count, program->output_count);
    }
    for (uint32_t i = 0; i < values.count; i++) {
        const struct rl_tensor_type *type = &program->output_types[i];
        const size_t bytes = rl_tensor_bytes(type);
        if (!rl_bundle_value(program->bundle, &values, i, &value)) {
            return fail_damaged(cli, program, item);
        }
        const enum rl_status status = check_tensor(cli, program, item, "output", i, &value, type);
        if (status != RL_OK) {
            return status;
        }
        uint8_t *expected = rl_arena_alloc(cli->arena, bytes > 0 ? bytes : 1);
        copy_logical(&value, expected);
        judge_output(cli, type, outputs->data[i] + item * bytes, expected, tolerance, judgement);
    }
    return RL_OK;
}

json_t *rl_cli_compare_bundle(struct rl_cli *cli, const struct rl_cli_program *program,
                              const struct rl_cli_outputs *outputs, const struct rl_cli_tolerance *tolerance)
{
    struct rl_fb_vector cases;
    json_t *failed = json_array();
    json_int_t passed = 0, identical = 0;
    double largest = 0;
    enum rl_status status = find_cases(cli, program, &cases);

    for (uint32_t i = 0; i < cases.count && status == RL_OK; i++) {
        struct judgement judgement = {.is_close = true, .is_identical = true};
        status = judge_case(cli, program, outputs, &cases, i, tolerance, &judgement);
        passed += judgement.is_close;
        identical += judgement.is_identical;
        largest = judgement.largest <= largest ? largest : judgement.largest;
        if (!judgement.is_close) {
            json_array_append_new(failed, json_integer(i));
        }
    }
    if (status != RL_OK) {
        json_decref(failed);
        return NULL;
    }
    return json_pack("{s:I, s:I, s:I, s:f, s:f, s:o, s:o}", "cases", (json_int_t)cases.count, "passed", passed,
                     "identical", identical, "rtol", tolerance->relative, "atol", tolerance->absolute,
                     "largest_difference", isfinite(largest) ? json_real(largest) : json_null(), "failed", failed);
}

void rl_cli_print_bundle(const json_t *comparison)
{
    const json_int_t cases = json_integer_value(json_object_get(comparison, "cases"));
    const json_int_t passed = json_integer_value(json_object_get(comparison, "passed"));
    const json_t *failed = json_object_get(comparison, "failed"), *item;
    size_t index;

    printf("%lld of %lld cases of the bundle give what it expects, %lld to the bit; largest difference %.6g\n",
           (long long)passed, (long long)cases, (long long)json_integer_value(json_object_get(comparison, "identical")),
           json_number_value(json_object_get(comparison, "largest_difference")));
    json_array_foreach(failed, index, item)
    {
        printf("%s%lld", index == 0 ? "not so: case " : ", ", (long long)json_integer_value(item));
    }
    printf(passed < cases ? "\n" : "");
}
