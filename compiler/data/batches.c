// SPDX-License-Identifier: Apache-2.0
#include "compiler/data/batches.h"

#include <setjmp.h>
#include <string.h>

#include "compiler/data/files.h"
#include "compiler/support/progress.h"

static bool same_sizes(const int64_t *a, const int64_t *b, int count)
{
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

// Number of samples in an array; -1 when its shape does not fit.
static int64_t count_samples(const struct rl_array *array, const struct rl_tensor_type *type)
{
    const int rank = type->rank;
    if (array->rank == rank + 1) {
        return same_sizes(array->sizes + 1, type->sizes, rank) ? array->sizes[0] : -1;
    }
    if (array->rank == rank && rank == 0) {
        return 1;
    }
    if (array->rank == rank && same_sizes(array->sizes + 1, type->sizes + 1, rank - 1)) {
        const int64_t batch = type->sizes[0];
        if (batch == 0 && array->sizes[0] == 0) {
            return 1; // an empty tensor
        }
        return batch > 0 && array->sizes[0] % batch == 0 ? array->sizes[0] / batch : -1;
    }
    if (array->rank == rank - 1 && type->sizes[0] == 1 && same_sizes(array->sizes, type->sizes + 1, rank - 1)) {
        return 1;
    }
    return -1;
}

static enum rl_status refuse(struct rl_context *context, struct rl_arena *arena, const char *place, const char *name,
                             const struct rl_array *array, const struct rl_tensor_type *type)
{
    if (array->skipped) {
        return rl_fail(context, RL_ERROR_TYPE,
                       "%s: array '%s' for '%s' has elements of type %s; accepted: little-endian floats, integers, "
                       "booleans",
                       place, array->name, name, array->skipped);
    }
    const struct rl_tensor_type found = rl_tensor_type_make(array->dtype, array->rank, array->sizes);
    return rl_fail(context, RL_ERROR_TYPE,
                   "%s: array '%s' is %s, but one sample for '%s' is %s; accepted: samples along the first axis", place,
                   array->name, rl_type_text(arena, &found), name, rl_type_text(arena, type));
}

enum rl_status rl_batches_add(struct rl_context *context, struct rl_arena *arena, const char *place, const char *name,
                              struct rl_array *array, struct rl_batches *batches)
{
    const int64_t samples = !array->skipped ? count_samples(array, &batches->type) : -1;
    if (samples < 0) {
        return refuse(context, arena, place, name, array, &batches->type);
    }
    struct rl_batch *batch = rl_arena_alloc(arena, sizeof *batch);
    *batch = (struct rl_batch){.array = array, .place = place, .sample_count = samples};
    *(batches->last ? &batches->last->next : &batches->first) = batch;
    batches->last = batch;
    batches->sample_count += samples;
    return RL_OK;
}

static enum rl_status convert(struct rl_context *context, struct rl_arena *arena, const char *name,
                              const struct rl_batch *batch, const struct rl_tensor_type *type, unsigned char *target)
{
    const struct rl_array *array = batch->array;
    const int64_t count = rl_array_numel(array);
    const size_t element = rl_scalar_size((int)type->dtype);
    const unsigned char *elements = array->data;
    if (array->dtype != type->dtype) {
        unsigned char *converted = rl_arena_array(arena, (size_t)count, element);
        int64_t bad;
        if (!rl_convert_elements(array->dtype, array->data, type->dtype, converted, count, &bad)) {
            return rl_fail(context, RL_ERROR_TYPE,
                           "%s: array '%s': element %lld is a %s that '%s', %s, cannot hold; accepted: %s, or values "
                           "that %s holds exactly",
                           batch->place, array->name, (long long)bad, rl_dtype_name(array->dtype), name,
                           rl_dtype_name(type->dtype), rl_dtype_name(type->dtype), rl_dtype_name(type->dtype));
        }
        elements = converted;
    }
    const size_t bytes = rl_tensor_bytes(type);
    for (int64_t i = 0; i < batch->sample_count; i++) {
        rl_tensor_from_c_order(type, elements + (size_t)i * bytes, target + (size_t)i * bytes);
    }
    return RL_OK;
}

static enum rl_status load_and_convert(struct rl_context *context, struct rl_arena *arena, const char *name,
                                       const struct rl_batch *batch, const struct rl_tensor_type *type,
                                       unsigned char *target)
{
    if (batch->array->data) {
        return convert(context, arena, name, batch, type, target);
    }
    struct rl_array array = *batch->array; // the elements do not outlive this function
    const struct rl_batch loaded = {.array = &array, .place = batch->place, .sample_count = batch->sample_count};
    const enum rl_status status = rl_data_load(context, arena, type, &array);
    return status == RL_OK ? convert(context, arena, name, &loaded, type, target) : status;
}

static enum rl_status convert_guarded(struct rl_context *context, struct rl_arena *arena, const char *name,
                                      const struct rl_batch *batch, const struct rl_tensor_type *type,
                                      unsigned char *target)
{
    jmp_buf here;
    arena->out_of_memory = &here;
    if (setjmp(here) == 0) {
        return load_and_convert(context, arena, name, batch, type, target);
    }
    return rl_fail(context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", batch->place);
}

// Works in an arena that ends here.
static enum rl_status convert_batch(struct rl_context *context, const char *name, const struct rl_batch *batch,
                                    const struct rl_tensor_type *type, unsigned char *target)
{
    struct rl_arena arena = {0};
    const enum rl_status status = convert_guarded(context, &arena, name, batch, type, target);
    rl_arena_free(&arena);
    return status;
}

enum rl_status rl_batches_join(struct rl_context *context, struct rl_arena *arena, const char *name,
                               const struct rl_batches *batches, const unsigned char **samples)
{
    const struct rl_tensor_type *type = &batches->type;
    const struct rl_batch *first = batches->first;
    enum rl_status status = RL_OK;
    if (first && !first->next && first->array->dtype == type->dtype && rl_tensor_is_contiguous(type)) {
        status = first->array->data ? RL_OK : rl_data_load(context, arena, type, first->array);
        *samples = first->array->data;
        return status;
    }
    const size_t bytes = rl_tensor_bytes(type);
    unsigned char *target = rl_arena_array(arena, (size_t)batches->sample_count, bytes);
    *samples = target;
    struct rl_progress progress;
    int64_t done = 0;
    rl_progress_start(&progress, context, "reading", batches->sample_count);
    for (const struct rl_batch *batch = first; batch && status == RL_OK; batch = batch->next) {
        status = convert_batch(context, name, batch, type, target);
        target += (size_t)batch->sample_count * bytes;
        done += batch->sample_count;
        rl_progress_step(&progress, done);
    }
    rl_progress_end(&progress);
    return status;
}
