// SPDX-License-Identifier: Apache-2.0
//
// Inputs that were integers before get a grid that holds each of them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/data/npz.h"
#include "compiler/ir/text.h"
#include "compiler/quantize/steps.h"

enum { COUNT = 512 };

static float values[COUNT];

// Integers from `first` to `last`, each at least once, as (integer - offset) / divisor.
static void fill(int first, int last, float offset, float divisor)
{
    for (int i = 0; i < COUNT; i++) {
        values[i] = ((float)(first + i * 89 % (last - first + 1)) - offset) / divisor;
    }
}

static void assert_steps(struct rl_steps steps, double step, int lowest, int highest)
{
    assert_float_equal(steps.step, step, step * 1e-6);
    assert_int_equal(steps.lowest, lowest);
    assert_int_equal(steps.highest, highest);
}

static void steps_are_found(void **state)
{
    (void)state;
    fill(0, 255, 0, 255);
    assert_steps(rl_steps_find(values, COUNT), 1.0 / 255, 0, 255);
    fill(0, 255, 128, 128);
    assert_steps(rl_steps_find(values, COUNT), 1.0 / 128, -128, 127);
    fill(0, 16, 0, 16);
    assert_steps(rl_steps_find(values, COUNT), 1.0 / 16, 0, 16);
    fill(100, 200, 0, 4);
    assert_steps(rl_steps_find(values, COUNT), 0.25, 0, 200);
    fill(-200, -100, 0, 4);
    assert_steps(rl_steps_find(values, COUNT), 0.25, -200, 0);
}

static void others_have_none(void **state)
{
    (void)state;
    fill(0, 256, 0, 1); // one too many
    assert_true(rl_steps_find(values, COUNT).step == 0);
    fill(200, 300, 0, 1); // the same, counted from 0
    assert_true(rl_steps_find(values, COUNT).step == 0);
    fill(0, 255, 127.5F, 127.5F); // not multiples: 0 is between two of them
    assert_true(rl_steps_find(values, COUNT).step == 0);
    fill(0, 100, 0, 100);
    values[17] += 0.002F;
    assert_true(rl_steps_find(values, COUNT).step == 0);
    fill(0, 0, 0, 1);
    assert_true(rl_steps_find(values, COUNT).step == 0);
    fill(0, 16, 0, 16);
    assert_true(rl_steps_find(values, 255).step == 0);
    assert_true(rl_steps_find(values, 256).step > 0);
}

static struct rl_context context;
static struct rl_arena arena;

// Samples in a file: the first one `values` or one number of them, then `values`.
static struct rl_array *write_samples(bool starts_constant)
{
    static const char path[] = "quantize_steps_test.npz";
    float *both = rl_arena_array(&arena, (size_t)2 * COUNT, sizeof *both);
    for (int i = 0; i < COUNT; i++) {
        both[i] = values[starts_constant ? 0 : i];
        both[COUNT + i] = values[i];
    }
    const struct rl_array array = {.name = "x", .dtype = RL_FLOAT32, .rank = 2, .sizes = {2, COUNT}, .data = both};
    struct rl_array *found;
    int count;
    assert_int_equal(rl_npz_write(&context, path, &array, 1), RL_OK);
    assert_int_equal(rl_npz_list(&context, &arena, path, &found, &count), RL_OK);
    assert_int_equal(rl_npz_describe(&context, &arena, found, count), RL_OK);
    assert_true(found->file.elements > 0);
    return found;
}

// The grid that calibration on `values` gives the input of a graph of one node; from `file` if it is not NULL.
static struct rl_qparams grid_from(const char *node, enum rl_quantizer quantizer, const struct rl_array *file)
{
    const struct rl_quantize_options options = {.quantizer = quantizer};
    struct rl_graph *graph;
    const char *text = rl_arena_format(&arena, "graph g\ninput %%x : f32[1,512]\n%s\noutput %%y\n", node);
    assert_int_equal(rl_graph_parse(&context, &arena, text, "test", &graph), RL_OK);
    struct rl_annotation *annotation = rl_quantize_annotate(graph, &options);
    struct rl_dataset_input input = {"x", graph->inputs[0]->type, (const unsigned char *)values, sizeof values, file};
    const struct rl_dataset dataset = {.sample_count = file ? 2 : 1, .input_count = 1, .inputs = &input};
    assert_int_equal(rl_quantize_calibrate(&context, graph, &dataset, annotation, NULL), RL_OK);
    return rl_annotation_made(annotation, graph->inputs[0])->observer->qparams;
}

static struct rl_qparams grid_of(const char *node, enum rl_quantizer quantizer)
{
    return grid_from(node, quantizer, NULL);
}

static const char tanh_node[] = "%y = aten::tanh.default(self=%x) : f32[1,512]";

static void assert_grid(struct rl_qparams grid, double scale, int32_t zero_point)
{
    assert_float_equal((double)grid.scale, scale, scale * 1e-6);
    assert_int_equal(grid.zero_point, zero_point);
}

// All of 256 integers have a place; fewer leave a margin, and finer steps if there is room for them.
static void grids_hold_each_step(void **state)
{
    (void)state;
    fill(0, 255, 0, 255);
    assert_grid(grid_of(tanh_node, RL_QUANTIZER_BEST), 1.0 / 255, -128);
    fill(0, 255, 128, 128);
    assert_grid(grid_of(tanh_node, RL_QUANTIZER_BEST), 1.0 / 128, 0);
    fill(0, 16, 0, 16);
    assert_grid(grid_of(tanh_node, RL_QUANTIZER_BEST), 1.0 / 240, -128);
    fill(-200, 0, 0, 4);
    assert_grid(grid_of(tanh_node, RL_QUANTIZER_BEST), 0.25, 127);
    fill(-100, 100, 0, 4);
    assert_grid(grid_of(tanh_node, RL_QUANTIZER_BEST), 0.25, -1);
    fill(0, 255, 127.5F, 127.5F);
    assert_grid(grid_of(tanh_node, RL_QUANTIZER_BEST), 2.4 / 255, 0);
    rl_arena_free(&arena);
}

static void samples_in_a_file_have_the_same_steps(void **state)
{
    static const double few = 1.2, twice_as_many = 1.2 - 0.15 / 7; // margins: the file has two samples
    (void)state;
    for (int starts_constant = 0; starts_constant < 2; starts_constant++) {
        fill(0, 255, 128, 128);
        assert_grid(grid_from(tanh_node, RL_QUANTIZER_BEST, write_samples(starts_constant)), 1.0 / 128, 0);
        fill(0, 255, 0, 255);
        values[COUNT - 1] = 0.3333F;
        assert_grid(grid_from(tanh_node, RL_QUANTIZER_BEST, write_samples(starts_constant)),
                    (double)grid_of(tanh_node, RL_QUANTIZER_BEST).scale / few * twice_as_many, -128);
    }
    unlink("quantize_steps_test.npz");
    rl_arena_free(&arena);
}

static void others_keep_their_grid(void **state)
{
    (void)state;
    fill(0, 255, 0, 255);
    const char *sum = "%z = aten::tanh.default(self=%x) : f32[1,512]\n"
                      "%y = aten::cat.default(tensors=[%x, %z], dim=1) : f32[1,1024]";
    assert_grid(grid_of(sum, RL_QUANTIZER_BEST), 1.2 / 255, -128); // the margin of results
    fill(0, 16, 0, 16);
    assert_true(fabsf(grid_of(tanh_node, RL_QUANTIZER_STOCK).scale - 1.0F / 240) > 1e-5F);
    rl_arena_free(&arena);
}

// What the grid of an input has beyond the largest of `count` values in one sample, which are not multiples of a step.
static double margin_of(int64_t count)
{
    static float sample[1 << 17];
    const struct rl_quantize_options options = {.quantizer = RL_QUANTIZER_BEST};
    struct rl_graph *graph;
    const char *text = rl_arena_format(&arena,
                                       "graph g\ninput %%x : f32[1,%lld]\n"
                                       "%%y = aten::tanh.default(self=%%x) : f32[1,%lld]\noutput %%y\n",
                                       (long long)count, (long long)count);
    for (int64_t i = 0; i < count; i++) {
        sample[i] = i == 0 ? 1.0F : 0.3F + 0.4321F * (float)(i % 7) / 9.0F;
    }
    assert_int_equal(rl_graph_parse(&context, &arena, text, "test", &graph), RL_OK);
    struct rl_annotation *annotation = rl_quantize_annotate(graph, &options);
    struct rl_dataset_input input = {"x", graph->inputs[0]->type, (const unsigned char *)sample,
                                     (size_t)count * sizeof *sample, NULL};
    const struct rl_dataset dataset = {.sample_count = 1, .input_count = 1, .inputs = &input};
    assert_int_equal(rl_quantize_calibrate(&context, graph, &dataset, annotation, NULL), RL_OK);
    return (double)rl_annotation_made(annotation, graph->inputs[0])->observer->qparams.scale * 255.0;
}

// The fewer values the samples show, the larger those that come later may be.
static void few_values_have_more_room(void **state)
{
    (void)state;
    assert_float_equal(margin_of(8), 1.2, 1e-3);
    assert_float_equal(margin_of(512), 1.2, 1e-3);
    assert_true(margin_of(8192) > 1.08 && margin_of(8192) < 1.15);
    assert_float_equal(margin_of(1 << 17), 1.05, 1e-3);
    rl_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_found),        cmocka_unit_test(others_have_none),
        cmocka_unit_test(grids_hold_each_step),   cmocka_unit_test(samples_in_a_file_have_the_same_steps),
        cmocka_unit_test(others_keep_their_grid), cmocka_unit_test(few_values_have_more_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
