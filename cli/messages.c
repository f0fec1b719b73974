// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"

// A copy that outlives the arena, or a jump to its handler.
static char *keep(const struct rl_cli *cli, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);

    if (!copy) {
        longjmp(*cli->arena->out_of_memory, 1);
    }
    return memcpy(copy, text, bytes);
}

// The first sentence is the cause.
static void keep_message(const struct rl_cli *cli, const char *sentence)
{
    if (!cli->capture->message) {
        cli->capture->message = keep(cli, sentence);
    }
}

int rl_cli_usage_error(const struct rl_cli *cli, const char *format, ...)
{
    va_list arguments, again;

    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *sentence = rl_arena_alloc(cli->arena, (size_t)length + 1);
    vsnprintf(sentence, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    if (cli->capture) {
        keep_message(cli, sentence);
    } else {
        fprintf(stderr, "rushlight %s: %s\nTry 'rushlight %s --help'.\n", cli->verb->name, sentence, cli->verb->name);
    }
    return RL_EXIT_USAGE;
}

int rl_cli_failure(const struct rl_cli *cli)
{
    return cli->verb && cli->verb->failure > 0 ? cli->verb->failure : RL_EXIT_FAILED;
}

int rl_cli_failed(const struct rl_cli *cli)
{
    if (cli->capture) {
        keep_message(cli, cli->context.message);
    } else {
        fprintf(stderr, "rushlight %s: %s\n", cli->verb->name, cli->context.message);
    }
    return rl_cli_failure(cli);
}

int rl_cli_finish_output(const struct rl_cli *cli)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return RL_EXIT_DONE;
    }
    fprintf(stderr, "rushlight %s: the result cannot be written to the standard output\n", cli->verb->name);
    return rl_cli_failure(cli);
}

int rl_cli_print_json(const struct rl_cli *cli, json_t *object)
{
    if (cli->capture) {
        char *text = json_dumps(object, JSON_COMPACT);
        json_decref(object);
        cli->capture->result = keep(cli, text);
        rl_cli_free(text);
        return RL_EXIT_DONE;
    }
    json_dumpf(object, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(object);
    return RL_EXIT_DONE; // rl_cli_finish_output knows better
}

void rl_cli_count(json_t *counts, const char *name)
{
    json_int_t before = json_integer_value(json_object_get(counts, name));

    json_object_set_new(counts, name, json_integer(before + 1));
}

double rl_cli_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
