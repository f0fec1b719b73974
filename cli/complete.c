// SPDX-License-Identifier: Apache-2.0
//
// rushlight --complete WORD...: what shells complete a command line with, from the tables that the parser reads.
#include <stdio.h>
#include <string.h>

#include "boards/qemu/emulator.h"
#include "cli/cli.h"
#include "compiler/passes/passes.h"
#include "compiler/targets/board.h"
#include "compiler/targets/target.h"

// Behind the verb, up to the word that is completed.
struct line {
    const struct rl_cli_verb *verb;
    char **words;
    int count;
    const char *before; // what precedes the completed part of the last word: "--target="
    const char *start;  // the part itself
};

static void offer(const struct line *line, const char *word, const char *meaning)
{
    if (strncmp(word, line->start, strlen(line->start)) == 0) {
        printf("%s%s\t%s\n", line->before, word, meaning);
    }
}

static void offer_cores(const struct line *line, bool with_any)
{
    int count;
    const struct rl_core *cores = rl_cores(&count);

    for (int i = 0; i < count; i++) {
        if (with_any || cores[i].isa != RL_ISA_ANY) {
            offer(line, cores[i].name, rl_isa_name(cores[i].isa));
        }
    }
}

static void offer_places(const struct line *line)
{
    if (line->verb != &rl_cli_validate) { // which compares with it
        offer(line, "host", "this machine");
    }
    for (size_t i = 0; rl_emulator_core(i); i++) {
        offer(line, rl_emulator_core(i), "emulated");
    }
}

static void offer_boards(const struct line *line)
{
    int count;
    const struct rl_board *boards = rl_boards(&count);

    for (int i = 0; i < count; i++) {
        offer(line, boards[i].name, boards[i].full_name);
    }
}

// What an option takes; the names that are not in a table of choices come from where the verbs take them.
static void offer_values(const struct line *line, const struct rl_cli_option *option)
{
    const struct rl_cli_choice *choices = rl_cli_choices_of(line->verb, option->name);

    for (int i = 0; choices && choices[i].name; i++) {
        if (!choices[i].planned) {
            offer(line, choices[i].name, "");
        }
    }
    if (strcmp(option->name, "resize") == 0) {
        offer(line, "input", "the sizes of the input");
    } else if (strcmp(option->name, "on") == 0) {
        offer_places(line);
    } else if (strcmp(option->name, "target") == 0) {
        offer_cores(line, true);
    } else if (strcmp(option->name, "core") == 0) {
        offer_cores(line, false);
    } else if (strcmp(option->name, "board") == 0) {
        offer_boards(line);
    } else if (strcmp(option->name, "for") == 0) {
        offer(line, rl_flow_name(RL_FLOW_RUSHLIGHT), "");
        offer(line, rl_flow_name(RL_FLOW_EXECUTORCH), "");
    } else if (strcmp(option->name, "dump-after") == 0) {
        for (int i = 0; rl_stage_at(i); i++) {
            offer(line, rl_stage_at(i)->name, rl_stage_at(i)->meaning);
        }
    }
}

// The option that a word is, with a value behind `=` or not; NULL if it is none.
static const struct rl_cli_option *option_of(const struct rl_cli_verb *verb, const char *word)
{
    const size_t length = strcspn(word, "=");

    for (const struct rl_cli_option *option = verb->options; option->name; option++) {
        if (length > 2 && strncmp(word, "--", 2) == 0 && strlen(option->name) == length - 2 &&
            strncmp(word + 2, option->name, length - 2) == 0) {
            return option;
        }
        if (option->letter && word[0] == '-' && word[1] == option->letter && word[2] == '\0') {
            return option;
        }
    }
    return NULL;
}

static bool is_given(const struct line *line, const struct rl_cli_option *option)
{
    for (int i = 0; i < line->count; i++) {
        if (option_of(line->verb, line->words[i]) == option) {
            return true;
        }
    }
    return false;
}

static void offer_options(const struct line *line)
{
    char name[64];

    for (const struct rl_cli_option *option = line->verb->options; option->name; option++) {
        if (option->meaning && (option->repeated || !is_given(line, option))) {
            snprintf(name, sizeof name, "--%s", option->name);
            offer(line, name, option->meaning);
        }
    }
    offer(line, "--help", "print the options");
}

static void complete_word(struct line *line)
{
    const char *last = line->words[line->count], *equals = strchr(last, '=');
    const struct rl_cli_option *before = line->count > 0 ? option_of(line->verb, line->words[line->count - 1]) : NULL;
    const struct rl_cli_option *own = equals ? option_of(line->verb, last) : NULL;
    char start[64];

    if (before && before->value && !strchr(line->words[line->count - 1], '=')) {
        offer_values(line, before);
    } else if (own && own->value) {
        snprintf(start, sizeof start, "%.*s", (int)(equals + 1 - last), last);
        line->before = start;
        line->start = equals + 1;
        offer_values(line, own);
    } else if (last[0] == '-') {
        offer_options(line);
    } else if (strcmp(line->verb->name, "boards") == 0) {
        offer_boards(line);
    }
}

int rl_cli_complete(int argc, char **argv)
{
    struct line line = {.words = argv + 1, .count = argc - 2, .before = "", .start = argc > 0 ? argv[argc - 1] : ""};

    for (int i = 0; rl_cli_verbs[i] && argc == 1; i++) {
        offer(&line, rl_cli_verbs[i]->name, rl_cli_verbs[i]->summary);
    }
    line.verb = argc > 1 ? rl_cli_find_verb(argv[0]) : NULL;
    if (line.verb) {
        complete_word(&line);
    }
    if (argc == 1) {
        offer(&line, "--help", "print the verbs");
        offer(&line, "--version", "print the version");
    }
    return RL_EXIT_DONE;
}
