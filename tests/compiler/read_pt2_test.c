// SPDX-License-Identifier: Apache-2.0
//
// Models as torch.export saves them: what the graph says and which bytes its constants have.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/dataset.h"
#include "compiler/read/pt2.h"

static struct rl_context context;
static struct rl_arena arena;

static int start(void **state)
{
    (void)state;
    context = (struct rl_context){0};
    arena = (struct rl_arena){0};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    rl_arena_free(&arena);
    return 0;
}

static struct rl_graph *read_model(const char *folder, const char *file)
{
    struct rl_graph *graph;
    const char *path = rl_arena_format(&arena, "%s/%s", folder, file);
    if (rl_pt2_read(&context, &arena, path, NULL, &graph) != RL_OK ||
        rl_graph_verify(&context, graph, "reading") != RL_OK) {
        fail_msg("%s", context.message);
    }
    return graph;
}

static const struct rl_value *constant(const struct rl_graph *graph, const char *name)
{
    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        if (strcmp(value->name, name) == 0) {
            return value;
        }
    }
    fail_msg("no constant '%s'", name);
    return NULL;
}

static const struct rl_node *node(const struct rl_graph *graph, const char *name)
{
    for (const struct rl_node *found = graph->first; found; found = found->next) {
        if (strcmp(found->name, name) == 0) {
            return found;
        }
    }
    fail_msg("no node '%s'", name);
    return NULL;
}

static void assert_floats(const struct rl_value *value, int count, const float *expected)
{
    assert_int_equal(value->type.dtype, RL_FLOAT32);
    assert_int_equal(rl_tensor_numel(&value->type), count);
    assert_memory_equal(value->data, expected, (size_t)count * sizeof *expected);
}

static int count_nodes(const struct rl_graph *graph, enum rl_op_id op)
{
    int count = 0;
    for (const struct rl_node *found = graph->first; found; found = found->next) {
        count += found->op == op ? 1 : 0;
    }
    return count;
}

static void views_of_shared_storages_keep_their_values(void **state)
{
    (void)state;
    const struct rl_graph *graph = read_model(RL_FIXTURES, "pt2/shared_storage.pt2");
    // Both layers name the same weight, and nothing reads the parameter of 100 elements.
    assert_ptr_equal(rl_node_tensor(node(graph, "linear"), "weight"),
                     rl_node_tensor(node(graph, "linear_1"), "weight"));
    assert_null(rl_node_tensor(node(graph, "linear"), "bias"));
    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        assert_int_not_equal(rl_tensor_numel(&value->type), 100);
    }
    assert_floats(constant(graph, "b_tail"), 4, (const float[]){20, 21, 22, 23});
    assert_floats(constant(graph, "b_every_other"), 4, (const float[]){0, 2, 4, 6});
    assert_floats(constant(graph, "b_volatile"), 4, (const float[]){100, 101, 102, 103});
    assert_floats(constant(graph, "c_constant"), 4, (const float[]){1, 2, 3, 4});
    assert_floats(constant(graph, "b_expanded"), 12, (const float[]){0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
    // Transposed: [4, 2] whose columns lie together.
    const struct rl_value *transposed = constant(graph, "b_transposed");
    assert_floats(transposed, 8, (const float[]){0, 1, 2, 3, 4, 5, 6, 7});
    assert_true(transposed->type.sizes[0] == 4 && transposed->type.sizes[1] == 2);
    assert_true(transposed->type.order[0] == 1 && transposed->type.order[1] == 0);
}

static void inputs_outputs_and_lists_keep_their_order(void **state)
{
    (void)state;
    const struct rl_graph *graph = read_model(RL_FIXTURES, "pt2/many_values.pt2");
    assert_int_equal(graph->input_count, 3);
    assert_string_equal(graph->inputs[0]->name, "pair_left");
    assert_string_equal(graph->inputs[1]->name, "pair_right");
    assert_string_equal(graph->inputs[2]->name, "ids");
    assert_int_equal(graph->inputs[2]->type.dtype, RL_INT64);
    assert_int_equal(graph->output_count, 4);
    assert_non_null(strstr(graph->input_tree, "left"));
    assert_non_null(strstr(graph->output_tree, "parts"));

    const struct rl_node *split = node(graph, "split");
    assert_int_equal(split->result_count, 2);
    const struct rl_arg *joined = rl_node_arg(node(graph, "cat"), "tensors");
    assert_int_equal(joined->count, 3);
    assert_ptr_equal(joined->as.values[1], split->results[1]);
}

static void none_is_left_out_of_the_outputs(void **state)
{
    (void)state;
    const struct rl_graph *graph = read_model(RL_FIXTURES, "pt2/outputs.pt2");
    assert_int_equal(graph->output_count, 3);
    assert_int_equal(graph->outputs[0]->type.dtype, RL_INT64);
    assert_int_equal(graph->outputs[1]->type.dtype, RL_BOOL);
    assert_int_equal(graph->outputs[2]->type.dtype, RL_FLOAT32);
    assert_null(graph->output_tree); // it counts four
}

static void changes_of_inputs_are_no_outputs(void **state)
{
    (void)state;
    const struct rl_graph *graph = read_model(RL_FIXTURES, "pt2/changed_input.pt2");
    assert_int_equal(graph->output_count, 1);
    assert_int_equal(graph->outputs[0]->producer->op, RL_OP_aten_add);
    assert_non_null(graph->output_tree);
}

static void numbers_for_tensors_take_the_type_of_the_computation(void **state)
{
    (void)state;
    const struct rl_graph *graph = read_model(RL_FIXTURES, "pt2/many_values.pt2");
    const struct rl_value *two = rl_node_tensor(node(graph, "mul"), "other");
    assert_int_equal(two->type.rank, 0);
    assert_floats(two, 1, (const float[]){2});
    assert_floats(rl_node_tensor(node(graph, "add"), "other"), 1, (const float[]){1}); // an integer in the file
    const struct rl_value *three = rl_node_tensor(node(graph, "add_1"), "other");
    assert_int_equal(three->type.dtype, RL_INT64);
    assert_int_equal(*(const int64_t *)three->data, 3);
}

static void omitted_arguments_have_their_defaults(void **state)
{
    (void)state;
    const struct rl_graph *graph = read_model(RL_FIXTURES, "pt2/channels_last.pt2");
    const struct rl_node *conv = node(graph, "conv2d");
    int64_t dilation[2];
    assert_true(rl_node_ints(conv, "dilation", 2, 7, dilation));
    assert_true(dilation[0] == 1 && dilation[1] == 1);
    assert_int_equal(rl_node_int(conv, "groups"), 1);
    assert_string_equal(rl_node_arg(conv, "padding")->as.string, "same");
    assert_string_equal(conv->origin, "conv2d");
}

static void channels_last_shows_in_the_order(void **state)
{
    (void)state;
    const struct rl_graph *graph = read_model(RL_FIXTURES, "pt2/channels_last.pt2");
    assert_true(rl_tensor_is_channels_last(&graph->inputs[0]->type));
    assert_true(rl_tensor_is_channels_last(&node(graph, "conv2d")->results[0]->type));
    const struct rl_value *weight = constant(graph, "p_conv_weight");
    assert_true(rl_tensor_is_channels_last(&weight->type));
    const float *data = weight->data; // O, H, W, I in memory; the values count up in O, I, H, W
    assert_true(data[0] == 0 && data[1] == 9 && data[2] == 18 && data[3] == 1 && data[27] == 27);
    // A permutation of a channels-last tensor is contiguous, without a copy.
    assert_true(rl_tensor_is_contiguous(&node(graph, "permute")->results[0]->type));
}

static void samples_stored_in_the_model_are_found(void **state)
{
    (void)state;
    struct rl_dataset dataset;
    const struct rl_graph *graph = read_model(RL_FIXTURES, "pt2/channels_last.pt2");
    if (rl_dataset_load(&context, &arena, NULL, 0, graph, &dataset) != RL_OK) {
        fail_msg("%s", context.message);
    }
    assert_int_equal(dataset.sample_count, 1);
    const float *image = rl_dataset_sample(&dataset, 0, 0);
    assert_true(image[0] == 0 && image[1] == 20 && image[2] == 40 && image[3] == 1);

    graph = read_model(RL_FIXTURES, "pt2/many_values.pt2");
    if (rl_dataset_load(&context, &arena, NULL, 0, graph, &dataset) != RL_OK) {
        fail_msg("%s", context.message);
    }
    assert_int_equal(dataset.input_count, 3);
    const float *right = rl_dataset_sample(&dataset, 1, 0);
    assert_true(right[0] == -2 && right[5] == 3);
    const int64_t *ids = rl_dataset_sample(&dataset, 2, 0);
    assert_true(ids[0] == 0 && ids[4] == 4);
}

static char *graph_text(const char *file)
{
    const struct rl_graph *graph = read_model(RL_FIXTURES, file);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(rl_graph_print(&context, graph, stream), RL_OK);
    fclose(stream);
    return text;
}

static void every_version_of_pytorch_gives_the_same_graph(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"versions/2.8.0/views.pt2", "versions/2.15.0/views.pt2"},
                                           {"versions/2.9.1/views.pt2", "versions/2.15.0/views.pt2"},
                                           {"versions/2.9.1/gru.pt2", "versions/2.15.0/gru.pt2"},
                                           {"versions/2.8.0/mixed.pt2", "versions/2.15.0/mixed.pt2"},
                                           {"versions/2.10.0/mixed.pt2", "versions/2.15.0/mixed.pt2"},
                                           {"versions/2.10.0/lstm.pt2", "versions/2.15.0/lstm.pt2"},
                                           {"versions/2.11.0/lstm.pt2", "versions/2.15.0/lstm.pt2"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char *old = graph_text(pairs[i][0]);
        char *new = graph_text(pairs[i][1]);
        if (strcmp(old, new) != 0) {
            fail_msg("%s:\n%s\n%s:\n%s", pairs[i][0], old, pairs[i][1], new);
        }
        free(old);
        free(new);
    }
}

static void the_demo_model_is_complete(void **state)
{
    (void)state;
    const struct rl_graph *graph = read_model(RL_FIXTURES, "digits/digits.pt2");
    assert_int_equal(graph->input_count, 1);
    assert_string_equal(graph->inputs[0]->name, "image");
    assert_int_equal(count_nodes(graph, RL_OP_aten_conv2d), 5);
    assert_int_equal(count_nodes(graph, RL_OP_aten_batch_norm), 5);
    assert_int_equal(count_nodes(graph, RL_OP_aten_linear), 2);
    assert_int_equal(graph->outputs[0]->type.sizes[1], 10);
}

static void expect_nodes(const char *folder, const char *file, int nodes)
{
    const struct rl_graph *graph = read_model(folder, file);
    int count = 0;
    for (const struct rl_node *found = graph->first; found; found = found->next) {
        count++;
    }
    assert_int_equal(count, nodes);
}

static void quantized_models_are_complete(void **state)
{
    (void)state;
    expect_nodes(RL_FIXTURES, "stock/digits_cnn/quant.pt2", 51);
    expect_nodes(RL_FIXTURES, "stock/ds_cnn/quant.pt2", 73);
    expect_nodes(RL_FIXTURES, "stock/lstm_kws/quant.pt2", 13);
    expect_nodes(RL_FIXTURES, "stock/mlp_sine/quant.pt2", 19);
    expect_nodes(RL_FIXTURES, "stock/tt_ffn/quant.pt2", 30);
    expect_nodes(RL_FIXTURES, "stock/tt_scores/quant.pt2", 27);
}

static const char *larger_models; // a folder outside the repository

static void larger_models_are_complete(void **state)
{
    (void)state;
    expect_nodes(larger_models, "conv1d_waves/float.pt2", 17);
    expect_nodes(larger_models, "deep_autoencoder/float.pt2", 28);
    expect_nodes(larger_models, "digits_cnn/float.pt2", 21);
    expect_nodes(larger_models, "ds_cnn/float.pt2", 31);
    expect_nodes(larger_models, "lstm_digits/float.pt2", 5);
    expect_nodes(larger_models, "mobilenet_v1_025/float.pt2", 90);
    expect_nodes(larger_models, "resnet8/float.pt2", 32);
    expect_nodes(larger_models, "tiny_transformer/float.pt2", 53);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(views_of_shared_storages_keep_their_values, start, stop),
        cmocka_unit_test_setup_teardown(inputs_outputs_and_lists_keep_their_order, start, stop),
        cmocka_unit_test_setup_teardown(none_is_left_out_of_the_outputs, start, stop),
        cmocka_unit_test_setup_teardown(changes_of_inputs_are_no_outputs, start, stop),
        cmocka_unit_test_setup_teardown(numbers_for_tensors_take_the_type_of_the_computation, start, stop),
        cmocka_unit_test_setup_teardown(omitted_arguments_have_their_defaults, start, stop),
        cmocka_unit_test_setup_teardown(channels_last_shows_in_the_order, start, stop),
        cmocka_unit_test_setup_teardown(samples_stored_in_the_model_are_found, start, stop),
        cmocka_unit_test_setup_teardown(every_version_of_pytorch_gives_the_same_graph, start, stop),
        cmocka_unit_test_setup_teardown(the_demo_model_is_complete, start, stop),
        cmocka_unit_test_setup_teardown(quantized_models_are_complete, start, stop),
    };
    if (argc < 2) {
        return cmocka_run_group_tests(tests, NULL, NULL);
    }
    larger_models = argv[1];
    const struct CMUnitTest larger[] = {
        cmocka_unit_test_setup_teardown(larger_models_are_complete, start, stop),
    };
    return cmocka_run_group_tests(larger, NULL, NULL);
}
