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
    // The compiler plans no layers in the explicit layout.
    {"input %x : i8[1,8,8,3]\ninput %w : i8[4,3,3,3]\n"
     "%y = cortex_m::quantized_conv2d_nhwc.default(input=%x, weight=%w, stride=[1, 1], padding=[1, 1], "
     "dilation=[1, 1], " SCALES ") : i8[1,8,8,4]",
     RL_ERROR_INTERNAL, "is not known"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_beyond_the_formulas_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
