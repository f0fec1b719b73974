// SPDX-License-Identifier: Apache-2.0
//
// A method as an application uses it: refusals and their messages, stepping, hooks, bound memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"
#include "rushlight/operator.h"
#include "rushlight/registry.h"

enum { LENGTH = 4 };

static const int32_t length[] = {LENGTH};
static const uint8_t order[] = {0};
static const float sample[LENGTH] = {-2, -1, 1, 2};

// out = relu(in) + in, then relu of that; three instructions. Input and output are planned, or bound by the caller.
struct chain {
    uint8_t *file;
    size_t size;
    struct rl_program program;
    struct rl_method method;
    struct rl_requirements needs;
    _Alignas(16) uint8_t arena[64 + 16];
    void *state[16];
    struct rl_buffer buffer;
    struct rl_error error;
};

static void write_chain(struct chain *chain, bool planned_ends)
{
    const uint32_t ends = planned_ends ? 1 : 0;
    const struct rl_pte_value_description values[] = {
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, length, order, 0, ends, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, length, order, 0, 1, 16}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, length, order, 0, 1, 32}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, length, order, 0, ends, planned_ends ? 48 : 0}},
        {.kind = RL_PTE_INT, .as.integer = 1},
    };
    static const int32_t relu[] = {0, 1, 1}, add[] = {1, 0, 4, 2, 2}, last[] = {2, 3, 3}, in[] = {0}, out[] = {3};
    static const struct rl_pte_operator_description operators[] = {{"aten::relu", "out"}, {"aten::add", "out"}};
    static const struct rl_pte_instruction_description instructions[] = {{0, 3, relu}, {1, 5, add}, {0, 3, last}};
    static const int64_t arena[] = {64};
    static const struct rl_pte_value_description ratio = {.kind = RL_PTE_DOUBLE, .as.number = 0.25};
    static const int32_t first[] = {0};
    const struct rl_pte_method_description fact = {
        .name = "ratio", .value_count = 1, .values = &ratio, .output_count = 1, .outputs = first};
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .value_count = 5,
                                                     .values = values,
                                                     .input_count = 1,
                                                     .inputs = in,
                                                     .output_count = 1,
                                                     .outputs = out,
                                                     .operator_count = 2,
                                                     .operators = operators,
                                                     .instruction_count = 3,
                                                     .instructions = instructions,
                                                     .buffer_count = 1,
                                                     .buffer_sizes = arena};
    const struct rl_pte_method_description methods[] = {method, fact};
    const struct rl_pte_description description = {.method_count = 2, .methods = methods};
    chain->file = write_description(&description, &chain->size);
}

static enum rl_status start(struct chain *chain, const struct rl_registry *registry)
{
    assert_int_equal(rl_program_open(&chain->program, chain->file, chain->size, &chain->error), RL_OK);
    assert_int_equal(rl_program_verify(&chain->program, &rl_registry_all, &chain->error), RL_OK);
    assert_int_equal(rl_method_requirements(&chain->program, 0, &chain->needs, &chain->error), RL_OK);
    return rl_method_init(&chain->method, &chain->program, 0, registry, &chain->buffer, 1, chain->state,
                          sizeof chain->state, &chain->error);
}

static int prepare(void **state)
{
    struct chain *chain = aligned_alloc(16, (sizeof *chain + 15) / 16 * 16);
    memset(chain, 0, sizeof *chain);
    write_chain(chain, true);
    chain->buffer = (struct rl_buffer){chain->arena, 64};
    *state = chain;
    return 0;
}

static int prepare_bound(void **state)
{
    prepare(state);
    struct chain *chain = *state;
    free(chain->file);
    write_chain(chain, false);
    return 0;
}

static int finish(void **state)
{
    struct chain *chain = *state;
    free(chain->file);
    free(chain);
    return 0;
}

static void expect_output(struct chain *chain)
{
    struct rl_tensor tensor;
    assert_int_equal(rl_method_output(&chain->method, 0, &tensor), RL_OK);
    for (int i = 0; i < LENGTH; i++) {
        float sum = (sample[i] > 0 ? sample[i] : 0) + sample[i];
        assert_true(((const float *)tensor.data)[i] == (sum > 0 ? sum : 0));
    }
}

static void executes_again_and_again(void **state)
{
    struct chain *chain = *state;
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    assert_int_equal(rl_program_method_count(&chain->program), 2);
    assert_string_equal(rl_program_method_name(&chain->program, 0), "forward");
    assert_int_equal(chain->needs.buffer_count, 1);
    assert_int_equal(chain->needs.buffer_bytes[0], 64);
    for (int run = 0; run < 3; run++) {
        assert_int_equal(rl_method_set_input(&chain->method, 0, sample, sizeof sample), RL_OK);
        assert_int_equal(rl_method_execute(&chain->method), RL_OK);
        expect_output(chain);
    }
}

static void steps_resume_where_they_stopped(void **state)
{
    struct chain *chain = *state;
    bool done;
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    for (int run = 0; run < 2; run++) {
        assert_int_equal(rl_method_set_input(&chain->method, 0, sample, sizeof sample), RL_OK);
        assert_int_equal(rl_method_step(&chain->method, 0, &done), RL_OK);
        assert_false(done);
        assert_int_equal(rl_method_step(&chain->method, 2, &done), RL_OK);
        assert_false(done);
        assert_int_equal(rl_method_step(&chain->method, 2, &done), RL_OK);
        assert_true(done);
        expect_output(chain);
    }
}

struct seen {
    int before, after, fail_at;
    float first[3]; // last element of each output
};

static enum rl_status count_before(void *user, struct rl_call *call)
{
    struct seen *seen = user;
    assert_int_equal(call->instruction, seen->before);
    seen->before++;
    return seen->fail_at == (int)call->instruction ? RL_ERROR_ARGUMENT : RL_OK;
}

static enum rl_status look_after(void *user, struct rl_call *call)
{
    struct seen *seen = user;
    struct rl_tensor tensor;
    uint32_t output = call->argument_count - 1;
    assert_int_equal(rl_call_kind(call, output), RL_PTE_TENSOR);
    assert_int_equal(rl_call_value(call, output), call->instruction + 1);
    rl_call_tensor(call, output, &tensor);
    assert_int_equal(call->status, RL_OK);
    seen->first[seen->after++] = ((const float *)tensor.data)[LENGTH - 1];
    return RL_OK;
}

static void hooks_see_every_operator(void **state)
{
    struct chain *chain = *state;
    struct seen seen = {.fail_at = -1};
    const struct rl_hooks hooks = {.before = count_before, .after = look_after, .user = &seen};
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    rl_method_set_hooks(&chain->method, &hooks);
    assert_int_equal(rl_method_set_input(&chain->method, 0, sample, sizeof sample), RL_OK);
    assert_int_equal(rl_method_execute(&chain->method), RL_OK);
    assert_int_equal(seen.before, 3);
    assert_int_equal(seen.after, 3);
    assert_true(seen.first[0] == 2 && seen.first[1] == 4 && seen.first[2] == 4);
}

static void a_hook_can_end_the_execution(void **state)
{
    struct chain *chain = *state;
    struct seen seen = {.fail_at = 1};
    const struct rl_hooks hooks = {.before = count_before, .after = look_after, .user = &seen};
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    rl_method_set_hooks(&chain->method, &hooks);
    assert_int_equal(rl_method_execute(&chain->method), RL_ERROR_ARGUMENT);
    assert_int_equal(chain->method.error.instruction, 1);
    assert_string_equal(chain->method.error.operator_name, "aten::add.out");
    assert_int_equal(seen.after, 1);
}

static enum rl_status refuse(struct rl_call *call)
{
    return rl_call_refuse(call, 0, RL_ERROR_KERNEL, "refused for a test");
}

struct failure {
    int calls;
    struct rl_error error;
};

static void keep_failure(void *user, const struct rl_error *error)
{
    struct failure *failure = user;
    failure->calls++;
    failure->error = *error;
}

static void a_hook_is_told_why_an_execution_fails(void **state)
{
    static const struct rl_kernel refusing = {
        .name = "aten::add.out", .signature = "TTNtt", .name_length = 13, .argument_count = 5, .run = refuse};
    struct chain *chain = *state;
    struct failure failure = {0};
    struct rl_hooks hooks = {.failed = keep_failure, .user = &failure};
    bool done;
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    rl_method_set_hooks(&chain->method, &hooks);
    assert_int_equal(rl_method_execute(&chain->method), RL_OK);
    assert_int_equal(failure.calls, 0);
    chain->method.kernels[1] = &refusing;
    assert_int_equal(rl_method_execute(&chain->method), RL_ERROR_KERNEL);
    assert_int_equal(failure.calls, 1);
    assert_int_equal(failure.error.status, RL_ERROR_KERNEL);
    assert_int_equal(failure.error.instruction, 1);
    assert_string_equal(failure.error.message, "refused for a test");
    assert_int_equal(rl_method_step(&chain->method, 1, &done), RL_ERROR_KERNEL);
    assert_false(done);
    assert_int_equal(failure.calls, 2);
}

static void bound_memory_is_used_in_place(void **state)
{
    struct chain *chain = *state;
    float in[LENGTH], out[LENGTH];
    memcpy(in, sample, sizeof in);
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    assert_int_equal(rl_method_execute(&chain->method), RL_ERROR_MEMORY);
    assert_int_equal(rl_method_bind_input(&chain->method, 0, in, sizeof in - 4), RL_ERROR_TYPE);
    assert_int_equal(rl_method_bind_input(&chain->method, 0, (uint8_t *)in + 1, sizeof in), RL_ERROR_MEMORY);
    assert_int_equal(rl_method_bind_input(&chain->method, 1, in, sizeof in), RL_ERROR_ARGUMENT);
    assert_int_equal(rl_method_bind_input(&chain->method, 0, in, sizeof in), RL_OK);
    assert_int_equal(rl_method_bind_output(&chain->method, 0, out, sizeof out), RL_OK);
    assert_int_equal(rl_method_execute(&chain->method), RL_OK);
    expect_output(chain);
    assert_true(out[3] == 4);
}

static void planned_memory_cannot_be_bound(void **state)
{
    struct chain *chain = *state;
    float in[LENGTH];
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    assert_int_equal(rl_method_bind_input(&chain->method, 0, in, sizeof in), RL_ERROR_ARGUMENT);
}

static void too_small_an_arena_is_refused(void **state)
{
    struct chain *chain = *state;
    chain->buffer.bytes = 63;
    assert_int_equal(start(chain, &rl_registry_all), RL_ERROR_MEMORY);
    assert_string_equal(chain->error.message, "a planned buffer is smaller than rl_method_requirements says");
}

static void an_unaligned_arena_is_refused(void **state)
{
    struct chain *chain = *state;
    chain->buffer.data = chain->arena + 8;
    assert_int_equal(start(chain, &rl_registry_all), RL_ERROR_MEMORY);
}

static void an_unaligned_program_is_refused(void **state)
{
    struct chain *chain = *state;
    assert_int_equal(rl_program_open(&chain->program, chain->file + 4, chain->size - 4, &chain->error),
                     RL_ERROR_MEMORY);
}

static enum rl_status init_again(struct chain *chain)
{
    return rl_method_init(&chain->method, &chain->program, 0, &rl_registry_all, &chain->buffer, 1, chain->state,
                          sizeof chain->state, &chain->error);
}

static void only_verified_and_trusted_programs_run(void **state)
{
    struct chain *chain = *state;
    static const struct rl_registry nothing = {.count = 0};
    assert_int_equal(rl_program_open(&chain->program, chain->file, chain->size, &chain->error), RL_OK);
    assert_int_equal(init_again(chain), RL_ERROR_ARGUMENT);
    assert_string_equal(chain->error.message, "the program is neither verified nor trusted");
    assert_int_equal(rl_program_verify(&chain->program, &rl_registry_all, &chain->error), RL_OK);
    assert_int_equal(init_again(chain), RL_OK);
    assert_int_equal(rl_program_verify(&chain->program, &nothing, &chain->error), RL_ERROR_MISSING_OPERATOR);
    assert_int_equal(init_again(chain), RL_ERROR_ARGUMENT);
    rl_program_trust(&chain->program, &rl_registry_all);
    assert_int_equal(init_again(chain), RL_OK);
    assert_int_equal(rl_method_execute(&chain->method), RL_OK);
}

static void the_checksum_covers_every_byte(void **state)
{
    struct chain *chain = *state;
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    assert_int_equal(rl_program_check(&chain->program, &chain->error), RL_OK);
    assert_int_equal(rl_program_require_checksum(&chain->program, &chain->error), RL_OK);
    chain->file[chain->size - 1] ^= 0x20;
    assert_int_equal(rl_program_check(&chain->program, &chain->error), RL_ERROR_FORMAT);
    assert_string_equal(chain->error.message, "the program is not as it was written: its checksum differs");
    chain->file[chain->size - 1] ^= 0x20;
    chain->file[RL_PTE_CHECKSUM_OFFSET] ^= 1;
    assert_int_equal(rl_program_check(&chain->program, &chain->error), RL_ERROR_FORMAT);
    assert_int_equal(rl_program_require_checksum(&chain->program, &chain->error), RL_ERROR_FORMAT);
}

static void a_program_without_a_checksum_is_told_apart(void **state)
{
    struct chain *chain = *state;
    chain->file[RL_PTE_HEADER_OFFSET + 4] = RL_PTE_HEADER_BYTES; // as ExecuTorch writes it
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    assert_int_equal(rl_program_check(&chain->program, &chain->error), RL_ERROR_UNSUPPORTED);
    assert_string_equal(chain->error.message, "the program has no checksum");
    assert_int_equal(rl_program_require_checksum(&chain->program, &chain->error), RL_ERROR_FORMAT);
    assert_string_equal(chain->error.message, "the program has no checksum, which is required");
    assert_int_equal(rl_method_execute(&chain->method), RL_OK);
}

static void too_small_a_state_is_refused(void **state)
{
    struct chain *chain = *state;
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    assert_int_equal(rl_method_init(&chain->method, &chain->program, 0, &rl_registry_all, &chain->buffer, 1,
                                    chain->state, chain->needs.state_bytes - 1, NULL),
                     RL_ERROR_MEMORY);
}

static void a_missing_operator_is_named(void **state)
{
    struct chain *chain = *state;
    static const struct rl_kernel *const kernels[] = {&rl_kernel_aten_relu, &rl_kernel_aten_mul};
    static const struct rl_registry small = {.kernels = kernels, .count = 2};
    assert_int_equal(start(chain, &small), RL_ERROR_MISSING_OPERATOR);
    assert_string_equal(chain->error.operator_name, "aten::add");
    assert_int_equal(rl_program_verify(&chain->program, &small, &chain->error), RL_ERROR_MISSING_OPERATOR);
    assert_int_equal(chain->error.instruction, 1);
}

static void an_input_of_another_size_is_refused(void **state)
{
    struct chain *chain = *state;
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    assert_int_equal(rl_method_set_input(&chain->method, 0, sample, 12), RL_ERROR_TYPE);
    assert_int_equal(rl_method_set_input(&chain->method, 1, sample, 16), RL_ERROR_ARGUMENT);
}

static void a_method_that_does_not_exist_is_refused(void **state)
{
    struct chain *chain = *state;
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    assert_int_equal(rl_method_requirements(&chain->program, 2, &chain->needs, &chain->error), RL_ERROR_ARGUMENT);
    assert_string_equal(rl_program_method_name(&chain->program, 2), "");
    uint32_t method;
    assert_int_equal(rl_program_find_method(&chain->program, "forward", &method, &chain->error), RL_OK);
    assert_int_equal(method, 0);
    assert_int_equal(rl_program_find_method(&chain->program, "forwards", &method, &chain->error), RL_ERROR_ARGUMENT);
    assert_string_equal(chain->error.message, "the program has no method of this name");
}

static void a_program_tells_numbers_about_itself(void **state)
{
    struct chain *chain = *state;
    double number = 0;
    assert_int_equal(start(chain, &rl_registry_all), RL_OK);
    assert_int_equal(rl_program_number(&chain->program, "ratio", &number, &chain->error), RL_OK);
    assert_true(number == 0.25);
    assert_int_equal(rl_program_number(&chain->program, "rate", &number, &chain->error), RL_ERROR_ARGUMENT);
    assert_int_equal(rl_program_number(&chain->program, "forward", &number, &chain->error), RL_ERROR_TYPE);
    assert_true(number == 0.25);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, prepare, finish)
    const struct CMUnitTest tests[] = {
        CASE(executes_again_and_again),
        CASE(steps_resume_where_they_stopped),
        CASE(hooks_see_every_operator),
        CASE(a_hook_can_end_the_execution),
        CASE(a_hook_is_told_why_an_execution_fails),
        cmocka_unit_test_setup_teardown(bound_memory_is_used_in_place, prepare_bound, finish),
        CASE(planned_memory_cannot_be_bound),
        CASE(too_small_an_arena_is_refused),
        CASE(an_unaligned_arena_is_refused),
        CASE(an_unaligned_program_is_refused),
        CASE(only_verified_and_trusted_programs_run),
        CASE(the_checksum_covers_every_byte),
        CASE(a_program_without_a_checksum_is_told_apart),
        CASE(too_small_a_state_is_refused),
        CASE(a_missing_operator_is_named),
        CASE(an_input_of_another_size_is_refused),
        CASE(a_method_that_does_not_exist_is_refused),
        CASE(a_program_tells_numbers_about_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
