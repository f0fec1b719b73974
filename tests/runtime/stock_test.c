// SPDX-License-Identifier: Apache-2.0
//
// Programs made by ExecuTorch's own Cortex-M flow, for three cores each, give the bytes that the stock runtime gave on
// the device, or, where no device output was recorded, that the lowered program gave in Python. The larger ones lie
// outside the repository, in the folder that is the only argument: without it the ones in tests/fixtures/stock run.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/program_file.h"

static const struct {
    const char *program;
    const char *device; // whose recorded output it must equal
} cores[] = {{"m55", "m55"}, {"m4", "m4"}, {"m0plus", "m4"}};

enum { SAMPLES = 4 };

static void check_sample(struct runnable *r, const char *folder, const char *model, const char *device, int sample)
{
    char path[512];
    size_t in_bytes, out_bytes;
    struct rl_tensor tensor;
    snprintf(path, sizeof path, "%s/%s/in_%d.npy", folder, model, sample);
    uint8_t *in = read_npy(path, &in_bytes);
    snprintf(path, sizeof path, "%s/%s/device_out_%s_%d.npy", folder, model, device, sample);
    uint8_t *expected = read_npy(path, &out_bytes);
    if (!expected) {
        snprintf(path, sizeof path, "%s/%s/dialect_out_%d.npy", folder, model, sample);
        expected = read_npy(path, &out_bytes);
    }
    assert_non_null(in);
    assert_non_null(expected);
    assert_int_equal(rl_method_input(&r->method, 0, &tensor), RL_OK);
    assert_int_equal(rl_tensor_from_logical(&tensor, in, in_bytes), RL_OK);
    assert_int_equal(rl_method_execute(&r->method), RL_OK);
    assert_int_equal(rl_method_output(&r->method, 0, &tensor), RL_OK);
    assert_int_equal(tensor.bytes, out_bytes);
    uint8_t *got = malloc(out_bytes);
    assert_int_equal(rl_tensor_to_logical(&tensor, got, out_bytes), RL_OK);
    assert_memory_equal(got, expected, out_bytes);
    free(got);
    free(in);
    free(expected);
}

static void check_model(const char *folder, const char *model)
{
    for (size_t c = 0; c < sizeof cores / sizeof cores[0]; c++) {
        char path[512];
        size_t size;
        struct runnable r;
        snprintf(path, sizeof path, "%s/%s/%s.pte", folder, model, cores[c].program);
        uint8_t *file = read_file(path, &size);
        assert_non_null(file);
        assert_int_equal(runnable_open(&r, file, size, true), RL_OK);
        for (int sample = 0; sample < SAMPLES; sample++) {
            check_sample(&r, folder, model, cores[c].device, sample);
        }
        runnable_free(&r);
        free(file);
    }
}

static void stock_programs_give_the_device_bytes(void **state)
{
    (void)state;
    for (int m = 0; m < stock_model_count; m++) {
        check_model(RL_FIXTURES "/stock", stock_models[m]);
    }
}

static void larger_stock_programs_give_the_device_bytes(void **state)
{
    check_model(*state, "resnet8");
    check_model(*state, "deep_autoencoder");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest own[] = {cmocka_unit_test(stock_programs_give_the_device_bytes)};
    if (argc < 2) {
        return cmocka_run_group_tests(own, NULL, NULL);
    }
    const struct CMUnitTest larger[] = {
        cmocka_unit_test_prestate(larger_stock_programs_give_the_device_bytes, argv[1])};
    return cmocka_run_group_tests(larger, NULL, NULL);
}
