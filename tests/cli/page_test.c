// SPDX-License-Identifier: Apache-2.0
//
// `rushlight report`: the page says what the other verbs say, loads nothing, and names in a program stay text.
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
#include "format/checksum.h"
#include "format/pte.h"
#include "support/process.h"

#define GATES       RL_FIXTURES "/reports/gates.pt2"
#define GATES_CALIB RL_FIXTURES "/reports/gates.calib.npz"
#define NAMED       RL_FIXTURES "/names/residual.pt2"

static char program[256]; // with names of layers, compiled for M4

static char *read_text(const char *path)
{
    size_t size;
    char *bytes = (char *)rl_read_bytes(path, &size);
    assert_non_null(bytes);
    char *text = malloc(size + 1);
    assert_non_null(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    free(bytes);
    return text;
}

// The page of a program, with an option and its value or NULL.
static char *page_of(const char *model, const char *option, const char *value)
{
    const char *path = rl_temporary_path("page.html");
    struct rl_process process =
        rl_process_run(rl_program_under_test(), (const char *[]){"report", model, "-o", path, option, value, NULL});
    if (process.status != 0) {
        fail_msg("status %d: %s", process.status, process.err);
    }
    rl_process_free(&process);
    return read_text(path);
}

// The data in a page, parsed.
static json_t *data_of(const char *page)
{
    static const char start[] = "<script type=\"application/json\" id=\"data\">";
    const char *begin = strstr(page, start);
    assert_non_null(begin);
    begin += sizeof start - 1;
    const char *end = strstr(begin, "</script>");
    assert_non_null(end);
    json_t *data = json_loadb(begin, (size_t)(end - begin), 0, NULL);
    assert_non_null(data);
    return data;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part))) {
        text += strlen(part);
        count++;
    }
    return count;
}

static json_t *say(const char *const *words)
{
    return rl_process_json(rl_program_under_test(), words);
}

// ---- what the page says

static void data_are_those_of_other_verbs(void **state)
{
    (void)state;
    char *page = page_of(program, "--board", "nano-33-ble");
    json_t *data = data_of(page);
    json_t *inspect = say((const char *[]){"inspect", program, "--json", NULL});
    json_t *profile = say((const char *[]){"profile", program, "--board", "nano-33-ble", "--json", NULL});
    json_t *fit = say((const char *[]){"fit", program, "--board", "nano-33-ble", "--json", NULL});
    assert_true(json_equal(json_object_get(data, "inspect"), inspect));
    assert_true(json_equal(json_object_get(data, "profile"), profile));
    assert_true(json_equal(json_object_get(data, "fit"), fit));
    assert_true(json_is_null(json_object_get(data, "not_measured")));
    json_decref(fit);
    json_decref(profile);
    json_decref(inspect);
    json_decref(data);
    free(page);
}

static void essentials_are_elements(void **state)
{
    (void)state;
    char *page = page_of(program, "--board", "nano-33-ble");
    json_t *data = data_of(page);
    const json_t *inspect = json_object_get(data, "inspect");
    const char *body = strstr(page, "<body>");
    char peak[64];
    assert_non_null(strstr(body, "Fits Arduino Nano 33 BLE"));
    assert_int_equal(count_of(body, "<details class=\"op\""),
                     json_array_size(json_object_get(inspect, "instructions")));
    assert_int_equal(count_of(body, "<rect class=\"t "), json_array_size(json_object_get(inspect, "memory_map")));
    snprintf(peak, sizeof peak, "peak: %lld bytes",
             (long long)integer(json_object_get(inspect, "memory_peak"), "bytes"));
    assert_non_null(strstr(body, peak));
    assert_non_null(strstr(body, "<code>layer1</code> <small>9 operators"));
    assert_int_equal(count_of(body, "<code>layer1.1.conv2</code></td>"), 1);
    json_decref(data);
    free(page);
}

static void too_small_a_board_is_told(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("small.html");
    struct rl_process process =
        rl_process_run(rl_program_under_test(), (const char *[]){"report", program, "-o", path, "--core", "m4",
                                                                 "--flash", "16K", "--ram", "64K", NULL});
    char *page = read_text(path);
    assert_int_equal(process.status, 0);
    assert_non_null(strstr(page, "Does not fit what was asked for on cortex-m4 · too much flash</p>"));
    free(page);
    rl_process_free(&process);
}

static void compile_writes_the_page(void **state)
{
    (void)state;
    const char *page_path = rl_temporary_path("compiled.html"), *output = rl_temporary_path("gates.pte");
    json_t *report = say((const char *[]){"compile", GATES, "-o", output, "--calibrate", GATES_CALIB, "--target", "m4",
                                          "--report", page_path, "--quantizer", "stock", "--json", NULL});
    json_t *profile = say((const char *[]){"profile", output, "--on", "cortex-m4", "--json", NULL});
    char *page = read_text(page_path);
    json_t *data = data_of(page);
    const json_t *group = json_array_get(json_object_get(report, "fp32_groups"), 0);
    json_object_del(report, "seconds");
    assert_true(json_equal(json_object_get(data, "compilation"), report));
    assert_true(json_equal(json_object_get(data, "profile"), profile));
    assert_non_null(group);
    assert_non_null(strstr(page, "of the work) stay"));
    json_decref(data);
    free(page);
    json_decref(profile);
    json_decref(report);
}

static void errors_are_those_of_evaluate(void **state)
{
    (void)state;
    const char *digits = rl_temporary_path("digits.pte"), *path = rl_temporary_path("errors.html");
    json_decref(compile(digits, NULL, NULL));
    const char *const words[] = {"report", digits, "-o", path, "--model", MODEL, "--data", TEST_DATA, "--json", NULL};
    json_t *first = say(words);
    char *page = read_text(path);
    json_t *data = data_of(page), *again = say(words);
    json_t *evaluation = say((const char *[]){"evaluate", MODEL, digits, "--data", TEST_DATA, "--json", NULL});
    const json_t *culprits = json_object_get(evaluation, "culprits");
    assert_true(json_equal(json_object_get(data, "evaluation"), evaluation));
    assert_true(json_equal(data, first));
    assert_true(json_equal(data, again));
    assert_true(json_array_size(culprits) > 1);
    assert_non_null(strstr(page, "<h3>Culprits</h3>"));
    assert_non_null(strstr(page, "<h3>Error of each layer</h3>"));
    json_decref(evaluation);
    json_decref(again);
    json_decref(data);
    free(page);
    json_decref(first);
}

// Jumps and moves call no operator: what operators take must not be shown for them.
static void branches_keep_their_places(void **state)
{
    (void)state;
    char *page = page_of(RL_FIXTURES "/programs/branch.pte", "--core", "m4");
    json_t *data = data_of(page);
    const json_t *calls = json_object_get(json_object_get(data, "inspect"), "instructions"), *call;
    const json_t *operators = json_object_get(json_object_get(data, "profile"), "ops");
    size_t index;
    assert_true(json_array_size(operators) < json_array_size(calls));
    json_array_foreach(calls, index, call)
    {
        char start[64];
        snprintf(start, sizeof start, "<details class=\"op\" data-index=\"%zu\">", index);
        assert_int_equal(count_of(page, start), 1);
        const char *cost = strstr(strstr(page, start), "<span class=\"cost\">");
        assert_non_null(cost);
        cost += strlen("<span class=\"cost\">");
        if (!json_object_get(call, "index")) {
            assert_memory_equal(cost, "</span>", strlen("</span>"));
        }
    }
    json_decref(data);
    free(page);
}

// The histograms count each weight once, and are drawn.
static void expect_histograms(const char *page, const json_t *data, const char *role, size_t least)
{
    const json_t *tensors = json_object_get(json_object_get(data, "histograms"), "tensors"), *tensor, *bin;
    size_t index, k, found = 0;
    json_array_foreach(tensors, index, tensor)
    {
        json_int_t sum = 0;
        json_array_foreach(json_object_get(tensor, "bins"), k, bin)
        {
            sum += json_integer_value(bin);
        }
        assert_int_equal(json_array_size(json_object_get(tensor, "bins")), 64);
        assert_int_equal(sum, integer(tensor, "count"));
        assert_true(integer(tensor, "least") <= integer(tensor, "most"));
        assert_true(integer(tensor, "at_lowest") + integer(tensor, "at_highest") <= sum);
        found += strcmp(json_string_value(json_object_get(tensor, "role")), role) == 0;
    }
    assert_true(found >= least);
    assert_int_equal(count_of(page, "<svg class=\"histogram\""), json_array_size(tensors));
}

static void weights_have_histograms(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("digits.pte");
    json_decref(say((const char *[]){"compile", MODEL, "--calibrate", CALIBRATION, "--target", "any", "-o", path,
                                     "--json", NULL})); // its weights have the usual order
    char *page = page_of(path, NULL, NULL);
    json_t *data = data_of(page);
    const json_t *tensor, *tensors = json_object_get(json_object_get(data, "histograms"), "tensors");
    size_t index;
    json_int_t weights = 0;
    expect_histograms(page, data, "weights", 7);
    json_array_foreach(tensors, index, tensor)
    {
        weights += integer(tensor, "count");
        assert_true(integer(tensor, "most") == 127 || integer(tensor, "least") <= -127); // the largest fills the grid
    }
    // 3 x 3 filters: 1 to 16, 16 to 16 twice, 16 alone; 1 x 1 from 16 to 32; layers of 32 to 32 and to 10.
    assert_int_equal(weights, 9 * 16 + 2 * 9 * 256 + 9 * 16 + 16 * 32 + 32 * 32 + 32 * 10);
    assert_non_null(strstr(page, "Results need samples"));
    json_decref(data);
    free(page);
}

// The samples of the calibration, on grids that the quantizer chose.
static void compile_shows_activations_on_their_grids(void **state)
{
    (void)state;
    const char *html = rl_temporary_path("compiled.html");
    json_decref(say(
        (const char *[]){"compile", NAMED, "-o", rl_temporary_path("compiled.pte"), "--report", html, "--json", NULL}));
    char *page = read_text(html);
    json_t *data = data_of(page);
    const json_t *tensor, *tensors = json_object_get(json_object_get(data, "histograms"), "tensors");
    size_t index, with_grid = 0;
    expect_histograms(page, data, "results", 9);
    assert_int_equal(integer(json_object_get(data, "histograms"), "samples"), 1); // that in the model
    json_array_foreach(tensors, index, tensor)
    {
        with_grid += json_is_real(json_object_get(tensor, "scale")) && number(tensor, "scale") > 0;
    }
    assert_true(with_grid >= 8);
    assert_non_null(strstr(page, ", step "));
    json_decref(data);
    free(page);
}

// Modules are folded in modules; one that holds nothing but another is not shown.
static void modules_are_folded_in_modules(void **state)
{
    (void)state;
    char *page = page_of(program, NULL, NULL);
    const char *outer = strstr(page, "<summary><code>layer1</code> <small>9 operators");
    assert_non_null(outer);
    assert_int_equal(count_of(outer, "<summary><code>layer1.0</code> <small>3 operators"), 2); // it runs twice
    assert_int_equal(count_of(outer, "<summary><code>layer1.1</code> <small>3 operators"), 1);
    assert_int_equal(count_of(page, "<details"), count_of(page, "</details>"));
    free(page);
}

static void a_program_with_its_data_has_a_page(void **state)
{
    (void)state;
    const char *words[] = {"report",
                           RL_FIXTURES "/programs/external.pte",
                           "--program-data",
                           RL_FIXTURES "/programs/external.ptd",
                           "-o",
                           rl_temporary_path("external.html"),
                           "--core",
                           "m4",
                           "--json",
                           NULL};
    json_t *data = say(words);
    const json_t *fit = json_object_get(data, "fit"), *profile = json_object_get(data, "profile");
    assert_true(json_is_null(json_object_get(data, "not_measured")));
    // The data lie in flash, too.
    assert_int_equal(integer(profile, "data_bytes"), 904);
    assert_int_equal(integer(fit, "flash_bytes"),
                     integer(profile, "program_bytes") + 904 + integer(profile, "code_bytes"));
    json_decref(data);
}

static void without_a_core_the_page_says_so(void **state)
{
    (void)state;
    char *page = page_of(program, NULL, NULL), *again = page_of(program, NULL, NULL);
    json_t *data = data_of(page);
    assert_string_equal(page, again);
    assert_non_null(strstr(page, "Not measured on a core."));
    assert_non_null(strstr(page, "<code>--board</code> or <code>--core</code>"));
    assert_true(json_is_null(json_object_get(data, "profile")));
    assert_true(strlen(page) < 128 * 1024);
    json_decref(data);
    free(again);
    free(page);
}

// ---- strangers

static void page_loads_nothing(void **state)
{
    (void)state;
    static const char *const forbidden[] = {"http:", "https:", "//cdn", "src=", "href=", "url(", "@import", "fetch("};
    char *page = page_of(program, "--board", "nano-33-ble");
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        if (strstr(page, forbidden[i])) {
            fail_msg("the page has '%s'", forbidden[i]);
        }
    }
    assert_non_null(strstr(page, "content=\"default-src 'none'; "));
    free(page);
}

// Writes the program with another name for a layer, of the same length, and a right checksum.
static void rename_layer(const char *path, const char *name)
{
    static const char before[] = "layer1.0.conv1";
    size_t size, changed = 0;
    unsigned char *bytes = rl_read_bytes(program, &size);
    assert_non_null(bytes);
    assert_int_equal(strlen(name), sizeof before - 1);
    for (size_t i = 0; i + sizeof before <= size; i++) {
        if (memcmp(bytes + i, before, sizeof before) == 0) {
            memcpy(bytes + i, name, sizeof before);
            changed++;
        }
    }
    assert_true(changed > 0);
    const uint32_t checksum = rl_pte_checksum(bytes, (uint32_t)size);
    for (int i = 0; i < 4; i++) {
        bytes[RL_PTE_CHECKSUM_OFFSET + i] = (uint8_t)(checksum >> (8 * i));
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
}

static void names_stay_text(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"</script><b>&'", "&lt;/script&gt;&lt;b&gt;&amp;&#39;"},
        {"\" onload=\"x() ", "&quot; onload=&quot;x() "},
        {"<!--<script>--", "&lt;!--&lt;script&gt;--"},
        {"{{script}}{{x}", "{{script}}{{x}"},
        {"\xe2\x80\xa8\xe2\x80\xa9</a></b>", "&lt;/a&gt;&lt;/b&gt;"},
    };
    char *plain = page_of(program, "--core", "m4");
    const size_t elements = count_of(plain, "<");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = rl_temporary_path("hostile.pte");
        rename_layer(path, names[i][0]);
        char *page = page_of(path, "--core", "m4");
        json_t *data = data_of(page);
        const json_t *calls = json_object_get(json_object_get(data, "inspect"), "instructions");
        assert_string_equal(json_string_value(json_object_get(json_array_get(calls, 3), "layer")), names[i][0]);
        assert_non_null(strstr(page, names[i][1]));
        assert_null(strstr(strstr(page, "id=\"data\""), "\xe2\x80\xa8"));
        // Folding by module differs, because the first component of the name does; nothing else may.
        const size_t modules = count_of(page, "<details class=\"module\"");
        const size_t folded = count_of(plain, "<details class=\"module\"");
        const size_t summaries = 2 * 4; // details, summary and small, each with its end, and code
        assert_int_equal(count_of(page, "<") - elements, summaries * (modules - folded));
        json_decref(data);
        free(page);
    }
    free(plain);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("none.html");
    struct rl_process process =
        rl_process_run(rl_program_under_test(), (const char *[]){"report", NAMED, "-o", path, NULL});
    size_t size;
    assert_int_equal(process.status, 1);
    assert_non_null(strstr(process.err, "this is not a .pte"));
    assert_null(rl_read_bytes(path, &size));
    rl_process_free(&process);
}

// ---- contrast

// The colour of a variable in a part of the style, as relative luminance (WCAG 2.1).
static double luminance(const char *style, const char *name)
{
    char start[16];
    unsigned rgb[3];
    double sum = 0;
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    snprintf(start, sizeof start, "--%s: #", name);
    const char *at = strstr(style, start);
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(start), "%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]), 3);
    for (int i = 0; i < 3; i++) {
        const double share = rgb[i] / 255.0;
        sum += weights[i] * (share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static void contrast_is_enough(void **state)
{
    (void)state;
    // Text needs 4.5 : 1, what is drawn 3 : 1 (WCAG 2.1, 1.4.3 and 1.4.11, level AA).
    static const struct {
        const char *over, *under;
        double least;
    } pairs[] = {{"text", "back", 4.5},  {"text", "panel", 4.5}, {"faint", "back", 4.5}, {"faint", "panel", 4.5},
                 {"good", "panel", 4.5}, {"bad", "panel", 4.5},  {"good", "back", 4.5},  {"bad", "back", 4.5},
                 {"mark", "panel", 4.5}, {"on", "c0", 4.5},      {"on", "c1", 4.5},      {"on", "c2", 4.5},
                 {"on", "c3", 4.5},      {"on", "c4", 4.5},      {"on", "c5", 4.5},      {"bar", "line", 3},
                 {"bad", "line", 3},     {"mark", "c0", 3}};
    char *page = page_of(program, NULL, NULL);
    const char *const modes[] = {strstr(page, ":root"), strstr(page, "prefers-color-scheme: dark")};
    for (size_t i = 0; i < 2 * sizeof pairs / sizeof *pairs; i++) {
        const size_t k = i / 2;
        assert_non_null(modes[i % 2]);
        const double a = luminance(modes[i % 2], pairs[k].over), b = luminance(modes[i % 2], pairs[k].under);
        const double ratio = (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
        if (ratio < pairs[k].least) {
            fail_msg("%s on %s: %.2f in mode %zu", pairs[k].over, pairs[k].under, ratio, i % 2);
        }
    }
    free(page);
}

static int compile_named(void **state)
{
    (void)state;
    snprintf(program, sizeof program, "%s", rl_temporary_path("named.pte"));
    json_decref(say((const char *[]){"compile", NAMED, "-o", program, "--target", "cortex-m4", "--json", NULL}));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_are_those_of_other_verbs),
        cmocka_unit_test(essentials_are_elements),
        cmocka_unit_test(too_small_a_board_is_told),
        cmocka_unit_test(compile_writes_the_page),
        cmocka_unit_test(errors_are_those_of_evaluate),
        cmocka_unit_test(branches_keep_their_places),
        cmocka_unit_test(weights_have_histograms),
        cmocka_unit_test(compile_shows_activations_on_their_grids),
        cmocka_unit_test(modules_are_folded_in_modules),
        cmocka_unit_test(a_program_with_its_data_has_a_page),
        cmocka_unit_test(without_a_core_the_page_says_so),
        cmocka_unit_test(page_loads_nothing),
        cmocka_unit_test(names_stay_text),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(contrast_is_enough),
    };
    return cmocka_run_group_tests(tests, compile_named, NULL);
}
