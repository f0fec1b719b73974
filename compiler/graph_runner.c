// SPDX-License-Identifier: Apache-2.0
#include "compiler/data/array.h"
#include "compiler/graph_runner_parts.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/alias.h"

// The float program takes the same stages as a compiled one, except those that would merge observed values.
static enum rl_status lower(struct rl_context *context, struct rl_graph *graph)
{
    // Portable operators are the same for every core and have no work space.
    struct rl_compile_options options = {.quantization = RL_QUANTIZE_NONE};
    struct rl_pass pass = {
        .context = context, .arena = graph->arena, .graph = graph, .options = &options, .is_observed = true};
    enum rl_status status = rl_target_parse(context, "any", &options.target);

    if (status != RL_OK) {
        return status;
    }
    status = rl_pass_lower_quantize(&pass); // of a graph that PT2E quantized
    if (status != RL_OK) {
        return status;
    }
    status = rl_phases_run(&pass, RL_PHASE_PORTABLE, RL_PHASE_LAYOUT);
    if (status != RL_OK) {
        return status;
    }
    rl_graph_remove_dead(graph);
    return rl_graph_verify(context, graph, "the lowering of the float graph");
}

static void show(const struct rl_graph_runner *runner, const struct rl_value *value)
{
    const struct rl_value *root = rl_alias_root(value);
    int index = rl_value_table_index(&runner->plan.table, root); // views of views are in no instruction
    int buffer = index >= 0 ? runner->plan.buffer_of[index] : -1;

    if (root->kind == RL_VALUE_CONSTANT) {
        runner->observe(runner->user, value, (void *)(uintptr_t)root->data);
    } else if (buffer >= 0) {
        uint8_t *arena = runner->program.buffers[0].data;
        runner->observe(runner->user, value, arena + runner->plan.buffers[buffer].offset);
    }
}

// Shows the views that follow a node in the list together with it, because later nodes may overwrite their bytes.
static void show_views(const struct rl_graph_runner *runner, const struct rl_node *node)
{
    for (; node && rl_alias_source(node); node = node->next) {
        show(runner, node->results[0]);
    }
}

static enum rl_status after_operator(void *user, struct rl_call *call)
{
    const struct rl_graph_runner *runner = user;
    const struct rl_node *node = runner->emitted.nodes[call->instruction];

    for (int i = 0; i < node->result_count; i++) {
        show(runner, node->results[i]);
    }
    show_views(runner, node->next);
    return RL_OK;
}

static void allocate_inputs(struct rl_arena *arena, struct rl_graph_runner *runner)
{
    const int count = runner->graph->input_count;

    runner->input_elements = rl_arena_array(arena, (size_t)count, sizeof *runner->input_elements);
    for (int i = 0; i < count; i++) {
        const struct rl_tensor_type *type = &runner->input_types[i];
        runner->input_elements[i] = rl_tensor_is_contiguous(type) ? NULL : rl_arena_alloc(arena, rl_tensor_bytes(type));
    }
}

// Makes a runner of `copy`, whose constants are those of `lender` or, if it is NULL, its own.
static enum rl_status make_runner(struct rl_context *context, struct rl_arena *arena, struct rl_graph *copy,
                                  struct rl_graph *lender, bool puts_off, struct rl_graph_runner **result)
{
    const struct rl_graph *float_graph = copy;
    struct rl_graph_runner *runner = rl_arena_alloc(arena, sizeof *runner);

    runner->graph = copy;
    runner->input_types = rl_arena_array(arena, (size_t)float_graph->input_count, sizeof *runner->input_types);
    for (int i = 0; i < float_graph->input_count; i++) {
        runner->input_types[i] = float_graph->inputs[i]->type;
    }
    allocate_inputs(arena, runner);
    enum rl_status status = lower(context, runner->graph);
    if (status == RL_OK) {
        rl_graph_runner_turn_weights(runner, lender);
        status = rl_plan_memory(context, arena, runner->graph, true, &runner->plan);
    }
    if (status == RL_OK) {
        status = rl_emit_bound_pte(context, arena, runner->graph, &runner->plan, &runner->emitted);
    }
    if (status == RL_OK) {
        rl_graph_runner_find_times(runner, arena);
        if (puts_off) {
            rl_graph_runner_put_off_weights(runner);
        }
        const struct rl_host_files files = {.source = runner->graph->source,
                                            .program = runner->emitted.file,
                                            .program_size = runner->emitted.size,
                                            .bound = runner->emitted.bound,
                                            .bound_count = runner->emitted.bound_count};
        status = rl_host_program_open(context, arena, &files, &runner->program);
    }
    *result = runner;
    return status;
}

enum rl_status rl_graph_runner_new(struct rl_context *context, struct rl_arena *arena,
                                   const struct rl_graph *float_graph, struct rl_graph_runner **runner)
{
    return make_runner(context, arena, rl_graph_clone(float_graph, arena), NULL, false, runner);
}

enum rl_status rl_graph_runner_borrow(struct rl_context *context, struct rl_arena *arena, struct rl_graph *float_graph,
                                      struct rl_graph_runner **runner)
{
    return make_runner(context, arena, rl_graph_clone_sharing(float_graph, arena), float_graph, false, runner);
}

enum rl_status rl_graph_runner_borrow_late(struct rl_context *context, struct rl_arena *arena,
                                           struct rl_graph *float_graph, struct rl_graph_runner **runner)
{
    return make_runner(context, arena, rl_graph_clone_sharing(float_graph, arena), float_graph, true, runner);
}

enum rl_status rl_graph_runner_again(struct rl_context *context, struct rl_arena *arena,
                                     const struct rl_graph_runner *runner, struct rl_graph_runner **result)
{
    struct rl_graph_runner *again = rl_arena_copy(arena, runner, sizeof *runner);

    allocate_inputs(arena, again);
    *result = again;
    return rl_host_program_open_again(context, arena, &runner->program, &again->program);
}

const struct rl_graph *rl_graph_runner_graph(const struct rl_graph_runner *runner)
{
    return runner->graph;
}

enum rl_status rl_graph_runner_reset(struct rl_context *context, struct rl_graph_runner *runner)
{
    return rl_host_program_reset(context, &runner->program);
}

static bool is_row_major(const struct rl_tensor *tensor)
{
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->dim_order[i] != i) {
            return false;
        }
    }
    return true;
}

void *rl_graph_runner_place(struct rl_graph_runner *runner, int input)
{
    struct rl_tensor tensor;
    return !runner->input_elements[input] &&
                   rl_method_input(&runner->program.method, (uint32_t)input, &tensor) == RL_OK &&
                   is_row_major(&tensor) && tensor.bytes == rl_tensor_bytes(&runner->input_types[input])
               ? tensor.data
               : NULL;
}

enum rl_status rl_graph_runner_set_inputs(struct rl_context *context, struct rl_graph_runner *runner,
                                          const void *const *inputs)
{
    enum rl_status status = RL_OK;

    for (int i = 0; i < runner->graph->input_count && status == RL_OK; i++) {
        const void *elements = inputs[i];
        if (elements && elements == rl_graph_runner_place(runner, i)) {
            continue;
        }
        if (runner->input_elements[i]) {
            rl_tensor_to_c_order(&runner->input_types[i], elements, runner->input_elements[i]);
            elements = runner->input_elements[i];
        }
        status = rl_host_program_set_input(context, &runner->program, (uint32_t)i, elements,
                                           rl_tensor_bytes(&runner->input_types[i]));
    }
    return status;
}

void rl_graph_runner_watch(struct rl_graph_runner *runner, rl_graph_observe *observe, void *user)
{
    const struct rl_hooks hooks = {.after = observe ? after_operator : NULL, .user = runner};

    runner->observe = observe;
    runner->user = user;
    rl_method_set_hooks(&runner->program.method, &hooks);
}

enum rl_status rl_graph_runner_begin(struct rl_context *context, struct rl_graph_runner *runner,
                                     const void *const *inputs, rl_graph_observe *observe, void *user)
{
    rl_graph_runner_watch(runner, observe, user);
    enum rl_status status = rl_graph_runner_set_inputs(context, runner, inputs);
    if (status == RL_OK && observe) {
        for (int i = 0; i < rl_graph_source_count(runner->graph); i++) {
            show(runner, runner->graph->inputs[i]);
        }
        show_views(runner, runner->graph->first);
    }
    return status;
}

enum rl_status rl_graph_runner_run(struct rl_context *context, struct rl_graph_runner *runner,
                                   const void *const *inputs, rl_graph_observe *observe, void *user)
{
    const enum rl_status status = rl_graph_runner_begin(context, runner, inputs, observe, user);
    return status == RL_OK ? rl_host_program_execute(context, &runner->program) : status;
}

size_t rl_graph_runner_bytes(const struct rl_graph_runner *runner)
{
    return runner->program.buffers[0].bytes;
}

enum rl_status rl_graph_runner_output(struct rl_context *context, struct rl_graph_runner *runner, int index,
                                      void *elements)
{
    return rl_host_program_get_output(context, &runner->program, (uint32_t)index, elements,
                                      rl_tensor_bytes(&runner->graph->outputs[index]->type));
}
