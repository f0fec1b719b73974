// SPDX-License-Identifier: Apache-2.0
//
// Every function that writes over its first operand gives what PyTorch gave, on the host and on a core.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"
#include "support/process.h"

#define PT2 RL_FIXTURES "/pt2/"

static const char *const models[][2] = {{PT2 "in_place.pt2", PT2 "in_place.npz"},
                                        {PT2 "in_place_of_two.pt2", PT2 "in_place_of_two.npz"}};

enum { MODELS = sizeof models / sizeof models[0] };

static void functions_in_place_give_what_pytorch_gave(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("in_place.pte"), *output = rl_temporary_path("in_place.npz");
    bool emulated = true;
    for (int i = 0; i < MODELS; i++) {
        const char *model = models[i][0], *data = models[i][1];
        json_decref(
            rl_process_json(rl_program_under_test(), (const char *[]){"compile", model, "-o", pte, "--target", "any",
                                                                      "--quantize", "none", "--json", NULL}));
        json_decref(rl_process_json(rl_program_under_test(),
                                    (const char *[]){"run", pte, "--input", data, "--output", output, "--json", NULL}));
        rl_expect_outputs("host", output, data, 2e-6);
        if (rl_run_emulated("in_place", (const char *[]){"run", pte, "--input", data, "--output", output, "--on",
                                                         "cortex-m4", NULL})) {
            rl_expect_outputs("cortex-m4", output, data, 2e-6);
        } else {
            emulated = false;
        }
    }
    if (!emulated) {
        rl_skip_test();
    }
}

static void they_compile_with_quantization(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("in_place.pte");
    for (int i = 0; i < MODELS; i++) {
        json_decref(rl_process_json(rl_program_under_test(), (const char *[]){"compile", models[i][0], "-o", pte,
                                                                              "--target", "any", "--json", NULL}));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_in_place_give_what_pytorch_gave),
        cmocka_unit_test(they_compile_with_quantization),
    };

    return rl_models_exit(cmocka_run_group_tests_name("in_place", tests, NULL, NULL));
}
