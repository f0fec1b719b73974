// SPDX-License-Identifier: Apache-2.0
//
// Each operator of a program is called by the module of the model that it came from, as PyTorch says it of the nodes
// (tests/fixtures/names). Names change nothing but the size of the file, and damaged ones are left out.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/checksum.h"
#include "format/pte.h"
#include "support/process.h"

static const char *const models[] = {"residual", "mobile", "transformer", "recurrent"};

// What the program is compiled for: passes differ.
static const char *const choices[][2] = {
    {"--target", "cortex-m4"}, {"--target", "cortex-m55"}, {"--target", "any"},         {"--for", "executorch"},
    {"--quantizer", "stock"},  {"--quantize", "none"},     {"--explicit-layout", NULL}, {"--io", "int8"}};

enum { MODELS = sizeof models / sizeof *models, CHOICES = sizeof choices / sizeof *choices };

static char *fixture(const char *model, const char *kind)
{
    static char path[512];
    snprintf(path, sizeof path, RL_FIXTURES "/names/%s.%s", model, kind);
    return path;
}

static json_t *compile(const char *model, const char *pte, const char *first, const char *second, const char *third)
{
    return rl_process_json(rl_program_under_test(), (const char *[]){"compile", fixture(model, "pt2"), "-o", pte,
                                                                     "--json", first, second, third, NULL});
}

static json_t *inspect(const char *pte)
{
    return rl_process_json(rl_program_under_test(), (const char *[]){"inspect", pte, "--json", NULL});
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

// Checks a call; whether it belongs to a layer of the model.
static bool check_call(const json_t *call, const json_t *layers)
{
    const char *node = text(call, "node"), *layer = text(call, "layer");
    assert_non_null(node);
    const char *expected = text(layers, node);
    if (!expected) { // it is none of the model's: it changes an input
        assert_null(layer);
        return false;
    }
    assert_non_null(layer);
    assert_string_equal(layer, expected);
    return true;
}

static bool is_called(const json_t *calls, const char *layer)
{
    const json_t *call;
    size_t index;
    json_array_foreach(calls, index, call)
    {
        if (text(call, "layer") && strcmp(text(call, "layer"), layer) == 0) {
            return true;
        }
    }
    return false;
}

static void each_operator_has_the_layer_that_pytorch_tells(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("named.pte");
    for (size_t i = 0; i < (size_t)MODELS * CHOICES; i++) {
        const char *const *choice = choices[i % CHOICES];
        const char *model = models[i / CHOICES];
        json_t *facts = json_load_file(fixture(model, "json"), 0, NULL);
        json_t *made = compile(model, pte, choice[0], choice[1], NULL), *report = inspect(pte);
        const json_t *calls = json_object_get(report, "instructions"), *item;
        size_t index, others = 0;

        assert_non_null(facts);
        json_array_foreach(calls, index, item)
        {
            others += !check_call(item, json_object_get(facts, "layers"));
        }
        print_message("%s %s %s: %zu calls, of which %zu of no module\n", model, choice[0], choice[1] ? choice[1] : "",
                      json_array_size(calls), others);
        assert_true(others <= 2); // an input is quantized, and put into another order
        json_array_foreach(json_object_get(facts, "weights"), index, item)
        {
            assert_true(is_called(calls, json_string_value(item)));
        }
        assert_true(json_is_true(json_object_get(report, "has_names")));
        assert_true(json_integer_value(json_object_get(made, "name_bytes")) > 0);
        json_decref(made);
        json_decref(report);
        json_decref(facts);
    }
}

static void run(const char *pte, unsigned char **outputs, size_t *size)
{
    const char *path = rl_temporary_path("outputs.npz");
    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"run", pte, "--output", path, "--json", NULL}));
    *outputs = rl_read_bytes(path, size);
}

// Everything that `inspect` says of two programs is equal, but for names and sizes of the file.
static void expect_same_but_for_names(const char *named, const char *bare)
{
    static const char *const differing[] = {"file", "program_bytes", "has_names"};
    json_t *reports[] = {inspect(named), inspect(bare)};
    for (size_t k = 0; k < 2; k++) {
        json_t *call;
        size_t index;
        for (size_t i = 0; i < sizeof differing / sizeof *differing; i++) {
            json_object_del(reports[k], differing[i]);
        }
        json_array_foreach(json_object_get(reports[k], "instructions"), index, call)
        {
            assert_true(k == 0 || json_is_null(json_object_get(call, "layer")));
            json_object_del(call, "layer");
            json_object_del(call, "node");
        }
    }
    assert_true(json_equal(reports[0], reports[1]));
    json_decref(reports[0]);
    json_decref(reports[1]);
}

static void names_change_neither_plan_nor_outputs(void **state)
{
    (void)state;
    const char *named = rl_temporary_path("named.pte"), *bare = rl_temporary_path("bare.pte");
    for (size_t i = 0; i < MODELS; i++) {
        json_t *with = compile(models[i], named, NULL, NULL, NULL);
        json_t *without = compile(models[i], bare, "--no-names", NULL, NULL);
        unsigned char *outputs[2];
        size_t sizes[2];
        const json_int_t bytes = json_integer_value(json_object_get(with, "program_bytes")) -
                                 json_integer_value(json_object_get(without, "program_bytes"));
        const json_int_t told = json_integer_value(json_object_get(with, "name_bytes"));

        assert_int_equal(json_integer_value(json_object_get(without, "name_bytes")), 0);
        assert_in_range(bytes, told - 16, told + 16); // the tables end at a multiple of 16 bytes in both
        run(named, &outputs[0], &sizes[0]);
        run(bare, &outputs[1], &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(outputs[0], outputs[1], sizes[0]);
        expect_same_but_for_names(named, bare);
        free(outputs[0]);
        free(outputs[1]);
        json_decref(with);
        json_decref(without);
    }
}

static void equal_models_give_equal_bytes(void **state)
{
    (void)state;
    const char *paths[] = {rl_temporary_path("first.pte"), rl_temporary_path("second.pte")};
    unsigned char *files[2];
    size_t sizes[2];
    for (size_t i = 0; i < 2; i++) {
        json_decref(compile("transformer", paths[i], NULL, NULL, NULL));
        files[i] = rl_read_bytes(paths[i], &sizes[i]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(files[0], files[1], sizes[0]);
    free(files[0]);
    free(files[1]);
}

// A name with an escape sequence: the program runs as before, and the text shows no layer and none of the sequence.
static void damaged_names_are_left_out(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("named.pte");
    size_t size, at = 0;
    json_decref(compile("recurrent", pte, NULL, NULL, NULL));
    unsigned char *file = rl_read_bytes(pte, &size);
    while (at + 6 < size && memcmp(file + at, "cells", 6) != 0) {
        at++;
    }
    assert_true(at + 6 < size);
    file[at + 1] = 0x1B;
    const uint32_t checksum = rl_pte_checksum(file, (uint32_t)size);
    for (int i = 0; i < 4; i++) {
        file[RL_PTE_CHECKSUM_OFFSET + i] = (unsigned char)(checksum >> (8 * i));
    }
    FILE *stream = fopen(pte, "wb");
    assert_int_equal(fwrite(file, 1, size, stream), size);
    fclose(stream);
    free(file);

    struct rl_process process = rl_process_run(rl_program_under_test(), (const char *[]){"inspect", pte, NULL});
    assert_int_equal(process.status, 0);
    assert_null(strchr(process.out, 0x1B));
    assert_null(strstr(process.out, " out "));
    assert_non_null(strstr(process.err, "operators are shown without layers: its list of names is damaged"));
    rl_process_free(&process);
    process = rl_process_run(rl_program_under_test(), (const char *[]){"run", pte, NULL});
    assert_int_equal(process.status, 0);
    rl_process_free(&process);
}

static void inspect_shows_layers_and_folds_constants(void **state)
{
    (void)state;
    const char *pte = rl_temporary_path("named.pte");
    json_decref(compile("residual", pte, NULL, NULL, NULL));
    struct rl_process folded = rl_process_run(rl_program_under_test(), (const char *[]){"inspect", pte, NULL});
    struct rl_process all =
        rl_process_run(rl_program_under_test(), (const char *[]){"inspect", pte, "--constants", NULL});

    assert_non_null(strstr(folded.out, " layer1.0.conv1  "));
    assert_non_null(strstr(folded.out, " (mean)  "));
    assert_non_null(strstr(folded.out, "output_offset -128"));
    assert_non_null(strstr(folded.out, "< constants, "));
    assert_null(strstr(folded.out, " constant, "));
    assert_non_null(strstr(all.out, " constant, 32 bytes"));
    assert_null(strstr(all.out, "< constants, "));
    assert_non_null(strstr(folded.out, "memory map"));
    assert_non_null(strstr(folded.out, "###"));
    rl_process_free(&folded);
    rl_process_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operator_has_the_layer_that_pytorch_tells),
        cmocka_unit_test(names_change_neither_plan_nor_outputs),
        cmocka_unit_test(equal_models_give_equal_bytes),
        cmocka_unit_test(damaged_names_are_left_out),
        cmocka_unit_test(inspect_shows_layers_and_folds_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
