// SPDX-License-Identifier: Apache-2.0
//
// Sums that can leave int32 are told, to the integer, and no others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/graph.h"
#include "compiler/passes/passes.h"

// One layer of two weights, 127 and -128, and a bias; its products go up to 127 * 127 + 128 * 128 = 32513 and down to
// -128 * 127 - 128 * 127 = -32512. %lld is the bias, %g the scale of the output: 2 gives a factor of 0.5, which has no
// left shift, 1 a factor of 1, which is 0.5 shifted by one.
static const char linear[] =
    "graph g\n"
    "input %%x : i8[1,2]\n"
    "constant %%w : i8[1,2] = [127, -128]\n"
    "constant %%b : i32[1] = [%lld]\n"
    "%%dx = quantized_decomposed::dequantize_per_tensor.default(input=%%x, scale=1.0, zero_point=0, quant_min=-128, "
    "quant_max=127, dtype=i8) : f32[1,2]\n"
    "%%dw = quantized_decomposed::dequantize_per_tensor.default(input=%%w, scale=1.0, zero_point=0, quant_min=-128, "
    "quant_max=127, dtype=i8) : f32[1,2]\n"
    "%%db = quantized_decomposed::dequantize_per_tensor.default(input=%%b, scale=1.0, zero_point=0, "
    "quant_min=-2147483648, quant_max=2147483647, dtype=i32) : f32[1]\n"
    "%%y = aten::linear.default(input=%%dx, weight=%%dw, bias=%%db) : f32[1,1]\n"
    "%%q = quantized_decomposed::quantize_per_tensor.default(input=%%y, scale=%g, zero_point=0, quant_min=-128, "
    "quant_max=127, dtype=i8) : i8[1,1]\n"
    "output %%q\n";

// A transposed convolution to two channels, of which the second one has the bias.
static const char transposed[] =
    "graph g\n"
    "input %%x : i8[1,1,2,2]\n"
    "constant %%w : i8[1,2,1,2] = [1, 1, 127, -128]\n"
    "constant %%b : i32[2] = [0, %lld]\n"
    "%%dx = quantized_decomposed::dequantize_per_tensor.default(input=%%x, scale=1.0, zero_point=0, quant_min=-128, "
    "quant_max=127, dtype=i8) : f32[1,1,2,2]\n"
    "%%dw = quantized_decomposed::dequantize_per_tensor.default(input=%%w, scale=1.0, zero_point=0, quant_min=-128, "
    "quant_max=127, dtype=i8) : f32[1,2,1,2]\n"
    "%%db = quantized_decomposed::dequantize_per_tensor.default(input=%%b, scale=1.0, zero_point=0, "
    "quant_min=-2147483648, quant_max=2147483647, dtype=i32) : f32[2]\n"
    "%%y = aten::conv_transpose2d.input(input=%%dx, weight=%%dw, bias=%%db) : f32[1,2,2,3]\n"
    "%%q = quantized_decomposed::quantize_per_tensor.default(input=%%y, scale=%g, zero_point=0, quant_min=-128, "
    "quant_max=127, dtype=i8) : i8[1,2,2,3]\n"
    "output %%q\n";

struct messages {
    int count;
    char last[1024];
};

static void remember(void *user, enum rl_log_level level, const char *message)
{
    struct messages *messages = user;
    if (level == RL_LOG_WARNING) {
        messages->count++;
        snprintf(messages->last, sizeof messages->last, "%s", message);
    }
}

// Lowers the layer and gives the number of warnings.
static int lower(const char *form, long long bias, double scale, rl_pass_run *run, struct messages *messages)
{
    char text[2048];
    struct rl_arena arena = {0};
    struct rl_context context = {.log = remember, .user = messages};
    struct rl_compile_options options = {.quantization = RL_QUANTIZE_NONE};
    struct rl_pass pass = {.context = &context, .arena = &arena, .options = &options};
    *messages = (struct messages){0};
    assert_in_range(snprintf(text, sizeof text, form, bias, scale), 1, sizeof text - 1);
    assert_int_equal(rl_graph_parse(&context, &arena, text, "test", &pass.graph), RL_OK);
    assert_int_equal(rl_target_parse(&context, "any", &options.target), RL_OK);
    assert_int_equal(run(&pass), RL_OK);
    const struct rl_value *output = pass.graph->outputs[0];
    assert_int_equal(output->kind, RL_VALUE_RESULT);
    assert_memory_equal(rl_op_get(output->producer->op)->name, "cortex_m::", 10);
    rl_arena_free(&arena);
    return messages->count;
}

static void the_first_integer_too_many_is_told(void **state)
{
    (void)state;
    const long long most = INT32_MAX - 32513LL, least = INT32_MIN + 32512LL;
    struct messages messages;
    rl_pass_run *const run = rl_pass_lower_linear;
    assert_int_equal(lower(linear, most, 2, run, &messages), 0);
    assert_int_equal(lower(linear, most + 1, 2, run, &messages), 1);
    assert_non_null(strstr(messages.last, "node 'y'"));
    assert_non_null(strstr(messages.last, "to 2147483648;"));
    assert_int_equal(lower(linear, least, 2, run, &messages), 0);
    assert_int_equal(lower(linear, least - 1, 2, run, &messages), 1);
    assert_int_equal(lower(linear, (1LL << 30) - 1 - 32513, 1, run, &messages), 0);
    assert_int_equal(lower(linear, (1LL << 30) - 32513, 1, run, &messages), 1);
}

static void the_channel_is_told(void **state)
{
    (void)state;
    struct messages messages;
    rl_pass_run *const run = rl_pass_lower_transposed_conv;
    assert_int_equal(lower(transposed, INT32_MAX - 32513LL, 2, run, &messages), 0);
    assert_int_equal(lower(transposed, INT32_MAX - 32512LL, 2, run, &messages), 1);
    assert_non_null(strstr(messages.last, "1 output channels"));
    assert_non_null(strstr(messages.last, "is channel 1,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_integer_too_many_is_told),
        cmocka_unit_test(the_channel_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
