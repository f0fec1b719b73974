// SPDX-License-Identifier: Apache-2.0
//
// A complete project around a model: the model as C, a main.c, and what the emulated core needs to run it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards/qemu/code_size.h"
#include "cli/compilation.h"
#include "cli/emission.h"
#include "cli/execution.h"
#include "cli/fit.h"
#include "compiler/support/file.h"

// What the project is about.
struct project {
    struct rl_compile_options options;
    struct rl_cli_room room; // of --board
    struct rl_c_source source;
    struct rl_file_bytes program; // the .pte of which the source is made
    const char *name, *folder;    // of the emulated core: "m4"
    struct rl_project_files files;
};

static int read_options(struct rl_cli *cli, struct project *p)
{
    const char *board = rl_cli_value(cli, "board", NULL);

    if (rl_cli_given(cli, "board") == rl_cli_given(cli, "target")) {
        return rl_cli_usage_error(cli, "expected --target CORE or --board BOARD, found %s", board ? "both" : "neither");
    }
    if (board && rl_cli_given(cli, "runtime")) {
        return rl_cli_usage_error(cli, "--runtime goes with --target; 'rushlight fit' tells whether a program fits");
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
    p->folder = strchr(p->room.measured_on, '-') + 1;
    p->options.dump_file = stderr;
    return RL_EXIT_DONE;
}

// The model as C, from a .pt2 or a .pte.
static int emit(struct rl_cli *cli, struct project *p)
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

static void print_room(const char *what, uint64_t needed, uint64_t there, const char *parts)
{
    printf("  %-5s %8.1f of %llu KB: %s%s\n", what, (double)needed / 1024, (unsigned long long)there / 1024, parts,
           needed > there ? "  TOO MUCH" : "");
}

// Whether the board has room for the model as C, linked with the kernels that it calls. If not, prints what it needs.
static int check_board(struct rl_cli *cli, struct project *p)
{
    const struct rl_c_source *c = &p->source;
    const size_t count = (size_t)c->function_count + (size_t)c->operator_count;
    const char **symbols = rl_arena_array(cli->arena, count, sizeof *symbols);
    const struct rl_code code = {p->room.measured_on, symbols, count};
    struct rl_code_size size;
    char message[1024];

    if (!p->room.board) {
        return RL_EXIT_DONE;
    }
    for (int i = 0; i < c->function_count; i++) {
        symbols[i] = c->functions[i];
    }
    for (int i = 0; i < c->operator_count; i++) {
        symbols[c->function_count + i] = c->operators[i];
    }
    if (rl_measure_code(&code, &size, message, sizeof message) != RL_EMULATION_OK) {
        (void)rl_fail(&cli->context, RL_ERROR_UNSUPPORTED, "the code cannot be measured: %s", message);
        return rl_cli_failed(cli);
    }
    const uint64_t code_bytes = size.flash_bytes + c->layer_bytes, flash = c->constant_bytes + code_bytes;
    const uint64_t ram = (uint64_t)c->arena_bytes + size.ram_bytes + c->stack_bytes;
    if (flash <= p->room.flash_bytes && c->arena_bytes <= p->room.ram_piece_bytes && ram <= p->room.ram_bytes) {
        return RL_EXIT_DONE;
    }
    if (!rl_cli_given(cli, "json")) {
        printf("%s on %s\n", cli->operands[0], p->room.board->full_name);
        print_room("flash", flash, p->room.flash_bytes,
                   rl_arena_format(cli->arena, "constants %u bytes, code %llu", c->constant_bytes,
                                   (unsigned long long)code_bytes));
        print_room("RAM", ram, p->room.ram_bytes,
                   rl_arena_format(cli->arena, "arena %u bytes, stack %u", c->arena_bytes, c->stack_bytes));
    }
    (void)rl_fail(&cli->context, RL_ERROR_MEMORY,
                  "%s: does not fit %s: it needs %llu bytes of flash and %llu of RAM, and finds %llu and %llu; nothing "
                  "is written",
                  cli->operands[0], p->room.board->name, (unsigned long long)flash, (unsigned long long)ram,
                  (unsigned long long)p->room.flash_bytes, (unsigned long long)p->room.ram_bytes);
    return rl_cli_failed(cli);
}

// ---- templates

struct word {
    const char *name, *text;
};

// Writes the template with the text of each word in place of @NAME@ to `text`, unless that is NULL; returns its length.
static size_t fill_in(const char *template, const struct word *words, int count, char *text)
{
    size_t length = 0;
    for (const char *c = template; *c; c++) {
        const struct word *found = NULL;
        for (int i = 0; *c == '@' && i < count; i++) {
            const size_t name = strlen(words[i].name);
            if (strncmp(c + 1, words[i].name, name) == 0 && c[1 + name] == '@') {
                found = &words[i];
            }
        }
        const char *piece = found ? found->text : c;
        const size_t bytes = found ? strlen(found->text) : 1;
        if (text) {
            memcpy(text + length, piece, bytes);
        }
        length += bytes;
        c += found ? strlen(found->name) + 1 : 0;
    }
    return length;
}

// The value of a macro of model.h: "#define NAME_x VALUE".
static const char *macro(struct rl_cli *cli, const struct project *p, const char *what)
{
    const char *line = strstr(p->source.header, rl_arena_format(cli->arena, "%s ", what));
    char text[256] = "";
    if (line) {
        sscanf(line + strlen(what), " %255[^\n]", text);
    }
    return rl_arena_string(cli->arena, text);
}

// Statements that clear the inputs behind the first one.
static const char *other_inputs(struct rl_cli *cli, const struct project *p)
{
    const char *text = "";
    const char *upper = rl_c_capitals(cli->arena, p->name);
    const int count = atoi(macro(cli, p, rl_arena_format(cli->arena, "%s_INPUT_COUNT", upper)));
    for (int i = 1; i < count; i++) {
        text = rl_arena_format(cli->arena, "%s    memset(%s_input_%d, 0, %s_INPUT_%d_COUNT * sizeof *%s_input_%d);\n",
                               text, p->name, i, upper, i, p->name, i);
    }
    return text;
}

// The name of the first input, or its number if it has none.
static const char *first_input(struct rl_cli *cli, const struct project *p)
{
    char name[128];
    const char *start = rl_arena_format(cli->arena, "#define %s_input_", p->name);
    const char *line = strstr(p->source.header, start);
    return line && sscanf(line + strlen(start), "%127s", name) == 1 ? rl_arena_string(cli->arena, name) : "0";
}

// The inputs or outputs as rows of a table: where they are, and their bytes.
static const char *tensor_rows(struct rl_cli *cli, const struct project *p, const char *side, const char *capitals)
{
    const char *text = "", *upper = rl_c_capitals(cli->arena, p->name);
    const int count = atoi(macro(cli, p, rl_arena_format(cli->arena, "%s_%s_COUNT", upper, capitals)));
    for (int i = 0; i < count; i++) {
        text = rl_arena_format(cli->arena, "%s        {%s_%s_%d, %s_%s_%d_COUNT * sizeof *%s_%s_%d},\n", text, p->name,
                               side, i, upper, capitals, i, p->name, side, i);
    }
    return text;
}

static const char *number(struct rl_cli *cli, uint64_t value)
{
    return rl_arena_format(cli->arena, "%llu", (unsigned long long)value);
}

// What `model/` is, in README.md.
static const char c_form[] = "the model as C, and the kernels that it calls";
static const char runtime_form[] =
    "the model as a program (`program.c` has the bytes of `model.pte`), the runtime, and "
    "what checks an update";

// How main starts the program of the runtime form.
static const char *start_text(struct rl_cli *cli, const struct project *p, bool prints)
{
    return rl_arena_format(cli->arena,
                           "    const char *refusal = %s_start(%s_program, sizeof %s_program);\n    if (refusal) {\n%s"
                           "        return 1;\n    }\n",
                           p->name, p->name, p->name,
                           prints ? "        printf(\"the program is refused: %s\\n\", refusal);\n" : "");
}

static const char *stack_text(struct rl_cli *cli, const struct project *p)
{
    return p->source.program ? "and stack, which `rushlight run model.pte --on CORE` measures"
                             : rl_arena_format(cli->arena, "and at most %u bytes of stack", p->source.stack_bytes);
}

static enum rl_status add_file(struct rl_cli *cli, struct project *p, const char *from, const char *to,
                               const struct word *words, int count)
{
    void *data;
    size_t bytes;
    const char *share = rl_cli_share(cli);
    if (!share) {
        return RL_ERROR_IO;
    }
    const enum rl_status status =
        rl_file_read(&cli->context, cli->arena, rl_arena_format(cli->arena, "%s/%s", share, from), &data, &bytes);
    if (status == RL_OK) {
        const size_t length = fill_in(data, words, count, NULL);
        char *text = rl_arena_alloc(cli->arena, length + 1);
        fill_in(data, words, count, text);
        rl_project_add(cli->arena, &p->files, to, text, length);
    }
    return status;
}

static enum rl_status add_templates(struct rl_cli *cli, struct project *p)
{
    const bool with_runtime = p->source.program;
    const struct word words[] = {{"NAME", p->name},
                                 {"START", with_runtime ? start_text(cli, p, true) : ""},
                                 {"START_SILENTLY", with_runtime ? start_text(cli, p, false) : ""},
                                 {"FORM", with_runtime ? runtime_form : c_form},
                                 {"STACK_TEXT", stack_text(cli, p)},
                                 {"UPPER", rl_c_capitals(cli->arena, p->name)},
                                 {"INPUT", first_input(cli, p)},
                                 {"OTHER_INPUTS", other_inputs(cli, p)},
                                 {"INPUTS", tensor_rows(cli, p, "input", "INPUT")},
                                 {"OUTPUTS", tensor_rows(cli, p, "output", "OUTPUT")},
                                 {"MODEL", rl_cli_base_name(cli->operands[0])},
                                 {"CORE", p->room.measured_on},
                                 {"TARGET", p->room.board ? p->room.board->full_name : p->options.target.core->name},
                                 {"FLASH", number(cli, p->source.constant_bytes)},
                                 {"ARENA", number(cli, p->source.arena_bytes)}};
    static const struct {
        const char *from, *to;
    } templates[] = {{"main.c", "main.c"},
                     {"validate_main.c", "validate/main.c"},
                     {"CMakeLists.txt", "CMakeLists.txt"},
                     {"README.md", "README.md"}};
    const int count = sizeof words / sizeof words[0];
    enum rl_status status = RL_OK;
    for (size_t i = 0; i < sizeof templates / sizeof templates[0] && status == RL_OK; i++) {
        const char *from = rl_arena_format(cli->arena, "boards/project/%s.in", templates[i].from);
        status = add_file(cli, p, from, templates[i].to, words, count);
    }
    return status;
}

// Adds files of `from` to the folder `to` of the project, or to its top if that is empty.
static enum rl_status add_files(struct rl_cli *cli, struct project *p, const char *from, const char *to,
                                const char *const *names)
{
    enum rl_status status = RL_OK;
    for (; *names && status == RL_OK; names++) {
        status = add_file(cli, p, rl_arena_format(cli->arena, "boards/%s/%s", from, *names),
                          rl_arena_format(cli->arena, "%s%s", to, *names), NULL, 0);
    }
    return status;
}

static enum rl_status add_board(struct rl_cli *cli, struct project *p)
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

static enum rl_status write_project(struct rl_cli *cli, struct project *p)
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
        status = add_templates(cli, p);
    }
    if (status == RL_OK) {
        status = add_board(cli, p);
    }
    rl_project_add(cli->arena, &p->files, "model.pte", p->program.bytes, p->program.size);
    return status == RL_OK ? rl_project_write(&cli->context, cli->arena, rl_cli_value(cli, "output", NULL), &p->files,
                                              "README.md", rl_cli_given(cli, "force"))
                           : status;
}

static int run(struct rl_cli *cli)
{
    struct project p = {0};
    int status = read_options(cli, &p);

    if (status != RL_EXIT_DONE) {
        return status;
    }
    status = emit(cli, &p);
    if (status != RL_EXIT_DONE) {
        return status;
    }
    p.name = p.source.name;
    status = check_board(cli, &p);
    if (status != RL_EXIT_DONE) {
        return status;
    }
    if (write_project(cli, &p) != RL_OK) {
        return rl_cli_failed(cli);
    }
    const char *folder = rl_cli_value(cli, "output", "");
    if (rl_cli_given(cli, "json")) {
        return rl_cli_print_json(cli, json_pack("{s:s, s:s, s:s, s:I, s:I, s:I}", "folder", folder, "name", p.name,
                                                "core", p.options.target.core->name, "constant_bytes",
                                                (json_int_t)p.source.constant_bytes, "arena_bytes",
                                                (json_int_t)p.source.arena_bytes, "stack_bytes",
                                                (json_int_t)p.source.stack_bytes));
    }
    printf("%s: a firmware for %s; its README.md has the three commands that build and run it\n", folder,
           p.options.target.core->name);
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
