// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "cli/cli.h"

int rl_cli_usage_error(const struct rl_cli *cli, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "rushlight %s: ", cli->verb->name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 'rushlight %s --help'.\n", cli->verb->name);
    return RL_EXIT_USAGE;
}

int rl_cli_failure(const struct rl_cli *cli)
{
    return cli->verb->failure > 0 ? cli->verb->failure : RL_EXIT_FAILED;
}

int rl_cli_failed(const struct rl_cli *cli)
{
    fprintf(stderr, "rushlight %s: %s\n", cli->verb->name, cli->context.message);
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

int rl_cli_print_json(json_t *object)
{
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
