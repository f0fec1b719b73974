// SPDX-License-Identifier: Apache-2.0
//
// The boards that are known by name, with the sources of their figures.
#include <stdio.h>
#include <string.h>

#include "cli/boards.h"
#include "compiler/support/suggest.h"
#include "compiler/targets/target.h"

enum { KB = 1024, MHZ = 1000000 };

const struct rl_current *rl_cli_board_power(const struct rl_board *board, double hertz, double *watts)
{
    const struct rl_current *current = board && *watts <= 0 ? rl_board_current(board) : NULL;
    if (current) {
        *watts = rl_current_watts(current, hertz);
    }
    return current;
}

json_t *rl_cli_current_json(const struct rl_current *current)
{
    return current ? json_pack("{s:f, s:f, s:s, s:s?}", "microamperes_per_mhz", current->microamperes_per_mhz, "volts",
                               current->volts, "conditions", current->conditions, "checked_against",
                               current->checked[0] ? current->checked : NULL)
                   : json_null();
}

// Where the memories lie; null where only the vendor's SDK has a linker script.
static json_t *memory_json(const struct rl_board *board)
{
    struct rl_memory m;
    const char *reason;

    if (!rl_board_memory(board, &m, &reason)) {
        return json_null();
    }
    json_t *memory = json_pack("{s:I, s:I, s:I, s:I, s:s}", "flash_origin", (json_int_t)m.flash_origin, "flash_bytes",
                               (json_int_t)m.flash_bytes, "ram_origin", (json_int_t)m.ram_origin, "ram_bytes",
                               (json_int_t)m.ram_bytes, "checked_against", m.checked);
    if (m.more_bytes > 0) {
        json_object_set_new(memory, "more_ram_origin", json_integer((json_int_t)m.more_origin));
        json_object_set_new(memory, "more_ram_bytes", json_integer((json_int_t)m.more_bytes));
    }
    return memory;
}

static const char *no_memory(const struct rl_board *board)
{
    struct rl_memory memory;
    const char *reason;
    return rl_board_memory(board, &memory, &reason) ? NULL : reason;
}

json_t *rl_cli_board_json(const struct rl_board *board)
{
    const struct rl_chip *chip = board->chip;

    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:b, s:I, s:I, s:I, s:s, s:s?, s:s, s:s, s:o, s:o, s:s?}", "name", board->name,
        "board", board->full_name, "chip", chip->name, "core", chip->core, "flash_bytes",
        (json_int_t)rl_board_flash_bytes(board), "flash_on_chip", chip->flash_bytes > 0, "ram_bytes",
        (json_int_t)chip->ram_bytes, "ram_total_bytes", (json_int_t)chip->ram_total_bytes, "clock_hz",
        (json_int_t)chip->clock_hz, "source", chip->source, "checked_against", chip->checked[0] ? chip->checked : NULL,
        "flash_source", chip->flash_bytes > 0 ? chip->source : board->flash_source, "note", board->note, "current",
        rl_cli_current_json(rl_board_current(board)), "memory", memory_json(board), "no_memory", no_memory(board));
}

static void print_row(const struct rl_board *board)
{
    const struct rl_chip *chip = board->chip;

    printf("%-20s %-13s  %8u%s  %8u  %8u  %5u  %s\n", board->name, chip->core, rl_board_flash_bytes(board) / KB,
           chip->flash_bytes > 0 ? " " : "*", chip->ram_bytes / KB, chip->ram_total_bytes / KB, chip->clock_hz / MHZ,
           chip->source);
}

static void print_memory(const struct rl_board *board)
{
    struct rl_memory m;
    const char *reason;

    if (!rl_board_memory(board, &m, &reason)) {
        printf("  script  of the vendor's SDK alone: %s\n", reason);
        return;
    }
    printf("  script  programs at 0x%08x, RAM at 0x%08x (%u KB)", m.flash_origin, m.ram_origin, m.ram_bytes / KB);
    if (m.more_bytes > 0) {
        printf(" and 0x%08x (%u KB)", m.more_origin, m.more_bytes / KB);
    }
    printf("\n          checked against %s\n", m.checked);
}

static void print_details(const struct rl_board *board)
{
    const struct rl_chip *chip = board->chip;
    const struct rl_current *current = rl_board_current(board);

    printf("%s: %s\n", board->name, board->full_name);
    printf("  chip    %s, %s at %u MHz\n", chip->name, chip->core, chip->clock_hz / MHZ);
    printf("  flash   %u KB%s\n", rl_board_flash_bytes(board) / KB, chip->flash_bytes > 0 ? "" : ", beside the chip");
    printf("  RAM     %u KB in one piece, %u KB in all\n", chip->ram_bytes / KB, chip->ram_total_bytes / KB);
    if (current) {
        printf("  takes   %g uA/MHz at %g V (%s)\n", current->microamperes_per_mhz, current->volts,
               current->conditions);
    }
    printf("  source  %s\n", chip->source);
    if (board->flash_source[0]) {
        printf("          flash: %s\n", board->flash_source);
    }
    printf("  checked %s\n", chip->checked[0] ? chip->checked : "against nothing besides");
    print_memory(board);
    if (board->note[0]) {
        printf("  note    %s\n", board->note);
    }
}

// The core that --core names; RL_EXIT_USAGE with those that there are.
static int read_core(const struct rl_cli *cli, const char **core)
{
    const char *given = rl_cli_value(cli, "core", NULL);
    int count;

    *core = NULL;
    if (!given) {
        return RL_EXIT_DONE;
    }
    const struct rl_core *cores = rl_cores(&count), *found = rl_core_find(given, strlen(given));
    const char **names = rl_arena_array(cli->arena, (size_t)count, sizeof *names);
    int known = 0;
    for (int i = 0; i < count; i++) {
        if (cores[i].isa != RL_ISA_ANY) {
            names[known++] = cores[i].name;
        }
    }
    if (!found || found->isa == RL_ISA_ANY) {
        return rl_cli_unknown(cli, "core", given, names, known);
    }
    *core = found->name;
    return RL_EXIT_DONE;
}

int rl_cli_unknown_board(const struct rl_cli *cli, const char *given)
{
    int count;
    const struct rl_board *boards = rl_boards(&count);
    const char **names = rl_arena_array(cli->arena, (size_t)count, sizeof *names);
    char close[RL_SUGGEST_TEXT_BYTES];

    for (int i = 0; i < count; i++) {
        names[i] = boards[i].name;
    }
    return rl_cli_usage_error(cli, "there is no board '%s'%s; 'rushlight boards' lists them", given,
                              rl_suggest(close, given, names, count));
}

// The boards with a core, or all.
static json_t *list_json(const char *core)
{
    int count;
    const struct rl_board *boards = rl_boards(&count);
    json_t *list = json_array();

    for (int i = 0; i < count; i++) {
        if (!core || strcmp(core, boards[i].chip->core) == 0) {
            json_array_append_new(list, rl_cli_board_json(&boards[i]));
        }
    }
    return list;
}

static int print_table(const char *core)
{
    int count;
    const struct rl_board *boards = rl_boards(&count);

    printf("%-20s %-13s  %8s   %8s  %8s  %5s  %s\n", "board", "core", "flash KB", "RAM KB", "in all", "MHz",
           "source of the figures");
    for (int i = 0; i < count; i++) {
        if (!core || strcmp(core, boards[i].chip->core) == 0) {
            print_row(&boards[i]);
        }
    }
    printf("RAM: the largest piece, and all pieces. * beside the chip. 'rushlight boards BOARD' tells more of one.\n");
    return RL_EXIT_DONE;
}

static int run(struct rl_cli *cli)
{
    const bool as_json = rl_cli_given(cli, "json");
    const char *name = cli->operands[0], *core;
    const struct rl_board *board = name ? rl_board_find(name) : NULL;
    const int status = read_core(cli, &core);

    if (status != RL_EXIT_DONE) {
        return status;
    }
    if (name && core) {
        return rl_cli_usage_error(cli, "--core selects from the list; it is not for one board");
    }
    if (name && !board) {
        return rl_cli_unknown_board(cli, name);
    }
    if (as_json) {
        return rl_cli_print_json(
            cli, json_pack("{s:o}", "boards", board ? json_pack("[o]", rl_cli_board_json(board)) : list_json(core)));
    }
    if (!board) {
        return print_table(core);
    }
    print_details(board);
    return RL_EXIT_DONE;
}

static const struct rl_cli_option options[] = {
    {"core", 0, "CORE", false, "only boards with this core, such as cortex-m4"},
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_boards = {
    .name = "boards",
    .operands = "[BOARD]",
    .optional_operand_count = 1,
    .summary = "boards that people have: core, flash, RAM, clock, and where the figures come from",
    .options = options,
    .run = run,
};
