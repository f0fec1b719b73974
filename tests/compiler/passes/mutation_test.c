// SPDX-License-Identifier: Apache-2.0
//
// Passes on graphs that contradict themselves. The cases of this folder are changed at random places (a number, a name,
// a type, a shape), and every pass runs on what still parses. Any answer is right but a broken graph; memory errors are
// for the sanitizers to find. `passes_mutation_test ROUNDS` goes on longer.
#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/passes/passes.h"
#include "compiler/support/file.h"

enum { DEFAULT_ROUNDS = 60, MUTATIONS = 4, TEXT_BYTES = 1 << 16, PATH_BYTES = 512 };

// ---- random numbers

static uint64_t state;

static size_t below(size_t limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(state >> 33) % limit;
}

#define PICK(list) ((list)[below(sizeof(list) / sizeof(list)[0])])

// ---- changes of a text

static bool splice(char *text, size_t start, size_t end, const char *word)
{
    const size_t length = strlen(text);
    if (length - (end - start) + strlen(word) + 1 > TEXT_BYTES) {
        return false;
    }
    memmove(text + start + strlen(word), text + end, length - end + 1);
    memcpy(text + start, word, strlen(word));
    return true;
}

static size_t end_of_word(const char *text, size_t start)
{
    while (isalnum((unsigned char)text[start]) || (text[start] != '\0' && strchr("_.+-", text[start]))) {
        start++;
    }
    return start;
}

// The next place, from a random one on, where `is_place` holds; the length of the text when there is none.
static size_t find(const char *text, bool (*is_place)(const char *))
{
    const size_t length = strlen(text);
    const size_t start = below(length);
    for (size_t i = 1; i < length; i++) {
        const size_t place = (start + i) % length;
        if (place > 0 && is_place(text + place)) {
            return place;
        }
    }
    return length;
}

static bool is_number(const char *place)
{
    return isdigit((unsigned char)place[0]) && strchr("=[,( -", place[-1]);
}

static bool is_name(const char *place)
{
    return place[-1] == '%';
}

static bool is_type(const char *place)
{
    return strncmp(place - 1, " f32[", 5) == 0 || strncmp(place - 1, " i8[", 4) == 0;
}

static void change_number(char *text)
{
    static const char *const numbers[] = {
        "0",
        "1",
        "2",
        "3",
        "7",
        "127",
        "-1",
        "-128",
        "2147483647",
        "-2147483648",
        "9223372036854775807",
        "-9223372036854775808",
        "1e30",
        "1e-40",
        "inf",
        "nan(0x7ff8000000000000)",
        "None",
        "True",
    };
    const size_t place = find(text, is_number);
    splice(text, place, end_of_word(text, place), PICK(numbers));
}

static void change_name(char *text)
{
    char name[PATH_BYTES];
    const size_t place = find(text, is_name);
    const size_t other = find(text, is_name);
    snprintf(name, sizeof name, "%.*s", (int)(end_of_word(text, other) - other), text + other);
    splice(text, place, end_of_word(text, place), name);
}

static void change_dtype(char *text)
{
    static const char *const dtypes[] = {"f32", "i8", "i32", "i64", "i16", "u8", "bool"};
    const size_t place = find(text, is_type);
    splice(text, place, end_of_word(text, place), PICK(dtypes));
}

static void change_shape(char *text)
{
    static const char *const shapes[] = {"",      "1",       "4",       "1,4",     "3,1",
                                         "2,3,4", "1,2,4,4", "1,0,2,2", "8,8,8,8", "1,2,3,4,5"};
    const size_t place = find(text, is_type);
    const size_t start = end_of_word(text, place) + 1;
    const size_t length = strcspn(text + (start <= strlen(text) ? start : 0), "]");
    if (start <= strlen(text)) {
        splice(text, start, start + length, PICK(shapes));
    }
}

static void mutate(char *text)
{
    static void (*const changes[])(char *) = {change_number, change_number, change_name, change_dtype, change_shape};
    for (size_t i = 1 + below(MUTATIONS); i > 0; i--) {
        PICK(changes)(text);
    }
}

// ---- one graph

static enum rl_status run_passes(struct rl_context *context, struct rl_arena *arena, const char *text)
{
    static const char *const cores[] = {"cortex-m55", "cortex-m4", "any"};
    struct rl_compile_options options = {.quantization = RL_QUANTIZE_NONE};
    struct rl_pass pass = {.context = context, .arena = arena, .options = &options};
    enum rl_status status = rl_target_parse(context, PICK(cores), &options.target);
    if (status == RL_OK) {
        options.target.flow = below(2) == 0 ? RL_FLOW_RUSHLIGHT : RL_FLOW_EXECUTORCH;
        status = rl_graph_parse(context, arena, text, "changed", &pass.graph);
    }
    for (int i = 0; rl_stage_at(i) && status == RL_OK; i++) {
        const struct rl_stage *stage = rl_stage_at(i);
        if (stage->phase != RL_PHASE_READ && stage->phase != RL_PHASE_QUANTIZE) {
            status = rl_stage_run(&pass, stage);
        }
    }
    return status;
}

// Whether the passes did no harm; counts the graphs that reached the end.
static bool check(char *text, const char *name, long *finished)
{
    struct rl_arena arena = {.blocks = NULL};
    struct rl_context context = {.message = ""};
    jmp_buf out_of_memory;
    volatile enum rl_status status = RL_ERROR_OUT_OF_MEMORY;
    arena.out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory) == 0) {
        status = run_passes(&context, &arena, text);
    }
    rl_arena_free(&arena);
    *finished += status == RL_OK ? 1 : 0;
    if (status == RL_ERROR_INTERNAL) {
        printf("%s: %s\n%s\n", name, context.message, text);
    }
    return status != RL_ERROR_INTERNAL;
}

static int is_case(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 3 && strcmp(entry->d_name + length - 3, ".ir") == 0;
}

static bool read_case(const char *name, char *text)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", RL_CASES, name);
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(text, 1, TEXT_BYTES / 2, file) : 0;
    if (file) {
        fclose(file);
    }
    text[size] = '\0';
    return size > 0;
}

int main(int argc, char **argv)
{
    static char text[TEXT_BYTES];
    struct dirent **entries;
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : DEFAULT_ROUNDS;
    const int count = scandir(RL_CASES, &entries, is_case, alphasort);
    long failed = 0;
    long finished = 0;
    for (int i = 0; i < count; i++) {
        for (long round = 0; round < rounds; round++) {
            state = (uint64_t)round * 1000003 + (uint64_t)i;
            if (read_case(entries[i]->d_name, text)) {
                mutate(text);
                failed += check(text, entries[i]->d_name, &finished) ? 0 : 1;
            }
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    printf("%d cases changed %ld times each: %ld graphs went through all passes, %ld broke\n", count, rounds, finished,
           failed);
    return finished > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
