// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the page look up: tensors and instructions by value, costs by instruction.
#include <string.h>

#include "cli/page.h"

// Enters `entry` under a value; the first one counts.
static void enter(const json_t **list, size_t count, json_int_t value, const json_t *entry)
{
    if (value >= 0 && (size_t)value < count && !list[value]) {
        list[value] = entry;
    }
}

void rl_cli_page_index(struct rl_cli *cli, struct rl_cli_page *page)
{
    const json_t *calls = json_object_get(page->inspect, "instructions"), *entry, *value;
    const size_t count = json_array_size(calls);
    size_t index, k;

    page->values = (size_t)json_integer_value(json_object_get(page->inspect, "values"));
    page->tensors = rl_arena_array(cli->arena, page->values, sizeof *page->tensors);
    page->makers = rl_arena_array(cli->arena, page->values, sizeof *page->makers);
    page->costs = rl_arena_array(cli->arena, count, sizeof *page->costs);
    json_array_foreach(json_object_get(page->inspect, "tensors"), index, entry)
    {
        enter(page->tensors, page->values, json_integer_value(json_object_get(entry, "value")), entry);
    }
    json_array_foreach(calls, index, entry)
    {
        json_array_foreach(json_object_get(entry, "results"), k, value)
        {
            enter(page->makers, page->values, json_integer_value(value), entry);
        }
    }
    json_array_foreach(json_object_get(page->profile, "ops"), index, entry)
    {
        enter(page->costs, count, json_integer_value(json_object_get(entry, "index")), entry);
    }
}

static const json_t *lookup(const json_t **list, size_t count, json_int_t value)
{
    return value >= 0 && (size_t)value < count ? list[value] : NULL;
}

const json_t *rl_cli_page_tensor(const struct rl_cli_page *page, json_int_t value)
{
    return lookup(page->tensors, page->values, value);
}

const json_t *rl_cli_page_maker(const struct rl_cli_page *page, json_int_t value)
{
    return lookup(page->makers, page->values, value);
}

const char *rl_cli_page_short_name(const char *name)
{
    const char *colons = name ? strstr(name, "::") : NULL;
    return colons ? colons + 2 : name;
}

json_int_t rl_cli_page_constants(const struct rl_cli_page *page, const json_t *call)
{
    const json_t *value;
    size_t index;
    json_int_t bytes = 0;

    json_array_foreach(json_object_get(call, "reads"), index, value)
    {
        const json_t *tensor = rl_cli_page_tensor(page, json_integer_value(value));
        const char *kind = json_string_value(json_object_get(tensor, "kind"));
        if (kind && (strcmp(kind, "constant") == 0 || strcmp(kind, "external") == 0)) {
            bytes += json_integer_value(json_object_get(tensor, "bytes"));
        }
    }
    return bytes;
}
