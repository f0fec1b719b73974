// SPDX-License-Identifier: Apache-2.0
//
// Measures one program on one core, as JSON.
#include <string.h>

#include "boards/qemu/emulator.h"
#include "cli/boards.h"
#include "cli/inspect.h"
#include "cli/profile.h"
#include "ops/ops.h"

// ---- figures

static json_int_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

// What is added up of operators.
static const char *const sums[] = {"runs", "instructions", "cycles", "loads", "stores", "macs", NULL};

static json_t *quotient(const json_t *cycles, const json_t *macs)
{
    if (!json_is_integer(cycles) || json_integer_value(macs) <= 0) {
        return json_null();
    }
    return json_real((double)json_integer_value(cycles) / (double)json_integer_value(macs));
}

// Adds a key of an operator to a sum, which is unknown as soon as one of them is.
static void add_up(json_t *sum, const char *key, const json_t *entry)
{
    json_t *before = json_object_get(sum, key), *more = json_object_get(entry, key);

    if (!before) {
        json_object_set(sum, key, more ? more : json_null());
    } else if (json_is_integer(before) && json_is_integer(more)) {
        json_object_set_new(sum, key, json_integer(json_integer_value(before) + json_integer_value(more)));
    } else if (json_is_real(before) && json_is_real(more)) {
        json_object_set_new(sum, key, json_real(json_real_value(before) + json_real_value(more)));
    } else {
        json_object_set_new(sum, key, json_null());
    }
}

static json_t *find_group(json_t *groups, const char *key, const json_t *text)
{
    size_t index;
    json_t *group;

    json_array_foreach(groups, index, group)
    {
        if (json_equal(json_object_get(group, key), text)) {
            return group;
        }
    }
    group = json_object();
    json_object_set(group, key, (json_t *)(uintptr_t)text);
    json_object_set_new(group, "operators", json_integer(0));
    json_array_append_new(groups, group);
    return group;
}

json_t *rl_cli_profile_group(const json_t *operators, const char *key)
{
    json_t *groups = json_array(), *group;
    const json_t *entry;
    size_t index;

    json_array_foreach(operators, index, entry)
    {
        group = find_group(groups, key, json_object_get(entry, key));
        json_object_set_new(group, "operators", json_integer(integer_of(group, "operators") + 1));
        for (const char *const *sum = sums; *sum; sum++) {
            add_up(group, *sum, entry);
        }
        add_up(group, "milliseconds", entry);
        if (integer_of(entry, "stack_bytes") >= integer_of(group, "stack_bytes")) {
            json_object_set(group, "stack_bytes", json_object_get(entry, "stack_bytes"));
        }
    }
    json_array_foreach(groups, index, group)
    {
        json_object_set_new(group, "cycles_per_mac",
                            quotient(json_object_get(group, "cycles"), json_object_get(group, "macs")));
    }
    return groups;
}

const char *rl_cli_profile_measure(const json_t *report)
{
    static const char *const measures[] = {"cycles", "instructions", NULL};
    const char *const *measure = measures;

    while (*measure && !json_is_integer(json_object_get(report, *measure))) {
        measure++;
    }
    return *measure ? *measure : "milliseconds";
}

static double amount(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void add_share(json_t *entry, const json_t *report, const char *measure)
{
    const double all = amount(report, measure);
    json_object_set_new(entry, "percent", all > 0 ? json_real(100 * amount(entry, measure) / all) : json_null());
}

static void set_time(json_t *entry, double hertz)
{
    const json_t *cycles = json_object_get(entry, "cycles");
    if (json_is_integer(cycles)) {
        json_object_set_new(entry, "milliseconds", json_real(1000 * (double)json_integer_value(cycles) / hertz));
    }
}

void rl_cli_profile_add_time(json_t *report, double hertz, double watts)
{
    size_t index;
    json_t *entry;

    json_object_set_new(report, "clock_hz", hertz > 0 ? json_real(hertz) : json_null());
    json_object_set_new(report, "watts", watts > 0 ? json_real(watts) : json_null());
    json_object_set_new(report, "microjoules", json_null());
    if (hertz <= 0) {
        return;
    }
    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        set_time(entry, hertz);
    }
    set_time(report, hertz);
    set_time(json_object_get(report, "outside"), hertz);
    if (watts > 0 && json_is_real(json_object_get(report, "milliseconds"))) {
        json_object_set_new(report, "microjoules", json_real(1000 * watts * amount(report, "milliseconds")));
    }
}

// ---- operators

// The counts of an entry, of which a core without a model has only the instructions.
static void set_counts(json_t *entry, const struct rl_counts *counts, bool modelled)
{
    json_object_set_new(entry, "instructions", json_integer((json_int_t)counts->instructions));
    json_object_set_new(entry, "cycles", modelled ? json_integer((json_int_t)counts->cycles) : json_null());
    json_object_set_new(entry, "loads", modelled ? json_integer((json_int_t)counts->loads) : json_null());
    json_object_set_new(entry, "stores", modelled ? json_integer((json_int_t)counts->stores) : json_null());
}

// The operator that it counts as: forms for some cores are one kind with the usual one.
static const char *kind_of(const json_t *call)
{
    enum rl_op_id id;
    const char *name = json_string_value(json_object_get(call, "op"));
    const char *overload = json_string_value(json_object_get(call, "overload"));
    return rl_op_find_out(name, overload, &id) ? rl_op_counted_name(rl_op_get(id)) : name;
}

static json_t *new_operator(const json_t *call, uint64_t runs)
{
    const json_t *macs = json_object_get(call, "macs");
    json_t *entry = json_object();
    static const char *const kept[][2] = {{"index", "index"}, {"operator", "op"}, {"overload", "overload"},
                                          {"layer", "layer"}, {"node", "node"},   {"live_bytes", "live_bytes"}};

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        json_object_set(entry, kept[i][0], json_object_get(call, kept[i][1]));
    }
    json_object_set_new(entry, "kind", json_string(kind_of(call)));
    json_object_set_new(entry, "runs", json_integer((json_int_t)runs));
    json_object_set_new(
        entry, "macs", json_is_integer(macs) ? json_integer(json_integer_value(macs) * (json_int_t)runs) : json_null());
    json_object_set_new(entry, "milliseconds", json_null());
    return entry;
}

// Calls of operators; the runtime's own instructions (moves, jumps) count as outside of them.
static bool is_operator(const json_t *call)
{
    return json_object_get(call, "overload");
}

static void subtract(struct rl_counts *from, const struct rl_counts *counts)
{
    from->instructions -= counts->instructions;
    from->cycles -= counts->cycles;
    from->loads -= counts->loads;
    from->stores -= counts->stores;
}

static json_t *counts_json(const struct rl_counts *counts, bool modelled)
{
    json_t *object = json_object();
    set_counts(object, counts, modelled);
    return object;
}

static void add_emulated_operators(json_t *report, const json_t *calls, const struct rl_cli_counts *counts,
                                   bool modelled)
{
    json_t *operators = json_array();
    struct rl_counts outside = counts->inferences[1], marks = counts->inferences[2];
    uint32_t stack = 0;
    const json_t *call;
    size_t index;

    json_array_foreach(calls, index, call)
    {
        const struct rl_operator_counts *counted = &counts->operators[index];
        if (!is_operator(call)) {
            continue;
        }
        json_t *entry = new_operator(call, counted->runs);
        set_counts(entry, &counted->counts, modelled);
        json_object_set_new(entry, "cycles_per_mac",
                            quotient(json_object_get(entry, "cycles"), json_object_get(entry, "macs")));
        json_object_set_new(entry, "stack_bytes", json_integer(counted->stack_bytes));
        json_array_append_new(operators, entry);
        subtract(&outside, &counted->counts);
        stack = counted->stack_bytes > stack ? counted->stack_bytes : stack;
    }
    subtract(&marks, &counts->inferences[1]);
    json_object_set_new(report, "ops", operators);
    json_object_set_new(report, "outside", counts_json(&outside, modelled));
    json_object_set_new(report, "marks", counts_json(&marks, modelled));
    json_object_set_new(report, "first", counts_json(&counts->inferences[0], modelled));
    json_object_set_new(report, "inference_stack_bytes", json_integer(stack));
}

// ---- a core

static json_t *model_json(const struct rl_cycle_facts *facts)
{
    if (!facts) {
        return json_null();
    }
    return json_pack("{s:s, s:o}", "error", facts->error, "limit",
                     facts->limit > 0 ? json_real(facts->limit) : json_null());
}

// Of the cycles of a network against boards. Flash with wait states differs from chip to chip.
static json_t *error_percent(const struct rl_cycle_facts *facts, uint32_t wait_states)
{
    return facts && facts->percent > 0 && wait_states == 0 ? json_real(facts->percent) : json_null();
}

// Whether some operator ran, if there are any.
static bool has_run(const struct rl_cli_counts *counts, const json_t *calls)
{
    uint64_t runs = 0, operators = 0;
    const json_t *call;
    size_t index;

    json_array_foreach(calls, index, call)
    {
        operators += is_operator(call) ? 1 : 0;
        runs += counts->operators[index].runs;
    }
    return runs > 0 || operators == 0;
}

static bool measure_on_core(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                            const struct rl_cli_profile_settings *settings, const json_t *calls, json_t *report)
{
    const char *core = json_string_value(json_object_get(report, "core"));
    const struct rl_cycle_facts *facts = rl_emulator_cycles(core);
    struct rl_cli_counts counts = {.wait_states = settings->wait_states};

    if (rl_cli_count_operators(cli, program, samples, core, &counts) != RL_OK) {
        return false;
    }
    if (!has_run(&counts, calls)) {
        rl_fail(&cli->context, RL_ERROR_KERNEL,
                "%s: on emulated %s no operator was seen to run, so that only the whole could be told: %llu "
                "instructions; is the firmware of another version?",
                program->path, core, (unsigned long long)counts.inferences[1].instructions);
        return false;
    }
    set_counts(report, &counts.inferences[1], facts);
    json_object_set_new(report, "cycles_error_percent", error_percent(facts, settings->wait_states));
    json_object_set_new(report, "cycle_model", model_json(facts));
    json_object_set_new(report, "wait_states", json_integer(settings->wait_states));
    json_object_set_new(report, "arena_bytes", json_integer(counts.outputs.arena_bytes));
    json_object_set_new(report, "state_bytes", json_integer(counts.outputs.state_bytes));
    json_object_set_new(report, "stack_bytes", json_integer(counts.outputs.stack_bytes));
    add_emulated_operators(report, calls, &counts, facts);
    rl_cli_profile_add_time(report, settings->hertz, settings->watts);
    return true;
}

// ---- the host

static bool measure_on_host(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                            const json_t *calls, json_t *report)
{
    struct rl_cli_host_times times;
    json_t *operators = json_array();
    double outside = 0;
    const json_t *call;
    size_t index;

    if (rl_cli_time_operators(cli, program, samples, &times) != RL_OK) {
        return false;
    }
    outside = times.total;
    json_array_foreach(calls, index, call)
    {
        if (is_operator(call)) {
            json_t *entry = new_operator(call, times.runs[index]);
            json_object_set_new(entry, "milliseconds", json_real(1000 * times.seconds[index]));
            json_array_append_new(operators, entry);
            outside -= times.seconds[index];
        }
    }
    json_object_set_new(report, "milliseconds", json_real(1000 * times.total));
    json_object_set_new(report, "repeated", json_integer(times.repeated));
    json_object_set_new(report, "ops", operators);
    json_object_set_new(report, "outside", json_pack("{s:f}", "milliseconds", 1000 * outside));
    json_object_set_new(report, "marks", json_pack("{s:f}", "milliseconds", 1000 * (times.total - times.unclocked)));
    return true;
}

// ---- the report

static void cannot_tell(json_t *report, json_t *sentence)
{
    json_array_append_new(json_object_get(report, "unknown"), sentence);
}

// The board that was named, and the current from which its energy follows.
static void add_board(json_t *report, const struct rl_cli_profile_settings *settings)
{
    const struct rl_board *board = settings->board;

    json_object_set_new(report, "board", board ? json_string(board->name) : json_null());
    json_object_set_new(report, "current", rl_cli_current_json(settings->current));
    if (board && settings->watts <= 0) {
        cannot_tell(report, json_string(RL_CLI_NO_ENERGY));
    }
}

// What this report cannot say, in sentences.
static void add_unknown(json_t *report)
{
    const char *core = json_string_value(json_object_get(report, "core"));
    const bool on_host = strcmp(core, "host") == 0;
    json_int_t changing = 0;
    const json_t *entry;
    size_t index;

    json_object_set_new(report, "unknown", json_array());
    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        changing += json_is_integer(json_object_get(entry, "macs")) ? 0 : 1;
    }
    if (!json_is_true(json_object_get(report, "has_names"))) {
        cannot_tell(report, json_string("layers: the program does not name them; --no-names leaves the names out, "
                                        "and other compilers do not write them"));
    }
    if (on_host) {
        cannot_tell(report, json_string("instructions, cycles and stack: the host tells only the time; --on cortex-m4, "
                                        "or another core, counts them"));
    } else if (!json_is_object(json_object_get(report, "cycle_model"))) {
        cannot_tell(report, json_sprintf("cycles, loads and stores: there is no model of %s", core));
    }
    if (integer_of(report, "wait_states") > 0) {
        cannot_tell(report, json_string("the error of cycles with wait states: flash differs from chip to chip"));
    }
    if (changing > 0) {
        cannot_tell(report,
                    json_sprintf("multiply-adds of %lld operators: their shapes may change", (long long)changing));
    }
}

static void add_groups(json_t *report)
{
    const char *const measure = rl_cli_profile_measure(report);
    static const char *const lists[] = {"ops", "layers", "kinds", NULL};
    const json_t *operators = json_object_get(report, "ops");
    const bool has_names = json_is_true(json_object_get(report, "has_names"));

    json_object_set_new(report, "kinds", rl_cli_profile_group(operators, "kind"));
    json_object_set_new(report, "layers", has_names ? rl_cli_profile_group(operators, "layer") : json_array());
    for (const char *const *list = lists; *list; list++) {
        size_t index;
        json_t *entry;
        json_array_foreach(json_object_get(report, *list), index, entry)
        {
            add_share(entry, report, measure);
        }
    }
    add_share(json_object_get(report, "outside"), report, measure);
}

static void add_totals(json_t *report)
{
    json_t *sum = json_object(), *entry;
    size_t index;

    json_object_set_new(sum, "macs", json_integer(0));
    json_array_foreach(json_object_get(report, "ops"), index, entry)
    {
        add_up(sum, "macs", entry);
    }
    json_object_set(report, "macs", json_object_get(sum, "macs"));
    json_object_set_new(report, "cycles_per_mac",
                        quotient(json_object_get(report, "cycles"), json_object_get(report, "macs")));
    json_decref(sum);
}

// What the file tells; NULL if it cannot be run.
static json_t *read_facts(struct rl_cli *cli, const char *path, const struct rl_cli_profile_settings *settings)
{
    struct rl_host_files files;

    if (rl_cli_read_program(cli, path, settings->data_path, settings->method, &files) != RL_OK) {
        return NULL;
    }
    json_t *facts = rl_cli_inspect_pte(cli, &files);
    const json_t *missing = json_object_get(facts, "missing_operators");
    if (json_array_size(missing) > 0) {
        rl_fail(&cli->context, RL_ERROR_MISSING_OPERATOR,
                "%s: nothing can be measured, because the runtime does not have %s%s; 'rushlight inspect' shows what "
                "the file tells",
                path, json_string_value(json_array_get(missing, 0)),
                json_array_size(missing) > 1 ? " and other operators that the program calls" : "");
        json_decref(facts);
        return NULL;
    }
    json_object_set_new(facts, "data_bytes", json_integer((json_int_t)files.data_size));
    rl_cli_file_add_live_bytes(cli->arena, json_object_get(facts, "memory_map"),
                               json_object_get(facts, "instructions"));
    return facts;
}

static json_t *start_report(const json_t *facts, const char *core)
{
    static const char *const kept[] = {"file",       "method",         "has_names",  "program_bytes",
                                       "data_bytes", "constant_bytes", "arena_bytes"};
    json_t *report = json_object();

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        json_object_set(report, kept[i], json_object_get(facts, kept[i]));
    }
    json_object_set_new(report, "core", json_string(core));
    return report;
}

json_t *rl_cli_profile_program(struct rl_cli *cli, const char *path, const char *core,
                               const struct rl_cli_profile_settings *settings)
{
    struct rl_cli_program *program = rl_arena_array(cli->arena, 1, sizeof *program);
    struct rl_dataset samples;
    json_t *facts = read_facts(cli, path, settings);

    if (!facts || rl_cli_open_program(cli, path, settings->data_path, settings->method, program) != RL_OK ||
        rl_cli_load_samples(cli, program, NULL, settings->inputs, settings->input_count, &samples) != RL_OK) {
        json_decref(facts);
        return NULL;
    }
    program->timeout_seconds = settings->timeout_seconds;
    program->host.max_steps = settings->max_steps;
    json_t *report = start_report(facts, core);
    const json_t *calls = json_object_get(facts, "instructions");
    bool measured = strcmp(core, "host") == 0 ? measure_on_host(cli, program, &samples, calls, report)
                                              : measure_on_core(cli, program, &samples, settings, calls, report);
    if (measured) {
        add_totals(report);
        add_groups(report);
        add_unknown(report);
        add_board(report, settings);
        measured = rl_cli_profile_add_code(cli, facts, report) == RL_OK;
    }
    if (!measured) {
        json_decref(report);
    }
    json_decref(facts);
    return measured ? report : NULL;
}
