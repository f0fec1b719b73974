// SPDX-License-Identifier: Apache-2.0
//
// The code that a firmware with a program takes: linked, not estimated.
#include <string.h>

#include "boards/qemu/code_size.h"
#include "cli/profile.h"

enum { MESSAGE_BYTES = 1024, REGISTRY_BYTES = 12, ENTRY_BYTES = 4 }; // struct rl_registry and its list on the device

// What a firmware calls that runs a program: the one in examples/firmware.
static const char *const runtime[] = {"rl_program_open",   "rl_method_init",   "rl_method_set_input",
                                      "rl_method_execute", "rl_method_output", "rl_program_verify"};
enum { RUNTIME_COUNT = sizeof runtime / sizeof *runtime, VERIFY = RUNTIME_COUNT - 1 };

// RL_ERROR_UNSUPPORTED if the code cannot be linked here, another error if this system failed.
static enum rl_status link_code(struct rl_cli *cli, const struct rl_code *code, struct rl_code_size *size)
{
    char message[MESSAGE_BYTES];
    const enum rl_emulation_status status = rl_measure_code(code, size, message, sizeof message);
    if (status == RL_EMULATION_OK) {
        return RL_OK;
    }
    return rl_fail(&cli->context, status == RL_EMULATION_SYSTEM ? RL_ERROR_IO : RL_ERROR_UNSUPPORTED,
                   "the code cannot be measured: %s", message);
}

// Links what `facts`, from inspect, say that the program needs: with verification, and without it.
static enum rl_status link_both(struct rl_cli *cli, const json_t *facts, const char *core, struct rl_code_size *size,
                                struct rl_code_size *trusted)
{
    const json_t *registry = json_object_get(facts, "registry"), *name;
    const size_t kernels = json_array_size(registry);
    const char **symbols = rl_arena_array(cli->arena, RUNTIME_COUNT + kernels + 1, sizeof *symbols);
    struct rl_code code = {core, symbols, 0};
    size_t index;

    memcpy(symbols, runtime, sizeof runtime);
    code.symbol_count = RUNTIME_COUNT;
    json_array_foreach(registry, index, name)
    {
        symbols[code.symbol_count++] = json_string_value(name);
    }
    if (json_is_true(json_object_get(facts, "control_flow"))) {
        symbols[code.symbol_count++] = "rl_control_flow_all";
    }
    enum rl_status status = link_code(cli, &code, size);
    if (status == RL_OK) {
        symbols[VERIFY] = "rl_program_trust";
        status = link_code(cli, &code, trusted);
    }
    const uint32_t list = (uint32_t)(REGISTRY_BYTES + ENTRY_BYTES * kernels);
    size->flash_bytes += list;
    trusted->flash_bytes += list;
    return status;
}

static json_int_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

enum rl_status rl_cli_profile_add_code(struct rl_cli *cli, const json_t *facts, json_t *report)
{
    static const char *const keys[] = {"code_bytes",  "trusted_code_bytes", "variable_bytes",
                                       "flash_bytes", "ram_bytes",          NULL};
    const char *core = json_string_value(json_object_get(report, "core"));
    struct rl_code_size size, trusted;

    for (const char *const *key = keys; *key; key++) {
        json_object_set_new(report, *key, json_null());
    }
    if (strcmp(core, "host") == 0) {
        return RL_OK;
    }
    const enum rl_status status = link_both(cli, facts, core, &size, &trusted);
    if (status == RL_ERROR_UNSUPPORTED) {
        json_array_append_new(json_object_get(report, "unknown"),
                              json_sprintf("flash and RAM in all: %s", cli->context.message));
        return RL_OK;
    }
    if (status != RL_OK) {
        return status;
    }
    json_object_set_new(report, "code_bytes", json_integer(size.flash_bytes));
    json_object_set_new(report, "trusted_code_bytes", json_integer(trusted.flash_bytes));
    json_object_set_new(report, "variable_bytes", json_integer(size.ram_bytes));
    json_object_set_new(
        report, "flash_bytes",
        json_integer(integer_of(report, "program_bytes") + integer_of(report, "data_bytes") + size.flash_bytes));
    json_object_set_new(report, "ram_bytes",
                        json_integer(integer_of(report, "arena_bytes") + integer_of(report, "state_bytes") +
                                     integer_of(report, "stack_bytes") + size.ram_bytes));
    return RL_OK;
}
