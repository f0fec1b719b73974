// SPDX-License-Identifier: Apache-2.0
// --shape NAME=SIZE,SIZE,...
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static bool parse_sizes(const char *text, struct rl_input_shape *shape)
{
    while (*text != '\0') {
        char *end;
        const long size = strtol(text, &end, 10);
        if (end == text || size < 0 || size > INT_MAX || (*end != ',' && *end != '\0') || shape->rank == RL_MAX_RANK ||
            strncmp(end, ",", 2) == 0) {
            return false;
        }
        shape->sizes[shape->rank++] = size;
        text = *end == ',' ? end + 1 : end;
    }
    return true;
}

int rl_cli_shapes(const struct rl_cli *cli, struct rl_input_shapes *shapes)
{
    const char *const *values = rl_cli_values(cli, "shape", &shapes->count);
    struct rl_input_shape *items = rl_arena_array(cli->arena, (size_t)shapes->count, sizeof *items);

    shapes->items = items;
    for (int i = 0; i < shapes->count; i++) {
        const char *equals = strchr(values[i], '=');
        const int length = equals ? (int)(equals - values[i]) : 0;
        if (length == 0 || !parse_sizes(equals + 1, &items[i])) {
            return rl_cli_usage_error(cli, "--shape '%s': expected NAME=SIZE,SIZE,..., as in x=1,3,96,96", values[i]);
        }
        items[i].name = rl_arena_format(cli->arena, "%.*s", length, values[i]);
        for (int k = 0; k < i; k++) {
            if (strcmp(items[k].name, items[i].name) == 0) {
                return rl_cli_usage_error(cli, "--shape is given twice for '%s'", items[i].name);
            }
        }
    }
    return RL_EXIT_DONE;
}
