// SPDX-License-Identifier: Apache-2.0
#include "compiler/data/files.h"

#include <dirent.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler/data/npy.h"
#include "compiler/data/npz.h"
#include "compiler/media/media.h"
#include "compiler/support/memory_files.h"

struct file_list {
    const char **paths;
    int64_t *classes;
    int count, capacity;
    int64_t number; // of the class to which the next files belong; -1: none
};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    const size_t end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static void append(struct rl_arena *arena, struct file_list *list, const char *path)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        const char **longer = rl_arena_array(arena, (size_t)list->capacity, sizeof *longer);
        int64_t *classes = rl_arena_array(arena, (size_t)list->capacity, sizeof *classes);
        if (list->count > 0) {
            memcpy(longer, list->paths, (size_t)list->count * sizeof *longer);
            memcpy(classes, list->classes, (size_t)list->count * sizeof *classes);
        }
        list->paths = longer;
        list->classes = classes;
    }
    list->classes[list->count] = list->number;
    list->paths[list->count++] = path;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_array_file(const char *name)
{
    return ends_with(name, ".npz") || ends_with(name, ".npy");
}

// Tables in a folder of images are mostly about them, not samples.
static bool is_sample_file(const char *name)
{
    const enum rl_media_kind kind = rl_media_kind(name);
    return kind == RL_MEDIA_IMAGE || kind == RL_MEDIA_RECORDING;
}

static bool is_class_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct stat information;
    return slash[1] != '.' && stat(path, &information) == 0 && S_ISDIR(information.st_mode);
}

// The paths of all that is in a folder, sorted by name.
static enum rl_status list_folder(struct rl_context *context, struct rl_arena *arena, const char *folder,
                                  struct file_list *list)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, NULL);
    if (count < 0) {
        return rl_fail(context, RL_ERROR_IO, "%s: cannot read the folder: %s", folder, strerror(errno));
    }
    const char *slash = ends_with(folder, "/") ? "" : "/";
    for (int i = 0; i < count; i++) {
        append(arena, list, rl_arena_format(arena, "%s%s%s", folder, slash, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    qsort(list->paths, (size_t)list->count, sizeof *list->paths, compare_paths);
    return RL_OK;
}

static void append_files(struct rl_arena *arena, const struct file_list *entries, bool (*is_wanted)(const char *name),
                         struct file_list *list)
{
    for (int i = 0; i < entries->count; i++) {
        if (is_wanted(entries->paths[i])) {
            append(arena, list, entries->paths[i]);
        }
    }
}

static enum rl_status refuse_folder(struct rl_context *context, const char *folder, const char *others)
{
    return rl_fail(context, RL_ERROR_IO, "%s: the folder has %sno image (.png, .jpg) and no recording (.wav)", folder,
                   others);
}

static enum rl_status append_class(struct rl_context *context, struct rl_arena *arena, const char *folder,
                                   struct file_list *list)
{
    struct file_list entries = {0};
    const enum rl_status status = list_folder(context, arena, folder, &entries);
    if (status != RL_OK) {
        return status;
    }
    const int first = list->count;
    append_files(arena, &entries, is_sample_file, list);
    return list->count > first ? RL_OK : refuse_folder(context, folder, "");
}

static enum rl_status append_classes(struct rl_context *context, struct rl_arena *arena,
                                     const struct file_list *entries, struct file_list *list)
{
    enum rl_status status = RL_OK;
    for (int i = 0; i < entries->count && status == RL_OK; i++) {
        if (is_class_folder(entries->paths[i])) {
            list->number++;
            status = append_class(context, arena, entries->paths[i], list);
        }
    }
    list->number = -1;
    return status;
}

static enum rl_status append_folder(struct rl_context *context, struct rl_arena *arena, const char *folder,
                                    struct file_list *list)
{
    struct file_list entries = {0};
    enum rl_status status = list_folder(context, arena, folder, &entries);
    if (status != RL_OK) {
        return status;
    }
    const int first = list->count;
    append_files(arena, &entries, is_array_file, list);
    if (list->count == first) {
        append_files(arena, &entries, is_sample_file, list);
    }
    if (list->count == first) {
        status = append_classes(context, arena, &entries, list);
    }
    return list->count > first || status != RL_OK ? status : refuse_folder(context, folder, "no .npz or .npy file, ");
}

enum rl_status rl_data_files(struct rl_context *context, struct rl_arena *arena, const char *const *paths,
                             int path_count, struct rl_data_files *files)
{
    struct file_list list = {.number = -1};
    enum rl_status status = RL_OK;
    for (int i = 0; i < path_count && status == RL_OK; i++) {
        struct stat information;
        if (rl_memory_file_find(context, paths[i])) {
            append(arena, &list, paths[i]);
        } else if (stat(paths[i], &information) != 0) {
            status = rl_fail(context, RL_ERROR_IO, "%s: cannot open: %s", paths[i], strerror(errno));
        } else if (S_ISDIR(information.st_mode)) {
            status = append_folder(context, arena, paths[i], &list);
        } else {
            append(arena, &list, paths[i]);
        }
    }
    *files = (struct rl_data_files){list.paths, list.classes, list.count};
    return status;
}

enum rl_status rl_data_list(struct rl_context *context, struct rl_arena *arena, const char *path,
                            struct rl_array **arrays, int *count)
{
    if (ends_with(path, ".npz")) {
        return rl_npz_list(context, arena, path, arrays, count);
    }
    if (ends_with(path, ".npy")) {
        *arrays = rl_arena_array(arena, 1, sizeof **arrays);
        *count = 1;
        return rl_npy_list(context, arena, path, *arrays);
    }
    if (rl_media_kind(path) != RL_MEDIA_NONE) {
        *arrays = rl_arena_array(arena, 1, sizeof **arrays);
        *count = 1;
        return rl_media_list(context, arena, path, *arrays);
    }
    return rl_fail(context, RL_ERROR_FORMAT,
                   "%s: unknown kind of data; accepted: .npz, .npy, .png, .jpg, .wav, .csv, or a folder of files",
                   path);
}

static bool is_medium(const struct rl_array *array)
{
    return !array->file.member && rl_media_kind(array->file.path) != RL_MEDIA_NONE;
}

enum rl_status rl_data_describe(struct rl_context *context, struct rl_arena *arena, const struct rl_tensor_type *type,
                                struct rl_array *arrays, int count)
{
    if (count == 0 || !arrays->file.path) {
        return RL_OK;
    }
    if (is_medium(arrays)) {
        return rl_media_describe(context, type, arrays);
    }
    return arrays->file.member ? rl_npz_describe(context, arena, arrays, count)
                               : rl_npy_describe(context, arena, arrays);
}

static bool same_type(const struct rl_array *a, const struct rl_array *b)
{
    const bool same_sizes = a->rank == b->rank && memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof *a->sizes) == 0;
    return same_sizes && a->dtype == b->dtype && !b->skipped;
}

static enum rl_status load(struct rl_context *context, struct rl_arena *arena, const struct rl_tensor_type *type,
                           struct rl_array *array)
{
    if (is_medium(array)) {
        return rl_media_load(context, arena, type, array);
    }
    return array->file.member ? rl_npz_load(context, arena, array, 1)
                              : rl_npy_read(context, arena, array->file.path, array);
}

enum rl_status rl_data_load(struct rl_context *context, struct rl_arena *arena, const struct rl_tensor_type *type,
                            struct rl_array *array)
{
    const struct rl_array described = *array;
    const enum rl_status status = load(context, arena, type, array);
    if (status == RL_OK && !same_type(&described, array)) {
        return rl_fail(context, RL_ERROR_IO, "%s: array '%s' has changed while it was read", described.file.path,
                       array->name);
    }
    return status;
}
