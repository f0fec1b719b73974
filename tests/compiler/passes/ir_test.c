// SPDX-License-Identifier: Apache-2.0
//
// Runs passes on graphs in text form. A case is NAME.ir with its answer beside it:
//   NAME.expect   the graph after the passes, compared as text
//   NAME.error    a part of the message with which a pass refuses the graph
// The first lines of NAME.ir say, as comments, what to do:
//   # run: fuse_activation lower_conv
//   # target: cortex-m55             (any when missing)
//   # for: executorch                (rushlight when missing)
//   # quantizer: best                (--quantize none when missing)
//   # winograd: yes                  (no when missing)
//
// `passes_ir_test FOLDER --update` writes every .expect anew; read the difference before committing it.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/passes/passes.h"
#include "compiler/support/file.h"

enum { LINE_BYTES = 512 };

// ---- texts

struct lines {
    int count;
    char **items;
};

static struct lines split_lines(struct rl_arena *arena, const char *text)
{
    struct lines lines = {0, rl_arena_array(arena, strlen(text) + 1, sizeof(char *))};
    char *copy = rl_arena_string(arena, text);
    while (*copy != '\0') {
        char *end = strchr(copy, '\n');
        lines.items[lines.count++] = copy;
        if (!end) {
            break;
        }
        *end = '\0';
        copy = end + 1;
    }
    return lines;
}

// Prints both texts as one, lines only in the first with '-', only in the second with '+'.
static void print_difference(struct rl_arena *arena, const char *first, const char *second)
{
    const struct lines a = split_lines(arena, first);
    const struct lines b = split_lines(arena, second);
    const int width = b.count + 1;
    int *common = rl_arena_array(arena, (size_t)(a.count + 1) * (size_t)width, sizeof *common); // of the rests
    for (int i = a.count - 1; i >= 0; i--) {
        for (int k = b.count - 1; k >= 0; k--) {
            const int skip_a = common[(i + 1) * width + k];
            const int skip_b = common[i * width + k + 1];
            const int longer = skip_a > skip_b ? skip_a : skip_b;
            const bool same = strcmp(a.items[i], b.items[k]) == 0;
            common[i * width + k] = same ? common[(i + 1) * width + k + 1] + 1 : longer;
        }
    }
    int i = 0;
    int k = 0;
    while (i < a.count || k < b.count) {
        if (i < a.count && k < b.count && strcmp(a.items[i], b.items[k]) == 0) {
            printf("  %s\n", a.items[i++]);
            k++;
        } else if (k == b.count || (i < a.count && common[(i + 1) * width + k] >= common[i * width + k + 1])) {
            printf("- %s\n", a.items[i++]);
        } else {
            printf("+ %s\n", b.items[k++]);
        }
    }
}

static char *read_text(struct rl_arena *arena, const char *path)
{
    struct rl_context context = {.message = ""};
    void *data = NULL;
    size_t size;
    return rl_file_read(&context, arena, path, &data, &size) == RL_OK ? data : NULL;
}

// What follows `# key:` at the start of a line; `fallback` when no line does.
static const char *directive(struct rl_arena *arena, const char *text, const char *key, const char *fallback)
{
    const struct lines lines = split_lines(arena, text);
    const char *start = rl_arena_format(arena, "# %s: ", key);
    for (int i = 0; i < lines.count; i++) {
        if (strncmp(lines.items[i], start, strlen(start)) == 0) {
            return lines.items[i] + strlen(start);
        }
    }
    return fallback;
}

// ---- one case

static enum rl_status run_pass(struct rl_pass *pass, const char *name)
{
    for (int i = 0; rl_stage_at(i); i++) {
        if (strcmp(rl_stage_at(i)->name, name) == 0) {
            return rl_stage_run(pass, rl_stage_at(i));
        }
    }
    return rl_fail(pass->context, RL_ERROR_ARGUMENT, "there is no pass '%s'", name);
}

// The graph after the passes that the text asks for, as text; NULL and a message when something refuses it.
static char *run_case(struct rl_context *context, struct rl_arena *arena, const char *text, const char *name)
{
    struct rl_compile_options options = {.quantization = RL_QUANTIZE_NONE};
    struct rl_pass pass = {.context = context, .arena = arena, .options = &options};
    enum rl_status status = rl_target_parse(context, directive(arena, text, "target", "any"), &options.target);
    if (status == RL_OK) {
        status = rl_flow_parse(context, directive(arena, text, "for", "rushlight"), &options.target.flow);
    }
    if (strcmp(directive(arena, text, "quantizer", "none"), "best") == 0) {
        options.quantization = RL_QUANTIZE_INT8;
    }
    options.winograd = strcmp(directive(arena, text, "winograd", "no"), "yes") == 0;
    if (status == RL_OK) {
        status = rl_graph_parse(context, arena, text, name, &pass.graph);
    }
    char *words = rl_arena_string(arena, directive(arena, text, "run", "nothing"));
    for (char *word = strtok(words, " "); word && status == RL_OK; word = strtok(NULL, " ")) {
        status = run_pass(&pass, word);
    }
    if (status != RL_OK) {
        return NULL;
    }
    char *printed = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&printed, &size);
    status = rl_graph_print(context, pass.graph, file);
    fclose(file);
    char *result = status == RL_OK ? rl_arena_string(arena, printed) : NULL;
    free(printed);
    return result;
}

static bool check_refusal(const struct rl_context *context, const char *result, const char *expected, const char *name)
{
    const size_t length = strcspn(expected, "\n");
    char part[LINE_BYTES];
    snprintf(part, sizeof part, "%.*s", (int)length, expected);
    if (!result && strstr(context->message, part)) {
        return true;
    }
    printf("%s: expected a refusal with '%s', found '%s'\n", name, part, result ? "success" : context->message);
    return false;
}

static bool check_case(const char *folder, const char *name, bool update)
{
    struct rl_arena arena = {.blocks = NULL};
    struct rl_context context = {.message = ""};
    const char *text = read_text(&arena, rl_arena_format(&arena, "%s/%s.ir", folder, name));
    const char *error = read_text(&arena, rl_arena_format(&arena, "%s/%s.error", folder, name));
    const char *answer = rl_arena_format(&arena, "%s/%s.expect", folder, name);
    const char *expected = read_text(&arena, answer);
    const char *result = text ? run_case(&context, &arena, text, name) : NULL;
    bool passed = false;
    if (error) {
        passed = check_refusal(&context, result, error, name);
    } else if (!result) {
        printf("%s: %s\n", name, context.message);
    } else if (update) {
        passed = rl_file_write(&context, answer, result, strlen(result)) == RL_OK;
    } else if (!expected) {
        printf("%s: neither %s.expect nor %s.error is there\n", name, name, name);
    } else if (strcmp(expected, result) != 0) {
        printf("%s: expected (-), found (+)\n", name);
        print_difference(&arena, expected, result);
    } else {
        passed = true;
    }
    rl_arena_free(&arena);
    return passed;
}

static int is_case(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 3 && strcmp(entry->d_name + length - 3, ".ir") == 0;
}

int main(int argc, char **argv)
{
    struct dirent **entries;
    const char *folder = argc > 1 ? argv[1] : RL_CASES;
    const bool update = argc > 2 && strcmp(argv[2], "--update") == 0;
    const int count = scandir(folder, &entries, is_case, alphasort);
    int failed = 0;
    for (int i = 0; i < count; i++) {
        char name[LINE_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)strlen(entries[i]->d_name) - 3, entries[i]->d_name);
        failed += check_case(folder, name, update) ? 0 : 1;
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    printf("%d cases in %s, %d failed\n", count, folder, failed);
    return count > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
