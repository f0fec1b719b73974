// SPDX-License-Identifier: Apache-2.0
#include "compiler/data/dataset.h"

#include <stdio.h>
#include <string.h>

#include "compiler/data/batches.h"
#include "compiler/data/files.h"
#include "compiler/data/npz.h"
#include "compiler/media/media.h"
#include "compiler/read/samples.h"
#include "compiler/support/suggest.h"
#include "compiler/support/zip_reader.h"

// ---- matching arrays and inputs

static struct rl_array *find_array(struct rl_array *arrays, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(arrays[i].name, name) == 0) {
            return &arrays[i];
        }
    }
    return NULL;
}

static struct rl_array *find_numbered(struct rl_array *arrays, int count, const char *stem, int number)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%d", stem, number);
    return find_array(arrays, count, name);
}

static bool is_labels(const struct rl_array *array)
{
    return strcmp(array->name, "labels") == 0 || strcmp(array->name, "label") == 0;
}

static struct rl_array *named_array(const struct rl_graph *graph, int input, struct rl_array *arrays, int count)
{
    struct rl_array *array = find_array(arrays, count, graph->inputs[input]->name);
    if (!array) {
        array = find_numbered(arrays, count, "input", input);
    }
    return array ? array : find_numbered(arrays, count, "arr", input);
}

// Finds the array of each input; NULL if the file has none for it.
static void match_arrays(const struct rl_graph *graph, struct rl_array *arrays, int count, struct rl_array **found)
{
    int missing = 0, last = 0;
    for (int i = 0; i < graph->input_count; i++) {
        found[i] = named_array(graph, i, arrays, count);
        if (!found[i]) {
            missing++;
            last = i;
        }
    }
    if (missing != 1) {
        return;
    }
    found[last] = find_array(arrays, count, "input");
    if (!found[last] && graph->input_count == 1 && count == 1 && !is_labels(&arrays[0])) {
        found[last] = &arrays[0];
    }
}

// Arrays that data files often have beside samples.
static bool is_expected(const struct rl_array *array)
{
    return is_labels(array) || strncmp(array->name, "output", strlen("output")) == 0;
}

static const char *list_arrays(struct rl_arena *arena, const struct rl_array *arrays, int count)
{
    enum { MAX_LISTED = 8 };
    const char *list = count == 0 ? "none" : "";
    for (int i = 0; i < count && i < MAX_LISTED; i++) {
        list = rl_arena_format(arena, "%s%s'%s'", list, i > 0 ? ", " : "", arrays[i].name);
    }
    return count > MAX_LISTED ? rl_arena_format(arena, "%s, ...", list) : list;
}

static const char *list_inputs(struct rl_arena *arena, const struct rl_graph *graph)
{
    const char *list = "";
    for (int i = 0; i < graph->input_count; i++) {
        list = rl_arena_format(arena, "%s%s'%s' %s", list, i > 0 ? ", " : "", graph->inputs[i]->name,
                               rl_type_text(arena, &graph->inputs[i]->type));
    }
    return list;
}

static const char *suggest_input(const struct rl_graph *graph, struct rl_arena *arena, const char *given,
                                 char text[RL_SUGGEST_TEXT_BYTES])
{
    const char **names = rl_arena_array(arena, (size_t)graph->input_count, sizeof *names);
    for (int i = 0; i < graph->input_count; i++) {
        names[i] = graph->inputs[i]->name;
    }
    return rl_suggest(text, given, names, graph->input_count);
}

// ---- collecting

struct collection {
    struct rl_context *context;
    struct rl_arena *arena;
    const struct rl_graph *graph;
    struct rl_batches *inputs; // one per graph input
    struct rl_batches labels;
    bool labels_everywhere;
    bool may_stay;          // large samples may stay in their file
    struct rl_array *label; // of a file that lies in the folder of a class; else NULL
};

static enum rl_status collect_labels(struct collection *c, const char *place, struct rl_array *labels)
{
    if (!labels || labels->skipped) {
        c->labels_everywhere = false;
        return RL_OK;
    }
    if (!c->labels.first && labels->rank > 1) {
        c->labels.type = rl_tensor_type_make(RL_INT64, labels->rank - 1, labels->sizes + 1);
    }
    return rl_batches_add(c->context, c->arena, place, "label", labels, &c->labels);
}

static bool is_used(const struct collection *c, const struct rl_array *array, struct rl_array *const *matches)
{
    bool used = is_expected(array);
    for (int k = 0; k < c->graph->input_count && !used; k++) {
        used = matches[k] == array;
    }
    return used;
}

static void warn_of_unused(const struct collection *c, const char *place, const struct rl_array *arrays, int count,
                           struct rl_array *const *matches)
{
    enum { MAX_WARNINGS = 8 };
    int unused = 0;
    for (int i = 0; i < count; i++) {
        if (is_used(c, &arrays[i], matches)) {
            continue;
        }
        if (unused++ < MAX_WARNINGS) {
            char close[RL_SUGGEST_TEXT_BYTES];
            rl_log(c->context, RL_LOG_WARNING, "%s: array '%s' is not used: it matches no input%s; the inputs are %s",
                   place, arrays[i].name, suggest_input(c->graph, c->arena, arrays[i].name, close),
                   list_inputs(c->arena, c->graph));
        }
    }
    if (unused > MAX_WARNINGS) {
        rl_log(c->context, RL_LOG_WARNING, "%s: %d more arrays are not used", place, unused - MAX_WARNINGS);
    }
}

// Labels and classes are int64 or int32. uint8 may be pixels, which are samples.
static void warn_of_integers(const struct collection *c, const char *place, const struct rl_array *array,
                             const struct rl_value *input)
{
    const bool is_integer = !array->skipped && (array->dtype == RL_INT64 || array->dtype == RL_INT32);
    if (is_integer && input->type.dtype == RL_FLOAT32) {
        rl_log(c->context, RL_LOG_WARNING,
               "%s: array '%s' for input '%s' holds %s, where the model takes float32; labels instead of samples?",
               place, array->name, input->name, rl_dtype_name(array->dtype));
    }
}

// The headers of arrays that will be loaded. What they take in all must fit the size of their file.
static enum rl_status describe(const struct collection *c, struct rl_array *const *used, int count)
{
    uint64_t bytes = 0;
    for (int i = 0; i < count; i++) {
        if (!used[i] || !used[i]->file.path) {
            continue;
        }
        const struct rl_array_file *file = &used[i]->file;
        const uint64_t limit = rl_zip_limit(c->context, file->file_bytes);
        if (file->bytes > limit - bytes) {
            return rl_zip_refuse_size(c->context, file->path, used[i]->name, file->file_bytes);
        }
        bytes += file->bytes;
        const struct rl_tensor_type *type = i < c->graph->input_count ? &c->graph->inputs[i]->type : &c->labels.type;
        const enum rl_status status = rl_data_describe(c->context, c->arena, type, used[i], 1);
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

static enum rl_status refuse_unknown(const struct collection *c, const char *place, const struct rl_array *arrays,
                                     int count)
{
    return rl_fail(c->context, RL_ERROR_FORMAT,
                   "%s: no array for an input of the model: found %s; accepted: arrays named after the inputs %s%s",
                   place, list_arrays(c->arena, arrays, count), list_inputs(c->arena, c->graph),
                   c->graph->input_count == 1 ? ", or 'input', or one array alone" : "");
}

static enum rl_status collect(struct collection *c, const char *place, struct rl_array *arrays, int count)
{
    const int inputs = c->graph->input_count;
    struct rl_array **matches = rl_arena_array(c->arena, (size_t)inputs + 1, sizeof *matches); // the last is the labels
    int found = 0;
    match_arrays(c->graph, arrays, count, matches);
    matches[inputs] = find_array(arrays, count, "labels");
    if (!matches[inputs]) {
        matches[inputs] = find_array(arrays, count, "label");
    }
    if (!matches[inputs]) {
        matches[inputs] = c->label;
    }
    enum rl_status status = describe(c, matches, inputs + 1);
    for (int i = 0; i < inputs && status == RL_OK; i++) {
        if (!matches[i]) {
            continue;
        }
        found++;
        warn_of_integers(c, place, matches[i], c->graph->inputs[i]);
        status = rl_batches_add(c->context, c->arena, place, c->graph->inputs[i]->name, matches[i], &c->inputs[i]);
    }
    if (status != RL_OK) {
        return status;
    }
    if (found == 0) {
        return refuse_unknown(c, place, arrays, count);
    }
    warn_of_unused(c, place, arrays, count, matches);
    return collect_labels(c, place, matches[inputs]);
}

// The label of a file with one sample.
static struct rl_array *label_of_class(struct rl_arena *arena, int64_t class)
{
    struct rl_array *label = rl_arena_alloc(arena, sizeof *label);
    *label = (struct rl_array){.name = "labels", .dtype = RL_INT64, .rank = 1, .sizes = {1}};
    label->data = rl_arena_copy(arena, &class, sizeof class);
    return label;
}

static void start(struct collection *c)
{
    c->labels_everywhere = true;
    c->inputs = rl_arena_array(c->arena, (size_t)c->graph->input_count, sizeof *c->inputs);
    for (int i = 0; i < c->graph->input_count; i++) {
        c->inputs[i].type = c->graph->inputs[i]->type;
    }
    c->labels.type = rl_tensor_type_make(RL_INT64, 0, NULL);
}

// One warning for all of them.
static void warn_of_turned(const struct collection *c, const struct rl_batches *batches)
{
    const struct rl_batch *first = NULL;
    long long images = 0, turned = 0;
    for (const struct rl_batch *batch = batches->first; batch; batch = batch->next) {
        images++;
        turned += batch->array->is_turned;
        first = !first && batch->array->is_turned ? batch : first;
    }
    if (first) {
        rl_log(c->context, RL_LOG_WARNING,
               "%s: its EXIF data ask for a turn, but pixels are taken as they are stored; it is so for %lld of %lld "
               "files",
               first->place, turned, images);
    }
}

// Samples of one file that can be read one by one stay there, where they are so large that opening it does not count.
static bool stay_in_file(const struct collection *c, const struct rl_batches *batches)
{
    enum { LEAST_BYTES = 128 << 10 };
    const struct rl_tensor_type *type = &batches->type;
    const struct rl_batch *first = batches->first;
    return c->may_stay && first && !first->next && !first->array->data && first->array->file.member &&
           first->array->file.elements > 0 && type->dtype == RL_FLOAT32 && rl_tensor_is_contiguous(type) &&
           rl_tensor_bytes(type) >= LEAST_BYTES;
}

static enum rl_status take_samples(struct collection *c, const struct rl_batches *batches,
                                   struct rl_dataset_input *input)
{
    if (!stay_in_file(c, batches)) {
        return rl_batches_join(c->context, c->arena, input->name, batches, &input->samples);
    }
    input->file = batches->first->array;
    return rl_npz_check(c->context, input->file);
}

static enum rl_status finish(struct collection *c, struct rl_dataset *dataset)
{
    const struct rl_graph *graph = c->graph;
    *dataset = (struct rl_dataset){.input_count = graph->input_count};
    dataset->inputs = rl_arena_array(c->arena, (size_t)graph->input_count, sizeof *dataset->inputs);
    for (int i = 0; i < graph->input_count; i++) {
        struct rl_dataset_input *input = &dataset->inputs[i];
        input->name = graph->inputs[i]->name;
        input->type = graph->inputs[i]->type;
        input->sample_bytes = rl_tensor_bytes(&input->type);
        if (c->inputs[i].sample_count != c->inputs[0].sample_count) {
            return rl_fail(c->context, RL_ERROR_FORMAT,
                           "%s: %lld samples for input '%s' but %lld for '%s'; accepted: the same number for all",
                           graph->source, (long long)c->inputs[0].sample_count, graph->inputs[0]->name,
                           (long long)c->inputs[i].sample_count, input->name);
        }
        warn_of_turned(c, &c->inputs[i]);
        const enum rl_status status = take_samples(c, &c->inputs[i], input);
        if (status != RL_OK) {
            return status;
        }
    }
    dataset->files = graph->input_count > 0 ? c->inputs[0].first : NULL;
    dataset->sample_count = graph->input_count > 0 ? c->inputs[0].sample_count : 0;
    const int64_t labels_count = c->labels.sample_count * rl_tensor_numel(&c->labels.type);
    if (!c->labels_everywhere || dataset->sample_count == 0 || labels_count == 0 ||
        labels_count % dataset->sample_count != 0) {
        return RL_OK;
    }
    dataset->labels_per_sample = labels_count / dataset->sample_count;
    const unsigned char *labels;
    const enum rl_status status = rl_batches_join(c->context, c->arena, "labels", &c->labels, &labels);
    dataset->labels = (const void *)labels;
    return status;
}

enum rl_status rl_dataset_from_arrays(struct rl_context *context, struct rl_arena *arena, const char *place,
                                      const struct rl_array *arrays, int count, const struct rl_graph *graph,
                                      struct rl_dataset *dataset)
{
    struct collection c = {.context = context, .arena = arena, .graph = graph};
    start(&c);
    struct rl_array *copies = rl_arena_copy(arena, arrays, (size_t)count * sizeof *arrays); // the elements are shared
    const enum rl_status status = collect(&c, place, copies, count);
    return status == RL_OK ? finish(&c, dataset) : status;
}

static enum rl_status load(struct rl_context *context, struct rl_arena *arena, const char *const *paths, int path_count,
                           const struct rl_graph *graph, bool may_stay, struct rl_dataset *dataset)
{
    struct collection c = {.context = context, .arena = arena, .graph = graph, .may_stay = may_stay};
    start(&c);
    struct rl_array *arrays;
    int count;
    if (path_count == 0) {
        const enum rl_status status = rl_pt2_read_samples(context, arena, graph->source, graph, &arrays, &count);
        return status == RL_OK ? rl_dataset_from_arrays(context, arena, graph->source, arrays, count, graph, dataset)
                               : status;
    }
    struct rl_data_files files;
    enum rl_status status = rl_data_files(context, arena, paths, path_count, &files);
    if (status == RL_OK) {
        status = rl_media_check(context, files.paths, files.count);
    }
    for (int i = 0; i < files.count && status == RL_OK; i++) {
        status = rl_data_list(context, arena, files.paths[i], &arrays, &count);
        if (status == RL_OK) {
            c.label = files.classes[i] >= 0 ? label_of_class(arena, files.classes[i]) : NULL;
            status = collect(&c, files.paths[i], arrays, count);
        }
    }
    return status == RL_OK ? finish(&c, dataset) : status;
}

enum rl_status rl_dataset_load(struct rl_context *context, struct rl_arena *arena, const char *const *paths,
                               int path_count, const struct rl_graph *graph, struct rl_dataset *dataset)
{
    return load(context, arena, paths, path_count, graph, false, dataset);
}

enum rl_status rl_dataset_open(struct rl_context *context, struct rl_arena *arena, const char *const *paths,
                               int path_count, const struct rl_graph *graph, struct rl_dataset *dataset)
{
    return load(context, arena, paths, path_count, graph, true, dataset);
}

bool rl_dataset_starts(const struct rl_dataset *dataset, int64_t sample)
{
    return sample == 0 || (dataset->sequence > 0 && sample % dataset->sequence == 0);
}

const void *rl_dataset_sample(const struct rl_dataset *dataset, int input, int64_t sample)
{
    const struct rl_dataset_input *samples = &dataset->inputs[input];
    return samples->samples + (size_t)sample * samples->sample_bytes;
}

size_t rl_dataset_room(const struct rl_dataset *dataset, int input)
{
    return dataset->inputs[input].file ? dataset->inputs[input].sample_bytes : 0;
}

void **rl_dataset_rooms(const struct rl_dataset *dataset, struct rl_arena *arena)
{
    void **rooms = rl_arena_array(arena, (size_t)dataset->input_count, sizeof *rooms);
    for (int i = 0; i < dataset->input_count; i++) {
        rooms[i] = rl_arena_alloc(arena, rl_dataset_room(dataset, i));
    }
    return rooms;
}

enum rl_status rl_dataset_fetch(struct rl_context *context, const struct rl_dataset *dataset, int input, int64_t sample,
                                void *room, const void **data)
{
    const struct rl_dataset_input *samples = &dataset->inputs[input];
    if (!samples->file) {
        *data = rl_dataset_sample(dataset, input, sample);
        return RL_OK;
    }
    *data = room;
    const uint64_t offset = samples->file->file.elements + (uint64_t)sample * samples->sample_bytes;
    return rl_npz_read_part(context, samples->file, offset, room, samples->sample_bytes);
}
