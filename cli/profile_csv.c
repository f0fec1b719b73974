// SPDX-License-Identifier: Apache-2.0
//
// Profiles as comma-separated values (RFC 4180, lines end as Unix's do).
#include <stdio.h>
#include <string.h>

#include "cli/profile.h"

static void print_text(const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        printf(*text == '"' ? "\"\"" : "%c", *text);
    }
    putchar('"');
}

static void print_value(const json_t *value)
{
    if (json_is_string(value)) {
        print_text(json_string_value(value));
    } else if (json_is_integer(value)) {
        printf("%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        printf("%.9g", json_real_value(value));
    }
}

// The names of the columns, or the values of an entry; one that it does not have is empty.
static void print_row(const char *const *keys, const json_t *entry)
{
    for (const char *const *key = keys; *key; key++) {
        fputs(key == keys ? "" : ",", stdout);
        if (entry) {
            print_value(json_object_get(entry, *key));
        } else {
            fputs(*key, stdout);
        }
    }
    putchar('\n');
}

static void print_sum(const char *const *keys, const json_t *entry, const char *name)
{
    json_t *row = json_copy((json_t *)(uintptr_t)entry);

    json_object_set_new(row, "operator", json_string(name));
    print_row(keys, row);
    json_decref(row);
}

void rl_cli_profile_print_csv(const json_t *report)
{
    static const char *const keys[] = {"index",  "operator", "layer",        "node",         "runs",
                                       "cycles", "percent",  "instructions", "macs",         "cycles_per_mac",
                                       "loads",  "stores",   "stack_bytes",  "milliseconds", NULL};
    const json_t *entry;
    size_t index;

    print_row(keys, NULL);
    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        print_row(keys, entry);
    }
    print_sum(keys, json_object_get(report, "outside"), "(outside of operators)");
    print_sum(keys, report, "(all)");
}

void rl_cli_profile_print_table_csv(const json_t *table)
{
    static const char *const keys[] = {"file",
                                       "core",
                                       "instructions",
                                       "cycles",
                                       "milliseconds",
                                       "macs",
                                       "arena_bytes",
                                       "inference_stack_bytes",
                                       "stack_bytes",
                                       "flash_bytes",
                                       "ram_bytes",
                                       "error",
                                       NULL};
    const json_t *entry;
    size_t index;

    print_row(keys, NULL);
    json_array_foreach(json_object_get(table, "results"), index, entry)
    {
        print_row(keys, entry);
    }
}
