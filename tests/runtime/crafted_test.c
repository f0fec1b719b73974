// SPDX-License-Identifier: Apache-2.0
//
// Programs made to leave their memory, each of which once did: by moves, by sizes whose products exceed 32 bits, by
// empty tensors.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/ptd_reader.h"
#include "runtime/change_program.h"
#include "runtime/operator_program.h"
#include "runtime/program_file.h"

static const uint8_t channels_last[] = {0, 2, 3, 1};

// ---- moves

// The program's first linear layer becomes two moves: 0 = 3 (a bias in the file of data) and 3 = the input. The second
// layer, of nothing, adds 0 in place of 3, which must be what it is in its file, run after run.
static void moves_leave_tensors_in_their_file(void **state)
{
    (void)state;
    enum { OTHER, BIAS = 3, INPUT = 4, LAYER = 4, OUTPUTS = 2 };
    size_t size, data_size;
    uint8_t *file = read_file(RL_FIXTURES "/programs/external.pte", &size);
    uint8_t *data = read_file(RL_FIXTURES "/programs/external.ptd", &data_size);
    struct rl_pte_instruction layer;
    struct rl_tensor output;
    struct runnable r;
    struct rl_ptd ptd;
    struct rl_ptd_search bias = {.key = "2.bias", .key_length = 6, .dtype = RL_FLOAT32, .steps = 100};
    const struct opened o = open_file(file, size);
    assert_true(rl_pte_instruction(&o.pte, &o.plan, LAYER, &layer));
    store(file, layer.arguments.items, OTHER);
    make_move(file, size, 1, BIAS, OTHER);
    make_move(file, size, 2, INPUT, BIAS);
    assert_null(rl_ptd_open(&ptd, data, data_size));
    assert_true(rl_ptd_find(&ptd, &bias));
    assert_int_equal(bias.available, OUTPUTS * sizeof(float));
    assert_int_equal(runnable_open_with(&r, file, size, data, data_size), RL_OK);
    for (int run = 0; run < 3; run++) {
        assert_int_equal(rl_method_execute(&r.method), RL_OK);
        assert_int_equal(rl_method_output(&r.method, 0, &output), RL_OK);
        for (int row = 0; row < 2; row++) {
            assert_memory_equal((float *)output.data + row * OUTPUTS, data + bias.position, bias.available);
        }
    }
    runnable_free(&r);
    free(file);
    free(data);
}

// out = relu(in), then in = out, a smaller tensor: the next run starts with the larger one again.
static void memory_is_bound_for_the_tensor_of_the_file(void **state)
{
    (void)state;
    static const int32_t large[] = {64}, small[] = {1}, in[] = {0}, out[] = {1}, relu[] = {0, 2, 2},
                         again[] = {2, 2, 2};
    static const uint8_t order[] = {0};
    const struct rl_pte_value_description values[] = {
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, large, order, 0, 0, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, small, order, 0, 0, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, large, order, 0, 1, 0}},
    };
    static const struct rl_pte_operator_description operators[] = {{"aten::relu", "out"}, {"aten::abs", "out"}};
    static const struct rl_pte_instruction_description instructions[] = {{0, 3, relu}, {1, 3, again}};
    static const int64_t arena[] = {256};
    const struct rl_pte_method_description method = {"forward", 3, values,       1, in,    1,    out,  2,
                                                     operators, 2, instructions, 1, arena, NULL, NULL, NULL};
    const struct rl_pte_description description = {.method_count = 1, .methods = &method};
    size_t size;
    struct runnable r;
    struct rl_tensor tensor;
    void *block, *little;
    uint8_t *file = write_description(&description, &size);
    make_move(file, size, 1, 1, 0);
    assert_int_equal(runnable_open(&r, file, size, true), RL_OK);
    block = calloc(64, sizeof(float));
    little = calloc(1, sizeof(float));
    assert_int_equal(rl_method_bind_input(&r.method, 0, block, 64 * sizeof(float)), RL_OK);
    assert_int_equal(rl_method_bind_output(&r.method, 0, little, sizeof(float)), RL_OK);
    assert_int_equal(rl_method_execute(&r.method), RL_OK);
    assert_int_equal(rl_method_input(&r.method, 0, &tensor), RL_OK);
    assert_int_equal(tensor.bytes, 64 * sizeof(float));
    assert_ptr_equal(tensor.data, block);
    assert_int_equal(rl_method_bind_input(&r.method, 0, little, sizeof(float)), RL_ERROR_TYPE);
    assert_int_equal(rl_method_execute(&r.method), RL_OK);
    runnable_free(&r);
    free(block);
    free(little);
    free(file);
}

// The error tells where the file names the number that a call would compute: `argument` items after the first one, in
// front of which their count stands.
static void a_registry_without_flow_takes_no_computed_number(void **state)
{
    (void)state;
    const struct rl_registry registry = {.kernels = rl_registry_all.kernels, .count = rl_registry_all.count};
    size_t size;
    uint8_t *file = read_file(RL_FIXTURES "/shapes/prefix.pte", &size);
    struct rl_program program;
    struct rl_error error;
    int32_t count;
    assert_int_equal(rl_program_open(&program, file, size, &error), RL_OK);
    assert_int_equal(rl_program_verify(&program, &registry, &error), RL_ERROR_MISSING_OPERATOR);
    assert_true(error.argument >= 1);
    assert_in_range(error.offset, 8 + 4 * (uint32_t)error.argument, size - sizeof count);
    memcpy(&count, file + error.offset - 4 * (uint32_t)error.argument - sizeof count, sizeof count);
    assert_int_equal(count, error.argument + 1);
    free(file);
}

// The verifier and the method may get different registries.
static void a_registry_without_flow_takes_no_file_of_data(void **state)
{
    (void)state;
    const struct rl_registry registry = {.kernels = rl_registry_all.kernels, .count = rl_registry_all.count};
    size_t size, data_size;
    uint8_t *file = read_file(RL_FIXTURES "/programs/external.pte", &size);
    uint8_t *data = read_file(RL_FIXTURES "/programs/external.ptd", &data_size);
    struct rl_program program;
    struct rl_method method;
    struct rl_requirements needs;
    struct rl_error error;
    for (int trusted = 0; trusted < 2; trusted++) {
        assert_int_equal(rl_program_open(&program, file, size, &error), RL_OK);
        assert_int_equal(rl_program_attach(&program, data, data_size, &error), RL_OK);
        if (trusted) {
            rl_program_trust(&program, &registry);
        } else {
            assert_int_equal(rl_program_verify(&program, &registry, &error), RL_ERROR_MISSING_OPERATOR);
        }
        if (rl_method_requirements(&program, 0, &needs, &error) != RL_OK) {
            continue;
        }
        struct rl_buffer buffer = {calloc(1, needs.buffer_bytes[0]), needs.buffer_bytes[0]};
        void *memory = malloc(needs.state_bytes);
        assert_int_not_equal(
            rl_method_init(&method, &program, 0, &rl_registry_all, &buffer, 1, memory, needs.state_bytes, &error),
            RL_OK);
        free(memory);
        free(buffer.data);
    }
    free(file);
    free(data);
}

static enum rl_status expect_addresses(void *user, struct rl_call *call)
{
    (void)user;
    for (uint32_t i = 0; i < call->argument_count; i++) {
        struct rl_tensor tensor;
        rl_call_tensor(call, i, &tensor);
        assert_non_null(tensor.data);
    }
    return call->status;
}

// ExecuTorch plans no memory for tensors without elements; C forbids to add anything to NULL, even 0.
static void empty_tensors_have_an_address(void **state)
{
    (void)state;
    enum { LEFT, RIGHT, PRODUCT };
    static const int32_t left[] = {0, 2}, right[] = {2, 3}, product[] = {0, 3};
    static const float numbers[6];
    const struct rl_hooks hooks = {.before = expect_addresses};
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 2, left, NULL, numbers);
    program_input(&p, RL_FLOAT32, 2, right, NULL, numbers);
    program_output(&p, RL_FLOAT32, 2, product, NULL);
    p.values[p.args[LEFT]].as.tensor.memory_id = 0;
    p.values[p.args[PRODUCT]].as.tensor.memory_id = 0;
    assert_int_equal(program_run(&p, "aten::mm", "out"), RL_OK);
    rl_method_set_hooks(&p.method, &hooks);
    assert_int_equal(rl_method_execute(&p.method), RL_OK);
    program_free(&p);
}

// ---- sizes

// What convolutions take between their window and their work space: no offsets, scales, no clamp.
static void add_scaling(struct test_program *p, const int32_t *channels, const int32_t *multipliers,
                        const int32_t *shifts)
{
    program_int(p, 0);
    program_int(p, 0);
    program_constant(p, RL_INT32, 1, channels, multipliers);
    program_constant(p, RL_INT32, 1, channels, shifts);
    program_int(p, -128);
    program_int(p, 127);
}

// A convolution over nothing, and one whose channels do not form groups.
static void a_convolution_needs_channels(void **state)
{
    (void)state;
    static const int32_t in[] = {1, 0, 3, 3}, weight[] = {2, 1, 1, 1}, out[] = {1, 2, 3, 3}, channels[] = {2};
    static const int32_t multipliers[] = {1 << 30, 1 << 30}, shifts[] = {-8, -9};
    static const int8_t taps[] = {1, 2};
    struct test_program p = {0};
    program_input(&p, RL_INT8, 4, in, channels_last, taps);
    program_constant(&p, RL_INT8, 4, weight, taps);
    program_none(&p);
    program_ints(&p, 2, (int32_t[]){1, 1});
    program_ints(&p, 2, (int32_t[]){0, 0});
    program_ints(&p, 2, (int32_t[]){1, 1});
    add_scaling(&p, channels, multipliers, shifts);
    program_scratch(&p, 64);
    program_output(&p, RL_INT8, 4, out, channels_last);
    assert_int_equal(program_run(&p, "cortex_m::quantized_conv2d", "out"), RL_ERROR_TYPE);
    program_free(&p);
}

// One input spreads over 16384 x 16384 places of 4 channels, of which the output keeps the first: the work space of
// four bytes each is 2^32 bytes, or none.
static void a_work_space_beyond_32_bits_is_refused(void **state)
{
    (void)state;
    static const int32_t in[] = {1, 1, 1, 1}, weight[] = {4, 1, 1, 1}, out[] = {1, 4, 1, 1}, channels[] = {4};
    static const int32_t multipliers[] = {1 << 30, 1 << 30, 1 << 30, 1 << 30}, shifts[] = {-8, -9, -8, -9};
    static const int8_t taps[] = {1, 2, 3, 4};
    struct test_program p = {0};
    program_input(&p, RL_INT8, 4, in, channels_last, taps);
    program_constant(&p, RL_INT8, 4, weight, taps);
    program_none(&p);
    program_ints(&p, 2, (int32_t[]){16384, 16384});
    program_ints(&p, 2, (int32_t[]){0, 0});
    program_ints(&p, 2, (int32_t[]){0, 0});
    program_ints(&p, 2, (int32_t[]){1, 1});
    add_scaling(&p, channels, multipliers, shifts);
    program_scratch(&p, 64);
    program_scratch(&p, 64);
    program_output(&p, RL_INT8, 4, out, channels_last);
    assert_int_equal(program_run(&p, "cortex_m::quantized_transpose_conv2d", "out"), RL_ERROR_TYPE);
    program_free(&p);
}

// A softmax takes scales with shifts of 0 to 31. A mask of minus the largest float gives 31.
static void a_softmax_needs_a_factor_of_at_least_one(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 3};
    static const int8_t in[] = {1, 2, 3};
    static const struct {
        int32_t multiplier, shift;
        enum rl_status expected;
    } cases[] = {{1 << 30, 0, RL_OK},          {1 << 30, 30, RL_OK},         {INT32_MAX, 31, RL_OK},
                 {1 << 30, 32, RL_ERROR_TYPE}, {1 << 30, -1, RL_ERROR_TYPE}, {-1, 4, RL_ERROR_TYPE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_program p = {0};
        program_input(&p, RL_INT8, 2, sizes, NULL, in);
        program_int(&p, -1);
        program_int(&p, 0);
        program_int(&p, -128);
        program_int(&p, cases[i].multiplier);
        program_int(&p, cases[i].shift);
        program_int(&p, -1000);
        program_output(&p, RL_INT8, 2, sizes, NULL);
        assert_int_equal(program_run(&p, "cortex_m::softmax", "out"), cases[i].expected);
        program_free(&p);
    }
}

// An empty tensor with dimensions of 2^31 by 2^31 would keep an operator counting for ever, and exceed 32 bits.
static void empty_tensors_of_endless_sizes_are_refused(void **state)
{
    (void)state;
    static const int32_t in[] = {0, 1, INT32_MAX, INT32_MAX}, out[] = {0, 1, 1, 1};
    static const float nothing[1];
    struct test_program p = {0};
    program_input(&p, RL_FLOAT32, 4, in, NULL, nothing);
    program_ints(&p, 2, (int32_t[]){1, 1});
    program_output(&p, RL_FLOAT32, 4, out, NULL);
    assert_int_equal(program_run(&p, "aten::_adaptive_avg_pool2d", "out"), RL_ERROR_FORMAT);
    program_free(&p);
}

// With so many values that the bytes of their state leave 32 bits.
static void too_many_values_are_refused(void **state)
{
    (void)state;
    enum { PROGRAM_SIZE = 16 };
    const uint32_t count = INT32_MAX / 16;
    const size_t size = (size_t)count * 4 + (1 << 20);
    static const int32_t sizes[] = {1};
    static const float number[] = {1};
    struct test_program p = {0};
    struct rl_program program;
    struct rl_error error;
    program_input(&p, RL_FLOAT32, 1, sizes, NULL, number);
    program_output(&p, RL_FLOAT32, 1, sizes, NULL);
    program_write(&p, "aten::relu", "out");
    const struct opened o = open_file(p.file, p.file_bytes);
    uint8_t *file = calloc(size, 1); // pages that nobody touches take no memory
    assert_non_null(file);
    memcpy(file, p.file, p.file_bytes);
    store(file, PROGRAM_SIZE, (uint32_t)size);
    store(file, o.plan.values.items - 4, count);
    assert_int_equal(rl_program_open(&program, file, size, &error), RL_OK);
    assert_int_equal(rl_program_verify(&program, &rl_registry_all, &error), RL_ERROR_UNSUPPORTED);
    free(file);
    program_free(&p);
}

// The constants of a file without alignment: data that nobody may read in place on every core.
static void unaligned_constants_are_refused(void **state)
{
    (void)state;
    enum { SECOND = 2 }; // constant 0 is none
    static const int32_t two[] = {2};
    static const float numbers[] = {1, 2};
    struct test_program p = {0};
    program_constant(&p, RL_FLOAT32, 1, two, numbers);
    program_constant(&p, RL_FLOAT32, 1, two, numbers);
    program_int(&p, 1);
    program_output(&p, RL_FLOAT32, 1, two, NULL);
    program_write(&p, "aten::add", "out");
    const struct opened o = open_file(p.file, p.file_bytes);
    const uint32_t offset = o.pte.constants.items + 8 * SECOND;
    assert_int_equal(rl_fb_u32(&o.pte.fb, offset), 16);
    for (uint32_t at = 13; at <= 16; at++) {
        store(p.file, offset, at);
        assert_int_equal(rl_program_open(&p.program, p.file, p.file_bytes, &p.error), RL_OK);
        assert_int_equal(rl_program_verify(&p.program, &rl_registry_all, &p.error), at == 16 ? RL_OK : RL_ERROR_FORMAT);
        if (at < 16) {
            assert_string_equal(p.error.message,
                                "a constant is not aligned to its elements (constant_tensor_alignment=8 is enough)");
        }
    }
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_leave_tensors_in_their_file),
        cmocka_unit_test(memory_is_bound_for_the_tensor_of_the_file),
        cmocka_unit_test(a_registry_without_flow_takes_no_computed_number),
        cmocka_unit_test(a_registry_without_flow_takes_no_file_of_data),
        cmocka_unit_test(empty_tensors_have_an_address),
        cmocka_unit_test(a_convolution_needs_channels),
        cmocka_unit_test(a_work_space_beyond_32_bits_is_refused),
        cmocka_unit_test(a_softmax_needs_a_factor_of_at_least_one),
        cmocka_unit_test(empty_tensors_of_endless_sizes_are_refused),
        cmocka_unit_test(too_many_values_are_refused),
        cmocka_unit_test(unaligned_constants_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
