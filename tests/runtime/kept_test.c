// SPDX-License-Identifier: Apache-2.0
//
// The structs that operators keep for later runs must not change results and refusals.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"
#include "rushlight/registry.h"
#include "rushlight/runtime.h"

enum { LENGTH = 6, STATE_BYTES = 1024 };

static const int32_t length[] = {LENGTH};
static const uint8_t order[] = {0};

// Floats to int8 by a scale of 0.5 and zero point 3, and back; input and output are planned, or the caller's.
struct round_trip {
    uint8_t *file;
    size_t size;
    struct rl_program program;
    struct rl_method method;
    struct rl_requirements needs;
    struct rl_buffer buffer;
    _Alignas(RL_ALIGNMENT) uint8_t arena[96];
    _Alignas(RL_ALIGNMENT) uint8_t state[STATE_BYTES];
};

static void write_round_trip(struct round_trip *trip, bool planned_ends)
{
    const uint32_t ends = planned_ends ? 1 : 0;
    const struct rl_pte_value_description values[] = {
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, length, order, 0, ends, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT8, 1, length, order, 0, 1, 32}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, length, order, 0, ends, planned_ends ? 48 : 0}},
        {.kind = RL_PTE_DOUBLE, .as.number = 0.5},
        {.kind = RL_PTE_INT, .as.integer = 3},
        {.kind = RL_PTE_INT, .as.integer = -128},
        {.kind = RL_PTE_INT, .as.integer = 127},
        {.kind = RL_PTE_INT, .as.integer = RL_INT8},
    };
    static const int32_t quantize[] = {0, 3, 4, 5, 6, 7, 1, 1}, dequantize[] = {1, 3, 4, 5, 6, 7, 2, 2};
    static const int32_t in[] = {0}, out[] = {2};
    static const struct rl_pte_operator_description operators[] = {{"cortex_m::quantize_per_tensor", "out"},
                                                                   {"cortex_m::dequantize_per_tensor", "out"}};
    static const struct rl_pte_instruction_description instructions[] = {{0, 8, quantize}, {1, 8, dequantize}};
    static const int64_t arena[] = {96};
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .value_count = 8,
                                                     .values = values,
                                                     .input_count = 1,
                                                     .inputs = in,
                                                     .output_count = 1,
                                                     .outputs = out,
                                                     .operator_count = 2,
                                                     .operators = operators,
                                                     .instruction_count = 2,
                                                     .instructions = instructions,
                                                     .buffer_count = 1,
                                                     .buffer_sizes = arena};
    const struct rl_pte_description description = {.method_count = 1, .methods = &method};
    trip->file = write_description(&description, &trip->size);
    trip->buffer = (struct rl_buffer){trip->arena, sizeof trip->arena};
    assert_int_equal(rl_program_open(&trip->program, trip->file, trip->size, NULL), RL_OK);
    assert_int_equal(rl_program_verify(&trip->program, &rl_registry_all, NULL), RL_OK);
    assert_int_equal(rl_method_requirements(&trip->program, 0, &trip->needs, NULL), RL_OK);
    assert_true(trip->needs.state_bytes + trip->needs.kept_bytes <= STATE_BYTES);
}

static void fill(float *elements, int run)
{
    for (int i = 0; i < LENGTH; i++) {
        elements[i] = (float)(run * LENGTH + i) - 10.25f;
    }
}

static void expect(const float *elements, int run)
{
    float numbers[LENGTH];
    fill(numbers, run);
    for (int i = 0; i < LENGTH; i++) { // a quarter is half a step: to the even one of its neighbours
        assert_true(elements[i] - numbers[i] == 0.25f || elements[i] - numbers[i] == -0.25f);
    }
}

static void any_size_of_the_state_gives_the_same(void **state)
{
    (void)state;
    struct round_trip trip;
    struct rl_tensor tensor;
    float elements[LENGTH];
    int kept_before = 0;
    write_round_trip(&trip, true);
    for (size_t bytes = trip.needs.state_bytes; bytes <= trip.needs.state_bytes + trip.needs.kept_bytes; bytes++) {
        memset(trip.state, 0xa5, sizeof trip.state);
        assert_int_equal(
            rl_method_init(&trip.method, &trip.program, 0, &rl_registry_all, &trip.buffer, 1, trip.state, bytes, NULL),
            RL_OK);
        for (int run = 0; run < 3; run++) {
            fill(elements, run);
            assert_int_equal(rl_method_set_input(&trip.method, 0, elements, sizeof elements), RL_OK);
            assert_int_equal(rl_method_execute(&trip.method), RL_OK);
            assert_int_equal(rl_method_output(&trip.method, 0, &tensor), RL_OK);
            expect(tensor.data, run);
        }
        for (size_t i = bytes; i < sizeof trip.state; i++) {
            assert_int_equal(trip.state[i], 0xa5);
        }
        const int kept = trip.method.kept ? (trip.method.kept[0] ? 1 : 0) + (trip.method.kept[1] ? 1 : 0) : 0;
        assert_true(kept >= kept_before);
        kept_before = kept;
    }
    assert_int_equal(kept_before, 2);
    free(trip.file);
}

static void memory_that_is_bound_later_is_used(void **state)
{
    (void)state;
    struct round_trip trip;
    float in[2][LENGTH], out[2][LENGTH];
    write_round_trip(&trip, false);
    assert_int_equal(rl_method_init(&trip.method, &trip.program, 0, &rl_registry_all, &trip.buffer, 1, trip.state,
                                    sizeof trip.state, NULL),
                     RL_OK);
    for (int run = 0; run < 4; run++) {
        const int side = run % 2;
        fill(in[side], run);
        assert_int_equal(rl_method_bind_input(&trip.method, 0, in[side], sizeof in[side]), RL_OK);
        assert_int_equal(rl_method_bind_output(&trip.method, 0, out[side], sizeof out[side]), RL_OK);
        assert_int_equal(rl_method_execute(&trip.method), RL_OK);
        expect(out[side], run);
    }
    free(trip.file);
}

// What a program writes over, as states are, does not move: its operators may keep their arguments.
static void states_do_not_change_arguments(void **state)
{
    (void)state;
    struct rl_program program;
    struct rl_requirements needs;
    size_t size;
    const struct rl_pte_value_description values[] = {
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, length, order, 0, 1, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, length, order, 0, 1, 32}},
        {.kind = RL_PTE_BOOL, .as.integer = 0},
    };
    static const int32_t copy[] = {0, 1, 2, 0}, in[] = {1}, out[] = {0};
    static const struct rl_pte_operator_description operators[] = {{"aten::copy_", ""}};
    static const struct rl_pte_instruction_description instructions[] = {{0, 4, copy}};
    static const int64_t arena[] = {64};
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .value_count = 3,
                                                     .values = values,
                                                     .input_count = 1,
                                                     .inputs = in,
                                                     .output_count = 1,
                                                     .outputs = out,
                                                     .operator_count = 1,
                                                     .operators = operators,
                                                     .instruction_count = 1,
                                                     .instructions = instructions,
                                                     .buffer_count = 1,
                                                     .buffer_sizes = arena};
    const struct rl_pte_description description = {.method_count = 1, .methods = &method};
    uint8_t *file = write_description(&description, &size);
    assert_int_equal(rl_program_open(&program, file, size, NULL), RL_OK);
    assert_int_equal(rl_program_verify(&program, &rl_registry_all, NULL), RL_OK);
    assert_int_equal(rl_method_requirements(&program, 0, &needs, NULL), RL_OK);
    assert_true(needs.kept_bytes > 0);
    free(file);
}

// A convolution of one pixel whose scales are inputs of the program, so that they may change between runs.
static void scales_that_change_are_checked_each_time(void **state)
{
    (void)state;
    static const int32_t one[] = {1}, image[] = {1, 1, 1, 1};
    static const uint8_t channels_last[] = {0, 2, 3, 1};
    static const int8_t pixel = 40, weight = 2;
    static const int32_t multiplier = 1 << 30, shift = 1, wrong = 40, halving = 0;
    int8_t result;
    struct test_program p = {0};
    program_input(&p, RL_INT8, 4, image, channels_last, &pixel);
    program_constant(&p, RL_INT8, 4, image, &weight);
    program_none(&p);
    program_ints(&p, 2, (int32_t[]){1, 1});
    program_ints(&p, 2, (int32_t[]){0, 0});
    program_ints(&p, 2, (int32_t[]){1, 1});
    program_int(&p, 0);
    program_int(&p, 0);
    program_input(&p, RL_INT32, 1, one, NULL, &multiplier);
    program_input(&p, RL_INT32, 1, one, NULL, &shift);
    program_int(&p, -128);
    program_int(&p, 127);
    program_scratch(&p, 1024);
    program_output(&p, RL_INT8, 4, image, channels_last);
    assert_int_equal(program_run(&p, "cortex_m::quantized_conv2d", "out"), RL_OK);
    program_result(&p, 0, &result, 1);
    assert_int_equal(result, 80);
    assert_int_equal(rl_method_set_input(&p.method, 0, &pixel, 1), RL_OK);
    assert_int_equal(rl_method_set_input(&p.method, 1, &multiplier, 4), RL_OK);
    assert_int_equal(rl_method_set_input(&p.method, 2, &wrong, 4), RL_OK);
    assert_int_equal(rl_method_execute(&p.method), RL_ERROR_TYPE);
    assert_string_equal(p.method.error.message, "a scale is outside -31..30 bits");
    assert_int_equal(rl_method_set_input(&p.method, 2, &halving, 4), RL_OK);
    assert_int_equal(rl_method_execute(&p.method), RL_OK);
    program_result(&p, 0, &result, 1);
    assert_int_equal(result, 40);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_size_of_the_state_gives_the_same),
        cmocka_unit_test(memory_that_is_bound_later_is_used),
        cmocka_unit_test(states_do_not_change_arguments),
        cmocka_unit_test(scales_that_change_are_checked_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
