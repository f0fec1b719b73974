// SPDX-License-Identifier: Apache-2.0
//
// Options that are a quantity with a unit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { MOST_WAIT_STATES = 100 };

struct unit {
    const char *name;
    double factor;
};

// Reads a positive number and one of the units, whose list ends with a NULL name; false for anything else.
static bool read_quantity(const char *text, const struct unit *units, double *quantity)
{
    char *unit = NULL;
    const double number = strtod(text, &unit);
    if (unit == text || text[0] < '0' || text[0] > '9') {
        return false;
    }
    unit += strspn(unit, " ");
    while (units->name && strcmp(unit, units->name) != 0) {
        units++;
    }
    *quantity = units->name ? number * units->factor : 0;
    return isfinite(*quantity) && *quantity > 0;
}

int rl_cli_frequency(const struct rl_cli *cli, const char *option, double *hertz)
{
    static const struct unit units[] = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}, {0}};
    const char *text = rl_cli_value(cli, option, NULL);

    *hertz = 0;
    return !text || (read_quantity(text, units, hertz) && *hertz >= 1)
               ? RL_EXIT_DONE
               : rl_cli_usage_error(cli, "--%s: expected a frequency such as 80MHz, found '%s'", option, text);
}

int rl_cli_duration(const struct rl_cli *cli, const char *option, double *seconds)
{
    static const struct unit units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {0}};
    const char *text = rl_cli_value(cli, option, NULL);

    *seconds = 0;
    return !text || read_quantity(text, units, seconds)
               ? RL_EXIT_DONE
               : rl_cli_usage_error(cli, "--%s: expected a time such as 50ms, found '%s'", option, text);
}

int rl_cli_power(const struct rl_cli *cli, const char *option, double *watts)
{
    static const struct unit units[] = {{"uW", 1e-6}, {"mW", 1e-3}, {"W", 1}, {0}};
    const char *text = rl_cli_value(cli, option, NULL);

    *watts = 0;
    return !text || read_quantity(text, units, watts)
               ? RL_EXIT_DONE
               : rl_cli_usage_error(cli, "--%s: expected a power such as 10mW, found '%s'", option, text);
}

int rl_cli_wait_states(const struct rl_cli *cli, uint32_t *cycles)
{
    int64_t given;
    const int status = rl_cli_count_of(cli, "wait-states", "cycles", 0, &given);

    *cycles = 0;
    if (status != RL_EXIT_DONE || given > MOST_WAIT_STATES) {
        return status != RL_EXIT_DONE ? status
                                      : rl_cli_usage_error(cli, "--wait-states: expected at most %d cycles, found %lld",
                                                           MOST_WAIT_STATES, (long long)given);
    }
    *cycles = (uint32_t)given;
    return RL_EXIT_DONE;
}
