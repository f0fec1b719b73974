// SPDX-License-Identifier: Apache-2.0
//
// What the writer puts into a .pte, the reader finds again; wrong descriptions are refused; running out of memory at
// any point is an error and leaks nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/pte_reader.h"
#include "format/pte_writer.h"

static const int32_t sizes[] = {1, 3, 4, 4}, flat[] = {48}, ints[] = {1, 0, 1}, tensors[] = {5, 7},
                     optional[] = {-1, 6};
static const uint8_t channels_last[] = {0, 2, 3, 1}, order[] = {0};
static const double numbers[] = {0.5, -2};
static const bool booleans[] = {true, false, true};
static const float weights[48] = {1, 2, 3};
static const int32_t scales[3] = {10, 20, 30}, three[] = {3};

static const struct rl_pte_value_description values[] = {
    {.kind = RL_PTE_INT, .as.integer = -7},
    {.kind = RL_PTE_INT, .as.integer = INT64_MAX},
    {.kind = RL_PTE_BOOL, .as.boolean = true},
    {.kind = RL_PTE_DOUBLE, .as.number = 0.1},
    {.kind = RL_PTE_STRING, .as.string = "constant"},
    {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 4, sizes, channels_last, 0, 1, 32}},
    {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, flat, order, 1, 0, 0}},
    {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT32, 1, three, order, 2, 0, 0}},
    {.kind = RL_PTE_INT_LIST, .count = 3, .as.indices = ints},
    {.kind = RL_PTE_DOUBLE_LIST, .count = 2, .as.numbers = numbers},
    {.kind = RL_PTE_BOOL_LIST, .count = 3, .as.booleans = booleans},
    {.kind = RL_PTE_TENSOR_LIST, .count = 2, .as.indices = tensors},
    {.kind = RL_PTE_OPTIONAL_TENSOR_LIST, .count = 2, .as.indices = optional},
    {.kind = RL_PTE_NULL},
    {.kind = RL_PTE_TENSOR, .as.tensor = {RL_UINT8, 1, three, order, 0, 2, 0}},
    {.kind = RL_PTE_INT_LIST},
};

enum { VALUES = sizeof values / sizeof values[0] };

static const struct rl_pte_operator_description operators[] = {{"aten::add", "out"},
                                                               {"executorch_prim::et_view", "default"}};
static const int32_t first_args[] = {5, 6, 0, 5, 5}, second_args[] = {5, 8, 14}, inputs[] = {5}, outputs[] = {14, 5};
static const struct rl_pte_instruction_description instructions[] = {{0, 5, first_args}, {1, 3, second_args}};
static const int64_t buffers[] = {256, 16};
static const struct rl_pte_constant_description constants[] = {{weights, sizeof weights}, {scales, sizeof scales}};

static struct rl_pte_method_description make_method(void)
{
    return (struct rl_pte_method_description){.name = "forward",
                                              .value_count = VALUES,
                                              .values = values,
                                              .input_count = 1,
                                              .inputs = inputs,
                                              .output_count = 2,
                                              .outputs = outputs,
                                              .operator_count = 2,
                                              .operators = operators,
                                              .instruction_count = 2,
                                              .instructions = instructions,
                                              .buffer_count = 2,
                                              .buffer_sizes = buffers,
                                              .input_tree = "[1]"};
}

static uint8_t *write_all(size_t *size)
{
    const struct rl_pte_method_description methods[] = {make_method(), make_method()};
    const struct rl_pte_description description = {2, methods, 2, constants, 0, NULL, NULL};
    const char *message;
    uint8_t *file;
    assert_int_equal(rl_pte_write(&description, NULL, &file, size, &message), RL_OK);
    return file;
}

static void check_tensors(const struct rl_pte *pte, const struct rl_pte_plan *plan)
{
    struct rl_pte_tensor tensor;
    uint32_t table, position, available;
    assert_int_equal(rl_pte_value(pte, plan, 5, &table), RL_PTE_TENSOR);
    assert_true(rl_pte_tensor(pte, table, &tensor));
    assert_true(tensor.planned);
    assert_int_equal(tensor.dtype, RL_FLOAT32);
    assert_int_equal(tensor.memory_id, 1);
    assert_int_equal(tensor.memory_offset, 32);
    assert_int_equal(tensor.sizes.count, 4);
    assert_int_equal(rl_pte_item_i32(pte, &tensor.sizes, 1), 3);
    assert_int_equal(rl_fb_u8(&pte->fb, tensor.dim_order.items + 3), 1);
    assert_int_equal(rl_pte_value(pte, plan, 7, &table), RL_PTE_TENSOR);
    assert_true(rl_pte_tensor(pte, table, &tensor));
    assert_false(tensor.planned);
    assert_int_equal(tensor.constant, 2);
    assert_true(rl_pte_constant(pte, tensor.constant, &position, &available));
    assert_int_equal(position % RL_PTE_ALIGNMENT, 0);
    assert_true(available >= sizeof scales);
    assert_memory_equal(pte->fb.data + position, scales, sizeof scales);
    assert_false(rl_pte_constant(pte, 0, &position, &available));
    assert_false(rl_pte_constant(pte, 3, &position, &available));
}

static void check_values(const struct rl_pte *pte, const struct rl_pte_plan *plan)
{
    struct rl_fb_vector items;
    uint32_t table, length;
    assert_int_equal(plan->values.count, VALUES);
    for (uint32_t i = 0; i < VALUES; i++) {
        assert_int_equal(rl_pte_value(pte, plan, i, &table), values[i].kind);
    }
    rl_pte_value(pte, plan, 0, &table);
    assert_int_equal(rl_pte_int(pte, table), -7);
    rl_pte_value(pte, plan, 1, &table);
    assert_true(rl_pte_int(pte, table) == INT64_MAX);
    rl_pte_value(pte, plan, 2, &table);
    assert_true(rl_pte_bool(pte, table));
    rl_pte_value(pte, plan, 3, &table);
    assert_true(rl_pte_double(pte, table) == 0.1);
    rl_pte_value(pte, plan, 4, &table);
    assert_string_equal(rl_pte_string(pte, table, &length), "constant");
    rl_pte_value(pte, plan, 8, &table);
    assert_true(rl_pte_list(pte, table, 8, &items));
    assert_int_equal(items.count, 3);
    assert_int_equal(rl_pte_item_i64(pte, &items, 2), 1);
    rl_pte_value(pte, plan, 9, &table);
    assert_true(rl_pte_list(pte, table, 8, &items));
    assert_true(rl_fb_f64(&pte->fb, items.items + 8) == -2);
    rl_pte_value(pte, plan, 12, &table);
    assert_true(rl_pte_list(pte, table, 4, &items));
    assert_int_equal(rl_pte_item_i32(pte, &items, 0), -1);
    rl_pte_value(pte, plan, 15, &table);
    assert_true(rl_pte_list(pte, table, 8, &items));
    assert_int_equal(items.count, 0);
}

static void a_program_reads_back(void **state)
{
    (void)state;
    struct rl_pte pte;
    struct rl_pte_plan plan;
    struct rl_pte_instruction instruction;
    const char *name, *overload;
    uint32_t offset, name_length, overload_length;
    size_t size;
    uint8_t *file = write_all(&size);
    assert_null(rl_pte_open(&pte, file, size, &offset));
    assert_int_equal(pte.plans.count, 2);
    assert_true(rl_pte_plan(&pte, 1, &plan));
    assert_string_equal(rl_pte_plan_name(&pte, &plan), "forward");
    assert_int_equal(plan.buffer_sizes.count, 3);
    assert_int_equal(rl_pte_item_i64(&pte, &plan.buffer_sizes, 0), 0);
    assert_int_equal(rl_pte_item_i64(&pte, &plan.buffer_sizes, 1), 256);
    assert_int_equal(plan.outputs.count, 2);
    assert_int_equal(rl_pte_item_i32(&pte, &plan.outputs, 0), 14);
    assert_true(rl_pte_operator(&pte, &plan, 1, &name, &name_length, &overload, &overload_length));
    assert_string_equal(name, "executorch_prim::et_view");
    assert_string_equal(overload, "default");
    assert_int_equal(plan.instructions.count, 2);
    assert_true(rl_pte_instruction(&pte, &plan, 1, &instruction));
    assert_int_equal(instruction.kind, RL_PTE_KERNEL_CALL);
    assert_int_equal(instruction.op_index, 1);
    assert_int_equal(instruction.arguments.count, 3);
    assert_int_equal(rl_pte_item_i32(&pte, &instruction.arguments, 2), 14);
    assert_false(rl_pte_instruction(&pte, &plan, 2, &instruction));
    check_values(&pte, &plan);
    check_tensors(&pte, &plan);
    free(file);
}

static void writing_twice_gives_the_same_bytes(void **state)
{
    (void)state;
    size_t first_size, second_size;
    uint8_t *first = write_all(&first_size), *second = write_all(&second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    free(first);
    free(second);
}

// Two methods with the same values share everything but their plan's own numbers.
static void a_second_equal_method_costs_nothing(void **state)
{
    (void)state;
    const struct rl_pte_method_description method = make_method();
    const struct rl_pte_description description = {1, &method, 2, constants, 0, NULL, NULL};
    size_t one, two;
    const char *message;
    uint8_t *file;
    assert_int_equal(rl_pte_write(&description, NULL, &file, &one, &message), RL_OK);
    free(file);
    free(write_all(&two));
    assert_true(two - one <= 16);
}

static void expect_refusal(const struct rl_pte_method_description *method, const char *expected)
{
    const struct rl_pte_description description = {1, method, 2, constants, 0, NULL, NULL};
    size_t size;
    const char *message;
    uint8_t *file;
    assert_int_equal(rl_pte_write(&description, NULL, &file, &size, &message), RL_ERROR_ARGUMENT);
    assert_null(file);
    assert_string_equal(message, expected);
}

static void expect_tensor_refusal(struct rl_pte_tensor_description tensor, const char *expected)
{
    const struct rl_pte_value_description value = {.kind = RL_PTE_TENSOR, .as.tensor = tensor};
    struct rl_pte_method_description method = make_method();
    method.value_count = 1;
    method.values = &value;
    method.input_count = method.output_count = method.instruction_count = 0;
    expect_refusal(&method, expected);
}

static void wrong_descriptions_are_refused(void **state)
{
    (void)state;
    static const uint8_t twice[] = {0, 1, 1, 3};
    static const int32_t far[] = {VALUES}, negative[] = {-1};
    static const struct rl_pte_instruction_description no_operator = {2, 5, first_args};
    expect_tensor_refusal((struct rl_pte_tensor_description){RL_FLOAT32, 4, sizes, twice, 0, 1, 0, 0},
                          "a tensor's dim_order is not a permutation of its dimensions");
    expect_tensor_refusal((struct rl_pte_tensor_description){RL_FLOAT32, 1, flat, order, 2, 0, 0, 0},
                          "a tensor is larger than its constant");
    expect_tensor_refusal((struct rl_pte_tensor_description){RL_FLOAT32, 1, flat, order, 3, 0, 0, 0},
                          "a tensor refers to a constant that does not exist");
    expect_tensor_refusal((struct rl_pte_tensor_description){RL_FLOAT32, 1, flat, order, 0, 1, 80, 0},
                          "a planned tensor leaves its buffer");
    expect_tensor_refusal((struct rl_pte_tensor_description){RL_FLOAT32, 1, flat, order, 0, 3, 0, 0},
                          "a tensor is planned in a buffer that does not exist");
    expect_tensor_refusal((struct rl_pte_tensor_description){RL_FLOAT32, 1, flat, order, 0, 1, 4, 0},
                          "a planned tensor is not aligned");
    expect_tensor_refusal((struct rl_pte_tensor_description){RL_FLOAT32, 1, flat, order, 0, 1, 0, 1},
                          "a tensor refers to a first value that does not exist, or has no place for it");
    expect_tensor_refusal((struct rl_pte_tensor_description){RL_FLOAT32, 1, negative, order, 0, 1, 0, 0},
                          "a tensor has a negative size or more than 2 GiB");
    struct rl_pte_method_description method = make_method();
    method.inputs = far;
    expect_refusal(&method, "an input or output is a value that does not exist");
    method = make_method();
    method.instruction_count = 1;
    method.instructions = &no_operator;
    expect_refusal(&method, "an instruction calls an operator that does not exist");
}

// Counts down and then fails every time; `live` is what has not been freed.
struct failing {
    int left, live;
};

static void *reallocate_until(void *user, void *block, size_t old_size, size_t new_size)
{
    struct failing *failing = user;
    (void)old_size;
    if (new_size == 0) {
        failing->live -= block ? 1 : 0;
        free(block);
        return NULL;
    }
    if (failing->left-- <= 0) {
        return NULL;
    }
    failing->live += !block;
    return realloc(block, new_size);
}

static void running_out_of_memory_anywhere_is_an_error(void **state)
{
    (void)state;
    const struct rl_pte_method_description method = make_method();
    const struct rl_pte_description description = {1, &method, 2, constants, 0, NULL, NULL};
    enum rl_status status = RL_ERROR_OUT_OF_MEMORY;
    int allowed = 0;
    for (; status != RL_OK; allowed++) {
        struct failing failing = {.left = allowed};
        const struct rl_pte_allocator allocator = {reallocate_until, &failing};
        size_t size;
        const char *message;
        uint8_t *file;
        status = rl_pte_write(&description, &allocator, &file, &size, &message);
        assert_true(status == RL_OK || status == RL_ERROR_OUT_OF_MEMORY);
        assert_int_equal(failing.live, status == RL_OK ? 1 : 0);
        free(file);
    }
    assert_true(allowed > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_reads_back),
        cmocka_unit_test(writing_twice_gives_the_same_bytes),
        cmocka_unit_test(a_second_equal_method_costs_nothing),
        cmocka_unit_test(wrong_descriptions_are_refused),
        cmocka_unit_test(running_out_of_memory_anywhere_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
