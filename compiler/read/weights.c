// SPDX-License-Identifier: Apache-2.0
// The data of parameters, buffers and constants. Since PyTorch 2.9 two configurations list them, before that the
// pickles of two files of torch.save.
#include "compiler/read/reader.h"

#include <stdint.h>
#include <string.h>

enum { MAX_SPREAD = 256 << 20 };

// A tensor in one of the two pickles.
struct rl_pt2_pickled {
    struct rl_torch_file *file;
    const struct rl_pickle_item *item;
};

// Dense tensors are used in place; others are copied to contiguous order.
static enum rl_status take_data(struct rl_pt2_reader *reader, const char *place, struct rl_pt2_tensor *tensor,
                                const struct rl_pt2_storage *storage, struct rl_value *value)
{
    if (!rl_pt2_fits_storage(tensor, storage->size)) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: needs more than the %zu bytes that are stored",
                       reader->path, place, storage->size);
    }
    const size_t bytes = rl_tensor_bytes(&tensor->type);
    if (tensor->dense || bytes == 0) {
        value->type = tensor->type;
        value->data = bytes == 0 ? rl_arena_alloc(reader->arena, 0)
                                 : storage->data + (size_t)tensor->offset * rl_scalar_size((int)tensor->type.dtype);
        return RL_OK;
    }
    // With a stride of 0, few bytes make a large tensor. A small file must not fill the memory.
    if (bytes > MAX_SPREAD - reader->spread_bytes) {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                       "%s: %s: more than %d bytes of tensors with gaps or repetitions; accepted: dense tensors",
                       reader->path, place, MAX_SPREAD);
    }
    reader->spread_bytes += bytes;
    unsigned char *data = rl_arena_alloc(reader->arena, bytes);
    rl_pt2_gather(tensor, storage->data, data);
    value->type = rl_tensor_type_make(tensor->type.dtype, tensor->type.rank, tensor->type.sizes);
    value->data = data;
    return RL_OK;
}

static enum rl_status refuse_missing(struct rl_pt2_reader *reader, const char *place)
{
    return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: not in the weights nor constants of the archive",
                   reader->path, place);
}

static enum rl_status refuse_subclass(struct rl_pt2_reader *reader, const char *place)
{
    return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                   "%s: %s: is stored as a Python pickle (a tensor subclass); accepted: plain tensors", reader->path,
                   place);
}

// ---- the files of the tensors

// Opens a file of torch.save and lists the tensors of the dictionary in it.
static enum rl_status list_pickled(struct rl_pt2_reader *reader, const char *member, struct rl_torch_file *file)
{
    struct rl_pickle_item *dict = NULL;
    const enum rl_status status = rl_torch_file_open(&reader->archive, member, file, &dict);
    if (status != RL_OK) {
        return status;
    }
    if (dict->kind != RL_PICKLE_DICT) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: not a dictionary of tensors", file->place);
    }
    for (int i = 0; i + 1 < dict->count; i += 2) {
        if (dict->items[i]->kind == RL_PICKLE_STRING) {
            struct rl_pt2_pickled *pickled = rl_arena_alloc(reader->arena, sizeof *pickled);
            *pickled = (struct rl_pt2_pickled){.file = file, .item = dict->items[i + 1]};
            rl_name_map_add(&reader->pickled, dict->items[i]->string, pickled);
        }
    }
    return RL_OK;
}

// A model without constants may lack the second of each pair.
enum rl_status rl_pt2_open_weights(struct rl_pt2_reader *reader, const struct rl_archive_parts *parts)
{
    const bool has_config = parts->weights_config && rl_archive_has(&reader->archive, parts->weights_config);
    if (!has_config && (!parts->weights_config || rl_archive_has(&reader->archive, parts->weights_pickle))) {
        const enum rl_status status = list_pickled(reader, parts->weights_pickle, &reader->weights_file);
        return status == RL_OK && rl_archive_has(&reader->archive, parts->constants_pickle)
                   ? list_pickled(reader, parts->constants_pickle, &reader->constants_file)
                   : status;
    }
    const enum rl_status status = rl_json_parse(reader, parts->weights_config, &reader->weights_config);
    return status == RL_OK && rl_archive_has(&reader->archive, parts->constants_config)
               ? rl_json_parse(reader, parts->constants_config, &reader->constants_config)
               : status;
}

// ---- one weight

// The entry of a weight in one of the two configurations, and the folder that it refers to.
static const json_t *find_entry(const struct rl_pt2_reader *reader, const char *key, const char **folder)
{
    const json_t *entry = json_object_get(json_object_get(reader->weights_config, "config"), key);
    *folder = "data/weights/";
    if (!entry) {
        entry = json_object_get(json_object_get(reader->constants_config, "config"), key);
        *folder = "data/constants/";
    }
    return entry;
}

// Looks the weight up in the configurations.
static enum rl_status find_raw(struct rl_pt2_reader *reader, const char *place, const char *key,
                               struct rl_pt2_tensor *tensor, const struct rl_pt2_storage **storage)
{
    const char *folder;
    const json_t *entry = find_entry(reader, key, &folder);
    if (!entry) {
        return refuse_missing(reader, place);
    }
    const char *member = "";
    const json_t *pickled = NULL;
    enum rl_status status = rl_json_get_string(reader, place, entry, "path_name", &member);
    if (status == RL_OK) {
        status = rl_json_get(reader, place, entry, "use_pickle", JSON_TRUE, &pickled);
    }
    if (status != RL_OK) {
        return status;
    }
    if (json_is_true(pickled)) {
        return refuse_subclass(reader, place);
    }
    status = rl_pt2_read_tensor_meta(reader, place, json_object_get(entry, "tensor_meta"), tensor);
    if (status != RL_OK) {
        return status;
    }
    const char *name = rl_arena_format(reader->arena, "%s%s%s", reader->archive.prefix, folder, member);
    return rl_pt2_read_storage(&reader->archive.zip, name, &reader->storages, storage);
}

// Looks the weight up in the pickles.
static enum rl_status find_pickled(struct rl_pt2_reader *reader, const char *place, const char *key,
                                   struct rl_pt2_tensor *tensor, const struct rl_pt2_storage **storage)
{
    const struct rl_pt2_pickled *pickled = rl_name_map_find(&reader->pickled, key);
    if (!pickled) {
        return refuse_missing(reader, place);
    }
    if (pickled->item->kind != RL_PICKLE_TENSOR) {
        return refuse_subclass(reader, place);
    }
    return rl_torch_file_tensor(pickled->file, key, pickled->item, tensor, storage);
}

static enum rl_status read_weight(struct rl_pt2_reader *reader, const struct rl_pt2_weight *weight)
{
    const char *place = rl_arena_format(reader->arena, "weight '%s'", weight->key);
    struct rl_pt2_tensor tensor;
    const struct rl_pt2_storage *storage;
    const enum rl_status status = reader->weights_config ? find_raw(reader, place, weight->key, &tensor, &storage)
                                                         : find_pickled(reader, place, weight->key, &tensor, &storage);
    if (status != RL_OK) {
        return status;
    }
    if (tensor.type.dtype != weight->value->type.dtype || !rl_tensor_same_sizes(&tensor.type, &weight->value->type)) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: its type differs between the graph and the weights",
                       reader->path, place);
    }
    return take_data(reader, place, &tensor, storage, weight->value);
}

static void mark_used(struct rl_value *value)
{
    if (value) {
        value->mark = 1;
    }
}

// Marks the values that nodes and outputs use. This reader makes every value with a mark of 0.
static void mark_used_values(const struct rl_graph *graph)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        for (int i = 0; i < node->arg_count; i++) {
            const struct rl_arg *arg = &node->args[i];
            if (arg->kind == RL_ARG_VALUE) {
                mark_used(arg->as.value);
            }
            for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
                mark_used(arg->as.values[k]);
            }
        }
    }
    for (int i = 0; i < graph->output_count; i++) {
        mark_used(graph->outputs[i]);
    }
}

// Gives each number a name that the file does not use.
static void name_numbers(struct rl_pt2_reader *reader)
{
    for (struct rl_value *number = reader->numbers; number; number = number->next) {
        const char *stem = number->name;
        for (int k = 1; !rl_name_map_add(&reader->values, number->name, number); k++) {
            number->name = rl_arena_format(reader->arena, "%s_%d", stem, k);
        }
    }
}

enum rl_status rl_pt2_read_constants(struct rl_pt2_reader *reader)
{
    mark_used_values(reader->graph);
    struct rl_value **end = &reader->graph->constants;
    for (const struct rl_pt2_weight *weight = reader->weights; weight; weight = weight->next) {
        if (weight->value->mark == 0) {
            continue;
        }
        const enum rl_status status = read_weight(reader, weight);
        if (status != RL_OK) {
            return status;
        }
        *end = weight->value;
        end = &weight->value->next;
    }
    name_numbers(reader);
    *end = reader->numbers;
    return RL_OK;
}
