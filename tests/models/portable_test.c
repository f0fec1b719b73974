// SPDX-License-Identifier: Apache-2.0
//
// The operators of ExecuTorch's portable library against PyTorch: each family of tests/fixtures/portable is
// compiled as a float program and run, and so is the same family as ExecuTorch's own exporter wrote it.
// Integers and truth values are equal; floats agree to a few units in the last place.
//
// usage: portable_test [FOLDER FAMILY...]
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compiler/data/npz.h"
#include "compiler/host_program.h"
#include "compiler/pipeline.h"
#include "compiler/support/file.h"

#define RELATIVE 4e-6
#define ABSOLUTE 2e-6

static const char *const families[] = {"compare", "logic",  "choose", "arithmetic", "math",
                                       "reduce",  "index",  "move",   "scan",       "sort",
                                       "resize",  "layers", "create"};

struct records {
    struct rl_array *arrays;
    int count;
    char *labels; // one line an output
};

static const struct rl_array *find(const struct records *records, const char *kind, uint32_t index)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%" PRIu32, kind, index);
    for (int i = 0; i < records->count; i++) {
        if (strcmp(records->arrays[i].name, name) == 0) {
            return &records->arrays[i];
        }
    }
    return NULL;
}

// What output `index` is: its line of FAMILY.txt.
static void print_label(const struct records *records, uint32_t index)
{
    const char *line = records->labels;
    for (; index > 0 && line != NULL; index--) {
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    printf("%.*s", line == NULL ? 1 : (int)strcspn(line, "\n"), line == NULL ? "?" : line);
}

static bool is_close(double found, double expected)
{
    return found == expected || (isnan(found) && isnan(expected)) ||
           fabs(found - expected) <= ABSOLUTE + RELATIVE * fabs(expected);
}

// Index of the first element that differs; -1 when none does.
static int64_t first_difference(const struct rl_array *expected, const void *found)
{
    const size_t size = rl_scalar_size((int)expected->dtype);
    for (int64_t i = 0; i < rl_array_numel(expected); i++) {
        const size_t at = (size_t)i * size;
        const bool same =
            expected->dtype == RL_FLOAT32
                ? is_close((double)((const float *)found)[i], (double)((const float *)expected->data)[i])
                : memcmp((const char *)found + at, (const char *)expected->data + at, size) == 0;
        if (!same) {
            return i;
        }
    }
    return -1;
}

static double element(const struct rl_array *array, const void *data, int64_t index)
{
    double number = 0;
    int64_t bad;
    rl_convert_elements(array->dtype, (const char *)data + (size_t)index * rl_scalar_size((int)array->dtype),
                        RL_FLOAT64, &number, 1, &bad);
    return number;
}

static bool check_output(struct rl_context *context, struct rl_arena *arena, struct rl_host_program *program,
                         const struct records *records, uint32_t index)
{
    const struct rl_array *expected = find(records, "output", index);
    struct rl_tensor tensor;
    if (expected == NULL || rl_method_output(&program->method, index, &tensor) != RL_OK) {
        printf("%s: output %" PRIu32 " is no recorded tensor\n", program->source, index);
        return false;
    }
    const size_t bytes = (size_t)rl_array_numel(expected) * rl_scalar_size((int)expected->dtype);
    void *found = rl_arena_alloc(arena, bytes);
    bool same_shape = tensor.dtype == expected->dtype && tensor.rank == expected->rank;
    for (int i = 0; same_shape && i < expected->rank; i++) {
        same_shape = tensor.sizes[i] == expected->sizes[i];
    }
    if (!same_shape || rl_host_program_get_output(context, program, index, found, bytes) != RL_OK) {
        printf("%s: output %" PRIu32 " (", program->source, index);
        print_label(records, index);
        printf(") has another type or shape\n");
        return false;
    }
    const int64_t at = first_difference(expected, found);
    if (at >= 0) {
        printf("%s: output %" PRIu32 " (", program->source, index);
        print_label(records, index);
        printf("): element %" PRId64 ": expected %.9g, found %.9g\n", at,
               element(expected, expected->data, at), element(expected, found, at));
    }
    return at < 0;
}

static bool fail(const struct rl_context *context)
{
    printf("%s\n", context->message);
    return false;
}

static bool check_program(struct rl_context *context, struct rl_arena *arena, const char *source,
                          const void *file, size_t size, const struct records *records)
{
    struct rl_host_program program;
    if (rl_host_program_open(context, arena, source, file, size, NULL, 0, &program) != RL_OK) {
        return fail(context);
    }
    for (uint32_t i = 0; i < rl_method_input_count(&program.method); i++) {
        const struct rl_array *input = find(records, "input", i);
        const size_t bytes =
            input == NULL ? 0 : (size_t)rl_array_numel(input) * rl_scalar_size((int)input->dtype);
        if (input == NULL || rl_host_program_set_input(context, &program, i, input->data, bytes) != RL_OK) {
            printf("%s: input %" PRIu32 " is not recorded: %s\n", source, i, context->message);
            return false;
        }
    }
    if (rl_host_program_execute(context, &program) != RL_OK) {
        return fail(context);
    }
    bool good = rl_method_output_count(&program.method) > 0;
    for (uint32_t i = 0; i < rl_method_output_count(&program.method); i++) {
        good = check_output(context, arena, &program, records, i) && good;
    }
    return good;
}

static bool check_compiled(struct rl_context *context, struct rl_arena *arena, const char *path,
                           const struct records *records)
{
    struct rl_compile_options options = {.model = path, .quantization = RL_QUANTIZE_NONE};
    struct rl_compiled compiled;
    if (rl_target_parse(context, "any", &options.target) != RL_OK ||
        rl_compile(context, arena, &options, &compiled) != RL_OK) {
        return fail(context);
    }
    return check_program(context, arena, path, compiled.emitted.file, compiled.emitted.size, records);
}

static bool check_family(const char *folder, const char *family)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct records records;
    void *file;
    size_t size;
    char path[4][512];
    static const char *const endings[] = {"npz", "txt", "pt2", "pte"};
    for (int i = 0; i < 4; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s.%s", folder, family, endings[i]);
    }
    bool good = false;
    if (rl_npz_read(&context, &arena, path[0], &records.arrays, &records.count) != RL_OK ||
        rl_file_read(&context, &arena, path[1], &file, &size) != RL_OK) {
        fail(&context);
    } else {
        records.labels = rl_arena_format(&arena, "%.*s", (int)size, (const char *)file);
        good = check_compiled(&context, &arena, path[2], &records);
        context.message[0] = '\0';
        if (access(path[3], R_OK) == 0) {
            good = rl_file_read(&context, &arena, path[3], &file, &size) == RL_OK &&
                   check_program(&context, &arena, path[3], file, size, &records) && good;
        }
    }
    rl_arena_free(&arena);
    printf("%s %s\n", good ? "ok    " : "FAILED", family);
    return good;
}

int main(int argc, char **argv)
{
    int failures = 0;
    for (int i = 2; i < argc; i++) {
        failures += check_family(argv[1], argv[i]) ? 0 : 1;
    }
    for (size_t i = 0; argc < 2 && i < sizeof families / sizeof families[0]; i++) {
        failures += check_family(RL_FIXTURES "/portable", families[i]) ? 0 : 1;
    }
    return failures > 0;
}
