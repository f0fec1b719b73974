// SPDX-License-Identifier: Apache-2.0
//
// The text form of graphs: what is printed parses back to the same graph, and wrong text is pointed at.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/read/pt2.h"

static struct rl_context context;
static struct rl_arena arena;

static int start(void **state)
{
    (void)state;
    context = (struct rl_context){0};
    arena = (struct rl_arena){0};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    rl_arena_free(&arena);
    return 0;
}

// The text of a graph, to be freed.
static char *print(const struct rl_graph *graph)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    assert_int_equal(rl_graph_print(&context, graph, file), RL_OK);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void assert_same_constants(const struct rl_graph *a, const struct rl_graph *b)
{
    const struct rl_value *other = b->constants;
    for (const struct rl_value *value = a->constants; value; value = value->next) {
        assert_non_null(other);
        assert_string_equal(value->name, other->name);
        assert_memory_equal(value->data, other->data, rl_tensor_bytes(&value->type));
        other = other->next;
    }
    assert_null(other);
}

static void assert_round_trip(const struct rl_graph *graph)
{
    char *text = print(graph);
    struct rl_graph *parsed;
    if (rl_graph_parse(&context, &arena, text, "printed.ir", &parsed) != RL_OK) {
        fail_msg("%s", context.message);
    }
    assert_same_constants(graph, parsed);
    char *again = print(parsed);
    assert_string_equal(text, again);
    free(again);
    free(text);
}

static const char every_form[] =
    "graph \"odd name\"\n"
    "input_tree \"[1, {\\\"a\\\": \\x01}]\"\n"
    "input %x : f32[1,2,3,4] order(0,2,3,1)\n"
    "input %\"a.b c\" : i64[]\n"
    "constant %w : f32[2,2,1,1] = [0.5, -0.0, nan(0x7fc00001), -inf]\n"
    "constant %h : f16[2] = [0x3c00, 0xfc00]\n"
    "constant %i : i8[3] = [-128, 0, 127]\n"
    "constant %u : u64[1] = [18446744073709551615]\n"
    "constant %l : i64[1] = [-9223372036854775808]\n"
    "constant %f : f32[100] = fill(0.1)\n"
    "constant %d : f64[2] = [0.1, 1e+300]\n"
    "constant %data : u8[40]\n"
    "constant %empty : f32[0,4] = []\n"
    "%conv = aten::conv2d.default(input=%x, weight=%w, bias=None, stride=[1], padding=[0, 0], dilation=[1], "
    "groups=1) : f32[1,2,3,4] order(0,2,3,1) @origin \"layer.0\" @reason \"says \\\"no\\\"\"\n"
    "%a, %b = aten::split.Tensor(self=%conv, split_size=1, dim=1) : f32[1,1,3,4], f32[1,1,3,4] @node parts\n"
    "%cat = aten::cat.default(tensors=[%a, %b], dim=1) : f32[1,2,3,4]\n"
    "%clone = aten::clone.default(self=%cat, memory_format=channels_last) : f32[1,2,3,4] order(0,2,3,1)\n"
    "%q = quantized_decomposed::quantize_per_tensor.default(input=%clone, scale=0.1, zero_point=-3, "
    "quant_min=-128, quant_max=127, dtype=i8) : i8[1,2,3,4] order(0,2,3,1)\n"
    "%add = aten::add.Tensor(self=%clone, other=%clone, alpha=2.0) : f32[1,2,3,4]\n"
    "%zeros = aten::zeros.default(size=[2, 3], dtype=f32, layout=None, device=\"cpu\", pin_memory=False) : "
    "f32[2,3]\n"
    "%put = aten::index_put.default(self=%f, indices=[None, %l], values=%f, accumulate=True) : f32[100]\n"
    "%turned = aten::view_copy.default(self=%x, size=[1, 3, 4, 2]) : f32[1,3,4,2] turned(0,2,3,1)\n"
    "%up = aten::upsample_nearest2d.vec(input=%x, output_size=None, scale_factors=[2.0, 0.5]) : "
    "f32[1,2,6,2]\n"
    "%cm = cortex_m::quantized_conv2d.default(input=%q, weight=%q, bias=None, stride=[1, 1], padding=[0, 0], "
    "dilation=[1, 1], input_offset=3, output_offset=-3, requantize_multipliers=%i, requantize_shifts=%i, "
    "activation_min=-128, activation_max=127, scratch=scratch(%cm_scratch, 512)) : i8[1,2,3,4]\n"
    "output %q\n"
    "output %q\n"
    "data %data\n"
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
    "2021222324252627\n";

static const char with_states[] = "graph forward\n"
                                  "input %x : f32[2]\n"
                                  "state %s : f32[2] = [1.0, 2.0]\n"
                                  "state %long : f32[17]\n"
                                  "constant %c : f32[2] = [0.5, 0.25]\n"
                                  "%add = aten::add.Tensor(self=%x, other=%s, alpha=1) : f32[2]\n"
                                  "output %add\n"
                                  "next %s %add\n"
                                  "next %long %long\n"
                                  "data %long\n"
                                  "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
                                  "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f\n"
                                  "40414243\n";

static const char with_written_states[] = "graph forward\n"
                                          "input %x : f32[2]\n"
                                          "state %s : f32[2] = [1.0, 2.0]\n"
                                          "%write = aten::copy_.default(self=%s, src=%x, non_blocking=False) : f32[2]\n"
                                          "output %x\n";

static void states_print_as_they_were_written(void **state)
{
    (void)state;
    const char *const texts[] = {with_states, with_written_states};
    for (int i = 0; i < 2; i++) {
        struct rl_context context = {0};
        struct rl_arena arena = {0};
        struct rl_graph *graph;
        if (rl_graph_parse(&context, &arena, texts[i], "written.ir", &graph) != RL_OK) {
            fail_msg("%s", context.message);
        }
        assert_int_equal(graph->writes_back, i == 1);
        char *text = print(rl_graph_clone(graph, &arena));
        assert_string_equal(text, texts[i]);
        free(text);
        rl_arena_free(&arena);
    }
}

static void every_form_prints_as_it_was_written(void **state)
{
    (void)state;
    struct rl_graph *graph;
    if (rl_graph_parse(&context, &arena, every_form, "all.ir", &graph) != RL_OK) {
        fail_msg("%s", context.message);
    }
    char *text = print(graph);
    assert_string_equal(text, every_form);
    free(text);
    struct rl_graph *copy = rl_graph_clone(graph, &arena);
    text = print(copy);
    assert_string_equal(text, every_form);
    free(text);
}

static void blanks_comments_and_defaults_are_optional(void **state)
{
    (void)state;
    static const char terse[] = "input %x:f32[1,3,8,8]constant %w:f32[3,3,1,1]=fill(1)# nothing more\n"
                                "%c=aten::conv2d.default(\n  weight=%w,\n  input=%x):f32[1,3,8,8]output %c";
    struct rl_graph *graph;
    if (rl_graph_parse(&context, &arena, terse, "terse.ir", &graph) != RL_OK) {
        fail_msg("%s", context.message);
    }
    int64_t stride[2];
    assert_true(rl_node_ints(graph->first, "stride", 2, 9, stride));
    assert_true(stride[0] == 1 && stride[1] == 1);
    assert_int_equal(rl_node_int(graph->first, "groups"), 1);
    assert_null(rl_node_tensor(graph->first, "bias"));
    const float *weights = graph->constants->data;
    assert_true(weights[0] == 1.0f && weights[8] == 1.0f);
    assert_string_equal(graph->first->origin, "c");
}

static void fixtures_round_trip(void **state)
{
    (void)state;
    static const char *const files[] = {"pt2/shared_storage.pt2", "pt2/many_values.pt2", "pt2/channels_last.pt2",
                                        "digits/digits.pt2"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", RL_FIXTURES, files[i]);
        struct rl_graph *graph;
        if (rl_pt2_read(&context, &arena, path, NULL, &graph) != RL_OK) {
            fail_msg("%s", context.message);
        }
        assert_round_trip(graph);
    }
}

struct wrong_text {
    const char *text;
    const char *message; // as it begins, after the file name
};

static void wrong_text_is_pointed_at(void **state)
{
    (void)state;
    static const struct wrong_text cases[] = {
        {"input %x : f32[1]\n%r = aten::relu.default(self=%y) : f32[1]",
         ":2:30: expected a value that is defined before, found '%y'\n%r = aten::relu.default(self=%y) : "
         "f32[1]\n"
         "                             ^"},
        {"input %x : f99[1]", ":1:12: expected a type"},
        {"input %x : f32[1", ":1:17: expected ',' or ']', found the end of the text"},
        {"input %x : f32[1,2] order(0,0)", ":1:31: the type before this has impossible sizes or a wrong order"},
        {"input %x : f32[1,2] order(1)", ":1:29: the type before this"},
        {"input %x : f32[2,1]\n%y = aten::relu.default(self=%x) : f32[1,2] turned(0,0)",
         ":2:56: the value before this"},
        {"input %x : f32[2,1]\n%y = aten::relu.default(self=%x) : f32[1,2] turned(1)", ":2:54: the value before this"},
        {"input %x : f32[2,1]\n%y = aten::relu.default(self=%x) : f32[1,2] order(1,0) turned(1,0)",
         ":2:67: the value before this is not row-major"},
        {"input %x : f32[-1]", ":1:19: the type before this"},
        {"input %x : f32[1,1,1,1,1,1,1,1,1]", ":1:32: more dimensions"},
        {"input %x : f32[]\ninput %x : f32[]", ":2:7: expected a name that is not taken, found '%x'"},
        {"input %x : f32[]\n%y = aten::nonsense.default(self=%x) : f32[]", ":2:6: expected an operator"},
        {"input %x : f32[]\n%y = aten::relu.default(other=%x) : f32[]",
         ":2:25: expected an argument of aten::relu(Tensor self) -> Tensor, found 'other'"},
        {"input %x : f32[]\n%y = aten::relu.default(self=%x, self=%x) : f32[]", ":2:34: expected an argument of"},
        {"input %x : f32[]\n%y = aten::relu.default() : f32[]", ":2:27: argument 'self' of 'aten::relu' is missing"},
        {"input %x : f32[]\n%y = aten::relu.default(self=None) : f32[]", ":2:30: expected a value"},
        {"input %x : f32[]\n%y, %z = aten::relu.default(self=%x) : f32[]", ":2:28: aten::relu has 1 results, not 2"},
        {"input %x : f32[]\n%y = aten::softmax.int(self=%x, dim=1.5) : f32[]", ":2:37: expected an integer"},
        {"input %x : f32[]\n%y = aten::relu.default(self=%x) : f32[] @color red", ":2:43: expected node, origin"},
        {"constant %c : i8[2] = [1, 200]", ":1:27: expected an integer that fits i8, found '200'"},
        {"constant %c : u8[2] = [1, -1]", ":1:27: expected an integer that fits u8"},
        {"constant %c : bool[1] = [2]", ":1:26: expected an integer that fits bool"},
        {"constant %c : i8[2] = [1]", ":1:26: the type has 2 elements, not fewer"},
        {"constant %c : i8[2] = [1, 2, 3]", ":1:30: the type has 2 elements, not more"},
        {"constant %c : i64[1] = [99999999999999999999]", ":1:25: expected an integer"},
        {"constant %c : f32[1]", ":1:21: constant 'c' has no data"},
        {"constant %c : u8[2] data %c 00", ":1:26: the text is shorter than the data"},
        {"constant %c : u8[2]\ndata %c\n0 0 00", ":3:1: expected two hexadecimal digits (byte 0 of 2)"},
        {"constant %c : u8[1] = [1]\ndata %c 00", ":2:6: expected a constant without data"},
        {"input %x : f32[]\nnext %x %x", ":2:9: expected a state"},
        {"state %s : f32[1] = [1.0]\nnext %s %t", ":2:9: expected a value that is defined before"},
        {"output %x", ":1:8: expected a value that is defined before"},
        {"input %x : f32[]\n$", ":2:1: expected graph, input, state, constant"},
        {"graph \"open", ":1:7: expected a name or a string, found '\"'"},
        {"input %\"open : f32[]", ":1:7: expected a name"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        context.message[0] = '\0';
        struct rl_graph *graph;
        assert_int_equal(rl_graph_parse(&context, &arena, cases[i].text, "f.ir", &graph), RL_ERROR_FORMAT);
        assert_null(graph);
        char expected[600];
        snprintf(expected, sizeof expected, "f.ir%s", cases[i].message);
        if (strncmp(context.message, expected, strlen(expected)) != 0) {
            print_error("text:\n%s\nexpected: %s\nfound: %s\n", cases[i].text, expected, context.message);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

// Any text cut anywhere, and any text with one character changed, is a graph or an error.
static void damaged_text_is_an_error_or_a_graph(void **state)
{
    (void)state;
    static const char replacements[] = "%\"([,=:@#0x.-\n";
    const size_t length = strlen(every_form);
    char text[sizeof every_form];
    for (size_t i = 0; i < length; i++) {
        struct rl_arena local = {0};
        struct rl_graph *graph;
        memcpy(text, every_form, i);
        text[i] = '\0';
        context.message[0] = '\0';
        const enum rl_status cut = rl_graph_parse(&context, &local, text, "cut.ir", &graph);
        assert_int_equal(cut == RL_OK, context.message[0] == '\0');
        memcpy(text, every_form, sizeof text);
        text[i] = replacements[i % (sizeof replacements - 1)];
        context.message[0] = '\0';
        const enum rl_status changed = rl_graph_parse(&context, &local, text, "changed.ir", &graph);
        assert_int_equal(changed == RL_OK, context.message[0] == '\0');
        assert_int_not_equal(changed, RL_ERROR_INTERNAL);
        rl_arena_free(&local);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_print_as_they_were_written),
        cmocka_unit_test_setup_teardown(every_form_prints_as_it_was_written, start, stop),
        cmocka_unit_test_setup_teardown(blanks_comments_and_defaults_are_optional, start, stop),
        cmocka_unit_test_setup_teardown(fixtures_round_trip, start, stop),
        cmocka_unit_test_setup_teardown(wrong_text_is_pointed_at, start, stop),
        cmocka_unit_test_setup_teardown(damaged_text_is_an_error_or_a_graph, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
