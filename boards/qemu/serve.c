// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // posix_openpt
#include "serve.h"
#include "message.h"
#include "process.h"
#include "tools.h"
#include "workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 65536, PORT_BYTES = 128 }; // what the firmware may write to a file: nothing but its console

struct rl_served_firmware {
    struct rl_process process;
    struct rl_process_child child;
    struct rl_process_signals signals;
    struct rl_workspace workspace;
    char port[PORT_BYTES];
    bool is_stopped;
};

// A new terminal: the descriptor of QEMU's end, or -1 with errno. The other end is `port`.
static int open_terminal(char port[PORT_BYTES])
{
    const int end = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (end < 0) {
        return -1;
    }
    const char *name = grantpt(end) == 0 && unlockpt(end) == 0 ? ptsname(end) : NULL;
    if (!name || snprintf(port, PORT_BYTES, "%s", name) >= PORT_BYTES) {
        const int error = name ? ENAMETOOLONG : errno;
        close(end);
        errno = error;
        return -1;
    }
    return end;
}

static int start_qemu(struct rl_served_firmware *served, const char *machine, char *firmware, int terminal)
{
    char plugin[160], set[32];
    snprintf(set, sizeof set, "fd=%d,set=1", (int)RL_PROCESS_GIVEN);
    snprintf(plugin, sizeof plugin, "file=./" RL_WORKSPACE_COUNTER ",out=" RL_WORKSPACE_COUNTS);
    if (!rl_tool_is_unconfined()) {
        const size_t used = strlen(plugin);
        snprintf(plugin + used, sizeof plugin - used, ",confine=%d", (int)FILE_BYTES);
    }
    char *const arguments[] = {
        "qemu-system-arm",
        "-M",
        (char *)(uintptr_t)machine,
        "-display",
        "none",
        "-monitor",
        "none",
        "-add-fd",
        set,
        "-chardev",
        "serial,id=port,path=/dev/fdset/1",
        "-serial",
        "chardev:port",
        "-semihosting-config",
        "enable=on,target=native",
        "-plugin",
        plugin,
        "-kernel",
        firmware,
        NULL,
    };
    const struct rl_process_place place = {served->workspace.folder, "/dev/null", RL_WORKSPACE_OUTPUTS, terminal};
    return rl_process_start(arguments, &place, &served->signals, &served->process, &served->child);
}

// With a workspace, which stays.
static enum rl_emulation_status start_in(struct rl_served_firmware *served, const char *machine, char *firmware,
                                         const char *counter, const struct rl_message *message)
{
    int error = rl_workspace_link(&served->workspace, counter, RL_WORKSPACE_COUNTER);
    if (error) {
        return rl_emulation_fail(message, RL_EMULATION_SYSTEM, "%s: %s", served->workspace.folder, strerror(error));
    }
    const int terminal = open_terminal(served->port);
    if (terminal < 0) {
        return rl_emulation_fail(message, RL_EMULATION_SYSTEM, "no terminal for the serial port: %s", strerror(errno));
    }
    error = start_qemu(served, machine, firmware, terminal);
    close(terminal); // QEMU has it
    return error ? rl_tool_no_qemu(error, message) : RL_EMULATION_OK;
}

static enum rl_emulation_status start(struct rl_served_firmware *served, const char *machine, char *firmware,
                                      const char *counter, const struct rl_message *message)
{
    rl_process_hold_signals(&served->signals);
    const int error = rl_workspace_create(&served->workspace);
    enum rl_emulation_status status =
        error ? rl_emulation_fail(message, RL_EMULATION_SYSTEM, "no temporary folder %s: %s", served->workspace.folder,
                                  strerror(error))
              : RL_EMULATION_OK;
    if (status == RL_EMULATION_OK) {
        status = start_in(served, machine, firmware, counter, message);
        if (status != RL_EMULATION_OK) {
            rl_workspace_remove(&served->workspace);
        }
    }
    if (status != RL_EMULATION_OK) {
        rl_process_release_signals(&served->signals);
    }
    return status;
}

enum rl_emulation_status rl_serve_start(const char *core, const char *elf, struct rl_served_firmware **served,
                                        char *text, size_t bytes)
{
    const struct rl_message message = {.text = text, .bytes = bytes};
    const char *machine = rl_emulator_machine(core);
    char folder[RL_PATH_BYTES], counter[PATH_MAX], firmware[PATH_MAX];
    *served = NULL;
    if (!machine) {
        return rl_emulation_fail(&message, RL_EMULATION_UNKNOWN_CORE, "core '%s' is not emulated", core);
    }
    if (!realpath(elf, firmware)) {
        return rl_emulation_fail(&message, RL_EMULATION_MISSING, "%s: %s", elf, strerror(errno));
    }
    if (!rl_workspace_firmware_folder(folder)) {
        return rl_emulation_fail(&message, RL_EMULATION_SYSTEM,
                                 "the folder of this program is unknown: set RUSHLIGHT_FIRMWARE");
    }
    enum rl_emulation_status status =
        rl_tool_locate(folder, "librl_count.so", "scripts/build --host", counter, &message);
    struct rl_served_firmware *created = status == RL_EMULATION_OK ? calloc(1, sizeof *created) : NULL;
    if (status == RL_EMULATION_OK && !created) {
        return rl_emulation_fail(&message, RL_EMULATION_SYSTEM, "no memory to run qemu-system-arm");
    }
    if (status == RL_EMULATION_OK) {
        status = start(created, machine, firmware, counter, &message);
    }
    if (status != RL_EMULATION_OK) {
        free(created);
        return status;
    }
    *served = created;
    return RL_EMULATION_OK;
}

const char *rl_serve_port(const struct rl_served_firmware *served)
{
    return served->port;
}

bool rl_serve_goes_on(void *user)
{
    struct rl_served_firmware *served = user;
    served->is_stopped = rl_process_is_stopped(&served->signals);
    return !served->is_stopped && rl_process_goes_on(&served->child);
}

void rl_serve_end(struct rl_served_firmware *served, bool has_closed, char *why, size_t bytes)
{
    enum { PATIENCE = 5000 }; // milliseconds, for QEMU on a busy machine
    const struct rl_process *process = &served->process;
    char line[512];
    rl_process_end(&served->child, has_closed ? PATIENCE : 0);
    why[0] = '\0';
    if (process->end == RL_PROCESS_EXITED || process->end == RL_PROCESS_KILLED) {
        const struct rl_message message = {.text = why, .bytes = bytes};
        if (rl_tool_find_line(process->log, RL_TOOL_NOT_CONFINED, line, sizeof line)) {
            (void)rl_tool_not_confined(line, &message);
        } else if (rl_tool_find_line(process->log, "fault: ", line, sizeof line)) {
            snprintf(why, bytes, "the emulated firmware stopped with a %s", line);
        } else {
            snprintf(why, bytes, "the emulated firmware ended by itself (%s %d) %.300s",
                     process->end == RL_PROCESS_KILLED ? "signal" : "exit status", process->code, process->log);
        }
    }
    rl_workspace_remove(&served->workspace);
    rl_process_release_signals(&served->signals);
    free(served);
}
