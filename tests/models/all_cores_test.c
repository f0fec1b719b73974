// SPDX-License-Identifier: Apache-2.0
//
// All samples of the digits, and sixteen of each larger model, give the same bytes on the host and on every emulated
// core.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"

static void all_digits_are_the_same_on_every_core(void **state)
{
    (void)state;
    const struct rl_model model = rl_digits_model();

    if (!rl_check_cores(&model, 360)) {
        rl_skip_test();
    }
}

static void check_shared(const char *name, int samples)
{
    struct rl_model model;

    if (!rl_shared_model(name, &model) || !rl_check_cores(&model, samples)) {
        rl_skip_test();
    }
}

static void digits_cnn(void **state)
{
    (void)state;
    check_shared("digits_cnn", 360);
}

static void resnet8(void **state)
{
    (void)state;
    check_shared("resnet8", 16);
}

static void ds_cnn(void **state)
{
    (void)state;
    check_shared("ds_cnn", 16);
}

static void mobilenet_v1_025(void **state)
{
    (void)state;
    check_shared("mobilenet_v1_025", 16);
}

static void deep_autoencoder(void **state)
{
    (void)state;
    check_shared("deep_autoencoder", 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_digits_are_the_same_on_every_core),
        cmocka_unit_test(digits_cnn),
        cmocka_unit_test(resnet8),
        cmocka_unit_test(ds_cnn),
        cmocka_unit_test(mobilenet_v1_025),
        cmocka_unit_test(deep_autoencoder),
    };
    return rl_models_exit(cmocka_run_group_tests_name("all cores", tests, NULL, NULL));
}
