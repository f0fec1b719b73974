// SPDX-License-Identifier: Apache-2.0
//
// rushlight: PyTorch models on the smallest computers. Exit codes: 0 done, 1 the model or the data is wrong, 2 wrong
// usage.
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "rushlight/version.h"

static void print_help(FILE *file)
{
    fprintf(file, "usage: rushlight VERB ...\n");
    for (int i = 0; rl_cli_verbs[i]; i++) {
        fprintf(file, "  %-10s %s\n", rl_cli_verbs[i]->name, rl_cli_verbs[i]->summary);
    }
    fprintf(file, "'rushlight VERB --help' explains a verb.\n");
}

static void print_log(void *user, enum rl_log_level level, const char *message)
{
    const struct rl_cli *cli = user;

    // Progress is one line of a terminal, written over and over; an empty one takes it away.
    const bool is_terminal = isatty(STDERR_FILENO) != 0;
    if (is_terminal) {
        fputs("\r\033[K", stderr);
    }
    if (level == RL_LOG_WARNING) {
        fprintf(stderr, "rushlight %s: warning: %s\n", cli->verb->name, message);
    } else if (is_terminal) {
        fputs(message, stderr);
        fflush(stderr);
    }
}

static int unknown_verb(struct rl_arena *arena, const char *given)
{
    fprintf(stderr, "rushlight: %s\n", rl_cli_unknown_verb(arena, given));
    print_help(stderr);
    return RL_EXIT_USAGE;
}

static int run_line(struct rl_cli *cli, int argc, char **argv)
{
    bool finished = false;
    int status = rl_cli_parse(cli, argc, argv, &finished);

    if (status != RL_EXIT_DONE || finished) {
        return status;
    }
    status = rl_cli_run_verb(cli);
    const int written = rl_cli_finish_output(cli);
    return written == RL_EXIT_DONE || status == RL_EXIT_USAGE ? status : written;
}

int main(int argc, char **argv)
{
    jmp_buf out_of_memory;
    struct rl_arena arena = {.out_of_memory = &out_of_memory};
    struct rl_cli cli = {.arena = &arena};

    if (argc >= 2 && strcmp(argv[1], "--help") == 0) {
        print_help(stdout);
        return RL_EXIT_DONE;
    }
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        printf("rushlight %s\n", RL_VERSION_STRING);
        return RL_EXIT_DONE;
    }
    if (argc >= 2 && strcmp(argv[1], "--complete") == 0) {
        return rl_cli_complete(argc - 2, argv + 2);
    }
    if (argc < 2) {
        print_help(stderr);
        return RL_EXIT_USAGE;
    }
    cli.verb = rl_cli_find_verb(argv[1]);
    cli.context.log = print_log;
    cli.context.user = &cli;
    rl_cli_start_memory(&arena);
    volatile int status = cli.verb ? rl_cli_failure(&cli) : RL_EXIT_USAGE;
    if (setjmp(out_of_memory) == 0) {
        status = cli.verb ? run_line(&cli, argc - 1, argv + 1) : unknown_verb(&arena, argv[1]);
    } else {
        fprintf(stderr, "rushlight: %s\n", rl_status_text(RL_ERROR_OUT_OF_MEMORY));
    }
    rl_arena_free(&arena);
    rl_cli_end_memory();
    return status;
}
