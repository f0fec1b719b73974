// SPDX-License-Identifier: Apache-2.0
//
// Samples that go through a graph together. A thread takes them one after the other from stop to stop, in the planned
// memory of one sample. At a stop a sample leaves an image: the buffers that are alive. Where these take much memory,
// the image is that of an earlier moment, at which they took least, and the instructions from there run again. The
// results at the stops on the way are changed again. Before the first instruction there is no image: the sample is
// given again.
#include <string.h>

#include "compiler/graph_runner_parts.h"
#include "compiler/support/workers.h"

// Images may take a quarter of what the constants take, but so much in any case, before instructions run again. These
// are no more than those behind the last few stops.
enum { ROOM = 4 << 20, STOPS_AGAIN = 1 };

struct stop {
    int instruction;
    int from; // the image is that before this instruction, the next one or an earlier one
};

struct together {
    const struct rl_graph_runner *runner;
    const struct rl_graph_watcher *watcher;
    int64_t count;
    struct stop *stops;
    int stop_count;
    struct rl_graph_runner **workers;
    struct rl_context *contexts; // by sample, because only one thread may report to the caller's
    enum rl_status *status;
    uint8_t **images;
    size_t image_bytes; // of each
    int stop;           // to which samples go now
};

// ---- stops

// The planned elements of a result; NULL if it has none.
static void *elements_of(const struct rl_graph_runner *worker, const struct rl_value *value)
{
    const int index = rl_value_table_index(&worker->plan.table, value);
    const int buffer = index >= 0 ? worker->plan.buffer_of[index] : -1;
    return buffer < 0 ? NULL : (uint8_t *)worker->program.buffers[0].data + worker->plan.buffers[buffer].offset;
}

// The result of an instruction at which samples stop; NULL if there is none.
static const struct rl_value *find_watched(const struct together *t, int instruction)
{
    const struct rl_node *node = t->runner->emitted.nodes[instruction];
    for (int i = 0; i < node->result_count; i++) {
        if (elements_of(t->runner, node->results[i]) && t->watcher->stops_at(t->watcher->user, node->results[i])) {
            return node->results[i];
        }
    }
    return NULL;
}

static size_t count_bound_bytes(const struct rl_graph *graph)
{
    size_t bytes = 0;
    for (const struct rl_value *value = graph->constants; value; value = value->next) {
        bytes += rl_tensor_bytes(&value->type);
    }
    return bytes;
}

// The instruction before which the least is alive, of those after the stop before the last few; the one after
// `instruction` if it takes at most `room`, or the least is more than half of it.
static int find_moment(const struct together *t, int instruction, size_t room)
{
    const size_t behind = rl_graph_runner_image_bytes(t->runner, instruction + 1);
    int from = instruction + 1;
    size_t least = behind / 2;
    if (behind <= room) {
        return from;
    }
    const int last = t->stop_count - 1;
    int first = last >= 0 ? t->stops[last].from : 0; // an image that is not older
    if (last >= STOPS_AGAIN && first <= t->stops[last - STOPS_AGAIN].instruction) {
        first = t->stops[last - STOPS_AGAIN].instruction + 1;
    }
    for (int i = instruction; i >= first; i--) {
        const size_t bytes = rl_graph_runner_image_bytes(t->runner, i);
        if (bytes <= least) {
            least = bytes;
            from = i;
        }
    }
    return from;
}

// The largest image of those that are saved for a stop from `first` on.
static size_t largest_image(const struct together *t, int first)
{
    size_t largest = 0;
    for (int i = first; i < t->stop_count; i++) {
        const size_t bytes = rl_graph_runner_image_bytes(t->runner, t->stops[i].from);
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

// Finds the stops, and makes room for the largest image of each sample.
static void find_stops(struct together *t, struct rl_arena *arena)
{
    const int instructions = t->runner->emitted.instruction_count;
    const size_t quarter = count_bound_bytes(t->runner->graph) / 4;
    const size_t room = (quarter > ROOM ? quarter : ROOM) / (size_t)t->count;
    t->stops = rl_arena_array(arena, (size_t)instructions, sizeof *t->stops);
    for (int i = 0; i < instructions; i++) {
        if (find_watched(t, i)) {
            t->stops[t->stop_count] = (struct stop){i, find_moment(t, i, room)};
            t->stop_count++;
        }
    }
    t->image_bytes = largest_image(t, 0);
    t->images = rl_arena_array(arena, (size_t)t->count, sizeof(uint8_t *));
    for (int64_t i = 0; i < t->count && t->stop_count > 0; i++) {
        t->images[i] = rl_arena_alloc(arena, t->image_bytes);
    }
}

// Gives back what the way from the last stop on does not need: planned memory, and room in images.
static void shrink(struct together *t, struct rl_arena *arena, int worker_count)
{
    const int from = t->stop == 0 ? 0 : t->stops[t->stop - 1].from;
    if (from == 0) {
        return;
    }
    for (int i = 0; i < worker_count; i++) {
        rl_graph_runner_shrink(t->workers[i], arena, from);
    }
    const size_t bytes = largest_image(t, t->stop - 1);
    for (int64_t i = 0; i < t->count && bytes <= t->image_bytes / 2; i++) {
        uint8_t *smaller = rl_arena_copy(arena, t->images[i], bytes);
        rl_arena_release(arena, t->images[i]);
        t->images[i] = smaller;
    }
    t->image_bytes = bytes <= t->image_bytes / 2 ? bytes : t->image_bytes;
}

// ---- runs

// Runs to an instruction, and saves the image of the present stop on the way.
static enum rl_status run_past_image(const struct together *t, struct rl_graph_runner *worker, int64_t sample,
                                     int instruction)
{
    const int from = t->stops[t->stop].from;
    const bool is_kept = from == 0 || (t->stop > 0 && t->stops[t->stop - 1].from == from);
    enum rl_status status = RL_OK;
    if (!is_kept && (uint32_t)from >= worker->program.method.next && from <= instruction) {
        status = rl_graph_runner_run_to(&t->contexts[sample], worker, from);
        if (status == RL_OK) {
            rl_graph_runner_save(worker, from, t->images[sample]);
        }
    }
    return status == RL_OK ? rl_graph_runner_run_to(&t->contexts[sample], worker, instruction) : status;
}

// Puts a sample to the beginning, or to where the image of the stop before was saved. That has the changes of all
// results but the one right in front of it.
static enum rl_status start(const struct together *t, int number, int64_t sample)
{
    struct rl_graph_runner *worker = t->workers[number];
    struct rl_context *context = &t->contexts[sample];
    const int from = t->stop == 0 ? 0 : t->stops[t->stop - 1].from;
    if (from == 0) {
        const void *const *inputs;
        rl_method_restart(&worker->program.method);
        const enum rl_status status = t->watcher->give(t->watcher->user, context, number, sample, &inputs);
        return status == RL_OK ? rl_graph_runner_set_inputs(context, worker, inputs) : status;
    }
    rl_graph_runner_load(worker, from, t->images[sample]);
    return RL_OK;
}

static enum rl_status run_sample(const struct together *t, int number, int64_t sample)
{
    struct rl_graph_runner *worker = t->workers[number];
    enum rl_status status = start(t, number, sample);
    for (int i = 0; i <= t->stop && status == RL_OK; i++) {
        const int behind = t->stops[i].instruction + 1;
        if ((uint32_t)behind < worker->program.method.next) {
            continue;
        }
        status = run_past_image(t, worker, sample, behind);
        const struct rl_value *value = find_watched(t, t->stops[i].instruction);
        if (status == RL_OK && i < t->stop) {
            t->watcher->change(t->watcher->user, value, elements_of(worker, value));
        } else if (status == RL_OK) {
            t->watcher->see(t->watcher->user, sample, value, elements_of(worker, value));
        }
    }
    return status;
}

static void work(void *user, int worker, int64_t sample)
{
    const struct together *t = user;
    t->status[sample] = run_sample(t, worker, sample);
}

// Brings all samples to a stop.
static enum rl_status run_all(struct rl_context *context, struct together *t, int worker_count)
{
    const int first = t->stop == 0 ? 0 : t->stops[t->stop - 1].from, last = t->stops[t->stop].instruction;
    const enum rl_status status =
        rl_graph_runner_bring_weights(context, t->workers[0], t->workers, worker_count, first, last);
    if (status != RL_OK) {
        return status;
    }
    rl_workers_run(worker_count, 0, t->count, work, t);
    for (int64_t i = 0; i < t->count; i++) {
        if (t->status[i] != RL_OK) {
            return rl_fail(context, t->status[i], "%s", t->contexts[i].message);
        }
    }
    t->watcher->decide(t->watcher->user, find_watched(t, t->stops[t->stop].instruction));
    return RL_OK;
}

enum rl_status rl_graph_runner_run_together(struct rl_context *context, struct rl_arena *arena,
                                            struct rl_graph_runner *runner, int64_t count,
                                            const struct rl_graph_watcher *watcher)
{
    const int worker_count = rl_workers_count(context, count);
    struct together t = {.runner = runner, .watcher = watcher, .count = count};
    enum rl_status status = RL_OK;
    find_stops(&t, arena);
    t.contexts = rl_arena_array(arena, (size_t)count, sizeof *t.contexts);
    t.status = rl_arena_array(arena, (size_t)count, sizeof *t.status);
    t.workers = rl_arena_array(arena, (size_t)worker_count, sizeof(struct rl_graph_runner *));
    t.workers[0] = runner;
    for (int i = 1; i < worker_count && status == RL_OK; i++) {
        status = rl_graph_runner_again(context, arena, runner, &t.workers[i]);
    }
    for (int64_t i = 0; i < count; i++) {
        t.contexts[i] = rl_context_apart(context);
    }
    for (t.stop = 0; t.stop < t.stop_count && status == RL_OK; t.stop++) {
        shrink(&t, arena, worker_count);
        status = run_all(context, &t, worker_count);
    }
    return status;
}
