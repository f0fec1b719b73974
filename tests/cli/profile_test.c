// SPDX-License-Identifier: Apache-2.0
//
// `rushlight profile`: its figures are whole, and those that other parts of Rushlight give for the same program.
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

enum { MARK_INSTRUCTIONS = 12 }; // what the marks of an operator may take, half of which counts as the operator's

static json_t *report_of(const char *verb, const char *program, const char *const *options)
{
    const char *words[16] = {verb, program, "--json"};
    for (int i = 0; options && options[i]; i++) {
        words[3 + i] = options[i];
    }
    return rl_process_json(rl_program_under_test(), words);
}

static json_t *profile(const char *program, const char *const *options)
{
    return report_of("profile", program, options);
}

static const char *const on_m4[] = {"--on", "cortex-m4", NULL};

// A compiled model, for the M4.
static const char *compiled(const char *name, const char *model, const char *option)
{
    const char *path = rl_temporary_path(name);
    const char *words[] = {"compile", model, "-o", path, "--target", "cortex-m4", "--json", option, NULL};
    json_decref(rl_process_json(rl_program_under_test(), words));
    return path;
}

static const char *digits(void)
{
    const char *path = rl_temporary_path("digits.pte");
    const char *words[] = {"compile",   MODEL,      "-o",        path,     "--calibrate",
                           CALIBRATION, "--target", "cortex-m4", "--json", NULL};
    json_decref(rl_process_json(rl_program_under_test(), words));
    return path;
}

static json_int_t sum_of(const json_t *entries, const char *key)
{
    json_int_t sum = 0;
    const json_t *entry;
    size_t index;

    json_array_foreach(entries, index, entry)
    {
        sum += integer(entry, key);
    }
    return sum;
}

static void expect_whole(const json_t *report)
{
    static const char *const keys[] = {"instructions", "cycles", "loads", "stores"};
    const json_t *operators = json_object_get(report, "ops"), *outside = json_object_get(report, "outside");

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_true(integer(outside, keys[i]) > 0);
        assert_int_equal(sum_of(operators, keys[i]) + integer(outside, keys[i]), integer(report, keys[i]));
        assert_int_equal(sum_of(json_object_get(report, "kinds"), keys[i]), sum_of(operators, keys[i]));
    }
    const json_int_t marks = integer(json_object_get(report, "marks"), "instructions");
    assert_true(marks > 0 && marks <= MARK_INSTRUCTIONS * sum_of(operators, "runs"));
}

static void operators_add_up_to_the_whole(void **state)
{
    (void)state;
    json_t *report = profile(digits(), on_m4);
    expect_whole(report);
    // What the runtime does between operators is little, so nothing of an operator is counted there.
    assert_true(integer(json_object_get(report, "outside"), "instructions") <
                200 * sum_of(json_object_get(report, "ops"), "runs"));
    assert_int_equal(sum_of(json_object_get(report, "ops"), "macs"), integer(report, "macs"));
    assert_true(number(report, "cycles_per_mac") ==
                (double)integer(report, "cycles") / (double)integer(report, "macs"));
    json_decref(report);
}

// Loops run operators several times, branches leave some out.
static void loops_and_branches_add_up(void **state)
{
    (void)state;
    json_t *loop = profile(RL_FIXTURES "/programs/map.pte", on_m4);
    json_t *branch = profile(RL_FIXTURES "/programs/branch.pte", on_m4);
    expect_whole(loop);
    expect_whole(branch);
    assert_int_equal(integer(json_array_get(json_object_get(loop, "ops"), 2), "runs"), 4);
    assert_int_equal(integer(json_array_get(json_object_get(branch, "ops"), 0), "runs"), 0);
    json_decref(loop);
    json_decref(branch);
}

static void write_samples(const char *path, const float *samples, int count)
{
    struct rl_context context = {0};
    struct rl_array array = {.name = "input", .dtype = RL_FLOAT32, .rank = 4, .sizes = {count, 1, 8, 8}};
    array.data = (void *)(uintptr_t)samples;
    assert_int_equal(rl_npz_write(&context, path, &array, 1), RL_OK);
}

// The first and the second run of `rushlight run` execute just as many instructions, and use as much stack.
static void run_counts_the_same(void **state)
{
    (void)state;
    const char *program = digits(), *samples = rl_temporary_path("two.npz");
    static const float zeros[2 * 64];
    write_samples(samples, zeros, 2);
    json_t *profiled = profile(program, on_m4);
    json_t *ran = report_of("run", program, (const char *[]){"--on", "m4", "--input", samples, NULL});

    const json_int_t both =
        integer(json_object_get(profiled, "first"), "instructions") + integer(profiled, "instructions");
    assert_int_equal(both / 2, integer(ran, "instructions"));
    assert_int_equal(integer(profiled, "stack_bytes"), integer(ran, "stack_bytes"));
    assert_int_equal(integer(profiled, "arena_bytes"), integer(ran, "arena_bytes"));
    assert_int_equal(integer(profiled, "state_bytes"), integer(ran, "state_bytes"));
    json_decref(profiled);
    json_decref(ran);
}

// Both are found from paint: that of operators begins below `main`, which has a small frame. An inference of this model
// takes more than loading it.
static void the_stack_is_that_of_the_deepest_operator(void **state)
{
    (void)state;
    json_t *report = profile(digits(), on_m4);
    const json_t *entry;
    size_t index;
    json_int_t most = 0;

    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        const json_int_t bytes = integer(entry, "stack_bytes");
        assert_true(bytes > 0);
        most = bytes > most ? bytes : most;
    }
    assert_int_equal(integer(report, "inference_stack_bytes"), most);
    const json_int_t main_bytes = integer(report, "stack_bytes") - most;
    assert_true(main_bytes > 0 && main_bytes < 256);
    json_decref(report);
}

// The line of a network in the bench's figures: instructions and cycles.
static void read_figures(const char *core, const char *network, long *instructions, long *cycles)
{
    char path[300], line[200], name[64];
    bool found = false;

    snprintf(path, sizeof path, "%s/%s.txt", RL_FIGURES, core);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (!found && fgets(line, sizeof line, file)) {
        found = sscanf(line, "%63s %ld %ld", name, instructions, cycles) == 3 && strcmp(name, network) == 0;
    }
    fclose(file);
    assert_true(found);
}

static void assert_near(json_int_t found, long expected)
{
    if (labs((long)found - expected) > expected / 100) {
        fail_msg("found %lld, the bench has %ld", (long long)found, expected);
    }
}

// On the inputs of bench/network.c. The bench may be as much as 3 % behind, but is updated for each change that counts.
static void the_bench_counts_the_same(void **state)
{
    (void)state;
    const char *samples = rl_temporary_path("bench.npz");
    float inputs[64];
    uint32_t random = 1;
    long instructions = 0, cycles = 0;

    for (int i = 0; i < 64; i++) {
        random = random * 1664525u + 1013904223u;
        inputs[i] = (float)((int32_t)(random >> 20) - 2048) / 2048;
    }
    write_samples(samples, inputs, 1);
    json_t *report = profile(digits(), (const char *[]){"--on", "m4", "--input", samples, NULL});
    read_figures("m4", "net_digits", &instructions, &cycles);
    assert_near(integer(report, "instructions"), instructions);
    assert_near(integer(report, "cycles"), cycles);
    json_decref(report);
}

// ---- names

static void names_are_those_of_inspect(void **state)
{
    (void)state;
    static const char *const keys[][2] = {
        {"index", "index"}, {"operator", "op"}, {"layer", "layer"}, {"node", "node"}, {"macs", "macs"}};
    const char *program = compiled("named.pte", RL_FIXTURES "/names/residual.pt2", NULL);
    json_t *profiled = profile(program, on_m4), *inspected = report_of("inspect", program, NULL);
    const json_t *operators = json_object_get(profiled, "ops"), *layers = json_object_get(profiled, "layers");
    const json_t *calls = json_object_get(inspected, "instructions"), *call;
    size_t index;

    assert_int_equal(json_array_size(operators), json_array_size(calls));
    json_array_foreach(calls, index, call)
    {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            assert_true(json_equal(json_object_get(json_array_get(operators, index), keys[i][0]),
                                   json_object_get(call, keys[i][1])));
        }
    }
    assert_true(json_is_true(json_object_get(profiled, "has_names")));
    assert_int_equal(sum_of(layers, "cycles"), sum_of(operators, "cycles"));
    assert_int_equal(sum_of(layers, "operators"), json_array_size(operators));
    // This block is used twice, and is one layer.
    json_array_foreach(layers, index, call)
    {
        const char *layer = json_string_value(json_object_get(call, "layer"));
        if (layer && strcmp(layer, "layer1.0.conv1") == 0) {
            assert_int_equal(integer(call, "operators"), 2);
            assert_int_equal(integer(call, "macs"), 2 * 20736);
        }
    }
    json_decref(profiled);
    json_decref(inspected);
}

// By hand: 8 x 8 places, filters of 3 x 3 over 1 and 16 channels; 4 x 4 places of 16 filters of 3 x 3; 32 of 1 x 1.
static void multiply_adds_are_those_of_the_shapes(void **state)
{
    (void)state;
    static const json_int_t expected[] = {
        0, 64 * 9 * 16, 64 * 9 * 16 * 16, 64 * 9 * 16 * 16, 0, 0, 16 * 9 * 16, 16 * 16 * 32, 0, 32 * 32, 32 * 10, 0};
    json_t *report = profile(digits(), on_m4);
    const json_t *operators = json_object_get(report, "ops");

    assert_int_equal(json_array_size(operators), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < json_array_size(operators); i++) {
        assert_int_equal(integer(json_array_get(operators, i), "macs"), expected[i]);
    }
    json_decref(report);
}

// ---- options

static void a_clock_gives_milliseconds(void **state)
{
    (void)state;
    const char *program = digits();
    json_t *report = profile(program, (const char *[]){"--on", "m4", "--clock", "80MHz", NULL});
    const json_t *first = json_array_get(json_object_get(report, "ops"), 0);

    assert_true(fabs(number(report, "milliseconds") - (double)integer(report, "cycles") / 80e3) < 1e-9);
    assert_true(fabs(number(first, "milliseconds") - (double)integer(first, "cycles") / 80e3) < 1e-9);
    assert_true(json_is_null(json_object_get(report, "microjoules")));
    json_decref(report);
    report = profile(program, (const char *[]){"--on", "m4", "--clock", "80MHz", "--power", "20mW", NULL});
    assert_true(fabs(number(report, "microjoules") - 20 * number(report, "milliseconds")) < 1e-6);
    json_decref(report);
    report = profile(program, (const char *[]){"--on", "m4", "--clock", "0.08 GHz", NULL});
    assert_true(number(report, "clock_hz") == 80e6);
    json_decref(report);
}

// A board is its core at its clock, with what its chip takes.
static void a_board_gives_core_clock_and_energy(void **state)
{
    (void)state;
    const char *program = digits();
    json_t *report = profile(program, (const char *[]){"--board", "nucleo-l476rg", NULL});
    json_t *slower = profile(program, (const char *[]){"--board", "nucleo-l476rg", "--clock", "8MHz", NULL});
    json_t *without = profile(program, (const char *[]){"--board", "nucleo-f446re", NULL});

    assert_string_equal(json_string_value(json_object_get(report, "core")), "cortex-m4");
    assert_string_equal(json_string_value(json_object_get(report, "board")), "nucleo-l476rg");
    assert_true(number(report, "clock_hz") == 80e6);
    assert_true(fabs(number(report, "watts") - 100e-6 * 80 * 3) < 1e-9);
    assert_true(number(slower, "clock_hz") == 8e6);
    assert_true(fabs(number(slower, "microjoules") - number(report, "microjoules")) < 1e-6);
    assert_true(json_is_null(json_object_get(without, "microjoules")));
    assert_int_equal(json_array_size(json_object_get(without, "unknown")),
                     json_array_size(json_object_get(report, "unknown")) + 1);
    json_decref(report);
    json_decref(slower);
    json_decref(without);
}

static void wait_states_cost_cycles(void **state)
{
    (void)state;
    const char *program = digits();
    json_t *none = profile(program, on_m4);
    json_t *five = profile(program, (const char *[]){"--on", "m4", "--wait-states", "5", NULL});

    assert_int_equal(integer(none, "instructions"), integer(five, "instructions"));
    assert_true(integer(five, "cycles") > integer(none, "cycles") * 11 / 10);
    assert_true(integer(five, "cycles") < integer(none, "cycles") * 5);
    assert_int_equal(integer(five, "wait_states"), 5);
    assert_int_equal(json_array_size(json_object_get(five, "unknown")),
                     json_array_size(json_object_get(none, "unknown")) + 1);
    expect_whole(five);
    json_decref(none);
    json_decref(five);
}

static void two_programs_are_compared(void **state)
{
    (void)state;
    const char *a = digits(), *b = rl_temporary_path("any.pte");
    json_decref(compile(b, NULL, NULL));
    json_t *both = profile(a, (const char *[]){"--on", "m4", "--compare", b, NULL});
    json_t *alone = profile(b, on_m4);
    const json_t *cycles = json_object_get(json_object_get(both, "figures"), "cycles"), *part;
    json_int_t sum = 0;
    size_t index;

    assert_int_equal(integer(cycles, "b"), integer(alone, "cycles"));
    assert_int_equal(integer(cycles, "a"), integer(json_object_get(both, "a"), "cycles"));
    assert_true(number(cycles, "percent") > 3);
    json_array_foreach(json_object_get(both, "parts"), index, part)
    {
        sum += integer(part, "b"); // each kind is in both, whatever its form
    }
    assert_int_equal(sum, sum_of(json_object_get(alone, "ops"), "cycles"));
    json_decref(both);
    json_decref(alone);
}

static void the_host_has_times(void **state)
{
    (void)state;
    json_t *report = profile(digits(), (const char *[]){"--on", "host", NULL});
    double sum = number(json_object_get(report, "outside"), "milliseconds");
    const json_t *entry;
    size_t index;

    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        assert_true(number(entry, "milliseconds") > 0);
        sum += number(entry, "milliseconds");
    }
    assert_true(fabs(sum - number(report, "milliseconds")) < 1e-6);
    assert_null(json_object_get(report, "cycles"));
    json_decref(report);
}

// The lines of the operators, one for the rest and one for all, behind the names of the columns.
static void csv_has_the_same_figures(void **state)
{
    (void)state;
    const char *program = digits();
    const char *words[] = {"profile", program, "--on", "m4", "--csv", NULL};
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    json_t *report = profile(program, on_m4);
    const json_t *operators = json_object_get(report, "ops");
    char *line = strtok(process.out, "\n");

    assert_int_equal(process.status, 0);
    assert_non_null(line);
    assert_memory_equal(line, "index,operator,layer,node,runs,cycles,", 38);
    for (size_t i = 0; i < json_array_size(operators); i++) {
        char expected[200];
        const json_t *entry = json_array_get(operators, i);
        snprintf(expected, sizeof expected, "%zu,%s,,,1,%lld,", i,
                 json_string_value(json_object_get(entry, "operator")), (long long)integer(entry, "cycles"));
        line = strtok(NULL, "\n");
        assert_non_null(line);
        assert_memory_equal(line, expected, strlen(expected));
    }
    assert_non_null(strtok(NULL, "\n"));
    line = strtok(NULL, "\n");
    assert_non_null(line);
    assert_memory_equal(line, ",(all),", 7);
    assert_null(strtok(NULL, "\n"));
    json_decref(report);
    rl_process_free(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_add_up_to_the_whole),
        cmocka_unit_test(loops_and_branches_add_up),
        cmocka_unit_test(run_counts_the_same),
        cmocka_unit_test(the_stack_is_that_of_the_deepest_operator),
        cmocka_unit_test(the_bench_counts_the_same),
        cmocka_unit_test(names_are_those_of_inspect),
        cmocka_unit_test(multiply_adds_are_those_of_the_shapes),
        cmocka_unit_test(a_clock_gives_milliseconds),
        cmocka_unit_test(a_board_gives_core_clock_and_energy),
        cmocka_unit_test(wait_states_cost_cycles),
        cmocka_unit_test(two_programs_are_compared),
        cmocka_unit_test(the_host_has_times),
        cmocka_unit_test(csv_has_the_same_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
