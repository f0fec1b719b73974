// SPDX-License-Identifier: Apache-2.0
//
// Types, names, uses, dead code, copies and the verifier, on graphs built here.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/graph.h"

static struct rl_context context;
static struct rl_arena arena;
static struct rl_graph *graph;

static int start_graph(void **state)
{
    (void)state;
    context = (struct rl_context){0};
    arena = (struct rl_arena){0};
    graph = rl_graph_new(&arena, "test", "test.pt2");
    return 0;
}

static int drop_graph(void **state)
{
    (void)state;
    rl_arena_free(&arena);
    return 0;
}

static struct rl_tensor_type vector(int64_t size)
{
    return rl_tensor_type_make(RL_FLOAT32, 1, &size);
}

static struct rl_node *add_node(enum rl_op_id op, const char *name, struct rl_value *input)
{
    const struct rl_tensor_type type = input->type;
    struct rl_node *node = rl_graph_insert(graph, NULL, op, name, NULL, 1, &type);
    node->args[0] = rl_arg_value(input);
    return node;
}

// x -> relu -> relu_1, whose result is the output
static void build_chain(struct rl_value **x, struct rl_node **first, struct rl_node **second)
{
    const struct rl_tensor_type type = vector(4);
    *x = rl_graph_add_input(graph, "x", &type);
    *first = add_node(RL_OP_aten_relu, "relu", *x);
    *second = add_node(RL_OP_aten_relu, "relu", (*first)->results[0]);
    rl_graph_add_output(graph, (*second)->results[0]);
}

static struct rl_tensor_type image(int64_t n, int64_t c, int64_t h, int64_t w, const char *order)
{
    struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 4, (const int64_t[]){n, c, h, w});
    for (int i = 0; i < 4; i++) {
        type.order[i] = (uint8_t)(order[i] - '0');
    }
    return type;
}

static void layouts_are_equal_up_to_dimensions_of_one(void **state)
{
    (void)state;
    const struct rl_tensor_type nchw = image(1, 3, 4, 5, "0123");
    const struct rl_tensor_type nhwc = image(1, 3, 4, 5, "0231");
    const struct rl_tensor_type one_channel = image(2, 1, 4, 5, "0231");
    const struct rl_tensor_type one_pixel = image(2, 7, 1, 1, "0123");
    assert_true(rl_tensor_is_contiguous(&nchw) && !rl_tensor_is_channels_last(&nchw));
    assert_true(rl_tensor_is_channels_last(&nhwc) && !rl_tensor_is_contiguous(&nhwc));
    assert_true(rl_tensor_is_contiguous(&one_channel) && rl_tensor_is_channels_last(&one_channel));
    assert_true(rl_tensor_is_contiguous(&one_pixel) && rl_tensor_is_channels_last(&one_pixel));
    assert_false(rl_tensor_same_layout(&nchw, &nhwc));
    const struct rl_tensor_type one_channel_nchw = image(2, 1, 4, 5, "0123");
    assert_true(rl_tensor_same_layout(&one_channel, &one_channel_nchw));

    int64_t strides[RL_MAX_RANK];
    rl_tensor_strides(&nhwc, strides);
    const int64_t expected[] = {60, 1, 15, 3};
    assert_memory_equal(strides, expected, sizeof expected);
    assert_int_equal(rl_tensor_bytes(&nhwc), 240);
}

static void impossible_types_are_found(void **state)
{
    (void)state;
    struct rl_tensor_type type = image(1, 3, 4, 5, "0123");
    assert_true(rl_tensor_type_is_valid(&type));
    type.order[3] = 2;
    assert_false(rl_tensor_type_is_valid(&type));
    type = image(1, 3, 4, 5, "0123");
    type.sizes[1] = -1;
    assert_false(rl_tensor_type_is_valid(&type));
    type.sizes[1] = INT64_C(1) << 62;
    assert_false(rl_tensor_type_is_valid(&type));
    type.sizes[0] = 0; // an empty tensor must still have strides that fit
    assert_false(rl_tensor_type_is_valid(&type));
    type = image(1, 3, 4, 5, "0123");
    type.dtype = (enum rl_scalar_type)10;
    assert_false(rl_tensor_type_is_valid(&type));
    const struct rl_tensor_type scalar = rl_tensor_type_make(RL_INT64, 0, NULL);
    assert_true(rl_tensor_type_is_valid(&scalar));
    assert_int_equal(rl_tensor_numel(&scalar), 1);
}

static void names_stay_unique(void **state)
{
    (void)state;
    struct rl_value *x;
    struct rl_node *first, *second;
    build_chain(&x, &first, &second);
    assert_string_equal(second->name, "relu_1");
    assert_string_equal(second->results[0]->name, "relu_1");
    assert_string_equal(rl_graph_unique_name(graph, "x"), "x_1");
    assert_string_equal(rl_graph_unique_name(graph, "relu"), "relu_2");
    assert_string_equal(rl_graph_unique_name(graph, "rel"), "rel");
    const struct rl_tensor_type types[2] = {vector(2), vector(2)};
    struct rl_node *pool = rl_graph_insert(graph, NULL, RL_OP_aten_max_pool2d_with_indices, "pool", first, 2, types);
    assert_string_equal(pool->results[0]->name, "pool_0");
    assert_string_equal(pool->results[1]->name, "pool_1");
    assert_string_equal(pool->origin, "relu");
    assert_string_equal(rl_graph_unique_name(graph, "pool"), "pool_2");
}

static void uses_are_counted_and_replaced(void **state)
{
    (void)state;
    struct rl_value *x;
    struct rl_node *first, *second;
    build_chain(&x, &first, &second);
    assert_ptr_equal(rl_value_only_user(graph, x), first);
    assert_null(rl_value_only_user(graph, second->results[0]));
    assert_true(rl_value_is_output(graph, second->results[0]));
    second->args[0] = rl_arg_value(x);
    assert_int_equal(rl_value_use_count(graph, x), 2);
    assert_null(rl_value_only_user(graph, x));
    rl_graph_replace_uses(graph, second->results[0], first->results[0]);
    assert_ptr_equal(graph->outputs[0], first->results[0]);
}

static void list_arguments_count_as_uses(void **state)
{
    (void)state;
    const struct rl_tensor_type type = vector(4);
    struct rl_value *x = rl_graph_add_input(graph, "x", &type);
    struct rl_value *const pair[] = {x, x};
    const struct rl_tensor_type joined = vector(8);
    struct rl_node *cat = rl_graph_insert(graph, NULL, RL_OP_aten_cat, "cat", NULL, 1, &joined);
    cat->args[0] = rl_arg_values(&arena, pair, 2);
    cat->args[1] = rl_arg_int(0);
    assert_int_equal(rl_value_use_count(graph, x), 2);
    struct rl_value *y = rl_graph_add_input(graph, "y", &type);
    rl_graph_replace_uses(graph, x, y);
    assert_int_equal(rl_value_use_count(graph, x), 0);
    assert_int_equal(rl_value_use_count(graph, y), 2);
}

static void dead_nodes_and_constants_go(void **state)
{
    (void)state;
    struct rl_value *x;
    struct rl_node *first, *second;
    build_chain(&x, &first, &second);
    const float data[4] = {1, 2, 3, 4};
    const struct rl_tensor_type type = vector(4);
    struct rl_value *read = rl_graph_add_constant(graph, "read", &type, data);
    struct rl_value *unread = rl_graph_add_constant(graph, "unread", &type, data);
    struct rl_node *dead = add_node(RL_OP_aten_relu, "dead", unread);
    add_node(RL_OP_aten_relu, "dead_too", dead->results[0]);
    first->args[0] = rl_arg_value(read);
    rl_graph_remove_dead(graph);
    assert_ptr_equal(graph->constants, read);
    assert_null(read->next);
    assert_ptr_equal(graph->first, first);
    assert_ptr_equal(graph->last, second);
    assert_int_equal(graph->input_count, 1);
    assert_int_equal(rl_graph_verify(&context, graph, "test"), RL_OK);
}

// Constants in one piece of memory keep all of it until none of them is read.
static void data_of_dead_constants_goes(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    const struct rl_tensor_type type = vector(COUNT);
    float *alone = rl_arena_array(&arena, COUNT, sizeof *alone), *shared = rl_arena_array(&arena, COUNT, 8);
    rl_graph_take_constant(graph, "alone", &type, alone);
    rl_graph_take_constant(graph, "first", &type, shared);
    struct rl_value *second = rl_graph_take_constant(graph, "second", &type, shared + COUNT);
    struct rl_node *node = add_node(RL_OP_aten_relu, "relu", second);
    rl_graph_add_output(graph, node->results[0]);
    const size_t all = arena.bytes;
    rl_graph_remove_dead(graph);
    assert_ptr_equal(graph->constants, second);
    assert_null(second->next);
    assert_int_equal(arena.bytes, all - COUNT * sizeof(float));
    memset(shared + COUNT, 1, COUNT * sizeof(float));
}

// A state keeps its first value where a constant had it.
static void data_of_states_stays(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    const struct rl_tensor_type type = vector(COUNT);
    float *data = rl_arena_array(&arena, COUNT, sizeof *data);
    rl_graph_take_constant(graph, "dead", &type, data);
    rl_graph_add_state(graph, rl_graph_take_constant(graph, "state", &type, data));
    const size_t all = arena.bytes;
    rl_graph_remove_dead(graph);
    assert_null(graph->constants);
    assert_int_equal(arena.bytes, all);
}

static void integer_lists_expand_like_pytorch(void **state)
{
    (void)state;
    struct rl_value *x;
    struct rl_node *first, *second;
    build_chain(&x, &first, &second);
    const struct rl_tensor_type type = image(1, 1, 4, 4, "0123");
    struct rl_node *pool = rl_graph_insert(graph, NULL, RL_OP_aten_avg_pool2d, "pool", NULL, 1, &type);
    int64_t items[2];
    pool->args[rl_node_arg_index(pool, "kernel_size")] = rl_arg_ints(&arena, (const int64_t[]){3}, 1);
    assert_true(rl_node_ints(pool, "kernel_size", 2, 0, items));
    assert_true(items[0] == 3 && items[1] == 3);
    assert_true(rl_node_ints(pool, "stride", 2, 5, items));
    assert_true(items[0] == 5 && items[1] == 5);
    pool->args[rl_node_arg_index(pool, "padding")] = rl_arg_ints(&arena, (const int64_t[]){1, 2, 3}, 3);
    assert_false(rl_node_ints(pool, "padding", 2, 0, items));
}

static void copies_are_equal_and_apart(void **state)
{
    (void)state;
    struct rl_value *x;
    struct rl_node *first, *second;
    build_chain(&x, &first, &second);
    second->reason = "because";
    struct rl_arena other = {0};
    struct rl_graph *copy = rl_graph_clone(graph, &other);
    assert_int_equal(rl_graph_verify(&context, copy, "clone"), RL_OK);
    assert_string_equal(copy->last->name, "relu_1");
    assert_string_equal(copy->last->reason, "because");
    assert_ptr_equal(copy->last->args[0].as.value, copy->first->results[0]);
    assert_ptr_not_equal(copy->first, first);
    const struct rl_tensor_type type = vector(3);
    rl_graph_add_input(copy, "x", &type); // grows a list that the copy must own
    assert_int_equal(graph->input_count, 1);
    rl_arena_free(&other);
    assert_int_equal(rl_graph_verify(&context, graph, "test"), RL_OK);
}

static void assert_broken(const char *problem)
{
    context.message[0] = '\0';
    assert_int_equal(rl_graph_verify(&context, graph, "a_pass"), RL_ERROR_INTERNAL);
    assert_non_null(strstr(context.message, problem));
    assert_non_null(strstr(context.message, "'a_pass'"));
}

static void the_verifier_names_what_is_broken(void **state)
{
    (void)state;
    struct rl_value *x;
    struct rl_node *first, *second;
    build_chain(&x, &first, &second);
    assert_int_equal(rl_graph_verify(&context, graph, "a_pass"), RL_OK);

    first->args[0] = rl_arg_value(second->results[0]);
    assert_broken("not defined before it");
    first->args[0] = rl_arg_int(1);
    assert_broken("another kind");
    first->args[0] = rl_arg_value(NULL);
    assert_broken("is None");
    first->args[0] = rl_arg_value(x);

    second->results[0]->name = "relu";
    assert_broken("is the name of several");
    second->results[0]->name = "relu_1";
    second->name = "relu";
    assert_broken("is the name of several");
    second->name = "relu_1";

    x->type.order[0] = 3;
    assert_broken("impossible type");
    x->type.order[0] = 0;
    first->results[0]->producer = second;
    assert_broken("another producer");
    first->results[0]->producer = first;
    second->previous = NULL;
    assert_broken("linked wrongly");
    second->previous = first;
    graph->outputs[0] = NULL;
    assert_broken("output");
    graph->outputs[0] = second->results[0];
    assert_int_equal(rl_graph_verify(&context, graph, "a_pass"), RL_OK);
}

static void work_space_belongs_to_one_node(void **state)
{
    (void)state;
    struct rl_value *x;
    struct rl_node *first, *second;
    build_chain(&x, &first, &second);
    struct rl_value *scratch = rl_graph_add_scratch(graph, "work", 64);
    second->args[0] = rl_arg_value(scratch);
    assert_broken("not defined before it");
    second->args[0] = rl_arg_value(first->results[0]);
    graph->outputs[0] = scratch;
    assert_broken("output");
}

static void arena_reports_the_end_of_memory(void **state)
{
    (void)state;
    jmp_buf handler;
    volatile int jumps = 0;
    arena.out_of_memory = &handler;
    if (setjmp(handler) == 0) {
        rl_arena_array(&arena, SIZE_MAX / 2, 4);
        fail();
    }
    jumps++;
    assert_int_equal(jumps, 1);
    unsigned char *small = rl_arena_alloc(&arena, 1);
    unsigned char *large = rl_arena_alloc(&arena, 1000000);
    unsigned char *after = rl_arena_alloc(&arena, 1);
    assert_true((uintptr_t)small % 16 == 0 && (uintptr_t)large % 16 == 0 && (uintptr_t)after % 16 == 0);
    assert_int_equal(large[999999], 0);
    assert_string_equal(rl_arena_format(&arena, "%s-%d", "a", 7), "a-7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(layouts_are_equal_up_to_dimensions_of_one, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(impossible_types_are_found, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(names_stay_unique, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(uses_are_counted_and_replaced, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(list_arguments_count_as_uses, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(dead_nodes_and_constants_go, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(data_of_dead_constants_goes, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(data_of_states_stays, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(integer_lists_expand_like_pytorch, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(copies_are_equal_and_apart, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(the_verifier_names_what_is_broken, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(work_space_belongs_to_one_node, start_graph, drop_graph),
        cmocka_unit_test_setup_teardown(arena_reports_the_end_of_memory, start_graph, drop_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
