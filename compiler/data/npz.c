// SPDX-License-Identifier: Apache-2.0
#include "compiler/data/npz.h"

#include <string.h>
#include <zip.h>

#include "compiler/data/npy.h"
#include "compiler/support/file.h"
#include "compiler/support/zip_reader.h"

enum { MAX_ARRAYS = 65536, MAX_ARRAY_BYTES = 1 << 30 };

static enum rl_status read_member(struct rl_zip *zip, const char *member, struct rl_array *array)
{
    void *bytes;
    size_t size;
    const enum rl_status status = rl_zip_read(zip, member, MAX_ARRAY_BYTES, &bytes, &size);
    if (status != RL_OK) {
        return status;
    }
    const size_t length = strlen(member);
    const bool has_ending = length > 4 && strcmp(member + length - 4, ".npy") == 0;
    const char *name = rl_arena_format(zip->arena, "%.*s", (int)(has_ending ? length - 4 : length), member);
    const char *place = rl_arena_format(zip->arena, "%s: %s", zip->path, member);
    return rl_npy_parse(zip->context, zip->arena, place, name, bytes, size, array);
}

static enum rl_status read_members(struct rl_zip *zip, struct rl_array **arrays, int *count)
{
    const long long members = rl_zip_count(zip);
    if (members > MAX_ARRAYS) {
        return rl_fail(zip->context, RL_ERROR_UNSUPPORTED, "%s: %lld arrays; accepted: up to %d", zip->path, members,
                       MAX_ARRAYS);
    }
    *count = (int)members;
    *arrays = rl_arena_array(zip->arena, (size_t)members, sizeof **arrays);
    for (int i = 0; i < *count; i++) {
        const char *member = rl_zip_name(zip, i);
        if (!member) {
            return rl_fail(zip->context, RL_ERROR_FORMAT, "%s: member %d has no name", zip->path, i);
        }
        const enum rl_status status = read_member(zip, member, &(*arrays)[i]);
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

// Reads with a handler of its own for running out of memory, so that the archive is closed.
static enum rl_status read_guarded(struct rl_zip *zip, const char *path, struct rl_array **arrays, int *count)
{
    jmp_buf *const outer = zip->arena->out_of_memory;
    jmp_buf here;
    enum rl_status status;
    if (setjmp(here) == 0) {
        zip->arena->out_of_memory = &here;
        status = read_members(zip, arrays, count);
    } else {
        status = rl_fail(zip->context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", path);
    }
    zip->arena->out_of_memory = outer;
    return status;
}

enum rl_status rl_npz_read(struct rl_context *context, struct rl_arena *arena, const char *path,
                           struct rl_array **arrays, int *count)
{
    *arrays = NULL;
    *count = 0;
    struct rl_zip zip = {0};
    enum rl_status status = rl_zip_open(context, arena, path, "a .npz", &zip);
    if (status == RL_OK) {
        status = read_guarded(&zip, path, arrays, count);
    }
    rl_zip_close(&zip);
    return status;
}

// The member as it will stand in the file; the library keeps the pointer until the archive is closed.
// numpy has no bfloat16: such an array is written as the float32 that it stands for.
static struct rl_array writable(struct rl_arena *arena, const struct rl_array *array)
{
    struct rl_array result = *array;
    if (array->dtype == RL_BFLOAT16) {
        const int64_t count = rl_array_numel(array);
        int64_t unused;
        float *data = rl_arena_array(arena, (size_t)count, sizeof *data);
        rl_convert_elements(RL_BFLOAT16, array->data, RL_FLOAT32, data, count, &unused);
        result.dtype = RL_FLOAT32;
        result.data = data;
    }
    return result;
}

static bool add_member(zip_t *zip, struct rl_arena *arena, const struct rl_array *array)
{
    size_t header_size;
    const char *header = rl_npy_header(arena, array, &header_size);
    if (!header) {
        return false;
    }
    const size_t data_size = (size_t)rl_array_numel(array) * rl_scalar_size((int)array->dtype);
    unsigned char *bytes = rl_arena_alloc(arena, header_size + data_size);
    memcpy(bytes, header, header_size);
    if (data_size > 0) {
        memcpy(bytes + header_size, array->data, data_size);
    }
    zip_source_t *source = zip_source_buffer(zip, bytes, header_size + data_size, 0);
    if (!source) {
        return false;
    }
    const zip_int64_t index =
        zip_file_add(zip, rl_arena_format(arena, "%s.npy", array->name), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    // 1 January 1980, the earliest date of ZIP, so that the bytes do not depend on the clock.
    return zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(zip, (zip_uint64_t)index, 0, 1 << 5 | 1, 0) == 0;
}

// Adds the arrays and closes the archive, whose bytes `memory` holds then.
static enum rl_status fill_and_close(struct rl_context *context, zip_t *zip, struct rl_arena *arena, const char *path,
                                     const struct rl_array *arrays, int count)
{
    for (int i = 0; i < count; i++) {
        const struct rl_array array = writable(arena, &arrays[i]);
        if (!add_member(zip, arena, &array)) {
            rl_fail(context, RL_ERROR_ARGUMENT, "%s: array '%s' (%s) cannot be written: %s", path, arrays[i].name,
                    rl_dtype_name(arrays[i].dtype), zip_strerror(zip));
            zip_discard(zip);
            return RL_ERROR_ARGUMENT;
        }
    }
    if (zip_close(zip) != 0) {
        rl_fail(context, RL_ERROR_IO, "%s: cannot write: %s", path, zip_strerror(zip));
        zip_discard(zip);
        return RL_ERROR_IO;
    }
    return RL_OK;
}

// Writes what the closed archive consists of.
static enum rl_status write_bytes(struct rl_context *context, zip_source_t *memory, struct rl_arena *arena,
                                  const char *path)
{
    zip_stat_t information;
    if (zip_source_stat(memory, &information) != 0 || zip_source_open(memory) != 0) {
        return rl_fail(context, RL_ERROR_IO, "%s: cannot write: %s", path,
                       zip_error_strerror(zip_source_error(memory)));
    }
    unsigned char *bytes = rl_arena_alloc(arena, (size_t)information.size);
    const zip_int64_t got = zip_source_read(memory, bytes, information.size);
    zip_source_close(memory);
    return got == (zip_int64_t)information.size
               ? rl_file_write(context, path, bytes, (size_t)information.size)
               : rl_fail(context, RL_ERROR_IO, "%s: cannot write: the archive cannot be read back", path);
}

static enum rl_status write_archive(struct rl_context *context, zip_source_t *memory, struct rl_arena *arena,
                                    const char *path, const struct rl_array *arrays, int count)
{
    jmp_buf here;
    zip_t *volatile zip = NULL;
    if (setjmp(here) != 0) {
        if (zip) {
            zip_discard(zip);
        }
        return rl_fail(context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", path);
    }
    arena->out_of_memory = &here;
    zip_source_keep(memory); // the archive releases it when it is closed
    zip = zip_open_from_source(memory, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    if (!zip) {
        zip_source_free(memory);
        return rl_fail(context, RL_ERROR_IO, "%s: cannot write: libzip makes no archive", path);
    }
    zip_t *filled = zip;
    const enum rl_status status = fill_and_close(context, filled, arena, path, arrays, count);
    zip = NULL;
    return status == RL_OK ? write_bytes(context, memory, arena, path) : status;
}

enum rl_status rl_npz_write(struct rl_context *context, const char *path, const struct rl_array *arrays, int count)
{
    zip_source_t *memory = zip_source_buffer_create(NULL, 0, 0, NULL);
    if (!memory) {
        return rl_fail(context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", path);
    }
    struct rl_arena arena = {0};
    const enum rl_status status = write_archive(context, memory, &arena, path, arrays, count);
    rl_arena_free(&arena);
    zip_source_free(memory);
    return status;
}
