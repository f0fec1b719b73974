// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph_runner.h"

#include <string.h>

#include "compiler/data/array.h"
#include "compiler/emit/pte.h"
#include "compiler/host_program.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/alias.h"
#include "compiler/plan/memory.h"
#include "compiler/support/workers.h"

struct rl_graph_runner {
    struct rl_graph *graph;
    struct rl_tensor_type *input_types; // as the caller knows them
    void **input_elements;              // room for one sample of each in logical order
    struct rl_memory_plan plan;
    struct rl_emitted emitted;
    struct rl_host_program program;
    rl_graph_observe *observe; // of the run in progress
    void *user;
};

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

static bool shares_data(const struct rl_graph *graph, const struct rl_value *constant)
{
    for (const struct rl_value *other = graph->constants; other; other = other->next) {
        if (other != constant && other->data == constant->data) {
            return true;
        }
    }
    return false;
}

// The weights of a plain convolution of images that are row-major and nobody else's; NULL for others.
static struct rl_value *weights_of(const struct rl_graph *graph, const struct rl_node *node)
{
    if (node->op != RL_OP_aten_convolution || rl_node_bool(node, "transposed")) {
        return NULL;
    }
    struct rl_value *weight = rl_node_tensor(node, "weight");
    const struct rl_tensor_type *type = &weight->type;
    if (weight->kind != RL_VALUE_CONSTANT || type->rank != 4 || type->dtype != RL_FLOAT32 || type->sizes[1] == 1 ||
        type->sizes[2] * type->sizes[3] == 1 || rl_value_use_count(graph, weight) != 1 || shares_data(graph, weight)) {
        return NULL;
    }
    for (int i = 0; i < type->rank; i++) {
        if (type->order[i] != i) {
            return NULL;
        }
    }
    return weight;
}

// Puts weights into the order in which sums take them: rows and columns of the kernel, then input channels. In place,
// because they are most of what a graph takes.
static void order_weights(struct rl_arena *arena, const struct rl_graph *graph)
{
    static const uint8_t order[4] = {0, 2, 3, 1};
    size_t most = 0;
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        const struct rl_value *weight = weights_of(graph, node);
        const size_t bytes = weight ? rl_tensor_bytes(&weight->type) : 0;
        most = bytes > most ? bytes : most;
    }
    float *copy = rl_arena_alloc(arena, most);
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        struct rl_value *weight = weights_of(graph, node);
        if (!weight) {
            continue;
        }
        const int64_t depth = weight->type.sizes[1], taps = weight->type.sizes[2] * weight->type.sizes[3];
        const int64_t count = rl_tensor_numel(&weight->type);
        float *to = (float *)(uintptr_t)weight->data; // of this copy of the graph
        memcpy(copy, to, rl_tensor_bytes(&weight->type));
        for (int64_t first = 0; first < count; first += depth * taps) {
            for (int64_t i = 0; i < taps * depth; i++) {
                to[first + i] = copy[first + i % depth * taps + i / depth];
            }
        }
        memcpy(weight->type.order, order, sizeof order);
    }
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
        runner->input_elements[i] = rl_arena_alloc(arena, rl_tensor_bytes(&runner->input_types[i]));
    }
}

enum rl_status rl_graph_runner_new(struct rl_context *context, struct rl_arena *arena,
                                   const struct rl_graph *float_graph, struct rl_graph_runner **result)
{
    struct rl_graph_runner *runner = rl_arena_alloc(arena, sizeof *runner);

    runner->graph = rl_graph_clone(float_graph, arena);
    runner->input_types = rl_arena_array(arena, (size_t)float_graph->input_count, sizeof *runner->input_types);
    for (int i = 0; i < float_graph->input_count; i++) {
        runner->input_types[i] = float_graph->inputs[i]->type;
    }
    allocate_inputs(arena, runner);
    enum rl_status status = lower(context, runner->graph);
    if (status == RL_OK) {
        order_weights(arena, runner->graph);
        status = rl_plan_memory(context, arena, runner->graph, &runner->plan);
    }
    if (status == RL_OK) {
        status = rl_emit_pte(context, arena, runner->graph, &runner->plan, &runner->emitted);
    }
    if (status == RL_OK) {
        const struct rl_host_files files = {
            .source = runner->graph->source, .program = runner->emitted.file, .program_size = runner->emitted.size};
        status = rl_host_program_open(context, arena, &files, &runner->program);
    }
    *result = runner;
    return status;
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

static enum rl_status set_inputs(struct rl_context *context, const struct rl_graph_runner *runner,
                                 struct rl_host_program *program, const void *const *inputs)
{
    enum rl_status status = RL_OK;

    for (int i = 0; i < runner->graph->input_count && status == RL_OK; i++) {
        rl_tensor_to_c_order(&runner->input_types[i], inputs[i], runner->input_elements[i]);
        status = rl_host_program_set_input(context, program, (uint32_t)i, runner->input_elements[i],
                                           rl_tensor_bytes(&runner->input_types[i]));
    }
    return status;
}

enum rl_status rl_graph_runner_run(struct rl_context *context, struct rl_graph_runner *runner,
                                   const void *const *inputs, rl_graph_observe *observe, void *user)
{
    const struct rl_hooks hooks = {.after = observe ? after_operator : NULL, .user = runner};

    runner->observe = observe;
    runner->user = user;
    rl_method_set_hooks(&runner->program.method, &hooks);
    enum rl_status status = set_inputs(context, runner, &runner->program, inputs);
    if (status != RL_OK) {
        return status;
    }
    if (observe) {
        for (int i = 0; i < rl_graph_source_count(runner->graph); i++) {
            show(runner, runner->graph->inputs[i]);
        }
        show_views(runner, runner->graph->first);
    }
    return rl_host_program_execute(context, &runner->program);
}

size_t rl_graph_runner_bytes(const struct rl_graph_runner *runner)
{
    return runner->program.buffers[0].bytes;
}

// Shows what an instruction computed, unless its result is a view.
static void show_all(const struct rl_graph_runner *runner, const struct rl_node *node,
                     const struct rl_host_program *programs, int64_t count, void **data, rl_graph_observe_all *observe,
                     void *user)
{
    for (int i = 0; i < node->result_count; i++) {
        const int index = rl_value_table_index(&runner->plan.table, node->results[i]);
        const int buffer = index >= 0 ? runner->plan.buffer_of[index] : -1;
        for (int64_t k = 0; k < count && buffer >= 0; k++) {
            data[k] = (uint8_t *)programs[k].buffers[0].data + runner->plan.buffers[buffer].offset;
        }
        if (buffer >= 0) {
            observe(user, node->results[i], data);
        }
    }
}

// Samples that go through the graph together.
struct together {
    struct rl_host_program *programs;
    struct rl_context *contexts; // one a worker, because only one thread may report to the caller's
    enum rl_status *status;      // of each sample
    bool *done;
};

static void step(void *user, int worker, int64_t sample)
{
    const struct together *t = user;

    t->status[sample] = rl_host_program_step(&t->contexts[worker], &t->programs[sample], &t->done[sample]);
    if (t->status[sample] != RL_OK) {
        t->contexts[worker].message[0] = '\0'; // the first of the samples that failed reports
    }
}

// One instruction of all samples.
static enum rl_status step_all(struct rl_context *context, const struct together *together, int64_t count)
{
    rl_workers_run(rl_workers_count(context, count), 0, count, step, (void *)(uintptr_t)together);
    for (int64_t i = 0; i < count; i++) {
        if (together->status[i] != RL_OK) {
            return rl_host_program_failed(context, &together->programs[i], together->status[i]);
        }
    }
    return RL_OK;
}

enum rl_status rl_graph_runner_run_together(struct rl_context *context, struct rl_arena *arena,
                                            struct rl_graph_runner *runner, int64_t count,
                                            const void *const *const *inputs, rl_graph_observe_all *observe, void *user)
{
    struct rl_host_program *programs = rl_arena_array(arena, (size_t)count, sizeof *programs);
    const struct together together = {.programs = programs,
                                      .contexts = rl_arena_array(arena, RL_MOST_WORKERS, sizeof *context),
                                      .status = rl_arena_array(arena, (size_t)count, sizeof(enum rl_status)),
                                      .done = rl_arena_array(arena, (size_t)count, sizeof(bool))};
    void **data = rl_arena_array(arena, (size_t)count, sizeof *data);
    enum rl_status status = RL_OK;

    for (int64_t i = 0; i < count && status == RL_OK; i++) {
        status = rl_host_program_open_again(context, arena, &runner->program, &programs[i]);
        if (status == RL_OK) {
            status = set_inputs(context, runner, &programs[i], inputs[i]);
        }
        if (status == RL_OK) {
            rl_method_restart(&programs[i].method);
        }
    }
    for (int instruction = 0; status == RL_OK && !together.done[0]; instruction++) {
        status = step_all(context, &together, count);
        if (status == RL_OK) {
            show_all(runner, runner->emitted.nodes[instruction], programs, count, data, observe, user);
        }
    }
    return status;
}

enum rl_status rl_graph_runner_output(struct rl_context *context, struct rl_graph_runner *runner, int index,
                                      void *elements)
{
    return rl_host_program_get_output(context, &runner->program, (uint32_t)index, elements,
                                      rl_tensor_bytes(&runner->graph->outputs[index]->type));
}
