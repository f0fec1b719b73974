// SPDX-License-Identifier: Apache-2.0
//
// Programs that name the same tables and lists again and again, so that looking at all that they name takes time that
// grows with the square of the file, or faster. Verification takes time linear in the file, or says why it stops. The
// writer stores equal descriptions once, which makes such files. Time is the test's own processor time; before there
// was a bound, each of these programs took ten seconds to hours.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "format/flatbuffer_builder.h"
#include "format/ptd_reader.h"
#include "runtime/change_program.h"
#include "runtime/operator_program.h"

enum { MOST_SECONDS = 5 };

static const uint8_t order[] = {0, 1, 2, 3}, channels_last[] = {0, 2, 3, 1};
static const int32_t pair[] = {2};

static struct rl_pte_value_description int_value(int64_t integer)
{
    return (struct rl_pte_value_description){.kind = RL_PTE_INT, .as.integer = integer};
}

// A tensor of two floats at a place of the arena; not planned at -1.
static struct rl_pte_value_description floats(int64_t offset)
{
    struct rl_pte_value_description value = {.kind = RL_PTE_TENSOR,
                                             .as.tensor = {RL_FLOAT32, 1, pair, order, 0, 1, (uint64_t)offset, 0}};
    if (offset < 0) {
        value.as.tensor.memory_id = 0;
        value.as.tensor.memory_offset = 0;
    }
    return value;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Verifies the file, frees it, and looks at the time and at the reason of a refusal.
static enum rl_status verify_soon(uint8_t *file, size_t size, const uint8_t *data, size_t data_size)
{
    struct rl_program program;
    struct rl_error error = {.message = ""};
    struct rl_requirements needs;
    const double start = seconds();
    assert_int_equal(rl_program_open(&program, file, size, &error), RL_OK);
    if (data) {
        assert_int_equal(rl_program_attach(&program, data, data_size, &error), RL_OK);
    }
    const enum rl_status status = rl_program_verify(&program, &rl_registry_all, &error);
    if (status == RL_OK) {
        assert_int_equal(rl_method_requirements(&program, 0, &needs, &error), RL_OK);
    } else {
        assert_int_equal(status, RL_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "many times") ? error.message : strstr(error.message, "too long"));
    }
    assert_true(seconds() - start < MOST_SECONDS);
    free(file);
    return status;
}

static struct rl_pte_value_description *make_values(int count, struct rl_pte_value_description value)
{
    struct rl_pte_value_description *values = malloc((size_t)count * sizeof *values);
    for (int i = 0; i < count; i++) {
        values[i] = value;
    }
    return values;
}

static int32_t *make_indices(int count, int32_t index)
{
    int32_t *indices = malloc((size_t)count * sizeof *indices);
    for (int i = 0; i < count; i++) {
        indices[i] = index;
    }
    return indices;
}

// ---- structure

// As many lists as items, all of them one list in the file.
static enum rl_status verify_lists(int count)
{
    int32_t *items = make_indices(count, 0);
    struct rl_pte_value_description *values = make_values(
        count + 1, (struct rl_pte_value_description){.kind = RL_PTE_INT_LIST, .count = count, .as.indices = items});
    values[0] = int_value(1);
    const struct rl_pte_method_description method = {.name = "forward", .value_count = count + 1, .values = values};
    const struct rl_pte_description description = {.method_count = 1, .methods = &method};
    size_t size;
    uint8_t *file = write_description(&description, &size);
    free(values);
    free(items);
    return verify_soon(file, size, NULL, 0);
}

static void lists_are_looked_at_once_for_each_byte(void **state)
{
    (void)state;
    assert_int_equal(verify_lists(100), RL_OK);
    assert_int_equal(verify_lists(2000), RL_ERROR_UNSUPPORTED);
}

// As many methods as values, all of them one method in the file.
static void methods_are_looked_at_once_for_each_byte(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    struct rl_pte_value_description *values = make_values(COUNT, int_value(1));
    struct rl_pte_method_description *methods = malloc(COUNT * sizeof *methods);
    for (int i = 0; i < COUNT; i++) {
        methods[i] = (struct rl_pte_method_description){.name = "forward", .value_count = COUNT, .values = values};
    }
    const struct rl_pte_description description = {.method_count = COUNT, .methods = methods};
    size_t size;
    uint8_t *file = write_description(&description, &size);
    free(values);
    free(methods);
    assert_int_equal(verify_soon(file, size, NULL, 0), RL_ERROR_UNSUPPORTED);
}

// As many inputs as values: whether a value is an input is looked up when a method is initialized.
static void inputs_are_looked_up_once_for_each_byte(void **state)
{
    (void)state;
    enum { COUNT = 30000 };
    struct rl_pte_value_description *values = make_values(COUNT, floats(-1));
    int32_t *inputs = make_indices(COUNT, 0);
    const struct rl_pte_operator_description view = {"aten::view_copy", "default"};
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .value_count = COUNT,
                                                     .values = values,
                                                     .input_count = COUNT,
                                                     .inputs = inputs,
                                                     .operator_count = 1,
                                                     .operators = &view};
    const struct rl_pte_description description = {.method_count = 1, .methods = &method};
    size_t size;
    uint8_t *file = write_description(&description, &size);
    free(values);
    free(inputs);
    assert_int_equal(verify_soon(file, size, NULL, 0), RL_ERROR_UNSUPPORTED);
}

// As many tensors as the memory has bytes, each of which would fill all of it with its initial value.
static void initial_values_fill_the_memory_a_few_times(void **state)
{
    (void)state;
    enum { COUNT = 4096, BYTES = 1 << 16 };
    static const int32_t sizes[] = {BYTES};
    static const uint8_t zeros[BYTES];
    static const int64_t arena[] = {BYTES};
    const struct rl_pte_constant_description initial = {zeros, BYTES};
    struct rl_pte_value_description *values =
        make_values(COUNT, (struct rl_pte_value_description){.kind = RL_PTE_TENSOR,
                                                             .as.tensor = {RL_UINT8, 1, sizes, order, 0, 1, 0, 1}});
    for (int count = 1; count <= COUNT; count += COUNT - 1) {
        const struct rl_pte_method_description method = {
            .name = "forward", .value_count = count, .values = values, .buffer_count = 1, .buffer_sizes = arena};
        const struct rl_pte_description description = {
            .method_count = 1, .methods = &method, .initial_count = 1, .initials = &initial};
        size_t size;
        uint8_t *file = write_description(&description, &size);
        assert_int_equal(verify_soon(file, size, NULL, 0), count == 1 ? RL_OK : RL_ERROR_UNSUPPORTED);
    }
    free(values);
}

// ---- calls

struct calls {
    int value_count, count, argument_count, constant_count, input_count;
    const struct rl_pte_value_description *values;
    const int32_t *arguments, *inputs;
    struct rl_pte_operator_description operator;
    const struct rl_pte_constant_description *constants;
    bool moves; // the last call becomes a move of value 1 to value 0
};

// Many calls, all of them one call in the file, and perhaps a move.
static enum rl_status verify_calls(const struct calls *c)
{
    static const int64_t arena[] = {1 << 20};
    struct rl_pte_instruction_description *instructions = malloc((size_t)c->count * sizeof *instructions);
    int32_t last[16] = {0};
    for (int i = 0; i < c->count; i++) {
        instructions[i] = (struct rl_pte_instruction_description){0, c->argument_count, c->arguments};
    }
    if (c->moves) {
        instructions[c->count - 1] = (struct rl_pte_instruction_description){1, 3, last};
    }
    const struct rl_pte_operator_description operators[] = {c->operator, {"aten::relu", "out"} };
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .value_count = c->value_count,
                                                     .values = c->values,
                                                     .input_count = c->input_count,
                                                     .inputs = c->inputs,
                                                     .operator_count = 2,
                                                     .operators = operators,
                                                     .instruction_count = c->count,
                                                     .instructions = instructions,
                                                     .buffer_count = 1,
                                                     .buffer_sizes = arena};
    const struct rl_pte_description description = {
        .method_count = 1, .methods = &method, .constant_count = c->constant_count, .constants = c->constants};
    size_t size;
    uint8_t *file = write_description(&description, &size);
    if (c->moves) {
        make_move(file, size, (uint32_t)c->count - 1, 1, 0);
    }
    free(instructions);
    return verify_soon(file, size, NULL, 0);
}

// The output of each call overlaps its operand, which does not count, because a move replaces the output.
static void moves_are_looked_up_once_for_each_byte(void **state)
{
    (void)state;
    static const int32_t eight[] = {8}, arguments[] = {2, 1, 3, 0, 0};
    struct rl_pte_value_description values[] = {floats(0), floats(64), floats(16), int_value(1)};
    for (int i = 0; i < 3; i++) {
        values[i].as.tensor.sizes = eight;
    }
    struct calls calls = {.value_count = 4,
                          .values = values,
                          .argument_count = 5,
                          .arguments = arguments,
                          .operator= {"aten::sub", "out"},
                          .moves = true};
    calls.count = 40;
    assert_int_equal(verify_calls(&calls), RL_OK);
    calls.count = 60000;
    assert_int_equal(verify_calls(&calls), RL_ERROR_UNSUPPORTED);
}

static void lists_of_calls_are_looked_at_once_for_each_byte(void **state)
{
    (void)state;
    enum { COUNT = 30000 };
    static const int32_t sizes[] = {2 * COUNT}, arguments[] = {1, 2, 3, 3};
    int32_t *items = make_indices(COUNT, 0);
    struct rl_pte_value_description values[] = {
        floats(0),
        {.kind = RL_PTE_TENSOR_LIST, .count = COUNT, .as.indices = items},
        int_value(0),
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, sizes, order, 0, 1, 64, 0}}};
    struct calls calls = {.value_count = 4,
                          .values = values,
                          .argument_count = 4,
                          .arguments = arguments,
                          .operator= {"aten::cat", "out"} };
    calls.count = 2;
    assert_int_equal(verify_calls(&calls), RL_OK);
    calls.count = COUNT;
    assert_int_equal(verify_calls(&calls), RL_ERROR_UNSUPPORTED);
    free(items);
}

// Each call looks at the scales of all channels, which are constants.
static void scales_are_looked_at_once_for_each_byte(void **state)
{
    (void)state;
    enum { CHANNELS = 100000, COUNT = 20000 };
    static int32_t multipliers[CHANNELS], shifts[CHANNELS];
    static int8_t weights[CHANNELS];
    static const int32_t pixel[] = {1, 1, 1, 1}, filter[] = {CHANNELS, 1, 1, 1}, image[] = {1, CHANNELS, 1, 1},
                         channels[] = {CHANNELS}, one[] = {0, 0}, none[] = {1, 1}, scratch[] = {1024},
                         arguments[] = {2, 3, 4, 5, 6, 5, 1, 1, 7, 8, 1, 9, 10, 11, 11};
    const struct rl_pte_constant_description constants[] = {
        {weights, sizeof weights}, {multipliers, sizeof multipliers}, {shifts, sizeof shifts}};
    const struct rl_pte_value_description values[] = {
        int_value(1),
        int_value(0),
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT8, 4, pixel, channels_last, 0, 1, 0, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT8, 4, filter, order, 1, 0, 0, 0}},
        {.kind = RL_PTE_NULL},
        {.kind = RL_PTE_INT_LIST, .count = 2, .as.indices = one},
        {.kind = RL_PTE_INT_LIST, .count = 2, .as.indices = none},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT32, 1, channels, order, 2, 0, 0, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT32, 1, channels, order, 3, 0, 0, 0}},
        int_value(127),
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_UINT8, 1, scratch, order, 0, 1, 16, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT8, 4, image, channels_last, 0, 1, 2048, 0}}};
    struct calls calls = {.value_count = 12,
                          .values = values,
                          .argument_count = 15,
                          .arguments = arguments,
                          .operator= {"cortex_m::quantized_conv2d", "out"},
                          .constant_count = 3,
                          .constants = constants};
    calls.count = 10;
    assert_int_equal(verify_calls(&calls), RL_OK);
    calls.count = COUNT;
    assert_int_equal(verify_calls(&calls), RL_ERROR_UNSUPPORTED);
}

// The tensor of each call is the last of the inputs, all of which have their memory from the caller.
static void inputs_of_calls_are_looked_at_once_for_each_byte(void **state)
{
    (void)state;
    enum { COUNT = 30000 };
    static const int32_t arguments[] = {1, 2, 2};
    const struct rl_pte_value_description values[] = {floats(-1), floats(-1), floats(0)};
    int32_t *inputs = make_indices(COUNT, 0);
    inputs[COUNT - 1] = 1;
    struct calls calls = {.value_count = 3,
                          .values = values,
                          .argument_count = 3,
                          .arguments = arguments,
                          .input_count = COUNT,
                          .inputs = inputs,
                          .operator= {"aten::abs", "out"} };
    calls.count = 10;
    assert_int_equal(verify_calls(&calls), RL_OK);
    calls.count = COUNT;
    assert_int_equal(verify_calls(&calls), RL_ERROR_UNSUPPORTED);
    free(inputs);
}

// ---- names

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    return realloc(block, new_size);
}

// Adds an entry of this name for the bytes of segment 0.
static uint32_t add_name(struct rl_fbb *builder, const char *name)
{
    const uint32_t key = rl_fbb_string(builder, name);
    rl_fbb_reference(builder, RL_PTE_named_tensor_key, key);
    return rl_fbb_end(builder);
}

// The tables of a file of data: `count` entries of one name, and one of another in the place `at`.
static void build_names(struct rl_fbb *builder, struct rl_ptd *ptd, const char *name, uint32_t count, const char *other,
                        uint32_t at)
{
    uint32_t *entries = malloc(count * sizeof *entries);
    *builder = (struct rl_fbb){.reallocate = reallocate};
    const uint32_t usual = add_name(builder, name), special = add_name(builder, other);
    rl_fbb_scalar(builder, RL_PTE_segment_size, 8, 16);
    const uint32_t segment = rl_fbb_end(builder), segments = rl_fbb_references(builder, &segment, 1);
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = i == at ? special : usual;
    }
    const uint32_t names = rl_fbb_references(builder, entries, count);
    rl_fbb_reference(builder, RL_PTE_flat_tensor_segments, segments);
    rl_fbb_reference(builder, RL_PTE_flat_tensor_named_data, names);
    const uint32_t root = rl_fbb_end(builder);
    assert_true(rl_fbb_finish(builder, root, RL_PTD_IDENTIFIER));
    free(entries);
    const uint8_t *data = builder->block + builder->capacity - builder->used;
    *ptd = (struct rl_ptd){.fb = {data, (uint32_t)builder->used},
                           .file_size = (uint32_t)builder->used + 16,
                           .segment_base = (uint32_t)builder->used};
    const uint32_t table = rl_fb_root(&ptd->fb);
    assert_true(rl_fb_vector(&ptd->fb, table, RL_PTE_flat_tensor_segments, 4, &ptd->segments));
    assert_true(rl_fb_vector(&ptd->fb, table, RL_PTE_flat_tensor_named_data, 4, &ptd->tensors));
}

static void names_are_compared_as_often_as_there_are_steps(void **state)
{
    (void)state;
    enum { COUNT = 1000, LENGTH = 64000 };
    struct rl_fbb builder;
    struct rl_ptd ptd;
    char *name = malloc(LENGTH + 1), *other = malloc(LENGTH + 1);
    memset(name, 'x', LENGTH);
    name[LENGTH] = 0;
    memcpy(other, name, LENGTH + 1);
    other[LENGTH - 1] = 'y';
    build_names(&builder, &ptd, name, COUNT, other, 600);
    struct rl_ptd_search search = {.key = other, .key_length = LENGTH, .dtype = RL_UINT8, .least = 16, .steps = 10000};
    assert_false(rl_ptd_find(&ptd, &search));
    assert_int_equal(search.steps, 0);
    search.steps = (uint64_t)COUNT * LENGTH;
    assert_true(rl_ptd_find(&ptd, &search));
    assert_int_equal(search.entry, 600);
    assert_int_equal(search.available, 16);
    assert_int_equal(search.steps, (uint64_t)COUNT * LENGTH - 601 * (1 + LENGTH / 16));
    search.steps = 2 + LENGTH / 16; // the search begins where the one before ended
    assert_true(rl_ptd_find(&ptd, &search));
    assert_int_equal(search.steps, 1);
    search.steps = (uint64_t)COUNT * LENGTH;
    search.least = 17;
    assert_false(rl_ptd_find(&ptd, &search));
    free(builder.block);
    free(builder.keys);
    free(builder.entries);
    free(name);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_looked_at_once_for_each_byte),
        cmocka_unit_test(methods_are_looked_at_once_for_each_byte),
        cmocka_unit_test(inputs_are_looked_up_once_for_each_byte),
        cmocka_unit_test(initial_values_fill_the_memory_a_few_times),
        cmocka_unit_test(moves_are_looked_up_once_for_each_byte),
        cmocka_unit_test(lists_of_calls_are_looked_at_once_for_each_byte),
        cmocka_unit_test(scales_are_looked_at_once_for_each_byte),
        cmocka_unit_test(inputs_of_calls_are_looked_at_once_for_each_byte),
        cmocka_unit_test(names_are_compared_as_often_as_there_are_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
