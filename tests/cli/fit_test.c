// SPDX-License-Identifier: Apache-2.0
//
// `rushlight fit`: what it measures is what other verbs and the linker say, and its verdict changes with a byte.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "support/process.h"

static const char *program; // the digits model, compiled for M4

static const json_t *part(const json_t *report, const char *name)
{
    const json_t *found = json_object_get(report, name);
    assert_non_null(found);
    return found;
}

// Runs `fit --json` on the program; checks the exit status against the verdict.
static json_t *fit(const char *model, const char *const *options)
{
    const char *arguments[24] = {"fit", model, "--json"};
    int count = 3;
    for (; options[count - 3]; count++) {
        arguments[count] = options[count - 3];
    }
    struct rl_process process = rl_process_run(rl_program_under_test(), arguments);
    json_t *report = json_loads(process.out, 0, NULL);
    if (!report) {
        fail_msg("no JSON: %s%s", process.out, process.err);
    }
    assert_int_equal(process.status, json_is_true(json_object_get(report, "fits")) ? 0 : 1);
    rl_process_free(&process);
    return report;
}

static bool fits(const char *model, const char *const *options)
{
    json_t *report = fit(model, options);
    const bool result = json_is_true(json_object_get(report, "fits"));
    json_decref(report);
    return result;
}

// ---- figures

static void figures_are_those_of_profile(void **state)
{
    (void)state;
    json_t *report = fit(program, (const char *[]){"--core", "m4", "--clock", "64MHz", NULL});
    json_t *profile = rl_process_json(rl_program_under_test(),
                                      (const char *[]){"profile", program, "--on", "cortex-m4", "--json", NULL});
    const json_t *ram = part(report, "ram"), *time = part(report, "time");
    assert_int_equal(integer(time, "cycles"), integer(profile, "cycles"));
    assert_int_equal(integer(ram, "arena_bytes"), integer(profile, "arena_bytes"));
    assert_int_equal(integer(ram, "stack_bytes"), integer(profile, "stack_bytes"));
    assert_int_equal(integer(ram, "bytes"), integer(ram, "arena_bytes") + integer(ram, "state_bytes") +
                                                integer(ram, "stack_bytes") + integer(ram, "variable_bytes"));
    assert_int_equal(integer(part(report, "flash"), "program_bytes"), integer(profile, "program_bytes"));
    assert_true(number(time, "milliseconds") == (double)integer(time, "cycles") / 64e3);
    assert_true(integer(ram, "stack_bytes") > 200);
    json_decref(profile);
    json_decref(report);
}

// The firmware of a stranger: the program, its registry and the calls that the documents show.
static void write_firmware(const char *main_c, const char *model)
{
    json_t *facts = rl_process_json(rl_program_under_test(), (const char *[]){"inspect", program, "--json", NULL});
    const json_t *name;
    size_t index;
    FILE *file = fopen(main_c, "w");
    assert_non_null(file);
    fputs("#include \"rushlight/runtime.h\"\n#include \"rushlight/registry.h\"\n"
          "extern const uint8_t model[], model_end[];\n"
          "static _Alignas(RL_ALIGNMENT) uint8_t arena[65536];\nstatic void *state[64];\n"
          "static const struct rl_kernel *const kernels[] = {",
          file);
    json_array_foreach(json_object_get(facts, "registry"), index, name)
    {
        fprintf(file, "&%s, ", json_string_value(name));
    }
    fputs("};\nstatic const struct rl_registry registry = {.kernels = kernels, .count = sizeof kernels / 4};\n"
          "const void *run(const void *input, size_t bytes)\n{\n"
          "    static const struct rl_buffer buffer = {arena, sizeof arena};\n"
          "    struct rl_program program;\n    struct rl_method method;\n    struct rl_error error;\n"
          "    struct rl_tensor output;\n"
          "    return rl_program_open(&program, model, (size_t)(model_end - model), &error) ||\n"
          "        rl_program_verify(&program, &registry, &error) ||\n"
          "        rl_method_init(&method, &program, 0, &registry, &buffer, 1, state, sizeof state, &error) ||\n"
          "        rl_method_set_input(&method, 0, input, bytes) || rl_method_execute(&method) ||\n"
          "        rl_method_output(&method, 0, &output) ? 0 : output.data;\n}\n",
          file);
    fclose(file);
    file = fopen(model, "w");
    assert_non_null(file);
    fprintf(file, ".section .rodata\n.balign 16\n.global model, model_end\nmodel: .incbin \"%s\"\nmodel_end:\n",
            program);
    fclose(file);
    json_decref(facts);
}

static long linked_bytes(const char *main_c, const char *model)
{
    const char *image = rl_temporary_path("image");
    const char *words[] = {"arm-none-eabi-gcc",
                           "-mcpu=cortex-m4",
                           "-mfpu=fpv4-sp-d16",
                           "-mfloat-abi=hard",
                           "-mthumb",
                           "--specs=nano.specs",
                           "-std=c11",
                           "-O2",
                           "-ffunction-sections",
                           "-fdata-sections",
                           "-I" RL_SOURCE "/include",
                           main_c,
                           model,
                           "-nostartfiles",
                           "-Wl,--gc-sections",
                           "-Wl,-e,run",
                           "-L" RL_M4_LIBRARIES,
                           "-lrushlight_runtime",
                           "-lrushlight_format",
                           "-lrushlight_kernels",
                           "-lm",
                           "-o",
                           image,
                           NULL};
    struct rl_process process = rl_process_run("/usr/bin/env", words);
    if (process.status != 0) {
        fail_msg("%s", process.err);
    }
    rl_process_free(&process);
    process = rl_process_run("/usr/bin/env", (const char *[]){"arm-none-eabi-size", image, NULL});
    long text = 0, data = 0;
    const char *line = strchr(process.out, '\n');
    assert_non_null(line);
    assert_int_equal(sscanf(line, "%ld %ld", &text, &data), 2);
    rl_process_free(&process);
    return text + data;
}

static void flash_is_that_of_a_linked_firmware(void **state)
{
    (void)state;
    const char *main_c = rl_temporary_path("main.c"), *model = rl_temporary_path("model.S");
    write_firmware(main_c, model);
    const double linked = (double)linked_bytes(main_c, model);
    json_t *report = fit(program, (const char *[]){"--core", "m4", NULL});
    const double found = (double)integer(part(report, "flash"), "bytes");
    if (found < 0.99 * linked || found > 1.01 * linked) {
        fail_msg("fit says %.0f bytes, a firmware has %.0f", found, linked);
    }
    json_decref(report);
}

// Power for a time; without it, that of the board's chip at the clock, or else the report says that it is not known.
static void energy_is_power_for_the_time(void **state)
{
    (void)state;
    json_t *given = fit(program, (const char *[]){"--board", "nano-33-ble", "--power", "20mW", NULL});
    json_t *known = fit(program, (const char *[]){"--board", "nano-33-ble", NULL});
    json_t *slower = fit(program, (const char *[]){"--board", "nano-33-ble", "--clock", "32MHz", NULL});
    json_t *unknown = fit(program, (const char *[]){"--board", "feather-m4", NULL});
    const json_t *sentences = part(unknown, "unknown");
    const char *sentence = json_string_value(json_array_get(sentences, json_array_size(sentences) - 1));

    assert_true(fabs(number(given, "microjoules") - 20 * number(given, "milliseconds")) < 1e-6);
    assert_true(json_is_null(part(given, "current")));
    // nRF52840: 52 uA/MHz at 3 V, so 9.984 mW at 64 MHz. Half the clock takes half the power for twice the time.
    assert_true(fabs(number(known, "watts") - 0.009984) < 1e-9);
    assert_true(fabs(number(known, "microjoules") - 9.984 * number(known, "milliseconds")) < 1e-6);
    assert_non_null(strstr(json_string_value(part(part(known, "current"), "conditions")), "CoreMark"));
    assert_true(fabs(number(slower, "microjoules") - number(known, "microjoules")) < 1e-6);
    assert_true(json_is_null(part(unknown, "microjoules")) && json_is_null(part(unknown, "current")));
    assert_non_null(sentence);
    assert_non_null(strstr(sentence, "energy"));
    assert_int_equal(json_array_size(part(known, "unknown")), json_array_size(sentences) - 1);
    json_decref(given);
    json_decref(known);
    json_decref(slower);
    json_decref(unknown);
}

// ---- verdicts

static void a_byte_decides(void **state)
{
    (void)state;
    static const char *const parts[] = {"flash", "ram"};
    json_t *report = fit(program, (const char *[]){"--core", "m4", NULL});
    for (size_t i = 0; i < 2; i++) {
        char option[16], enough[32], less[32];
        const long long bytes = integer(part(report, parts[i]), "bytes");
        snprintf(option, sizeof option, "--%s", parts[i]);
        snprintf(enough, sizeof enough, "%lld", bytes);
        snprintf(less, sizeof less, "%lld", bytes - 1);
        assert_true(fits(program, (const char *[]){"--core", "m4", option, enough, NULL}));
        assert_false(fits(program, (const char *[]){"--core", "m4", option, less, NULL}));
    }
    json_decref(report);
}

// The deadline must be met even if the model's cycles are too few by its error.
static void deadline_counts_with_the_error(void **state)
{
    (void)state;
    json_t *report = fit(program, (const char *[]){"--core", "m4", "--clock", "10MHz", NULL});
    const double milliseconds = number(part(report, "time"), "milliseconds");
    const double percent = number(part(report, "time"), "error_percent");
    char enough[32], less[32];
    assert_true(percent >= 5 && percent <= 20);
    snprintf(enough, sizeof enough, "%.6fms", milliseconds * (1 + percent / 100) + 0.001);
    snprintf(less, sizeof less, "%.6fms", milliseconds * (1 + percent / 100) - 0.001);
    assert_true(fits(program, (const char *[]){"--core", "m4", "--clock", "10MHz", "--deadline", enough, NULL}));
    assert_false(fits(program, (const char *[]){"--core", "m4", "--clock", "10MHz", "--deadline", less, NULL}));
    json_decref(report);
}

// One with 16 KB of RAM in a piece, and one whose flash is smaller than the code.
static void boards_have_their_limits(void **state)
{
    (void)state;
    json_t *report = fit(program, (const char *[]){"--board", "nano-33-ble", NULL});
    json_t *boards =
        rl_process_json(rl_program_under_test(), (const char *[]){"boards", "nano-33-ble", "--json", NULL});
    const json_t *board = json_array_get(json_object_get(boards, "boards"), 0);
    assert_int_equal(integer(part(report, "flash"), "limit_bytes"), integer(board, "flash_bytes"));
    assert_int_equal(integer(part(report, "ram"), "limit_bytes"), integer(board, "ram_total_bytes"));
    assert_true(number(part(report, "time"), "clock_hz") == (double)integer(board, "clock_hz"));
    assert_true(json_is_true(json_object_get(report, "fits")));
    assert_int_equal(json_array_size(part(report, "boards_that_fit")), 0);
    json_decref(boards);
    json_decref(report);

    report = fit(program, (const char *[]){"--board", "nano-33-ble", "--deadline", "1us", NULL});
    assert_false(json_is_true(json_object_get(report, "fits")));
    assert_int_equal(json_array_size(part(report, "boards_that_fit")), 0); // none is so fast
    json_decref(report);
    report = fit(program, (const char *[]){"--board", "nano-33-ble", "--ram", "1K", NULL});
    assert_true(json_array_size(part(report, "boards_that_fit")) > 0);
    json_decref(report);
}

// The error of the cortex-m55's model says nothing of a cortex-m85.
static void core_without_model_has_no_error(void **state)
{
    (void)state;
    json_t *report = fit(MODEL, (const char *[]){"--calibrate", CALIBRATION, "--board", "ek-ra8m1", NULL});
    assert_string_equal(json_string_value(part(report, "core")), "cortex-m85");
    assert_string_equal(json_string_value(part(report, "measured_on")), "cortex-m55");
    assert_true(json_is_null(part(part(report, "time"), "error_percent")));
    json_decref(report);
}

// ---- models

// The report of a program with this type of inputs and outputs.
static json_t *fit_compiled(const char *interface)
{
    const char *path = rl_temporary_path(interface);
    json_decref(rl_process_json(rl_program_under_test(),
                                (const char *[]){"compile", MODEL, "--calibrate", CALIBRATION, "--target", "cortex-m4",
                                                 "--io", interface, "-o", path, "--json", NULL}));
    return fit(path, (const char *[]){"--core", "m4", NULL});
}

// A model gives the figures of its program, and the hint is what the other program takes less.
static void hint_is_what_the_other_program_takes_less(void **state)
{
    (void)state;
    json_t *report = fit(MODEL, (const char *[]){"--calibrate", CALIBRATION, "--core", "m4", NULL});
    json_t *floats = fit_compiled("float"), *integers = fit_compiled("int8");
    const json_t *hint = json_array_get(part(report, "hints"), 0);
    assert_int_equal(integer(part(report, "flash"), "bytes"), integer(part(floats, "flash"), "bytes"));
    assert_int_equal(integer(part(report, "ram"), "bytes"), integer(part(floats, "ram"), "bytes"));
    assert_int_equal(integer(part(report, "time"), "cycles"), integer(part(floats, "time"), "cycles"));
    assert_string_equal(json_string_value(json_object_get(hint, "change")), "--io int8");
    assert_int_equal(integer(hint, "flash_bytes"),
                     integer(part(floats, "flash"), "bytes") - integer(part(integers, "flash"), "bytes"));
    assert_int_equal(integer(hint, "ram_bytes"),
                     integer(part(floats, "ram"), "bytes") - integer(part(integers, "ram"), "bytes"));
    assert_int_equal(integer(hint, "cycles"),
                     integer(part(floats, "time"), "cycles") - integer(part(integers, "time"), "cycles"));
    json_decref(floats);
    json_decref(integers);
    json_decref(report);
}

// One command, from the model to a sentence.
static void a_newcomer_gets_a_sentence(void **state)
{
    (void)state;
    const char *words[] = {"fit",         MODEL,        "--calibrate", CALIBRATION, "--board",
                           "nano-33-ble", "--deadline", "50ms",        NULL};
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    double milliseconds = 0, percent = 0;
    int ram = 0, flash = 0;
    const char *sentence = strstr(process.out, "fits nano-33-ble: ");
    assert_int_equal(process.status, 0);
    assert_non_null(sentence);
    assert_int_equal(sscanf(sentence, "fits nano-33-ble: %lf ms \u00b1 %lf %%, %d KB of RAM, %d KB of flash",
                            &milliseconds, &percent, &ram, &flash),
                     4);
    json_t *report = fit(MODEL, (const char *[]){"--calibrate", CALIBRATION, "--board", "nano-33-ble", NULL});
    assert_true(milliseconds > 0.99 * number(report, "milliseconds"));
    assert_true(milliseconds < 1.01 * number(report, "milliseconds"));
    assert_true(percent == number(report, "milliseconds_error_percent"));
    assert_int_equal(ram, (integer(report, "ram_bytes") + 1023) / 1024);
    assert_int_equal(flash, (integer(report, "flash_bytes") + 1023) / 1024);
    json_decref(report);
    rl_process_free(&process);
}

// ---- what cannot be told

static void expect_refusal(const char *const *arguments, const char *sentence)
{
    struct rl_process process = rl_process_run(rl_program_under_test(), arguments);
    assert_int_equal(process.status, 2);
    assert_string_equal(process.out, "");
    if (!strstr(process.err, sentence)) {
        fail_msg("'%s' is not in: %s", sentence, process.err);
    }
    rl_process_free(&process);
}

static void what_cannot_be_told_is_an_error(void **state)
{
    (void)state;
    expect_refusal((const char *[]){"fit", program, NULL}, "--board or --core is missing");
    expect_refusal((const char *[]){"fit", program, "--board", "nano-33-bel", NULL}, "did you mean 'nano-33-ble'");
    expect_refusal((const char *[]){"fit", program, "--core", "any", NULL}, "--core 'any' is not known");
    expect_refusal((const char *[]){"fit", program, "--board", "pico", "--core", "m4", NULL},
                   "--core is not for a board");
    expect_refusal((const char *[]){"fit", program, "--core", "m4", "--deadline", "5ms", NULL}, "--deadline needs");
    expect_refusal((const char *[]){"fit", program, "--core", "m4", "--clock", "64", NULL}, "expected a frequency");
    expect_refusal((const char *[]){"fit", program, "--core", "m4", "--power", "9mW", NULL}, "--power needs --clock");
    expect_refusal((const char *[]){"fit", program, "--board", "pico", "--power", "9", NULL}, "expected a power");
    expect_refusal((const char *[]){"fit", program, "--board", "pico", "--deadline", "-1ms", NULL}, "expected a time");
    expect_refusal((const char *[]){"fit", CALIBRATION, "--board", "pico", NULL}, "calibration.npz");
}

// Without what measures, there is no verdict.
static void missing_tools_are_an_error(void **state)
{
    (void)state;
    char firmware[256] = "", path[1024] = "";
    snprintf(firmware, sizeof firmware, "%s", getenv("RUSHLIGHT_FIRMWARE"));
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    setenv("RUSHLIGHT_FIRMWARE", "/nowhere", 1);
    expect_refusal((const char *[]){"fit", program, "--core", "m4", NULL}, "scripts/build --core m4");
    setenv("RUSHLIGHT_FIRMWARE", firmware, 1);
    setenv("PATH", "/nowhere", 1);
    expect_refusal((const char *[]){"fit", program, "--core", "m4", NULL}, "qemu-system-arm is not installed");
    setenv("PATH", path, 1);
}

static int setup(void **state)
{
    (void)state;
    static char path[256];
    snprintf(path, sizeof path, "%s", rl_temporary_path("digits.pte"));
    json_decref(rl_process_json(rl_program_under_test(),
                                (const char *[]){"compile", MODEL, "--calibrate", CALIBRATION, "--target", "cortex-m4",
                                                 "-o", path, "--json", NULL}));
    program = path;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_profile),    cmocka_unit_test(flash_is_that_of_a_linked_firmware),
        cmocka_unit_test(energy_is_power_for_the_time),    cmocka_unit_test(a_byte_decides),
        cmocka_unit_test(deadline_counts_with_the_error),  cmocka_unit_test(boards_have_their_limits),
        cmocka_unit_test(core_without_model_has_no_error), cmocka_unit_test(hint_is_what_the_other_program_takes_less),
        cmocka_unit_test(a_newcomer_gets_a_sentence),      cmocka_unit_test(what_cannot_be_told_is_an_error),
        cmocka_unit_test(missing_tools_are_an_error),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
