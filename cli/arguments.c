// SPDX-License-Identifier: Apache-2.0
//
// Command lines from tables, which the parser, the usage and the error messages share.
#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "compiler/support/suggest.h"

enum { HELP = 256, FIRST_OPTION = 257 };

static int option_count(const struct rl_cli_verb *verb)
{
    int count = 0;

    while (verb->options[count].name) {
        count++;
    }
    return count;
}

static int find_option(const struct rl_cli *cli, const char *name)
{
    int count = option_count(cli->verb);

    for (int i = 0; i < count; i++) {
        if (strcmp(cli->verb->options[i].name, name) == 0) {
            return i;
        }
    }
    assert(!"an option of the verb's table");
    return 0;
}

static void print_usage(const struct rl_cli_verb *verb)
{
    printf("usage: rushlight %s %s%s[options]\n%s\n", verb->name, verb->operands, verb->operands[0] ? " " : "",
           verb->summary);
    for (const struct rl_cli_option *option = verb->options; option->name; option++) {
        char left[64];
        if (!option->meaning) {
            continue;
        }
        int width = option->letter ? snprintf(left, sizeof left, "-%c, --%s", option->letter, option->name)
                                   : snprintf(left, sizeof left, "--%s", option->name);
        if (option->value && width > 0 && width < (int)sizeof left) {
            snprintf(left + width, sizeof left - (size_t)width, " %s", option->value);
        }
        printf("  %-34s %s\n", left, option->meaning);
    }
    if (verb->print_more_help) {
        verb->print_more_help();
    }
}

static const char *listed(const struct rl_cli *cli, const char *const *names, int count)
{
    const char *list = "";

    for (int i = 0; i < count; i++) {
        list = rl_arena_format(cli->arena, "%s%s%s", list, i > 0 ? ", " : "", names[i]);
    }
    return list;
}

static int unknown_option(const struct rl_cli *cli, const char *argument)
{
    const int count = option_count(cli->verb);
    const char **names = rl_arena_array(cli->arena, (size_t)count, sizeof *names);
    char close[RL_SUGGEST_TEXT_BYTES];
    int known = 0;

    for (int i = 0; i < count; i++) {
        if (cli->verb->options[i].meaning) {
            names[known++] = rl_arena_format(cli->arena, "--%s", cli->verb->options[i].name);
        }
    }
    const char *name = rl_arena_format(cli->arena, "%.*s", (int)strcspn(argument, "="), argument);
    return rl_cli_usage_error(cli, "option '%s' is not known%s; accepted: %s", name,
                              rl_suggest(close, name, names, known), listed(cli, names, known));
}

static int add_value(struct rl_cli *cli, int index, const char *value)
{
    const struct rl_cli_option *option = &cli->verb->options[index];

    if (cli->value_counts[index] > 0 && option->value && !option->repeated) {
        return rl_cli_usage_error(cli, "--%s is given twice", option->name);
    }
    cli->values[index][cli->value_counts[index]++] = value ? value : "";
    return RL_EXIT_DONE;
}

// The table in the form that getopt_long reads.
static struct option *long_options(struct rl_cli *cli, int count, char *letters)
{
    struct option *options = rl_arena_array(cli->arena, (size_t)count + 2, sizeof *options);

    *letters++ = ':';
    for (int i = 0; i < count; i++) {
        const struct rl_cli_option *option = &cli->verb->options[i];
        options[i] = (struct option){
            .name = option->name, .has_arg = option->value ? required_argument : no_argument, .val = FIRST_OPTION + i};
        if (option->letter) {
            *letters++ = option->letter;
            *letters = ':';
            letters += option->value ? 1 : 0;
        }
    }
    *letters = '\0';
    options[count] = (struct option){.name = "help", .has_arg = no_argument, .val = HELP};
    return options;
}

static int index_of_letter(const struct rl_cli *cli, int letter)
{
    int count = option_count(cli->verb);

    for (int i = 0; i < count; i++) {
        if (cli->verb->options[i].letter == letter) {
            return i;
        }
    }
    return -1;
}

static int check_operands(struct rl_cli *cli, const char *const *operands, int found)
{
    const int least = cli->verb->operand_count, most = least + cli->verb->optional_operand_count;

    if (found < least || found > most) {
        char before[32] = "";
        if (least < most) {
            snprintf(before, sizeof before, least > 0 ? "%d to " : "at most ", least);
        }
        return rl_cli_usage_error(cli, "expected %s%d operand%s%s%s, found %d", before, most, most == 1 ? "" : "s",
                                  most > 0 ? ": " : "", cli->verb->operands, found);
    }
    for (int i = 0; i < found; i++) {
        cli->operands[i] = operands[i];
    }
    return RL_EXIT_DONE;
}

// Room for `words` values of each option.
static void make_room(struct rl_cli *cli, int words)
{
    const int count = option_count(cli->verb);

    cli->operands = rl_arena_array(
        cli->arena, (size_t)(cli->verb->operand_count + cli->verb->optional_operand_count) + 1, sizeof(char *));
    cli->values = rl_arena_array(cli->arena, (size_t)count, sizeof(char **));
    cli->value_counts = rl_arena_array(cli->arena, (size_t)count, sizeof *cli->value_counts);
    for (int i = 0; i < count; i++) {
        cli->values[i] = rl_arena_array(cli->arena, (size_t)words, sizeof(char *));
    }
}

int rl_cli_parse(struct rl_cli *cli, int argc, char **argv, bool *finished)
{
    char letters[64];
    struct option *options = long_options(cli, option_count(cli->verb), letters);
    int option, status = RL_EXIT_DONE;

    make_room(cli, argc);
    opterr = 0;
    while (status == RL_EXIT_DONE && (option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
        if (option == HELP) {
            print_usage(cli->verb);
            *finished = true;
            return RL_EXIT_DONE;
        }
        if (option == '?') {
            return unknown_option(cli, argv[optind - 1]);
        }
        if (option == ':') {
            return rl_cli_usage_error(cli, "option '%s' needs a value", argv[optind - 1]);
        }
        int index = option >= FIRST_OPTION ? option - FIRST_OPTION : index_of_letter(cli, option);
        status = add_value(cli, index, optarg);
    }
    return status == RL_EXIT_DONE ? check_operands(cli, (const char *const *)argv + optind, argc - optind) : status;
}

// Adds one option; true without JSON would be text.
static int give_word(struct rl_cli *cli, const struct rl_cli_word *word)
{
    static const char *const for_terminals[] = {"csv", "dump-after", "explain", "json", "watch"};
    const char *name = rl_arena_format(cli->arena, "--%s", word->option);

    for (size_t i = 0; i < sizeof for_terminals / sizeof *for_terminals; i++) {
        if (strcmp(word->option, for_terminals[i]) == 0) {
            return rl_cli_usage_error(cli, "option '%s' is for the command line: the result is JSON", name);
        }
    }
    if (!rl_cli_has_option(cli, word->option)) {
        return unknown_option(cli, name);
    }
    const int index = find_option(cli, word->option);
    const bool wants_value = cli->verb->options[index].value;
    const bool has_value = word->value;
    if (wants_value != has_value) {
        return rl_cli_usage_error(cli, "option '%s' %s a value", name, wants_value ? "needs" : "does not take");
    }
    return add_value(cli, index, word->value);
}

int rl_cli_give(struct rl_cli *cli, const char *const *operands, int operand_count, const struct rl_cli_word *words,
                int word_count)
{
    int status = RL_EXIT_DONE;

    make_room(cli, word_count + 1);
    for (int i = 0; i < word_count && status == RL_EXIT_DONE; i++) {
        status = give_word(cli, &words[i]);
    }
    if (status == RL_EXIT_DONE) {
        status = add_value(cli, find_option(cli, "json"), NULL);
    }
    return status == RL_EXIT_DONE ? check_operands(cli, operands, operand_count) : status;
}

const char *rl_cli_value(const struct rl_cli *cli, const char *option, const char *fallback)
{
    int index = find_option(cli, option);
    int count = cli->value_counts[index];

    return count > 0 ? cli->values[index][count - 1] : fallback;
}

bool rl_cli_has_option(const struct rl_cli *cli, const char *name)
{
    const struct rl_cli_option *option = cli->verb->options;
    while (option->name && strcmp(option->name, name) != 0) {
        option++;
    }
    return option->name;
}

bool rl_cli_given(const struct rl_cli *cli, const char *option)
{
    return cli->value_counts[find_option(cli, option)] > 0;
}

const char *const *rl_cli_values(const struct rl_cli *cli, const char *option, int *count)
{
    int index = find_option(cli, option);

    *count = cli->value_counts[index];
    return cli->values[index];
}

int rl_cli_read_limits(struct rl_cli *cli)
{
    int status = RL_EXIT_DONE;
    for (const struct rl_cli_option *option = cli->verb->options; option->name && status == RL_EXIT_DONE; option++) {
        if (strcmp(option->name, "max-unpacked") == 0) {
            status = rl_cli_bytes(cli, option->name, 0, &cli->context.max_unpacked);
        } else if (strcmp(option->name, "threads") == 0) {
            int64_t threads;
            status = rl_cli_count_of(cli, option->name, "threads", 0, &threads);
            cli->context.threads = (int)threads;
        }
    }
    return status;
}

int rl_cli_unknown(const struct rl_cli *cli, const char *option, const char *given, const char *const *names, int count)
{
    char close[RL_SUGGEST_TEXT_BYTES];

    return rl_cli_usage_error(cli, "--%s '%s' is not known%s; accepted: %s", option, given,
                              rl_suggest(close, given, names, count), listed(cli, names, count));
}

const struct rl_cli_choice *rl_cli_choices_of(const struct rl_cli_verb *verb, const char *option)
{
    for (const struct rl_cli_choices *choices = verb->choices; choices && choices->option; choices++) {
        if (strcmp(choices->option, option) == 0) {
            return choices->words;
        }
    }
    return NULL;
}

int rl_cli_choose(const struct rl_cli *cli, const char *option, const char *fallback, int *value)
{
    const struct rl_cli_choice *choices = rl_cli_choices_of(cli->verb, option);
    const char *given = rl_cli_value(cli, option, fallback);
    int count = 0, accepted = 0;

    while (choices[count].name) {
        count++;
    }
    const char **names = rl_arena_array(cli->arena, (size_t)count, sizeof *names);
    for (int i = 0; i < count; i++) {
        const bool is_given = strcmp(choices[i].name, given) == 0;
        if (is_given && !choices[i].planned) {
            *value = choices[i].value;
            return RL_EXIT_DONE;
        }
        if (!choices[i].planned) {
            names[accepted++] = choices[i].name;
        }
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(choices[i].name, given) == 0) {
            return rl_cli_usage_error(cli, "--%s %s is not supported yet; accepted: %s", option, given,
                                      listed(cli, names, accepted));
        }
    }
    return rl_cli_unknown(cli, option, given, names, accepted);
}

// The power of two that a suffix stands for.
static int shift_of(char suffix)
{
    if (suffix == 'K') {
        return 10;
    }
    return suffix == 'M' ? 20 : 0;
}

int rl_cli_count_of(const struct rl_cli *cli, const char *option, const char *what, int64_t fallback, int64_t *count)
{
    const char *text = rl_cli_value(cli, option, NULL);
    char *end = NULL;

    *count = fallback;
    if (!text) {
        return RL_EXIT_DONE;
    }
    errno = 0;
    *count = strtoll(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *count > INT32_MAX) {
        return rl_cli_usage_error(cli, "--%s: expected a number of %s such as 10, found '%s'", option, what, text);
    }
    return RL_EXIT_DONE;
}

int rl_cli_number(const struct rl_cli *cli, const char *option, double *number)
{
    const char *text = rl_cli_value(cli, option, NULL);
    char *end = NULL;

    *number = NAN;
    if (!text) {
        return RL_EXIT_DONE;
    }
    errno = 0;
    *number = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0' && isfinite(*number)
               ? RL_EXIT_DONE
               : rl_cli_usage_error(cli, "--%s: expected a number such as 20 or 0.9, found '%s'", option, text);
}

int rl_cli_sequence(const struct rl_cli *cli, int64_t *samples)
{
    return rl_cli_count_of(cli, "sequence", "samples", 0, samples);
}

int rl_cli_bytes(const struct rl_cli *cli, const char *option, uint64_t fallback, uint64_t *bytes)
{
    const char *text = rl_cli_value(cli, option, NULL);
    char *end = NULL;

    *bytes = fallback;
    if (!text) {
        return RL_EXIT_DONE;
    }
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    int shift = shift_of(*end);
    end += shift > 0;
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number == 0 || number > UINT64_MAX >> shift) {
        return rl_cli_usage_error(cli, "--%s: expected a number of bytes such as 65536, 64K or 1M, found '%s'", option,
                                  text);
    }
    *bytes = (uint64_t)number << shift;
    return RL_EXIT_DONE;
}
