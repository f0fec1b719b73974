// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "compiler/plan/arena.h"
#include "compiler/support/file.h"

// The columns that a problem must have, in any order; others are ignored.
enum column { COLUMN_LOWER, COLUMN_UPPER, COLUMN_SIZE, COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {"lower", "upper", "size"};

enum { MAX_COLUMNS = 16 };

// Cuts the text at the next `separator` (or the end of the line) and returns the part before it.
static char *next_field(char **text, char separator)
{
    char *field = *text, *end = strchr(field, separator);

    if (end) {
        *end = '\0';
        *text = end + 1;
    } else {
        *text = field + strlen(field);
    }
    field[strcspn(field, "\r")] = '\0';
    return field;
}

static enum rl_status read_header(struct rl_cli *cli, const char *path, char *line, int positions[COLUMN_COUNT])
{
    for (int i = 0; i < COLUMN_COUNT; i++) {
        positions[i] = -1;
    }
    for (int position = 0; *line && position < MAX_COLUMNS; position++) {
        const char *name = next_field(&line, ',');
        for (int i = 0; i < COLUMN_COUNT; i++) {
            positions[i] = strcmp(name, column_names[i]) == 0 ? position : positions[i];
        }
    }
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (positions[i] < 0) {
            return rl_fail(&cli->context, RL_ERROR_FORMAT,
                           "%s: line 1: expected the columns lower, upper and size, found no '%s'", path,
                           column_names[i]);
        }
    }
    return RL_OK;
}

static enum rl_status read_row(struct rl_cli *cli, const char *path, int line_number, char *line,
                               const int positions[COLUMN_COUNT], struct rl_plan_buffer *buffer)
{
    long long numbers[COLUMN_COUNT] = {0};
    int found = 0;

    for (int position = 0; *line && position < MAX_COLUMNS; position++) {
        const char *field = next_field(&line, ',');
        for (int i = 0; i < COLUMN_COUNT; i++) {
            char *end;
            if (positions[i] == position) {
                numbers[i] = strtoll(field, &end, 10);
                found += end != field && *end == '\0' && numbers[i] >= 0;
            }
        }
    }
    if (found != COLUMN_COUNT) {
        return rl_fail(&cli->context, RL_ERROR_FORMAT,
                       "%s: line %d: expected whole numbers from 0 on for lower, upper and size", path, line_number);
    }
    *buffer = (struct rl_plan_buffer){
        .bytes = (size_t)numbers[COLUMN_SIZE], .first = numbers[COLUMN_LOWER], .end = numbers[COLUMN_UPPER]};
    return RL_OK;
}

static int count_lines(const char *text)
{
    int count = 1;

    for (; *text; text++) {
        count += *text == '\n';
    }
    return count;
}

static enum rl_status read_problem(struct rl_cli *cli, const char *path, struct rl_plan_buffer **buffers, int *count)
{
    void *file;
    size_t size;
    int positions[COLUMN_COUNT];
    enum rl_status status = rl_file_read(&cli->context, cli->arena, path, &file, &size);

    if (status != RL_OK) {
        return status;
    }
    char *text = file;
    *buffers = rl_arena_array(cli->arena, (size_t)count_lines(text), sizeof **buffers);
    *count = 0;
    status = read_header(cli, path, next_field(&text, '\n'), positions);
    for (int number = 2; *text && status == RL_OK; number++) {
        char *line = next_field(&text, '\n');
        if (*line) {
            status = read_row(cli, path, number, line, positions, &(*buffers)[*count]);
            *count += 1;
        }
    }
    return status;
}

static int run(struct rl_cli *cli)
{
    struct rl_plan_buffer *buffers;
    struct rl_plan_sizes sizes;
    double start = rl_cli_seconds();
    int count;

    if (read_problem(cli, cli->operands[0], &buffers, &count) != RL_OK ||
        rl_plan_arena(&cli->context, cli->arena, buffers, count, 1, &sizes) != RL_OK) {
        return rl_cli_failed(cli);
    }
    double seconds = rl_cli_seconds() - start;
    bool optimal = sizes.arena_bytes == sizes.lower_bound_bytes;
    if (!rl_cli_given(cli, "json")) {
        printf("%d buffers: %zu bytes; no plan needs less than %zu%s; %.2f seconds\n", count, sizes.arena_bytes,
               sizes.lower_bound_bytes, optimal ? ": optimal" : "", seconds);
        return RL_EXIT_DONE;
    }
    return rl_cli_print_json(cli, json_pack("{s:I, s:I, s:b, s:f}", "peak_bytes", (json_int_t)sizes.arena_bytes,
                                            "lower_bound_bytes", (json_int_t)sizes.lower_bound_bytes, "optimal",
                                            optimal, "seconds", seconds));
}

static const struct rl_cli_option options[] = {
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_plan = {
    .name = "plan",
    .operands = "PROBLEM.csv",
    .operand_count = 1,
    .summary = "the memory planner alone, on buffers with lifetimes: columns lower, upper, size",
    .options = options,
    .run = run,
};
