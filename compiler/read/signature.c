// SPDX-License-Identifier: Apache-2.0
// The inputs and outputs of the graph: weights, user inputs, user outputs, and the trees around them.
#include "compiler/read/reader.h"

#include <string.h>

enum { MAX_INPUTS = 65536 };

static enum rl_status define(struct rl_pt2_reader *reader, struct rl_value *value)
{
    if (!rl_name_map_add(&reader->values, value->name, value)) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: signature: '%s' is defined twice", reader->path,
                       value->name);
    }
    return RL_OK;
}

static enum rl_status add_weight(struct rl_pt2_reader *reader, const json_t *spec, const char *key_member)
{
    const json_t *arg;
    const char *name = "";
    const char *key = "";
    enum rl_status status = rl_json_get(reader, "signature", spec, "arg", JSON_OBJECT, &arg);
    if (status == RL_OK) {
        status = rl_json_get_string(reader, "signature", arg, "name", &name);
    }
    if (status == RL_OK) {
        status = rl_json_get_string(reader, "signature", spec, key_member, &key);
    }
    struct rl_tensor_type type;
    if (status == RL_OK) {
        status = rl_pt2_find_type(reader, name, &type);
    }
    if (status != RL_OK) {
        return status;
    }
    struct rl_value *value = rl_arena_alloc(reader->arena, sizeof *value);
    value->kind = RL_VALUE_CONSTANT;
    value->name = rl_arena_string(reader->arena, name);
    value->type = type;
    struct rl_pt2_weight *weight = rl_arena_alloc(reader->arena, sizeof *weight);
    weight->value = value;
    weight->key = key;
    *reader->weights_end = weight;
    reader->weights_end = &weight->next;
    return define(reader, value);
}

static enum rl_status add_user_input(struct rl_pt2_reader *reader, const json_t *spec)
{
    const char *kind;
    const json_t *content;
    enum rl_status status =
        rl_json_get_union(reader, "signature: user input", json_object_get(spec, "arg"), &kind, &content);
    if (status != RL_OK) {
        return status;
    }
    if (strcmp(kind, "as_tensor") != 0) {
        rl_log(reader->context, RL_LOG_WARNING,
               "%s: an input that is not a tensor (%s) keeps the value it had when the model was exported",
               reader->path, kind);
        return RL_OK;
    }
    const char *name;
    struct rl_tensor_type type;
    status = rl_json_get_string(reader, "signature: user input", content, "name", &name);
    if (status == RL_OK) {
        status = rl_pt2_find_type(reader, name, &type);
    }
    if (status != RL_OK) {
        return status;
    }
    if (rl_name_map_find(&reader->values, name)) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: signature: '%s' is defined twice", reader->path, name);
    }
    return define(reader, rl_graph_add_input(reader->graph, name, &type));
}

static enum rl_status add_input(struct rl_pt2_reader *reader, const json_t *item)
{
    const char *kind;
    const json_t *spec;
    const enum rl_status status = rl_json_get_union(reader, "signature: input_specs", item, &kind, &spec);
    if (status != RL_OK) {
        return status;
    }
    if (strcmp(kind, "user_input") == 0) {
        return add_user_input(reader, spec);
    }
    if (strcmp(kind, "parameter") == 0) {
        return add_weight(reader, spec, "parameter_name");
    }
    if (strcmp(kind, "buffer") == 0) {
        return add_weight(reader, spec, "buffer_name");
    }
    if (strcmp(kind, "tensor_constant") == 0) {
        return add_weight(reader, spec, "tensor_constant_name");
    }
    if (strcmp(kind, "constant_input") == 0) {
        return RL_OK; // a Python value that the exporter has built into the graph
    }
    return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                   "%s: signature: an input of kind '%s'; accepted: parameter, buffer, tensor_constant, user_input, "
                   "constant_input",
                   reader->path, kind);
}

enum rl_status rl_pt2_read_inputs(struct rl_pt2_reader *reader, const json_t *signature)
{
    const json_t *specs;
    enum rl_status status = rl_json_get(reader, "signature", signature, "input_specs", JSON_ARRAY, &specs);
    if (status != RL_OK) {
        return status;
    }
    const size_t count = json_array_size(specs);
    if (count > MAX_INPUTS) {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED, "%s: signature: %zu inputs; accepted: up to %d",
                       reader->path, count, MAX_INPUTS);
    }
    for (size_t i = 0; i < count && status == RL_OK; i++) {
        status = add_input(reader, json_array_get(specs, i));
    }
    return status;
}

static enum rl_status add_mutation(struct rl_pt2_reader *reader, const char *place, const json_t *spec)
{
    const json_t *content = NULL;
    struct rl_pt2_mutation *mutation = rl_arena_alloc(reader->arena, sizeof *mutation);
    enum rl_status status = rl_json_get(reader, place, spec, "arg", JSON_OBJECT, &content);
    if (status == RL_OK) {
        status = rl_json_get_string(reader, place, spec, "buffer_name", &mutation->key);
    }
    if (status == RL_OK) {
        status = rl_pt2_find_value(reader, place, content, &mutation->next_value);
    }
    *reader->mutations_end = mutation;
    reader->mutations_end = &mutation->next;
    return status;
}

static enum rl_status add_output(struct rl_pt2_reader *reader, const json_t *item)
{
    static const char place[] = "signature: output_specs";
    const char *kind;
    const json_t *spec;
    enum rl_status status = rl_json_get_union(reader, place, item, &kind, &spec);
    if (status != RL_OK) {
        return status;
    }
    if (strcmp(kind, "user_input_mutation") == 0) {
        const char *name = json_string_value(json_object_get(spec, "user_input_name"));
        rl_log(reader->context, RL_LOG_WARNING,
               "%s: the model changes its input '%s', which the program leaves as it is", reader->path,
               name ? name : "?");
        return RL_OK;
    }
    if (strcmp(kind, "buffer_mutation") == 0) {
        return add_mutation(reader, place, spec);
    }
    if (strcmp(kind, "user_output") != 0) {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                       "%s: signature: an output of kind '%s'; accepted: user_output, buffer_mutation, "
                       "user_input_mutation",
                       reader->path, kind);
    }
    const json_t *content;
    status = rl_json_get_union(reader, place, json_object_get(spec, "arg"), &kind, &content);
    if (status != RL_OK) {
        return status;
    }
    if (strcmp(kind, "as_none") == 0) {
        rl_log(reader->context, RL_LOG_WARNING,
               "%s: the model gives None behind %d of its outputs, which the program leaves out", reader->path,
               reader->graph->output_count);
        reader->leaves_out = true;
        return RL_OK;
    }
    if (strcmp(kind, "as_tensor") != 0) {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                       "%s: output %d of the model is '%s'; accepted: tensors and None", reader->path,
                       reader->graph->output_count, kind);
    }
    struct rl_value *value;
    status = rl_pt2_find_value(reader, place, content, &value);
    if (status == RL_OK) {
        rl_graph_add_output(reader->graph, value);
    }
    return status;
}

enum rl_status rl_pt2_read_outputs(struct rl_pt2_reader *reader, const json_t *signature)
{
    const json_t *specs;
    enum rl_status status = rl_json_get(reader, "signature", signature, "output_specs", JSON_ARRAY, &specs);
    for (size_t i = 0; status == RL_OK && i < json_array_size(specs) && i < MAX_INPUTS; i++) {
        status = add_output(reader, json_array_get(specs, i));
    }
    return status;
}

// Makes states of the buffers that the model changes. A buffer that the model neither reads nor returns stays out,
// because nobody sees what it holds.
enum rl_status rl_pt2_make_states(struct rl_pt2_reader *reader)
{
    for (const struct rl_pt2_mutation *mutation = reader->mutations; mutation; mutation = mutation->next) {
        const struct rl_pt2_weight *weight = reader->weights;
        while (weight && strcmp(weight->key, mutation->key) != 0) {
            weight = weight->next;
        }
        if (!weight || (weight->value->data && rl_value_is_state(weight->value))) {
            return rl_fail(reader->context, RL_ERROR_FORMAT,
                           "%s: signature: the model changes '%s', which is not one of its buffers, or does it twice",
                           reader->path, mutation->key);
        }
        if (weight->value->data) {
            rl_graph_add_state(reader->graph, weight->value);
            rl_graph_set_next(reader->graph, reader->graph->state_count - 1, mutation->next_value);
        }
    }
    return RL_OK;
}

static const char *copy_if_string(struct rl_pt2_reader *reader, const json_t *item)
{
    const char *text = json_string_value(item);
    return text ? rl_arena_string(reader->arena, text) : NULL;
}

static const char *const *names_of(struct rl_pt2_reader *reader, struct rl_value *const *values, int count)
{
    const char **names = rl_arena_array(reader->arena, (size_t)count, sizeof *names);
    for (int i = 0; i < count; i++) {
        names[i] = rl_arena_string(reader->arena, values[i]->name);
    }
    return names;
}

void rl_pt2_read_trees(struct rl_pt2_reader *reader, const json_t *graph_module)
{
    const json_t *calls = json_object_get(graph_module, "module_call_graph");
    const json_t *signature = json_object_get(json_array_get(calls, 0), "signature");
    reader->graph->input_tree = copy_if_string(reader, json_object_get(signature, "in_spec"));
    if (!reader->leaves_out) { // otherwise the tree would name more outputs than there are
        reader->graph->output_tree = copy_if_string(reader, json_object_get(signature, "out_spec"));
    }
    reader->graph->input_names = names_of(reader, reader->graph->inputs, reader->graph->input_count);
    reader->graph->output_names = names_of(reader, reader->graph->outputs, reader->graph->output_count);
}
