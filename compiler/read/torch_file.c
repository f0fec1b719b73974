// SPDX-License-Identifier: Apache-2.0
#include "compiler/read/torch_file.h"

#include <string.h>

enum { MAX_BYTES = 1 << 30, MAX_PICKLE = 1 << 24, MAX_MARK = 16 };

static enum rl_status find_prefix(struct rl_torch_file *file)
{
    static const char mark[] = "data.pkl";
    for (long long i = 0; i < rl_zip_count(&file->zip); i++) {
        const char *name = rl_zip_name(&file->zip, i);
        const size_t length = name ? strlen(name) : 0;
        if (length >= strlen(mark) && strcmp(name + length - strlen(mark), mark) == 0) {
            file->prefix = rl_arena_format(file->arena, "%.*s", (int)(length - strlen(mark)), name);
            return RL_OK;
        }
    }
    return rl_fail(file->context, RL_ERROR_FORMAT, "%s: no member 'data.pkl'; accepted: a file of torch.save",
                   file->place);
}

static enum rl_status check_byte_order(struct rl_torch_file *file)
{
    static const char little[] = "little";
    const char *name = rl_arena_format(file->arena, "%sbyteorder", file->prefix);
    if (!rl_zip_has(&file->zip, name)) {
        return RL_OK;
    }
    void *data;
    size_t size;
    const enum rl_status status = rl_zip_read(&file->zip, name, MAX_MARK, &data, &size);
    if (status == RL_OK && (size != strlen(little) || memcmp(data, little, size) != 0)) {
        return rl_fail(file->context, RL_ERROR_UNSUPPORTED, "%s: its byte order is not 'little'", file->place);
    }
    return status;
}

enum rl_status rl_torch_file_open(struct rl_archive *archive, const char *member, struct rl_torch_file *file,
                                  struct rl_pickle_item **item)
{
    struct rl_arena *arena = archive->zip.arena;
    *file = (struct rl_torch_file){.context = archive->zip.context,
                                   .arena = arena,
                                   .place = rl_arena_format(arena, "%s: %s", archive->zip.path, member),
                                   .storages.arena = arena};
    void *data;
    size_t size;
    enum rl_status status = rl_archive_read(archive, member, MAX_BYTES, &data, &size);
    if (status == RL_OK) {
        status = rl_zip_open_memory(file->context, arena, data, size, file->place, &archive->zip, &file->zip);
    }
    if (status == RL_OK) {
        status = find_prefix(file);
    }
    if (status == RL_OK) {
        status = check_byte_order(file);
    }
    if (status == RL_OK) {
        const char *name = rl_arena_format(arena, "%sdata.pkl", file->prefix);
        status = rl_zip_read(&file->zip, name, MAX_PICKLE, &data, &size);
    }
    return status == RL_OK ? rl_pickle_read(file->context, arena, file->place, data, size, item) : status;
}

void rl_torch_file_close(struct rl_torch_file *file)
{
    rl_zip_close(&file->zip);
}

enum rl_status rl_torch_file_tensor(struct rl_torch_file *file, const char *name, const struct rl_pickle_item *item,
                                    struct rl_pt2_tensor *tensor, const struct rl_pt2_storage **storage)
{
    *tensor = (struct rl_pt2_tensor){.type = item->type, .offset = item->offset};
    memcpy(tensor->strides, item->strides, sizeof tensor->strides);
    if (!rl_pt2_check_tensor(tensor)) {
        return rl_fail(file->context, RL_ERROR_FORMAT, "%s: '%s': its sizes, strides or offset are impossible",
                       file->place, name);
    }
    const char *member = rl_arena_format(file->arena, "%sdata/%s", file->prefix, item->string);
    const enum rl_status status = rl_pt2_read_storage(&file->zip, member, &file->storages, storage);
    if (status == RL_OK && !rl_pt2_fits_storage(tensor, (*storage)->size)) {
        return rl_fail(file->context, RL_ERROR_FORMAT, "%s: '%s': needs more than the %zu bytes that are stored",
                       file->place, name, (*storage)->size);
    }
    return status;
}
