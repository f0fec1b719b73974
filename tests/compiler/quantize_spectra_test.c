// SPDX-License-Identifier: Apache-2.0
//
// What stands between a signal and its spectrum: windows, pre-emphasis, the mean of a frame.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/text.h"
#include "compiler/quantize/annotation.h"

// The last value is a logarithm, or a product with the signal.
static const char front_end[] =
    "graph g\n"
    "input %%x : f32[1,4]\n"
    "constant %%w : f32[2,2] = [1.0, 0.0, 0.0, 1.0]\n"
    "constant %%part : f32[] = [0.97]\n"
    "constant %%window : f32[1,2] = [0.5, 1.0]\n"
    "%%now = aten::slice_copy.Tensor(self=%%x, dim=1, start=1, end=3) : f32[1,2]\n"
    "%%before = aten::slice_copy.Tensor(self=%%x, dim=1, start=0, end=2) : f32[1,2]\n"
    "%%less = aten::mul.Tensor(self=%%before, other=%%part) : f32[1,2]\n"
    "%%high = aten::sub.Tensor(self=%%now, other=%%less) : f32[1,2]\n"
    "%%frame = aten::mul.Tensor(self=%%high, other=%%window) : f32[1,2]\n"
    "%%real = aten::linear.default(input=%%frame, weight=%%w, bias=None) : f32[1,2]\n"
    "%%imag = aten::linear.default(input=%%frame, weight=%%w, bias=None) : f32[1,2]\n"
    "%%power = rushlight::magnitude.default(self=%%real, other=%%imag, root=False, epsilon=0.0) : f32[1,2]\n"
    "%%log = aten::log.default(self=%%power) : f32[1,2]\n"
    "%%masked = aten::mul.Tensor(self=%%%s, other=%%log) : f32[1,2]\n"
    "output %%masked\n";

static const char *const values[] = {"x", "now", "less", "high", "frame", "real", "imag", "power"};

// How many of the values are int16, with the last product of the logarithm and `factor`.
static int count_wide(const char *factor)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_graph *graph;
    char model[2 * sizeof front_end];
    const struct rl_quantize_options options = {.quantizer = RL_QUANTIZER_BEST};
    snprintf(model, sizeof model, front_end, factor);
    assert_int_equal(rl_graph_parse(&context, &arena, model, "test", &graph), RL_OK);
    const struct rl_annotation *annotation = rl_quantize_annotate(graph, &options);
    int count = 0;
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            const bool is_one = point->kind == RL_POINT_MADE && strcmp(point->value->name, values[k]) == 0;
            count += is_one && rl_observer_dtype(point->observer) == RL_INT16 ? 1 : 0;
        }
        if (point->kind == RL_POINT_USED && strcmp(point->value->name, "part") == 0 && count > 0) {
            assert_null(point->observer); // the number is in a table
        }
    }
    rl_arena_free(&arena);
    return count;
}

static void arithmetic_in_front_of_spectra_is_int16(void **state)
{
    (void)state;
    assert_int_equal(count_wide("log"), sizeof values / sizeof *values);
}

// A product of the frame and the logarithm wants int8, and so all stay int8.
static void arithmetic_with_other_uses_is_int8(void **state)
{
    (void)state;
    assert_int_equal(count_wide("frame"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_in_front_of_spectra_is_int16),
        cmocka_unit_test(arithmetic_with_other_uses_is_int8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
