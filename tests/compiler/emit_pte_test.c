// SPDX-License-Identifier: Apache-2.0
//
// What stands in an emitted program, read back with the runtime's reader, and what the runtime makes of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/emit/pte.h"
#include "compiler/host_program.h"
#include "compiler/passes/passes.h"
#include "format/pte_reader.h"

struct fixture {
    struct rl_context context;
    struct rl_arena arena;
    struct rl_graph *graph;
    struct rl_memory_plan plan;
    struct rl_emitted emitted;
    struct rl_pte pte;
    struct rl_pte_plan method;
};

static int setup(void **state)
{
    static struct fixture fixture;

    fixture = (struct fixture){0};
    fixture.graph = rl_graph_new(&fixture.arena, "test", "test.pt2");
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    rl_arena_free(&fixture->arena);
    return 0;
}

static void emit(struct fixture *fixture)
{
    uint32_t offset;

    if (rl_plan_memory(&fixture->context, &fixture->arena, fixture->graph, false, &fixture->plan) != RL_OK ||
        rl_emit_pte(&fixture->context, &fixture->arena, fixture->graph, &fixture->plan, &fixture->emitted) != RL_OK) {
        fail_msg("%s", fixture->context.message);
    }
    assert_null(rl_pte_open(&fixture->pte, fixture->emitted.file, fixture->emitted.size, &offset));
    assert_true(rl_pte_plan(&fixture->pte, 0, &fixture->method));
}

static struct rl_tensor_type floats(int64_t rows, int64_t columns)
{
    const int64_t sizes[] = {rows, columns};

    return rl_tensor_type_make(RL_FLOAT32, 2, sizes);
}

static struct rl_value *binary(struct rl_graph *graph, enum rl_op_id op, const char *name, struct rl_value *a,
                               struct rl_value *b)
{
    struct rl_node *node = rl_graph_insert(graph, NULL, op, name, NULL, 1, &a->type);

    node->args[0] = rl_arg_value(a);
    node->args[1] = rl_arg_value(b);
    if (op == RL_OP_aten_add) {
        *rl_node_arg(node, "alpha") = rl_arg_int(1);
    }
    return node->results[0];
}

static uint32_t count_kind(const struct fixture *fixture, enum rl_pte_kind kind)
{
    uint32_t count = 0, table;

    for (uint32_t i = 0; i < fixture->method.values.count; i++) {
        count += rl_pte_value(&fixture->pte, &fixture->method, i, &table) == kind;
    }
    return count;
}

// y = (x + k) * k2, where k and k2 hold the same bytes under different names.
static void build_sum(struct fixture *fixture)
{
    static const float numbers[4] = {1, 2, 3, 4};
    struct rl_tensor_type type = floats(1, 4);
    struct rl_value *x = rl_graph_add_input(fixture->graph, "x", &type);
    struct rl_value *k = rl_graph_add_constant(fixture->graph, "k", &type, numbers);
    struct rl_value *k2 = rl_graph_add_constant(fixture->graph, "k2", &type, numbers);
    struct rl_value *sum = binary(fixture->graph, RL_OP_aten_add, "sum", x, k);
    struct rl_value *again = binary(fixture->graph, RL_OP_aten_add, "again", sum, k2);

    rl_graph_add_output(fixture->graph, binary(fixture->graph, RL_OP_aten_mul, "product", again, k2));
}

static void equal_values_are_stored_once(void **state)
{
    struct fixture *fixture = *state;

    build_sum(fixture);
    emit(fixture);
    assert_int_equal(count_kind(fixture, RL_PTE_INT), 1);            // alpha of both additions
    assert_int_equal(count_kind(fixture, RL_PTE_TENSOR), 1 + 1 + 3); // input, constant, results
    assert_int_equal(fixture->pte.constants.count, 2);               // entry 0 is reserved
    assert_int_equal(fixture->emitted.constant_bytes, 16);
    assert_int_equal(fixture->method.operators.count, 2);
    assert_int_equal(fixture->method.instructions.count, 3);
}

static void out_argument_is_written_twice(void **state)
{
    struct fixture *fixture = *state;
    struct rl_pte_instruction instruction;

    build_sum(fixture);
    emit(fixture);
    assert_true(rl_pte_instruction(&fixture->pte, &fixture->method, 2, &instruction));
    assert_int_equal(instruction.arguments.count, 4); // self, other, out, returned value
    assert_int_equal(rl_pte_item_i32(&fixture->pte, &instruction.arguments, 2),
                     rl_pte_item_i32(&fixture->pte, &instruction.arguments, 3));
    assert_int_equal(rl_pte_item_i32(&fixture->pte, &instruction.arguments, 3),
                     rl_pte_item_i32(&fixture->pte, &fixture->method.outputs, 0));
}

static void same_graph_gives_same_bytes(void **state)
{
    struct fixture *fixture = *state;

    build_sum(fixture);
    emit(fixture);
    struct rl_emitted first = fixture->emitted;
    fixture->graph = rl_graph_clone(fixture->graph, &fixture->arena);
    emit(fixture);
    assert_int_equal(first.size, fixture->emitted.size);
    assert_memory_equal(first.file, fixture->emitted.file, first.size);
}

static void program_computes_what_the_graph_says(void **state)
{
    struct fixture *fixture = *state;
    static const float input[4] = {10, 20, 30, 40};
    struct rl_host_program program;
    float output[4];

    build_sum(fixture);
    emit(fixture);
    const struct rl_host_files files = {
        .source = "test.pte", .program = fixture->emitted.file, .program_size = fixture->emitted.size};
    if (rl_host_program_open(&fixture->context, &fixture->arena, &files, &program) != RL_OK ||
        rl_host_program_set_input(&fixture->context, &program, 0, input, sizeof input) != RL_OK ||
        rl_host_program_execute(&fixture->context, &program) != RL_OK ||
        rl_host_program_get_output(&fixture->context, &program, 0, output, sizeof output) != RL_OK) {
        fail_msg("%s", fixture->context.message);
    }
    for (int i = 0; i < 4; i++) {
        float k = (float)(i + 1);
        assert_true(output[i] == (input[i] + k + k) * k);
    }
}

// s starts with 1, 2, 3, 4; y = x + s; s becomes y.
static void build_accumulator(struct fixture *fixture)
{
    static const float numbers[4] = {1, 2, 3, 4};
    struct rl_tensor_type type = floats(1, 4);
    struct rl_value *x = rl_graph_add_input(fixture->graph, "x", &type);
    struct rl_value *s = rl_graph_add_constant(fixture->graph, "s", &type, numbers);
    struct rl_value *sum = binary(fixture->graph, RL_OP_aten_add, "sum", x, s);
    struct rl_pass pass = {.context = &fixture->context, .arena = &fixture->arena, .graph = fixture->graph};

    rl_graph_add_output(fixture->graph, sum);
    rl_graph_add_state(fixture->graph, s);
    rl_graph_set_next(fixture->graph, 0, sum);
    assert_int_equal(rl_graph_verify(&fixture->context, fixture->graph, "the test"), RL_OK);
    assert_int_equal(rl_pass_write_back(&pass), RL_OK);
    rl_graph_remove_dead(fixture->graph);
    assert_int_equal(rl_graph_verify(&fixture->context, fixture->graph, "write_back"), RL_OK);
    fixture->graph = rl_graph_clone(fixture->graph, &fixture->arena);
    emit(fixture);
}

static void expect_sum(struct fixture *fixture, struct rl_host_program *program, float added)
{
    static const float input[4] = {10, 20, 30, 40};
    float output[4];

    if (rl_host_program_set_input(&fixture->context, program, 0, input, sizeof input) != RL_OK ||
        rl_host_program_execute(&fixture->context, program) != RL_OK ||
        rl_host_program_get_output(&fixture->context, program, 0, output, sizeof output) != RL_OK) {
        fail_msg("%s", fixture->context.message);
    }
    for (int i = 0; i < 4; i++) {
        assert_true(output[i] == (float)(i + 1) + input[i] * added);
    }
}

static void states_are_kept_and_reset(void **state)
{
    struct fixture *fixture = *state;
    struct rl_host_program program;

    build_accumulator(fixture);
    const struct rl_host_files files = {
        .source = "test.pte", .program = fixture->emitted.file, .program_size = fixture->emitted.size};
    if (rl_host_program_open(&fixture->context, &fixture->arena, &files, &program) != RL_OK) {
        fail_msg("%s", fixture->context.message);
    }
    expect_sum(fixture, &program, 1);
    expect_sum(fixture, &program, 2);
    assert_int_equal(rl_host_program_reset(&fixture->context, &program), RL_OK);
    expect_sum(fixture, &program, 1);
}

// As ExecuTorch writes them: a planned tensor whose index names data of the segment of mutable data; the copy names it
// once more instead of an output of its own.
static void states_are_mutable_buffers(void **state)
{
    struct fixture *fixture = *state;
    struct rl_pte_instruction instruction;
    uint32_t position, available;

    build_accumulator(fixture);
    assert_true(rl_pte_initial(&fixture->pte, 0, 1, &position, &available));
    assert_int_equal(available, 16);
    assert_memory_equal(fixture->emitted.file + position, ((const float[]){1, 2, 3, 4}), 16);
    assert_int_equal(fixture->method.inputs.count, 1);
    assert_int_equal(fixture->method.outputs.count, 1);
    assert_true(rl_pte_instruction(&fixture->pte, &fixture->method, 1, &instruction));
    assert_int_equal(instruction.arguments.count, 4); // self, source, non_blocking, the changed tensor
    assert_int_equal(rl_pte_item_i32(&fixture->pte, &instruction.arguments, 0),
                     rl_pte_item_i32(&fixture->pte, &instruction.arguments, 3));
}

static void views_are_tensors_without_instruction(void **state)
{
    struct fixture *fixture = *state;
    struct rl_tensor_type row = floats(1, 6), square = floats(2, 3);
    struct rl_graph *graph = fixture->graph;
    struct rl_value *x = rl_graph_add_input(graph, "x", &row);
    struct rl_value *sum = binary(graph, RL_OP_aten_add, "sum", x, x);
    struct rl_node *view = rl_graph_insert(graph, NULL, RL_OP_aten_view_copy, "view", NULL, 1, &square);
    struct rl_pte_tensor tensors[2];
    uint32_t table;

    view->args[0] = rl_arg_value(sum);
    view->args[1] = rl_arg_ints(&fixture->arena, square.sizes, 2);
    rl_graph_add_output(graph, view->results[0]);
    emit(fixture);
    assert_int_equal(fixture->method.instructions.count, 1);
    const struct rl_value *values[] = {sum, view->results[0]};
    for (int i = 0; i < 2; i++) {
        int index = rl_value_table_index(&fixture->plan.table, values[i]);
        int32_t value = fixture->emitted.value_of[index];
        assert_int_equal(rl_pte_value(&fixture->pte, &fixture->method, (uint32_t)value, &table), RL_PTE_TENSOR);
        assert_true(rl_pte_tensor(&fixture->pte, table, &tensors[i]));
    }
    assert_int_equal(tensors[0].memory_offset, tensors[1].memory_offset);
    assert_int_equal(rl_pte_item_i32(&fixture->pte, &tensors[1].sizes, 0), 2);
    assert_int_equal(rl_pte_item_i32(&fixture->pte, &tensors[1].sizes, 1), 3);
}

// Pooling with indices has two results: both are out arguments, a list of them is returned.
static void several_results_are_returned_as_a_list(void **state)
{
    struct fixture *fixture = *state;
    const int64_t in[] = {1, 1, 4, 4}, out[] = {1, 1, 2, 2}, two[] = {2, 2}, zero[] = {0, 0}, one[] = {1, 1};
    struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 4, in);
    struct rl_tensor_type results[] = {rl_tensor_type_make(RL_FLOAT32, 4, out), rl_tensor_type_make(RL_INT64, 4, out)};
    struct rl_pte_instruction instruction;
    uint32_t table;

    struct rl_value *x = rl_graph_add_input(fixture->graph, "x", &type);
    struct rl_node *pool =
        rl_graph_insert(fixture->graph, NULL, RL_OP_aten_max_pool2d_with_indices, "pool", NULL, 2, results);
    pool->args[0] = rl_arg_value(x);
    *rl_node_arg(pool, "kernel_size") = rl_arg_ints(&fixture->arena, two, 2);
    *rl_node_arg(pool, "stride") = rl_arg_ints(&fixture->arena, two, 2);
    *rl_node_arg(pool, "padding") = rl_arg_ints(&fixture->arena, zero, 2);
    *rl_node_arg(pool, "dilation") = rl_arg_ints(&fixture->arena, one, 2);
    *rl_node_arg(pool, "ceil_mode") = rl_arg_bool(false);
    rl_graph_add_output(fixture->graph, pool->results[0]);
    emit(fixture);
    assert_true(rl_pte_instruction(&fixture->pte, &fixture->method, 0, &instruction));
    assert_int_equal(instruction.arguments.count, 6 + 2 + 1);
    uint32_t last = (uint32_t)rl_pte_item_i32(&fixture->pte, &instruction.arguments, 8);
    assert_int_equal(rl_pte_value(&fixture->pte, &fixture->method, last, &table), RL_PTE_TENSOR_LIST);
    assert_int_equal(count_kind(fixture, RL_PTE_INT_LIST), 3); // kernel and stride are equal
    assert_int_equal(count_kind(fixture, RL_PTE_INT), 3);      // 2, 0, 1
}

static void operator_without_out_form_is_refused_by_name(void **state)
{
    struct fixture *fixture = *state;
    struct rl_tensor_type type = floats(1, 4);
    struct rl_value *x = rl_graph_add_input(fixture->graph, "x", &type);
    struct rl_node *node = rl_graph_insert(fixture->graph, NULL, RL_OP_aten_relu6, "six", NULL, 1, &type);

    node->args[0] = rl_arg_value(x);
    rl_graph_add_output(fixture->graph, node->results[0]);
    assert_int_equal(rl_plan_memory(&fixture->context, &fixture->arena, fixture->graph, false, &fixture->plan), RL_OK);
    assert_int_equal(rl_emit_pte(&fixture->context, &fixture->arena, fixture->graph, &fixture->plan, &fixture->emitted),
                     RL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(fixture->context.message, "test.pt2"));
    assert_non_null(strstr(fixture->context.message, "'six'"));
    assert_non_null(strstr(fixture->context.message, "aten::relu6"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_values_are_stored_once, setup, teardown),
        cmocka_unit_test_setup_teardown(out_argument_is_written_twice, setup, teardown),
        cmocka_unit_test_setup_teardown(same_graph_gives_same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(program_computes_what_the_graph_says, setup, teardown),
        cmocka_unit_test_setup_teardown(states_are_kept_and_reset, setup, teardown),
        cmocka_unit_test_setup_teardown(states_are_mutable_buffers, setup, teardown),
        cmocka_unit_test_setup_teardown(views_are_tensors_without_instruction, setup, teardown),
        cmocka_unit_test_setup_teardown(several_results_are_returned_as_a_list, setup, teardown),
        cmocka_unit_test_setup_teardown(operator_without_out_form_is_refused_by_name, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
