// SPDX-License-Identifier: Apache-2.0
//
// Programs with a right, a wrong and no checksum, with and without --require-checksum.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "format/pte.h"
#include "support/process.h"

static const char *const verbs[][8] = {
    {"run"}, {"inspect"}, {"evaluate", MODEL, "--data", TEST_DATA}, {"check", MODEL, "--data", TEST_DATA}};

// Compiles the model to `path` with one byte changed.
static const char *write_program(const char *name, size_t place, uint8_t change)
{
    const char *path = rl_temporary_path(name);
    json_decref(compile(path, NULL, NULL));
    size_t size;
    unsigned char *bytes = rl_read_bytes(path, &size);
    assert_non_null(bytes);
    bytes[place] ^= change;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
    return path;
}

static void expect(const char *const *verb, const char *path, bool required, const char *complaint)
{
    const char *words[12];
    int count = 0;
    for (; *verb; verb++) {
        words[count++] = *verb;
        if (strcmp(*verb, MODEL) == 0) {
            words[count++] = path;
        }
    }
    if (count == 1) {
        words[count++] = path;
    }
    words[count++] = required ? "--require-checksum" : "--json";
    words[count] = NULL;
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    const bool as_expected = complaint ? process.status == 1 && strstr(process.err, complaint) : process.status == 0;
    if (!as_expected) {
        fail_msg("%s: exit code %d, message '%s', expected '%s'", words[0], process.status, process.err,
                 complaint ? complaint : "");
    }
    rl_process_free(&process);
}

static void each_verb_asks_for_it(void **state)
{
    (void)state;
    static const char differs[] = "its checksum differs", missing[] = "has no checksum, which is required";
    const char *right = write_program("right.pte", 0, 0);
    const char *wrong = write_program("wrong.pte", RL_PTE_CHECKSUM_OFFSET, 1);
    const char *stripped = write_program("stripped.pte", RL_PTE_MARK_OFFSET, 1);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        const bool shows_damaged = strcmp(verbs[i][0], "inspect") == 0;
        expect(verbs[i], right, false, NULL);
        expect(verbs[i], right, true, NULL);
        expect(verbs[i], wrong, false, shows_damaged ? NULL : differs);
        expect(verbs[i], wrong, true, differs);
        expect(verbs[i], stripped, false, NULL);
        expect(verbs[i], stripped, true, missing);
    }
}

static void inspect_tells(void **state)
{
    (void)state;
    static const struct {
        size_t place;
        uint8_t change;
        const char *text;
    } cases[] = {{0, 0, "right"}, {RL_PTE_CHECKSUM_OFFSET, 4, "wrong"}, {RL_PTE_MARK_OFFSET + 3, 2, "none"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = write_program("told.pte", cases[i].place, cases[i].change);
        json_t *report = rl_process_json(rl_program_under_test(), (const char *[]){"inspect", path, "--json", NULL});
        assert_string_equal(json_string_value(json_object_get(report, "checksum")), cases[i].text);
        json_decref(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_verb_asks_for_it), cmocka_unit_test(inspect_tells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
