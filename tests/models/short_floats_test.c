// SPDX-License-Identifier: Apache-2.0
//
// Models in float16 and bfloat16: int8 programs are those of their float32 form, and without quantization the types
// stay.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/npz.h"
#include "model.h"
#include "support/process.h"

static const struct {
    const char *pt2, *wide, *data, *type;
    float limit; // a few steps of the type below 4
} models[] = {
    {RL_FIXTURES "/pt2/half.pt2", RL_FIXTURES "/pt2/half_wide.pt2", RL_FIXTURES "/pt2/half.npz", "float16", 0x1p-8f},
    {RL_FIXTURES "/pt2/brain.pt2", RL_FIXTURES "/pt2/brain_wide.pt2", RL_FIXTURES "/pt2/brain.npz", "bfloat16",
     0x1p-5f},
};

enum { MODELS = sizeof models / sizeof *models };

// The report of `compile`, which the caller releases.
static json_t *compile(const char *pt2, const char *data, const char *quantize, const char *pte)
{
    return rl_process_json(rl_program_under_test(),
                           (const char *[]){"compile", pt2, "-o", pte, "--calibrate", data, "--target", "cortex-m4",
                                            "--quantize", quantize, "--json", NULL});
}

static void expect_same_bytes(const char *path, const char *reference)
{
    size_t size, reference_size;
    unsigned char *bytes = rl_read_bytes(path, &size);
    unsigned char *reference_bytes = rl_read_bytes(reference, &reference_size);
    assert_true(bytes && reference_bytes);
    assert_int_equal(size, reference_size);
    assert_memory_equal(bytes, reference_bytes, size);
    free(bytes);
    free(reference_bytes);
}

static void int8_programs_are_those_of_the_float32_form(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("short.pte"), *wide = rl_temporary_path("wide.pte");
    for (int i = 0; i < MODELS; i++) {
        json_t *report = compile(models[i].pt2, models[i].data, "int8", pte);
        const json_t *ops = json_object_get(report, "ops");
        assert_int_equal(json_array_size(json_object_get(report, "fp32_nodes")), 0);
        assert_int_equal(rl_count(ops, "cortex_m::quantized_conv2d"), 1);
        assert_int_equal(rl_count(ops, "cortex_m::quantized_depthwise_conv2d"), 1);
        json_decref(report);
        json_decref(compile(models[i].wide, models[i].data, "int8", wide));
        expect_same_bytes(pte, wide);
    }
}

static void a_float16_part_of_a_float32_model_is_quantized(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("inside.pte"), *wide = rl_temporary_path("wide.pte");
    json_decref(compile(RL_FIXTURES "/pt2/half_inside.pt2", models[0].data, "int8", pte));
    json_decref(compile(models[0].wide, models[0].data, "int8", wide));
    expect_same_bytes(pte, wide);
}

static double output_number(const json_t *report, const char *key)
{
    return json_number_value(json_object_get(report, key));
}

static void evaluate_takes_both_programs(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("short.pte");
    for (int i = 0; i < MODELS; i++) {
        for (int k = 0; k < 2; k++) {
            json_decref(compile(models[i].pt2, models[i].data, k == 0 ? "int8" : "none", pte));
            json_t *report =
                rl_process_json(rl_program_under_test(), (const char *[]){"evaluate", models[i].pt2, pte, "--data",
                                                                          models[i].data, "--json", NULL});
            assert_true(output_number(report, "sqnr_db") > (k == 0 ? 25.0 : 40.0));
            json_decref(report);
        }
    }
}

// The largest difference between the outputs of two files.
static float largest_difference(const char *path, const char *reference)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_array *found, *expected;
    int found_count, expected_count;
    float largest = 0.0f;
    assert_int_equal(rl_npz_read(&context, &arena, path, &found, &found_count), RL_OK);
    assert_int_equal(rl_npz_read(&context, &arena, reference, &expected, &expected_count), RL_OK);
    const struct rl_array *output = strcmp(expected[0].name, "output") == 0 ? &expected[0] : &expected[1];
    const int64_t count = rl_array_numel(output);
    float *numbers = rl_arena_array(&arena, (size_t)count, sizeof *numbers);
    int64_t bad;
    assert_int_equal(rl_array_numel(&found[0]), count);
    assert_true(rl_convert_elements(found[0].dtype, found[0].data, RL_FLOAT32, numbers, count, &bad));
    for (int64_t i = 0; i < count; i++) {
        const float difference = fabsf(numbers[i] - ((const float *)output->data)[i]);
        largest = difference > largest ? difference : largest;
    }
    rl_arena_free(&arena);
    return largest;
}

static void without_quantization_types_stay(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("none.pte"), *output = rl_temporary_path("none.npz");
    const char *core = rl_temporary_path("core.npz");
    bool ran = false;
    for (int i = 0; i < MODELS; i++) {
        json_decref(compile(models[i].pt2, models[i].data, "none", pte));
        json_t *report =
            rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--input", models[i].data, "--output",
                                                                      output, "--json", NULL});
        const json_t *shown = json_array_get(json_object_get(report, "outputs"), 0);
        shown = shown ? shown : json_object_get(json_object_get(report, "outputs"), "output");
        assert_string_equal(json_string_value(json_object_get(shown, "dtype")), models[i].type);
        assert_true(json_real_value(json_array_get(json_object_get(shown, "data"), 0)) != 0.0);
        json_decref(report);
        assert_true(largest_difference(output, models[i].data) <= models[i].limit);
        if (rl_run_emulated(models[i].pt2, (const char *[]){"run", pte, "--input", models[i].data, "--output", core,
                                                            "--on", "cortex-m4", NULL})) {
            expect_same_bytes(core, output);
            ran = true;
        }
    }
    if (!ran) {
        rl_skip_test();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(int8_programs_are_those_of_the_float32_form),
        cmocka_unit_test(a_float16_part_of_a_float32_model_is_quantized),
        cmocka_unit_test(evaluate_takes_both_programs),
        cmocka_unit_test(without_quantization_types_stay),
    };

    return rl_models_exit(cmocka_run_group_tests_name("short_floats", tests, NULL, NULL));
}
