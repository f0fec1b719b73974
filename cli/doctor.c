// SPDX-License-Identifier: Apache-2.0
//
// What the program finds on this machine, what is missing, and the command that adds it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>
#include <zip.h>

#include "boards/qemu/emulator.h"
#include "cli/cli.h"
#include "rushlight/version.h"

// jconfig.h has the version of libjpeg-turbo without quotation marks.
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

#define INSTALL "sudo apt-get install --no-install-recommends "

// A tool that the machine may have. The commands use nothing else than the tool itself and the shell.
struct tool {
    const char *name;
    const char *command; // prints the version; nothing or a failure: it is not there
    const char *begin;   // what comes before the version in its first line; "" if nothing does
    const char *purpose;
    const char *packages; // of Debian; NULL: `script` adds it
    const char *script;
    bool essential; // without it, verbs fail
};

static const struct tool tools[] = {
    {"qemu-system-arm", "qemu-system-arm --version", "version ", "runs programs on emulated cores (--on)",
     "qemu-system-arm", NULL, true},
    {"plugins of QEMU", "case $(qemu-system-arm -help) in *-plugin' '*) echo supported ;; esac", "",
     "count instructions on emulated cores", "qemu-system-arm", NULL, true},
    {"arm-none-eabi-gcc", "arm-none-eabi-gcc -dumpfullversion", "", "builds firmware (scripts/build)",
     "gcc-arm-none-eabi", NULL, false},
    {"newlib", "echo _NEWLIB_VERSION | arm-none-eabi-gcc -E -P -include newlib.h -", "\"",
     "the C library of that firmware", "libnewlib-arm-none-eabi", NULL, false},
    {"python3", "\"${RUSHLIGHT_PYTHON:-python3}\" -c 'import platform; print(platform.python_version())'", "",
     "exports models", "python3 python3-venv", NULL, false},
    {"torch", "\"${RUSHLIGHT_PYTHON:-python3}\" -c 'import importlib.metadata as m; print(m.version(\"torch\"))'", "",
     "exports models (torch.export)", NULL, "scripts/bootstrap --python", false},
};

enum { TOOL_COUNT = sizeof tools / sizeof tools[0], TEXT_BYTES = 128 };

// The first line that a command prints; false if there is none. The commands are those above, and /bin/sh finds them in
// $PATH.
static bool ask(struct rl_cli *cli, const char *command, char line[TEXT_BYTES])
{
    const char *quiet = rl_arena_format(cli->arena, "{ %s; } 2>/dev/null </dev/null", command);

    line[0] = '\0';
    fflush(NULL);
    FILE *output = popen(quiet, "r");
    if (!output) {
        return false;
    }
    const bool found = fgets(line, TEXT_BYTES, output);
    char rest[256];
    while (fread(rest, 1, sizeof rest, output) > 0) {
        continue; // a program that nobody reads from any more would complain
    }
    pclose(output);
    line[strcspn(line, "\r\n")] = '\0';
    return found && line[0] != '\0';
}

static json_t *tool_json(struct rl_cli *cli, const struct tool *tool)
{
    char line[TEXT_BYTES];
    const bool found = ask(cli, tool->command, line);
    char *start = strstr(line, tool->begin), *version = start ? start + strlen(tool->begin) : line;
    version[strcspn(version, "\"")] = '\0';
    const char *add = tool->packages ? rl_arena_format(cli->arena, INSTALL "%s", tool->packages) : tool->script;

    return json_pack("{s:s, s:b, s:b, s:s, s:s, s:s?}", "name", tool->name, "found", found, "essential",
                     tool->essential, "version", version, "purpose", tool->purpose, "command", found ? NULL : add);
}

static json_t *tools_json(struct rl_cli *cli)
{
    json_t *list = json_array();

    for (int i = 0; i < TOOL_COUNT; i++) {
        json_array_append_new(list, tool_json(cli, &tools[i]));
    }
    return list;
}

static json_t *libraries_json(void)
{
    char png[32];
    const unsigned number = png_access_version_number();

    snprintf(png, sizeof png, "%u.%u.%u", number / 10000, number / 100 % 100, number % 100);
    return json_pack("{s:s, s:s, s:s, s:s}", "libzip", zip_libzip_version(), "jansson", jansson_version_str(), "libpng",
                     png, "libjpeg-turbo", TEXT(LIBJPEG_TURBO_VERSION));
}

// Runs an empty program, which the runtime on the core refuses. What comes before has worked then: the emulator, its
// plugin, the confinement and the firmware.
static json_t *core_json(const char *core)
{
    enum { SECONDS = 60 };
    const struct rl_emulation job = {
        .core = core, .program_path = "/dev/null", .inputs = "", .samples = 1, .timeout_seconds = SECONDS};
    struct rl_emulation_result result;
    char message[768];
    const enum rl_emulation_status status = rl_emulate(&job, &result, message, sizeof message);
    const bool works = status == RL_EMULATION_OK || status == RL_EMULATION_REFUSED;

    rl_emulation_free(&result);
    return json_pack("{s:s, s:b, s:s?}", "core", core, "emulated", works, "reason", works ? NULL : message);
}

static json_t *cores_json(void)
{
    json_t *list = json_array();

    for (size_t i = 0; rl_emulator_core(i); i++) {
        json_array_append_new(list, core_json(rl_emulator_core(i)));
    }
    return list;
}

// Whether everything is there that verbs need. One core is enough: who wants another is told how it is built.
static bool is_complete(const json_t *report)
{
    size_t index;
    const json_t *item;

    json_array_foreach(json_object_get(report, "tools"), index, item)
    {
        if (json_is_true(json_object_get(item, "essential")) && !json_is_true(json_object_get(item, "found"))) {
            return false;
        }
    }
    json_array_foreach(json_object_get(report, "cores"), index, item)
    {
        if (json_is_true(json_object_get(item, "emulated"))) {
            return true;
        }
    }
    return false;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void print_tools(const json_t *list)
{
    size_t index;
    const json_t *tool;

    json_array_foreach(list, index, tool)
    {
        const bool found = json_is_true(json_object_get(tool, "found"));
        const bool essential = json_is_true(json_object_get(tool, "essential"));
        printf("%-9s %-18s %-34s %s\n", found ? "found" : "MISSING", text_of(tool, "name"), text_of(tool, "version"),
               text_of(tool, "purpose"));
        if (!found) {
            printf("%9s %s%s\n", "", essential ? "" : "if wanted: ", text_of(tool, "command"));
        }
    }
}

static void print_report(const json_t *report)
{
    const char *name;
    size_t index;
    json_t *version;
    const json_t *core;

    printf("%-9s %-18s %s\n", "found", "rushlight", text_of(report, "version"));
    json_object_foreach(json_object_get(report, "libraries"), name, version)
    {
        printf("%-9s %-18s %s\n", "found", name, json_string_value(version));
    }
    print_tools(json_object_get(report, "tools"));
    json_array_foreach(json_object_get(report, "cores"), index, core)
    {
        const bool works = json_is_true(json_object_get(core, "emulated"));
        printf("%-9s %s%s%s\n", works ? "emulated" : "NO", text_of(core, "core"), works ? "" : ": ",
               text_of(core, "reason"));
    }
    printf("%s\n", json_is_true(json_object_get(report, "complete"))
                       ? "Nothing essential is missing."
                       : "Emulation (--on) lacks something. All else works without it: compile, run on the host.");
}

static int run(struct rl_cli *cli)
{
    json_t *report = json_pack("{s:s, s:o, s:o, s:o}", "version", RL_VERSION_STRING, "libraries", libraries_json(),
                               "tools", tools_json(cli), "cores", cores_json());
    const bool complete = is_complete(report);

    json_object_set_new(report, "complete", json_boolean(complete));
    if (rl_cli_given(cli, "json")) {
        rl_cli_print_json(cli, report);
    } else {
        print_report(report);
        json_decref(report);
    }
    return complete ? RL_EXIT_DONE : RL_EXIT_FAILED;
}

static const struct rl_cli_option options[] = {
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "what is installed, which cores can be emulated, what is missing and the command that adds it",
    .options = options,
    .run = run,
};
