// SPDX-License-Identifier: Apache-2.0
//
// `rushlight doctor` with all tools, without any, and with tools that lack something.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "support/process.h"

static char path_before[4096];

static int keep_path(void **state)
{
    (void)state;
    snprintf(path_before, sizeof path_before, "%s", getenv("PATH"));
    unsetenv("RUSHLIGHT_PYTHON");
    return 0;
}

static int restore_path(void **state)
{
    (void)state;
    return setenv("PATH", path_before, 1);
}

// Of what `doctor` prints; the exit status must be what it says.
static json_t *examine(void)
{
    struct rl_process process = rl_process_run(rl_program_under_test(), (const char *[]){"doctor", "--json", NULL});
    json_t *report = json_loads(process.out, 0, NULL);

    if (!report) {
        fail_msg("no JSON: status %d, '%s', '%s'", process.status, process.out, process.err);
    }
    assert_int_equal(process.status, json_is_true(json_object_get(report, "complete")) ? 0 : 1);
    assert_string_equal(process.err, "");
    rl_process_free(&process);
    return report;
}

static const json_t *named(const json_t *report, const char *list, const char *key, const char *name)
{
    size_t index;
    const json_t *item;

    json_array_foreach(json_object_get(report, list), index, item)
    {
        if (strcmp(json_string_value(json_object_get(item, key)), name) == 0) {
            return item;
        }
    }
    fail_msg("%s has no '%s'", list, name);
    return NULL;
}

static bool is_found(const json_t *report, const char *tool)
{
    return json_is_true(json_object_get(named(report, "tools", "name", tool), "found"));
}

static void expect_missing(const json_t *report, const char *tool, const char *command)
{
    const json_t *item = named(report, "tools", "name", tool);

    assert_true(json_is_false(json_object_get(item, "found")));
    assert_string_equal(json_string_value(json_object_get(item, "command")), command);
}

static size_t emulated_cores(const json_t *report)
{
    size_t index, count = 0;
    const json_t *core;

    json_array_foreach(json_object_get(report, "cores"), index, core)
    {
        const bool works = json_is_true(json_object_get(core, "emulated"));
        assert_int_equal(json_is_null(json_object_get(core, "reason")), works);
        count += works;
    }
    assert_int_equal(index, 6);
    return count;
}

// A folder that is all of $PATH.
static const char *only_path(const char *name)
{
    const char *folder = rl_temporary_path(name);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(setenv("PATH", folder, 1), 0);
    return folder;
}

static void add_tool(const char *folder, const char *name, const char *script)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

// A tool as it is outside; false if it is not there.
static bool link_tool(const char *folder, const char *name)
{
    char paths[sizeof path_before], from[4096], to[4096];
    snprintf(paths, sizeof paths, "%s", path_before);
    for (char *part = strtok(paths, ":"); part; part = strtok(NULL, ":")) {
        snprintf(from, sizeof from, "%s/%s", part, name);
        snprintf(to, sizeof to, "%s/%s", folder, name);
        if (access(from, X_OK) == 0) {
            return symlink(from, to) == 0;
        }
    }
    return false;
}

// ---- cases

static void what_is_there_is_found(void **state)
{
    (void)state;
    static const char *const libraries[] = {"libzip", "jansson", "libpng", "libjpeg-turbo"};
    json_t *report = examine();
    struct rl_process version = rl_process_run(rl_program_under_test(), (const char *[]){"--version", NULL});

    assert_non_null(strstr(version.out, json_string_value(json_object_get(report, "version"))));
    for (size_t i = 0; i < 4; i++) {
        const json_t *library = json_object_get(json_object_get(report, "libraries"), libraries[i]);
        assert_true(json_string_value(library)[0] >= '0' && json_string_value(library)[0] <= '9');
    }
    const size_t cores = emulated_cores(report);
    if (cores == 0) {
        print_message("no core is emulated here: no firmware, or no qemu-system-arm\n");
    } else {
        assert_true(is_found(report, "qemu-system-arm") && is_found(report, "plugins of QEMU"));
    }
    assert_int_equal(json_is_true(json_object_get(report, "complete")), cores > 0);
    rl_process_free(&version);
    json_decref(report);
}

static void without_tools_each_has_its_command(void **state)
{
    (void)state;
    const char *apt = "sudo apt-get install --no-install-recommends ";
    char command[128];
    only_path("nothing");
    json_t *report = examine();

    snprintf(command, sizeof command, "%sqemu-system-arm", apt);
    expect_missing(report, "qemu-system-arm", command);
    expect_missing(report, "plugins of QEMU", command);
    snprintf(command, sizeof command, "%sgcc-arm-none-eabi", apt);
    expect_missing(report, "arm-none-eabi-gcc", command);
    snprintf(command, sizeof command, "%slibnewlib-arm-none-eabi", apt);
    expect_missing(report, "newlib", command);
    snprintf(command, sizeof command, "%spython3 python3-venv", apt);
    expect_missing(report, "python3", command);
    expect_missing(report, "torch", "scripts/bootstrap --python");
    assert_int_equal(emulated_cores(report), 0);
    assert_true(json_is_false(json_object_get(report, "complete")));
    json_decref(report);

    struct rl_process process = rl_process_run(rl_program_under_test(), (const char *[]){"doctor", NULL});
    assert_int_equal(process.status, 1);
    assert_non_null(strstr(process.out, "MISSING   qemu-system-arm "));
    assert_non_null(strstr(process.out, "if wanted: sudo apt-get install --no-install-recommends gcc-arm-none-eabi"));
    assert_non_null(strstr(process.out, "NO        cortex-m55: "));
    assert_non_null(strstr(process.out, "Emulation (--on) lacks something."));
    rl_process_free(&process);
}

// Compilers and Python are for those who build firmware and export models.
static void other_tools_are_not_essential(void **state)
{
    (void)state;
    json_t *before = examine();
    const size_t cores = emulated_cores(before);
    const char *folder = only_path("emulator");

    json_decref(before);
    if (cores == 0 || !link_tool(folder, "qemu-system-arm")) {
        skip();
    }
    json_t *report = examine();
    assert_int_equal(emulated_cores(report), cores);
    assert_true(json_is_true(json_object_get(report, "complete")));
    assert_false(is_found(report, "arm-none-eabi-gcc") || is_found(report, "python3"));
    json_decref(report);
}

static void tools_that_lack_something_are_told(void **state)
{
    (void)state;
    const char *folder = only_path("poor");
    add_tool(folder, "qemu-system-arm", "case $1 in --version) echo 'QEMU emulator version 9.9.9' ;; esac; exit 1");
    add_tool(folder, "python3", "case $2 in *platform*) echo 3.99.0 ;; *) echo no torch >&2; exit 1 ;; esac");
    add_tool(folder, "arm-none-eabi-gcc", "case $1 in -dumpfullversion) echo 12.3.4 ;; *) exit 1 ;; esac");
    json_t *report = examine();
    const json_t *qemu = named(report, "tools", "name", "qemu-system-arm");

    assert_string_equal(json_string_value(json_object_get(qemu, "version")), "9.9.9");
    assert_true(json_is_null(json_object_get(qemu, "command")));
    assert_false(is_found(report, "plugins of QEMU"));
    assert_true(is_found(report, "python3") && is_found(report, "arm-none-eabi-gcc"));
    assert_false(is_found(report, "torch") || is_found(report, "newlib"));
    assert_int_equal(emulated_cores(report), 0);
    assert_true(json_is_false(json_object_get(report, "complete")));
    json_decref(report);
}

static void another_python_may_be_named(void **state)
{
    (void)state;
    const char *folder = only_path("python");
    char python[4096];
    add_tool(folder, "own python", "case $2 in *platform*) echo 3.98.0 ;; *torch*) echo 9.8.7 ;; esac");
    snprintf(python, sizeof python, "%s/own python", folder);
    assert_int_equal(setenv("RUSHLIGHT_PYTHON", python, 1), 0);
    json_t *report = examine();

    assert_string_equal(json_string_value(json_object_get(named(report, "tools", "name", "torch"), "version")),
                        "9.8.7");
    assert_true(is_found(report, "python3"));
    json_decref(report);
    unsetenv("RUSHLIGHT_PYTHON");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_there_is_found, NULL, restore_path),
        cmocka_unit_test_setup_teardown(without_tools_each_has_its_command, NULL, restore_path),
        cmocka_unit_test_setup_teardown(other_tools_are_not_essential, NULL, restore_path),
        cmocka_unit_test_setup_teardown(tools_that_lack_something_are_told, NULL, restore_path),
        cmocka_unit_test_setup_teardown(another_python_may_be_named, NULL, restore_path),
    };
    return cmocka_run_group_tests_name("doctor", tests, keep_path, NULL);
}
