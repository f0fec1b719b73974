// SPDX-License-Identifier: Apache-2.0
//
// Lifetimes, views and work space of small graphs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/passes/passes.h"
#include "compiler/plan/alias.h"
#include "compiler/plan/memory.h"

struct fixture {
    struct rl_context context;
    struct rl_arena arena;
    struct rl_graph *graph;
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

static struct rl_tensor_type type_of(enum rl_scalar_type dtype, int rank, const int64_t *sizes)
{
    return rl_tensor_type_make(dtype, rank, sizes);
}

static struct rl_value *unary(struct rl_graph *graph, enum rl_op_id op, const char *name, struct rl_value *input,
                              const struct rl_tensor_type *type)
{
    struct rl_node *node = rl_graph_insert(graph, NULL, op, name, NULL, 1, type);

    node->args[0] = rl_arg_value(input);
    return node->results[0];
}

static size_t offset_of(const struct rl_memory_plan *plan, const struct rl_value *value)
{
    int buffer = plan->buffer_of[rl_value_table_index(&plan->table, value)];

    assert_true(buffer >= 0);
    return plan->buffers[buffer].offset;
}

static void chain_alternates_between_two_places(void **state)
{
    struct fixture *fixture = *state;
    const int64_t sizes[] = {1, 100};
    struct rl_tensor_type type = type_of(RL_FLOAT32, 2, sizes);
    struct rl_value *value = rl_graph_add_input(fixture->graph, "x", &type);
    struct rl_memory_plan plan;

    for (int i = 0; i < 6; i++) {
        value = unary(fixture->graph, RL_OP_aten_relu, rl_arena_format(&fixture->arena, "relu_%d", i), value, &type);
    }
    rl_graph_add_output(fixture->graph, value);
    assert_int_equal(rl_plan_memory(&fixture->context, &fixture->arena, fixture->graph, false, &plan), RL_OK);
    assert_int_equal(plan.buffer_count, 7);
    assert_int_equal(plan.sizes.arena_bytes, 2 * 400);
    assert_int_equal(plan.sizes.lower_bound_bytes, 2 * 400);
}

static struct rl_value *binary(struct rl_graph *graph, const char *name, struct rl_value *left, struct rl_value *right,
                               const struct rl_tensor_type *type)
{
    struct rl_node *node = rl_graph_insert(graph, NULL, RL_OP_aten_mul, name, NULL, 1, type);

    node->args[0] = rl_arg_value(left);
    node->args[1] = rl_arg_value(right);
    return node->results[0];
}

static void chain_that_reuses_stays_in_one_place(void **state)
{
    struct fixture *fixture = *state;
    const int64_t sizes[] = {1, 100};
    struct rl_tensor_type type = type_of(RL_FLOAT32, 2, sizes);
    struct rl_value *value = rl_graph_add_input(fixture->graph, "x", &type);
    struct rl_memory_plan plan;

    for (int i = 0; i < 6; i++) {
        value = unary(fixture->graph, RL_OP_aten_relu, rl_arena_format(&fixture->arena, "relu_%d", i), value, &type);
    }
    value = binary(fixture->graph, "square", value, value, &type);
    rl_graph_add_output(fixture->graph, value);
    assert_int_equal(rl_plan_memory(&fixture->context, &fixture->arena, fixture->graph, true, &plan), RL_OK);
    assert_int_equal(plan.sizes.arena_bytes, 400);
    assert_int_equal(plan.sizes.lower_bound_bytes, 400);
    assert_int_equal(offset_of(&plan, value), offset_of(&plan, fixture->graph->inputs[0]));
}

// Returns how many bytes a result takes beside its operands in a plan that may reuse.
static size_t bytes_beside(struct fixture *fixture, struct rl_value *result)
{
    struct rl_memory_plan plan, plain;

    rl_graph_add_output(fixture->graph, result);
    assert_int_equal(rl_plan_memory(&fixture->context, &fixture->arena, fixture->graph, true, &plan), RL_OK);
    assert_int_equal(rl_plan_memory(&fixture->context, &fixture->arena, fixture->graph, false, &plain), RL_OK);
    assert_true(plan.sizes.arena_bytes <= plain.sizes.arena_bytes);
    return plan.sizes.arena_bytes + rl_tensor_bytes(&result->type) - plain.sizes.arena_bytes;
}

static void operand_that_is_read_later_is_kept(void **state)
{
    struct fixture *fixture = *state;
    const int64_t sizes[] = {4, 64};
    struct rl_tensor_type type = type_of(RL_FLOAT32, 2, sizes);
    struct rl_value *x = rl_graph_add_input(fixture->graph, "x", &type);
    struct rl_value *a = unary(fixture->graph, RL_OP_aten_relu, "a", x, &type);

    rl_graph_add_output(fixture->graph, x);
    assert_int_equal(bytes_beside(fixture, a), 1024);
}

static void state_is_kept(void **state)
{
    struct fixture *fixture = *state;
    const int64_t sizes[] = {4, 64};
    struct rl_tensor_type type = type_of(RL_FLOAT32, 2, sizes);
    static const float zeros[256];
    struct rl_value *x = rl_graph_take_constant(fixture->graph, "x", &type, zeros);

    rl_graph_add_state(fixture->graph, x);
    assert_int_equal(bytes_beside(fixture, unary(fixture->graph, RL_OP_aten_relu, "a", x, &type)), 1024);
}

// A product of a tensor and a view of it, whose elements are read in another order than the result is written.
static void operand_with_another_view_is_kept(void **state)
{
    struct fixture *fixture = *state;
    const int64_t square[] = {16, 16}, row[] = {1, 256};
    struct rl_tensor_type type = type_of(RL_FLOAT32, 2, square), flat = type_of(RL_FLOAT32, 2, row);
    struct rl_value *x = rl_graph_add_input(fixture->graph, "x", &type);
    struct rl_value *view = unary(fixture->graph, RL_OP_aten_view_copy, "view", x, &flat);

    rl_node_arg(view->producer, "size")[0] = rl_arg_ints(&fixture->arena, row, 2);
    assert_int_equal(bytes_beside(fixture, binary(fixture->graph, "product", x, view, &type)), 1024);
}

// The larger operand of a broadcast may be written over, the smaller one not.
static void broadcast_takes_the_operand_of_its_sizes(void **state)
{
    struct fixture *fixture = *state;
    const int64_t wide[] = {4, 64}, row[] = {1, 64};
    struct rl_tensor_type type = type_of(RL_FLOAT32, 2, wide), small = type_of(RL_FLOAT32, 2, row);
    struct rl_value *x = rl_graph_add_input(fixture->graph, "x", &small);
    struct rl_value *y = rl_graph_add_input(fixture->graph, "y", &type);
    struct rl_value *product = binary(fixture->graph, "product", x, y, &type);
    struct rl_memory_plan plan;

    rl_graph_add_output(fixture->graph, product);
    assert_int_equal(rl_plan_memory(&fixture->context, &fixture->arena, fixture->graph, true, &plan), RL_OK);
    assert_int_equal(offset_of(&plan, product), offset_of(&plan, y));
    assert_true(offset_of(&plan, product) != offset_of(&plan, x));
}

// A permutation that moves bytes may not write over what it reads; it is not element by element.
static void result_in_another_order_has_its_own_memory(void **state)
{
    struct fixture *fixture = *state;
    const int64_t image[] = {1, 4, 8, 8};
    const uint8_t channels_last[] = {0, 2, 3, 1};
    struct rl_tensor_type type = type_of(RL_FLOAT32, 4, image), turned = type;
    struct rl_value *x = rl_graph_add_input(fixture->graph, "x", &type);

    memcpy(turned.order, channels_last, sizeof channels_last);
    assert_int_equal(bytes_beside(fixture, unary(fixture->graph, RL_OP_aten_relu, "a", x, &turned)), 1024);
}

static void view_shares_memory_and_keeps_it_alive(void **state)
{
    struct fixture *fixture = *state;
    const int64_t image[] = {1, 4, 2, 2}, flat[] = {1, 16};
    struct rl_tensor_type from = type_of(RL_INT8, 4, image), to = type_of(RL_INT8, 2, flat);
    struct rl_value *x = rl_graph_add_input(fixture->graph, "x", &from);
    struct rl_value *a = unary(fixture->graph, RL_OP_aten_relu, "a", x, &from);
    struct rl_value *view = unary(fixture->graph, RL_OP_aten_view_copy, "view", a, &to);
    struct rl_value *b = unary(fixture->graph, RL_OP_aten_relu, "b", x, &from);
    struct rl_value *c = unary(fixture->graph, RL_OP_aten_relu, "c", view, &to);
    struct rl_memory_plan plan;

    rl_node_arg(view->producer, "size")[0] = rl_arg_ints(&fixture->arena, flat, 2);
    rl_graph_add_output(fixture->graph, b);
    rl_graph_add_output(fixture->graph, c);
    assert_ptr_equal(rl_alias_root(view), a);
    assert_int_equal(rl_plan_memory(&fixture->context, &fixture->arena, fixture->graph, false, &plan), RL_OK);
    assert_int_equal(offset_of(&plan, view), offset_of(&plan, a));
    assert_int_equal(plan.buffer_count, 4);
    // a is read through the view when c runs, after b was written.
    assert_true(offset_of(&plan, a) != offset_of(&plan, b));
    assert_true(offset_of(&plan, a) != offset_of(&plan, c));
}

static void view_of_channels_last_is_no_view(void **state)
{
    struct fixture *fixture = *state;
    const int64_t image[] = {1, 4, 2, 2}, pixel[] = {1, 4, 1, 1}, flat[] = {1, 16}, row[] = {1, 4};
    const uint8_t channels_last[] = {0, 2, 3, 1};
    struct rl_tensor_type from = type_of(RL_INT8, 4, image), to = type_of(RL_INT8, 2, flat);
    struct rl_tensor_type from_pixel = type_of(RL_INT8, 4, pixel), to_row = type_of(RL_INT8, 2, row);

    memcpy(from.order, channels_last, sizeof channels_last);
    memcpy(from_pixel.order, channels_last, sizeof channels_last);
    struct rl_value *x = rl_graph_add_input(fixture->graph, "x", &from);
    struct rl_value *y = rl_graph_add_input(fixture->graph, "y", &from_pixel);
    struct rl_value *flattened = unary(fixture->graph, RL_OP_aten_view_copy, "v", x, &to);
    struct rl_value *squeezed = unary(fixture->graph, RL_OP_aten_view_copy, "w", y, &to_row);

    assert_null(rl_alias_source(flattened->producer));        // elements change places
    assert_ptr_equal(rl_alias_source(squeezed->producer), y); // one pixel: nothing moves
}

static void permutation_that_renames_dimensions_is_a_view(void **state)
{
    struct fixture *fixture = *state;
    const int64_t nchw[] = {1, 4, 2, 3}, nhwc[] = {1, 2, 3, 4}, dims[] = {0, 2, 3, 1};
    const uint8_t channels_last[] = {0, 2, 3, 1};
    struct rl_tensor_type plain = type_of(RL_INT8, 4, nchw), last = plain, permuted = type_of(RL_INT8, 4, nhwc);

    memcpy(last.order, channels_last, sizeof channels_last);
    struct rl_value *x = rl_graph_add_input(fixture->graph, "x", &last);
    struct rl_value *y = rl_graph_add_input(fixture->graph, "y", &plain);
    struct rl_value *free_one = unary(fixture->graph, RL_OP_aten_permute_copy, "p", x, &permuted);
    struct rl_value *real_one = unary(fixture->graph, RL_OP_aten_permute_copy, "q", y, &permuted);

    *rl_node_arg(free_one->producer, "dims") = rl_arg_ints(&fixture->arena, dims, 4);
    *rl_node_arg(real_one->producer, "dims") = rl_arg_ints(&fixture->arena, dims, 4);
    assert_ptr_equal(rl_alias_source(free_one->producer), x);
    assert_null(rl_alias_source(real_one->producer));
}

static void constants_and_views_of_them_are_not_planned(void **state)
{
    struct fixture *fixture = *state;
    const int64_t sizes[] = {4}, other[] = {2, 2};
    struct rl_tensor_type type = type_of(RL_INT8, 1, sizes), square = type_of(RL_INT8, 2, other);
    struct rl_value *constant = rl_graph_add_constant(fixture->graph, "k", &type, "abcd");
    struct rl_value *view = unary(fixture->graph, RL_OP_aten_view_copy, "v", constant, &square);
    struct rl_value *result = unary(fixture->graph, RL_OP_aten_relu, "r", view, &square);
    struct rl_memory_plan plan;

    rl_graph_add_output(fixture->graph, result);
    assert_int_equal(rl_plan_memory(&fixture->context, &fixture->arena, fixture->graph, false, &plan), RL_OK);
    assert_int_equal(plan.buffer_count, 1);
    assert_int_equal(plan.sizes.arena_bytes, 16);
}

// A 3x3 convolution from 16 to 32 channels on 8x8.
static struct rl_node *add_conv(struct fixture *fixture)
{
    const int64_t in[] = {1, 16, 8, 8}, out[] = {1, 32, 8, 8}, filter[] = {32, 3, 3, 16}, channels[] = {32};
    const int64_t ones[] = {1, 1};
    static const int8_t weights[32 * 9 * 16];
    static const int32_t words[32];
    struct rl_tensor_type in_type = type_of(RL_INT8, 4, in), out_type = type_of(RL_INT8, 4, out);
    struct rl_tensor_type filter_type = type_of(RL_INT8, 4, filter), channel_type = type_of(RL_INT32, 1, channels);
    struct rl_graph *graph = fixture->graph;
    struct rl_value *x = rl_graph_add_input(graph, "x", &in_type);
    struct rl_node *conv = rl_graph_insert(graph, NULL, RL_OP_cm_quantized_conv2d, "conv", NULL, 1, &out_type);

    *rl_node_arg(conv, "input") = rl_arg_value(x);
    *rl_node_arg(conv, "weight") = rl_arg_value(rl_graph_add_constant(graph, "w", &filter_type, weights));
    *rl_node_arg(conv, "requantize_multipliers") =
        rl_arg_value(rl_graph_add_constant(graph, "m", &channel_type, words));
    *rl_node_arg(conv, "requantize_shifts") = rl_arg_value(rl_graph_add_constant(graph, "s", &channel_type, words));
    const char *const pairs[] = {"stride", "padding", "dilation"};
    for (int i = 0; i < 3; i++) {
        *rl_node_arg(conv, pairs[i]) = rl_arg_ints(&fixture->arena, ones, 2);
    }
    const char *const numbers[] = {"input_offset", "output_offset", "activation_min", "activation_max"};
    for (int i = 0; i < 4; i++) {
        *rl_node_arg(conv, numbers[i]) = rl_arg_int(0);
    }
    rl_graph_add_output(graph, conv->results[0]);
    return conv;
}

// Plans for a target and a flow, and gives the size of the convolution's work space.
static int64_t planned_bytes(struct fixture *fixture, const struct rl_node *conv, const char *name, enum rl_flow flow)
{
    struct rl_compile_options options = {.quantization = RL_QUANTIZE_NONE};
    struct rl_pass pass = {.context = &fixture->context, .graph = fixture->graph, .options = &options};
    assert_int_equal(rl_target_parse(&fixture->context, name, &options.target), RL_OK);
    options.target.flow = flow;
    assert_int_equal(rl_pass_plan_scratch(&pass), RL_OK);
    const struct rl_value *scratch = rl_node_tensor(conv, "scratch");
    assert_non_null(scratch);
    assert_int_equal(scratch->kind, RL_VALUE_SCRATCH);
    assert_int_equal(scratch->type.dtype, RL_UINT8);
    return scratch->type.sizes[0];
}

struct expected_bytes {
    const char *target;
    int64_t stock, ours;
};

static void expect_work_spaces(struct fixture *fixture, const struct rl_node *conv,
                               const struct expected_bytes *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(planned_bytes(fixture, conv, expected[i].target, RL_FLOW_EXECUTORCH), expected[i].stock);
        assert_int_equal(planned_bytes(fixture, conv, expected[i].target, RL_FLOW_RUSHLIGHT), expected[i].ours);
    }
}

// CMSIS-NN: four columns of K bytes rounded up to 16 on Helium, two columns of K int16 otherwise; K = 3 * 3
// * 16. Our kernels for DSP cores keep two columns, the interleaved weights of half of the channels with 16 bytes for
// each, two columns of int16 and 16 bytes more.
static void work_space_is_what_the_kernels_of_the_target_ask_for(void **state)
{
    struct fixture *fixture = *state;
    struct rl_node *conv = add_conv(fixture);
    static const struct expected_bytes expected[] = {
        {"cortex-m0", 576, 576}, {"cortex-m55", 576, 576}, {"cortex-m4", 576, 3440}, {"any", 576, 3440}};

    expect_work_spaces(fixture, conv, expected, sizeof expected / sizeof expected[0]);
    struct rl_memory_plan plan;
    assert_int_equal(rl_plan_memory(&fixture->context, &fixture->arena, fixture->graph, false, &plan), RL_OK);
    assert_int_equal(plan.sizes.arena_bytes, 1024 + 2048 + 3440); // multiples of 16
}

// With its own checks on, ExecuTorch's operator wants exactly what CMSIS-NN says, and that is less on Helium for
// filters of one row of 5 x 16 values: one of them with its padding of 2. Ours keep the weights of all channels.
static void work_space_of_one_row_is_exactly_that_of_the_target(void **state)
{
    struct fixture *fixture = *state;
    struct rl_node *conv = add_conv(fixture);
    static const struct expected_bytes expected[] = {
        {"cortex-m0", 320, 320}, {"cortex-m55", 112, 112}, {"cortex-m4", 320, 3568}, {"any", 320, 3568}};
    static const int64_t in[] = {1, 16, 1, 64}, filter[] = {32, 1, 5, 16}, out[] = {1, 32, 1, 64}, padding[] = {0, 2};

    rl_node_tensor(conv, "input")->type = type_of(RL_INT8, 4, in);
    rl_node_tensor(conv, "weight")->type = type_of(RL_INT8, 4, filter);
    conv->results[0]->type = type_of(RL_INT8, 4, out);
    *rl_node_arg(conv, "padding") = rl_arg_ints(&fixture->arena, padding, 2);
    expect_work_spaces(fixture, conv, expected, sizeof expected / sizeof expected[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(chain_alternates_between_two_places, setup, teardown),
        cmocka_unit_test_setup_teardown(chain_that_reuses_stays_in_one_place, setup, teardown),
        cmocka_unit_test_setup_teardown(operand_that_is_read_later_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(state_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(operand_with_another_view_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(broadcast_takes_the_operand_of_its_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(result_in_another_order_has_its_own_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(view_shares_memory_and_keeps_it_alive, setup, teardown),
        cmocka_unit_test_setup_teardown(view_of_channels_last_is_no_view, setup, teardown),
        cmocka_unit_test_setup_teardown(permutation_that_renames_dimensions_is_a_view, setup, teardown),
        cmocka_unit_test_setup_teardown(constants_and_views_of_them_are_not_planned, setup, teardown),
        cmocka_unit_test_setup_teardown(work_space_of_one_row_is_exactly_that_of_the_target, setup, teardown),
        cmocka_unit_test_setup_teardown(work_space_is_what_the_kernels_of_the_target_ask_for, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
