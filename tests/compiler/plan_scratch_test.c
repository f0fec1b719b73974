// SPDX-License-Identifier: Apache-2.0
//
// Layers whose sizes leave what the formulas of their work space can multiply are refused, and no others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/graph.h"
#include "compiler/passes/passes.h"

#define SCALES                                                                                                         \
    "input_offset=0, output_offset=0, requantize_multipliers=%m, requantize_shifts=%m, activation_min=-128, "          \
    "activation_max=127"

// What is the same in all cases; each case adds an input x, weights w and a layer y.
static const char frame[] = "graph g\ninput %%m : i32[1]\n%s\noutput %%y\n";

struct layer {
    const char *text;
    enum rl_status status;
    const char *error; // a part of it
};

static const struct layer layers[] = {
    {"input %x : i8[1,3,8,8]\ninput %w : i8[4,3,3,3]\n"
     "%y = cortex_m::quantized_conv2d.default(input=%x, weight=%w, stride=[1, 1], padding=[1, 1], dilation=[1, "
     "1], " SCALES ") : i8[1,4,8,8]",
     RL_OK, NULL},
    // 2^22 - 1 elements are the most; a stride adds none to the window of a convolution.
    {"input %x : i8[1,1,8,8]\ninput %w : i8[1,1,4194303,1]\n"
     "%y = cortex_m::quantized_conv2d.default(input=%x, weight=%w, stride=[2147483647, 2147483647], padding=[0, 0], "
     "dilation=[1, 1], " SCALES ") : i8[1,1,1,1]",
     RL_OK, NULL},
    {"input %x : i8[1,3,8,8]\ninput %w : i8[4,3000,3000,3]\n"
     "%y = cortex_m::quantized_conv2d.default(input=%x, weight=%w, stride=[1, 1], padding=[0, 0], dilation=[1, "
     "1], " SCALES ") : i8[1,4,1,1]",
     RL_ERROR_UNSUPPORTED, "elements under a filter"},
    {"input %x : i8[1,1,8,8]\ninput %w : i8[1,1,1,1]\n"
     "%y = cortex_m::quantized_conv2d.default(input=%x, weight=%w, stride=[1, 1], padding=[0, 9223372036854775807], "
     "dilation=[1, 1], " SCALES ") : i8[1,1,1,1]",
     RL_ERROR_UNSUPPORTED, "elements under a filter"},
    {"input %x : i8[3,8,8]\ninput %w : i8[4,3,3,3]\n"
     "%y = cortex_m::quantized_conv2d.default(input=%x, weight=%w, stride=[1, 1], padding=[0, 0], dilation=[1, "
     "1], " SCALES ") : i8[1,4,1,1]",
     RL_ERROR_TYPE, "rank 4"},
    {"input %x : i8[1,1,2,2]\ninput %w : i8[1,2,2,1]\n"
     "%y = cortex_m::quantized_transpose_conv2d.default(input=%x, weight=%w, stride=[2, 2], padding=[0, 0], "
     "output_padding=[0, 0], dilation=[1, 1], " SCALES ") : i8[1,1,4,4]",
     RL_OK, NULL},
    // A stride spreads what a transposed convolution writes.
    {"input %x : i8[1,1,2,2]\ninput %w : i8[1,2,2,1]\n"
     "%y = cortex_m::quantized_transpose_conv2d.default(input=%x, weight=%w, stride=[2000, 2000], padding=[0, 0], "
     "output_padding=[0, 0], dilation=[1, 1], " SCALES ") : i8[1,1,2002,2002]",
     RL_ERROR_UNSUPPORTED, "elements under a filter"},
    // Its padding takes outputs away.
    {"input %x : i8[1,1,2,2]\ninput %w : i8[1,2,2,1]\n"
     "%y = cortex_m::quantized_transpose_conv2d.default(input=%x, weight=%w, stride=[2, 2], padding=[5000000, "
     "5000000], "
     "output_padding=[0, 0], dilation=[1, 1], " SCALES ") : i8[1,1,4,4]",
     RL_OK, NULL},
    {"input %x : i8[1,4194304,8,8]\n"
     "%y = cortex_m::quantized_avg_pool2d.default(input=%x, kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], "
     "ceil_mode=False, zero_point=0, multiplier=0, shift=0) : i8[1,4194304,4,4]",
     RL_ERROR_UNSUPPORTED, "elements under a filter"},
    // The channels of an explicit layout are dimension 3.
    {"input %x : i8[1,8,8,4194304]\n"
     "%y = cortex_m::quantized_avg_pool2d_nhwc.default(input=%x, kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], "
     "ceil_mode=False, zero_point=0, multiplier=0, shift=0) : i8[1,4,4,4194304]",
     RL_ERROR_UNSUPPORTED, "elements under a filter"},
    {"input %x : i8[1,4194304,8,8]\n"
     "%y = cortex_m::quantized_avg_pool2d_nhwc.default(input=%x, kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], "
     "ceil_mode=False, zero_point=0, multiplier=0, shift=0) : i8[1,2097152,4,8]",
     RL_OK, NULL},
};

static void sizes_beyond_the_formulas_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        char text[1024];
        struct rl_context context = {0};
        struct rl_arena arena = {0};
        struct rl_compile_options options = {.quantization = RL_QUANTIZE_NONE};
        struct rl_pass pass = {.context = &context, .options = &options};
        assert_in_range(snprintf(text, sizeof text, frame, layers[i].text), 1, sizeof text - 1);
        assert_int_equal(rl_graph_parse(&context, &arena, text, "test", &pass.graph), RL_OK);
        assert_int_equal(rl_target_parse(&context, "any", &options.target), RL_OK);
        assert_int_equal(rl_pass_plan_scratch(&pass), layers[i].status);
        if (layers[i].error) {
            assert_non_null(strstr(context.message, layers[i].error));
            assert_non_null(strstr(context.message, "node 'y'"));
        }
        rl_arena_free(&arena);
    }
}

// Bytes of all work space that the node %y gets on any core.
static int64_t planned(const char *op, const char *input, const char *rest, const char *output)
{
    char text[1024];
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_compile_options options = {.quantization = RL_QUANTIZE_NONE};
    struct rl_pass pass = {.context = &context, .options = &options};
    int64_t bytes = 0;
    assert_in_range(snprintf(text, sizeof text,
                             "graph g\ninput %%m : i32[1]\ninput %%w : i8[6,3,2,6]\ninput %%x : i8[%s]\n"
                             "%%y = cortex_m::%s.default(input=%%x, %s) : i8[%s]\noutput %%y\n",
                             input, op, rest, output),
                    1, sizeof text - 1);
    if (rl_graph_parse(&context, &arena, text, "test", &pass.graph) != RL_OK) {
        fail_msg("%s", context.message);
    }
    assert_int_equal(rl_target_parse(&context, "any", &options.target), RL_OK);
    assert_int_equal(rl_pass_plan_scratch(&pass), RL_OK);
    const struct rl_node *node = pass.graph->first;
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        if (arg->kind == RL_ARG_VALUE && arg->as.value->kind == RL_VALUE_SCRATCH) {
            bytes += rl_tensor_numel(&arg->as.value->type);
        }
    }
    rl_arena_free(&arena);
    return bytes;
}

#define WINDOWS "weight=%w, stride=[1, 1], padding=[1, 0], "

static void an_explicit_layout_needs_as_much(void **state)
{
    static const struct {
        const char *op, *rest, *height, *width;
    } cases[] = {
        {"quantized_conv2d", WINDOWS "dilation=[1, 1], " SCALES, "7", "4"},
        {"quantized_depthwise_conv2d", WINDOWS "dilation=[1, 1], depth_multiplier=1, " SCALES, "7", "4"},
        {"quantized_transpose_conv2d", WINDOWS "output_padding=[0, 0], dilation=[1, 1], " SCALES, "7", "6"},
        {"quantized_avg_pool2d",
         "kernel_size=[1, 2], stride=[1, 1], padding=[0, 0], ceil_mode=False, zero_point=0, multiplier=0, shift=0", "7",
         "4"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char nhwc[64], channels_first[32], channels_last[32];
        snprintf(nhwc, sizeof nhwc, "%s_nhwc", cases[i].op);
        snprintf(channels_first, sizeof channels_first, "1,6,%s,%s", cases[i].height, cases[i].width);
        snprintf(channels_last, sizeof channels_last, "1,%s,%s,6", cases[i].height, cases[i].width);
        const int64_t bytes = planned(cases[i].op, "1,6,7,5", cases[i].rest, channels_first);
        assert_true(bytes > 0);
        assert_int_equal(planned(nhwc, "1,7,5,6", cases[i].rest, channels_last), bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_beyond_the_formulas_are_refused),
        cmocka_unit_test(an_explicit_layout_needs_as_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
