// SPDX-License-Identifier: Apache-2.0
#include "update.h"

static const char *sentence(const struct rl_error *error)
{
    return error->message[0] ? error->message : rl_status_text(error->status);
}

static const char *refuse_needs(const struct running *running, const struct limits *limits, struct rl_error *error)
{
    struct rl_requirements needs;
    struct rl_work work;
    if (rl_method_requirements(&running->program, 0, &needs, error) ||
        rl_method_work(&running->program, 0, limits->operators, &work, error)) {
        return sentence(error);
    }
    if (needs.buffer_count > 1 || needs.buffer_bytes[0] > limits->arena.bytes) {
        return "the program needs a larger arena";
    }
    if (needs.state_bytes > limits->state_bytes) {
        return "the program needs a larger state";
    }
    return work.repeats || work.total > limits->most_work ? "the program takes too long" : NULL;
}

static bool is_as_expected(const struct interface *expected, enum rl_status status, const struct rl_tensor *found,
                           bool changes)
{
    return status == RL_OK && !changes && found->dtype == expected->type && found->bytes == expected->bytes;
}

static const char *refuse_interface(struct rl_method *method, const struct limits *limits)
{
    struct rl_tensor found;
    bool changes, is_same = true;
    if (rl_method_input_count(method) != limits->input_count ||
        rl_method_output_count(method) != limits->output_count) {
        return "the program has other inputs or outputs";
    }
    for (uint32_t i = 0; i < limits->input_count; i++) {
        const enum rl_status status = rl_method_input_bound(method, i, &found, &changes);
        is_same = is_same && is_as_expected(&limits->inputs[i], status, &found, changes);
    }
    for (uint32_t i = 0; i < limits->output_count; i++) {
        const enum rl_status status = rl_method_output_bound(method, i, &found, &changes);
        is_same = is_same && is_as_expected(&limits->outputs[i], status, &found, changes);
    }
    return is_same ? NULL : "the program has an input or output of another type or size";
}

const char *start(struct running *running, const uint8_t *file, size_t bytes, const struct limits *limits)
{
    struct rl_error *error = &running->error;
    if (rl_program_open(&running->program, file, bytes, error) ||
        rl_program_require_checksum(&running->program, error) ||
        rl_program_verify(&running->program, limits->operators, error)) {
        return sentence(error);
    }
    const char *refusal = refuse_needs(running, limits, error);
    if (refusal) {
        return refusal;
    }
    if (rl_method_init(&running->method, &running->program, 0, limits->operators, &limits->arena, 1, limits->state,
                       limits->state_bytes, error)) {
        return sentence(error);
    }
    return refuse_interface(&running->method, limits);
}
