// SPDX-License-Identifier: Apache-2.0
//
// Files of a job that lie in memory.
#include <setjmp.h>
#include <string.h>

#include "api/job.h"
#include "compiler/data/npz.h"

static struct rl_memory_file *find(const struct rl_job *job, const char *name)
{
    struct rl_memory_file *file = job->files;

    while (file && strcmp(file->name, name) != 0) {
        file = file->next;
    }
    return file;
}

// The file of this name, which is made if it is not there yet.
static struct rl_memory_file *find_or_add(struct rl_job *job, const char *name)
{
    struct rl_memory_file *file = find(job, name);

    if (!file) {
        file = rl_arena_alloc(&job->arena, sizeof *file);
        *file = (struct rl_memory_file){.name = rl_arena_string(&job->arena, name), .next = job->files};
        job->files = file;
    }
    return file;
}

// ---- what is to be done

static void add_file(struct rl_job *job, const void *what)
{
    const struct rl_memory_file *given = what;
    struct rl_memory_file *file = find_or_add(job, given->name);

    file->data = given->data ? given->data : "";
    file->size = given->size;
}

void rl_job_file(struct rl_job *job, const char *name, const void *bytes, size_t size)
{
    rl_prepare_job(job, add_file, &(struct rl_memory_file){.name = name, .data = bytes, .size = size});
}

static void keep_file(struct rl_job *job, const void *name)
{
    find_or_add(job, name);
}

void rl_job_keep(struct rl_job *job, const char *name)
{
    rl_prepare_job(job, keep_file, name);
}

struct addition {
    const char *name;
    const struct rl_job_array *array;
};

static void add_array(struct rl_job *job, const void *what)
{
    const struct addition *addition = what;
    const struct rl_job_array *array = addition->array;
    struct rl_job_part *part = rl_arena_alloc(&job->arena, sizeof *part);
    const size_t rank = array->rank > 0 ? (size_t)array->rank : 0;

    *part = (struct rl_job_part){.file = find_or_add(job, addition->name), .array = *array};
    part->array.name = rl_arena_string(&job->arena, array->name);
    part->array.dtype = rl_arena_string(&job->arena, array->dtype);
    part->array.sizes = rank > 0 ? rl_arena_copy(&job->arena, array->sizes, rank * sizeof *array->sizes) : NULL;
    *job->parts_end = part;
    job->parts_end = &part->next;
}

void rl_job_array(struct rl_job *job, const char *name, const struct rl_job_array *array)
{
    rl_prepare_job(job, add_array, &(struct addition){name, array});
}

// ---- doing it

static enum rl_status refuse(struct rl_job *job, const struct rl_job_part *part, const char *what)
{
    return rl_fail(&job->cli.context, RL_ERROR_ARGUMENT, "%s: array '%s' %s", part->file->name, part->array.name, what);
}

// The element type of this name; -1 if it is not one that arrays have.
static int find_type(const char *name)
{
    static const enum rl_scalar_type types[] = {RL_FLOAT32, RL_FLOAT64, RL_FLOAT16, RL_INT8, RL_INT16,
                                                RL_INT32,   RL_INT64,   RL_UINT8,   RL_BOOL};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(rl_dtype_name(types[i]), name) == 0) {
            return (int)types[i];
        }
    }
    return -1;
}

// The array as the compiler has it, if it is one.
static enum rl_status describe(struct rl_job *job, const struct rl_job_part *part, struct rl_array *array)
{
    const struct rl_job_array *given = &part->array;
    const int dtype = find_type(given->dtype);

    if (dtype < 0) {
        return refuse(job, part,
                      rl_arena_format(&job->arena,
                                      "has elements of type '%s'; accepted: float32, float64, float16, int8, int16, "
                                      "int32, int64, uint8, bool",
                                      given->dtype));
    }
    if (given->rank < 0 || given->rank > RL_MAX_RANK) {
        return refuse(job, part,
                      rl_arena_format(&job->arena, "has %d dimensions; accepted: 0 to %d", given->rank, RL_MAX_RANK));
    }
    *array = (struct rl_array){
        .name = given->name, .dtype = (enum rl_scalar_type)dtype, .rank = given->rank, .data = given->data};
    uint64_t bytes = rl_scalar_size(dtype);
    for (int i = 0; i < given->rank; i++) {
        if (given->sizes[i] < 0 || (given->sizes[i] > 0 && bytes > (uint64_t)INT64_MAX / (uint64_t)given->sizes[i])) {
            return refuse(job, part, rl_arena_format(&job->arena, "has size %lld in dimension %d",
                                                      (long long)given->sizes[i], i));
        }
        bytes *= (uint64_t)given->sizes[i];
        array->sizes[i] = given->sizes[i];
    }
    return RL_OK;
}

static enum rl_status pack_file(struct rl_job *job, struct rl_memory_file *file)
{
    struct rl_array *arrays;
    int count = 0;
    enum rl_status status = RL_OK;

    for (const struct rl_job_part *part = job->parts; part; part = part->next) {
        count += part->file == file;
    }
    if (count == 0) {
        return RL_OK;
    }
    arrays = rl_arena_array(&job->arena, (size_t)count, sizeof *arrays);
    count = 0;
    for (const struct rl_job_part *part = job->parts; part && status == RL_OK; part = part->next) {
        if (part->file == file) {
            status = describe(job, part, &arrays[count++]);
        }
    }
    return status == RL_OK ? rl_npz_write(&job->cli.context, file->name, arrays, count) : status;
}

enum rl_status rl_pack_job(struct rl_job *job)
{
    enum rl_status status = RL_OK;

    for (struct rl_memory_file *file = job->files; file && status == RL_OK; file = file->next) {
        status = pack_file(job, file);
    }
    return status;
}

// ---- what came of it

const void *rl_job_kept(const struct rl_job *job, const char *name, size_t *size)
{
    const struct rl_memory_file *file = find(job, name);

    *size = file && file->written ? file->size : 0;
    return file ? file->written : NULL;
}

// Reads the arrays of the file, if it has one of this index.
static void read_array(struct rl_job *job, const char *name, int index, struct rl_job_array *array)
{
    struct rl_context context = {.files = job->files};
    struct rl_array *arrays;
    int count;

    if (rl_npz_read(&context, &job->arena, name, &arrays, &count) != RL_OK || index < 0 || index >= count) {
        return;
    }
    const struct rl_array *found = &arrays[index];
    *array = (struct rl_job_array){found->name, rl_dtype_name(found->dtype), found->rank, NULL, found->data};
    array->sizes = rl_arena_copy(&job->arena, found->sizes, sizeof found->sizes);
}

int rl_job_kept_array(struct rl_job *job, const char *name, int index, struct rl_job_array *array)
{
    const struct rl_memory_file *file = find(job, name);
    jmp_buf out_of_memory;

    *array = (struct rl_job_array){0};
    if (!file || !file->written) {
        return 0;
    }
    job->arena.out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory) == 0) {
        read_array(job, name, index, array);
    }
    return array->name ? 1 : 0;
}
