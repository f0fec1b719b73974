// SPDX-License-Identifier: Apache-2.0
//
// Values are in the order of ExecuTorch's emitter: inputs first, then states, then for each node its arguments, each
// out argument and the returned value. int lists name int values.
#include "compiler/emit/pte.h"

#include <string.h>

#include "compiler/emit/interface.h"
#include "compiler/emit/value_pool.h"
#include "compiler/plan/alias.h"
#include "format/pte_names.h"
#include "format/pte_writer.h"

enum {
    ARENA_MEMORY = 1,  // memory_id of the one planned buffer
    BOUND_BYTES = 4096 // of the smallest constant that is bound
};

enum variant { PLAIN, NAMED, BOUND };

struct emitter {
    struct rl_context *context;
    struct rl_arena *arena;
    const struct rl_graph *graph;
    const struct rl_memory_plan *plan;
    struct rl_emitted *emitted;
    struct rl_value_pool pool;
    enum variant variant;                         // BOUND: large constants are inputs
    int32_t *bound_values;                        // by input behind those of the graph: its index in the file
    struct rl_pte_constant_description *initials; // the first values of states
    int initial_count;
    struct rl_pte_operator_description *operators;
    int operator_count;
    int *operator_of; // by enum rl_op_id: index + 1
    struct rl_pte_instruction_description *instructions;
};

static bool is_bound(const struct emitter *emitter, const struct rl_value *root)
{
    return emitter->variant == BOUND && root->kind == RL_VALUE_CONSTANT && root->type.dtype == RL_FLOAT32 &&
           rl_tensor_bytes(&root->type) >= BOUND_BYTES;
}

static enum rl_status describe_tensor(struct emitter *emitter, const struct rl_value *value, int index,
                                      struct rl_pte_tensor_description *tensor)
{
    const struct rl_tensor_type *type = &value->type;
    const struct rl_value *root = rl_alias_root(value);
    int32_t *sizes = rl_arena_array(emitter->arena, (size_t)type->rank, sizeof *sizes);

    for (int i = 0; i < type->rank; i++) {
        if (type->sizes[i] > INT32_MAX) {
            return rl_fail(emitter->context, RL_ERROR_UNSUPPORTED,
                           "%s: value '%s': expected dimensions below 2^31, found %lld", emitter->graph->source,
                           value->name, (long long)type->sizes[i]);
        }
        sizes[i] = (int32_t)type->sizes[i];
    }
    *tensor = (struct rl_pte_tensor_description){
        .dtype = type->dtype, .rank = type->rank, .sizes = sizes, .dim_order = type->order};
    if (is_bound(emitter, root)) {
        return RL_OK;
    }
    if (root->kind == RL_VALUE_CONSTANT) {
        tensor->constant = rl_value_pool_add_constant(&emitter->pool, root->data, rl_tensor_bytes(&root->type));
        return RL_OK;
    }
    int buffer = emitter->plan->buffer_of[index];
    if (buffer < 0) {
        return rl_fail(emitter->context, RL_ERROR_INTERNAL, "%s: value '%s' has no place in the memory plan",
                       emitter->graph->source, value->name);
    }
    if (rl_value_is_state(value) && rl_tensor_bytes(type) > 0) {
        emitter->initials[emitter->initial_count++] =
            (struct rl_pte_constant_description){value->data, rl_tensor_bytes(type)};
        tensor->initial = (uint32_t)emitter->initial_count;
    }
    tensor->memory_id = ARENA_MEMORY;
    tensor->memory_offset = emitter->plan->buffers[buffer].offset;
    return RL_OK;
}

// The file's value for a value of the graph, made at its first use.
static enum rl_status tensor_value(struct emitter *emitter, const struct rl_value *value, int32_t *result)
{
    int index = rl_value_table_index(&emitter->plan->table, value);

    if (index < 0) {
        return rl_fail(emitter->context, RL_ERROR_INTERNAL, "%s: value '%s' is not part of the memory plan",
                       emitter->graph->source, value->name);
    }
    if (emitter->emitted->value_of[index] < 0) {
        struct rl_pte_value_description description = {.kind = RL_PTE_TENSOR};
        enum rl_status status = describe_tensor(emitter, value, index, &description.as.tensor);
        if (status != RL_OK) {
            return status;
        }
        emitter->emitted->value_of[index] = rl_value_pool_add(&emitter->pool, &description);
        if (is_bound(emitter, rl_alias_root(value))) {
            emitter->emitted->bound[emitter->emitted->bound_count] = rl_alias_root(value)->data;
            emitter->bound_values[emitter->emitted->bound_count++] = emitter->emitted->value_of[index];
        }
    }
    *result = emitter->emitted->value_of[index];
    return RL_OK;
}

static int32_t int_value(struct emitter *emitter, int64_t integer)
{
    struct rl_pte_value_description value = {.kind = RL_PTE_INT, .as.integer = integer};
    return rl_value_pool_add(&emitter->pool, &value);
}

static int32_t null_value(struct emitter *emitter)
{
    struct rl_pte_value_description value = {.kind = RL_PTE_NULL};
    return rl_value_pool_add(&emitter->pool, &value);
}

static int32_t int_list_value(struct emitter *emitter, const int64_t *integers, int count)
{
    int32_t *indices = rl_arena_array(emitter->arena, (size_t)count, sizeof *indices);
    for (int i = 0; i < count; i++) {
        indices[i] = int_value(emitter, integers[i]);
    }
    struct rl_pte_value_description value = {.kind = RL_PTE_INT_LIST, .count = count, .as.indices = indices};
    return rl_value_pool_add(&emitter->pool, &value);
}

static int32_t double_list_value(struct emitter *emitter, const struct rl_arg *arg)
{
    double *numbers = rl_arena_array(emitter->arena, (size_t)arg->count, sizeof *numbers);
    for (int i = 0; i < arg->count; i++) {
        numbers[i] = arg->kind == RL_ARG_INTS ? (double)arg->as.integers[i] : arg->as.numbers[i];
    }
    struct rl_pte_value_description value = {.kind = RL_PTE_DOUBLE_LIST, .count = arg->count, .as.numbers = numbers};
    return rl_value_pool_add(&emitter->pool, &value);
}

static enum rl_status tensor_list_value(struct emitter *emitter, struct rl_value *const *values, int count,
                                        bool optional, int32_t *result)
{
    int32_t *indices = rl_arena_array(emitter->arena, (size_t)count, sizeof *indices);
    for (int i = 0; i < count; i++) {
        indices[i] = -1;
        enum rl_status status = values[i] ? tensor_value(emitter, values[i], &indices[i]) : RL_OK;
        if (status != RL_OK) {
            return status;
        }
    }
    struct rl_pte_value_description value = {
        .kind = optional ? RL_PTE_OPTIONAL_TENSOR_LIST : RL_PTE_TENSOR_LIST, .count = count, .as.indices = indices};
    *result = rl_value_pool_add(&emitter->pool, &value);
    return RL_OK;
}

// A number of the schema's kind: PyTorch accepts an int for a float, a .pte does not.
static int32_t number_value(struct emitter *emitter, enum rl_arg_type type, const struct rl_arg *arg)
{
    struct rl_pte_value_description value = {.kind = RL_PTE_INT};

    if (arg->kind == RL_ARG_DOUBLE) {
        value.kind = RL_PTE_DOUBLE;
        value.as.number = arg->as.number;
    } else if (type == RL_TYPE_FLOAT) {
        value.kind = RL_PTE_DOUBLE;
        value.as.number = arg->kind == RL_ARG_BOOL ? arg->as.boolean : (double)arg->as.integer;
    } else if (type == RL_TYPE_BOOL || arg->kind == RL_ARG_BOOL) {
        value.kind = RL_PTE_BOOL;
        value.as.boolean = arg->kind == RL_ARG_BOOL ? arg->as.boolean : arg->as.integer != 0;
    } else {
        value.as.integer = arg->as.integer;
    }
    return rl_value_pool_add(&emitter->pool, &value);
}

static enum rl_status argument_value(struct emitter *emitter, const struct rl_op_arg *schema, const struct rl_arg *arg,
                                     int32_t *result)
{
    struct rl_pte_value_description value = {.kind = RL_PTE_NULL};

    switch (arg->kind) {
    case RL_ARG_NONE:
        *result = null_value(emitter);
        return RL_OK;
    case RL_ARG_VALUE:
        return tensor_value(emitter, arg->as.value, result);
    case RL_ARG_VALUES:
        return tensor_list_value(emitter, arg->as.values, arg->count, schema->list_elements_optional, result);
    case RL_ARG_INT:
        if (schema->type == RL_TYPE_INT_LIST) {
            *result = int_list_value(emitter, &arg->as.integer, 1);
            return RL_OK;
        }
        *result = number_value(emitter, schema->type, arg);
        return RL_OK;
    case RL_ARG_DOUBLE:
    case RL_ARG_BOOL:
        *result = number_value(emitter, schema->type, arg);
        return RL_OK;
    case RL_ARG_INTS:
        *result = schema->type == RL_TYPE_FLOAT_LIST ? double_list_value(emitter, arg)
                                                     : int_list_value(emitter, arg->as.integers, arg->count);
        return RL_OK;
    case RL_ARG_DOUBLES:
        *result = double_list_value(emitter, arg);
        return RL_OK;
    case RL_ARG_STRING:
        value.kind = RL_PTE_STRING;
        value.as.string = arg->as.string;
        *result = rl_value_pool_add(&emitter->pool, &value);
        return RL_OK;
    }
    return rl_fail(emitter->context, RL_ERROR_INTERNAL, "%s: argument '%s' is of an unknown kind",
                   emitter->graph->source, schema->name);
}

static int operator_index(struct emitter *emitter, enum rl_op_id id)
{
    const struct rl_op *op = rl_op_get(id);

    if (emitter->operator_of[id] == 0) {
        emitter->operators[emitter->operator_count++] =
            (struct rl_pte_operator_description){.name = op->name, .overload = op->out_overload};
        emitter->operator_of[id] = emitter->operator_count;
    }
    return emitter->operator_of[id] - 1;
}

// Writes the outputs of a call and the value that it returns to `args`, *count in all. A Tensor[] is one output, the
// list, which the call also returns. Several results are an output each, and the call returns the list of them.
static enum rl_status emit_outputs(struct emitter *emitter, const struct rl_node *node, int32_t *args, int *count)
{
    const int declared = rl_op_get(node->op)->result_count;
    enum rl_status status = RL_OK;

    *count = 0;
    if (rl_op_get(node->op)->in_place_of) { // the call names the changed tensor once more
        return tensor_value(emitter, node->args[0].as.value, &args[(*count)++]);
    }
    for (int i = 0; i < node->result_count && declared >= 0 && status == RL_OK; i++) {
        status = tensor_value(emitter, node->results[i], &args[(*count)++]);
    }
    if (status == RL_OK && declared != 1) {
        status = tensor_list_value(emitter, node->results, node->result_count, false, &args[(*count)++]);
    }
    if (status == RL_OK && (declared == 1 || declared < 0)) {
        args[*count] = args[*count - 1];
        (*count)++;
    }
    return status;
}

static enum rl_status emit_node(struct emitter *emitter, const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    int32_t *args = rl_arena_array(emitter->arena, (size_t)(node->arg_count + node->result_count + 2), sizeof *args);
    enum rl_status status = RL_OK;
    int output_count = 0;

    if (!op->out_overload) {
        return rl_fail(emitter->context, RL_ERROR_UNSUPPORTED,
                       "%s: node '%s' (%s): expected an operator with an integer or a portable floating point form, "
                       "found one with neither%s%s; torch.export's program.run_decompositions() may express it with "
                       "those",
                       emitter->graph->source, node->origin ? node->origin : node->name, op->name,
                       node->reason ? ": " : "", node->reason ? node->reason : "");
    }
    for (int i = 0; i < node->arg_count && status == RL_OK; i++) {
        status = argument_value(emitter, &op->args[i], &node->args[i], &args[i]);
    }
    if (status == RL_OK) {
        status = emit_outputs(emitter, node, args + node->arg_count, &output_count);
    }
    if (status != RL_OK) {
        return status;
    }
    emitter->emitted->nodes[emitter->emitted->instruction_count] = node;
    emitter->instructions[emitter->emitted->instruction_count++] = (struct rl_pte_instruction_description){
        .op_index = operator_index(emitter, node->op), .arg_count = node->arg_count + output_count, .args = args};
    return RL_OK;
}

static enum rl_status emit_list(struct emitter *emitter, struct rl_value *const *values, int count, int32_t **indices)
{
    *indices = rl_arena_array(emitter->arena, (size_t)count, sizeof **indices);
    for (int i = 0; i < count; i++) {
        enum rl_status status = tensor_value(emitter, values[i], &(*indices)[i]);
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

static enum rl_status emit_nodes(struct emitter *emitter)
{
    for (const struct rl_node *node = emitter->graph->first; node; node = node->next) {
        if (rl_alias_source(node)) {
            continue;
        }
        enum rl_status status = emit_node(emitter, node);
        if (status != RL_OK) {
            return status;
        }
    }
    return RL_OK;
}

static size_t constant_bytes(const struct rl_value_pool *pool)
{
    size_t bytes = 0;

    for (int i = 0; i < pool->constant_count; i++) {
        bytes = (bytes + RL_PTE_ALIGNMENT - 1) & ~(size_t)(RL_PTE_ALIGNMENT - 1);
        bytes += pool->constants[i].size;
    }
    return bytes;
}

static enum rl_status write_file(struct emitter *emitter, const struct rl_pte_method_description *forward)
{
    const int method_count = 1 + rl_interface_methods(emitter->graph, NULL);
    struct rl_pte_method_description *methods = rl_arena_array(emitter->arena, (size_t)method_count, sizeof *methods);
    const struct rl_pte_description description = {.method_count = method_count,
                                                   .methods = methods,
                                                   .constant_count = emitter->pool.constant_count,
                                                   .constants = emitter->pool.constants,
                                                   .initial_count = emitter->initial_count,
                                                   .initials = emitter->initials,
                                                   .name_bytes = &emitter->emitted->name_bytes};
    const struct rl_pte_allocator allocator = {rl_arena_reallocate, emitter->arena};
    const char *message = NULL;

    methods[0] = *forward;
    rl_interface_methods(emitter->graph, methods + 1);
    enum rl_status status =
        rl_pte_write(&description, &allocator, &emitter->emitted->file, &emitter->emitted->size, &message);

    if (status != RL_OK) {
        return rl_fail(emitter->context, status, "%s: the program cannot be written: %s", emitter->graph->source,
                       message);
    }
    return RL_OK;
}

static int count_nodes(const struct rl_graph *graph)
{
    int count = 0;

    for (const struct rl_node *node = graph->first; node; node = node->next) {
        count++;
    }
    return count;
}

// The inputs of the graph, then those that stand for bound constants.
static int32_t *join_inputs(const struct emitter *emitter, const int32_t *inputs)
{
    const size_t count = (size_t)emitter->graph->input_count, bound = emitter->emitted->bound_count;
    int32_t *joined = rl_arena_array(emitter->arena, count + bound, sizeof *joined);

    for (size_t i = 0; i < count + bound; i++) {
        joined[i] = i < count ? inputs[i] : emitter->bound_values[i - count];
    }
    return joined;
}

// A text as a name that readers accept; NULL for one that cannot be shown.
static const char *fit_name(const char *text)
{
    return text && rl_pte_is_name(text, strlen(text)) ? text : NULL;
}

// NULL if no instruction knows its layer, as in a model whose file does not tell them.
static const struct rl_pte_name_description *describe_names(const struct emitter *emitter)
{
    const struct rl_emitted *emitted = emitter->emitted;
    struct rl_pte_name_description *names =
        rl_arena_array(emitter->arena, (size_t)emitted->instruction_count, sizeof *names);
    bool is_known = false;

    for (int i = 0; i < emitted->instruction_count; i++) {
        const struct rl_node *node = emitted->nodes[i];
        names[i].layer = fit_name(node->layer);
        names[i].node = fit_name(node->origin ? node->origin : node->name);
        is_known = is_known || names[i].layer;
    }
    return is_known ? names : NULL;
}

static void allocate(struct emitter *emitter)
{
    struct rl_arena *arena = emitter->arena;
    struct rl_emitted *emitted = emitter->emitted;
    const size_t nodes = (size_t)count_nodes(emitter->graph), values = (size_t)emitter->plan->table.count;

    *emitted = (struct rl_emitted){0};
    emitted->value_of = rl_arena_array(arena, values, sizeof *emitted->value_of);
    for (size_t i = 0; i < values; i++) {
        emitted->value_of[i] = -1;
    }
    emitted->nodes = rl_arena_array(arena, nodes, sizeof(const struct rl_node *));
    emitted->bound = rl_arena_array(arena, emitter->variant == BOUND ? values : 0, sizeof(const void *));
    emitter->bound_values =
        rl_arena_array(arena, emitter->variant == BOUND ? values : 0, sizeof *emitter->bound_values);
    emitter->instructions = rl_arena_array(arena, nodes, sizeof *emitter->instructions);
    emitter->initials = rl_arena_array(arena, (size_t)emitter->graph->state_count, sizeof *emitter->initials);
    emitter->operators = rl_arena_array(arena, RL_OP_COUNT, sizeof *emitter->operators);
    emitter->operator_of = rl_arena_array(arena, RL_OP_COUNT, sizeof *emitter->operator_of);
    emitter->pool = rl_value_pool_make(arena);
}

static enum rl_status emit(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                           const struct rl_memory_plan *plan, enum variant variant, struct rl_emitted *emitted)
{
    struct emitter emitter = {
        .context = context, .arena = arena, .graph = graph, .plan = plan, .variant = variant, .emitted = emitted};
    int32_t *inputs = NULL, *states = NULL, *outputs = NULL;

    allocate(&emitter);
    enum rl_status status = emit_list(&emitter, graph->inputs, graph->input_count, &inputs);
    status =
        status != RL_OK ? status : emit_list(&emitter, graph->inputs + graph->input_count, graph->state_count, &states);
    status = status != RL_OK ? status : emit_nodes(&emitter);
    status = status != RL_OK ? status : emit_list(&emitter, graph->outputs, graph->output_count, &outputs);
    if (status != RL_OK) {
        return status;
    }
    emitted->constant_bytes = constant_bytes(&emitter.pool);
    emitted->value_count = emitter.pool.value_count;
    const int64_t arena_bytes = (int64_t)plan->sizes.arena_bytes;
    const struct rl_pte_method_description method = {
        .name = "forward",
        .value_count = emitter.pool.value_count,
        .values = emitter.pool.values,
        .input_count = graph->input_count + (int)emitted->bound_count,
        .inputs = join_inputs(&emitter, inputs),
        .output_count = graph->output_count,
        .outputs = outputs,
        .operator_count = emitter.operator_count,
        .operators = emitter.operators,
        .instruction_count = emitted->instruction_count,
        .instructions = emitter.instructions,
        .names = variant == NAMED ? describe_names(&emitter) : NULL,
        .buffer_count = 1,
        .buffer_sizes = &arena_bytes,
        .input_tree = graph->input_tree,
        .output_tree = graph->output_tree,
    };
    return write_file(&emitter, &method);
}

enum rl_status rl_emit_pte(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                           const struct rl_memory_plan *plan, struct rl_emitted *emitted)
{
    return emit(context, arena, graph, plan, PLAIN, emitted);
}

enum rl_status rl_emit_named_pte(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                                 const struct rl_memory_plan *plan, struct rl_emitted *emitted)
{
    return emit(context, arena, graph, plan, NAMED, emitted);
}

enum rl_status rl_emit_bound_pte(struct rl_context *context, struct rl_arena *arena, const struct rl_graph *graph,
                                 const struct rl_memory_plan *plan, struct rl_emitted *emitted)
{
    return emit(context, arena, graph, plan, BOUND, emitted);
}
