// SPDX-License-Identifier: Apache-2.0
//
// Damaged models: cut, with bytes flipped, and with each number of the JSON replaced in turn. Whatever the file, the
// reader returns a graph that keeps all rules, or an error with a message. Run with sanitizers, as scripts/test does.
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/read/pickle.h"
#include "compiler/read/pt2.h"
#include "compiler/read/samples.h"
#include "pt2_archive.h"

static const char damaged_path[] = "read_damage_test.pt2";

// A small generator is enough, and the same everywhere (Numerical Recipes' constants).
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// Reads the file; whether it is a graph. Its samples are read, too.
static bool survives(const char *path)
{
    struct rl_arena arena = {0};
    struct rl_context context = {0};
    struct rl_graph *graph;
    const enum rl_status status = rl_pt2_read(&context, &arena, path, NULL, &graph);
    assert_int_equal(status == RL_OK, context.message[0] == '\0');
    assert_int_not_equal(status, RL_ERROR_INTERNAL);
    if (status == RL_OK) {
        if (rl_graph_verify(&context, graph, "reading") != RL_OK) {
            fail_msg("%s", context.message);
        }
        struct rl_array *arrays;
        int count;
        const enum rl_status samples = rl_pt2_read_samples(&context, &arena, path, graph, &arrays, &count);
        assert_int_equal(samples == RL_OK, context.message[0] == '\0');
    }
    rl_arena_free(&arena);
    return status == RL_OK;
}

static char *read_fixture(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", RL_FIXTURES, name);
    return pt2_read_file(path, size);
}

static void cut_files(void **state)
{
    (void)state;
    static const char *const files[] = {"pt2/shared_storage.pt2", "digits/digits.pt2", "versions/2.8.0/views.pt2",
                                        "versions/2.7.1/views.pt2"};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        enum { CUTS = 150 };
        size_t size;
        char *data = read_fixture(files[f], &size);
        for (size_t i = 0; i < CUTS; i++) {
            pt2_write_file(damaged_path, data, size * i / CUTS);
            assert_false(survives(damaged_path));
        }
        for (size_t i = 1; i <= 40; i++) {
            pt2_write_file(damaged_path, data, size - i);
            survives(damaged_path);
        }
        free(data);
    }
}

static void flipped_bytes(void **state)
{
    (void)state;
    static const char *const files[] = {"pt2/shared_storage.pt2", "pt2/many_values.pt2", "digits/digits.pt2",
                                        "versions/2.8.0/views.pt2", "versions/2.7.1/views.pt2"};
    uint32_t random = 1;
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        size_t size;
        char *data = read_fixture(files[f], &size);
        for (int i = 0; i < 400; i++) {
            // Every other flip hits the directory at the end, which says where everything is.
            const size_t range = i % 2 == 0 ? size : size / 5;
            const size_t place = size - 1 - next_random(&random) % range;
            const char old = data[place];
            data[place] = (char)(data[place] ^ (1 << (next_random(&random) % 8)));
            pt2_write_file(damaged_path, data, size);
            survives(damaged_path);
            data[place] = old;
        }
        free(data);
    }
}

// The members behind their checksums: characters of the JSON changed and the archive made anew.
static void changed_characters_of_the_json(void **state)
{
    (void)state;
    static const char replacements[] = "0-9\"{}[],:eZ";
    static const char *const members[] = {"models/model.json", "model_weights_config.json"};
    struct pt2_archive archive;
    char path[512];
    snprintf(path, sizeof path, "%s/pt2/many_values.pt2", RL_FIXTURES);
    pt2_load(&archive, path);
    uint32_t random = 2;
    for (int i = 0; i < 500; i++) {
        struct pt2_member *member = pt2_find(&archive, members[i % 8 == 0]);
        const size_t place = next_random(&random) % member->size;
        const char old = member->data[place];
        member->data[place] = replacements[next_random(&random) % (sizeof replacements - 1)];
        pt2_save(&archive, damaged_path, false);
        survives(damaged_path);
        member->data[place] = old;
    }
    pt2_free(&archive);
}

// The next integer in a text that is not part of a string; NULL after the last.
static char *next_integer(char *text)
{
    bool in_string = false;
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '"') {
            in_string = !in_string;
        }
        if (!in_string && isdigit((unsigned char)*c)) {
            return c;
        }
    }
    return NULL;
}

static void replaced_numbers(const char *fixture, const char *end)
{
    static const char *const extremes[] = {
        "-1",   "0", "9223372036854775807", "-9223372036854775808", "4294967297", "1000000", "1e308", "\"Infinity\"",
        "true", "[]"};
    enum { EXTREMES = sizeof extremes / sizeof extremes[0] };
    char path[512];
    snprintf(path, sizeof path, "%s/pt2/%s.pt2", RL_FIXTURES, fixture);
    struct pt2_archive archive;
    pt2_load(&archive, path);
    struct pt2_member *member = pt2_find(&archive, end);
    char *original = member->data;
    const size_t original_size = member->size;
    char *changed = malloc(original_size + 32);
    assert_non_null(changed);
    int which = 0;
    for (char *number = next_integer(original); number; which++) {
        const size_t before = (size_t)(number - original);
        const size_t digits = strspn(number, "0123456789");
        const char *extreme = extremes[which % EXTREMES];
        memcpy(changed, original, before);
        snprintf(changed + before, original_size + 32 - before, "%s%s", extreme, number + digits);
        member->data = changed;
        member->size = original_size - digits + strlen(extreme);
        pt2_save(&archive, damaged_path, false);
        survives(damaged_path);
        number = next_integer(number + digits);
    }
    assert_true(which > 20);
    free(changed);
    member->data = original;
    pt2_free(&archive);
}

static void extreme_numbers_in_the_json(void **state)
{
    (void)state;
    replaced_numbers("shared_storage", "models/model.json");
    replaced_numbers("shared_storage", "model_weights_config.json");
    replaced_numbers("many_values", "models/model.json");
}

// ---- the pickle of the samples
// ---------------------------------------------------------------------------------------

static void read_pickle(const unsigned char *data, size_t size, const char *message)
{
    struct rl_arena arena = {0};
    struct rl_context context = {0};
    struct rl_pickle_item *item;
    const enum rl_status status = rl_pickle_read(&context, &arena, "p", data, size, &item);
    assert_int_equal(status == RL_OK, context.message[0] == '\0');
    if (message && !strstr(context.message, message)) {
        fail_msg("expected '%s', found '%s'", message, context.message);
    }
    rl_arena_free(&arena);
}

static void pickles_that_want_to_run_code(void **state)
{
    (void)state;
    static const char calls[] = "\x80\x02"
                                "cos\nsystem\nX\x02\0\0\0ls\x85R.";
    read_pickle((const unsigned char *)calls, sizeof calls - 1, "a pickle with 'os system'; accepted: plain tensors");
    static const char builds[] = "\x80\x02"
                                 "cfoo\nBar\n)\x81}b.";
    read_pickle((const unsigned char *)builds, sizeof builds - 1, "opcode 0x81");
    static const char itself[] = "\x80\x02]q\0h\0a.";
    read_pickle((const unsigned char *)itself, sizeof itself - 1, NULL);
    static const char empty[] = "\x80\x02.";
    read_pickle((const unsigned char *)empty, sizeof empty - 1, "does not end with one object");
}

static void damaged_pickles(void **state)
{
    (void)state;
    struct pt2_archive outer, inner;
    char path[512];
    snprintf(path, sizeof path, "%s/pt2/many_values.pt2", RL_FIXTURES);
    pt2_load(&outer, path);
    const struct pt2_member *model = pt2_find(&outer, "sample_inputs/model.pt");
    pt2_write_file(damaged_path, model->data, model->size);
    pt2_load(&inner, damaged_path);
    const struct pt2_member *pickle = pt2_find(&inner, "data.pkl");
    unsigned char *data = (unsigned char *)pickle->data;
    read_pickle(data, pickle->size, "");
    for (size_t i = 0; i < pickle->size; i++) {
        read_pickle(data, i, NULL);
        const unsigned char old = data[i];
        static const unsigned char changes[] = {0, 'h', 'a', 'e', 'u', 't', 'R', 'Q', '(', 0xff};
        for (size_t k = 0; k < sizeof changes; k++) {
            data[i] = changes[k];
            read_pickle(data, pickle->size, NULL);
        }
        data[i] = old;
    }
    pt2_free(&inner);
    pt2_free(&outer);
}

// The weights of a whole model: each byte of their pickle changed in turn.
static void damaged_pickles_of_weights(void **state)
{
    (void)state;
    static const char weights[] = "data/weights/model.pt";
    static const unsigned char changes[] = {0, 1, 'K', 'h', 'u', 't', 'R', 0x7f, 0xff};
    struct pt2_archive outer, inner;
    pt2_load(&outer, RL_FIXTURES "/versions/2.8.0/views.pt2");
    pt2_load_inner(&inner, &outer, weights);
    struct pt2_member *pickle = pt2_find(&inner, "data.pkl");
    for (size_t i = 0; i < pickle->size; i++) {
        const char old = pickle->data[i];
        pickle->data[i] = (char)changes[i % sizeof changes];
        pt2_set_inner(&inner, &outer, weights);
        pt2_save(&outer, damaged_path, false);
        survives(damaged_path);
        pickle->data[i] = old;
    }
    pt2_free(&inner);
    pt2_free(&outer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_files),
        cmocka_unit_test(flipped_bytes),
        cmocka_unit_test(changed_characters_of_the_json),
        cmocka_unit_test(extreme_numbers_in_the_json),
        cmocka_unit_test(pickles_that_want_to_run_code),
        cmocka_unit_test(damaged_pickles),
        cmocka_unit_test(damaged_pickles_of_weights),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    remove(damaged_path);
    return failures;
}
