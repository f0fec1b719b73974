// SPDX-License-Identifier: Apache-2.0
//
// Which files a build needs, read from the files themselves: what a source includes, and which functions it names
// where it computes. A name in a comment is skipped, one in a prototype too, because prototypes start a line. What is
// found may be more than the compiler will use, never less.
#include "compiler/c/sources.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "compiler/support/file.h"

void rl_project_add(struct rl_arena *arena, struct rl_project_files *files, const char *path, const void *data,
                    size_t bytes)
{
    if (files->count == files->capacity) {
        const int capacity = files->capacity == 0 ? 64 : 2 * files->capacity;
        struct rl_project_file *items = rl_arena_array(arena, (size_t)capacity, sizeof *items);
        if (files->count > 0) {
            memcpy(items, files->items, (size_t)files->count * sizeof *items);
        }
        files->items = items;
        files->capacity = capacity;
    }
    files->items[files->count++] = (struct rl_project_file){path, data, bytes};
}

// A line of the list: a source, or a header that something may include.
struct entry {
    const char *path; // in `share`
    const char *text; // once it was read
    size_t bytes;
    bool is_source; // of the library that is asked for
    bool is_needed;
    bool has_wide; // is compiled again for float64
};

struct search {
    struct rl_context *context;
    struct rl_arena *arena;
    const char *share;
    enum rl_isa isa;
    struct entry *entries;
    int count;
    bool has_operators;
    int *pending; // needed, but not looked at yet
    int pending_count;
};

static enum rl_status read_entry(struct search *s, struct entry *entry)
{
    void *data;
    if (entry->text) {
        return RL_OK;
    }
    const enum rl_status status = rl_file_read(
        s->context, s->arena, rl_arena_format(s->arena, "%s/%s", s->share, entry->path), &data, &entry->bytes);
    entry->text = status == RL_OK ? data : NULL;
    return status;
}

static void need(struct search *s, int index)
{
    if (!s->entries[index].is_needed) {
        s->entries[index].is_needed = true;
        s->pending[s->pending_count++] = index;
    }
}

// Needs the file of this path, if there is one.
static bool need_path(struct search *s, const char *path)
{
    for (int i = 0; i < s->count; i++) {
        if (strcmp(s->entries[i].path, path) == 0) {
            need(s, i);
            return true;
        }
    }
    return false;
}

// ---- includes

static void need_include(struct search *s, const char *from, const char *name)
{
    const int folder = (int)(strrchr(from, '/') ? strrchr(from, '/') - from : 0);
    const char *const places[] = {rl_arena_format(s->arena, "%.*s/%s", folder, from, name),
                                  rl_arena_format(s->arena, "kernels/%s", name),
                                  rl_arena_format(s->arena, "include/%s", name), name};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (need_path(s, places[i])) {
            return;
        }
    }
}

// Whether files of this folder of tiles may be compiled for the core, or for a host.
static bool is_for_core(const char *folder, size_t length, enum rl_isa isa)
{
    const struct {
        const char *folder;
        enum rl_isa least;
    } tiles[] = {{"kernels/scalar", RL_ISA_SCALAR},
                 {"kernels/host", RL_ISA_SCALAR},
                 {"kernels/dsp", RL_ISA_DSP},
                 {"kernels/mve", RL_ISA_MVE}};
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        if (strlen(tiles[i].folder) == length && strncmp(tiles[i].folder, folder, length) == 0) {
            return isa >= tiles[i].least;
        }
    }
    return false;
}

// The headers among which a macro of kernels/isa.h chooses: `name` itself in a folder of tiles, or, if it is not a
// file's name, all that start with it, such as name_plain.h.
static void need_chosen(struct search *s, const char *name)
{
    const size_t length = strlen(name);
    const bool is_file = length > 2 && strcmp(name + length - 2, ".h") == 0;
    for (int i = 0; i < s->count; i++) {
        const char *path = s->entries[i].path, *slash = strrchr(path, '/');
        if (!slash || !is_for_core(path, (size_t)(slash - path), s->isa) || strncmp(slash + 1, name, length) != 0) {
            continue;
        }
        if (slash[1 + length] == (is_file ? '\0' : '_')) {
            need(s, i);
        }
    }
}

static void read_include(struct search *s, const char *from, const char *line, const char *end)
{
    char macro[32], name[128];
    const char *start = memchr(line, '"', (size_t)(end - line));
    const char *text = rl_arena_format(s->arena, "%.*s", (int)(end - line), line);
    const char *after = strstr(text, "include") + strlen("include");
    if (start && sscanf(strchr(text, '"'), "\"%127[^\"]\"", name) == 1) {
        need_include(s, from, name);
    } else if (sscanf(after, " %31[A-Z_](%127[^)])", macro, name) == 2) {
        need_chosen(s, name);
    }
}

// ---- functions

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Whether the source defines this name: a line starts with an attribute or its type, but not with "static", and goes on
// with the name and ( or [.
static bool defines(const struct entry *entry, const char *name, size_t length)
{
    const char *line = entry->text;
    while (line && *line) {
        const char *end = strchr(line, '\n'), *stop = end ? end : line + strlen(line);
        const bool may = (isalpha((unsigned char)*line) || *line == '_') && strncmp(line, "static ", 7) != 0;
        for (const char *c = line; may && c + length < stop; c++) {
            const bool starts = c == line || !is_word(c[-1]);
            if (starts && strncmp(c, name, length) == 0 && (c[length] == '(' || c[length] == '[')) {
                return true;
            }
        }
        line = end ? end + 1 : NULL;
    }
    return false;
}

static enum rl_status need_function(struct search *s, const char *name, size_t length)
{
    for (int i = 0; i < s->count; i++) {
        if (!s->entries[i].is_source) {
            continue;
        }
        const enum rl_status status = read_entry(s, &s->entries[i]);
        if (status != RL_OK) {
            return status;
        }
        if (defines(&s->entries[i], name, length)) {
            need(s, i);
        }
    }
    return RL_OK;
}

// The length of a name at the start of `text` that a source may define: rl_pad_run, or RL_MATH(exp) of
// runtime/math/real.h. 0 for others.
static size_t name_length(const char *text, const char *end)
{
    const char *stop = text;
    if (end - text > 8 && strncmp(text, "RL_MATH(", 8) == 0) {
        const char *close = memchr(text, ')', (size_t)(end - text));
        return close ? (size_t)(close + 1 - text) : 0;
    }
    while (stop < end && is_word(*stop)) {
        stop++;
    }
    return end - text > 3 && strncmp(text, "rl_", 3) == 0 ? (size_t)(stop - text) : 0;
}

// Names of public functions and tables in a line that is part of a body or a macro.
static enum rl_status read_names(struct search *s, const char *line, const char *end)
{
    enum rl_status status = RL_OK;
    for (const char *c = line; c < end && status == RL_OK; c++) {
        if (c[0] == '/' && c + 1 < end && c[1] == '/') {
            break;
        }
        const size_t length = c > line && is_word(c[-1]) ? 0 : name_length(c, end);
        if (length > 0) {
            status = need_function(s, c, length);
            c += length - 1;
        }
    }
    return status;
}

static enum rl_status read_file(struct search *s, int index)
{
    struct entry *entry = &s->entries[index];
    enum rl_status status = read_entry(s, entry);
    const char *line = entry->text;
    while (status == RL_OK && line && *line) {
        const char *end = strchr(line, '\n'), *stop = end ? end : line + strlen(line);
        const char *first = line + strspn(line, " \t");
        if (*first == '#' && strncmp(first + 1 + strspn(first + 1, " "), "include", 7) == 0) {
            read_include(s, entry->path, first, stop);
        } else if (first > line || strncmp(line, "#define", 7) == 0) {
            status = read_names(s, first, stop);
        }
        line = end ? end + 1 : NULL;
    }
    return status;
}

// ---- the list

// What programs in C take of the runtime: operators, and functions that need no program.
static bool is_for_direct_calls(const char *library, const char *path)
{
    static const char *const parts[] = {"runtime/operators/", "runtime/math/", "runtime/tensor.c"};
    bool is_part = strcmp(library, "kernels") == 0 || strcmp(library, "direct") == 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        is_part = is_part || strncmp(path, parts[i], strlen(parts[i])) == 0;
    }
    return is_part && strcmp(library, "header") != 0;
}

// Lines of "library path", and of "library path wide" for what is compiled twice. Headers have the library "header".
// Without a library, the sources for programs in C.
static enum rl_status read_list(struct search *s, const char *library)
{
    void *data;
    size_t bytes;
    enum rl_status status =
        rl_file_read(s->context, s->arena, rl_arena_format(s->arena, "%s/sources.txt", s->share), &data, &bytes);
    if (status != RL_OK) {
        return status;
    }
    s->entries = rl_arena_array(s->arena, bytes, sizeof *s->entries);
    char word[32], path[256], wide[8];
    for (char *line = strtok(data, "\n"); line; line = strtok(NULL, "\n")) {
        const int words = sscanf(line, "%31s %255s %7s", word, path, wide);
        if (words >= 2) {
            struct entry *entry = &s->entries[s->count++];
            *entry = (struct entry){.path = rl_arena_string(s->arena, path), .has_wide = words == 3};
            entry->is_source = library ? strcmp(word, library) == 0 : is_for_direct_calls(word, path);
        }
    }
    s->pending = rl_arena_array(s->arena, (size_t)s->count, sizeof *s->pending);
    return RL_OK;
}

// include/rushlight/x.h -> kernels/rushlight/x.h.
static const char *place_of(const struct search *s, const char *folder, const char *path)
{
    const char *slash = folder[0] ? "/" : "";
    if (strncmp(path, "include/", 8) == 0) {
        return rl_arena_format(s->arena, "%s%skernels/%s", folder, slash, path + 8);
    }
    return rl_arena_format(s->arena, "%s%s%s", folder, slash, path);
}

static bool is_there(const struct rl_project_files *files, const char *path)
{
    for (int i = 0; i < files->count; i++) {
        if (strcmp(files->items[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

// The files that are needed, and what those need.
static enum rl_status follow(struct search *s)
{
    enum rl_status status = RL_OK;
    for (int i = 0; i < s->pending_count && status == RL_OK; i++) {
        status = read_file(s, s->pending[i]);
    }
    return status;
}

static void add_once(struct search *s, struct rl_project_files *files, const char *path, const char *text, size_t bytes)
{
    if (!is_there(files, path)) {
        rl_project_add(s->arena, files, path, text, bytes);
    }
}

// A source of the runtime behind the line with its flags and, if it is compiled twice, the file that does it.
static void add_operator_source(struct search *s, const struct entry *entry, const char *path, bool wide,
                                struct rl_project_files *files)
{
    static const char first[] = "#define RL_MESSAGES 0\n#include \"runtime/operators/direct/flags.h\"\n";
    const char *text = rl_arena_format(s->arena, "%s%.*s", first, (int)entry->bytes, entry->text);
    const char *name = strrchr(path, '/') + 1;
    add_once(s, files, path, text, strlen(text));
    if (entry->has_wide && wide) {
        const char *again = rl_arena_format(s->arena, "#define RL_WIDE\n#include \"%s\"\n", name);
        add_once(s, files, rl_arena_format(s->arena, "%.*swide_%s", (int)(name - path), path, name), again,
                 strlen(again));
    }
}

static enum rl_status add_needed(struct search *s, const char *folder, bool wide, struct rl_project_files *files)
{
    enum rl_status status = RL_OK;
    need_path(s, "LICENSE");
    for (int i = 0; i < s->count && status == RL_OK; i++) {
        struct entry *entry = &s->entries[i];
        const bool is_license = strcmp(entry->path, "LICENSE") == 0;
        if (!entry->is_needed) {
            continue;
        }
        const char *path = place_of(s, folder, is_license ? "kernels/LICENSE" : entry->path);
        status = read_entry(s, entry);
        if (status != RL_OK) {
            return status;
        }
        if (s->has_operators && entry->is_source && strncmp(entry->path, "runtime/", 8) == 0) {
            add_operator_source(s, entry, path, wide, files);
        } else {
            add_once(s, files, path, entry->text, entry->bytes);
        }
    }
    return status;
}

enum rl_status rl_sources_add(struct rl_context *context, struct rl_arena *arena, const char *share,
                              const char *library, const char *const *functions, int function_count, enum rl_isa isa,
                              const char *folder, struct rl_project_files *files)
{
    struct search s = {.context = context, .arena = arena, .share = share, .isa = isa};
    enum rl_status status = read_list(&s, library);
    for (int i = 0; i < s.count && !functions && status == RL_OK; i++) {
        if (s.entries[i].is_source) {
            need(&s, i);
        }
    }
    if (functions && status == RL_OK) {
        need_path(&s, "include/rushlight/kernels.h"); // which models include
    }
    for (int i = 0; i < function_count && status == RL_OK; i++) {
        status = need_function(&s, functions[i], strlen(functions[i]));
    }
    if (status == RL_OK) {
        status = follow(&s);
    }
    return status == RL_OK ? add_needed(&s, folder, false, files) : status;
}

enum rl_status rl_sources_add_operators(struct rl_context *context, struct rl_arena *arena, const char *share,
                                        const char *const *operators, int operator_count, enum rl_isa isa,
                                        const char *folder, struct rl_project_files *files)
{
    static const char wide_start[] = "rl_run_wide_", start[] = "rl_run_";
    struct search s = {.context = context, .arena = arena, .share = share, .isa = isa, .has_operators = true};
    bool wide = false;
    enum rl_status status = read_list(&s, NULL);
    if (status == RL_OK) {
        need_path(&s, "include/rushlight/direct.h"); // which models include
        need_path(&s, "runtime/operators/direct/flags.h");
        status = need_function(&s, "rl_direct_call", strlen("rl_direct_call"));
    }
    for (int i = 0; i < operator_count && status == RL_OK; i++) {
        const bool is_wide = strncmp(operators[i], wide_start, strlen(wide_start)) == 0;
        const char *id = operators[i] + strlen(is_wide ? wide_start : start);
        const char *macro = rl_arena_format(arena, "RL_RUN(%s)", id);
        status = need_function(&s, macro, strlen(macro));
        if (status == RL_OK) {
            status = need_function(&s, operators[i], strlen(operators[i]));
        }
        wide = wide || is_wide;
    }
    if (status == RL_OK) {
        status = follow(&s);
    }
    return status == RL_OK ? add_needed(&s, folder, wide, files) : status;
}
