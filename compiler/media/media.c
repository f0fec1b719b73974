// SPDX-License-Identifier: Apache-2.0
#include "compiler/media/media.h"

#include <setjmp.h>
#include <string.h>
#include <strings.h>

#include "compiler/media/exif.h"
#include "compiler/media/formats.h"
#include "compiler/support/file.h"

static const struct {
    const char *ending;
    enum rl_media_kind kind;
} endings[] = {{".png", RL_MEDIA_IMAGE},
               {".jpg", RL_MEDIA_IMAGE},
               {".jpeg", RL_MEDIA_IMAGE},
               {".wav", RL_MEDIA_RECORDING},
               {".csv", RL_MEDIA_TABLE}};

static const struct {
    enum rl_status (*measure)(const struct rl_media_work *work, int64_t *samples);
    enum rl_status (*make)(const struct rl_media_work *work, int64_t samples, void *elements);
} readers[] = {
    [RL_MEDIA_IMAGE] = {rl_picture_measure, rl_picture_make},
    [RL_MEDIA_RECORDING] = {rl_wav_measure, rl_wav_make},
    [RL_MEDIA_TABLE] = {rl_table_measure, rl_table_make},
};

enum rl_media_kind rl_media_kind(const char *path)
{
    const size_t length = strlen(path);

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t end = strlen(endings[i].ending);
        if (length >= end && strcasecmp(path + length - end, endings[i].ending) == 0) {
            return endings[i].kind;
        }
    }
    return RL_MEDIA_NONE;
}

// ---- what the kinds share

const char *rl_media_type_text(const struct rl_media_work *work)
{
    return rl_type_text(work->arena, work->type);
}

enum rl_status rl_media_check_norm(const struct rl_media_work *work, int channels, const char *what)
{
    const int counts[] = {work->preparation->mean_count, work->preparation->deviation_count};

    for (int i = 0; i < 2; i++) {
        if (counts[i] > 1 && counts[i] != channels) {
            return rl_fail(
                work->context, RL_ERROR_ARGUMENT, "%s: %s has %d numbers, but there %s %d %s%s; accepted: 1%s",
                work->path, i == 0 ? "--mean" : "--std", counts[i], channels == 1 ? "is" : "are", channels, what,
                channels == 1 ? "" : "s", channels > 1 ? rl_arena_format(work->arena, " or %d", channels) : "");
        }
    }
    return RL_OK;
}

static float chosen(const double *numbers, int count, int channel, float fallback)
{
    if (count == 0) {
        return fallback;
    }
    return (float)numbers[count > 1 ? channel : 0];
}

float rl_media_normalize(const struct rl_preparation *preparation, int channel, float element)
{
    const float mean = chosen(preparation->mean, preparation->mean_count, channel, 0);
    const float deviation = chosen(preparation->deviation, preparation->deviation_count, channel, 1);

    return (element - mean) / deviation;
}

int64_t rl_media_margin(int64_t length, int64_t kept)
{
    const int64_t rest = length - kept, half = rest / 2;

    return rest % 2 != 0 && half % 2 != 0 ? half + 1 : half; // Python's round: half to even
}

// ---- files

enum rl_status rl_media_list(struct rl_context *context, struct rl_arena *arena, const char *path,
                             struct rl_array *array)
{
    const char *slash = strrchr(path, '/');
    char *name = rl_arena_string(arena, slash ? slash + 1 : path);
    uint64_t bytes;
    const enum rl_status status = rl_file_size(context, path, &bytes);

    char *ending = strrchr(name, '.'); // every kind has one
    *ending = '\0';
    if (strcmp(name, "label") == 0 || strcmp(name, "labels") == 0) {
        *ending = '.'; // those names are kept for labels of an .npz
    }
    *array = (struct rl_array){.name = name, .file = {.path = path, .bytes = bytes, .file_bytes = bytes}};
    return status;
}

static enum rl_scalar_type element_type(const struct rl_tensor_type *type, enum rl_media_kind kind)
{
    return kind == RL_MEDIA_IMAGE && type->dtype == RL_UINT8 ? RL_UINT8 : RL_FLOAT32;
}

static enum rl_status measure(const struct rl_media_work *work, enum rl_media_kind kind, struct rl_array *array)
{
    const struct rl_tensor_type *type = work->type;
    int64_t samples;

    if (type->rank >= RL_MAX_RANK) {
        return rl_fail(work->context, RL_ERROR_UNSUPPORTED, "%s: the input takes %s; accepted: fewer dimensions",
                       work->path, rl_media_type_text(work));
    }
    const enum rl_status status = readers[kind].measure(work, &samples);
    if (status == RL_OK) {
        array->is_turned = kind == RL_MEDIA_IMAGE && rl_exif_asks_for_turn(work->bytes, work->size);
        array->dtype = element_type(type, kind);
        array->rank = type->rank + 1;
        array->sizes[0] = samples;
        memcpy(array->sizes + 1, type->sizes, (size_t)type->rank * sizeof *type->sizes);
    }
    return status;
}

static enum rl_status make(const struct rl_media_work *work, enum rl_media_kind kind, struct rl_array *array)
{
    const size_t count = (size_t)rl_array_numel(array);
    void *elements = rl_arena_array(work->arena, count, rl_scalar_size((int)array->dtype));
    const enum rl_status status = readers[kind].make(work, array->sizes[0], elements);

    array->data = elements;
    return status;
}

static struct rl_media_work start(struct rl_context *context, struct rl_arena *arena, const char *path,
                                  const struct rl_tensor_type *type)
{
    static const struct rl_preparation none = {0};

    return (struct rl_media_work){.context = context,
                                  .arena = arena,
                                  .preparation = context->preparation ? context->preparation : &none,
                                  .path = path,
                                  .type = type};
}

static enum rl_status read_file(struct rl_media_work *work)
{
    void *bytes = NULL;
    const enum rl_status status = rl_file_read(work->context, work->arena, work->path, &bytes, &work->size);

    work->bytes = bytes;
    return status;
}

static enum rl_status describe(struct rl_media_work *work, struct rl_array *array)
{
    const enum rl_status status = read_file(work);

    return status == RL_OK ? measure(work, rl_media_kind(work->path), array) : status;
}

static enum rl_status describe_guarded(struct rl_media_work *work, struct rl_array *array)
{
    jmp_buf here;

    work->arena->out_of_memory = &here;
    if (setjmp(here) == 0) {
        return describe(work, array);
    }
    return rl_fail(work->context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", work->path);
}

// A folder may have many files, none of which stays in memory.
enum rl_status rl_media_describe(struct rl_context *context, const struct rl_tensor_type *type, struct rl_array *array)
{
    struct rl_arena own = {0};
    struct rl_media_work work = start(context, &own, array->file.path, type);
    const enum rl_status status = describe_guarded(&work, array);

    rl_arena_free(&own);
    return status;
}

enum rl_status rl_media_load(struct rl_context *context, struct rl_arena *arena, const struct rl_tensor_type *type,
                             struct rl_array *array)
{
    struct rl_media_work work = start(context, arena, array->file.path, type);
    enum rl_status status = read_file(&work);

    if (status == RL_OK) {
        status = measure(&work, rl_media_kind(work.path), array);
    }
    if (status == RL_OK) {
        status = make(&work, rl_media_kind(work.path), array);
    }
    rl_arena_release(arena, work.bytes);
    return status;
}

enum rl_status rl_media_parse(struct rl_context *context, struct rl_arena *arena, enum rl_media_kind kind,
                              const char *place, const void *bytes, size_t size, const struct rl_tensor_type *type,
                              struct rl_array *array)
{
    struct rl_media_work work = start(context, arena, place, type);

    *array = (struct rl_array){.name = place};
    work.bytes = bytes;
    work.size = size;
    const enum rl_status status = measure(&work, kind, array);
    return status == RL_OK ? make(&work, kind, array) : status;
}

// ---- options

static bool has_kind(const char *const *files, int count, enum rl_media_kind kind)
{
    for (int i = 0; i < count; i++) {
        if (rl_media_kind(files[i]) == kind) {
            return true;
        }
    }
    return false;
}

enum rl_status rl_media_check(struct rl_context *context, const char *const *files, int count)
{
    const struct rl_preparation *preparation = context->preparation;
    if (!preparation || count == 0) {
        return RL_OK;
    }
    const bool images = has_kind(files, count, RL_MEDIA_IMAGE), tables = has_kind(files, count, RL_MEDIA_TABLE);
    const bool recordings = has_kind(files, count, RL_MEDIA_RECORDING), any = images || tables || recordings;
    const struct {
        const char *option, *kinds;
        bool is_wrong;
    } uses[] = {
        {"--resize", "images", preparation->resize != RL_RESIZE_NONE && !images},
        {"--crop", "images and recordings", preparation->crops && !images && !recordings},
        {"--pad", "recordings", preparation->pads && !recordings},
        {"--rate", "recordings", preparation->rate > 0 && !recordings},
        {"--mean", "images, recordings and tables", preparation->mean_count > 0 && !any},
        {"--std", "images, recordings and tables", preparation->deviation_count > 0 && !any},
    };
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        if (uses[i].is_wrong) {
            return rl_fail(context, RL_ERROR_ARGUMENT, "%s: %s is for %s, and there is none among the data", files[0],
                           uses[i].option, uses[i].kinds);
        }
    }
    return RL_OK;
}
