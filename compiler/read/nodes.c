// SPDX-License-Identifier: Apache-2.0
// The nodes of the graph: operator, results, arguments.
#include "compiler/read/reader.h"

#include <stdio.h>
#include <string.h>

#include "format/pte_names.h"

enum { MAX_NODES = 65536, MAX_RESULTS = 4096 };

struct rl_pt2_stem {
    int last; // number behind it
};

// The parts of "torch.ops.aten.conv2d.default".
struct target {
    const char *text;
    const char *name; // "aten::conv2d"
    const char *base; // "conv2d"
    const char *overload;
};

static enum rl_status parse_target(struct rl_pt2_reader *reader, const char *place, const char *text,
                                   struct target *target)
{
    static const char prefix[] = "torch.ops.";
    target->text = text;
    const bool is_operator = strncmp(text, prefix, strlen(prefix)) == 0;
    const char *space = is_operator ? text + strlen(prefix) : text;
    const char *first = strchr(space, '.');
    const char *second = first ? strchr(first + 1, '.') : NULL;
    if (is_operator && strncmp(space, "higher_order.", 13) == 0) {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                       "%s: %s: control flow (a higher-order operator); accepted: straight-line graphs of operators",
                       reader->path, place);
    }
    if (!is_operator || !second) {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                       "%s: %s: computes with sizes or calls Python; accepted: torch.ops operators on tensors of "
                       "fixed sizes",
                       reader->path, place);
    }
    target->base = rl_arena_format(reader->arena, "%.*s", (int)(second - first - 1), first + 1);
    target->name = rl_arena_format(reader->arena, "%.*s::%s", (int)(first - space), space, target->base);
    target->overload = second + 1;
    return RL_OK;
}

static enum rl_status refuse_operator(struct rl_pt2_reader *reader, const char *place, const struct target *target)
{
    char overloads[256] = "";
    for (int id = 0; id < RL_OP_COUNT; id++) {
        const struct rl_op *op = rl_op_get((enum rl_op_id)id);
        if (strcmp(op->name, target->name) == 0) {
            const size_t used = strlen(overloads);
            snprintf(overloads + used, sizeof overloads - used, "%s%s", used > 0 ? ", " : "", op->overload);
        }
    }
    if (overloads[0] != '\0') {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                       "%s: %s: unknown overload '%s' of %s; accepted overloads: %s", reader->path, place,
                       target->overload, target->name, overloads);
    }
    // PyTorch can decompose most of its operators into others.
    const char *advice = strncmp(target->name, "aten::", strlen("aten::")) == 0
                             ? "; torch.export's program.run_decompositions() may express it with those"
                             : "";
    return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                   "%s: %s: unknown operator %s; accepted: the operators of rushlight/ops.def%s", reader->path, place,
                   target->name, advice);
}

// Checks that raise an exception or narrow a symbol: nothing is computed.
static bool is_check(const struct target *target)
{
    return strncmp(target->base, "_assert_", 8) == 0 || strncmp(target->base, "sym_constrain_range", 19) == 0;
}

// The list of result references: the outputs themselves, or the content of the one output of type Tensor[].
static enum rl_status find_results(struct rl_pt2_reader *reader, const char *place, const struct rl_op *op,
                                   const json_t *outputs, const json_t **list)
{
    *list = outputs;
    if (op->result_count >= 0) {
        const size_t expected = (size_t)op->result_count;
        if (json_array_size(outputs) != expected) {
            return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: expected %zu results, found %zu", reader->path,
                           place, expected, json_array_size(outputs));
        }
        return RL_OK;
    }
    *list = json_object_get(json_array_get(outputs, 0), "as_tensors");
    if (json_array_size(outputs) != 1 || !json_is_array(*list) || json_array_size(*list) > MAX_RESULTS) {
        return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: expected one list of up to %d tensors as result",
                       reader->path, place, MAX_RESULTS);
    }
    return RL_OK;
}

static enum rl_status read_result(struct rl_pt2_reader *reader, const char *place, bool in_list, const json_t *item,
                                  const char **name, struct rl_tensor_type *type)
{
    const json_t *reference = item;
    if (!in_list) {
        const char *kind;
        const enum rl_status status = rl_json_get_union(reader, place, item, &kind, &reference);
        if (status != RL_OK) {
            return status;
        }
        if (strcmp(kind, "as_tensor") != 0) {
            return rl_fail(reader->context, RL_ERROR_UNSUPPORTED, "%s: %s: a result is '%s'; accepted: tensors",
                           reader->path, place, kind);
        }
    }
    const char *text;
    const enum rl_status status = rl_json_get_string(reader, place, reference, "name", &text);
    if (status != RL_OK) {
        return status;
    }
    *name = rl_arena_string(reader->arena, text);
    return rl_pt2_find_result_type(reader, text, type);
}

static enum rl_status define_results(struct rl_pt2_reader *reader, const char *place, const struct rl_node *node)
{
    for (int i = 0; i < node->result_count; i++) {
        if (!rl_name_map_add(&reader->values, node->results[i]->name, node->results[i])) {
            return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: defines '%s' again", reader->path, place,
                           node->results[i]->name);
        }
    }
    return RL_OK;
}

static enum rl_status add_node(struct rl_pt2_reader *reader, const char *place, const char *name,
                               const struct target *target, const json_t *outputs, const json_t *inputs)
{
    enum rl_op_id id;
    if (!rl_op_find(target->name, target->overload, &id)) {
        return refuse_operator(reader, place, target);
    }
    const struct rl_op *op = rl_op_get(id);
    const json_t *list;
    enum rl_status status = find_results(reader, place, op, outputs, &list);
    if (status != RL_OK) {
        return status;
    }
    const size_t count = json_array_size(list);
    const char **names = rl_arena_array(reader->arena, count, sizeof(const char *));
    struct rl_tensor_type *types = rl_arena_array(reader->arena, count, sizeof *types);
    for (size_t i = 0; i < count && status == RL_OK; i++) {
        status = read_result(reader, place, op->result_count < 0, json_array_get(list, i), &names[i], &types[i]);
    }
    if (status != RL_OK) {
        return status;
    }
    struct rl_node *node =
        rl_graph_insert_named(reader->graph, NULL, id, rl_arena_string(reader->arena, name), (int)count, names, types);
    status = rl_pt2_read_arguments(reader, place, node, inputs);
    return status == RL_OK ? define_results(reader, place, node) : status;
}

// The name that the file gives a node; NULL when it gives none, as PyTorch up to 2.10 does.
static enum rl_status given_name(struct rl_pt2_reader *reader, const char *place, const json_t *item, const char **name)
{
    const json_t *given = json_object_get(item, "name");
    *name = NULL;
    return !given || json_is_null(given) ? RL_OK : rl_json_get_string(reader, place, item, "name", name);
}

// `stem`, or the first free of `stem`_1, `stem`_2, ... The map remembers the last number of each stem, so that many
// nodes of one stem do not take quadratic time.
static const char *unique_name(struct rl_pt2_reader *reader, const char *stem)
{
    struct rl_pt2_stem *entry = rl_name_map_find(&reader->stems, stem);
    if (!entry) {
        entry = rl_arena_alloc(reader->arena, sizeof *entry);
        rl_name_map_add(&reader->stems, stem, entry);
        if (rl_name_map_add(&reader->node_names, stem, reader->graph)) {
            return stem;
        }
    }
    const char *name;
    do {
        name = rl_arena_format(reader->arena, "%s_%d", stem, ++entry->last);
    } while (!rl_name_map_add(&reader->node_names, name, reader->graph));
    return name;
}

// A node without a name gets the one that later versions of PyTorch write: that of its only result, or else of its
// operator. A number makes it unique.
static const char *make_name(struct rl_pt2_reader *reader, const json_t *outputs, const char *target)
{
    const json_t *result = json_object_get(json_array_get(outputs, 0), "as_tensor");
    const char *stem = json_string_value(json_object_get(result, "name"));
    if (!stem || json_array_size(outputs) != 1) {
        const char *overload = strrchr(target, '.');
        const char *end = overload ? overload : target + strlen(target);
        const char *start = end;
        while (start > target && start[-1] != '.') {
            start--;
        }
        stem = rl_arena_format(reader->arena, "%.*s", (int)(end - start), start);
    }
    return unique_name(reader, rl_arena_string(reader->arena, stem));
}

// Whether a node only computes sizes, whose values the file lists as expressions.
static bool computes_sizes(const char *target, const json_t *outputs)
{
    const bool on_tensors = strncmp(target, "torch.ops.", strlen("torch.ops.")) == 0;
    for (size_t i = 0; i < json_array_size(outputs); i++) {
        if (!json_object_get(json_array_get(outputs, i), "as_sym_int")) {
            return false;
        }
    }
    return json_array_size(outputs) > 0 &&
           (!on_tensors || strncmp(target, "torch.ops.aten.sym_", strlen("torch.ops.aten.sym_")) == 0);
}

// The path of the innermost module in which a node was traced. The metadata have "nn_module_stack", the modules from
// the model inwards as "key,path,type;key,path,type". NULL when there is none, or one that cannot be shown.
static const char *read_layer(const struct rl_pt2_reader *reader, const json_t *item)
{
    const char *stack = json_string_value(json_object_get(json_object_get(item, "metadata"), "nn_module_stack"));
    const char *last = stack ? strrchr(stack, ';') : NULL;
    const char *key_end = stack ? strchr(last ? last : stack, ',') : NULL;
    const char *end = key_end ? strchr(key_end + 1, ',') : NULL;
    if (!end || !rl_pte_is_name(key_end + 1, (size_t)(end - key_end - 1))) {
        return NULL;
    }
    return rl_arena_format(reader->arena, "%.*s", (int)(end - key_end - 1), key_end + 1);
}

static enum rl_status read_node(struct rl_pt2_reader *reader, size_t index, const json_t *item)
{
    const char *place = rl_arena_format(reader->arena, "node %zu", index);
    const char *text;
    const char *name;
    const json_t *inputs = NULL;
    const json_t *outputs = NULL;
    enum rl_status status = rl_json_get_string(reader, place, item, "target", &text);
    if (status == RL_OK) {
        status = given_name(reader, place, item, &name);
    }
    if (status == RL_OK) {
        status = rl_json_get(reader, place, item, "outputs", JSON_ARRAY, &outputs);
    }
    if (status != RL_OK || computes_sizes(text, outputs)) {
        return status;
    }
    if (!name) {
        name = make_name(reader, outputs, text);
    }
    place = rl_arena_format(reader->arena, "node '%s' (%s)", name, text);
    status = rl_json_get(reader, place, item, "inputs", JSON_ARRAY, &inputs);
    struct target target = {0};
    if (status == RL_OK) {
        status = parse_target(reader, place, text, &target);
    }
    if (status != RL_OK || (json_array_size(outputs) == 0 && is_check(&target))) {
        return status;
    }
    status = add_node(reader, place, name, &target, outputs, inputs);
    if (status == RL_OK) {
        reader->graph->last->layer = read_layer(reader, item);
    }
    return status;
}

// Names that the file gives, before the reader makes others.
static enum rl_status collect_names(struct rl_pt2_reader *reader, const json_t *nodes)
{
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const char *place = rl_arena_format(reader->arena, "node %zu", i);
        const char *name;
        const enum rl_status status = given_name(reader, place, json_array_get(nodes, i), &name);
        if (status != RL_OK) {
            return status;
        }
        if (name && !rl_name_map_add(&reader->node_names, rl_arena_string(reader->arena, name), reader->graph)) {
            return rl_fail(reader->context, RL_ERROR_FORMAT, "%s: %s: '%s': another node has this name", reader->path,
                           place, name);
        }
    }
    return RL_OK;
}

enum rl_status rl_pt2_read_nodes(struct rl_pt2_reader *reader, const json_t *graph)
{
    const json_t *nodes;
    enum rl_status status = rl_json_get(reader, "graph", graph, "nodes", JSON_ARRAY, &nodes);
    if (status != RL_OK) {
        return status;
    }
    const size_t count = json_array_size(nodes);
    if (count > MAX_NODES) {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED, "%s: %zu nodes; accepted: up to %d", reader->path, count,
                       MAX_NODES);
    }
    status = collect_names(reader, nodes);
    for (size_t i = 0; i < count && status == RL_OK; i++) {
        status = read_node(reader, i, json_array_get(nodes, i));
    }
    return status;
}
