// SPDX-License-Identifier: Apache-2.0
//
// A profile as an ETDump, with the names that ExecuTorch's runtime gives to its events.
#include <string.h>

#include "cli/profile.h"
#include "compiler/support/file.h"
#include "format/etdump_writer.h"

static uint64_t cycles_of(const json_t *entry)
{
    return (uint64_t)json_integer_value(json_object_get(entry, "cycles"));
}

// The name in the wrappers that ExecuTorch generates around kernels: without the namespace, with the overload.
static const char *event_name(struct rl_arena *arena, const json_t *entry)
{
    const char *op = json_string_value(json_object_get(entry, "operator"));
    const char *overload = json_string_value(json_object_get(entry, "overload"));
    const char *colons = strstr(op, "::");

    return rl_arena_format(arena, "native_call_%s%s%s", colons ? colons + 2 : op, overload[0] ? "." : "", overload);
}

// Operators that ran, one after the other, then the whole. Returns how many.
static uint32_t list_events(struct rl_cli *cli, const json_t *report, struct rl_etdump_event *events)
{
    uint32_t count = 0;
    uint64_t now = 0;
    const json_t *entry;
    size_t index;

    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        if (json_integer_value(json_object_get(entry, "runs")) > 0) {
            const int32_t instruction = (int32_t)json_integer_value(json_object_get(entry, "index"));
            events[count++] =
                (struct rl_etdump_event){event_name(cli->arena, entry), instruction, now, now + cycles_of(entry)};
            now += cycles_of(entry);
        }
    }
    events[count++] = (struct rl_etdump_event){"Method::execute", -1, 0, cycles_of(report)};
    return count;
}

enum rl_status rl_cli_profile_write_etdump(struct rl_cli *cli, const json_t *report, const char *path)
{
    const size_t most = json_array_size(json_object_get(report, "ops")) + 1;
    struct rl_etdump_event *events = rl_arena_array(cli->arena, most, sizeof *events);
    uint32_t *references = rl_arena_array(cli->arena, most, sizeof *references);
    struct rl_fbb builder = {.reallocate = rl_arena_reallocate, .user = cli->arena};

    if (!json_is_integer(json_object_get(report, "cycles"))) {
        return rl_fail(&cli->context, RL_ERROR_UNSUPPORTED, "%s: it holds cycles, and there is no model of %s", path,
                       json_string_value(json_object_get(report, "core")));
    }
    const uint32_t count = list_events(cli, report, events);
    if (!rl_etdump_write(&builder, json_string_value(json_object_get(report, "method")), events, count, references)) {
        return rl_fail(&cli->context, RL_ERROR_UNSUPPORTED, "%s: the file would have more than 2 GB", path);
    }
    const enum rl_status status =
        rl_file_write(&cli->context, path, builder.block + builder.capacity - builder.used, builder.used);
    rl_fbb_free(&builder);
    return status;
}
