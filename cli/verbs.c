// SPDX-License-Identifier: Apache-2.0
//
// The verbs, for the program and for callers of the library.
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "compiler/support/suggest.h"

const struct rl_cli_verb *const rl_cli_verbs[] = {&rl_cli_compile, &rl_cli_run,      &rl_cli_evaluate, &rl_cli_check,
                                                  &rl_cli_inspect, &rl_cli_diff,     &rl_cli_profile,  &rl_cli_fit,
                                                  &rl_cli_report,  &rl_cli_firmware, &rl_cli_validate, &rl_cli_plan,
                                                  &rl_cli_targets, &rl_cli_boards,   &rl_cli_doctor,   NULL};

enum { VERB_COUNT = sizeof rl_cli_verbs / sizeof rl_cli_verbs[0] - 1 };

const struct rl_cli_verb *rl_cli_find_verb(const char *name)
{
    for (int i = 0; i < VERB_COUNT; i++) {
        if (strcmp(rl_cli_verbs[i]->name, name) == 0) {
            return rl_cli_verbs[i];
        }
    }
    return NULL;
}

const char *rl_cli_unknown_verb(struct rl_arena *arena, const char *given)
{
    const char *names[VERB_COUNT];
    char close[RL_SUGGEST_TEXT_BYTES];

    for (int i = 0; i < VERB_COUNT; i++) {
        names[i] = rl_cli_verbs[i]->name;
    }
    return rl_arena_format(arena, "there is no verb '%s'%s", given, rl_suggest(close, given, names, VERB_COUNT));
}

int rl_cli_run_verb(struct rl_cli *cli)
{
    int status = rl_cli_read_limits(cli);

    if (status == RL_EXIT_DONE) {
        status = rl_cli_read_preparation(cli);
    }
    return status == RL_EXIT_DONE ? cli->verb->run(cli) : status;
}
