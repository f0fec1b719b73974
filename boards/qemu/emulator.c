// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "emulator.h"
#include "../runner/report.h"
#include "message.h"
#include "process.h"
#include "tools.h"
#include "workspace.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_TIMEOUT_SECONDS = 600 };

struct machine {
    const char *core;
    const char *short_name;
    const char *qemu_machine;
    const char *code;      // "0x0-0x400000": the addresses of its code
    unsigned long program; // the address at which the runner puts the program
};

static const struct machine machines[] = {
#include "machines.inc"
};

enum { MACHINE_COUNT = sizeof machines / sizeof *machines };

struct report {
    unsigned status, samples, arena, state, stack;
    char message[512];
};

const char *rl_emulator_core(size_t index)
{
    return index < MACHINE_COUNT ? machines[index].core : NULL;
}

static const struct machine *find_machine(const char *core)
{
    for (size_t i = 0; i < MACHINE_COUNT; i++) {
        if (strcmp(core, machines[i].core) == 0 || strcmp(core, machines[i].short_name) == 0) {
            return &machines[i];
        }
    }
    return NULL;
}

const struct rl_cycle_facts *rl_emulator_cycles(const char *core)
{
    const struct machine *machine = find_machine(core);
    return machine ? rl_cycle_facts_of(machine->short_name) : NULL;
}

const char *rl_emulator_machine(const char *core)
{
    const struct machine *machine = find_machine(core);
    return machine ? machine->qemu_machine : NULL;
}

static enum rl_emulation_status unknown_core(const char *core, const struct rl_message *message)
{
    char list[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < MACHINE_COUNT && used < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", machines[i].core);
    }
    return rl_emulation_fail(message, RL_EMULATION_UNKNOWN_CORE,
                             "core '%s' is not emulated; the emulated cores are: %s", core, list);
}

static enum rl_emulation_status prepare(const struct rl_emulation *job, const struct rl_workspace *workspace,
                                        const char *counter, const struct rl_message *message)
{
    const struct rl_workspace_input input = {.program_path = job->program_path,
                                             .data_path = job->data_path,
                                             .program = job->program,
                                             .data = job->data,
                                             .samples = job->inputs,
                                             .count = job->samples,
                                             .sample_bytes = job->input_bytes};
    const char *failed = workspace->folder;
    int error = rl_workspace_link(workspace, counter, RL_WORKSPACE_COUNTER);
    if (!error) {
        error = rl_workspace_write_input(workspace, RL_WORKSPACE_INPUTS, &input, &failed);
    }
    return error ? rl_emulation_fail(message, RL_EMULATION_SYSTEM, "%s: %s", failed, strerror(error)) : RL_EMULATION_OK;
}

struct watch {
    const struct rl_emulation *job;
    const struct rl_workspace *workspace;
};

// The runner writes the outputs of each sample as it has them.
static bool tell_progress(const void *user)
{
    const struct watch *watch = user;
    char path[RL_PATH_BYTES + sizeof RL_WORKSPACE_OUTPUTS + 1];
    struct stat found;
    uint64_t done = 0;

    snprintf(path, sizeof path, "%s/" RL_WORKSPACE_OUTPUTS, watch->workspace->folder);
    if (watch->job->output_bytes > 0 && stat(path, &found) == 0) {
        done = (uint64_t)found.st_size / watch->job->output_bytes;
    }
    return watch->job->progress(watch->job->user, done < watch->job->samples ? (uint32_t)done : watch->job->samples);
}

// Appends to a list of options of QEMU.
__attribute__((format(printf, 3, 4))) static void add_option(char *options, size_t bytes, const char *format, ...)
{
    const size_t used = strlen(options);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(options + used, bytes - used, format, arguments);
    va_end(arguments);
}

// What a profile wants of the counter. Constants of the program are in flash.
static void add_profile(const struct rl_emulation *job, const struct machine *machine, char *plugin, size_t bytes)
{
    struct stat program = {.st_size = (off_t)job->program.size};
    const bool is_known = job->program.bytes || stat(job->program_path, &program) == 0;
    add_option(plugin, bytes, ",detail=1");
    if (rl_emulator_cycles(machine->core)) {
        add_option(plugin, bytes, ",model=%s", machine->short_name);
    }
    if (job->wait_states > 0 && is_known) {
        add_option(plugin, bytes, ",flash=%u,code=%s,data=%#lx-%#lx", (unsigned)job->wait_states, machine->code,
                   machine->program, machine->program + (unsigned long)program.st_size);
    }
}

static void start_qemu(const struct rl_emulation *job, const struct machine *machine,
                       const struct rl_workspace *workspace, char *firmware, const struct rl_process_signals *signals,
                       struct rl_process *process)
{
    enum { SLACK = 65536, COUNT_BYTES = 96, OPERATOR_BYTES = 160 }; // of lines of the counter
    char semihosting[160], plugin[320];
    snprintf(semihosting, sizeof semihosting, "enable=on,target=native,arg=runner,arg=%u,arg=%u", (unsigned)job->method,
             (unsigned)job->sequence);
    snprintf(plugin, sizeof plugin, "file=./" RL_WORKSPACE_COUNTER ",out=" RL_WORKSPACE_COUNTS);
    if (job->profiles) {
        add_option(semihosting, sizeof semihosting, ",arg=%u", (unsigned)job->samples - 1);
        add_profile(job, machine, plugin, sizeof plugin);
    }
    if (!rl_tool_is_unconfined()) {
        const uint64_t most = job->samples * (uint64_t)(job->output_bytes + COUNT_BYTES) +
                              (job->profiles ? job->operators * (uint64_t)OPERATOR_BYTES : 0) + SLACK;
        add_option(plugin, sizeof plugin, ",confine=%" PRIu64, most);
    }
    char *const arguments[] = {
        "qemu-system-arm", "-M",       (char *)(uintptr_t)machine->qemu_machine,
        "-nographic",      "-monitor", "none",
        "-serial",         "none",     "-semihosting-config",
        semihosting,       "-plugin",  plugin,
        "-kernel",         firmware,   NULL,
    };
    const struct rl_process_place place = {workspace->folder, RL_WORKSPACE_INPUTS, RL_WORKSPACE_OUTPUTS, 0};
    const struct watch watch = {job, workspace};
    const struct rl_process_tick tick = {job->progress ? tell_progress : NULL, &watch};
    rl_process_run(arguments, &place, job->timeout_seconds > 0 ? job->timeout_seconds : DEFAULT_TIMEOUT_SECONDS, &tick,
                   signals, process);
}

static bool parse_report(const char *log, struct report *report)
{
    char line[1024];
    int end = 0;
    if (!rl_tool_find_line(log, RL_REPORT_START, line, sizeof line)) {
        return false;
    }
    const int fields =
        sscanf(line,
               RL_REPORT_START RL_REPORT_STATUS "%u" RL_REPORT_SAMPLES "%u" RL_REPORT_ARENA "%u" RL_REPORT_STATE
                                                "%u" RL_REPORT_STACK "%u" RL_REPORT_MESSAGE "%n",
               &report->status, &report->samples, &report->arena, &report->state, &report->stack, &end);
    if (fields != 5 || end == 0) {
        return false;
    }
    snprintf(report->message, sizeof report->message, "%s", line + end);
    return true;
}

static enum rl_emulation_status judge(const struct rl_emulation *job, const struct machine *machine,
                                      const struct rl_process *process, struct report *report,
                                      const struct rl_message *message)
{
    char line[512];
    if (process->end == RL_PROCESS_NOT_STARTED) {
        return rl_tool_no_qemu(process->code, message);
    }
    if (process->end == RL_PROCESS_STOPPED) {
        return rl_emulation_fail(message, RL_EMULATION_SYSTEM, "qemu-system-arm was stopped by a signal");
    }
    if (process->end == RL_PROCESS_GIVEN_UP) {
        return rl_emulation_fail(message, RL_EMULATION_CANCELLED, "cancelled");
    }
    if (process->end == RL_PROCESS_TIMED_OUT) {
        return rl_emulation_fail(message, RL_EMULATION_TIMEOUT, "%s: no result on emulated %s within %u seconds",
                                 job->program_path, machine->core,
                                 job->timeout_seconds > 0 ? job->timeout_seconds : DEFAULT_TIMEOUT_SECONDS);
    }
    if (rl_tool_find_line(process->log, RL_TOOL_NOT_CONFINED, line, sizeof line)) {
        return rl_tool_not_confined(line, message);
    }
    if (rl_tool_find_line(process->log, "fault: ", line, sizeof line)) {
        return rl_emulation_fail(message, RL_EMULATION_FAULT, "%s: emulated %s stopped with a %s", job->program_path,
                                 machine->core, line);
    }
    if (!parse_report(process->log, report)) {
        return rl_emulation_fail(
            message, RL_EMULATION_FAULT, "%s: emulated %s ended without a result (%s %d): %.400s", job->program_path,
            machine->core, process->end == RL_PROCESS_KILLED ? "signal" : "exit status", process->code, process->log);
    }
    if (report->status != 0) {
        return rl_emulation_fail(message, RL_EMULATION_REFUSED, "%s: on emulated %s: %s", job->program_path,
                                 machine->core, report->message);
    }
    return RL_EMULATION_OK;
}

static bool collect_counts(const struct rl_emulation *job, const struct rl_workspace *workspace,
                           struct rl_emulation_result *result)
{
    if (!job->profiles) {
        return rl_workspace_read_counts(workspace, RL_WORKSPACE_COUNTS, result->instructions, job->samples);
    }
    if (!rl_workspace_read_profile(workspace, RL_WORKSPACE_COUNTS, result->counts, job->samples, result->operators,
                                   job->operators)) {
        return false;
    }
    for (uint32_t i = 0; i < job->samples; i++) {
        result->instructions[i] = result->counts[i].instructions;
    }
    return true;
}

static enum rl_emulation_status collect(const struct rl_emulation *job, const struct machine *machine,
                                        const struct rl_workspace *workspace, const struct report *report,
                                        struct rl_emulation_result *result, const struct rl_message *message)
{
    result->arena_bytes = report->arena;
    result->state_bytes = report->state;
    result->stack_bytes = report->stack;
    result->outputs = malloc(job->samples * job->output_bytes + 1);
    result->instructions = calloc(job->samples, sizeof *result->instructions);
    if (job->profiles) {
        result->counts = calloc(job->samples, sizeof *result->counts);
        result->operators = calloc(job->operators + (size_t)1, sizeof *result->operators);
    }
    if (!result->outputs || !result->instructions || (job->profiles && (!result->counts || !result->operators))) {
        return rl_emulation_fail(message, RL_EMULATION_SYSTEM, "no memory for %u outputs of %zu bytes",
                                 (unsigned)job->samples, job->output_bytes);
    }
    if (!rl_workspace_read_batch(workspace, RL_WORKSPACE_OUTPUTS, result->outputs, job->samples, job->output_bytes)) {
        return rl_emulation_fail(message, RL_EMULATION_FAULT, "%s: emulated %s did not return %u outputs of %zu bytes",
                                 job->program_path, machine->core, (unsigned)job->samples, job->output_bytes);
    }
    if (!collect_counts(job, workspace, result)) {
        return rl_emulation_fail(message, RL_EMULATION_FAULT,
                                 "%s: emulated %s: the instruction counter did not see %u inferences",
                                 job->program_path, machine->core, (unsigned)job->samples);
    }
    return RL_EMULATION_OK;
}

static enum rl_emulation_status run_in(const struct rl_emulation *job, const struct machine *machine,
                                       const struct rl_workspace *workspace, char *firmware, const char *counter,
                                       const struct rl_process_signals *signals, struct rl_emulation_result *result,
                                       const struct rl_message *message)
{
    enum rl_emulation_status status = prepare(job, workspace, counter, message);
    if (status != RL_EMULATION_OK) {
        return status;
    }
    struct rl_process *process = malloc(sizeof *process);
    if (!process) {
        return rl_emulation_fail(message, RL_EMULATION_SYSTEM, "no memory to run qemu-system-arm");
    }
    struct report report;
    start_qemu(job, machine, workspace, firmware, signals, process);
    status = judge(job, machine, process, &report, message);
    free(process);
    return status == RL_EMULATION_OK ? collect(job, machine, workspace, &report, result, message) : status;
}

enum rl_emulation_status rl_emulate(const struct rl_emulation *job, struct rl_emulation_result *result,
                                    char *message_text, size_t message_bytes)
{
    const struct rl_message message = {.text = message_text, .bytes = message_bytes};
    *result = (struct rl_emulation_result){0};
    const struct machine *machine = find_machine(job->core);
    if (!machine) {
        return unknown_core(job->core, &message);
    }
    if (job->output_bytes >= SIZE_MAX / (job->samples + (size_t)1)) {
        return rl_emulation_fail(&message, RL_EMULATION_SYSTEM, "%u outputs of %zu bytes do not fit into memory",
                                 (unsigned)job->samples, job->output_bytes);
    }

    char folder[RL_PATH_BYTES], name[64], command[64], firmware[PATH_MAX], counter[PATH_MAX];
    if (!rl_workspace_firmware_folder(folder)) {
        return rl_emulation_fail(&message, RL_EMULATION_SYSTEM,
                                 "the folder of this program is unknown: set RUSHLIGHT_FIRMWARE");
    }
    snprintf(name, sizeof name, "%s/rushlight_runner.elf", machine->short_name);
    snprintf(command, sizeof command, "scripts/build --core %s", machine->short_name);
    enum rl_emulation_status status = rl_tool_locate(folder, name, command, firmware, &message);
    if (status == RL_EMULATION_OK) {
        status = rl_tool_locate(folder, "librl_count.so", "scripts/build --host", counter, &message);
    }
    if (status != RL_EMULATION_OK) {
        return status;
    }

    struct rl_workspace workspace;
    struct rl_process_signals signals;
    rl_process_hold_signals(&signals);
    const int error = rl_workspace_create(&workspace);
    if (error) {
        rl_process_release_signals(&signals);
        return rl_emulation_fail(&message, RL_EMULATION_SYSTEM, "no temporary folder %s: %s", workspace.folder,
                                 strerror(error));
    }
    status = run_in(job, machine, &workspace, firmware, counter, &signals, result, &message);
    rl_workspace_remove(&workspace);
    rl_process_release_signals(&signals);
    if (status != RL_EMULATION_OK) {
        rl_emulation_free(result);
    }
    return status;
}

void rl_emulation_free(struct rl_emulation_result *result)
{
    free(result->outputs);
    free(result->instructions);
    free(result->counts);
    free(result->operators);
    *result = (struct rl_emulation_result){0};
}
