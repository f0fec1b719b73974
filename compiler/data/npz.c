// SPDX-License-Identifier: Apache-2.0
#include "compiler/data/npz.h"

#include <string.h>
#include <zip.h>

#include "compiler/data/npy.h"
#include "compiler/support/file.h"
#include "compiler/support/name_map.h"
#include "compiler/support/zip_reader.h"

enum { MAX_ARRAYS = 65536 };

// ---- reading

static const char *place_of(struct rl_arena *arena, const struct rl_array *array)
{
    return rl_arena_format(arena, "%s: %s", array->file.path, array->file.member);
}

// Lists the members, without opening any.
static enum rl_status list_members(struct rl_zip *zip, struct rl_array **arrays, int *count)
{
    const long long members = rl_zip_count(zip);
    if (members > MAX_ARRAYS) {
        return rl_fail(zip->context, RL_ERROR_UNSUPPORTED, "%s: %lld arrays; accepted: up to %d", zip->path, members,
                       MAX_ARRAYS);
    }
    struct rl_name_map names = {.arena = zip->arena};
    *arrays = rl_arena_array(zip->arena, (size_t)members, sizeof **arrays);
    for (int i = 0; i < members; i++) {
        struct rl_array *array = &(*arrays)[i];
        char *name = rl_arena_string(zip->arena, rl_zip_name(zip, i));
        array->file = (struct rl_array_file){.path = zip->path,
                                             .member = rl_arena_string(zip->arena, name),
                                             .bytes = rl_zip_size(zip, name),
                                             .file_bytes = zip->file_bytes};
        const size_t length = strlen(name);
        if (length > 4 && strcmp(name + length - 4, ".npy") == 0) {
            name[length - 4] = '\0';
        }
        array->name = name;
        if (!rl_name_map_add(&names, name, array)) {
            return rl_fail(zip->context, RL_ERROR_FORMAT, "%s: array '%s' is there twice", zip->path, name);
        }
    }
    *count = (int)members;
    return RL_OK;
}

// Reads as much of the member as its header needs.
static enum rl_status describe_member(struct rl_zip *zip, struct rl_array *array)
{
    unsigned char start[RL_NPY_START] = {0};
    size_t count;
    enum rl_status status = rl_zip_read_start(zip, array->file.member, start, sizeof start, &count);
    if (status != RL_OK) {
        return status;
    }
    const size_t room = rl_npy_header_bytes(start, count);
    unsigned char *bytes = rl_arena_alloc(zip->arena, room);
    status = rl_zip_read_start(zip, array->file.member, bytes, room, &count);
    if (status != RL_OK) {
        return status;
    }
    struct rl_npy_layout layout = {.fortran_order = true};
    array->rank = 0;
    status = rl_npy_parse_header(zip->context, zip->arena, place_of(zip->arena, array), bytes, count,
                                 (size_t)array->file.bytes, array, &layout);
    const bool is_plain = status == RL_OK && !array->skipped && !layout.fortran_order && array->dtype == RL_FLOAT32;
    array->file.elements = is_plain && rl_zip_is_stored(zip, array->file.member) ? layout.data : 0;
    return status;
}

static enum rl_status describe_members(struct rl_zip *zip, struct rl_array *arrays, int count)
{
    enum rl_status status = RL_OK;
    for (int i = 0; i < count && status == RL_OK; i++) {
        status = describe_member(zip, &arrays[i]);
    }
    return status;
}

static enum rl_status load_members(struct rl_zip *zip, struct rl_array *arrays, int count)
{
    enum rl_status status = RL_OK;
    for (int i = 0; i < count && status == RL_OK; i++) {
        const struct rl_array_file file = arrays[i].file;
        void *bytes;
        size_t size;
        status = rl_zip_read(zip, file.member, SIZE_MAX - 1, &bytes, &size);
        if (status == RL_OK) {
            status = rl_npy_parse(zip->context, zip->arena, place_of(zip->arena, &arrays[i]), arrays[i].name, bytes,
                                  size, &arrays[i]);
        }
        arrays[i].file = file;
    }
    return status;
}

struct work {
    enum { LIST, DESCRIBE, LOAD, CHECK, READ_PART } what;
    struct rl_array **arrays; // LIST sets it
    int *count;
    const char *member; // of CHECK and READ_PART
    uint64_t offset;
    void *bytes;
    size_t byte_count;
};

static enum rl_status do_work(struct rl_zip *zip, const struct work *work)
{
    switch (work->what) {
    case LIST:
        return list_members(zip, work->arrays, work->count);
    case DESCRIBE:
        return describe_members(zip, *work->arrays, *work->count);
    case CHECK:
        return rl_zip_check(zip, work->member);
    case READ_PART:
        return rl_zip_read_part(zip, work->member, work->offset, work->bytes, work->byte_count);
    default:
        return load_members(zip, *work->arrays, *work->count);
    }
}

// Works with a handler of its own for running out of memory, so that the archive is closed.
static enum rl_status work_guarded(struct rl_context *context, struct rl_arena *arena, const char *path,
                                   struct rl_zip *zip, const struct work *work)
{
    jmp_buf *const outer = arena->out_of_memory;
    jmp_buf here;
    enum rl_status status;
    if (setjmp(here) == 0) {
        arena->out_of_memory = &here;
        status = rl_zip_open(context, arena, path, "a .npz", zip);
        if (status == RL_OK) {
            status = do_work(zip, work);
        }
    } else {
        status = rl_fail(context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", path);
    }
    arena->out_of_memory = outer;
    return status;
}

static enum rl_status open_and_work(struct rl_context *context, struct rl_arena *arena, const char *path,
                                    const struct work *work)
{
    struct rl_zip zip = {0};
    const enum rl_status status = work_guarded(context, arena, path, &zip, work);
    rl_zip_close(&zip);
    return status;
}

enum rl_status rl_npz_list(struct rl_context *context, struct rl_arena *arena, const char *path,
                           struct rl_array **arrays, int *count)
{
    *arrays = NULL;
    *count = 0;
    return open_and_work(context, arena, path, &(struct work){.what = LIST, .arrays = arrays, .count = count});
}

enum rl_status rl_npz_describe(struct rl_context *context, struct rl_arena *arena, struct rl_array *arrays, int count)
{
    const struct work work = {.what = DESCRIBE, .arrays = &arrays, .count = &count};
    return count == 0 ? RL_OK : open_and_work(context, arena, arrays->file.path, &work);
}

enum rl_status rl_npz_load(struct rl_context *context, struct rl_arena *arena, struct rl_array *arrays, int count)
{
    const struct work work = {.what = LOAD, .arrays = &arrays, .count = &count};
    return count == 0 ? RL_OK : open_and_work(context, arena, arrays->file.path, &work);
}

// In memory that ends here, because many parts may be read.
static enum rl_status open_and_end(struct rl_context *context, const char *path, const struct work *work)
{
    struct rl_arena arena = {0};
    const enum rl_status status = open_and_work(context, &arena, path, work);
    rl_arena_free(&arena);
    return status;
}

enum rl_status rl_npz_check(struct rl_context *context, const struct rl_array *array)
{
    return open_and_end(context, array->file.path, &(struct work){.what = CHECK, .member = array->file.member});
}

enum rl_status rl_npz_read_part(struct rl_context *context, const struct rl_array *array, uint64_t offset, void *bytes,
                                size_t count)
{
    return open_and_end(
        context, array->file.path,
        &(struct work){
            .what = READ_PART, .member = array->file.member, .offset = offset, .bytes = bytes, .byte_count = count});
}

enum rl_status rl_npz_read(struct rl_context *context, struct rl_arena *arena, const char *path,
                           struct rl_array **arrays, int *count)
{
    const enum rl_status status = rl_npz_list(context, arena, path, arrays, count);
    return status == RL_OK ? rl_npz_load(context, arena, *arrays, *count) : status;
}

// ---- writing

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
