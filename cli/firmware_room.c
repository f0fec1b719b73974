// SPDX-License-Identifier: Apache-2.0
//
// Whether a project fits a board, and where its stack goes there.
#include <stdio.h>

#include "boards/qemu/code_size.h"
#include "cli/firmware.h"

// Of a firmware beside its model: the stack of main, printf and an interrupt; that of the fault handler; variables of
// main, beside its ring of samples, and of the C library.
enum { STACK_OF_MAIN = 1536, STACK_OF_FAULT = 512, VARIABLES = 1024, STACK_STEP = 256 };

// What a firmware takes of a board, as linked or measured.
struct taken {
    uint64_t flash_bytes, ram_bytes; // ram: in the piece of the arena, without the stack
    uint32_t stack_bytes;            // of the model
};

static int does_not_fit(struct rl_cli *cli, const struct rl_firmware *p, const struct taken *taken, uint64_t ram)
{
    (void)rl_fail(&cli->context, RL_ERROR_MEMORY,
                  "%s: does not fit %s: it needs %llu bytes of flash and %llu of RAM, and finds %llu and %llu; nothing "
                  "is written",
                  cli->operands[0], p->room.board->name, (unsigned long long)taken->flash_bytes,
                  (unsigned long long)ram, (unsigned long long)p->room.flash_bytes,
                  (unsigned long long)p->room.ram_bytes);
    return rl_cli_failed(cli);
}

static uint64_t data_bytes(const struct rl_firmware *p, const struct taken *taken)
{
    return taken->ram_bytes + p->source.window_bytes + VARIABLES;
}

// The stack goes to the data if there is room, else into the other piece of RAM; false if that is too small as well.
static bool place_stack(struct rl_firmware *p, const struct taken *taken)
{
    const struct rl_memory *m = &p->memory;
    const uint64_t data = data_bytes(p, taken);
    p->stack_bytes = (taken->stack_bytes + STACK_OF_MAIN + STACK_STEP - 1) / STACK_STEP * STACK_STEP;
    const uint64_t stack = (uint64_t)p->stack_bytes + STACK_OF_FAULT + RL_FIRMWARE_HEAP_BYTES;
    p->stack_has_own_ram = data + stack > m->ram_bytes;
    return data <= m->ram_bytes && (!p->stack_has_own_ram || stack <= m->more_bytes);
}

static int check_placement(struct rl_cli *cli, struct rl_firmware *p, const struct taken *taken)
{
    if (!p->has_memory || place_stack(p, taken)) {
        return RL_EXIT_DONE;
    }
    (void)rl_fail(&cli->context, RL_ERROR_MEMORY,
                  "%s: does not fit %s: it needs %llu bytes of RAM for arena and data, and %u for stack and heap, and "
                  "finds pieces of %u and %u; nothing is written",
                  cli->operands[0], p->room.board->name, (unsigned long long)data_bytes(p, taken),
                  p->stack_bytes + STACK_OF_FAULT + RL_FIRMWARE_HEAP_BYTES, p->memory.ram_bytes, p->memory.more_bytes);
    return rl_cli_failed(cli);
}

// ---- the model as C

static void print_room(const char *what, uint64_t needed, uint64_t there, const char *parts)
{
    printf("  %-5s %8.1f of %llu KB: %s%s\n", what, (double)needed / 1024, (unsigned long long)there / 1024, parts,
           needed > there ? "  TOO MUCH" : "");
}

// The kernels and operators that the model calls, linked.
static enum rl_status measure_code(struct rl_cli *cli, const struct rl_firmware *p, struct rl_code_size *size)
{
    const struct rl_c_source *c = &p->source;
    const size_t count = (size_t)c->function_count + (size_t)c->operator_count;
    const char **symbols = rl_arena_array(cli->arena, count, sizeof *symbols);
    const struct rl_code code = {p->room.measured_on, symbols, count};
    char message[1024];

    for (int i = 0; i < c->function_count; i++) {
        symbols[i] = c->functions[i];
    }
    for (int i = 0; i < c->operator_count; i++) {
        symbols[c->function_count + i] = c->operators[i];
    }
    return rl_measure_code(&code, size, message, sizeof message) == RL_EMULATION_OK
               ? RL_OK
               : rl_fail(&cli->context, RL_ERROR_UNSUPPORTED, "the code cannot be measured: %s", message);
}

static int check_c(struct rl_cli *cli, struct rl_firmware *p)
{
    const struct rl_c_source *c = &p->source;
    struct rl_code_size size;

    if (measure_code(cli, p, &size) != RL_OK) {
        return rl_cli_failed(cli);
    }
    const uint64_t code_bytes = size.flash_bytes + c->layer_bytes;
    const struct taken taken = {c->constant_bytes + code_bytes, (uint64_t)c->arena_bytes + size.ram_bytes,
                                c->stack_bytes};
    const uint64_t ram = taken.ram_bytes + c->stack_bytes;
    p->stack_from = rl_arena_format(cli->arena, "The model takes at most %u bytes of stack", c->stack_bytes);
    if (taken.flash_bytes <= p->room.flash_bytes && c->arena_bytes <= p->room.ram_piece_bytes &&
        ram <= p->room.ram_bytes) {
        return check_placement(cli, p, &taken);
    }
    if (!rl_cli_given(cli, "json")) {
        printf("%s on %s\n", cli->operands[0], p->room.board->full_name);
        print_room("flash", taken.flash_bytes, p->room.flash_bytes,
                   rl_arena_format(cli->arena, "constants %u bytes, code %llu", c->constant_bytes,
                                   (unsigned long long)code_bytes));
        print_room("RAM", ram, p->room.ram_bytes,
                   rl_arena_format(cli->arena, "arena %u bytes, stack %u", c->arena_bytes, c->stack_bytes));
    }
    return does_not_fit(cli, p, &taken, ram);
}

// ---- the runtime and a program

static uint32_t stack_of(const struct rl_cli_need *need)
{
    return (uint32_t)json_integer_value(json_object_get(need->profile, "stack_bytes"));
}

// Measured on the emulated core, as `fit` does. A program that takes its place may take a deeper stack: half as much
// again is kept.
static int check_runtime(struct rl_cli *cli, struct rl_firmware *p)
{
    struct rl_cli_need need;

    if (rl_cli_measure_bytes(cli, &p->program, &p->room, &need) != RL_OK) {
        rl_cli_release_need(&need);
        return rl_cli_failed(cli);
    }
    const uint64_t ram = rl_cli_need_ram(&need);
    const struct taken taken = {rl_cli_need_flash(&need), ram - stack_of(&need), stack_of(&need) * 3 / 2};
    json_t *report = rl_cli_fit_report(cli->operands[0], &p->room, &need);
    const bool fits = json_is_true(json_object_get(report, "fits"));
    p->stack_from =
        rl_arena_format(cli->arena, "The program took %u bytes of stack; half as much again", stack_of(&need));
    rl_cli_add_hints(report, &p->room, &need, NULL);
    if (!fits && !rl_cli_given(cli, "json")) {
        rl_cli_print_fit(report);
    }
    json_decref(report);
    rl_cli_release_need(&need);
    return fits ? check_placement(cli, p, &taken) : does_not_fit(cli, p, &taken, ram);
}

int rl_firmware_check_room(struct rl_cli *cli, struct rl_firmware *p)
{
    if (!p->room.board) {
        return RL_EXIT_DONE;
    }
    return p->source.program ? check_runtime(cli, p) : check_c(cli, p);
}
