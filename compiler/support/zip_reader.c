// SPDX-License-Identifier: Apache-2.0
#include "compiler/support/zip_reader.h"

#include <zip.h>

enum { MAX_DEFLATE_RATIO = 1032 }; // the most that deflate can expand

enum rl_status rl_zip_open(struct rl_context *context, struct rl_arena *arena, const char *path, const char *kind,
                           struct rl_zip *zip)
{
    *zip = (struct rl_zip){.context = context, .arena = arena, .path = path};
    int code = 0;
    zip->zip = zip_open(path, ZIP_RDONLY, &code);
    if (zip->zip) {
        return RL_OK;
    }
    const bool io = code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ;
    const enum rl_status status = io ? RL_ERROR_IO : RL_ERROR_FORMAT;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    rl_fail(context, status, "%s: cannot open as %s (a ZIP archive): %s", path, kind, zip_error_strerror(&error));
    zip_error_fini(&error);
    return status;
}

enum rl_status rl_zip_open_memory(struct rl_context *context, struct rl_arena *arena, const void *data, size_t size,
                                  const char *path, struct rl_zip *zip)
{
    *zip = (struct rl_zip){.context = context, .arena = arena, .path = path};
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(data, size, 0, &error);
    if (source) {
        zip->zip = zip_open_from_source(source, ZIP_RDONLY, &error);
        if (!zip->zip) {
            zip_source_free(source);
        }
    }
    enum rl_status status = RL_OK;
    if (!zip->zip) {
        status = rl_fail(context, RL_ERROR_FORMAT, "%s: not a ZIP archive: %s", path, zip_error_strerror(&error));
    }
    zip_error_fini(&error);
    return status;
}

void rl_zip_close(struct rl_zip *zip)
{
    if (zip->zip) {
        zip_discard(zip->zip);
        zip->zip = NULL;
    }
}

long long rl_zip_count(const struct rl_zip *zip)
{
    return zip_get_num_entries(zip->zip, 0);
}

const char *rl_zip_name(const struct rl_zip *zip, long long index)
{
    return zip_get_name(zip->zip, (zip_uint64_t)index, 0);
}

bool rl_zip_has(const struct rl_zip *zip, const char *name)
{
    return zip_name_locate(zip->zip, name, 0) >= 0;
}

size_t rl_zip_stored_size(const struct rl_zip *zip, const char *name)
{
    zip_stat_t information;
    const bool found = zip_stat(zip->zip, name, 0, &information) == 0 && (information.valid & ZIP_STAT_COMP_SIZE) != 0;
    return found ? (size_t)information.comp_size : 0;
}

static enum rl_status check_member(const struct rl_zip *zip, const char *name, size_t limit,
                                   const zip_stat_t *information)
{
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if ((information->valid & needed) != needed) {
        return rl_fail(zip->context, RL_ERROR_FORMAT, "%s: member '%s' has no size", zip->path, name);
    }
    if (information->encryption_method != ZIP_EM_NONE) {
        return rl_fail(zip->context, RL_ERROR_UNSUPPORTED,
                       "%s: member '%s' is encrypted; accepted: members without encryption", zip->path, name);
    }
    if (information->comp_method != ZIP_CM_STORE && information->comp_method != ZIP_CM_DEFLATE) {
        return rl_fail(zip->context, RL_ERROR_UNSUPPORTED,
                       "%s: member '%s' has compression method %u; accepted: 0 (stored), 8 (deflated)", zip->path, name,
                       (unsigned)information->comp_method);
    }
    const zip_uint64_t ratio = information->comp_method == ZIP_CM_STORE ? 1 : MAX_DEFLATE_RATIO;
    if (information->size / ratio > information->comp_size) {
        return rl_fail(zip->context, RL_ERROR_FORMAT, "%s: member '%s' cannot be %llu bytes: %llu are stored",
                       zip->path, name, (unsigned long long)information->size,
                       (unsigned long long)information->comp_size);
    }
    if (information->size > limit) {
        return rl_fail(zip->context, RL_ERROR_UNSUPPORTED, "%s: member '%s' has %llu bytes; accepted: up to %zu",
                       zip->path, name, (unsigned long long)information->size, limit);
    }
    return RL_OK;
}

// Fills `bytes` with the member, and one zero byte behind it.
static enum rl_status read_member(const struct rl_zip *zip, const char *name, zip_uint64_t index, unsigned char *bytes,
                                  size_t size)
{
    zip_file_t *file = zip_fopen_index(zip->zip, index, 0);
    if (!file) {
        return rl_fail(zip->context, RL_ERROR_FORMAT, "%s: member '%s': %s", zip->path, name, zip_strerror(zip->zip));
    }
    // Only the second call, beyond the end, reports a wrong CRC.
    const zip_int64_t count = zip_fread(file, bytes, size);
    const zip_int64_t beyond = zip_fread(file, bytes + size, 1);
    enum rl_status status = RL_OK;
    if (count < 0 || (zip_uint64_t)count != size || beyond != 0) {
        status = rl_fail(zip->context, RL_ERROR_FORMAT, "%s: member '%s' is damaged: %s", zip->path, name,
                         count < 0 || beyond < 0 ? zip_file_strerror(file) : "its size is wrong");
    }
    zip_fclose(file);
    bytes[size] = 0;
    return status;
}

enum rl_status rl_zip_read(struct rl_zip *zip, const char *name, size_t limit, void **data, size_t *size)
{
    *data = NULL;
    *size = 0;
    zip_stat_t information;
    const zip_int64_t index = zip_name_locate(zip->zip, name, 0);
    if (index < 0 || zip_stat_index(zip->zip, (zip_uint64_t)index, 0, &information) != 0) {
        return rl_fail(zip->context, RL_ERROR_FORMAT, "%s: member '%s' is missing", zip->path, name);
    }
    enum rl_status status = check_member(zip, name, limit, &information);
    if (status != RL_OK) {
        return status;
    }
    // Allocates before the member is open, because the arena may leave this function by a jump.
    unsigned char *bytes = rl_arena_alloc(zip->arena, (size_t)information.size + 1);
    status = read_member(zip, name, (zip_uint64_t)index, bytes, (size_t)information.size);
    *data = bytes;
    *size = (size_t)information.size;
    return status;
}
