// SPDX-License-Identifier: Apache-2.0
#include "compiler/read/samples.h"

#include <string.h>

#include "compiler/read/torch_file.h"

enum { MAX_BYTES = 1 << 30, MAX_DEPTH = 32, MAX_VISITS = 65536 };

struct sample_reader {
    struct rl_context *context;
    struct rl_arena *arena;
    const char *path;
    const struct rl_graph *graph;
    struct rl_archive archive;
    struct rl_torch_file file;
    struct rl_array *arrays;
    int count;
    size_t bytes;
    int visits;
};

static enum rl_status refuse(const struct sample_reader *r, const char *problem)
{
    return rl_fail(r->context, RL_ERROR_UNSUPPORTED, "%s: the sample inputs in the model cannot be used: %s", r->path,
                   problem);
}

static enum rl_status open_samples(struct sample_reader *r, struct rl_pickle_item **item)
{
    struct rl_archive_parts parts;
    enum rl_status status = rl_archive_open(r->context, r->arena, r->path, &r->archive);
    if (status == RL_OK) {
        status = rl_archive_find_parts(&r->archive, &parts);
    }
    if (status != RL_OK) {
        return status;
    }
    if (!rl_archive_has(&r->archive, parts.samples)) {
        return refuse(r, "there are none; accepted: data given as .npz or .npy");
    }
    return rl_torch_file_open(&r->archive, parts.samples, &r->file, item);
}

static enum rl_status take_tensor(struct sample_reader *r, const struct rl_pickle_item *item)
{
    if (r->count == r->graph->input_count) {
        return refuse(r, "there are more tensors than inputs");
    }
    const char *name = r->graph->inputs[r->count]->name;
    struct rl_pt2_tensor tensor;
    const struct rl_pt2_storage *storage;
    const enum rl_status status = rl_torch_file_tensor(&r->file, name, item, &tensor, &storage);
    if (status != RL_OK) {
        return status;
    }
    const size_t bytes = rl_tensor_bytes(&tensor.type);
    if (bytes > MAX_BYTES - r->bytes) {
        return refuse(r, "they have more than 1 GiB");
    }
    r->bytes += bytes;
    unsigned char *data = rl_arena_alloc(r->arena, bytes);
    rl_pt2_gather(&tensor, storage->data, data);
    struct rl_array *array = &r->arrays[r->count];
    *array = (struct rl_array){.name = name, .dtype = tensor.type.dtype, .rank = tensor.type.rank, .data = data};
    memcpy(array->sizes, tensor.type.sizes, sizeof array->sizes);
    r->count++;
    return RL_OK;
}

// Collects tensors in the order in which torch.export flattens tuples, lists and dictionaries. Values that are not
// tensors were built into the graph.
static enum rl_status flatten(struct sample_reader *r, const struct rl_pickle_item *item, int depth)
{
    if (depth > MAX_DEPTH || ++r->visits > MAX_VISITS) {
        return refuse(r, "they are nested too deep");
    }
    if (item->kind == RL_PICKLE_TENSOR) {
        return take_tensor(r, item);
    }
    const bool is_dict = item->kind == RL_PICKLE_DICT;
    if (!is_dict && item->kind != RL_PICKLE_LIST) {
        return RL_OK;
    }
    for (int i = is_dict ? 1 : 0; i < item->count; i += is_dict ? 2 : 1) {
        const enum rl_status status = flatten(r, item->items[i], depth + 1);
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

// ---- other sizes

// How many samples of the input the array holds along its first axis; 0 if it has other sizes.
static int64_t whole_samples(const struct rl_array *array, const struct rl_tensor_type *type)
{
    if (array->rank != type->rank) {
        return 0;
    }
    for (int d = 1; d < type->rank; d++) {
        if (array->sizes[d] != type->sizes[d]) {
            return 0;
        }
    }
    if (type->rank == 0 || array->sizes[0] == type->sizes[0]) {
        return 1;
    }
    return type->sizes[0] > 0 && array->sizes[0] % type->sizes[0] == 0 ? array->sizes[0] / type->sizes[0] : 0;
}

static bool have_sizes_of_inputs(const struct sample_reader *r)
{
    for (int i = 0; i < r->count; i++) {
        const int64_t samples = whole_samples(&r->arrays[i], &r->graph->inputs[i]->type);
        if (samples == 0 || samples != whole_samples(&r->arrays[0], &r->graph->inputs[0]->type)) {
            return false;
        }
    }
    return true;
}

// Gives the array the sizes of the input: along each dimension, it is cut or repeated.
static enum rl_status resize(struct sample_reader *r, struct rl_array *array, const struct rl_tensor_type *type)
{
    const int64_t count = rl_tensor_numel(type);
    const size_t element = rl_scalar_size((int)array->dtype);
    if (array->rank != type->rank || (count > 0 && rl_array_numel(array) == 0)) {
        return RL_OK; // the caller says what is wrong
    }
    if (count > (int64_t)(MAX_BYTES / element)) {
        return refuse(r, "an input has more than 1 GiB");
    }
    unsigned char *data = rl_arena_array(r->arena, (size_t)count, element);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, offset = 0, stride = 1;
        for (int d = type->rank - 1; d >= 0; d--) {
            offset += rest % type->sizes[d] % array->sizes[d] * stride;
            stride *= array->sizes[d];
            rest /= type->sizes[d];
        }
        memcpy(data + (size_t)i * element, (const unsigned char *)array->data + (size_t)offset * element, element);
    }
    memcpy(array->sizes, type->sizes, sizeof array->sizes);
    array->data = data;
    return RL_OK;
}

static enum rl_status resize_all(struct sample_reader *r)
{
    if (have_sizes_of_inputs(r)) {
        return RL_OK;
    }
    enum rl_status status = RL_OK;
    for (int i = 0; i < r->count && status == RL_OK; i++) {
        status = resize(r, &r->arrays[i], &r->graph->inputs[i]->type);
    }
    return status;
}

// ---- all of it

static enum rl_status read_samples(struct sample_reader *r)
{
    struct rl_pickle_item *item = NULL;
    enum rl_status status = open_samples(r, &item);
    r->arrays = rl_arena_array(r->arena, (size_t)r->graph->input_count, sizeof *r->arrays);
    if (status == RL_OK) {
        status = flatten(r, item, 0);
    }
    if (status == RL_OK && r->count != r->graph->input_count) {
        return refuse(r, "there are fewer tensors than inputs");
    }
    return status == RL_OK ? resize_all(r) : status;
}

// Reads with a handler of its own for running out of memory, so that both archives are closed.
static enum rl_status read_guarded(struct sample_reader *r)
{
    jmp_buf *const outer = r->arena->out_of_memory;
    jmp_buf here;
    enum rl_status status;
    if (setjmp(here) == 0) {
        r->arena->out_of_memory = &here;
        status = read_samples(r);
    } else {
        status = rl_fail(r->context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", r->path);
    }
    r->arena->out_of_memory = outer;
    return status;
}

enum rl_status rl_pt2_read_samples(struct rl_context *context, struct rl_arena *arena, const char *path,
                                   const struct rl_graph *graph, struct rl_array **arrays, int *count)
{
    struct sample_reader reader = {.context = context, .arena = arena, .path = path, .graph = graph};
    const enum rl_status status = read_guarded(&reader);
    rl_torch_file_close(&reader.file);
    rl_archive_close(&reader.archive);
    *arrays = reader.arrays;
    *count = status == RL_OK ? reader.count : 0;
    return status;
}
