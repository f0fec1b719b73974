// SPDX-License-Identifier: Apache-2.0
//
// The contract of the command line, on the committed digits model: keys of the JSON, exit codes, files written.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "compiler/data/npz.h"
#include "support/process.h"

enum { SAMPLES = 360, CLASSES = 10 };

static void compile_reports_what_it_made(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("model.pte");
    json_t *report = compile(path, NULL, NULL);
    size_t size;
    unsigned char *file = rl_read_bytes(path, &size);

    assert_non_null(file);
    assert_int_equal(integer(report, "program_bytes"), size);
    assert_true(integer(report, "arena_bytes") >= integer(report, "lower_bound_bytes"));
    assert_true(integer(report, "constant_bytes") < (json_int_t)size);
    assert_true(number(report, "seconds") >= 0);
    assert_int_equal(json_array_size(json_object_get(report, "fp32_nodes")), 0);
    json_t *ops = json_object_get(report, "ops");
    assert_int_equal(integer(ops, "cortex_m::quantized_conv2d") + integer(ops, "cortex_m::quantized_depthwise_conv2d"),
                     5);
    assert_int_equal(integer(ops, "cortex_m::quantized_linear"), 1);
    assert_int_equal(integer(ops, "rushlight::quantized_linear_s16"), 1);
    assert_int_equal(integer(ops, "cortex_m::quantized_add"), 1);
    assert_memory_equal(file + 4, "ET12", 4);
    free(file);
    json_decref(report);
}

// The memory map and the layers, in the terminal.
static void verbose_shows_layers_and_memory(void **state)
{
    (void)state;
    const char *const words[] = {
        "compile", RL_FIXTURES "/names/residual.pt2", "-o", rl_temporary_path("verbose.pte"), "--verbose", NULL};
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    assert_int_equal(process.status, 0);
    assert_non_null(strstr(process.out, "layer1.0.conv1"));
    assert_non_null(strstr(process.out, "quantized_conv2d"));
    assert_non_null(strstr(process.out, "memory"));
    rl_process_free(&process);
}

static void compiling_twice_gives_the_same_bytes(void **state)
{
    (void)state;
    const char *const paths[] = {rl_temporary_path("first.pte"), rl_temporary_path("second.pte")};
    unsigned char *files[2];
    size_t sizes[2];

    for (int i = 0; i < 2; i++) {
        json_decref(compile(paths[i], NULL, NULL));
        files[i] = rl_read_bytes(paths[i], &sizes[i]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(files[0], files[1], sizes[0]);
    free(files[0]);
    free(files[1]);
}

static void floats_are_listed_with_a_reason(void **state)
{
    (void)state;
    json_t *report = compile(rl_temporary_path("float.pte"), "--quantize", "none");
    const json_t *nodes = json_object_get(report, "fp32_nodes");

    assert_true(json_array_size(nodes) >= 8);
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const char *const keys[] = {"node", "op", "reason"};
        for (int k = 0; k < 3; k++) {
            const char *text = json_string_value(json_object_get(json_array_get(nodes, i), keys[k]));
            assert_non_null(text);
            assert_true(text[0] != '\0');
        }
    }
    json_decref(report);
}

// Attention becomes products, a softmax and views; whoever reads the warnings knows one node.
static void parts_of_a_node_are_one_warning(void **state)
{
    (void)state;
    const char *const words[] = {
        "compile", RL_FIXTURES "/portable/layers.pt2", "-o", rl_temporary_path("layers.pte"), "--quantizer", "stock",
        NULL};
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    const char *warning = strstr(process.err, "node 'scaled_dot_product_attention'");

    assert_int_equal(process.status, 0);
    assert_non_null(warning);
    assert_null(strstr(warning + 1, "node 'scaled_dot_product_attention'"));
    rl_process_free(&process);
}

static void expect_failure(const char *const *words, const char *first, const char *second)
{
    struct rl_process process = rl_process_run(rl_program_under_test(), words);

    if (process.status != 1 || process.out[0] != '\0') {
        fail_msg("expected exit code 1 and an empty stdout, found %d, '%s', '%s'", process.status, process.out,
                 process.err);
    }
    if (!strstr(process.err, first) || !strstr(process.err, second)) {
        fail_msg("expected '%s' and '%s' in the message, found '%s'", first, second, process.err);
    }
    rl_process_free(&process);
}

static void failures_name_the_file_and_leave_none_behind(void **state)
{
    (void)state;
    const char *output = rl_temporary_path("none.pte");
    const char *damaged = rl_temporary_path("damaged.pt2");
    size_t size;
    unsigned char *model = rl_read_bytes(MODEL, &size);
    FILE *file = fopen(damaged, "wb");

    fwrite(model, 1, size / 2, file);
    fclose(file);
    free(model);
    expect_failure((const char *[]){"compile", "absent.pt2", "-o", output, NULL}, "absent.pt2", "No such file");
    expect_failure((const char *[]){"compile", damaged, "-o", output, NULL}, damaged, ":");
    expect_failure((const char *[]){"compile", MODEL, "-o", output, "--calibrate", MODEL, NULL}, "digits.pt2", ":");
    expect_failure((const char *[]){"compile", MODEL, "-o", output, "--max-arena", "1K", NULL}, "digits.pt2", "1024");
    expect_failure((const char *[]){"compile", MODEL, "-o", "no/such/folder/x.pte", NULL}, "no/such/folder", ":");
    expect_failure((const char *[]){"run", MODEL, NULL}, "digits.pt2", ":");
    expect_failure((const char *[]){"inspect", CALIBRATION, NULL}, "calibration.npz", ":");
    assert_null(rl_read_bytes(output, &size));
}

// The error says how much memory would do, and that much does.
static void arena_limit_is_exact(void **state)
{
    (void)state;
    char needed[32], less[32];
    json_t *report = compile(rl_temporary_path("model.pte"), NULL, NULL);
    json_int_t arena = integer(report, "arena_bytes");

    json_decref(report);
    snprintf(needed, sizeof needed, "%lld", (long long)arena);
    snprintf(less, sizeof less, "%lld", (long long)arena - 1);
    json_decref(compile(rl_temporary_path("model.pte"), "--max-arena", needed));
    expect_failure((const char *[]){"compile", MODEL, "-o", rl_temporary_path("less.pte"), "--calibrate", CALIBRATION,
                                    "--target", "any", "--max-arena", less, NULL},
                   needed, less);
}

static const json_t *only_output(const json_t *report)
{
    const json_t *outputs = json_object_get(report, "outputs");

    assert_int_equal(json_array_size(outputs), 1);
    return json_array_get(outputs, 0);
}

static void run_gives_one_output_per_sample_in_json_and_npz(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("model.pte"), *npz = rl_temporary_path("y.npz");
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_array *arrays;
    int count;

    json_decref(compile(program, NULL, NULL));
    json_t *report = rl_process_json(rl_program_under_test(), (const char *[]){"run", program, "--input", TEST_DATA,
                                                                               "--output", npz, "--json", NULL});
    const json_t *output = only_output(report), *data = json_object_get(output, "data");
    assert_string_equal(json_string_value(json_object_get(report, "core")), "host");
    assert_true(json_is_null(json_object_get(report, "instructions")));
    assert_string_equal(json_string_value(json_object_get(output, "dtype")), "float32");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(output, "shape"), 0)), SAMPLES);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(output, "shape"), 1)), CLASSES);
    assert_int_equal(json_array_size(data), SAMPLES * CLASSES);
    assert_int_equal(rl_npz_read(&context, &arena, npz, &arrays, &count), RL_OK);
    assert_int_equal(count, 1);
    assert_int_equal(arrays[0].dtype, RL_FLOAT32);
    assert_int_equal(rl_array_numel(&arrays[0]), SAMPLES * CLASSES);
    for (int i = 0; i < SAMPLES * CLASSES; i++) {
        float value = ((const float *)arrays[0].data)[i];
        assert_true(value == (float)json_number_value(json_array_get(data, (size_t)i)));
    }
    rl_arena_free(&arena);
    json_decref(report);
}

// The float program must compute what PyTorch computed when the fixture was made.
static void float_program_agrees_with_pytorch(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("float.pte"), *npz = rl_temporary_path("y.npz");
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_array *expected, *found;
    int count, found_count;
    const float *reference = NULL;

    json_decref(compile(program, "--quantize", "none"));
    json_decref(rl_process_json(rl_program_under_test(),
                                (const char *[]){"run", program, "--input", TEST_DATA, "-o", npz, "--json", NULL}));
    assert_int_equal(rl_npz_read(&context, &arena, npz, &found, &found_count), RL_OK);
    assert_int_equal(rl_npz_read(&context, &arena, TEST_DATA, &expected, &count), RL_OK);
    for (int i = 0; i < count; i++) {
        reference = strcmp(expected[i].name, "output") == 0 ? expected[i].data : reference;
    }
    assert_non_null(reference);
    for (int i = 0; i < SAMPLES * CLASSES; i++) {
        assert_true(fabsf(((const float *)found[0].data)[i] - reference[i]) < 1e-4f);
    }
    rl_arena_free(&arena);
}

static void wrong_samples_are_refused(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("model.pte"), *npz = rl_temporary_path("bad.npz");
    static const float numbers[30];
    const struct rl_array array = {.name = "input", .dtype = RL_FLOAT32, .rank = 2, .sizes = {3, 10}, .data = numbers};
    struct rl_context context = {0};

    json_decref(compile(program, NULL, NULL));
    assert_int_equal(rl_npz_write(&context, npz, &array, 1), RL_OK);
    expect_failure((const char *[]){"run", program, "--input", npz, NULL}, "bad.npz", "[1, 1, 8, 8]");
    expect_failure((const char *[]){"run", program, "--input", "absent.npy", NULL}, "absent.npy", "No such file");
}

static void evaluate_compares_with_the_float_model(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("model.pte");

    json_decref(compile(program, NULL, NULL));
    json_t *report = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"evaluate", MODEL, program, "--data", TEST_DATA, "--json", NULL});
    const json_t *layers = json_object_get(report, "layers");
    assert_int_equal(integer(report, "samples"), SAMPLES);
    assert_true(fabs(number(report, "top1_float") - 0.9861) < 1e-4);
    assert_true(number(report, "top1_quantized") >= 0.98);
    assert_true(number(report, "agreement") >= 0.99);
    assert_true(number(report, "sqnr_db") > 30 && number(report, "sqnr_db") < 60);
    assert_int_equal(json_array_size(layers), 10); // 5 convolutions, add, 2 pools, 2 linears
    for (size_t i = 0; i < json_array_size(layers); i++) {
        const json_t *layer = json_array_get(layers, i);
        assert_true(json_is_string(json_object_get(layer, "name")) && json_is_string(json_object_get(layer, "op")));
        assert_true(number(layer, "sqnr_db") > 25 && number(layer, "sqnr_db") < 80);
    }
    json_decref(report);
}

// Classes and truth values: how many are equal.
static void evaluate_counts_equal_integers(void **state)
{
    (void)state;
    const char *const model = RL_FIXTURES "/pt2/outputs.pt2";
    const char *program = rl_temporary_path("outputs.pte"), *data = rl_temporary_path("outputs.npz");
    float numbers[50][2][3];
    for (int i = 0; i < 300; i++) {
        numbers[i / 6][i / 3 % 2][i % 3] = (float)(i * 37 % 101) / 50 - 1;
    }
    const struct rl_array array = {.name = "x", .dtype = RL_FLOAT32, .rank = 3, .sizes = {50, 2, 3}, .data = numbers};
    struct rl_context context = {0};
    assert_int_equal(rl_npz_write(&context, data, &array, 1), RL_OK);
    json_t *made = rl_process_json(rl_program_under_test(), (const char *[]){"compile", model, "-o", program,
                                                                             "--calibrate", data, "--json", NULL});
    json_t *report = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"evaluate", model, program, "--data", data, "--json", NULL});
    const json_t *equal = json_object_get(report, "outputs_equal");
    const json_t *db = json_object_get(report, "outputs_sqnr_db");

    assert_int_equal(json_array_size(equal), 3);
    for (size_t i = 0; i < 2; i++) {
        assert_true(json_real_value(json_array_get(equal, i)) > 0.9);
        assert_true(json_real_value(json_array_get(equal, i)) <= 1);
        assert_true(json_is_null(json_array_get(db, i)));
    }
    assert_true(json_is_null(json_array_get(equal, 2)));
    assert_true(number(report, "sqnr_db") == json_real_value(json_array_get(db, 2)));
    assert_true(number(report, "sqnr_db") > 20 && number(report, "sqnr_db") < 60);
    assert_true(number(report, "agreement") > 0.9);
    json_decref(report);
    json_decref(made);
}

static void int8_interface_computes_the_same(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("int8.pte");

    json_t *made = compile(program, "--io", "int8");
    assert_null(json_object_get(json_object_get(made, "ops"), "cortex_m::quantize_per_tensor"));
    assert_null(json_object_get(json_object_get(made, "ops"), "cortex_m::dequantize_per_tensor"));
    json_t *report = rl_process_json(rl_program_under_test(), (const char *[]){"run", program, "--json", NULL});
    assert_string_equal(json_string_value(json_object_get(only_output(report), "dtype")), "int8");
    json_t *inspected = rl_process_json(rl_program_under_test(), (const char *[]){"inspect", program, "--json", NULL});
    const json_t *input = json_array_get(json_object_get(inspected, "inputs"), 0);
    assert_string_equal(json_string_value(json_object_get(input, "dtype")), "int8");
    const json_t *told = json_array_get(json_object_get(made, "inputs"), 0);
    assert_true(number(told, "scale") > 0);
    assert_true(number(input, "scale") == number(told, "scale"));
    assert_true(json_equal(json_object_get(input, "zero_point"), json_object_get(told, "zero_point")));
    json_decref(inspected);
    json_decref(report);
    json_decref(made);
}

static void an_int8_interface_is_evaluated_as_a_float_one(void **state)
{
    (void)state;
    json_t *reports[2];

    for (int i = 0; i < 2; i++) {
        const char *program = rl_temporary_path("evaluated.pte");
        json_decref(compile_stock(program, "--io", i ? "int8" : "float"));
        reports[i] = rl_process_json(rl_program_under_test(),
                                     (const char *[]){"evaluate", MODEL, program, "--data", TEST_DATA, "--json", NULL});
    }
    assert_true(json_equal(reports[0], reports[1]));
    json_decref(reports[0]);
    json_decref(reports[1]);
}

static void dump_shows_the_graph_after_a_stage(void **state)
{
    (void)state;
    struct rl_process process = rl_process_run(
        rl_program_under_test(), (const char *[]){"compile", MODEL, "-o", rl_temporary_path("model.pte"), "--calibrate",
                                                  CALIBRATION, "--dump-after", "lower_conv", NULL});

    assert_int_equal(process.status, 0);
    assert_non_null(strstr(process.out, "cortex_m::quantized_conv2d"));
    assert_non_null(strstr(process.out, "aten::linear"));
    rl_process_free(&process);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void plan_solves_a_problem_from_a_file(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("problem.csv");

    // At time 2 the first and the third are alive; the second fits below the third.
    write_text(path, "id,size,lower,upper\na,100,0,3\nb,40,0,2\r\nc,60,2,5\n");
    json_t *report = rl_process_json(rl_program_under_test(), (const char *[]){"plan", path, "--json", NULL});
    assert_int_equal(integer(report, "peak_bytes"), 160);
    assert_int_equal(integer(report, "lower_bound_bytes"), 160);
    assert_true(json_is_true(json_object_get(report, "optimal")));
    assert_true(number(report, "seconds") >= 0);
    json_decref(report);
    write_text(path, "id,lower,upper\n1,2,3\n");
    expect_failure((const char *[]){"plan", path, NULL}, "problem.csv", "size");
    write_text(path, "lower,upper,size\n1,2,x\n");
    expect_failure((const char *[]){"plan", path, NULL}, "problem.csv", "line 2");
    write_text(path, "lower,upper,size\n2,2,5\n");
    expect_failure((const char *[]){"plan", path, NULL}, "buffer 0", "lifetime");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compile_reports_what_it_made),
        cmocka_unit_test(verbose_shows_layers_and_memory),
        cmocka_unit_test(compiling_twice_gives_the_same_bytes),
        cmocka_unit_test(floats_are_listed_with_a_reason),
        cmocka_unit_test(parts_of_a_node_are_one_warning),
        cmocka_unit_test(failures_name_the_file_and_leave_none_behind),
        cmocka_unit_test(arena_limit_is_exact),
        cmocka_unit_test(run_gives_one_output_per_sample_in_json_and_npz),
        cmocka_unit_test(float_program_agrees_with_pytorch),
        cmocka_unit_test(wrong_samples_are_refused),
        cmocka_unit_test(evaluate_compares_with_the_float_model),
        cmocka_unit_test(evaluate_counts_equal_integers),
        cmocka_unit_test(int8_interface_computes_the_same),
        cmocka_unit_test(an_int8_interface_is_evaluated_as_a_float_one),
        cmocka_unit_test(dump_shows_the_graph_after_a_stage),
        cmocka_unit_test(plan_solves_a_problem_from_a_file),
    };
    return cmocka_run_group_tests_name("verbs", tests, NULL, NULL);
}
