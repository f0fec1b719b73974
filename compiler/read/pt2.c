// SPDX-License-Identifier: Apache-2.0
#include "compiler/read/pt2.h"

#include "compiler/read/reader.h"

enum { SCHEMA_MAJOR = 8 };

static enum rl_status check_version(struct rl_pt2_reader *reader)
{
    const json_t *version;
    int64_t major = 0;
    enum rl_status status = rl_json_get(reader, "model", reader->model, "schema_version", JSON_OBJECT, &version);
    if (status == RL_OK) {
        status = rl_json_get_int(reader, "schema_version", version, "major", &major);
    }
    if (status == RL_OK && major != SCHEMA_MAJOR) {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                       "%s: schema version %lld of torch.export; accepted: version %d (PyTorch 2.7 to 2.15; export the "
                       "model with one of them)",
                       reader->path, (long long)major, SCHEMA_MAJOR);
    }
    return status;
}

static enum rl_status read_graph(struct rl_pt2_reader *reader)
{
    const json_t *module = NULL;
    const json_t *graph = NULL;
    const json_t *signature = NULL;
    enum rl_status status = rl_json_get(reader, "model", reader->model, "graph_module", JSON_OBJECT, &module);
    if (status == RL_OK) {
        status = rl_json_get(reader, "graph_module", module, "graph", JSON_OBJECT, &graph);
    }
    if (status == RL_OK) {
        status = rl_json_get(reader, "graph_module", module, "signature", JSON_OBJECT, &signature);
    }
    if (status == RL_OK) {
        status = rl_json_get(reader, "graph", graph, "tensor_values", JSON_OBJECT, &reader->tensor_values);
    }
    if (status == RL_OK) {
        reader->size_values = json_object_get(graph, "sym_int_values");
        status = rl_pt2_fix_sizes(reader, signature);
    }
    if (status == RL_OK) {
        status = rl_pt2_read_inputs(reader, signature);
    }
    if (status == RL_OK) {
        status = rl_pt2_read_nodes(reader, graph);
    }
    if (status == RL_OK) {
        status = rl_pt2_read_outputs(reader, signature);
    }
    if (status == RL_OK) {
        rl_pt2_read_trees(reader, module);
        status = rl_pt2_read_constants(reader);
    }
    if (status == RL_OK) {
        status = rl_pt2_make_states(reader);
    }
    return status;
}

static enum rl_status read_archive(struct rl_pt2_reader *reader)
{
    struct rl_archive_parts parts;
    enum rl_status status = rl_archive_open(reader->context, reader->arena, reader->path, &reader->archive);
    if (status == RL_OK) {
        status = rl_archive_find_parts(&reader->archive, &parts);
    }
    if (status == RL_OK) {
        status = rl_json_parse(reader, parts.model, &reader->model);
    }
    if (status == RL_OK) {
        status = check_version(reader);
    }
    if (status == RL_OK) {
        status = rl_pt2_open_weights(reader, &parts);
    }
    return status == RL_OK ? read_graph(reader) : status;
}

// Reads with a handler of its own for the end of memory, so that what is not in the arena is released.
static enum rl_status read_guarded(struct rl_pt2_reader *reader)
{
    jmp_buf *const outer = reader->arena->out_of_memory;
    jmp_buf here;
    enum rl_status status;
    if (setjmp(here) == 0) {
        reader->arena->out_of_memory = &here;
        status = read_archive(reader);
    } else {
        status = rl_fail(reader->context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", reader->path);
    }
    reader->arena->out_of_memory = outer;
    return status;
}

enum rl_status rl_pt2_read(struct rl_context *context, struct rl_arena *arena, const char *path,
                           const struct rl_input_shapes *shapes, struct rl_graph **graph)
{
    struct rl_pt2_reader reader = {.context = context,
                                   .arena = arena,
                                   .path = path,
                                   .graph = rl_graph_new(arena, "forward", path),
                                   .shapes = shapes ? *shapes : (struct rl_input_shapes){0},
                                   .symbols.arena = arena,
                                   .sizes.arena = arena,
                                   .values.arena = arena,
                                   .node_names.arena = arena,
                                   .stems.arena = arena,
                                   .storages.arena = arena,
                                   .pickled.arena = arena};
    reader.weights_end = &reader.weights;
    reader.numbers_end = &reader.numbers;
    reader.mutations_end = &reader.mutations;
    const enum rl_status status = read_guarded(&reader);
    json_decref(reader.model);
    json_decref(reader.weights_config);
    json_decref(reader.constants_config);
    rl_torch_file_close(&reader.weights_file);
    rl_torch_file_close(&reader.constants_file);
    rl_archive_close(&reader.archive);
    *graph = status == RL_OK ? reader.graph : NULL;
    return status;
}
