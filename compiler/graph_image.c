// SPDX-License-Identifier: Apache-2.0
//
// Runs that are cut in two. Samples wait between two instructions as images: the buffers that are alive there. Once all
// have come so far, the planned memory shrinks to what the rest of the instructions takes.
#include <string.h>

#include "compiler/graph_runner_parts.h"

// What a cut has to save, because it costs a copy of each sample.
enum { WORTHWHILE = 1 << 19 };

void rl_graph_runner_find_times(struct rl_graph_runner *runner, struct rl_arena *arena)
{
    const struct rl_emitted *emitted = &runner->emitted;
    int64_t time = 1;
    int instruction = 0;
    runner->times = rl_arena_array(arena, (size_t)emitted->instruction_count + 1, sizeof *runner->times);
    for (const struct rl_node *node = runner->graph->first; node; node = node->next, time++) {
        if (instruction < emitted->instruction_count && emitted->nodes[instruction] == node) {
            runner->times[instruction++] = time;
        }
    }
    runner->times[instruction] = time;
}

static bool is_alive(const struct rl_plan_buffer *buffer, int64_t time)
{
    return buffer->first < time && buffer->end > time;
}

size_t rl_graph_runner_image_bytes(const struct rl_graph_runner *runner, int instruction)
{
    const struct rl_memory_plan *plan = &runner->plan;
    size_t bytes = 0;
    for (int i = 0; i < plan->buffer_count && instruction > 0; i++) {
        bytes += is_alive(&plan->buffers[i], runner->times[instruction]) ? plan->buffers[i].bytes : 0;
    }
    return bytes;
}

static void copy_image(const struct rl_graph_runner *runner, int instruction, uint8_t *image, bool saves)
{
    const struct rl_memory_plan *plan = &runner->plan;
    for (int i = 0; i < plan->buffer_count; i++) {
        const struct rl_plan_buffer *buffer = &plan->buffers[i];
        if (is_alive(buffer, runner->times[instruction]) && buffer->bytes > 0) {
            uint8_t *place = (uint8_t *)runner->program.buffers[0].data + buffer->offset;
            memcpy(saves ? image : place, saves ? place : image, buffer->bytes);
            image += buffer->bytes;
        }
    }
}

void rl_graph_runner_save(const struct rl_graph_runner *runner, int instruction, uint8_t *image)
{
    copy_image(runner, instruction, image, true);
}

void rl_graph_runner_load(struct rl_graph_runner *runner, int instruction, const uint8_t *image)
{
    copy_image(runner, instruction, (uint8_t *)(uintptr_t)image, false);
    rl_host_program_continue_at(&runner->program, instruction);
}

// ---- less memory

// The planned memory that is used from an instruction on.
static size_t bytes_from(const struct rl_graph_runner *runner, int instruction)
{
    const struct rl_memory_plan *plan = &runner->plan;
    size_t most = 0;
    for (int i = 0; i < plan->buffer_count; i++) {
        const struct rl_plan_buffer *buffer = &plan->buffers[i];
        const size_t end = buffer->offset + buffer->bytes;
        most = buffer->end > runner->times[instruction] && end > most ? end : most;
    }
    return most;
}

void rl_graph_runner_shrink(struct rl_graph_runner *runner, struct rl_arena *arena, int instruction)
{
    const struct rl_buffer old = runner->program.buffers[0];
    const size_t bytes = bytes_from(runner, instruction);
    if (bytes <= old.bytes / 2 && rl_arena_large_size(arena, old.data) > 0 && !runner->program.program.clear) {
        rl_arena_release(arena, old.data);
        rl_host_program_move(&runner->program, rl_arena_alloc(arena, bytes), bytes);
    }
}

// ---- two halves

static size_t kept_of(const struct rl_node *node, rl_graph_keeps *keeps, void *user)
{
    size_t bytes = 0;
    for (int i = 0; i < node->result_count; i++) {
        bytes += keeps(user, node->results[i]);
    }
    return bytes;
}

int rl_graph_runner_find_cut(const struct rl_graph_runner *runner, int64_t samples, int workers, rl_graph_keeps *keeps,
                             void *user)
{
    const struct rl_graph *graph = runner->graph;
    const struct rl_emitted *emitted = &runner->emitted;
    const size_t threads = (size_t)workers, first = threads * runner->plan.sizes.arena_bytes;
    size_t kept = 0, all = 0;
    int instruction = 0, cut = 0;
    for (int i = 0; i < graph->input_count; i++) {
        kept += keeps(user, graph->inputs[i]);
    }
    all = kept;
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        all += kept_of(node, keeps, user);
    }
    size_t least = first + all > WORTHWHILE ? first + all - WORTHWHILE : 0;
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (instruction < emitted->instruction_count && emitted->nodes[instruction] == node) {
            const size_t image = rl_graph_runner_image_bytes(runner, instruction);
            const size_t rest = threads * bytes_from(runner, instruction) + all + (size_t)samples * image;
            const size_t most = first + kept > rest ? first + kept : rest;
            if (instruction > 0 && most < least) {
                least = most;
                cut = instruction;
            }
            instruction++;
        }
        kept += kept_of(node, keeps, user);
    }
    return runner->program.program.clear || graph->state_count > 0 ? 0 : cut;
}

enum rl_status rl_graph_runner_run_to(struct rl_context *context, struct rl_graph_runner *runner, int instruction)
{
    enum rl_status status = RL_OK;
    bool done = false;
    while (status == RL_OK && runner->program.method.next < (uint32_t)instruction) {
        status = rl_host_program_step(context, &runner->program, &done);
    }
    return status;
}

enum rl_status rl_graph_runner_run_until(struct rl_context *context, struct rl_graph_runner *runner,
                                         const void *const *inputs, rl_graph_observe *observe, void *user, int cut,
                                         uint8_t *image)
{
    rl_method_restart(&runner->program.method);
    enum rl_status status = rl_graph_runner_begin(context, runner, inputs, observe, user);
    if (status == RL_OK) {
        status = rl_graph_runner_run_to(context, runner, cut);
    }
    if (status == RL_OK) {
        rl_graph_runner_save(runner, cut, image);
    }
    return status;
}

enum rl_status rl_graph_runner_run_from(struct rl_context *context, struct rl_graph_runner *runner,
                                        rl_graph_observe *observe, void *user, int cut, const uint8_t *image)
{
    rl_graph_runner_watch(runner, observe, user);
    rl_graph_runner_load(runner, cut, image);
    return rl_graph_runner_run_to(context, runner, runner->emitted.instruction_count);
}
