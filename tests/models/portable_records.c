// SPDX-License-Identifier: Apache-2.0
#include "portable_records.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compiler/support/file.h"

// Relative and absolute differences that count as equal.
struct tolerance {
    double relative, absolute;
};

bool records_read(struct rl_arena *arena, const char *folder, const char *family, struct records *records)
{
    struct rl_context context = {0};
    const char *arrays = rl_arena_format(arena, "%s/%s.npz", folder, family);
    const char *labels = rl_arena_format(arena, "%s/%s.txt", folder, family);
    void *text;
    size_t size;
    if (rl_npz_read(&context, arena, arrays, &records->arrays, &records->count) != RL_OK ||
        rl_file_read(&context, arena, labels, &text, &size) != RL_OK) {
        printf("%s\n", context.message);
        return false;
    }
    records->labels = rl_arena_format(arena, "%.*s", (int)size, (const char *)text);
    return true;
}

const struct rl_array *records_find(const struct records *records, const char *kind, uint32_t index)
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
    for (; index > 0 && line; index--) {
        line = strchr(line, '\n');
        line = !line ? NULL : line + 1;
    }
    printf("%.*s", !line ? 1 : (int)strcspn(line, "\n"), !line ? "?" : line);
}

static double element(const struct rl_array *array, const void *data, int64_t index)
{
    double number = 0;
    int64_t bad;
    rl_convert_elements(array->dtype, (const char *)data + (size_t)index * rl_scalar_size((int)array->dtype),
                        RL_FLOAT64, &number, 1, &bad);
    return number;
}

static bool is_close(double found, double expected, const struct tolerance *tolerance)
{
    return found == expected || (isnan(found) && isnan(expected)) ||
           fabs(found - expected) <= tolerance->absolute + tolerance->relative * fabs(expected);
}

// Floats that were summed up in another order may differ in their last bits.
static bool is_same(const struct rl_array *expected, const void *found, int64_t index)
{
    static const struct tolerance tolerances[] = {
        [RL_FLOAT16] = {2e-3, 2e-6}, [RL_FLOAT32] = {4e-6, 2e-6}, [RL_FLOAT64] = {1e-14, 1e-14}};
    const size_t size = rl_scalar_size((int)expected->dtype), at = (size_t)index * size;
    const size_t dtype = expected->dtype;
    if (dtype >= sizeof tolerances / sizeof tolerances[0] || tolerances[dtype].relative == 0) {
        return memcmp((const char *)found + at, (const char *)expected->data + at, size) == 0;
    }
    return is_close(element(expected, found, index), element(expected, expected->data, index), &tolerances[dtype]);
}

// Index of the first element that differs; -1 when none does.
static int64_t first_difference(const struct rl_array *expected, const void *found)
{
    for (int64_t i = 0; i < rl_array_numel(expected); i++) {
        if (!is_same(expected, found, i)) {
            return i;
        }
    }
    return -1;
}

bool records_match(const struct records *records, const char *source, uint32_t index, const void *found)
{
    const struct rl_array *expected = records_find(records, "output", index);
    const int64_t at = first_difference(expected, found);
    if (at >= 0) {
        printf("%s: output %" PRIu32 " (", source, index);
        print_label(records, index);
        printf("): element %" PRId64 ": expected %.9g, found %.9g\n", at, element(expected, expected->data, at),
               element(expected, found, at));
    }
    return at < 0;
}
