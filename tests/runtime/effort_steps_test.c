// SPDX-License-Identifier: Apache-2.0
//
// Verification takes steps linear in the file, whether it accepts the program or refuses it. A step is a basic block of
// the runtime or the readers that it executes, which the compiler counts (-fsanitize-coverage=trace-pc): unlike
// seconds, the same number in each run.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/hostile_programs.h"
#include "runtime/program_file.h"

// A byte of tables affords RL_STEPS_A_BYTE items to look at, each of which takes some 80 blocks (counted: 5,218).
enum { MOST_STEPS_A_BYTE = 10000, USUAL_STEPS_A_BYTE = 20 };

void __sanitizer_cov_trace_pc(void);

static uint64_t steps;

void __sanitizer_cov_trace_pc(void)
{
    steps++;
}

// Steps of the verification of a file.
static uint64_t count_steps(const uint8_t *file, size_t size, enum rl_status *status)
{
    struct rl_program program;
    struct rl_error error = {.message = ""};
    assert_int_equal(rl_program_open(&program, file, size, &error), RL_OK);
    steps = 0;
    *status = rl_program_verify(&program, &rl_registry_all, &error);
    assert_true(steps > 0);
    return steps;
}

static bool at_most(uint64_t counted, size_t size, uint64_t most)
{
    return counted <= most * size;
}

// Twice the file takes twice the steps, once a kind of program has become too much.
static void check_hostile(const struct hostile_kind *kind)
{
    uint64_t before = 0;
    size_t size;
    for (int count = kind->few, refused = 0; refused < 2; count *= 2) {
        enum rl_status status;
        uint8_t *file = kind->make(count, &size);
        const uint64_t counted = count_steps(file, size, &status);
        free(file);
        refused += status != RL_OK;
        print_message("%s, %d: %zu bytes, %llu steps, status %d\n", kind->name, count, size,
                      (unsigned long long)counted, status);
        assert_true(at_most(counted, size, MOST_STEPS_A_BYTE));
        assert_true(refused < 2 || 10 * counted <= 23 * before);
        assert_true(refused > 0 || count <= kind->many);
        before = counted;
    }
}

static void hostile_programs_take_linear_steps(void **state)
{
    (void)state;
    for (int i = 0; i < HOSTILE_KINDS; i++) {
        check_hostile(&hostile_kinds[i]);
    }
}

static void check_usual(const char *path)
{
    size_t size;
    enum rl_status status;
    uint8_t *file = read_file(path, &size);
    assert_non_null(file);
    const uint64_t counted = count_steps(file, size, &status);
    free(file);
    print_message("%s: %zu bytes, %llu steps\n", path + strlen(RL_FIXTURES), size, (unsigned long long)counted);
    assert_int_equal(status, RL_OK);
    assert_true(at_most(counted, size, USUAL_STEPS_A_BYTE));
}

static void programs_of_compilers_take_few_steps(void **state)
{
    static const char *const programs[] = {"asked", "branch", "computed", "converted", "item", "map", "methods"};
    char path[400];
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        snprintf(path, sizeof path, RL_FIXTURES "/programs/%s.pte", programs[i]);
        check_usual(path);
    }
    for (int i = 0; i < stock_model_count; i++) {
        snprintf(path, sizeof path, RL_FIXTURES "/stock/%s/m4.pte", stock_models[i]);
        check_usual(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_programs_take_linear_steps),
        cmocka_unit_test(programs_of_compilers_take_few_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
