// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "code_size.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "process.h"
#include "workspace.h"

enum { TIMEOUT_SECONDS = 60, FIXED_ARGUMENTS = 24, NAME_BYTES = 160, MOST_FLAGS = 8 };

struct tools {
    const char *core, *short_name, *flags;
};

static const struct tools cores[] = {
#include "code_flags.inc"
};

static const char *const libraries[] = {"runtime", "format", "kernels"};
enum { LIBRARY_COUNT = sizeof libraries / sizeof *libraries };

// ---- the size of what was linked

static bool read_at(FILE *file, long offset, void *bytes, size_t count)
{
    return fseek(file, offset, SEEK_SET) == 0 && fread(bytes, 1, count, file) == count;
}

// Adds up the sections that take memory on the device.
static bool read_image(const char *path, struct rl_code_size *size)
{
    Elf32_Ehdr header;
    FILE *file = fopen(path, "rb");
    bool read = file && read_at(file, 0, &header, sizeof header) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                header.e_ident[EI_CLASS] == ELFCLASS32 && header.e_shentsize == sizeof(Elf32_Shdr) &&
                header.e_shoff <= INT32_MAX;
    *size = (struct rl_code_size){0};
    for (unsigned i = 0; read && i < header.e_shnum; i++) {
        Elf32_Shdr section;
        read = read_at(file, (long)(header.e_shoff + i * sizeof section), &section, sizeof section);
        if (read && (section.sh_flags & SHF_ALLOC)) {
            size->flash_bytes += section.sh_type == SHT_NOBITS ? 0 : section.sh_size;
            size->ram_bytes += section.sh_flags & SHF_WRITE ? section.sh_size : 0;
        }
    }
    if (file) {
        fclose(file);
    }
    return read;
}

// ---- the linker

struct command {
    char **arguments;
    size_t count;
    char flags[NAME_BYTES];
    char paths[LIBRARY_COUNT][RL_PATH_BYTES];
    char (*names)[NAME_BYTES];
    struct rl_process process;
};

static void add(struct command *command, const char *argument)
{
    command->arguments[command->count++] = (char *)(uintptr_t)argument;
}

static enum rl_emulation_status add_libraries(struct command *command, const struct tools *tools,
                                              const struct rl_message *message)
{
    char folder[RL_PATH_BYTES], path[RL_PATH_BYTES + NAME_BYTES];
    if (!rl_workspace_firmware_folder(folder)) {
        return rl_emulation_fail(message, RL_EMULATION_SYSTEM,
                                 "the folder of this program is unknown: set RUSHLIGHT_FIRMWARE");
    }
    for (size_t i = 0; i < LIBRARY_COUNT; i++) {
        snprintf(path, sizeof path, "%s/%s/librushlight_%s.a", folder, tools->short_name, libraries[i]);
        if (!realpath(path, command->paths[i])) {
            return rl_emulation_fail(message, RL_EMULATION_MISSING,
                                     "%s: %s; scripts/build --core %s builds it (or set RUSHLIGHT_FIRMWARE)", path,
                                     strerror(errno), tools->short_name);
        }
        add(command, command->paths[i]);
    }
    return RL_EMULATION_OK;
}

static enum rl_emulation_status make_command(struct command *command, const struct rl_code *code,
                                             const struct tools *tools, const struct rl_message *message)
{
    char *rest = command->flags;
    snprintf(command->flags, sizeof command->flags, "%s", tools->flags);
    add(command, "arm-none-eabi-gcc");
    for (char *flag = strtok_r(rest, " ", &rest); flag && command->count < MOST_FLAGS;
         flag = strtok_r(NULL, " ", &rest)) {
        add(command, flag);
    }
    add(command, "-mthumb");
    add(command, "--specs=nano.specs");
    add(command, "-nostartfiles");
    add(command, "-Wl,--gc-sections");
    add(command, "-Wl,-e,0");
    for (size_t i = 0; i < code->symbol_count; i++) {
        if (snprintf(command->names[i], NAME_BYTES, "-Wl,--require-defined,%s", code->symbols[i]) >= NAME_BYTES) {
            return rl_emulation_fail(message, RL_EMULATION_SYSTEM, "%s: the name is too long", code->symbols[i]);
        }
        add(command, command->names[i]);
    }
    const enum rl_emulation_status status = add_libraries(command, tools, message);
    add(command, "-lm");
    add(command, "-o");
    add(command, RL_WORKSPACE_IMAGE);
    add(command, NULL);
    return status;
}

static enum rl_emulation_status judge(const struct rl_process *process, const struct rl_message *message)
{
    if (process->end == RL_PROCESS_EXITED && process->code == 0) {
        return RL_EMULATION_OK;
    }
    if (process->end == RL_PROCESS_NOT_STARTED && process->code == ENOENT) {
        return rl_emulation_fail(message, RL_EMULATION_MISSING,
                                 "arm-none-eabi-gcc is not installed: scripts/bootstrap does it (Debian packages "
                                 "gcc-arm-none-eabi and libnewlib-arm-none-eabi)");
    }
    if (process->end == RL_PROCESS_EXITED) {
        return rl_emulation_fail(message, RL_EMULATION_FAULT, "arm-none-eabi-gcc could not link the code: %.400s",
                                 process->log);
    }
    return rl_emulation_fail(message, RL_EMULATION_SYSTEM, "arm-none-eabi-gcc was stopped or could not run");
}

static enum rl_emulation_status link_code(struct command *command, struct rl_code_size *size,
                                          const struct rl_message *message)
{
    struct rl_workspace workspace;
    struct rl_process_signals signals;
    char path[RL_PATH_BYTES + NAME_BYTES];

    rl_process_hold_signals(&signals);
    const int error = rl_workspace_create(&workspace);
    if (error) {
        rl_process_release_signals(&signals);
        return rl_emulation_fail(message, RL_EMULATION_SYSTEM, "no temporary folder %s: %s", workspace.folder,
                                 strerror(error));
    }
    const struct rl_process_place place = {workspace.folder, "/dev/null", RL_WORKSPACE_OUTPUTS, 0};
    rl_process_run(command->arguments, &place, TIMEOUT_SECONDS, &(struct rl_process_tick){0}, &signals,
                   &command->process);
    enum rl_emulation_status status = judge(&command->process, message);
    snprintf(path, sizeof path, "%s/" RL_WORKSPACE_IMAGE, workspace.folder);
    if (status == RL_EMULATION_OK && !read_image(path, size)) {
        status = rl_emulation_fail(message, RL_EMULATION_FAULT, "arm-none-eabi-gcc left no image that can be read");
    }
    rl_workspace_remove(&workspace);
    rl_process_release_signals(&signals);
    return status;
}

enum rl_emulation_status rl_measure_code(const struct rl_code *code, struct rl_code_size *size, char *text,
                                         size_t text_bytes)
{
    const struct rl_message message = {text, text_bytes};
    const struct tools *tools = cores;
    const struct tools *end = cores + sizeof cores / sizeof *cores;
    while (tools < end && strcmp(tools->core, code->core) != 0) {
        tools++;
    }
    if (tools == end) {
        return rl_emulation_fail(&message, RL_EMULATION_UNKNOWN_CORE, "there are no libraries for core '%s'",
                                 code->core);
    }
    struct command *command = calloc(1, sizeof *command);
    char **arguments = calloc(code->symbol_count + FIXED_ARGUMENTS, sizeof *arguments);
    char(*names)[NAME_BYTES] = calloc(code->symbol_count + 1, NAME_BYTES);
    enum rl_emulation_status status = rl_emulation_fail(&message, RL_EMULATION_SYSTEM, "there is not enough memory");
    if (command && arguments && names) {
        command->arguments = arguments;
        command->names = names;
        status = make_command(command, code, tools, &message);
        status = status == RL_EMULATION_OK ? link_code(command, size, &message) : status;
    }
    free(command);
    free(arguments);
    free(names);
    return status;
}
