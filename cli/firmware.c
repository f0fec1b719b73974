// SPDX-License-Identifier: Apache-2.0
//
// A complete project around a model: the model as C, a main.c, and what the emulated core needs to run it.
#include <stdio.h>
#include <string.h>

#include "cli/compilation.h"
#include "cli/execution.h"
#include "cli/firmware.h"

static int read_options(struct rl_cli *cli, struct rl_firmware *p)
{
    const char *board = rl_cli_value(cli, "board", NULL);

    if (rl_cli_given(cli, "board") == rl_cli_given(cli, "target")) {
        return rl_cli_usage_error(cli, "expected --target CORE or --board BOARD, found %s", board ? "both" : "neither");
    }
    if (!rl_cli_given(cli, "output")) {
        return rl_cli_usage_error(cli, "-o FOLDER is missing");
    }
    if (rl_cli_read_compilation(cli, &p->options) != RL_EXIT_DONE) {
        return RL_EXIT_USAGE;
    }
    if (board && !rl_cli_set_board(&p->room, rl_board_find(board))) {
        return rl_cli_unknown_board(cli, board);
    }
    if (board && rl_target_parse(&cli->context, p->room.core->name, &p->options.target) != RL_OK) {
        return rl_cli_usage_error(cli, "%s", cli->context.message);
    }
    if (p->options.target.core->isa == RL_ISA_ANY) {
        return rl_cli_usage_error(cli, "--target: a firmware is for one core; 'rushlight targets' lists them");
    }
    rl_cli_set_core(&p->room, p->options.target.core);
    p->has_memory = board && rl_board_memory(p->room.board, &p->memory, &p->no_memory);
    if (p->has_memory) { // without the boot loader
        p->room.flash_bytes = p->memory.flash_bytes;
    }
    p->folder = strchr(p->room.measured_on, '-') + 1;
    p->options.dump_file = stderr;
    return RL_EXIT_DONE;
}

// The model as C, from a .pt2 or a .pte.
static int emit(struct rl_cli *cli, struct rl_firmware *p)
{
    struct rl_host_files files;
    struct rl_compiled compiled;
    enum rl_status status = rl_cli_read_program(cli, cli->operands[0], NULL, NULL, &files);

    if (status == RL_OK && rl_cli_is_program(&files)) {
        if (rl_cli_check_compiled(cli) != RL_EXIT_DONE) {
            return RL_EXIT_USAGE;
        }
        p->program = (struct rl_file_bytes){files.program, files.program_size};
        status = rl_cli_emit_program(cli, &files, &p->options.target, &p->source);
        return status == RL_OK ? RL_EXIT_DONE : rl_cli_failed(cli);
    }
    if (status == RL_OK) {
        status = rl_compile(&cli->context, cli->arena, &p->options, &compiled);
    }
    if (status == RL_OK) {
        p->program = (struct rl_file_bytes){compiled.emitted.file, compiled.emitted.size};
        status = rl_cli_emit_c(cli, &p->options, &compiled, &p->source);
    }
    return status == RL_OK ? RL_EXIT_DONE : rl_cli_failed(cli);
}

// Adds files of `from` to the folder `to` of the project, or to its top if that is empty.
static enum rl_status add_files(struct rl_cli *cli, struct rl_firmware *p, const char *from, const char *to,
                                const char *const *names)
{
    enum rl_status status = RL_OK;
    for (; *names && status == RL_OK; names++) {
        status = rl_firmware_add_file(cli, p, rl_arena_format(cli->arena, "boards/%s/%s", from, *names),
                                      rl_arena_format(cli->arena, "%s%s", to, *names), NULL, 0);
    }
    return status;
}

static enum rl_status add_board(struct rl_cli *cli, struct rl_firmware *p)
{
    static const char *const common[] = {"board.h",       "console.c",     "fault.c",     "fault.h",
                                         "semihosting.c", "semihosting.h", "stack.h",     "start.c",
                                         "syscalls.c",    "wrong_core.c",  "sections.ld", NULL};
    static const char *const own[] = {"board.cmake", "memory.ld", NULL}, *const serial[] = {"serial.c", "serial.h",
                                                                                            NULL};
    static const char *const clock[] = {"clock.c", "clock.h", NULL};
    static const char *const validate[] = {"frame.c", "frame.h", "validate.c", "validate.h", NULL};
    const struct {
        const char *from, *to, *const *names;
    } folders[] = {{"common", "board/", common},
                   {p->folder, "board/", own},
                   {"project", "board/", serial},
                   {"project", "", clock},
                   {"project", "validate/", validate}};
    enum rl_status status = RL_OK;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && status == RL_OK; i++) {
        status = add_files(cli, p, folders[i].from, folders[i].to, folders[i].names);
    }
    return status;
}

static enum rl_status write_project(struct rl_cli *cli, struct rl_firmware *p)
{
    static const char *const start_up[] = {"rl_core_refusal"}, *const checksum[] = {"rl_crc_add"};
    const enum rl_isa isa = p->options.target.isa;
    enum rl_status status = rl_cli_add_model(cli, &p->source, &isa, "model", &p->files);
    if (status == RL_OK) {
        status = rl_sources_add(&cli->context, cli->arena, rl_cli_share(cli), "runtime", start_up, 1, isa, "model",
                                &p->files);
    }
    if (status == RL_OK) {
        status = rl_sources_add(&cli->context, cli->arena, rl_cli_share(cli), "format", checksum, 1, isa, "model",
                                &p->files);
    }
    if (status == RL_OK) {
        status = rl_firmware_add_templates(cli, p);
    }
    if (status == RL_OK) {
        status = add_board(cli, p);
    }
    if (status == RL_OK) {
        status = rl_firmware_add_chip(cli, p);
    }
    rl_project_add(cli->arena, &p->files, "model.pte", p->program.bytes, p->program.size);
    return status == RL_OK ? rl_project_write(&cli->context, cli->arena, rl_cli_value(cli, "output", NULL), &p->files,
                                              "README.md", rl_cli_given(cli, "force"))
                           : status;
}

static int run(struct rl_cli *cli)
{
    struct rl_firmware p = {0};
    int status = read_options(cli, &p);

    if (status != RL_EXIT_DONE) {
        return status;
    }
    status = emit(cli, &p);
    if (status != RL_EXIT_DONE) {
        return status;
    }
    p.name = p.source.name;
    status = rl_firmware_check_room(cli, &p);
    if (status != RL_EXIT_DONE) {
        return status;
    }
    if (write_project(cli, &p) != RL_OK) {
        return rl_cli_failed(cli);
    }
    const char *folder = rl_cli_value(cli, "output", "");
    if (rl_cli_given(cli, "json")) {
        const char *script = p.has_memory ? "chip/sections.ld" : NULL;
        return rl_cli_print_json(
            cli, json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:s?, s:s?, s:s?}", "folder", folder, "name", p.name, "core",
                           p.options.target.core->name, "constant_bytes", (json_int_t)p.source.constant_bytes,
                           "arena_bytes", (json_int_t)p.source.arena_bytes, "stack_bytes",
                           (json_int_t)p.source.stack_bytes, "board", p.room.board ? p.room.board->name : NULL,
                           "linker_script", script, "no_linker_script", p.no_memory));
    }
    printf("%s: a firmware for %s; its README.md has the three commands that build and run it\n", folder,
           p.options.target.core->name);
    if (p.has_memory) {
        printf("%s_board.elf and .hex are for the flash of the %s\n", p.name, p.room.board->full_name);
    } else if (p.no_memory) {
        printf("for the %s take the linker script of the vendor's SDK: %s\n", p.room.board->full_name, p.no_memory);
    }
    return RL_EXIT_DONE;
}

static const struct rl_cli_option option_table[] = {
    {"output", 'o', "FOLDER", false, "the project to write"},
    {"target", 0, "CORE[+ISA]", false, "see 'rushlight targets'"},
    {"board", 0, "BOARD", false, "one that 'rushlight boards' lists, in place of --target; refused if it is too small"},
    {"runtime", 0, NULL, false, "the runtime and the .pte, which can be replaced in the field, in place of C"},
    {"name", 0, "NAME", false, "how names start in C; the name of the folder"},
    {"labels", 0, "FILE", false, "the names of the classes, one a line"},
    {"force", 0, NULL, false, "replace a folder that rushlight wrote"},
#include "cli/compilation.def"
    {"require-checksum", 0, NULL, false, "refuse a program without a checksum"},
    {"json", 0, NULL, false, "print one JSON object"},
    {0},
};

const struct rl_cli_verb rl_cli_firmware = {
    .name = "firmware",
    .operands = "MODEL.pt2|MODEL.pte",
    .operand_count = 1,
    .summary = "write a project around a model that builds and runs at once",
    .options = option_table,
    .choices = rl_cli_compilation_choices,
    .run = run,
};
