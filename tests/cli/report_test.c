// SPDX-License-Identifier: Apache-2.0
//
// What `compile` says of the quantizer's decisions and of what stays in floating point.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "support/process.h"

#define GATES       RL_FIXTURES "/reports/gates.pt2"
#define GATES_CALIB RL_FIXTURES "/reports/gates.calib.npz"
#define LSTM        RL_FIXTURES "/reports/lstm.pt2"

static json_t *compile_gates(const char *quantizer)
{
    return rl_process_json(rl_program_under_test(),
                           (const char *[]){"compile", GATES, "-o", rl_temporary_path("gates.pte"), "--calibrate",
                                            GATES_CALIB, "--quantizer", quantizer, "--io", "int8", "--json", NULL});
}

// The match that has this node; fails when there is none.
static const json_t *match_of(const json_t *report, const char *node)
{
    size_t index, k;
    const json_t *match, *name;

    json_array_foreach(json_object_get(report, "quantizer"), index, match)
    {
        json_array_foreach(json_object_get(match, "nodes"), k, name)
        {
            if (strcmp(json_string_value(name), node) == 0) {
                return match;
            }
        }
    }
    fail_msg("no match has node '%s'", node);
    return NULL;
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const json_t *tensor_of(const json_t *match, const char *role)
{
    size_t index;
    const json_t *tensor;

    json_array_foreach(json_object_get(match, "tensors"), index, tensor)
    {
        if (strcmp(text(tensor, "role"), role) == 0) {
            return tensor;
        }
    }
    fail_msg("'%s' has no %s", text(match, "pattern"), role);
    return NULL;
}

static double scale_of(const json_t *tensor, size_t index)
{
    return json_real_value(json_array_get(json_object_get(tensor, "scales"), index));
}

static void accepted_patterns_have_all_scales(void **state)
{
    (void)state;
    json_t *report = compile_gates("best");
    const json_t *conv = match_of(report, "conv2d");

    assert_true(json_is_true(json_object_get(conv, "accepted")));
    assert_true(json_is_null(json_object_get(conv, "reason")));
    assert_string_equal(text(conv, "pattern"), "aten::conv2d");
    const json_t *input = tensor_of(conv, "input"), *weight = tensor_of(conv, "weight"),
                 *bias = tensor_of(conv, "bias");
    assert_int_equal(json_array_size(json_object_get(weight, "scales")), 8);
    assert_int_equal(json_array_size(json_object_get(bias, "scales")), 8);
    assert_string_equal(text(bias, "dtype"), "int32");
    for (size_t i = 0; i < 8; i++) {
        const double product = scale_of(input, 0) * scale_of(weight, i);
        assert_true(fabs(scale_of(bias, i) - product) < 1e-6 * product);
    }
    // The grids of the interface are those of the report.
    const json_t *told = json_array_get(json_object_get(report, "inputs"), 0);
    assert_true(fabs(scale_of(input, 0) - number(told, "scale")) < 1e-9);
    assert_int_equal(integer(input, "zero_point"), integer(told, "zero_point"));
    const json_t *output = tensor_of(match_of(report, "linear"), "output");
    told = json_array_get(json_object_get(report, "outputs"), 0);
    assert_true(fabs(scale_of(output, 0) - number(told, "scale")) < 1e-9);
    json_decref(report);
}

static void activations_belong_to_the_pattern(void **state)
{
    (void)state;
    json_t *report = compile(rl_temporary_path("digits.pte"), NULL, NULL);

    assert_ptr_equal(match_of(report, "conv2d"), match_of(report, "relu"));
    assert_string_equal(text(match_of(report, "conv2d"), "pattern"), "aten::conv2d + aten::relu");
    assert_true(json_is_true(json_object_get(match_of(report, "image"), "accepted")));
    json_decref(report);
}

static void rejected_patterns_say_why(void **state)
{
    (void)state;
    json_t *report = compile_gates("stock");
    const json_t *conv = match_of(report, "conv2d_1"), *groups = json_object_get(report, "fp32_groups");

    assert_true(json_is_false(json_object_get(conv, "accepted")));
    assert_non_null(strstr(text(conv, "reason"), "channels-last"));
    assert_int_equal(json_array_size(groups), 1);
    const json_t *group = json_array_get(groups, 0);
    assert_int_equal(integer(group, "calls"), 3);
    assert_int_equal(json_array_size(json_object_get(group, "nodes")), 3);
    assert_string_equal(text(group, "reason"), text(conv, "reason"));
    // 144 * (8 * 9 + 64 * 9 + 64) products of convolutions; three tables, a product, a mean, a linear layer beside.
    assert_true(number(group, "work_share") > 0.85 && number(group, "work_share") < 1);
    json_decref(report);
}

// An LSTM of hundreds of calls, as the stock quantizer leaves it, is one line.
static void one_reason_is_one_line(void **state)
{
    (void)state;
    const char *const words[] = {"compile", LSTM, "-o", rl_temporary_path("lstm.pte"), "--quantizer", "stock", NULL};
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    const char *line = strstr(process.err, "node 'lstm'");

    assert_int_equal(process.status, 0);
    assert_non_null(line);
    assert_null(strstr(line + 1, "node 'lstm'"));
    const char *share = strstr(line, "% of the work) stays in floating point: ");
    assert_non_null(share);
    assert_null(memchr(line, '\n', (size_t)(share - line)));
    rl_process_free(&process);
}

static void explain_prints_the_same(void **state)
{
    (void)state;
    const char *const words[] = {"compile",     MODEL,       "-o",        rl_temporary_path("digits.pte"),
                                 "--calibrate", CALIBRATION, "--explain", NULL};
    struct rl_process process = rl_process_run(rl_program_under_test(), words);

    assert_int_equal(process.status, 0);
    assert_non_null(strstr(process.out, "accepted  aten::conv2d + aten::relu: conv2d relu\n"));
    assert_non_null(strstr(process.out, "16 scales from "));
    rl_process_free(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted_patterns_have_all_scales), cmocka_unit_test(activations_belong_to_the_pattern),
        cmocka_unit_test(rejected_patterns_say_why),         cmocka_unit_test(one_reason_is_one_line),
        cmocka_unit_test(explain_prints_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
