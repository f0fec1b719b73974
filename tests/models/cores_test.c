// SPDX-License-Identifier: Apache-2.0
//
// The digits, and a network with norms, give the same bytes on the host and on every emulated core.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"

static void digits_are_the_same_on_every_core(void **state)
{
    (void)state;
    const struct rl_model model = rl_digits_model();

    if (!rl_check_cores(&model, 24)) {
        rl_skip_test();
    }
}

static void norms_are_the_same_on_every_core(void **state)
{
    (void)state;
    const struct rl_model model = {.name = "norms",
                                   .pt2 = RL_FIXTURES "/reports/norms.pt2",
                                   .calibration = RL_FIXTURES "/reports/norms.calib.npz",
                                   .data = RL_FIXTURES "/reports/norms.eval.npz"};

    if (!rl_check_cores(&model, 8)) {
        rl_skip_test();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digits_are_the_same_on_every_core),
                                       cmocka_unit_test(norms_are_the_same_on_every_core)};

    return rl_models_exit(cmocka_run_group_tests_name("cores", tests, NULL, NULL));
}
