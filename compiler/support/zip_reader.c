// SPDX-License-Identifier: Apache-2.0
#include "compiler/support/zip_reader.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <zip.h>

#include "compiler/support/memory_files.h"
#include "compiler/support/name_map.h"

enum {
    MAX_DEFLATE_RATIO = 1032,  // the most that deflate can expand
    HONEST_RATIO = 32,         // what data of real models and samples stay below
    FREE_UNPACKED = 128 << 20, // bytes that a file of any size may unfold to
};

// That this machine cannot read is another error than that the file is wrong. The library calls an archive inconsistent
// when it found no memory for some parts, so callers set errno to 0 before.
static enum rl_status status_of(int code)
{
    if (errno == ENOMEM) {
        return RL_ERROR_OUT_OF_MEMORY;
    }
    switch (code) {
    case ZIP_ER_MEMORY:
        return RL_ERROR_OUT_OF_MEMORY;
    case ZIP_ER_NOENT:
    case ZIP_ER_OPEN:
    case ZIP_ER_READ:
    case ZIP_ER_SEEK:
        return RL_ERROR_IO;
    default:
        return RL_ERROR_FORMAT;
    }
}

uint64_t rl_zip_limit(const struct rl_context *context, uint64_t file_bytes)
{
    if (context->max_unpacked > 0) {
        return context->max_unpacked;
    }
    const uint64_t honest = file_bytes < UINT64_MAX / HONEST_RATIO ? HONEST_RATIO * file_bytes : UINT64_MAX;
    return honest > FREE_UNPACKED ? honest : FREE_UNPACKED;
}

enum rl_status rl_zip_refuse_size(struct rl_context *context, const char *path, const char *name, uint64_t file_bytes)
{
    return rl_fail(context, RL_ERROR_UNSUPPORTED,
                   "%s: with '%s' it unfolds to more than %llu bytes, from %llu; accepted: as much as --max-unpacked "
                   "says",
                   path, name, (unsigned long long)rl_zip_limit(context, file_bytes), (unsigned long long)file_bytes);
}

// Every byte that is read counts, and what lies in an archive inside an archive counts for the outer one.
static enum rl_status charge(struct rl_zip *zip, const char *name, uint64_t bytes)
{
    struct rl_zip *whole = zip;
    while (whole->outer) {
        whole = whole->outer;
    }
    const uint64_t limit = rl_zip_limit(whole->context, whole->file_bytes);
    if (whole->unpacked > limit || bytes > limit - whole->unpacked) {
        return rl_zip_refuse_size(whole->context, whole->path, name, whole->file_bytes);
    }
    whole->unpacked += bytes;
    return RL_OK;
}

// What libzip reads an archive from: a file in memory, or else one on the disk.
static zip_t *open_source(const struct rl_context *context, const char *path, uint64_t *file_bytes, zip_error_t *error)
{
    const struct rl_memory_file *memory = rl_memory_file_find(context, path);
    struct stat information;
    int code = 0;
    if (!memory) {
        zip_t *zip = zip_open(path, ZIP_RDONLY, &code);
        *file_bytes = stat(path, &information) == 0 ? (uint64_t)information.st_size : 0;
        zip_error_fini(error);
        zip_error_init_with_code(error, code);
        return zip;
    }
    *file_bytes = memory->size;
    zip_source_t *source = zip_source_buffer_create(memory->data ? memory->data : "", memory->size, 0, error);
    zip_t *zip = source ? zip_open_from_source(source, ZIP_RDONLY, error) : NULL;
    if (source && !zip) {
        zip_source_free(source);
    }
    return zip;
}

// Readers of ZIP do not agree which of two members of one name is meant.
static enum rl_status check_names(struct rl_zip *zip)
{
    struct rl_name_map names = {.arena = zip->arena};
    const long long count = rl_zip_count(zip);
    for (long long i = 0; i < count; i++) {
        const char *name = rl_zip_name(zip, i);
        if (!name) {
            return rl_fail(zip->context, RL_ERROR_FORMAT, "%s: member %lld has no name", zip->path, i);
        }
        if (!rl_name_map_add(&names, name, zip)) {
            return rl_fail(zip->context, RL_ERROR_FORMAT, "%s: member '%s' is there twice", zip->path, name);
        }
    }
    return RL_OK;
}

enum rl_status rl_zip_open(struct rl_context *context, struct rl_arena *arena, const char *path, const char *kind,
                           struct rl_zip *zip)
{
    *zip = (struct rl_zip){.context = context, .arena = arena, .path = path};
    zip_error_t error;
    zip_error_init(&error);
    errno = 0;
    zip->zip = open_source(context, path, &zip->file_bytes, &error);
    enum rl_status status = RL_OK;
    if (!zip->zip) {
        status = rl_fail(context, status_of(zip_error_code_zip(&error)), "%s: cannot open as %s (a ZIP archive): %s",
                         path, kind, zip_error_strerror(&error));
    }
    zip_error_fini(&error);
    return status == RL_OK ? check_names(zip) : status;
}

enum rl_status rl_zip_open_memory(struct rl_context *context, struct rl_arena *arena, const void *data, size_t size,
                                  const char *path, struct rl_zip *outer, struct rl_zip *zip)
{
    *zip = (struct rl_zip){.context = context, .arena = arena, .path = path, .file_bytes = size, .outer = outer};
    zip_error_t error;
    zip_error_init(&error);
    errno = 0;
    zip_source_t *source = zip_source_buffer_create(data, size, 0, &error);
    if (source) {
        zip->zip = zip_open_from_source(source, ZIP_RDONLY, &error);
        if (!zip->zip) {
            zip_source_free(source);
        }
    }
    enum rl_status status = RL_OK;
    if (!zip->zip) {
        status = rl_fail(context, status_of(zip_error_code_zip(&error)), "%s: not a ZIP archive: %s", path,
                         zip_error_strerror(&error));
    }
    zip_error_fini(&error);
    return status == RL_OK ? check_names(zip) : status;
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

uint64_t rl_zip_size(const struct rl_zip *zip, const char *name)
{
    zip_stat_t information;
    const bool found = zip_stat(zip->zip, name, 0, &information) == 0 && (information.valid & ZIP_STAT_SIZE) != 0;
    return found ? information.size : 0;
}

size_t rl_zip_stored_size(const struct rl_zip *zip, const char *name)
{
    zip_stat_t information;
    const bool found = zip_stat(zip->zip, name, 0, &information) == 0 && (information.valid & ZIP_STAT_COMP_SIZE) != 0;
    return found ? (size_t)information.comp_size : 0;
}

static enum rl_status find_member(const struct rl_zip *zip, const char *name, zip_uint64_t *index,
                                  zip_stat_t *information)
{
    const zip_int64_t found = zip_name_locate(zip->zip, name, 0);
    if (found < 0 || zip_stat_index(zip->zip, (zip_uint64_t)found, 0, information) != 0) {
        return rl_fail(zip->context, RL_ERROR_FORMAT, "%s: member '%s' is missing", zip->path, name);
    }
    *index = (zip_uint64_t)found;
    return RL_OK;
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
    if (information->comp_size > zip->file_bytes) {
        return rl_fail(zip->context, RL_ERROR_FORMAT, "%s: member '%s' cannot take %llu bytes: the file has %llu",
                       zip->path, name, (unsigned long long)information->comp_size,
                       (unsigned long long)zip->file_bytes);
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

// Finds a member, checks what its headers say of it, and charges what a read takes of it: `most` bytes at most.
static enum rl_status admit(struct rl_zip *zip, const char *name, size_t limit, uint64_t most, zip_uint64_t *index,
                            zip_uint64_t *size)
{
    zip_stat_t information;
    enum rl_status status = find_member(zip, name, index, &information);
    if (status == RL_OK) {
        status = check_member(zip, name, limit, &information);
    }
    if (status != RL_OK) {
        return status;
    }
    *size = information.size;
    return charge(zip, name, *size < most ? *size : most);
}

static enum rl_status open_admitted(const struct rl_zip *zip, const char *name, zip_uint64_t index, zip_file_t **file)
{
    errno = 0;
    *file = zip_fopen_index(zip->zip, index, 0);
    return *file ? RL_OK
                 : rl_fail(zip->context, status_of(zip_error_code_zip(zip_get_error(zip->zip))), "%s: member '%s': %s",
                           zip->path, name, zip_strerror(zip->zip));
}

// Opens a member after all checks but that of its CRC.
static enum rl_status open_member(struct rl_zip *zip, const char *name, uint64_t most, zip_file_t **file)
{
    zip_uint64_t index, size;
    const enum rl_status status = admit(zip, name, SIZE_MAX, most, &index, &size);
    return status == RL_OK ? open_admitted(zip, name, index, file) : status;
}

static enum rl_status refuse_damaged(const struct rl_zip *zip, const char *name, zip_file_t *file, const char *found)
{
    return rl_fail(zip->context, status_of(zip_error_code_zip(zip_file_get_error(file))),
                   "%s: member '%s' is damaged: %s", zip->path, name, found ? found : zip_file_strerror(file));
}

// Fills `bytes` with the member, and one zero byte behind it.
static enum rl_status read_member(const struct rl_zip *zip, const char *name, zip_uint64_t index, unsigned char *bytes,
                                  size_t size)
{
    zip_file_t *file;
    enum rl_status status = open_admitted(zip, name, index, &file);
    if (status != RL_OK) {
        return status;
    }
    // Only the second call, beyond the end, reports a wrong CRC.
    const zip_int64_t count = zip_fread(file, bytes, size);
    const zip_int64_t beyond = zip_fread(file, bytes + size, 1);
    if (count < 0 || (zip_uint64_t)count != size || beyond != 0) {
        status = refuse_damaged(zip, name, file, count < 0 || beyond < 0 ? NULL : "its size is wrong");
    }
    zip_fclose(file);
    bytes[size] = 0;
    return status;
}

enum rl_status rl_zip_read_start(struct rl_zip *zip, const char *name, void *bytes, size_t room, size_t *count)
{
    zip_file_t *file;
    *count = 0;
    enum rl_status status = open_member(zip, name, room, &file);
    if (status != RL_OK) {
        return status;
    }
    const zip_int64_t got = zip_fread(file, bytes, room);
    if (got < 0) {
        status = rl_fail(zip->context, status_of(zip_error_code_zip(zip_file_get_error(file))), "%s: member '%s': %s",
                         zip->path, name, zip_file_strerror(file));
    } else {
        *count = (size_t)got;
    }
    zip_fclose(file);
    return status;
}

enum rl_status rl_zip_read(struct rl_zip *zip, const char *name, size_t limit, void **data, size_t *size)
{
    zip_uint64_t index, whole;
    *data = NULL;
    *size = 0;
    enum rl_status status = admit(zip, name, limit, UINT64_MAX, &index, &whole);
    if (status != RL_OK) {
        return status;
    }
    // Allocates before the member is open, because the arena may leave this function by a jump.
    unsigned char *bytes = rl_arena_alloc(zip->arena, (size_t)whole + 1);
    status = read_member(zip, name, index, bytes, (size_t)whole);
    *data = bytes;
    *size = (size_t)whole;
    return status;
}

bool rl_zip_is_stored(const struct rl_zip *zip, const char *name)
{
    zip_stat_t information;
    return zip_stat(zip->zip, name, 0, &information) == 0 && (information.valid & ZIP_STAT_COMP_METHOD) != 0 &&
           information.comp_method == ZIP_CM_STORE;
}

enum rl_status rl_zip_check(struct rl_zip *zip, const char *name)
{
    enum { PIECE = 1 << 16 };
    unsigned char *bytes = rl_arena_alloc(zip->arena, PIECE);
    zip_file_t *file = NULL;
    enum rl_status status = open_member(zip, name, UINT64_MAX, &file);
    if (status != RL_OK) {
        return status;
    }
    const uint64_t size = rl_zip_size(zip, name);
    uint64_t read = 0;
    zip_int64_t count;
    while ((count = zip_fread(file, bytes, PIECE)) > 0) {
        read += (uint64_t)count;
    }
    if (count < 0 || read != size) {
        status = refuse_damaged(zip, name, file, count < 0 ? NULL : "its size is wrong");
    }
    zip_fclose(file);
    return status;
}

enum rl_status rl_zip_read_part(struct rl_zip *zip, const char *name, uint64_t offset, void *bytes, size_t count)
{
    zip_file_t *file = NULL;
    enum rl_status status = open_member(zip, name, count, &file);
    if (status != RL_OK) {
        return status;
    }
    if (offset > INT64_MAX || zip_fseek(file, (zip_int64_t)offset, SEEK_SET) != 0) {
        status = refuse_damaged(zip, name, file, NULL);
    } else if (zip_fread(file, bytes, count) != (zip_int64_t)count) {
        status = refuse_damaged(zip, name, file, "it has changed while it was read");
    }
    zip_fclose(file);
    return status;
}
