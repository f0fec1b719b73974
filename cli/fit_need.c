// SPDX-License-Identifier: Apache-2.0
//
// Measures what a program takes of a device.
#include "cli/fit.h"

#include <string.h>

#include "boards/qemu/code_size.h"
#include "cli/execution.h"
#include "cli/inspect.h"
#include "cli/profile.h"

enum { MESSAGE_BYTES = 1024, REGISTRY_BYTES = 12, ENTRY_BYTES = 4 }; // struct rl_registry and its list on the device

// What a firmware calls that runs a program: the one in examples/firmware.
static const char *const runtime[] = {"rl_program_open",   "rl_method_init",   "rl_method_set_input",
                                      "rl_method_execute", "rl_method_output", "rl_program_verify"};
enum { RUNTIME_COUNT = sizeof runtime / sizeof *runtime, VERIFY = RUNTIME_COUNT - 1 };

static enum rl_status link_code(struct rl_cli *cli, const struct rl_code *code, struct rl_code_size *size)
{
    char message[MESSAGE_BYTES];
    return rl_measure_code(code, size, message, sizeof message) == RL_EMULATION_OK
               ? RL_OK
               : rl_fail(&cli->context, RL_ERROR_UNSUPPORTED, "the code cannot be measured: %s", message);
}

static enum rl_status measure_code(struct rl_cli *cli, const struct rl_cli_room *room, struct rl_cli_need *need)
{
    const json_t *registry = json_object_get(need->facts, "registry"), *name;
    const size_t kernels = json_array_size(registry);
    const bool flows = json_is_true(json_object_get(need->facts, "control_flow"));
    const char **symbols = rl_arena_array(cli->arena, RUNTIME_COUNT + kernels + 1, sizeof *symbols);
    struct rl_code code = {room->measured_on, symbols, 0};
    struct rl_code_size size, trusted;
    size_t index;

    memcpy(symbols, runtime, sizeof runtime);
    code.symbol_count = RUNTIME_COUNT;
    json_array_foreach(registry, index, name)
    {
        symbols[code.symbol_count++] = json_string_value(name);
    }
    if (flows) {
        symbols[code.symbol_count++] = "rl_control_flow_all";
    }
    enum rl_status status = link_code(cli, &code, &size);
    if (status == RL_OK) {
        symbols[VERIFY] = "rl_program_trust";
        status = link_code(cli, &code, &trusted);
    }
    if (status == RL_OK) {
        const uint32_t list = (uint32_t)(REGISTRY_BYTES + ENTRY_BYTES * kernels);
        need->code_bytes = size.flash_bytes + list;
        need->trusted_code_bytes = trusted.flash_bytes + list;
        need->variable_bytes = size.ram_bytes;
    }
    return status;
}

enum rl_status rl_cli_measure_need(struct rl_cli *cli, const char *path, const struct rl_cli_room *room,
                                   struct rl_cli_need *need)
{
    struct rl_cli_profile_settings settings = {.hertz = room->hertz, .wait_states = room->wait_states};
    struct rl_host_files files;

    *need = (struct rl_cli_need){0};
    enum rl_status status = rl_cli_read_program(cli, path, NULL, NULL, &files);
    if (status != RL_OK) {
        return status;
    }
    need->profile = rl_cli_profile_program(cli, path, room->measured_on, &settings);
    need->facts = need->profile ? rl_cli_inspect_pte(cli, &files) : NULL;
    return need->facts ? measure_code(cli, room, need) : RL_ERROR_UNSUPPORTED;
}

void rl_cli_release_need(struct rl_cli_need *need)
{
    json_decref(need->facts);
    json_decref(need->profile);
    *need = (struct rl_cli_need){0};
}

static uint64_t number(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

uint64_t rl_cli_need_flash(const struct rl_cli_need *need)
{
    return number(need->facts, "program_bytes") + need->code_bytes;
}

uint64_t rl_cli_need_ram(const struct rl_cli_need *need)
{
    return number(need->profile, "arena_bytes") + number(need->profile, "state_bytes") +
           number(need->profile, "stack_bytes") + need->variable_bytes;
}

uint64_t rl_cli_need_cycles(const struct rl_cli_need *need)
{
    return number(need->profile, "cycles");
}
