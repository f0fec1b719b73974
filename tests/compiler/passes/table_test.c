// SPDX-License-Identifier: Apache-2.0
//
// What passes.def says is what the documentation and the sources say: the tables of compiler/passes/README.md, and the
// contract at the head of each pass.
//
// `passes_table_test --update` writes the tables anew.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/passes/passes.h"
#include "compiler/support/file.h"

static const char begins[] = "<!-- from passes.def -->\n", ends[] = "<!-- to here -->\n";

static const struct {
    const char *folder, *meaning;
} phases[] = {
#define RL_PHASE(id, folder, meaning) {folder, meaning},
#include "compiler/passes/passes.def"
};

static const char *const conditions[] = {
#define RL_WHEN(id, condition) condition,
#include "compiler/passes/passes.def"
};

static const char *print_tables(struct rl_arena *arena)
{
    char *printed = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&printed, &size);
    int phase = -1;
    for (int i = 0; rl_stage_at(i); i++) {
        const struct rl_stage *stage = rl_stage_at(i);
        if ((int)stage->phase != phase) {
            phase = (int)stage->phase;
            fprintf(file, "\n**`%s/`**: %s\n\n| stage | what it does | condition |\n|---|---|---|\n",
                    phases[phase].folder, phases[phase].meaning);
        }
        fprintf(file, "| `%s` | %s | %s |\n", stage->name, stage->meaning, conditions[stage->when]);
    }
    fprintf(file, "\n");
    fclose(file);
    const char *tables = rl_arena_string(arena, printed);
    free(printed);
    return tables;
}

static char *read_text(struct rl_arena *arena, const char *path)
{
    struct rl_context context = {.message = ""};
    void *data = NULL;
    size_t size;
    if (rl_file_read(&context, arena, path, &data, &size) == RL_OK) {
        return data;
    }
    printf("%s\n", context.message);
    return NULL;
}

static bool check_tables(struct rl_arena *arena, bool update)
{
    struct rl_context context = {.message = ""};
    const char *text = read_text(arena, RL_PASSES "/README.md");
    const char *from = text ? strstr(text, begins) : NULL;
    const char *to = from ? strstr(from, ends) : NULL;
    if (!to) {
        printf("README.md: the lines '%.*s' and '%.*s' are missing\n", (int)strlen(begins) - 1, begins,
               (int)strlen(ends) - 1, ends);
        return false;
    }
    const char *right = rl_arena_format(arena, "%.*s%s%s%s", (int)(from - text), text, begins, print_tables(arena), to);
    if (strcmp(text, right) == 0) {
        return true;
    }
    if (update) {
        return rl_file_write(&context, RL_PASSES "/README.md", right, strlen(right)) == RL_OK;
    }
    printf("README.md: the tables are not those of passes.def; passes_table_test --update writes them\n");
    return false;
}

static bool check_contract(struct rl_arena *arena, const struct rl_stage *stage)
{
    static const char *const parts[] = {"needs  ", "keeps  ", "breaks "};
    const char *folder = phases[stage->phase].folder;
    if (strncmp(folder, "passes/", 7) != 0) {
        return true; // a stage of several files
    }
    const char *path = rl_arena_format(arena, "%s/%s/%s.c", RL_PASSES, folder + 7, stage->name);
    const char *text = read_text(arena, path);
    if (!text) {
        return false;
    }
    bool passed = strstr(text, rl_arena_format(arena, "// %s: ", stage->name));
    for (int i = 0; i < 3; i++) {
        passed = passed && strstr(text, rl_arena_format(arena, "\n//   %s ", parts[i]));
    }
    if (!passed) {
        printf("%s: does not start with '// %s: ...' and what it needs, keeps and breaks\n", path, stage->name);
    }
    return passed;
}

int main(int argc, char **argv)
{
    struct rl_arena arena = {.blocks = NULL};
    bool passed = check_tables(&arena, argc > 1 && strcmp(argv[1], "--update") == 0);
    for (int i = 0; rl_stage_at(i); i++) {
        passed = check_contract(&arena, rl_stage_at(i)) && passed;
    }
    rl_arena_free(&arena);
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
