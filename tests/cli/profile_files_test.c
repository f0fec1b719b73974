// SPDX-License-Identifier: Apache-2.0
//
// The files that `rushlight profile` writes for the viewers of others hold what its report says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "format/etdump.h"
#include "format/flatbuffer.h"
#include "support/process.h"

enum { LAYERS = 1, OPERATORS = 2, TRACKS = 3 };

static const char *model(void)
{
    const char *path = rl_temporary_path("named.pte");
    const char *words[] = {"compile", RL_FIXTURES "/names/residual.pt2", "-o", path, "--target", "cortex-m4", "--json",
                           NULL};
    json_decref(rl_process_json(rl_program_under_test(), words));
    return path;
}

// A report, and a file beside it.
static json_t *profile(const char *program, const char *option, const char *path, const char *clock)
{
    const char *words[] = {"profile", program, "--on", "m4", "--json", option, path, clock ? "--clock" : NULL,
                           clock,     NULL};
    return rl_process_json(rl_program_under_test(), words);
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

// ---- trace

// Walks through the slices and counters of a trace: time never runs backwards on a track, each slice ends before the
// next begins, and each operator takes its cycles.
struct walk {
    const json_t *open[TRACKS]; // the slice that began on each track
    double now[TRACKS];
    size_t operators, counters;
    json_int_t most; // live bytes
};

static void check_slice(struct walk *walk, const json_t *event, const json_t *operators)
{
    const json_int_t track = integer(event, "tid");
    const json_t *begun = walk->open[track], *entry = json_array_get(operators, walk->operators);

    assert_true(number(event, "ts") >= walk->now[track]);
    walk->now[track] = number(event, "ts");
    if (strcmp(text(event, "ph"), "B") == 0) {
        assert_null(begun);
        walk->open[track] = event;
        return;
    }
    assert_non_null(begun);
    assert_string_equal(text(event, "name"), text(begun, "name"));
    walk->open[track] = NULL;
    if (track == OPERATORS && entry) {
        assert_string_equal(text(begun, "name"), text(entry, "operator"));
        assert_true(number(event, "ts") - number(begun, "ts") == (double)integer(entry, "cycles"));
        assert_int_equal(integer(json_object_get(begun, "args"), "macs"), integer(entry, "macs"));
        walk->operators++;
    }
}

static struct walk walk_trace(const json_t *trace, const json_t *operators)
{
    struct walk walk = {0};
    const json_t *event;
    size_t index;

    json_array_foreach(json_object_get(trace, "traceEvents"), index, event)
    {
        if (strcmp(text(event, "ph"), "C") == 0) {
            const json_int_t bytes = integer(json_object_get(event, "args"), "live bytes");
            assert_int_equal(bytes, integer(json_array_get(operators, walk.counters++), "live_bytes"));
            walk.most = bytes > walk.most ? bytes : walk.most;
        } else if (strcmp(text(event, "ph"), "M") != 0) {
            check_slice(&walk, event, operators);
        }
    }
    return walk;
}

static void a_trace_has_operators_layers_and_bytes(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("trace.json");
    json_t *report = profile(model(), "--trace", path, NULL), *trace = json_load_file(path, 0, NULL);
    const json_t *operators = json_object_get(report, "ops");

    assert_non_null(trace);
    const struct walk walk = walk_trace(trace, operators);
    assert_int_equal(walk.operators, json_array_size(operators));
    assert_int_equal(walk.counters, json_array_size(operators));
    assert_true(walk.now[OPERATORS] == (double)integer(report, "cycles"));
    assert_true(walk.now[LAYERS] ==
                (double)(integer(report, "cycles") - integer(json_object_get(report, "outside"), "cycles")));
    assert_null(walk.open[OPERATORS]);
    assert_null(walk.open[LAYERS]);
    // The planner packs this model without gaps at its peak.
    assert_int_equal(walk.most, integer(report, "arena_bytes"));
    json_decref(report);
    json_decref(trace);
}

static void a_clock_makes_it_time(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("clocked.json");
    json_t *report = profile(model(), "--trace", path, "80MHz"), *trace = json_load_file(path, 0, NULL);
    const json_t *events = json_object_get(trace, "traceEvents"), *event;
    double end = 0;
    size_t index;

    json_array_foreach(events, index, event)
    {
        end = number(event, "ts") > end ? number(event, "ts") : end;
    }
    assert_true(end > 1000 * number(report, "milliseconds") - 0.001);
    assert_true(end < 1000 * number(report, "milliseconds") + 0.001);
    json_decref(report);
    json_decref(trace);
}

// ---- node data

static void node_data_name_each_operator(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("nodes.json");
    json_t *report = profile(model(), "--node-data", path, NULL), *data = json_load_file(path, 0, NULL), *entry;
    const json_t *graph = json_object_get(data, "forward"), *results = json_object_get(graph, "results");
    size_t index;

    assert_string_equal(text(graph, "name"), "cycles");
    assert_int_equal(json_array_size(json_object_get(graph, "gradient")), 3);
    assert_int_equal(json_object_size(results), json_array_size(json_object_get(report, "ops")));
    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        char name[64];
        snprintf(name, sizeof name, "forward_0_%lld", (long long)integer(entry, "index"));
        assert_int_equal(integer(json_object_get(results, name), "value"), integer(entry, "cycles"));
    }
    json_decref(report);
    json_decref(data);
}

// ---- ETDump

static uint64_t wide(const struct rl_flatbuffer *file, uint32_t table, uint32_t id)
{
    return rl_fb_u64(file, rl_fb_field(file, table, id, 8));
}

static void expect_event(const struct rl_flatbuffer *file, uint32_t event, const json_t *entry, uint64_t start)
{
    const uint32_t profiled = rl_fb_child(file, event, RL_ETDUMP_event_profile_event);
    uint32_t length;
    char name[100];

    snprintf(name, sizeof name, "native_call_%s.%s", strstr(text(entry, "operator"), "::") + 2,
             text(entry, "overload"));
    assert_string_equal(rl_fb_string(file, profiled, RL_ETDUMP_profile_name, &length), name);
    assert_int_equal(rl_fb_u32(file, rl_fb_field(file, profiled, RL_ETDUMP_profile_instruction_id, 4)),
                     integer(entry, "index"));
    assert_int_equal(wide(file, profiled, RL_ETDUMP_profile_start_time), start);
    assert_int_equal(wide(file, profiled, RL_ETDUMP_profile_end_time), start + (uint64_t)integer(entry, "cycles"));
}

static void an_etdump_has_the_cycles(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("run.etdp");
    json_t *report = profile(model(), "--etdump", path, NULL);
    const json_t *operators = json_object_get(report, "ops"), *entry;
    struct rl_fb_vector runs, events;
    uint64_t now = 0;
    size_t index, size;
    unsigned char *bytes = rl_read_bytes(path, &size);

    assert_non_null(bytes);
    const struct rl_flatbuffer file = {bytes, (uint32_t)size};
    assert_true(size < 1 << 16);
    assert_int_equal((size_t)(bytes[0] | bytes[1] << 8) + 4, size);
    assert_true(rl_fb_vector(&file, rl_fb_follow(&file, 4), RL_ETDUMP_etdump_run_data, 4, &runs));
    const uint32_t run = rl_fb_follow(&file, runs.items);
    assert_true(rl_fb_vector(&file, run, RL_ETDUMP_run_events, 4, &events));
    assert_int_equal(events.count, json_array_size(operators) + 1);
    json_array_foreach(operators, index, entry)
    {
        expect_event(&file, rl_fb_follow(&file, events.items + 4 * (uint32_t)index), entry, now);
        now += (uint64_t)integer(entry, "cycles");
    }
    const uint32_t last = rl_fb_follow(&file, events.items + 4 * (events.count - 1));
    const uint32_t whole = rl_fb_child(&file, last, RL_ETDUMP_event_profile_event);
    assert_int_equal(wide(&file, whole, RL_ETDUMP_profile_end_time), integer(report, "cycles"));
    free(bytes);
    json_decref(report);
}

// ---- refusals

static void expect_refused(const char *program, const char *const *options, const char *reason)
{
    const char *words[12] = {"profile", program};
    for (int i = 0; options[i]; i++) {
        words[2 + i] = options[i];
    }
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    assert_int_equal(process.status, 2);
    if (!strstr(process.err, reason)) {
        fail_msg("expected '%s', found '%s'", reason, process.err);
    }
    rl_process_free(&process);
}

static void what_has_no_place_is_refused(void **state)
{
    (void)state;
    const char *program = model(), *path = rl_temporary_path("none");
    size_t size;

    expect_refused(program, (const char *[]){"--on", "host", "--etdump", path, NULL}, "the host tells only the time");
    expect_refused(program, (const char *[]){"--all-cores", "--trace", path, NULL}, "--trace holds one run");
    expect_refused(program, (const char *[]){"--on", "m4", "--compare", program, "--etdump", path, NULL},
                   "--etdump holds one run");
    assert_null(rl_read_bytes(path, &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_has_operators_layers_and_bytes), cmocka_unit_test(a_clock_makes_it_time),
        cmocka_unit_test(node_data_name_each_operator),           cmocka_unit_test(an_etdump_has_the_cycles),
        cmocka_unit_test(what_has_no_place_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
