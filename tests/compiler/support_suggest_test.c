// SPDX-License-Identifier: Apache-2.0
//
// What is suggested for misspelt names, and that nothing is where nothing is close.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/support/suggest.h"

static const char *const verbs[] = {"compile", "run", "evaluate", "check", "inspect", "plan", "targets"};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static void expect(const char *given, const char *expected)
{
    char text[RL_SUGGEST_TEXT_BYTES];
    assert_string_equal(rl_suggest(text, given, verbs, VERBS), expected);
}

static void each_kind_of_slip_is_one_step(void **state)
{
    (void)state;
    expect("compiel", " (did you mean 'compile'?)"); // swapped
    expect("complie", " (did you mean 'compile'?)"); // swapped
    expect("rn", " (did you mean 'run'?)");          // left out
    expect("runn", " (did you mean 'run'?)");        // added
    expect("chack", " (did you mean 'check'?)");     // replaced
    expect("ispekt", " (did you mean 'inspect'?)");  // two of them
    expect("Targets", " (did you mean 'targets'?)"); // of another case
    expect("eva", " (did you mean 'evaluate'?)");    // a beginning
    expect("recompilation", "");
}

static void far_words_get_no_suggestion(void **state)
{
    (void)state;
    char longer[RL_SUGGEST_LENGTH + 2];
    memset(longer, 'c', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    expect("train", "");
    expect("", "");
    expect("e", "");
    expect("ru1!", "");
    expect(longer, "");
    expect("xyz", "");
}

// A slip that several names explain equally well names them in their order, but not a whole list.
static void ties_are_named_in_order_or_not_at_all(void **state)
{
    (void)state;
    static const char *const cores[] = {"m0", "m3", "m4", "m7", "m33", "m55"};
    char text[RL_SUGGEST_TEXT_BYTES];

    assert_string_equal(rl_suggest(text, "m35", cores, 6), " (did you mean 'm3' or 'm33' or 'm55'?)");
    assert_string_equal(rl_suggest(text, "m5", cores, 6), "");
    assert_string_equal(rl_suggest(text, "m5", cores + 4, 2), " (did you mean 'm55'?)");
    assert_string_equal(rl_suggest(text, "m5", cores, 0), "");
}

// The longest names there can be fit into the text.
static void long_names_fit(void **state)
{
    (void)state;
    char names[3][RL_SUGGEST_LENGTH + 1], text[RL_SUGGEST_TEXT_BYTES];
    const char *const list[] = {names[0], names[1], names[2]};

    for (int i = 0; i < 3; i++) {
        memset(names[i], 'a', RL_SUGGEST_LENGTH);
        names[i][0] = (char)('b' + i);
        names[i][RL_SUGGEST_LENGTH] = '\0';
    }
    rl_suggest(text, names[0] + 1, list, 3);
    assert_in_range(strlen(text), 3 * RL_SUGGEST_LENGTH, RL_SUGGEST_TEXT_BYTES - 1);
    assert_non_null(strstr(text, names[2]));
    assert_string_equal(text + strlen(text) - 2, "?)");
}

// Dashes are not letters: a short option is not close because of them.
static void options_are_compared_without_dashes(void **state)
{
    (void)state;
    static const char *const options[] = {"--mean", "--quantize", "--quantizer", "--std"};
    char text[RL_SUGGEST_TEXT_BYTES];

    assert_string_equal(rl_suggest(text, "--quan", options, 4), " (did you mean '--quantize' or '--quantizer'?)");
    assert_string_equal(rl_suggest(text, "--maen", options, 4), " (did you mean '--mean'?)");
    assert_string_equal(rl_suggest(text, "--qq", options, 4), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_slip_is_one_step),
        cmocka_unit_test(far_words_get_no_suggestion),
        cmocka_unit_test(options_are_compared_without_dashes),
        cmocka_unit_test(ties_are_named_in_order_or_not_at_all),
        cmocka_unit_test(long_names_fit),
    };
    return cmocka_run_group_tests_name("suggest", tests, NULL, NULL);
}
