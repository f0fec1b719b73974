// SPDX-License-Identifier: Apache-2.0
//
// The last step of scripts/demo: draws some test digits with the model's answers, and sums up the results that the
// commands before it wrote to a folder.
//
//   rushlight_digits TEST.npz FOLDER CORE...
//
// FOLDER holds compile.json and evaluate.json, and for each core CORE.npz (outputs) and CORE.json (figures), as
// `rushlight ... --json` writes them; the first core is the one that others are compared with.
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compiler/data/npz.h"

enum { SIDE = 8, CLASSES = 10, PER_ROW = 4, DRAWN = 8 };

struct digits {
    int64_t count;
    const float *images;   // count * SIDE * SIDE, 0..1
    const int64_t *labels; // count
};

static const struct rl_array *find(const struct rl_array *arrays, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(arrays[i].name, name) == 0) {
            return &arrays[i];
        }
    }
    return NULL;
}

static enum rl_status read_digits(struct rl_context *context, struct rl_arena *arena, const char *path,
                                  struct digits *digits)
{
    struct rl_array *arrays;
    int count;
    enum rl_status status = rl_npz_read(context, arena, path, &arrays, &count);
    if (status != RL_OK) {
        return status;
    }
    const struct rl_array *images = find(arrays, count, "image"), *labels = find(arrays, count, "labels");
    if (!images || !labels || images->dtype != RL_FLOAT32 || labels->dtype != RL_INT64 ||
        rl_array_numel(images) != rl_array_numel(labels) * SIDE * SIDE) {
        return rl_fail(context, RL_ERROR_TYPE, "%s: expected 'image' float32 [N, 1, 8, 8] and 'labels' int64 [N]",
                       path);
    }
    *digits = (struct digits){rl_array_numel(labels), images->data, labels->data};
    return RL_OK;
}

// The model's outputs on one core, `count` * CLASSES logits.
static enum rl_status read_logits(struct rl_context *context, struct rl_arena *arena, const char *folder,
                                  const char *core, int64_t count, const float **logits)
{
    const char *path = rl_arena_format(arena, "%s/%s.npz", folder, core);
    struct rl_array *arrays;
    int array_count;
    enum rl_status status = rl_npz_read(context, arena, path, &arrays, &array_count);
    if (status != RL_OK) {
        return status;
    }
    if (array_count != 1 || arrays[0].dtype != RL_FLOAT32 || rl_array_numel(&arrays[0]) != count * CLASSES) {
        return rl_fail(context, RL_ERROR_TYPE, "%s: expected one float32 array of %" PRId64 " x %d", path, count,
                       CLASSES);
    }
    *logits = arrays[0].data;
    return RL_OK;
}

static int answer(const float *logits)
{
    int best = 0;
    for (int i = 1; i < CLASSES; i++) {
        best = logits[i] > logits[best] ? i : best;
    }
    return best;
}

static char ink(float darkness)
{
    static const char ramp[] = " .:-=+*#%@";
    return ramp[(int)(fminf(fmaxf(darkness, 0.0f), 1.0f) * 9.0f + 0.5f)];
}

static void draw_row(const struct digits *digits, const int64_t *shown, int count, const float *logits)
{
    for (int y = 0; y < SIDE; y++) {
        for (int i = 0; i < count; i++) {
            printf("  ");
            for (int x = 0; x < SIDE; x++) {
                const char c = ink(digits->images[(shown[i] * SIDE + y) * SIDE + x]);
                printf("%c%c", c, c);
            }
        }
        printf("\n");
    }
    for (int i = 0; i < count; i++) {
        const int given = answer(logits + shown[i] * CLASSES);
        const bool right = given == digits->labels[shown[i]];
        printf("   model: %d %-8s", given, right ? "" : "(wrong)");
    }
    printf("\n\n");
}

// Draws the first mistakes, and then the first digits of the test set.
static void draw(const struct digits *digits, const float *logits)
{
    int64_t shown[DRAWN];
    int count = 0;
    for (int64_t i = 0; i < digits->count && count < 1; i++) {
        if (answer(logits + i * CLASSES) != digits->labels[i]) {
            shown[count++] = i;
        }
    }
    for (int64_t i = 0; i < digits->count && count < DRAWN; i++) {
        if (answer(logits + i * CLASSES) == digits->labels[i]) {
            shown[count++] = i;
        }
    }
    for (int first = 0; first < count; first += PER_ROW) {
        draw_row(digits, shown + first, count - first < PER_ROW ? count - first : PER_ROW, logits);
    }
}

static json_t *read_json(struct rl_context *context, struct rl_arena *arena, const char *folder, const char *name)
{
    const char *path = rl_arena_format(arena, "%s/%s.json", folder, name);
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    if (!json) {
        rl_fail(context, RL_ERROR_FORMAT, "%s:%d: %s", path, error.line, error.text);
    }
    return json;
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static enum rl_status print_model(struct rl_context *context, struct rl_arena *arena, const char *folder)
{
    json_t *compile = read_json(context, arena, folder, "compile");
    json_t *evaluate = read_json(context, arena, folder, "evaluate");
    if (compile && evaluate) {
        printf("accuracy on %.0f held-out digits   float %.4f   int8 %.4f\n", number(evaluate, "samples"),
               number(evaluate, "top1_float"), number(evaluate, "top1_quantized"));
        printf("program %.0f bytes, of which constants %.0f   arena %.0f bytes   compiled in %.2f s\n\n",
               number(compile, "program_bytes"), number(compile, "constant_bytes"), number(compile, "arena_bytes"),
               number(compile, "seconds"));
    }
    json_decref(compile);
    json_decref(evaluate);
    return compile && evaluate ? RL_OK : RL_ERROR_FORMAT;
}

static enum rl_status print_core(struct rl_context *context, struct rl_arena *arena, const char *folder,
                                 const char *core, bool same)
{
    json_t *run = read_json(context, arena, folder, core);
    if (!run) {
        return RL_ERROR_FORMAT;
    }
    const json_t *instructions = json_object_get(run, "instructions");
    if (json_is_integer(instructions)) {
        printf("  %-12s %12" PRId64 "     %s\n", core, (int64_t)json_integer_value(instructions),
               same ? "identical" : "DIFFERENT");
    } else {
        printf("  %-12s %12s     %s\n", core, "native", same ? "identical" : "DIFFERENT");
    }
    json_decref(run);
    return RL_OK;
}

static enum rl_status show(struct rl_context *context, struct rl_arena *arena, const char *test, const char *folder,
                           char **cores, int core_count, bool *all_same)
{
    struct digits digits = {.count = 0};
    const float *reference = NULL, *logits = NULL;
    enum rl_status status = read_digits(context, arena, test, &digits);
    if (status == RL_OK) {
        status = read_logits(context, arena, folder, cores[0], digits.count, &reference);
    }
    if (status != RL_OK) {
        return status;
    }
    draw(&digits, reference);
    status = print_model(context, arena, folder);
    printf("  core         instructions     outputs on all %" PRId64 " digits\n", digits.count);
    *all_same = true;
    for (int i = 0; i < core_count && status == RL_OK; i++) {
        status = read_logits(context, arena, folder, cores[i], digits.count, &logits);
        if (status == RL_OK) {
            const size_t bytes = (size_t)digits.count * CLASSES * sizeof *logits;
            const bool same = memcmp(reference, logits, bytes) == 0;
            *all_same = *all_same && same;
            status = print_core(context, arena, folder, cores[i], same);
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: rushlight_digits TEST.npz FOLDER CORE...\n");
        return 2;
    }
    struct rl_context context = {.log = NULL};
    struct rl_arena arena = {.blocks = NULL};
    bool all_same = false;
    const enum rl_status status = show(&context, &arena, argv[1], argv[2], argv + 3, argc - 3, &all_same);
    if (status != RL_OK) {
        fprintf(stderr, "rushlight_digits: %s\n", context.message[0] ? context.message : rl_status_text(status));
    } else if (!all_same) {
        fprintf(stderr, "rushlight_digits: the cores do not agree\n");
    }
    rl_arena_free(&arena);
    return status == RL_OK && all_same ? 0 : 1;
}
