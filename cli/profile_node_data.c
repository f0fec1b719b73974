// SPDX-License-Identifier: Apache-2.0
//
// A profile as node data of Model Explorer: a number for each node of the graph that Arm's adapter makes of a program.
// There the nodes are called after method, chain and instruction (source: pte-adapter-model-explorer 0.2.0).
#include <string.h>

#include "cli/profile.h"
#include "compiler/support/file.h"

enum { CHAIN = 0 }; // the only one that a program may have here

// From few to many.
static json_t *gradient(void)
{
    return json_pack("[{s:f, s:s}, {s:f, s:s}, {s:f, s:s}]", "stop", 0.0, "bgColor", "#e8f0fe", "stop", 0.5, "bgColor",
                     "#fde293", "stop", 1.0, "bgColor", "#f28b82");
}

static json_t *node_results(const json_t *report, const char *method)
{
    const char *measure = rl_cli_profile_measure(report);
    json_t *results = json_object();
    const json_t *entry;
    size_t index;

    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        json_t *name =
            json_sprintf("%s_%d_%lld", method, CHAIN, (long long)json_integer_value(json_object_get(entry, "index")));
        json_object_set_new(results, json_string_value(name),
                            json_pack("{s:O}", "value", json_object_get(entry, measure)));
        json_decref(name);
    }
    return results;
}

enum rl_status rl_cli_profile_write_node_data(struct rl_cli *cli, const json_t *report, const char *path)
{
    const char *method = json_string_value(json_object_get(report, "method"));
    json_t *data = json_pack("{s:{s:s, s:o, s:o}}", method, "name", rl_cli_profile_measure(report), "results",
                             node_results(report, method), "gradient", gradient());
    char *text = json_dumps(data, JSON_INDENT(1) | JSON_REAL_PRECISION(15));

    json_decref(data);
    const enum rl_status status = rl_file_write(&cli->context, path, text, strlen(text));
    rl_cli_free(text);
    return status;
}
