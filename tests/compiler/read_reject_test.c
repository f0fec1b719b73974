// SPDX-License-Identifier: Apache-2.0
//
// What the reader refuses, and what it says: one change to a good file each.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pt2_archive.h"

static const char changed_path[] = "read_reject_test.pt2";

static void load_fixture(struct pt2_archive *archive, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/pt2/%s.pt2", RL_FIXTURES, name);
    pt2_load(archive, path);
}

struct change {
    const char *member;
    const char *text, *replacement;
    enum rl_status status;
    const char *message;
};

static void check_changes(const char *fixture, const struct change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct pt2_archive archive;
        load_fixture(&archive, fixture);
        pt2_replace(&archive, changes[i].member, changes[i].text, changes[i].replacement);
        pt2_save(&archive, changed_path, i % 2 == 0);
        pt2_free(&archive);
        pt2_expect_refused(changed_path, changes[i].status, changes[i].message);
    }
}

#define MODEL   "models/model.json"
#define WEIGHTS "model_weights_config.json"

static void versions_and_marks(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {MODEL, "\"major\": 8", "\"major\": 9", RL_ERROR_UNSUPPORTED,
         "schema version 9 of torch.export; accepted: "
         "version 8"},
        {MODEL, "\"major\": 8", "\"major\": 7", RL_ERROR_UNSUPPORTED, "schema version 7"},
        {MODEL, "\"major\": 8", "\"major\": \"8\"", RL_ERROR_FORMAT, "expected an integer 'major', found a string"},
        {MODEL, "\"schema_version\"", "\"version\"", RL_ERROR_FORMAT, "'schema_version', found nothing"},
        {"archive_format", "pt2", "pt3", RL_ERROR_UNSUPPORTED, "archive_format is 'pt3'; accepted: 'pt2'"},
        {"archive_version", "0", "1", RL_ERROR_UNSUPPORTED, "archive_version is '1'; accepted: '0'"},
        {"byteorder", "little", "big", RL_ERROR_UNSUPPORTED, "byteorder is 'big'; accepted: 'little'"},
    };
    check_changes("shared_storage", changes, sizeof changes / sizeof changes[0]);
}

// A text that deflates to a thousandth and would take hundreds of megabytes once it is parsed.
static void bombs(void **state)
{
    (void)state;
    enum { VALUES = 1 << 20 };
    static const char start[] = "{\"\\\"[[[\": [";
    const size_t size = sizeof start - 1 + 3 * (size_t)VALUES + 4;
    char *text = malloc(size + 1), *end = text + sizeof start - 1;
    memcpy(text, start, sizeof start);
    for (int i = 0; i < VALUES; i++) {
        memcpy(end, "{},", 3);
        end += 3;
    }
    memcpy(end, "0 ]}", 5);
    struct pt2_archive archive;
    load_fixture(&archive, "shared_storage");
    pt2_set(&archive, MODEL, text, size);
    pt2_save(&archive, changed_path, true);
    pt2_expect_refused(changed_path, RL_ERROR_UNSUPPORTED, "models/model.json: 2097155 values in ");
    pt2_save(&archive, changed_path, false); // stored: the file is as large as what it holds
    pt2_expect_refused(changed_path, RL_ERROR_FORMAT, "'schema_version', found nothing");
    pt2_free(&archive);
    free(text);
}

static void operators_and_arguments(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {MODEL, "aten.linear.default", "aten.lineal.default", RL_ERROR_UNSUPPORTED,
         "node 'linear' (torch.ops.aten.lineal.default): unknown operator aten::lineal; accepted: the "
         "operators "
         "of rushlight/ops.def; torch.export's program.run_decompositions() may"},
        {MODEL, "aten.linear.default", "mylib.linear.default", RL_ERROR_UNSUPPORTED, "unknown operator mylib::linear"},
        {MODEL, "aten.linear.default", "aten.linear.out", RL_ERROR_UNSUPPORTED,
         "unknown overload 'out' of aten::linear; accepted overloads: default"},
        {MODEL, "torch.ops.aten.linear.default", "_operator.add", RL_ERROR_UNSUPPORTED, "computes with sizes"},
        {MODEL, "torch.ops.aten.linear.default", "", RL_ERROR_UNSUPPORTED, "node 'linear'"},
        {MODEL, "\"name\": \"weight\"", "\"name\": \"wait\"", RL_ERROR_UNSUPPORTED,
         "argument 'wait' is unknown or given twice; accepted: aten::linear(Tensor input"},
        {MODEL, "\"name\": \"weight\"", "\"name\": \"input\"", RL_ERROR_UNSUPPORTED, "argument 'input' is unknown or"},
        {MODEL, "{\"name\": \"weight\", \"arg\"", "{\"name\": \"bias\", \"arg\"", RL_ERROR_FORMAT,
         "argument 'weight' is missing"},
        {MODEL, "{\"name\": \"input\", \"arg\": {\"as_tensor\": {\"name\": \"x\"}}",
         "{\"name\": \"input\", \"arg\": {\"as_tensor\": {\"name\": \"y\"}}", RL_ERROR_FORMAT,
         "uses 'y', which no input or earlier node defines"},
        {MODEL, "{\"name\": \"input\", \"arg\": {\"as_tensor\": {\"name\": \"x\"}}",
         "{\"name\": \"input\", \"arg\": {\"as_tensor\": {\"name\": \"linear\"}}", RL_ERROR_FORMAT, "uses 'linear'"},
        {MODEL, "{\"name\": \"input\", \"arg\": {\"as_tensor\": {\"name\": \"x\"}}",
         "{\"name\": \"input\", \"arg\": {\"as_none\": true}", RL_ERROR_FORMAT, "argument 'input': expected a value"},
        {MODEL, "{\"name\": \"input\", \"arg\": {\"as_tensor\": {\"name\": \"x\"}}",
         "{\"name\": \"input\", \"arg\": {\"as_tensor\": {\"name\": \"x\"}, \"as_int\": 1}", RL_ERROR_FORMAT,
         "expected an object of one member"},
        {MODEL, "\"outputs\": [{\"as_tensor\": {\"name\": \"linear\"}}]", "\"outputs\": []", RL_ERROR_FORMAT,
         "expected 1 results, found 0"},
        {MODEL, "\"outputs\": [{\"as_tensor\": {\"name\": \"linear\"}}]",
         "\"outputs\": [{\"as_sym_int\": {\"as_name\": \"linear\"}}]", RL_ERROR_UNSUPPORTED,
         "a result is 'as_sym_int'"},
        {MODEL, "\"outputs\": [{\"as_tensor\": {\"name\": \"linear_1\"}}]",
         "\"outputs\": [{\"as_tensor\": {\"name\": \"linear\"}}]", RL_ERROR_FORMAT, "defines 'linear' again"},
        {MODEL, "\"name\": \"linear_1\"}, {\"target\"", "\"name\": \"linear\"}, {\"target\"", RL_ERROR_FORMAT,
         "another node has this name"},
    };
    check_changes("shared_storage", changes, sizeof changes / sizeof changes[0]);
}

static void signatures(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {MODEL, "{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": \"matmul\"}}}}",
         "{\"buffer_mutation\": {\"arg\": {\"name\": \"matmul\"}, \"buffer_name\": \"tale\"}}", RL_ERROR_FORMAT,
         "the model changes 'tale', which is not one of its buffers"},
        {MODEL, "{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": \"matmul\"}}}}",
         "{\"buffer_mutation\": {\"arg\": {\"name\": \"matmal\"}, \"buffer_name\": \"tail\"}}", RL_ERROR_FORMAT,
         "uses 'matmal'"},
        {MODEL, "{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": \"matmul\"}}}}",
         "{\"token\": {\"arg\": {\"name\": \"matmul\"}}}", RL_ERROR_UNSUPPORTED,
         "an output of kind 'token'; accepted: user_output, buffer_mutation, user_input_mutation"},
        {MODEL, "{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": \"matmul\"}}}}",
         "{\"user_output\": {\"arg\": {\"as_int\": 3}}}", RL_ERROR_UNSUPPORTED, "output 0 of the model is 'as_int'"},
        {MODEL, "{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": \"matmul\"}}}}",
         "{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": \"matmal\"}}}}", RL_ERROR_FORMAT, "uses 'matmal'"},
        {MODEL, "{\"parameter\": {", "{\"custom_obj\": {", RL_ERROR_UNSUPPORTED, "an input of kind 'custom_obj'"},
        {MODEL, "\"parameter_name\"", "\"parameter_nome\"", RL_ERROR_FORMAT, "'parameter_name', found nothing"},
        {MODEL, "{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"x\"}}}}",
         "{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"b_tail\"}}}}", RL_ERROR_FORMAT, "defined twice"},
    };
    check_changes("shared_storage", changes, sizeof changes / sizeof changes[0]);
}

static void weights_and_their_types(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {WEIGHTS, "\"path_name\": \"weight_1\"", "\"path_name\": \"weight_9\"", RL_OK, ""}, // of the name nobody uses
        {WEIGHTS, "\"second.weight\": {\"path_name\": \"weight_1\"", "\"second.weight\": {\"path_name\": \"weight_9\"",
         RL_ERROR_FORMAT, "data/weights/weight_9' is missing"},
        {WEIGHTS, "\"second.weight\"", "\"third.weight\"", RL_ERROR_FORMAT,
         "weight 'second.weight': not in the weights nor constants"},
        {WEIGHTS, "\"storage_offset\": {\"as_int\": 20}", "\"storage_offset\": {\"as_int\": 21}", RL_ERROR_FORMAT,
         "weight 'tail': needs more than the 96 bytes that are stored"},
        {WEIGHTS, "\"storage_offset\": {\"as_int\": 20}", "\"storage_offset\": {\"as_int\": -4}", RL_ERROR_FORMAT,
         "weight 'tail': its sizes, strides or offset are impossible"},
        {WEIGHTS, "\"storage_offset\": {\"as_int\": 20}", "\"storage_offset\": {\"as_int\": 9223372036854775807}",
         RL_ERROR_FORMAT, "weight 'tail': needs more"},
        {WEIGHTS, "\"strides\": [{\"as_int\": 2}]", "\"strides\": [{\"as_int\": 9223372036854775807}]", RL_ERROR_FORMAT,
         "weight 'every_other': needs more"},
        {WEIGHTS, "\"strides\": [{\"as_int\": 2}]", "\"strides\": []", RL_ERROR_FORMAT, "impossible"},
        {WEIGHTS, "\"tail\": {\"path_name\": \"weight_2\", \"is_param\": false, \"use_pickle\": false",
         "\"tail\": {\"path_name\": \"weight_2\", \"is_param\": false, \"use_pickle\": true", RL_ERROR_UNSUPPORTED,
         "weight 'tail': is stored as a Python pickle"},
        {WEIGHTS,
         "\"second.weight\": {\"path_name\": \"weight_1\", \"is_param\": true, \"use_pickle\": false, "
         "\"tensor_meta\": {\"dtype\": 7",
         "\"second.weight\": {\"path_name\": \"weight_1\", \"is_param\": true, \"use_pickle\": false, "
         "\"tensor_meta\": {\"dtype\": 10",
         RL_ERROR_UNSUPPORTED, "weight 'second.weight': has dtype 10"},
        {WEIGHTS,
         "\"second.weight\": {\"path_name\": \"weight_1\", \"is_param\": true, \"use_pickle\": false, "
         "\"tensor_meta\": {\"dtype\": 7",
         "\"second.weight\": {\"path_name\": \"weight_1\", \"is_param\": true, \"use_pickle\": false, "
         "\"tensor_meta\": {\"dtype\": 4",
         RL_ERROR_FORMAT, "its type differs between the graph and the weights"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        if (changes[i].status != RL_OK) {
            check_changes("shared_storage", &changes[i], 1);
        }
    }
    struct pt2_archive archive;
    load_fixture(&archive, "shared_storage");
    pt2_replace(&archive, changes[0].member, changes[0].text, changes[0].replacement);
    pt2_save(&archive, changed_path, false);
    pt2_free(&archive);
    pt2_expect_read(changed_path);
}

static void impossible_tensors(void **state)
{
    (void)state;
    static const char sizes[] = "\"x\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 2}, {\"as_int\": 4}]";
    static const struct change changes[] = {
        {MODEL, sizes, "\"x\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 4611686018427387904}, {\"as_int\": 4}]",
         RL_ERROR_FORMAT, "tensor 'x': its sizes, strides or offset are impossible"},
        {MODEL, sizes, "\"x\": {\"dtype\": 10, \"sizes\": [{\"as_int\": 2}, {\"as_int\": 4}]", RL_ERROR_UNSUPPORTED,
         "tensor 'x': has dtype 10"},
        {MODEL, sizes, "\"x\": {\"dtype\": 7, \"sizes\": [{\"as_int\": -2}, {\"as_int\": 4}]", RL_ERROR_FORMAT,
         "impossible"},
        {MODEL, sizes, "\"x\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 2}]", RL_ERROR_FORMAT, "impossible"},
        {MODEL, sizes, "\"x\": {\"dtype\": 7, \"sizes\": 2", RL_ERROR_FORMAT, "expected an array 'sizes'"},
        {MODEL, sizes, "\"x\": {\"dtype\": 30, \"sizes\": [{\"as_int\": 2}, {\"as_int\": 4}]", RL_ERROR_UNSUPPORTED,
         "tensor 'x': has dtype 30"},
        {MODEL, sizes,
         "\"x\": {\"dtype\": 7, \"sizes\": [{\"as_expr\": {\"expr_str\": \"Symbol('s7', integer=True)\", "
         "\"hint\": "
         "null}}, {\"as_int\": 4}]",
         RL_ERROR_UNSUPPORTED, "tensor 'x': has the dynamic size 's7'; accepted: fixed sizes"},
        {MODEL, "\"tensor_values\"", "\"tensor_vilues\"", RL_ERROR_FORMAT, "'tensor_values'"},
        {MODEL, "{\"graph_module\"", "[1, {\"graph_module\"", RL_ERROR_FORMAT, "model.json:"},
        {MODEL, "{\"graph_module\"", "{\"graph_module\": 1, \"x\"", RL_ERROR_FORMAT,
         "'graph_module', found an integer"},
    };
    check_changes("shared_storage", changes, sizeof changes / sizeof changes[0]);
}

static void models_that_no_program_can_hold(void **state)
{
    (void)state;
    static const struct {
        const char *fixture, *message;
    } cases[] = {{"control_flow", "node 'cond' (torch.ops.higher_order.cond): control flow"},
                 {"dynamic", "tensor 'x': has the dynamic size 's"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/pt2/%s.pt2", RL_FIXTURES, cases[i].fixture);
        pt2_expect_refused(path, RL_ERROR_UNSUPPORTED, cases[i].message);
    }
}

static void missing_members(void **state)
{
    (void)state;
    static const struct {
        const char *member;
        enum rl_status status;
        const char *message;
    } cases[] = {{"weights/weight_1", RL_ERROR_FORMAT, "data/weights/weight_1' is missing"},
                 {"weights/weight_0", RL_OK, NULL}, // of the parameter that nothing reads
                 {WEIGHTS, RL_ERROR_FORMAT, "model_weights_config.json' is missing"},
                 {"model_constants_config.json", RL_ERROR_FORMAT, "weight 'volatile': not in the weights"},
                 {MODEL, RL_ERROR_FORMAT, "models/model.json' is missing"},
                 {"archive_format", RL_ERROR_FORMAT, "no member 'archive_format'"},
                 {"archive_version", RL_ERROR_FORMAT, "archive_version' is missing"},
                 {"byteorder", RL_OK, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pt2_archive archive;
        load_fixture(&archive, "shared_storage");
        pt2_remove(&archive, cases[i].member);
        pt2_save(&archive, changed_path, false);
        pt2_free(&archive);
        if (cases[i].status == RL_OK) {
            pt2_expect_read(changed_path);
        } else {
            pt2_expect_refused(changed_path, cases[i].status, cases[i].message);
        }
    }
}

// A bomb must cost no more than its own length.
static void deep_and_large_json(void **state)
{
    (void)state;
    enum { DEPTH = 500000 };
    char *brackets = malloc(DEPTH);
    assert_non_null(brackets);
    memset(brackets, '[', DEPTH);
    struct pt2_archive archive;
    load_fixture(&archive, "shared_storage");
    pt2_set(&archive, MODEL, brackets, DEPTH);
    pt2_save(&archive, changed_path, true);
    pt2_expect_refused(changed_path, RL_ERROR_FORMAT, "maximum parsing depth");
    pt2_set(&archive, MODEL, "", 0);
    pt2_save(&archive, changed_path, false);
    pt2_expect_refused(changed_path, RL_ERROR_FORMAT, "model.json:1:");
    pt2_set(&archive, MODEL, "{\"a\": \"\0\"}", 10);
    pt2_save(&archive, changed_path, false);
    pt2_expect_refused(changed_path, RL_ERROR_FORMAT, "model.json:1:");
    pt2_free(&archive);
    free(brackets);
}

// Overwrites a field of every entry in the central directory and, for the two that must agree, of the members' headers.
static void patch_entries(char *data, size_t size, size_t field, size_t bytes, uint64_t value)
{
    const bool in_header = field == 8 || field == 10; // flags and method stand two bytes earlier there
    for (size_t i = 0; i + 46 <= size; i++) {
        const bool is_entry = memcmp(data + i, "PK\1\2", 4) == 0;
        const bool is_header = in_header && memcmp(data + i, "PK\3\4", 4) == 0;
        for (size_t k = 0; k < bytes && (is_entry || is_header); k++) {
            data[i + field - (is_header ? 2 : 0) + k] = (char)(value >> (8 * k));
        }
    }
}

static void archives_with_other_members(void **state)
{
    (void)state;
    static const struct {
        size_t field, bytes; // in the central directory
        uint64_t value;
        enum rl_status status;
        const char *message;
    } cases[] = {{8, 2, 1, RL_ERROR_UNSUPPORTED, "is encrypted; accepted: members without encryption"},
                 {10, 2, 97, RL_ERROR_UNSUPPORTED, "has compression method 97; accepted: 0 (stored), 8 (deflated)"},
                 {24, 4, 0xfffffff0, RL_ERROR_FORMAT, "cannot be 4294967280 bytes"},
                 {16, 4, 12345, RL_ERROR_FORMAT, "is damaged: CRC error"}};
    char path[512];
    snprintf(path, sizeof path, "%s/pt2/shared_storage.pt2", RL_FIXTURES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size;
        char *data = pt2_read_file(path, &size);
        patch_entries(data, size, cases[i].field, cases[i].bytes, cases[i].value);
        pt2_write_file(changed_path, data, size);
        free(data);
        pt2_expect_refused(changed_path, cases[i].status, cases[i].message);
    }
}

static void other_files(void **state)
{
    (void)state;
    pt2_expect_refused("no_such_file.pt2", RL_ERROR_IO, "No such file");
    pt2_write_file(changed_path, "", 0);
    pt2_expect_refused(changed_path, RL_ERROR_FORMAT, "ZIP archive");
    pt2_write_file(changed_path, "ET12 not zip data.", 18);
    pt2_expect_refused(changed_path, RL_ERROR_FORMAT, "cannot open as a .pt2 (a ZIP archive)");

    struct pt2_archive archive;
    load_fixture(&archive, "shared_storage");
    pt2_remove(&archive, "archive_format");
    strcpy(pt2_find(&archive, "weight_0")->name, "m/data.pkl");
    pt2_save(&archive, changed_path, false);
    pt2_expect_refused(changed_path, RL_ERROR_UNSUPPORTED, "a file of torch.save or torch.jit.save");
    pt2_free(&archive);
}

static void the_folder_in_the_archive_may_have_any_name(void **state)
{
    (void)state;
    struct pt2_archive archive;
    load_fixture(&archive, "shared_storage");
    for (int i = 0; i < archive.count; i++) {
        memcpy(archive.members[i].name, "another.v1.pt2", 14);
    }
    pt2_save(&archive, changed_path, true);
    pt2_expect_read(changed_path);
    for (int i = 0; i < archive.count; i++) {
        memmove(archive.members[i].name, archive.members[i].name + 15, strlen(archive.members[i].name) - 14);
    }
    pt2_save(&archive, changed_path, false);
    pt2_expect_read(changed_path);
    pt2_free(&archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_and_marks),
        cmocka_unit_test(bombs),
        cmocka_unit_test(operators_and_arguments),
        cmocka_unit_test(signatures),
        cmocka_unit_test(weights_and_their_types),
        cmocka_unit_test(impossible_tensors),
        cmocka_unit_test(models_that_no_program_can_hold),
        cmocka_unit_test(missing_members),
        cmocka_unit_test(deep_and_large_json),
        cmocka_unit_test(archives_with_other_members),
        cmocka_unit_test(other_files),
        cmocka_unit_test(the_folder_in_the_archive_may_have_any_name),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    remove(changed_path);
    return failures;
}
