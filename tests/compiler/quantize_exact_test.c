// SPDX-License-Identifier: Apache-2.0
//
// Floats that become integers, such as the positions that OPT counts, stay off grids of 256 steps, which would cut them
// to the wrong integers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/text.h"
#include "compiler/quantize/annotation.h"

static const char model[] = "graph g\n"
                            "input %mask : f32[1,4]\n"
                            "input %x : f32[1,4]\n"
                            "constant %matrix : f32[3,4] = fill(0.5)\n"
                            "%sum = aten::cumsum.default(self=%mask, dim=1) : f32[1,4]\n"
                            "%kept = aten::mul.Tensor(self=%sum, other=%mask) : f32[1,4]\n"
                            "%turned = aten::view_copy.default(self=%kept, size=[4, 1]) : f32[4,1]\n"
                            "%down = aten::floor.default(self=%turned) : f32[4,1]\n"
                            "%places = aten::to.dtype(self=%down, dtype=i64) : i64[4,1]\n"
                            "%product = aten::mul.Tensor(self=%x, other=%mask) : f32[1,4]\n"
                            "%scores = aten::linear.default(input=%product, weight=%matrix) : f32[1,3]\n"
                            "%classes = aten::to.dtype(self=%scores, dtype=i64) : i64[1,3]\n"
                            "%halves = aten::mul.Tensor(self=%x, other=%x) : f32[1,4]\n"
                            "%same = aten::eq.Scalar(self=%halves, other=2) : bool[1,4]\n"
                            "%shorter = aten::to.dtype(self=%product, dtype=f16) : f16[1,4]\n"
                            "output %places\noutput %classes\noutput %same\noutput %shorter\n";

struct quantized {
    struct rl_context context;
    struct rl_arena arena;
    struct rl_graph *graph;
    struct rl_annotation *annotation;
};

static void annotate(struct quantized *q, enum rl_quantizer quantizer)
{
    const struct rl_quantize_options options = {.quantizer = quantizer};
    *q = (struct quantized){0};
    assert_int_equal(rl_graph_parse(&q->context, &q->arena, model, "test", &q->graph), RL_OK);
    q->annotation = rl_quantize_annotate(q->graph, &options);
}

static enum rl_spec spec_of(const struct rl_point *point)
{
    return point->observer ? point->observer->spec : RL_SPEC_NONE;
}

static const struct rl_point *point(const struct quantized *q, const char *value, const char *user)
{
    for (int i = 0; i < q->annotation->point_count; i++) {
        const struct rl_point *p = &q->annotation->points[i];
        const bool made = !user && p->kind == RL_POINT_MADE;
        const bool used = user && p->kind == RL_POINT_USED && strcmp(p->node->name, user) == 0;
        if ((made || used) && strcmp(p->value->name, value) == 0) {
            return p;
        }
    }
    fail_msg("no point of %s", value);
    return NULL;
}

static void floats_that_become_integers_keep_every_bit(void **state)
{
    static const char *const kept[][2] = {{"mask", NULL},     {"mask", "kept"},  {"sum", "kept"},  {"kept", NULL},
                                          {"kept", "turned"}, {"turned", NULL},  {"halves", NULL}, {"turned", "down"},
                                          {"down", "places"}, {"halves", "same"}};
    static const char *const on_grids[][2] = {
        {"mask", "product"}, {"x", "product"}, {"product", NULL}, {"product", "scores"}, {"scores", NULL}};
    struct quantized q;
    (void)state;
    annotate(&q, RL_QUANTIZER_BEST);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        assert_int_equal(spec_of(point(&q, kept[i][0], kept[i][1])), RL_SPEC_NONE);
    }
    for (size_t i = 0; i < sizeof on_grids / sizeof on_grids[0]; i++) {
        assert_int_equal(spec_of(point(&q, on_grids[i][0], on_grids[i][1])), RL_SPEC_ACTIVATION);
    }
    assert_non_null(strstr(point(&q, "kept", NULL)->node->reason, "integers"));
    rl_arena_free(&q.arena);
}

static void the_stock_quantizer_does_not_see_them(void **state)
{
    struct quantized q;
    (void)state;
    annotate(&q, RL_QUANTIZER_STOCK);
    assert_int_equal(spec_of(point(&q, "mask", NULL)), RL_SPEC_ACTIVATION);
    assert_int_equal(spec_of(point(&q, "kept", NULL)), RL_SPEC_ACTIVATION);
    rl_arena_free(&q.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_that_become_integers_keep_every_bit),
        cmocka_unit_test(the_stock_quantizer_does_not_see_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
