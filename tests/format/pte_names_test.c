// SPDX-License-Identifier: Apache-2.0
//
// Names of instructions: what the writer puts into a .pte, the reader finds; what cannot be shown, does not belong to
// the instructions or was written by another program is refused, and no byte of the file leads outside it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/pte_names.h"
#include "format/pte_writer.h"

enum { INSTRUCTIONS = 3 };

static const struct rl_pte_name_description names[INSTRUCTIONS] = {
    {"blocks.0.conv", "conv2d"}, {"", "add"}, {NULL, "quantize"}};

// A program of three calls without arguments; `given` may be NULL.
static uint8_t *write_program(const struct rl_pte_name_description *given, size_t *size, size_t *name_bytes)
{
    static const struct rl_pte_operator_description operators[] = {{"aten::add", "out"}};
    static const struct rl_pte_instruction_description instructions[INSTRUCTIONS] = {{0, 0, NULL}};
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .operator_count = 1,
                                                     .operators = operators,
                                                     .instruction_count = INSTRUCTIONS,
                                                     .instructions = instructions,
                                                     .names = given};
    const struct rl_pte_description description = {.method_count = 1, .methods = &method, .name_bytes = name_bytes};
    const char *message;
    uint8_t *file;
    assert_int_equal(rl_pte_write(&description, NULL, &file, size, &message), RL_OK);
    return file;
}

// What rl_pte_names_open says of a file; false when the file cannot be opened so far.
static bool open_names(const uint8_t *file, size_t size, struct rl_pte *pte, struct rl_pte_names *found,
                       const char **message)
{
    struct rl_pte_plan plan;
    uint32_t offset;
    if (rl_pte_open(pte, file, size, &offset) || !rl_pte_plan(pte, 0, &plan)) {
        return false;
    }
    *message = rl_pte_names_open(pte, &plan, found);
    return true;
}

static void names_are_read_as_they_were_written(void **state)
{
    (void)state;
    struct rl_pte pte;
    struct rl_pte_names found;
    const char *message;
    size_t size, bare, name_bytes = 0;
    uint8_t *file = write_program(names, &size, &name_bytes);
    free(write_program(NULL, &bare, NULL));

    assert_true(open_names(file, size, &pte, &found, &message));
    assert_null(message);
    for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
        const struct rl_pte_name name = rl_pte_names_at(&found, i);
        assert_string_equal(name.node, names[i].node);
        if (names[i].layer) {
            assert_string_equal(name.layer, names[i].layer);
        } else {
            assert_null(name.layer);
        }
    }
    assert_null(rl_pte_names_at(&found, INSTRUCTIONS).layer);
    assert_null(rl_pte_names_at(&found, UINT32_MAX).node);
    // The tables end at a multiple of 16 bytes in both files.
    assert_in_range(size - bare, name_bytes - 16, name_bytes + 16);
    free(file);
}

static void a_program_without_names_has_none(void **state)
{
    (void)state;
    struct rl_pte pte;
    struct rl_pte_names found;
    const char *message;
    size_t size, name_bytes = 1;
    uint8_t *file = write_program(NULL, &size, &name_bytes);

    assert_true(open_names(file, size, &pte, &found, &message));
    assert_null(message);
    assert_int_equal(name_bytes, 0);
    assert_int_equal(found.frames.count, 0);
    assert_null(rl_pte_names_at(&found, 0).node);
    free(file);
}

static void names_that_cannot_be_shown_are_refused(void **state)
{
    (void)state;
    char longest[RL_PTE_LONGEST_NAME + 2];
    static const char *const good[] = {"",
                                       "a",
                                       "layer1.0.conv",
                                       "\xC3\xA9t\xC3\xA9",
                                       "\xE2\x82\xAC",
                                       "\xF0\x9F\x95\xAF",
                                       "\xED\x9F\xBF",
                                       "\xF4\x8F\xBF\xBF",
                                       "\xC2\xA0"};
    static const char *const bad[] = {"a\x1B[2J",
                                      "\n",
                                      "\x7F",
                                      "\x80",
                                      "\xC2",
                                      "\xC2\x9B",
                                      "\xC0\xAF",
                                      "\xE0\x80\xAF",
                                      "\xED\xA0\x80",
                                      "\xE2\x82",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF4\x90\x80\x80",
                                      "\xF8\x88\x80\x80\x80",
                                      "\xFF",
                                      "a\xE2z\x82"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(rl_pte_is_name(good[i], strlen(good[i])));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(rl_pte_is_name(bad[i], strlen(bad[i])));
    }
    assert_false(rl_pte_is_name("a\0b", 3));
    memset(longest, 'x', sizeof longest);
    assert_true(rl_pte_is_name(longest, RL_PTE_LONGEST_NAME));
    assert_false(rl_pte_is_name(longest, RL_PTE_LONGEST_NAME + 1));

    longest[sizeof longest - 1] = '\0';
    const char *const hostile[] = {"\x1B[2J", "\xFF", longest};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct rl_pte_name_description given[INSTRUCTIONS] = {{"a", "b"}, {"a", "b"}, {"a", "b"}};
        struct rl_pte pte;
        struct rl_pte_names found;
        const char *message = NULL;
        size_t size;
        *(i % 2 ? &given[2].layer : &given[1].node) = hostile[i];
        uint8_t *file = write_program(given, &size, NULL);
        assert_true(open_names(file, size, &pte, &found, &message));
        assert_string_equal(message, "its list of names is damaged");
        assert_null(rl_pte_names_at(&found, 0).node);
        free(file);
    }
}

// Where the file has its number of names.
static uint8_t *count_of_names(uint8_t *file, size_t size)
{
    struct rl_pte pte;
    struct rl_pte_names found;
    const char *message;
    assert_true(open_names(file, size, &pte, &found, &message));
    return file + found.frames.items - 4;
}

static void another_number_of_names_is_refused(void **state)
{
    (void)state;
    size_t size;
    uint8_t *file = write_program(names, &size, NULL);
    uint8_t *count = count_of_names(file, size);
    struct rl_pte pte;
    struct rl_pte_names found;
    const char *message;

    assert_int_equal(*count, INSTRUCTIONS);
    *count = INSTRUCTIONS - 1;
    assert_true(open_names(file, size, &pte, &found, &message));
    assert_string_equal(message, "it has another number of names than of instructions");
    count[3] = 0x7F;
    assert_true(open_names(file, size, &pte, &found, &message));
    assert_string_equal(message, "its list of names is damaged");
    free(file);
}

// The field of the module's path, in the vtable that all frames share, moved to that of a file name.
static void places_in_source_code_are_no_layers(void **state)
{
    (void)state;
    static const struct rl_pte_name_description one[INSTRUCTIONS] = {{"a", "b"}, {"a", "b"}, {"a", "b"}};
    size_t size;
    uint8_t *file = write_program(one, &size, NULL);
    struct rl_pte pte;
    struct rl_pte_names found;
    struct rl_fb_vector items;
    const char *message;

    assert_true(open_names(file, size, &pte, &found, &message));
    assert_true(rl_fb_vector(&pte.fb, rl_fb_item_table(&pte.fb, &found.frames, 0), RL_PTE_frame_list_items, 4, &items));
    const struct rl_fb_table frame = rl_fb_open_table(&pte.fb, rl_fb_item_table(&pte.fb, &items, 0));
    file[frame.entries + 2 * RL_PTE_frame_filename] = file[frame.entries + 2 * RL_PTE_frame_name];
    assert_true(open_names(file, size, &pte, &found, &message));
    assert_string_equal(message, "its instructions are named by places in source code, not by modules");
    free(file);
}

// Each byte of the file, cut off and changed in several ways: the names are there, or refused, or the file is.
static void damage_is_noticed_or_harmless(void **state)
{
    (void)state;
    static const uint8_t flips[] = {0x01, 0x80, 0xFF, 0x04};
    size_t size, accepted = 0, refused = 0;
    uint8_t *file = write_program(names, &size, NULL);
    for (size_t i = 0; i < size * sizeof flips; i++) {
        struct rl_pte pte;
        struct rl_pte_names found;
        const char *message;
        uint8_t *copy = malloc(size); // of exactly the size, for the sanitizers
        memcpy(copy, file, size);
        copy[i / sizeof flips] ^= flips[i % sizeof flips];
        if (open_names(copy, size, &pte, &found, &message)) {
            *(message ? &refused : &accepted) += 1;
            for (uint32_t k = 0; k < INSTRUCTIONS + 1; k++) {
                const struct rl_pte_name name = rl_pte_names_at(&found, k);
                assert_true(!name.layer || rl_pte_is_name(name.layer, strlen(name.layer)));
                assert_true(!name.node || rl_pte_is_name(name.node, strlen(name.node)));
            }
        }
        free(copy);
    }
    assert_true(accepted > 100 && refused > 50);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read_as_they_were_written),    cmocka_unit_test(a_program_without_names_has_none),
        cmocka_unit_test(names_that_cannot_be_shown_are_refused), cmocka_unit_test(another_number_of_names_is_refused),
        cmocka_unit_test(places_in_source_code_are_no_layers),    cmocka_unit_test(damage_is_noticed_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
