// SPDX-License-Identifier: Apache-2.0
#include "compiler/read/samples.h"

#include <string.h>

#include "compiler/read/pickle.h"
#include "compiler/read/reader.h"

enum { MAX_BYTES = 1 << 30, MAX_PICKLE = 1 << 20, MAX_DEPTH = 32, MAX_VISITS = 65536 };

// The pickle and the raw storages beside it: a file of torch.save inside the .pt2.
struct sample_reader {
    struct rl_context *context;
    struct rl_arena *arena;
    const char *path;
    const struct rl_graph *graph;
    struct rl_archive archive;
    struct rl_zip inner;
    const char *prefix; // of the members of `inner`
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

static enum rl_status open_inner(struct sample_reader *r)
{
    static const char mark[] = "data.pkl";
    const char *member;
    void *data;
    size_t size;
    enum rl_status status = rl_archive_open(r->context, r->arena, r->path, &r->archive);
    if (status != RL_OK) {
        return status;
    }
    if (!rl_archive_has(&r->archive, "data/sample_inputs/model.pt")) {
        return refuse(r, "there are none; accepted: data given as .npz or .npy");
    }
    member = "data/sample_inputs/model.pt";
    status = rl_archive_read(&r->archive, member, MAX_BYTES, &data, &size);
    if (status == RL_OK) {
        status = rl_zip_open_memory(r->context, r->arena, data, size,
                                    rl_arena_format(r->arena, "%s: %s", r->path, member), &r->inner);
    }
    for (long long i = 0; status == RL_OK && i < rl_zip_count(&r->inner) && !r->prefix; i++) {
        const char *name = rl_zip_name(&r->inner, i);
        const size_t length = name ? strlen(name) : 0;
        if (length >= strlen(mark) && strcmp(name + length - strlen(mark), mark) == 0) {
            r->prefix = rl_arena_format(r->arena, "%.*s", (int)(length - strlen(mark)), name);
        }
    }
    return status == RL_OK && !r->prefix ? refuse(r, "no pickle in their archive") : status;
}

static enum rl_status check_byte_order(struct sample_reader *r)
{
    const char *name = rl_arena_format(r->arena, "%sbyteorder", r->prefix);
    if (!rl_zip_has(&r->inner, name)) {
        return RL_OK;
    }
    void *data;
    size_t size;
    const enum rl_status status = rl_zip_read(&r->inner, name, 16, &data, &size);
    return status == RL_OK && strcmp(data, "little") != 0 ? refuse(r, "they are not little-endian") : status;
}

static enum rl_status take_tensor(struct sample_reader *r, const struct rl_pickle_item *item)
{
    if (r->count == r->graph->input_count) {
        return refuse(r, "there are more tensors than inputs");
    }
    struct rl_pt2_tensor tensor = {.type = item->type, .offset = item->offset};
    bool negative = item->offset < 0;
    for (int d = 0; d < item->type.rank; d++) {
        tensor.strides[d] = item->strides[d];
        negative = negative || item->strides[d] < 0;
    }
    void *storage;
    size_t size;
    const enum rl_status status = rl_zip_read(
        &r->inner, rl_arena_format(r->arena, "%sdata/%s", r->prefix, item->string), MAX_BYTES, &storage, &size);
    if (status != RL_OK) {
        return status;
    }
    if (negative || !rl_tensor_type_is_valid(&tensor.type) || !rl_pt2_fits_storage(&tensor, size)) {
        return refuse(r, "a tensor does not fit its storage");
    }
    const size_t bytes = rl_tensor_bytes(&tensor.type);
    if (bytes > MAX_BYTES - r->bytes) {
        return refuse(r, "they have more than 1 GiB");
    }
    r->bytes += bytes;
    unsigned char *data = rl_arena_alloc(r->arena, bytes);
    rl_pt2_gather(&tensor, storage, data);
    struct rl_array *array = &r->arrays[r->count];
    *array = (struct rl_array){
        .name = r->graph->inputs[r->count]->name, .dtype = tensor.type.dtype, .rank = tensor.type.rank, .data = data};
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

static enum rl_status read_samples(struct sample_reader *r)
{
    enum rl_status status = open_inner(r);
    if (status == RL_OK) {
        status = check_byte_order(r);
    }
    void *pickle = NULL;
    size_t size = 0;
    if (status == RL_OK) {
        status = rl_zip_read(&r->inner, rl_arena_format(r->arena, "%sdata.pkl", r->prefix), MAX_PICKLE, &pickle, &size);
    }
    struct rl_pickle_item *item = NULL;
    if (status == RL_OK) {
        status = rl_pickle_read(r->context, r->arena, r->path, pickle, size, &item);
    }
    r->arrays = rl_arena_array(r->arena, (size_t)r->graph->input_count, sizeof *r->arrays);
    if (status == RL_OK) {
        status = flatten(r, item, 0);
    }
    return status == RL_OK && r->count != r->graph->input_count ? refuse(r, "there are fewer tensors than inputs")
                                                                : status;
}

// Reads with a handler of its own for the end of memory, so that both archives are closed.
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
    rl_zip_close(&reader.inner);
    rl_archive_close(&reader.archive);
    *arrays = reader.arrays;
    *count = status == RL_OK ? reader.count : 0;
    return status;
}
