// SPDX-License-Identifier: Apache-2.0
//
// What a call writes shares no memory with what it reads, but for operands that the operator table declares.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"

static const uint8_t channels_last[] = {0, 2, 3, 1};

// What the verifier says about a program whose argument `which` lies at `offset` of the arena.
static enum rl_status verify_with(struct test_program *p, const char *name, const char *overload, int which,
                                  uint64_t offset)
{
    struct rl_program program;
    p->values[p->args[which]].as.tensor.memory_offset = offset;
    program_write(p, name, overload);
    assert_int_equal(rl_program_open(&program, p->file, p->file_bytes, &p->error), RL_OK);
    return rl_program_verify(&program, &rl_registry_all, &p->error);
}

// An operator that goes element by element may write over its input, all of it.
static void outputs_may_not_lie_in_part_of_an_input(void **state)
{
    (void)state;
    static const int32_t sizes[] = {8};
    static const float numbers[8];
    for (uint64_t offset = 0; offset <= 64; offset += 16) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 1, sizes, NULL, numbers);
        program_output(&p, RL_FLOAT32, 1, sizes, NULL);
        p.arena_bytes = 128;
        const bool in_part = offset > 0 && offset < sizeof numbers;
        assert_int_equal(verify_with(&p, "aten::relu", "out", 1, offset), in_part ? RL_ERROR_TYPE : RL_OK);
        program_free(&p);
    }
}

static void outputs_may_not_lie_in_each_other(void **state)
{
    (void)state;
    enum { VALUES = 5, INDICES };
    static const int32_t in[] = {8}, out[] = {2};
    static const float numbers[8];
    for (uint64_t offset = 0; offset <= 64; offset += 16) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 1, in, NULL, numbers);
        program_int(&p, 2);
        program_int(&p, 0);
        program_bool(&p, true);
        program_bool(&p, true);
        program_output(&p, RL_FLOAT32, 1, out, NULL);
        program_output(&p, RL_INT64, 1, out, NULL);
        p.values[p.args[VALUES]].as.tensor.memory_offset = 48;
        p.arena_bytes = 128;
        const bool apart = offset >= sizeof numbers && offset != 48;
        assert_int_equal(verify_with(&p, "aten::topk", "values", INDICES, offset), apart ? RL_OK : RL_ERROR_TYPE);
        program_free(&p);
    }
}

enum { CONVOLUTION_BIAS = 2, MULTIPLIERS = 8, SHIFTS = 9, CONVOLUTION_OUTPUT = 13 };

// A layer whose output has as many bytes as each of its parameters, which are inputs of the program.
static void convolution_of_inputs(struct test_program *p)
{
    static const int32_t in[] = {1, 1, 2, 2}, out[] = {1, 2, 2, 2}, weight[] = {2, 1, 1, 1}, channels[] = {2};
    static const int32_t biases[2], multipliers[] = {1 << 30, 1 << 30}, shifts[2];
    static const int8_t numbers[4], taps[2];
    program_input(p, RL_INT8, 4, in, channels_last, numbers);
    program_constant(p, RL_INT8, 4, weight, taps);
    program_input(p, RL_INT32, 1, channels, NULL, biases);
    program_ints(p, 2, (int32_t[]){1, 1});
    program_ints(p, 2, (int32_t[]){0, 0});
    program_ints(p, 2, (int32_t[]){1, 1});
    program_int(p, 0);
    program_int(p, 0);
    program_input(p, RL_INT32, 1, channels, NULL, multipliers);
    program_input(p, RL_INT32, 1, channels, NULL, shifts);
    program_int(p, -128);
    program_int(p, 127);
    program_scratch(p, 64);
    program_output(p, RL_INT8, 4, out, channels_last);
}

// Parameters are still read while results are written.
static void outputs_may_not_lie_over_parameters(void **state)
{
    (void)state;
    static const int over[] = {CONVOLUTION_BIAS, MULTIPLIERS, SHIFTS, CONVOLUTION_OUTPUT};
    for (int i = 0; i < 4; i++) {
        struct test_program p = {0};
        convolution_of_inputs(&p);
        const uint64_t offset = p.values[p.args[over[i]]].as.tensor.memory_offset;
        assert_int_equal(verify_with(&p, "cortex_m::quantized_conv2d", "out", CONVOLUTION_OUTPUT, offset),
                         over[i] == CONVOLUTION_OUTPUT ? RL_OK : RL_ERROR_TYPE);
        program_free(&p);
    }
}

// Makes the method of a verified program, whose memory program_free frees.
static void prepare(struct test_program *p)
{
    struct rl_requirements needs;
    assert_int_equal(rl_program_open(&p->program, p->file, p->file_bytes, &p->error), RL_OK);
    assert_int_equal(rl_program_verify(&p->program, &rl_registry_all, &p->error), RL_OK);
    assert_int_equal(rl_method_requirements(&p->program, 0, &needs, &p->error), RL_OK);
    p->arena = aligned_alloc(RL_ALIGNMENT, needs.buffer_bytes[0]);
    memset(p->arena, 0, needs.buffer_bytes[0]);
    p->buffer = (struct rl_buffer){p->arena, needs.buffer_bytes[0]};
    p->state = malloc(needs.state_bytes);
    assert_int_equal(rl_method_init(&p->method, &p->program, 0, &rl_registry_all, &p->buffer, 1, p->state,
                                    needs.state_bytes, &p->error),
                     RL_OK);
}

// The same for memory of the caller, which verification does not know.
static void outputs_may_not_be_bound_over_parameters(void **state)
{
    (void)state;
    static const int parameters[] = {CONVOLUTION_BIAS, MULTIPLIERS, SHIFTS};
    enum { BYTES = 8 };
    _Alignas(RL_ALIGNMENT) static uint8_t shared[RL_ALIGNMENT], own[RL_ALIGNMENT];
    for (int i = 0; i < 3; i++) {
        struct test_program p = {0};
        convolution_of_inputs(&p);
        p.values[p.args[parameters[i]]].as.tensor.memory_id = 0;
        p.values[p.args[CONVOLUTION_OUTPUT]].as.tensor.memory_id = 0;
        program_write(&p, "cortex_m::quantized_conv2d", "out");
        prepare(&p);
        assert_int_equal(rl_method_bind_input(&p.method, (uint32_t)i + 1, shared, BYTES), RL_OK);
        assert_int_equal(rl_method_bind_output(&p.method, 0, shared, BYTES), RL_OK);
        assert_int_equal(rl_method_execute(&p.method), RL_ERROR_TYPE);
        assert_string_equal(p.method.error.message, "the output shares memory with an input");
        assert_int_equal(rl_method_bind_output(&p.method, 0, own, BYTES), RL_OK);
        assert_int_equal(rl_method_execute(&p.method), RL_OK);
        program_free(&p);
    }
}

// The same for a normalization in floating point, which may write over its input only.
static void outputs_may_lie_over_the_input_of_a_normalization(void **state)
{
    (void)state;
    enum { INPUT, WEIGHT = 2, BIAS, OUTPUT = 5 };
    static const int32_t sizes[] = {1, 4}, channels[] = {4}, one[] = {1, 1};
    static const float numbers[4] = {1, 2, 3, 4};
    for (int over = INPUT; over <= OUTPUT; over += over == INPUT || over == BIAS ? 2 : 1) {
        struct test_program p = {0};
        program_input(&p, RL_FLOAT32, 2, sizes, NULL, numbers);
        program_ints(&p, 1, (int32_t[]){4});
        program_input(&p, RL_FLOAT32, 1, channels, NULL, numbers);
        program_input(&p, RL_FLOAT32, 1, channels, NULL, numbers);
        program_double(&p, 1e-5);
        program_output(&p, RL_FLOAT32, 2, sizes, NULL);
        program_output(&p, RL_FLOAT32, 2, one, NULL);
        program_output(&p, RL_FLOAT32, 2, one, NULL);
        const uint64_t offset = p.values[p.args[over]].as.tensor.memory_offset;
        assert_int_equal(verify_with(&p, "aten::native_layer_norm", "out", OUTPUT, offset),
                         over == INPUT || over == OUTPUT ? RL_OK : RL_ERROR_TYPE);
        program_free(&p);
    }
}

// The work space of a product of matrices, against each of them.
static void work_spaces_lie_apart(void **state)
{
    (void)state;
    enum { SCRATCH = 7 };
    static const int32_t sizes[] = {1, 4, 4};
    static const int8_t numbers[16];
    for (uint64_t offset = 0; offset <= 48; offset += 16) {
        struct test_program p = {0};
        program_input(&p, RL_INT8, 3, sizes, NULL, numbers);
        program_int(&p, 0);
        program_input(&p, RL_INT8, 3, sizes, NULL, numbers);
        program_int(&p, 0);
        program_int(&p, 0);
        program_int(&p, 1 << 30);
        program_int(&p, -9);
        program_scratch(&p, 16);
        program_output(&p, RL_INT8, 3, sizes, NULL);
        const bool apart = offset == 32; // left, right, work space, output
        assert_int_equal(verify_with(&p, "cortex_m::quantized_batch_matmul", "out", SCRATCH, offset),
                         apart ? RL_OK : RL_ERROR_TYPE);
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_may_not_lie_in_part_of_an_input),
        cmocka_unit_test(outputs_may_not_lie_in_each_other),
        cmocka_unit_test(outputs_may_not_lie_over_parameters),
        cmocka_unit_test(outputs_may_not_be_bound_over_parameters),
        cmocka_unit_test(outputs_may_lie_over_the_input_of_a_normalization),
        cmocka_unit_test(work_spaces_lie_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
