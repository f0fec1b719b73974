// SPDX-License-Identifier: Apache-2.0
//
// What the options of preparation.def say.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "compiler/media/preparation.h"

enum { LARGEST_SIDE = 1 << 20 };

// A number of pixels and what follows it; 0 if there is none.
static int read_side(const char *text, const char **end)
{
    char *stop;
    const long side = strtol(text, &stop, 10);

    *end = stop;
    return text[0] >= '0' && text[0] <= '9' && side <= LARGEST_SIDE ? (int)side : 0;
}

static int read_resize(const struct rl_cli *cli, struct rl_preparation *preparation)
{
    const char *text = rl_cli_value(cli, "resize", NULL), *end;

    if (!text) {
        return RL_EXIT_DONE;
    }
    if (strcmp(text, "input") == 0) {
        preparation->resize = RL_RESIZE_INPUT;
        return RL_EXIT_DONE;
    }
    preparation->height = read_side(text, &end);
    preparation->resize = RL_RESIZE_SHORTER;
    if (*end == 'x') {
        preparation->width = read_side(end + 1, &end);
        preparation->resize = RL_RESIZE_EXACT;
    }
    const bool has_width = preparation->width > 0 || preparation->resize == RL_RESIZE_SHORTER;
    if (preparation->height == 0 || !has_width || *end != '\0') {
        return rl_cli_usage_error(cli,
                                  "--resize: expected input, HEIGHTxWIDTH as in 96x128, or a number for the shorter "
                                  "side, found '%s'",
                                  text);
    }
    return RL_EXIT_DONE;
}

// Numbers with commas between them.
static int read_numbers(const struct rl_cli *cli, const char *option, bool divides, const double **numbers, int *count)
{
    const char *text = rl_cli_value(cli, option, NULL);

    *count = 0;
    if (!text) {
        return RL_EXIT_DONE;
    }
    double *found = rl_arena_array(cli->arena, strlen(text) + 1, sizeof *found);
    *numbers = found;
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        const double number = strtod(at, &end);
        if (errno != 0 || end == at || !isfinite(number) || (divides && !((float)number > 0)) ||
            (*end != ',' && *end != '\0')) {
            return rl_cli_usage_error(cli, "--%s: expected %snumbers such as 0.5 or 0.485,0.456,0.406, found '%s'",
                                      option, divides ? "positive " : "", text);
        }
        found[(*count)++] = number;
        if (*end == '\0') {
            return RL_EXIT_DONE;
        }
        at = end;
    }
}

int rl_cli_read_preparation(struct rl_cli *cli)
{
    struct rl_preparation *preparation;
    int64_t rate;

    if (!rl_cli_has_option(cli, "resize")) {
        return RL_EXIT_DONE;
    }
    preparation = rl_arena_alloc(cli->arena, sizeof *preparation);
    preparation->crops = rl_cli_given(cli, "crop");
    preparation->pads = rl_cli_given(cli, "pad");
    if (read_resize(cli, preparation) != RL_EXIT_DONE ||
        rl_cli_count_of(cli, "rate", "samples a second", 0, &rate) != RL_EXIT_DONE ||
        read_numbers(cli, "mean", false, &preparation->mean, &preparation->mean_count) != RL_EXIT_DONE ||
        read_numbers(cli, "std", true, &preparation->deviation, &preparation->deviation_count) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    preparation->rate = (int)rate;
    cli->context.preparation = preparation;
    return RL_EXIT_DONE;
}
