// SPDX-License-Identifier: Apache-2.0
//
// What the quantizer decided, and what stayed in floating point.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report.h"
#include "compiler/data/array.h"
#include "compiler/ir/work.h"

// ---- what stays in floating point

static json_t *find_group(json_t *groups, const char *reason)
{
    size_t index;
    json_t *group;

    json_array_foreach(groups, index, group)
    {
        if (strcmp(json_string_value(json_object_get(group, "reason")), reason) == 0) {
            return group;
        }
    }
    group = json_pack("{s:s, s:[], s:{}, s:i, s:f}", "reason", reason, "nodes", "ops", "calls", 0, "work_share", 0.0);
    json_array_append_new(groups, group);
    return group;
}

static void add_name(json_t *names, const char *name)
{
    size_t index;
    const json_t *known;

    json_array_foreach(names, index, known)
    {
        if (strcmp(json_string_value(known), name) == 0) {
            return;
        }
    }
    json_array_append_new(names, json_string(name));
}

json_t *rl_cli_float_groups(const struct rl_graph *graph)
{
    json_t *groups = json_array();
    double all = 0;

    for (const struct rl_node *node = graph->first; node; node = node->next) {
        all += rl_node_work(node);
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        const char *reason = rl_float_reason(node);
        if (!reason) {
            continue;
        }
        json_t *group = find_group(groups, reason);
        const double share = all > 0 ? rl_node_work(node) / all : 0;
        add_name(json_object_get(group, "nodes"), node->origin ? node->origin : node->name);
        rl_cli_count(json_object_get(group, "ops"), rl_op_get(node->op)->name);
        json_object_set_new(group, "calls", json_integer(json_integer_value(json_object_get(group, "calls")) + 1));
        json_object_set_new(group, "work_share",
                            json_real(json_real_value(json_object_get(group, "work_share")) + share));
    }
    return groups;
}

static char *list_names(const json_t *nodes)
{
    enum { SHOWN = 3 };
    const size_t count = json_array_size(nodes);
    json_t *text = json_string("");

    for (size_t i = 0; i < count && i < SHOWN; i++) {
        json_t *longer = json_sprintf("%s%s'%s'", json_string_value(text), i > 0 ? ", " : "",
                                      json_string_value(json_array_get(nodes, i)));
        json_decref(text);
        text = longer;
    }
    json_t *line = count > SHOWN ? json_sprintf("nodes %s and %zu more", json_string_value(text), count - SHOWN)
                                 : json_sprintf("node%s %s", count == 1 ? "" : "s", json_string_value(text));
    char *result = rl_cli_copy(json_string_value(line));
    json_decref(text);
    json_decref(line);
    return result;
}

char *rl_cli_group_text(const json_t *group)
{
    json_t *ops = json_object_get(group, "ops");
    const char *first = json_object_iter_key(json_object_iter(ops));
    const long long calls = (long long)json_integer_value(json_object_get(group, "calls"));
    const double share = 100 * json_real_value(json_object_get(group, "work_share"));
    const size_t others = json_object_size(ops) - 1;
    char *names = list_names(json_object_get(group, "nodes"));
    json_t *more = others > 0 ? json_sprintf(" and %zu other%s", others, others == 1 ? "" : "s") : json_string("");
    json_t *line = json_sprintf("%s (%s%s, %lld call%s, %.1f %% of the work) stay%s in floating point: %s", names,
                                first, json_string_value(more), calls, calls == 1 ? "" : "s", share,
                                json_array_size(json_object_get(group, "nodes")) == 1 ? "s" : "",
                                json_string_value(json_object_get(group, "reason")));
    char *result = rl_cli_copy(json_string_value(line));

    rl_cli_free(names);
    json_decref(more);
    json_decref(line);
    return result;
}

// ---- what the quantizer decided

static json_t *tensor_json(const struct rl_quantizer_tensor *tensor)
{
    json_t *scales = json_array();

    for (int i = 0; i < tensor->scale_count; i++) {
        json_array_append_new(scales, json_real(tensor->scales[i]));
    }
    return json_pack("{s:s, s:s, s:s, s:I, s:o}", "role", tensor->role, "name", tensor->name, "dtype",
                     rl_dtype_name(tensor->dtype), "zero_point", (json_int_t)tensor->zero_point, "scales", scales);
}

json_t *rl_cli_quantizer_json(const struct rl_quantizer_report *report)
{
    json_t *list = json_array();

    for (int i = 0; report && i < report->count; i++) {
        const struct rl_quantizer_match *match = &report->matches[i];
        json_t *nodes = json_array(), *tensors = json_array();
        for (int k = 0; k < match->node_count; k++) {
            json_array_append_new(nodes, json_string(match->nodes[k]));
        }
        for (int k = 0; k < match->tensor_count; k++) {
            json_array_append_new(tensors, tensor_json(&match->tensors[k]));
        }
        json_array_append_new(list,
                              json_pack("{s:s, s:o, s:b, s:s?, s:o}", "pattern", match->pattern, "nodes", nodes,
                                        "accepted", match->accepted, "reason", match->reason, "tensors", tensors));
    }
    return list;
}

static void print_scales(const json_t *tensor, FILE *file)
{
    const json_t *scales = json_object_get(tensor, "scales");
    const size_t count = json_array_size(scales);
    double least = json_real_value(json_array_get(scales, 0)), most = least;

    for (size_t i = 1; i < count; i++) {
        const double scale = json_real_value(json_array_get(scales, i));
        least = scale < least ? scale : least;
        most = scale > most ? scale : most;
    }
    fprintf(file, "      %-7s %-28s %-6s ", json_string_value(json_object_get(tensor, "role")),
            json_string_value(json_object_get(tensor, "name")), json_string_value(json_object_get(tensor, "dtype")));
    if (count == 1) {
        fprintf(file, "scale %.9g, zero point %lld\n", least,
                (long long)json_integer_value(json_object_get(tensor, "zero_point")));
    } else {
        fprintf(file, "%zu scales from %.9g to %.9g, zero point 0\n", count, least, most);
    }
}

void rl_cli_print_quantizer(const json_t *report, FILE *file)
{
    size_t index, k;
    const json_t *match, *part;

    fprintf(file, "quantizer\n");
    json_array_foreach(report, index, match)
    {
        fprintf(file, "  %s  %s:", json_is_true(json_object_get(match, "accepted")) ? "accepted" : "rejected",
                json_string_value(json_object_get(match, "pattern")));
        json_array_foreach(json_object_get(match, "nodes"), k, part)
        {
            fprintf(file, " %s", json_string_value(part));
        }
        fprintf(file, "\n");
        if (json_is_string(json_object_get(match, "reason"))) {
            fprintf(file, "      %s\n", json_string_value(json_object_get(match, "reason")));
        }
        json_array_foreach(json_object_get(match, "tensors"), k, part)
        {
            print_scales(part, file);
        }
    }
}
