// SPDX-License-Identifier: Apache-2.0
//
// The files of a project that are written from templates of boards/project/.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/firmware.h"
#include "compiler/support/file.h"

// Writes the template with the text of each word in place of @NAME@ to `text`, unless that is NULL; returns its length.
static size_t fill_in(const char *template, const struct rl_firmware_word *words, int count, char *text)
{
    size_t length = 0;
    for (const char *c = template; *c; c++) {
        const struct rl_firmware_word *found = NULL;
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
static const char *macro(struct rl_cli *cli, const struct rl_firmware *p, const char *what)
{
    const char *line = strstr(p->source.header, rl_arena_format(cli->arena, "%s ", what));
    char text[256] = "";
    if (line) {
        sscanf(line + strlen(what), " %255[^\n]", text);
    }
    return rl_arena_string(cli->arena, text);
}

// Statements that clear the inputs behind the first one.
static const char *other_inputs(struct rl_cli *cli, const struct rl_firmware *p)
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
static const char *first_input(struct rl_cli *cli, const struct rl_firmware *p)
{
    char name[128];
    const char *start = rl_arena_format(cli->arena, "#define %s_input_", p->name);
    const char *line = strstr(p->source.header, start);
    return line && sscanf(line + strlen(start), "%127s", name) == 1 ? rl_arena_string(cli->arena, name) : "0";
}

// The inputs or outputs as rows of a table: where they are, and their bytes.
static const char *tensor_rows(struct rl_cli *cli, const struct rl_firmware *p, const char *side, const char *capitals)
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

static const char chip_row[] = "| `chip/` | memories, sections and start-up of the board's chip |\n";

// How main starts the program of the runtime form.
static const char *start_text(struct rl_cli *cli, const struct rl_firmware *p, bool prints)
{
    return rl_arena_format(cli->arena,
                           "    const char *refusal = %s_start(%s_program, sizeof %s_program);\n    if (refusal) {\n%s"
                           "        return 1;\n    }\n",
                           p->name, p->name, p->name,
                           prints ? "        printf(\"the program is refused: %s\\n\", refusal);\n" : "");
}

// How main and the server of `validate` run the model. Only some models can refuse their data.
static const char *run_text(struct rl_cli *cli, const struct rl_firmware *p)
{
    return rl_arena_format(cli->arena, p->source.can_refuse ? "return (uint32_t)%s_run();" : "%s_run();\n    return 0;",
                           p->name);
}

static const char *run_in_main_text(struct rl_cli *cli, const struct rl_firmware *p)
{
    return rl_arena_format(cli->arena,
                           p->source.can_refuse
                               ? "const int refused = %s_run();\n        if (refused) {\n"
                                 "            printf(\"instruction %%d refuses its data, with status %%d\\n\", "
                                 "refused / 256, refused %% 256);\n            continue;\n        }"
                               : "%s_run();",
                           p->name);
}

static const char *stack_text(struct rl_cli *cli, const struct rl_firmware *p)
{
    return p->source.program ? "and stack, which `rushlight run model.pte --on CORE` measures"
                             : rl_arena_format(cli->arena, "and at most %u bytes of stack", p->source.stack_bytes);
}

// What README.md says of the board.
static const char *board_text(struct rl_cli *cli, const struct rl_firmware *p)
{
    const struct rl_board *board = p->room.board;
    if (!p->has_memory) {
        return board ? rl_arena_format(cli->arena,
                                       "On the %s, use the linker script and start-up of the vendor's SDK: %s.\n\n",
                                       board->full_name, p->no_memory)
                     : "";
    }
    return rl_arena_format(
        cli->arena,
        "The same build makes `build/%s_board.elf` and `.hex`, for the flash of the %s. Its start-up leaves clocks as\n"
        "they are after reset. What it prints goes to a debugger that answers semihosting (OpenOCD, pyOCD, J-Link,\n"
        "probe-rs); without one it runs all the same. For `rushlight validate --port`, write `chip/serial.c` with the\n"
        "functions of `board/serial.h`, and the build makes `build/%s_validate_board.elf`, too.\n\n",
        p->name, board->full_name, p->name);
}

enum rl_status rl_firmware_add_file(struct rl_cli *cli, struct rl_firmware *p, const char *from, const char *to,
                                    const struct rl_firmware_word *words, int count)
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

enum rl_status rl_firmware_add_templates(struct rl_cli *cli, struct rl_firmware *p)
{
    const bool with_runtime = p->source.program;
    const struct rl_firmware_word words[] = {
        {"NAME", p->name},
        {"START", with_runtime ? start_text(cli, p, true) : ""},
        {"START_SILENTLY", with_runtime ? start_text(cli, p, false) : ""},
        {"FORM", with_runtime ? runtime_form : c_form},
        {"STACK_TEXT", stack_text(cli, p)},
        {"RUN", run_text(cli, p)},
        {"RUN_IN_MAIN", run_in_main_text(cli, p)},
        {"ON_BOARD", board_text(cli, p)},
        {"CHIP_ROW", p->has_memory ? chip_row : ""},
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
        status = rl_firmware_add_file(cli, p, from, templates[i].to, words, count);
    }
    return status;
}
