// SPDX-License-Identifier: Apache-2.0
//
// The folder chip/ of a project for a board: its linker script, and a start-up for it.
#include "cli/firmware.h"

#include <string.h>

static const char *region(struct rl_cli *cli, const char *name, const char *rights, uint32_t origin, uint32_t bytes)
{
    return rl_arena_format(cli->arena, "    %-5s %-5s : ORIGIN = 0x%08x, LENGTH = 0x%x\n", name, rights, origin, bytes);
}

// memory.ld: regions, where the stack is, and how large stack and heap are.
static const char *memory_script(struct rl_cli *cli, const struct rl_firmware *p)
{
    const struct rl_memory *m = &p->memory;
    const struct rl_board *board = p->room.board;
    return rl_arena_format(
        cli->arena,
        "/* Written by Rushlight for %s: %s. Sizes: %s. Addresses: the memory map there;\n   the same in %s. */\n"
        "MEMORY\n{\n%s%s%s}\nREGION_ALIAS(\"STACK\", %s)\n\n"
        "/* %s, and the rest for main, printf and interrupts. */\n"
        "rl_stack_bytes = %u;\n\n/* printf takes a buffer of 1 KB. */\nrl_heap_bytes = %u;\n",
        board->full_name, board->chip->name, board->chip->source, m->checked,
        region(cli, "FLASH", "(rx)", m->flash_origin, m->flash_bytes),
        region(cli, "RAM", "(rwx)", m->ram_origin, m->ram_bytes),
        m->more_bytes > 0 ? region(cli, "RAM2", "(rwx)", m->more_origin, m->more_bytes) : "",
        p->stack_has_own_ram ? "RAM2" : "RAM", p->stack_from, p->stack_bytes, (unsigned)RL_FIRMWARE_HEAP_BYTES);
}

enum rl_status rl_firmware_add_chip(struct rl_cli *cli, struct rl_firmware *p)
{
    if (!p->has_memory) {
        return RL_OK;
    }
    const struct rl_firmware_word words[] = {{"NAME", p->name}, {"TARGET", p->room.board->full_name}};
    static const struct {
        const char *from, *to;
    } files[] = {{"chip_sections.ld", "chip/sections.ld"},
                 {"chip_start.c", "chip/start.c"},
                 {"chip_firmware.cmake.in", "chip/firmware.cmake"}};
    enum rl_status status = RL_OK;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == RL_OK; i++) {
        const char *from = rl_arena_format(cli->arena, "boards/project/%s", files[i].from);
        status = rl_firmware_add_file(cli, p, from, files[i].to, words, sizeof words / sizeof words[0]);
    }
    const char *memory = memory_script(cli, p);
    rl_project_add(cli->arena, &p->files, "chip/memory.ld", memory, strlen(memory));
    if (p->memory.flags) {
        const char *flags = rl_arena_format(cli->arena,
                                            "# Written by Rushlight: the %s has another FPU than most chips with its "
                                            "core.\nset(RL_BOARD_FLAGS \"%s\")\n",
                                            p->room.board->chip->name, p->memory.flags);
        rl_project_add(cli->arena, &p->files, "chip/flags.cmake", flags, strlen(flags));
    }
    return status;
}
