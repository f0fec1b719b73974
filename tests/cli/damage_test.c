// SPDX-License-Identifier: Apache-2.0
//
// Damaged programs and models given to the verbs: each ends with 0 or 1 and, where it fails, one message; never with a
// signal or a complaint of a sanitizer.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/process.h"

#define MODEL       RL_FIXTURES "/digits/digits.pt2"
#define CALIBRATION RL_FIXTURES "/digits/calibration.npz"

enum { CUTS = 30, FLIPS = 200 };

static uint32_t random_below(uint32_t *state, uint32_t bound)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % bound;
}

static void write_file(const char *path, const unsigned char *data, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

// Whether the verb accepts the file.
static bool accepts(const char *verb, const char *path)
{
    struct rl_process process = rl_process_run(rl_program_under_test(), (const char *[]){verb, path, "--json", NULL});
    bool accepted = process.status == 0;

    if ((process.status != 0 && process.status != 1) || strstr(process.err, "Sanitizer") ||
        strstr(process.err, "runtime error")) {
        fail_msg("%s: exit code %d: %s", verb, process.status, process.err);
    }
    assert_int_equal(accepted, process.out[0] == '{');
    assert_int_equal(accepted, process.err[0] == '\0');
    rl_process_free(&process);
    return accepted;
}

static void check_damage(const char *original, const char *damaged, const char *const *verbs)
{
    uint32_t seed = 5;
    size_t size;
    unsigned char *data = rl_read_bytes(original, &size);

    assert_non_null(data);
    for (int i = 0; i < CUTS; i++) {
        write_file(damaged, data, size * (size_t)i / CUTS);
        for (int v = 0; verbs[v]; v++) {
            assert_false(accepts(verbs[v], damaged));
        }
    }
    for (int i = 0; i < FLIPS; i++) {
        // Half of the flips hit the first tenth of the file, where a program has its tables.
        size_t at = random_below(&seed, (uint32_t)(i % 2 == 0 ? size : size / 10));
        unsigned char kept = data[at];
        data[at] ^= (unsigned char)(1u << random_below(&seed, 8));
        write_file(damaged, data, size);
        for (int v = 0; verbs[v]; v++) {
            accepts(verbs[v], damaged);
        }
        data[at] = kept;
    }
    free(data);
}

static void damaged_programs_are_refused_or_run(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("model.pte");

    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"compile", MODEL, "-o", program, "--calibrate",
                                                                  CALIBRATION, "--target", "any", "--json", NULL}));
    check_damage(program, rl_temporary_path("damaged.pte"), (const char *[]){"inspect", "run", NULL});
}

// A weight is not part of a table: only the checksum notices the change.
static void a_changed_weight_is_noticed(void **state)
{
    (void)state;
    const char *program = rl_temporary_path("model.pte");
    size_t size;

    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"compile", MODEL, "-o", program, "--calibrate",
                                                                  CALIBRATION, "--target", "any", "--json", NULL}));
    assert_true(accepts("run", program));
    unsigned char *data = rl_read_bytes(program, &size);
    data[size - size / 4] ^= 4;
    write_file(program, data, size);
    assert_false(accepts("run", program));
    free(data);
}

static void damaged_models_are_refused_or_inspected(void **state)
{
    (void)state;
    check_damage(MODEL, rl_temporary_path("damaged.pt2"), (const char *[]){"inspect", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_programs_are_refused_or_run),
        cmocka_unit_test(a_changed_weight_is_noticed),
        cmocka_unit_test(damaged_models_are_refused_or_inspected),
    };
    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
