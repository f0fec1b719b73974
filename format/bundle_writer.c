// SPDX-License-Identifier: Apache-2.0
#include "format/bundle_writer.h"

#include <string.h>

static uint32_t write_number(struct rl_fbb *fbb, uint32_t width, uint64_t bits)
{
    rl_fbb_scalar(fbb, RL_BUNDLE_number_item, width, bits);
    return rl_fbb_end(fbb);
}

static uint32_t write_tensor(struct rl_fbb *fbb, const struct rl_bundle_value *value)
{
    const uint32_t sizes = rl_fbb_vector(fbb, value->sizes, value->rank, 4);
    const uint32_t order = rl_fbb_vector(fbb, value->dim_order, value->rank, 1);
    const uint32_t data = rl_fbb_bytes(fbb, value->data, value->bytes, RL_BUNDLE_DATA_ALIGNMENT);

    rl_fbb_scalar(fbb, RL_BUNDLE_tensor_dtype, 1, (uint64_t)value->dtype);
    rl_fbb_reference(fbb, RL_BUNDLE_tensor_sizes, sizes);
    rl_fbb_reference(fbb, RL_BUNDLE_tensor_data, data);
    rl_fbb_reference(fbb, RL_BUNDLE_tensor_dim_order, order);
    return rl_fbb_end(fbb);
}

static uint32_t write_item(struct rl_fbb *fbb, const struct rl_bundle_value *value)
{
    uint64_t bits;

    switch (value->kind) {
    case RL_BUNDLE_TENSOR:
        return write_tensor(fbb, value);
    case RL_BUNDLE_DOUBLE:
        memcpy(&bits, &value->real, sizeof bits);
        return write_number(fbb, 8, bits);
    default:
        return write_number(fbb, value->kind == RL_BUNDLE_BOOL ? 1 : 8, (uint64_t)value->integer);
    }
}

static uint32_t write_values(struct rl_fbb *fbb, const struct rl_bundle_value *values, uint32_t count,
                             uint32_t *references)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t item = write_item(fbb, &values[i]);
        rl_fbb_scalar(fbb, RL_BUNDLE_value_kind, 1, (uint64_t)values[i].kind);
        rl_fbb_reference(fbb, RL_BUNDLE_value_item, item);
        references[i] = rl_fbb_end(fbb);
    }
    return rl_fbb_references(fbb, references, count);
}

static uint32_t write_case(struct rl_fbb *fbb, const struct rl_bundle_case *item, uint32_t *references)
{
    const uint32_t inputs = write_values(fbb, item->inputs, item->input_count, references);
    const uint32_t outputs = write_values(fbb, item->outputs, item->output_count, references);

    rl_fbb_reference(fbb, RL_BUNDLE_case_inputs, inputs);
    rl_fbb_reference(fbb, RL_BUNDLE_case_outputs, outputs);
    return rl_fbb_end(fbb);
}

bool rl_bundle_write(struct rl_fbb *builder, const struct rl_bundle_description *description, uint32_t *references)
{
    // The first `case_count` numbers are those of the cases, the others those of one case's values.
    uint32_t *values = references + description->case_count;
    const uint32_t name = rl_fbb_string(builder, description->method);

    for (uint32_t i = 0; i < description->case_count; i++) {
        references[i] = write_case(builder, &description->cases[i], values);
    }
    const uint32_t cases = rl_fbb_references(builder, references, description->case_count);
    rl_fbb_reference(builder, RL_BUNDLE_suite_method, name);
    rl_fbb_reference(builder, RL_BUNDLE_suite_cases, cases);
    const uint32_t suite = rl_fbb_end(builder), suites = rl_fbb_references(builder, &suite, 1);
    const uint32_t program =
        rl_fbb_bytes(builder, description->program, description->program_bytes, RL_BUNDLE_PROGRAM_ALIGNMENT);
    rl_fbb_scalar(builder, RL_BUNDLE_bundle_version, 4, RL_BUNDLE_VERSION);
    rl_fbb_reference(builder, RL_BUNDLE_bundle_suites, suites);
    rl_fbb_reference(builder, RL_BUNDLE_bundle_program, program);
    return rl_fbb_finish(builder, rl_fbb_end(builder), RL_BUNDLE_IDENTIFIER);
}
