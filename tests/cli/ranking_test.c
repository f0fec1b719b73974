// SPDX-License-Identifier: Apache-2.0
//
// `run --top` and `--labels`: the likeliest classes of each sample in order, with names and where they come from.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "support/process.h"

#define DIGITS  RL_FIXTURES "/media/digits"
#define SOFTMAX RL_FIXTURES "/quantize/patterns.pt2"
#define IMAGE   RL_FIXTURES "/graphs/unsigned.pt2"
#define NAMES   "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine"

static const char *program;

static int compile_digits(void **state)
{
    (void)state;
    program = rl_temporary_path("digits.pte");
    json_decref(compile(program, NULL, NULL));
    return 0;
}

static const char *write_text(const char *name, const char *text)
{
    const char *path = rl_temporary_path(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void classes_are_ranked(void **state)
{
    (void)state;
    static const char *const digits[] = {"seven", "six", "three", "seven", "seven"};
    const char *labels = write_text("labels.txt", NAMES "\n");
    json_t *report = rl_process_json(rl_program_under_test(), (const char *[]){"run", program, "--input", DIGITS,
                                                                               "--labels", labels, "--json", NULL});
    const json_t *classes = json_object_get(report, "classes");
    const json_t *data = json_object_get(json_array_get(json_object_get(report, "outputs"), 0), "data");

    assert_int_equal(json_array_size(classes), 8);
    for (size_t i = 0; i < 8; i++) {
        const json_t *sample = json_array_get(classes, i), *top = json_object_get(sample, "top");
        char place[] = "digits/0.png";
        place[7] = (char)('0' + i);
        assert_non_null(strstr(json_string_value(json_object_get(sample, "input")), place));
        assert_int_equal(json_array_size(top), 5);
        assert_true(json_is_false(json_object_get(sample, "probabilities"))); // logits
        for (size_t k = 0; k < 5; k++) {
            const json_t *class = json_array_get(top, k);
            const double score = number(class, "score");
            assert_true(score == json_number_value(json_array_get(data, i * 10 + (size_t)integer(class, "class"))));
            assert_true(k == 0 || score <= number(json_array_get(top, k - 1), "score"));
        }
        if (i < 5) {
            assert_string_equal(json_string_value(json_object_get(json_array_get(top, 0), "label")), digits[i]);
        }
    }
    json_decref(report);
}

static void expect_text(const char *const *words, int status, const char *expected)
{
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    if (process.status != status || !strstr(status == 0 ? process.out : process.err, expected)) {
        fail_msg("expected '%s', found %d and '%s%s'", expected, process.status, process.out, process.err);
    }
    rl_process_free(&process);
}

static void tables_are_for_people(void **state)
{
    (void)state;
    const char *dos = write_text("dos.txt", "\xef\xbb\xbfzero\r\none\r\ntwo\r\nthree\r\nfour\r\nfive\r\nsix\r\n"
                                            "se\033[2Jven\r\neight\r\nnine\r\n\r\n");

    expect_text((const char *[]){"run", program, "--input", DIGITS "/0.png", "--top", "2", NULL}, 0,
                "/0.png (scores)\n      4.866  class 7\n      1.079  class 1\n1 sample on host\n");
    expect_text((const char *[]){"run", program, "--input", DIGITS "/0.png", "--labels", dos, "--top", "1", NULL}, 0,
                "  se?[2Jven\n");
    expect_text((const char *[]){"run", program, "--input", TEST_DATA, "--top", "1", NULL}, 0,
                "test.npz, sample 359 (scores)\n");
    expect_text((const char *[]){"run", program, "--top", "1", NULL}, 0, "zeros (scores)\n");
    expect_text((const char *[]){"run", program, "--top", "99", NULL}, 0, "1 sample on host\n");
}

// The first output of this model comes from a softmax.
static void probabilities_are_told_from_scores(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("softmax.pte");
    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"compile", SOFTMAX, "-o", path, "--json", NULL}));
    json_t *report =
        rl_process_json(rl_program_under_test(), (const char *[]){"run", path, "--top", "3", "--json", NULL});
    const json_t *sample = json_array_get(json_object_get(report, "classes"), 0);
    assert_true(json_is_true(json_object_get(sample, "probabilities")));
    json_decref(report);
    expect_text((const char *[]){"run", path, "--top", "1", NULL}, 0, " %  class ");
}

static void what_cannot_be_ranked_is_told(void **state)
{
    (void)state;
    const char *nine = write_text("nine.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\n"), *none = write_text("none.txt", "");
    const char *image = rl_temporary_path("image.pte");

    expect_text((const char *[]){"run", program, "--labels", nine, NULL}, 1, "nine.txt: 9 names, but output 0 of ");
    expect_text((const char *[]){"run", program, "--labels", nine, NULL}, 1,
                "float32 [1, 10], has 10 classes; accepted: one name a line for each");
    expect_text((const char *[]){"run", program, "--labels", none, NULL}, 1, "none.txt: 0 names");
    expect_text((const char *[]){"run", program, "--labels", "missing.txt", NULL}, 1, "missing.txt: cannot ");
    expect_text((const char *[]){"run", program, "--top", "0", NULL}, 2, "expected a number of classes from 1");
    expect_text((const char *[]){"run", program, "--top", "x", NULL}, 2, "--top: expected a number of classes");
    json_decref(
        rl_process_json(rl_program_under_test(), (const char *[]){"compile", IMAGE, "-o", image, "--json", NULL}));
    expect_text((const char *[]){"run", image, "--top", "1", NULL}, 1,
                "no output has one number a class; output 0 is ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_ranked),
        cmocka_unit_test(tables_are_for_people),
        cmocka_unit_test(probabilities_are_told_from_scores),
        cmocka_unit_test(what_cannot_be_ranked_is_told),
    };
    return cmocka_run_group_tests_name("ranking", tests, compile_digits, NULL);
}
