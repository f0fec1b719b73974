// SPDX-License-Identifier: Apache-2.0
//
// The operator table as data: look-up, schemas as PyTorch prints them, and what must hold for every line.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "ops/ops.h"

static void operators_are_found_by_both_names(void **state)
{
    (void)state;
    enum rl_op_id id;
    assert_true(rl_op_find("aten::add", "Tensor", &id));
    assert_int_equal(id, RL_OP_aten_add);
    assert_true(rl_op_find_out("cortex_m::quantized_conv2d", "out", &id));
    assert_int_equal(id, RL_OP_cm_quantized_conv2d);
    assert_true(rl_op_find_out("aten::slice_copy", "Tensor_out", &id));
    assert_false(rl_op_find("aten::add", "Scalar_that_is_none", &id));
    assert_false(rl_op_find("aten::ad", "Tensor", &id));
    assert_false(rl_op_find_out("aten::conv2d", "default", &id)); // a pass replaces it first
}

static void expect_schema(const char *name, const char *overload, const char *expected)
{
    enum rl_op_id id;
    char text[512];
    assert_true(rl_op_find(name, overload, &id));
    int length = rl_op_schema(id, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void schemas_read_as_in_pytorch(void **state)
{
    (void)state;
    expect_schema("aten::linear", "default", "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor");
    expect_schema("aten::add", "Tensor", "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
    expect_schema("aten::convolution", "default",
                  "aten::convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, "
                  "int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor");
    expect_schema("aten::max_pool2d_with_indices", "default",
                  "aten::max_pool2d_with_indices(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, "
                  "int[] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)");
    expect_schema("aten::pad", "default",
                  "aten::pad(Tensor self, int[] pad, str mode=\"constant\", float? value=None) -> Tensor");
    expect_schema("aten::split_with_sizes_copy", "default",
                  "aten::split_with_sizes_copy(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]");
}

static void a_schema_is_cut_to_the_space_given(void **state)
{
    (void)state;
    char text[16];
    memset(text, 'x', sizeof text);
    int length = rl_op_schema(RL_OP_aten_relu, text, 8);
    assert_string_equal(text, "aten::r");
    assert_int_equal(text[8], 'x');
    assert_int_equal(length, strlen("aten::relu(Tensor self) -> Tensor"));
    assert_int_equal(rl_op_schema(RL_OP_aten_relu, NULL, 0), length);
}

// Two lines for one operator would make the second unreachable.
static void no_operator_is_listed_twice(void **state)
{
    (void)state;
    for (int i = 0; i < RL_OP_COUNT; i++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)i);
        enum rl_op_id found;
        assert_true(rl_op_find(op->name, op->overload, &found));
        if ((int)found != i) {
            fail_msg("%s.%s is listed twice", op->name, op->overload);
        }
        if (!op->out_overload) {
            continue;
        }
        assert_true(rl_op_find_out(op->name, op->out_overload, &found));
        if ((int)found != i) {
            fail_msg("the out form of %s.%s is listed twice", op->name, op->overload);
        }
    }
}

static void every_line_is_sound(void **state)
{
    (void)state;
    for (int i = 0; i < RL_OP_COUNT; i++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)i);
        assert_non_null(strstr(op->name, "::"));
        assert_in_range(op->positional_count, 0, op->arg_count);
        for (int k = 0; k < op->arg_count; k++) {
            assert_non_null(op->args[k].name);
            for (int other = 0; other < k; other++) {
                assert_string_not_equal(op->args[k].name, op->args[other].name);
            }
        }
        assert_null(op->args[op->arg_count].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_are_found_by_both_names),
        cmocka_unit_test(schemas_read_as_in_pytorch),
        cmocka_unit_test(a_schema_is_cut_to_the_space_given),
        cmocka_unit_test(no_operator_is_listed_twice),
        cmocka_unit_test(every_line_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
