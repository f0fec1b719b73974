// SPDX-License-Identifier: Apache-2.0
//
// `rushlight boards`: every board is complete and fits together with the targets, and is found as users ask for it.
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "support/process.h"

static json_t *boards(const char *first, const char *second)
{
    return rl_process_json(rl_program_under_test(), (const char *[]){"boards", "--json", first, second, NULL});
}

static const char *text(const json_t *board, const char *key)
{
    const char *value = json_string_value(json_object_get(board, key));
    if (!value) {
        fail_msg("'%s' is missing or no text", key);
    }
    return value;
}

static bool is_target(const json_t *targets, const char *core)
{
    size_t index;
    const json_t *target;

    json_array_foreach(targets, index, target)
    {
        if (strcmp(text(target, "name"), core) == 0) {
            return strcmp(core, "any") != 0;
        }
    }
    return false;
}

static void expect_name(const json_t *list, size_t index)
{
    const char *name = text(json_array_get(list, index), "name");

    for (const char *letter = name; *letter; letter++) {
        if (!islower((unsigned char)*letter) && !isdigit((unsigned char)*letter) && !strchr("-.", *letter)) {
            fail_msg("'%s' is not in lower case, digits, dashes and points", name);
        }
    }
    for (size_t i = 0; i < index; i++) {
        if (strcmp(text(json_array_get(list, i), "name"), name) == 0) {
            fail_msg("two boards are called '%s'", name);
        }
    }
}

static void every_board_is_complete(void **state)
{
    (void)state;
    json_t *report = boards(NULL, NULL);
    json_t *cores = rl_process_json(rl_program_under_test(), (const char *[]){"targets", "--json", NULL});
    const json_t *list = json_object_get(report, "boards");
    size_t index;
    const json_t *board;

    assert_true(json_array_size(list) >= 40);
    json_array_foreach(list, index, board)
    {
        expect_name(list, index);
        if (!is_target(json_object_get(cores, "targets"), text(board, "core"))) {
            fail_msg("%s: '%s' is not a target", text(board, "name"), text(board, "core"));
        }
        assert_true(strlen(text(board, "board")) > 3 && strlen(text(board, "chip")) > 3);
        assert_in_range(integer(board, "flash_bytes"), 64 * 1024, 64 * 1024 * 1024);
        assert_in_range(integer(board, "ram_bytes"), 12 * 1024, integer(board, "ram_total_bytes"));
        assert_in_range(integer(board, "clock_hz"), 16000000, 1000000000);
        if (strlen(text(board, "source")) < 10 || strlen(text(board, "flash_source")) < 10) {
            fail_msg("%s: a figure has no source", text(board, "name"));
        }
        text(board, "note");
        const json_t *checked = json_object_get(board, "checked_against");
        if (!checked || (!json_is_null(checked) && json_string_length(checked) < 10)) {
            fail_msg("%s: what its figures were compared with is neither told nor null", text(board, "name"));
        }
    }
    json_decref(cores);
    json_decref(report);
}

// A board has a memory map within its figures, or a reason why it has none.
static void maps_agree_with_figures(void **state)
{
    (void)state;
    json_t *report = boards(NULL, NULL);
    size_t index;
    const json_t *board;
    int known = 0;

    json_array_foreach(json_object_get(report, "boards"), index, board)
    {
        const json_t *memory = json_object_get(board, "memory");
        if (json_is_null(memory)) {
            assert_true(strlen(text(board, "no_memory")) > 20);
            continue;
        }
        known++;
        assert_true(json_is_null(json_object_get(board, "no_memory")));
        const json_int_t ram = integer(memory, "ram_bytes");
        const json_int_t more = json_integer_value(json_object_get(memory, "more_ram_bytes"));
        if (integer(memory, "flash_bytes") > integer(board, "flash_bytes") || ram > integer(board, "ram_bytes") ||
            ram < integer(board, "ram_bytes") * 3 / 4 || ram + more > integer(board, "ram_total_bytes")) {
            fail_msg("%s: the memories of its linker script are not those of its chip", text(board, "name"));
        }
        assert_true(integer(memory, "flash_origin") % 1024 == 0 && integer(memory, "ram_origin") >= 0x10000000);
        assert_true(strlen(text(memory, "checked_against")) > 10);
    }
    assert_true(known >= 60);
    json_decref(report);
}

// The sources of these places stand in compiler/targets/memories.def.
static void programs_begin_behind_boot_loaders(void **state)
{
    (void)state;
    static const struct {
        const char *board;
        json_int_t origin, end; // of the flash
    } expected[] = {
        {"nano-33-iot", 0x2000, 0x40000},
        {"arduino-zero", 0x2000, 0x40000},
        {"uno-r4", 0x4000, 0x40000},
        {"portenta-c33", 0x10000, 0x200000},
        {"nano-33-ble", 0x10000, 0x100000},
        {"nicla-sense-me", 0x10000, 0x80000},
        {"portenta-h7", 0x08040000, 0x08200000},
        {"nicla-vision", 0x08040000, 0x08200000},
        {"giga-r1", 0x08040000, 0x08200000},
        {"wio-terminal", 0x4000, 0x80000},
        {"samd21-xpro", 0, 0x40000},
    };

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        json_t *report = boards(expected[i].board, NULL);
        const json_t *board = json_array_get(json_object_get(report, "boards"), 0);
        const json_t *memory = json_object_get(board, "memory");
        if (!json_is_object(memory) || integer(memory, "flash_origin") != expected[i].origin ||
            integer(memory, "flash_origin") + integer(memory, "flash_bytes") != expected[i].end) {
            fail_msg("%s: programs do not begin where its boot loader ends", expected[i].board);
        }
        json_decref(report);
    }
}

// Currents are of some chips, and within what microcontrollers take.
static void currents_are_plausible(void **state)
{
    (void)state;
    json_t *report = boards(NULL, NULL);
    size_t index;
    const json_t *board;
    int known = 0;

    json_array_foreach(json_object_get(report, "boards"), index, board)
    {
        const json_t *current = json_object_get(board, "current");
        if (json_is_null(current)) {
            continue;
        }
        known++;
        assert_in_range((int)json_real_value(json_object_get(current, "microamperes_per_mhz")), 5, 500);
        assert_in_range((int)(1000 * json_real_value(json_object_get(current, "volts"))), 1800, 3600);
        assert_true(strlen(text(current, "conditions")) > 10);
        assert_non_null(json_object_get(current, "checked_against"));
    }
    assert_true(known >= 10);
    json_decref(report);
}

// One board of each kind of memory keeps its figures.
static void figures_stay_what_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *name, *core, *source, *checked;
        int flash_kb, ram_kb, total_kb, mhz, on_chip;
    } known[] = {
        {"nano-33-ble", "cortex-m4", "4413_417", "nRF52_Series.yaml", 1024, 256, 256, 64, 1},
        {"pico", "cortex-m0plus", "RP-008371-DS", "RP2040.yaml", 2048, 264, 264, 133, 0},
        {"nucleo-h743zi2", "cortex-m7", "DM00387108", "nucleo_h743zi.dts", 2048, 512, 1056, 480, 1},
        {"ek-ra8m1", "cortex-m85", "R01UH0994", "RA8M1_Series.yaml", 2016, 896, 1024, 480, 1},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        json_t *report = boards(known[i].name, NULL);
        const json_t *list = json_object_get(report, "boards"), *board = json_array_get(list, 0);
        assert_int_equal(json_array_size(list), 1);
        assert_string_equal(text(board, "core"), known[i].core);
        assert_non_null(strstr(text(board, "source"), known[i].source));
        assert_non_null(strstr(text(board, "checked_against"), known[i].checked));
        assert_int_equal(integer(board, "flash_bytes"), known[i].flash_kb * 1024);
        assert_int_equal(integer(board, "ram_bytes"), known[i].ram_kb * 1024);
        assert_int_equal(integer(board, "ram_total_bytes"), known[i].total_kb * 1024);
        assert_int_equal(integer(board, "clock_hz"), known[i].mhz * 1000000);
        assert_int_equal(json_is_true(json_object_get(board, "flash_on_chip")), known[i].on_chip);
        json_decref(report);
    }
}

static void a_core_selects_its_boards(void **state)
{
    (void)state;
    json_t *all = boards(NULL, NULL), *some = boards("--core", "M33");
    const json_t *list = json_object_get(some, "boards"), *board;
    size_t index;

    assert_true(json_array_size(list) > 3);
    assert_true(json_array_size(list) < json_array_size(json_object_get(all, "boards")));
    json_array_foreach(list, index, board)
    {
        assert_string_equal(text(board, "core"), "cortex-m33");
    }
    json_decref(all);
    json_decref(some);
}

static void expect_text(const char *const *words, int status, const char *const *expected)
{
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    const char *found = status == 0 ? process.out : process.err;

    assert_int_equal(process.status, status);
    for (; *expected; expected++) {
        if (!strstr(found, *expected)) {
            fail_msg("expected '%s', found '%s'", *expected, found);
        }
    }
    rl_process_free(&process);
}

static void tables_show_sources(void **state)
{
    (void)state;
    expect_text((const char *[]){"boards", NULL}, 0,
                (const char *[]){"source of the figures", "\npico2 ", "  4096* ", "\nnano-33-ble ", NULL});
    expect_text((const char *[]){"boards", "Pico2", NULL}, 0,
                (const char *[]){"pico2: Raspberry Pi Pico 2\n", "cortex-m33 at 150 MHz\n",
                                 "4096 KB, beside the chip\n", "520 KB in one piece, 520 KB in all\n", "RP-008373-DS\n",
                                 "flash: Raspberry Pi Pico 2 Datasheet\n", "  checked probe-rs RP235x.yaml; ", NULL});
    // A figure that nothing else has is named.
    expect_text((const char *[]){"boards", "thunderboard-sense-2", NULL}, 0,
                (const char *[]){"  checked ", "; not the clock\n", NULL});
    expect_text((const char *[]){"boards", "portenta-h7", NULL}, 0,
                (const char *[]){"512 KB in one piece, 1056 KB in all", "SDRAM", NULL});
}

static void unknown_boards_are_refused_with_those_alike(void **state)
{
    (void)state;
    expect_text((const char *[]){"boards", "nano33ble", NULL}, 2,
                (const char *[]){"'nano33ble'", "(did you mean 'nano-33-ble'?)", "'rushlight boards' lists", NULL});
    expect_text((const char *[]){"boards", "cray-1", NULL}, 2, (const char *[]){"'cray-1';", NULL});
    expect_text((const char *[]){"boards", "--core", "any", NULL}, 2, (const char *[]){"'any'", "cortex-m85", NULL});
    expect_text((const char *[]){"boards", "pico", "--core", "m0plus", NULL}, 2, (const char *[]){"--core", NULL});
    expect_text((const char *[]){"boards", "pico", "pico2", NULL}, 2, (const char *[]){"at most 1 operand", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_board_is_complete),
        cmocka_unit_test(maps_agree_with_figures),
        cmocka_unit_test(programs_begin_behind_boot_loaders),
        cmocka_unit_test(currents_are_plausible),
        cmocka_unit_test(figures_stay_what_they_are),
        cmocka_unit_test(a_core_selects_its_boards),
        cmocka_unit_test(tables_show_sources),
        cmocka_unit_test(unknown_boards_are_refused_with_those_alike),
    };
    return cmocka_run_group_tests_name("boards", tests, NULL, NULL);
}
