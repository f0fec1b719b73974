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

static bool same_arguments(const struct rl_op *a, const struct rl_op *b)
{
    if (a->arg_count != b->arg_count || a->result_count != b->result_count) {
        return false;
    }
    for (int i = 0; i < a->arg_count; i++) {
        if (a->args[i].type != b->args[i].type || a->args[i].optional != b->args[i].optional) {
            return false;
        }
    }
    return true;
}

static void expect_form(const struct rl_op *op, const struct rl_op *form, const char *trait)
{
    if (form && (form == op || !same_arguments(op, form))) {
        fail_msg("%s.%s is %s %s.%s, whose arguments or results are others", op->name, op->overload, trait, form->name,
                 form->overload);
    }
}

// Passes copy the arguments to the other form as they are.
static void other_forms_take_the_same_arguments(void **state)
{
    (void)state;
    for (int i = 0; i < RL_OP_COUNT; i++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)i);
        assert_ptr_equal(rl_op_get(rl_op_id(op)), op);
        expect_form(op, op->in_place_of, "IN_PLACE_OF");
        expect_form(op, op->synonym_of, "SYNONYM_OF");
        expect_form(op, op->runs_as, "RUNS_AS");
        expect_form(op, op->nhwc_as, "NHWC_AS");
        assert_false(op->in_place_of && op->in_place_of->in_place_of);
        assert_false(op->synonym_of && op->synonym_of->synonym_of);
        if (op->nhwc_as && (op->layout != RL_LAYOUT_CHANNELS_LAST || op->nhwc_as->layout != RL_LAYOUT_ROW_MAJOR ||
                            op->nhwc_as->layer != op->layer || !op->nhwc_as->out_overload)) {
            fail_msg("%s.%s and its NHWC_AS differ in more than the layout", op->name, op->overload);
        }
        if (op->counts_as &&
            (op->counts_as->counts_as || op->counts_as->layer != op->layer || op->counts_as->layout != op->layout)) {
            fail_msg("%s.%s is not a form of its COUNTS_AS", op->name, op->overload);
        }
        if (op->runs_as && (op->out_overload || !op->runs_as->out_overload)) {
            fail_msg("%s.%s has no need of its RUNS_AS, or no use for it", op->name, op->overload);
        }
    }
}

// PyTorch ends the names of operators that write their operand with one underscore. zero_ has no functional form:
// functionalize makes it a fill_.
static void in_place_operators_have_a_functional_form(void **state)
{
    (void)state;
    for (int i = 0; i < RL_OP_COUNT; i++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)i);
        const size_t length = strlen(op->name);
        const bool ends_so = op->name[length - 1] == '_' && op->name[length - 2] != '_' && i != RL_OP_aten_zero_;
        const bool is_in_place = ends_so || strncmp(op->name, "aten::__i", 9) == 0;
        if (is_in_place == !op->in_place_of) {
            fail_msg("%s.%s: IN_PLACE_OF and the name say different things", op->name, op->overload);
        }
    }
}

static void dialects_are_the_namespaces(void **state)
{
    static const char *const namespaces[] = {
        [RL_DIALECT_ATEN] = "aten::",
        [RL_DIALECT_QUANTIZED_DECOMPOSED] = "quantized_decomposed::",
        [RL_DIALECT_CORTEX_M] = "cortex_m::",
        [RL_DIALECT_RUSHLIGHT] = "rushlight::",
        [RL_DIALECT_DIM_ORDER] = "dim_order_ops::",
        [RL_DIALECT_PRIM] = "executorch_prim::",
    };
    (void)state;
    for (int i = 0; i < RL_OP_COUNT; i++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)i);
        if (strncmp(op->name, namespaces[op->dialect], strlen(namespaces[op->dialect])) != 0) {
            fail_msg("%s is not of the dialect %s", op->name, namespaces[op->dialect]);
        }
    }
}

static bool takes(const struct rl_op *op, int index, enum rl_arg_type type)
{
    return index >= 0 && index < op->arg_count && op->args[index].type == type;
}

static bool takes_named(const struct rl_op *op, const char *name, enum rl_arg_type type)
{
    return takes(op, rl_op_argument(op, name), type);
}

// The arguments that the readers of a rearrangement look for (passes/canonical/views.c, canonicalize.c).
static bool can_rearrange(const struct rl_op *op)
{
    switch (op->rearranges) {
    case RL_REARRANGES_OTHERWISE:
    case RL_REARRANGES_SAME:
    case RL_REARRANGES_RESHAPE:
    case RL_REARRANGES_REVERSE:
    case RL_REARRANGES_TURN:
    case RL_REARRANGES_EXPAND:
        return true;
    case RL_REARRANGES_PERMUTE:
        return takes(op, 1, RL_TYPE_INT_LIST) && takes_named(op, "dims", RL_TYPE_INT_LIST);
    case RL_REARRANGES_EXCHANGE:
        return takes(op, 1, RL_TYPE_INT) && takes(op, 2, RL_TYPE_INT);
    case RL_REARRANGES_MOVE:
        return op->arg_count == 3 && op->args[1].type == op->args[2].type;
    case RL_REARRANGES_NARROW:
        return takes_named(op, "dim", RL_TYPE_INT) && takes_named(op, "length", RL_TYPE_INT);
    case RL_REARRANGES_SELECT:
    case RL_REARRANGES_SLICE:
    case RL_REARRANGES_SPLIT:
    case RL_REARRANGES_UNBIND:
        return takes_named(op, "dim", RL_TYPE_INT);
    }
    return false;
}

static bool can_lie(const struct rl_op *op)
{
    switch (op->layout) {
    case RL_LAYOUT_ROW_MAJOR:
        return true;
    case RL_LAYOUT_LIST:
        return takes(op, 0, RL_TYPE_TENSOR_LIST);
    case RL_LAYOUT_PAIR:
        return takes(op, 0, RL_TYPE_TENSOR) && takes_named(op, "other", RL_TYPE_TENSOR);
    default:
        return takes(op, 0, RL_TYPE_TENSOR);
    }
}

static bool can_clamp(const struct rl_op *op)
{
    return takes(op, 0, RL_TYPE_TENSOR) &&
           (op->arg_count == 1 || (op->arg_count == 3 && takes(op, 1, RL_TYPE_SCALAR) && takes(op, 2, RL_TYPE_SCALAR)));
}

static void expect_sound(const struct rl_op *op, bool has_trait, bool is_sound, const char *trait)
{
    if (has_trait && !is_sound) {
        fail_msg("%s.%s: %s needs other arguments", op->name, op->overload, trait);
    }
}

static void traits_fit_the_arguments(void **state)
{
    (void)state;
    for (int i = 0; i < RL_OP_COUNT; i++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)i);
        const bool takes_tensor = takes(op, 0, RL_TYPE_TENSOR);
        const bool has_grid = takes_tensor && takes_named(op, "scale", RL_TYPE_FLOAT) &&
                              takes_named(op, "zero_point", RL_TYPE_INT) && takes_named(op, "quant_min", RL_TYPE_INT) &&
                              takes_named(op, "quant_max", RL_TYPE_INT) && takes_named(op, "dtype", RL_TYPE_DTYPE);
        expect_sound(op, op->quantizes || op->dequantizes, has_grid, "QUANTIZES or DEQUANTIZES");
        expect_sound(op, op->layer == RL_LAYER_CLAMP, can_clamp(op), "LAYER(CLAMP)");
        expect_sound(op, op->has_weights,
                     takes_named(op, "weight", RL_TYPE_TENSOR) && takes_named(op, "bias", RL_TYPE_TENSOR), "WEIGHTS");
        expect_sound(op, op->transposed,
                     takes_named(op, "weight", RL_TYPE_TENSOR) && takes_named(op, "groups", RL_TYPE_INT), "TRANSPOSED");
        expect_sound(op, op->layout != RL_LAYOUT_ROW_MAJOR, can_lie(op), "LAYOUT");
        expect_sound(op, op->rearranges != RL_REARRANGES_OTHERWISE, takes_tensor && can_rearrange(op), "REARRANGES");
        expect_sound(op, op->view != RL_OP_VIEW_NEVER, takes_tensor, "VIEW");
        expect_sound(op, op->view == RL_OP_VIEW_UNLESS_TRAINING, takes_named(op, "train", RL_TYPE_BOOL), "VIEW");
        expect_sound(op, op->converts || op->is_activation || op->adds, takes_tensor, "the trait");
        expect_sound(op, op->commutes, takes_tensor && op->result_count == 1, "COMMUTES");
        const bool takes_list = takes(op, 0, RL_TYPE_TENSOR_LIST);
        expect_sound(op, op->chooses, (takes_tensor || takes_list) && op->result_count > 0, "CHOOSES");
        const bool computes = op->layer != RL_LAYER_NONE && op->layer != RL_LAYER_MAX_POOL;
        assert_false(op->chooses && (op->commutes || op->adds || computes));
        assert_false(op->shares_grid && op->shares_grid_in_best);
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
        cmocka_unit_test(other_forms_take_the_same_arguments),
        cmocka_unit_test(in_place_operators_have_a_functional_form),
        cmocka_unit_test(dialects_are_the_namespaces),
        cmocka_unit_test(traits_fit_the_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
