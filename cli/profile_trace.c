// SPDX-License-Identifier: Apache-2.0
//
// A profile as a trace in Chrome's JSON format, which Perfetto and chrome://tracing open (source: "Trace Event Format"
// of the Chromium project). Slices are pairs of a beginning and an end: where one ends and the next begins at the same
// number, no viewer can see them overlap, however it rounds.
#include <math.h>
#include <string.h>

#include "cli/profile.h"
#include "compiler/support/file.h"

enum { PROCESS = 1, LAYERS = 1, OPERATORS = 2 };

struct trace {
    json_t *events;
    const char *measure; // of the report, which gives the time
    double scale;        // microseconds of one of it
    double now;          // in the measure
};

static const char *unit_of(const char *measure, bool timed)
{
    if (timed) {
        return "microseconds";
    }
    return strcmp(measure, "cycles") == 0 ? "one microsecond is one cycle" : "one microsecond is one instruction";
}

// A moment in microseconds, to the nanosecond.
static json_t *moment(const struct trace *trace)
{
    return json_real(round(1000 * trace->scale * trace->now) / 1000);
}

static json_t *add_event(struct trace *trace, const char *phase, int thread, const char *name)
{
    json_t *event = json_pack("{s:s, s:s, s:o, s:i, s:i}", "name", name, "ph", phase, "ts", moment(trace), "pid",
                              PROCESS, "tid", thread);
    json_array_append_new(trace->events, event);
    return event;
}

static void add_name(struct trace *trace, const char *kind, int thread, json_t *name)
{
    json_t *event = add_event(trace, "M", thread, kind);
    json_object_set_new(event, "args", json_pack("{s:o}", "name", name));
}

static void pass(struct trace *trace, const json_t *entry)
{
    trace->now += json_number_value(json_object_get(entry, trace->measure));
}

static void add_operator(struct trace *trace, const json_t *entry)
{
    static const char *const kept[] = {"index", "layer", "node",   "runs",        "instructions", "cycles",
                                       "macs",  "loads", "stores", "stack_bytes", "milliseconds", NULL};
    const char *name = json_string_value(json_object_get(entry, "operator"));
    json_t *arguments = json_object(), *live = add_event(trace, "C", OPERATORS, "arena");

    json_object_set_new(live, "args", json_pack("{s:O}", "live bytes", json_object_get(entry, "live_bytes")));
    for (const char *const *key = kept; *key; key++) {
        json_t *value = json_object_get(entry, *key);
        if (value && !json_is_null(value)) {
            json_object_set(arguments, *key, value);
        }
    }
    json_object_set_new(add_event(trace, "B", OPERATORS, name), "args", arguments);
    pass(trace, entry);
    add_event(trace, "E", OPERATORS, name);
}

// Operators that ran, one after the other, and behind them what the runtime did between them.
static void add_operators(struct trace *trace, const json_t *report)
{
    const json_t *entry;
    size_t index;

    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        if (json_integer_value(json_object_get(entry, "runs")) > 0) {
            add_operator(trace, entry);
        }
    }
    add_event(trace, "B", OPERATORS, "outside of operators");
    pass(trace, json_object_get(report, "outside"));
    add_event(trace, "E", OPERATORS, "outside of operators");
}

// A slice for operators of one layer that follow each other.
static void add_layers(struct trace *trace, const json_t *report)
{
    const json_t *entry;
    const char *open = NULL;
    size_t index;

    trace->now = 0;
    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        if (json_integer_value(json_object_get(entry, "runs")) == 0) {
            continue;
        }
        const char *layer = rl_cli_profile_label(entry, "layer");
        if (!open || strcmp(open, layer) != 0) {
            if (open) {
                add_event(trace, "E", LAYERS, open);
            }
            add_event(trace, "B", LAYERS, layer);
            open = layer;
        }
        pass(trace, entry);
    }
    if (open) {
        add_event(trace, "E", LAYERS, open);
    }
}

static json_t *make_trace(const json_t *report)
{
    const char *measure = rl_cli_profile_measure(report);
    const json_t *clock = json_object_get(report, "clock_hz");
    const bool in_milliseconds = strcmp(measure, "milliseconds") == 0;
    const bool clocked = strcmp(measure, "cycles") == 0 && json_is_real(clock);
    struct trace trace = {.events = json_array(), .measure = measure, .scale = in_milliseconds ? 1000 : 1};

    if (clocked) {
        trace.scale = 1e6 / json_real_value(clock);
    }
    add_name(&trace, "process_name", OPERATORS,
             json_sprintf("%s on %s", json_string_value(json_object_get(report, "file")),
                          json_string_value(json_object_get(report, "core"))));
    add_name(&trace, "thread_name", OPERATORS, json_string("operators"));
    add_operators(&trace, report);
    if (json_is_true(json_object_get(report, "has_names"))) {
        trace.now = 0;
        add_name(&trace, "thread_name", LAYERS, json_string("layers"));
        add_layers(&trace, report);
    }
    return json_pack("{s:s, s:{s:s, s:s}, s:o}", "displayTimeUnit", "ns", "otherData", "measure", measure, "unit",
                     unit_of(measure, clocked || in_milliseconds), "traceEvents", trace.events);
}

enum rl_status rl_cli_profile_write_trace(struct rl_cli *cli, const json_t *report, const char *path)
{
    json_t *trace = make_trace(report);
    char *text = json_dumps(trace, JSON_INDENT(1) | JSON_REAL_PRECISION(15));

    json_decref(trace);
    const enum rl_status status = rl_file_write(&cli->context, path, text, strlen(text));
    rl_cli_free(text);
    return status;
}
