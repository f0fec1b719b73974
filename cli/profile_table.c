// SPDX-License-Identifier: Apache-2.0
//
// Models against cores, for a terminal.
#include <stdio.h>
#include <string.h>

#include "cli/profile.h"

static const json_t *find_result(const json_t *table, const char *file, const char *core)
{
    const json_t *entry;
    size_t index;

    json_array_foreach(json_object_get(table, "results"), index, entry)
    {
        if (strcmp(json_string_value(json_object_get(entry, "file")), file) == 0 &&
            strcmp(json_string_value(json_object_get(entry, "core")), core) == 0) {
            return entry;
        }
    }
    return NULL;
}

static void print_matrix(const json_t *table, const char *key, const char *title)
{
    const json_t *cores = json_object_get(table, "cores"), *core, *entry;
    const char *last = NULL;
    size_t index, column;

    rl_cli_profile_print_label(title);
    json_array_foreach(cores, column, core)
    {
        printf(" %12s", json_string_value(core));
    }
    printf("\n");
    json_array_foreach(json_object_get(table, "results"), index, entry)
    {
        const char *file = json_string_value(json_object_get(entry, "file"));
        if (last && strcmp(file, last) == 0) {
            continue;
        }
        last = file;
        rl_cli_profile_print_label(file);
        json_array_foreach(cores, column, core)
        {
            rl_cli_profile_print_figure(find_result(table, file, json_string_value(core)), key, 12, 3);
        }
        printf("\n");
    }
}

static void print_errors(const json_t *table)
{
    const json_t *entry;
    size_t index;

    json_array_foreach(json_object_get(table, "results"), index, entry)
    {
        const char *error = json_string_value(json_object_get(entry, "error"));
        if (error) {
            printf("not measured on %s: %s\n", json_string_value(json_object_get(entry, "core")), error);
        }
    }
}

// The error of the modelled cycles of each core, from the first program that ran on it.
static void print_model_errors(const json_t *table)
{
    const json_t *core, *entry;
    size_t column, index;

    json_array_foreach(json_object_get(table, "cores"), column, core)
    {
        json_array_foreach(json_object_get(table, "results"), index, entry)
        {
            const json_t *model = json_object_get(entry, "cycle_model");
            if (json_is_object(model) && json_equal(json_object_get(entry, "core"), core)) {
                printf("cycles of %s are modelled; error against boards: %s\n", json_string_value(core),
                       json_string_value(json_object_get(model, "error")));
                break;
            }
        }
    }
}

void rl_cli_profile_print_table(const json_t *table)
{
    print_matrix(table, "instructions", "instructions");
    print_matrix(table, "cycles", "modelled cycles");
    if (json_is_real(json_object_get(table, "clock_hz"))) {
        print_matrix(table, "milliseconds", "milliseconds");
    }
    print_matrix(table, "flash_bytes", "bytes of flash, with the code");
    print_matrix(table, "ram_bytes", "bytes of RAM");
    printf("each program as it was compiled: on a core that it was not compiled for it may be slower\n");
    print_model_errors(table);
    print_errors(table);
}
