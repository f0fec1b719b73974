// SPDX-License-Identifier: Apache-2.0
//
// Operands of concatenations whose ranges lie far apart, as the boxes and scores of detectors do.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/dataset.h"
#include "compiler/ir/text.h"
#include "compiler/quantize/annotation.h"

// One tensor is cut into sizes and scores; the sizes are made `factor` times as large. Both are put together again.
static const char detector[] = "graph g\n"
                               "input %%x : f32[1,4]\n"
                               "constant %%factor : f32[1] = [%d.0]\n"
                               "%%gate = aten::sigmoid.default(self=%%x) : f32[1,4]\n"
                               "%%score = aten::slice_copy.Tensor(self=%%gate, dim=1, start=0, end=2) : f32[1,2]\n"
                               "%%size = aten::slice_copy.Tensor(self=%%gate, dim=1, start=2, end=4) : f32[1,2]\n"
                               "%%wide = aten::mul.Tensor(self=%%size, other=%%factor) : f32[1,2]\n"
                               "%%both = aten::cat.default(tensors=[%%wide, %%score], dim=1) : f32[1,4]\n"
                               "%%again = aten::cat.default(tensors=[%%both, %%wide], dim=1) : f32[1,6]\n"
                               "output %s\n";
static const float sample[] = {-1.0f, 2.0f, 3.0f, -4.0f};

struct quantized {
    struct rl_context context;
    struct rl_arena arena;
    struct rl_graph *graph;
    struct rl_annotation *annotation;
};

static void quantize(struct quantized *q, int factor, const char *outputs, bool int8_outputs)
{
    char model[2 * sizeof detector];
    const struct rl_quantize_options options = {.quantizer = RL_QUANTIZER_BEST, .int8_outputs = int8_outputs};
    *q = (struct quantized){0};
    snprintf(model, sizeof model, detector, factor, outputs);
    assert_int_equal(rl_graph_parse(&q->context, &q->arena, model, "test", &q->graph), RL_OK);
    q->annotation = rl_quantize_annotate(q->graph, &options);
    struct rl_dataset_input input = {"x", q->graph->inputs[0]->type, (const unsigned char *)sample, sizeof sample,
                                     NULL};
    const struct rl_dataset dataset = {.sample_count = 1, .input_count = 1, .inputs = &input};
    assert_int_equal(rl_quantize_calibrate(&q->context, q->graph, &dataset, q->annotation, NULL), RL_OK);
}

static const struct rl_observer *grid_at(const struct quantized *q, enum rl_point_kind kind, const char *value,
                                         enum rl_op_id user)
{
    for (int i = 0; i < q->annotation->point_count; i++) {
        const struct rl_point *point = &q->annotation->points[i];
        if (point->kind == kind && strcmp(point->value->name, value) == 0 &&
            (kind == RL_POINT_MADE || point->node->op == user)) {
            return point->observer;
        }
    }
    fail_msg("no value %s", value);
    return NULL;
}

static const struct rl_observer *made(const struct quantized *q, const char *value)
{
    return grid_at(q, RL_POINT_MADE, value, RL_OP_aten_cat);
}

static const struct rl_observer *joined(const struct quantized *q, const char *value)
{
    return grid_at(q, RL_POINT_USED, value, RL_OP_aten_cat);
}

// The caller gets 16 bits, and each operand has 8 of its own. A concatenation of concatenations is one.
static void outputs_have_int16_and_operands_their_own_grids(void **state)
{
    struct quantized q;
    (void)state;
    quantize(&q, 100, "%again", false);
    assert_int_equal(rl_observer_dtype(made(&q, "both")), RL_INT16);
    assert_ptr_equal(made(&q, "again"), made(&q, "both"));
    assert_ptr_equal(joined(&q, "score"), made(&q, "both"));
    assert_int_equal(rl_observer_dtype(made(&q, "gate")), RL_INT8);
    assert_ptr_equal(made(&q, "score"), made(&q, "gate"));
    assert_true(made(&q, "gate")->qparams.scale < 1.01f / 255);
    assert_int_equal(rl_observer_dtype(made(&q, "wide")), RL_INT8);
    assert_true(made(&q, "wide")->qparams.scale < 130.0f / 255);
    rl_arena_free(&q.arena);
}

// A layer that takes the concatenation wants int8, and so does a caller of integers. What is cut keeps its steps.
static void narrow_operands_keep_their_steps(void **state)
{
    struct quantized q;
    (void)state;
    quantize(&q, 100, "%again", true);
    assert_int_equal(rl_observer_dtype(made(&q, "again")), RL_INT8);
    assert_ptr_equal(joined(&q, "score"), made(&q, "again"));
    assert_ptr_equal(made(&q, "wide"), made(&q, "again"));
    assert_ptr_equal(made(&q, "score"), made(&q, "gate"));
    assert_true(made(&q, "gate")->qparams.scale < 1.01f / 255);
    rl_arena_free(&q.arena);
}

// One or two bits are not worth another table.
static void similar_operands_share_a_grid(void **state)
{
    struct quantized q;
    (void)state;
    quantize(&q, 3, "%again", false);
    assert_int_equal(rl_observer_dtype(made(&q, "again")), RL_INT8);
    assert_ptr_equal(made(&q, "gate"), made(&q, "again"));
    assert_ptr_equal(made(&q, "wide"), made(&q, "again"));
    rl_arena_free(&q.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_have_int16_and_operands_their_own_grids),
        cmocka_unit_test(narrow_operands_keep_their_steps),
        cmocka_unit_test(similar_operands_share_a_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
