// SPDX-License-Identifier: Apache-2.0
//
// Samples run in threads of their own, each a few operators behind the one before. All samples show the same values in
// the same order: the turns of a sample. A sample may take a turn once the sample before has taken the last one in
// which it shows anything to the same observers.
#include "compiler/quantize/observe.h"

#include <pthread.h>
#include <string.h>

#include "compiler/graph_runner.h"
#include "compiler/quantize/guarded.h"
#include "compiler/support/progress.h"
#include "compiler/support/workers.h"

// An observer and one of the values that it sees.
struct watch {
    const struct rl_value *value;
    struct rl_observer *observer;
    struct rl_histogram *own; // of this value alone; NULL with the stock quantizer, which has no use for it
    bool seen;
    int64_t turn; // in which the observer sees this value
    int64_t last; // the last turn in which it sees any
};

struct observation {
    struct rl_context *context;
    const struct rl_annotation *annotation;
    const struct rl_dataset *dataset;
    const struct rl_watcher *watcher; // may be NULL
    struct watch *watches;
    int watch_count;
    struct worker *workers;
    int worker_count;
    int cut;            // before which instruction samples wait; 0: nowhere
    uint8_t **images;   // of samples there
    bool is_second;     // whether samples go on from there
    int64_t first_turn; // that they take from there

    pthread_mutex_t mutex; // of what follows
    pthread_cond_t changed;
    int64_t *turns; // that each sample has taken; INT64_MAX once it is through
    struct rl_progress progress;
    int64_t through;       // samples, of each half
    int64_t failed;        // the first sample that failed; the number of samples if none did
    enum rl_status status; // of it
    char message[sizeof((struct rl_context *)0)->message];
};

// A thread, which takes one sample after the other.
struct worker {
    struct observation *observation;
    struct rl_graph_runner *runner;
    struct rl_context context; // for messages
    const void **inputs;
    void **rooms; // for samples that are in a file
    int64_t sample, turn;
    enum rl_status status;
};

static const struct rl_graph *graph_of(const struct observation *o)
{
    return o->annotation->graph;
}

// ---- watches

static struct watch *find_watch(const struct observation *o, const struct rl_point *point)
{
    for (int i = 0; i < o->watch_count; i++) {
        if (o->watches[i].value == point->value && o->watches[i].observer == point->observer) {
            return &o->watches[i];
        }
    }
    return NULL;
}

static struct rl_histogram *new_histogram(const struct rl_annotation *annotation)
{
    if (annotation->quantizer == RL_QUANTIZER_STOCK) {
        return NULL;
    }
    struct rl_histogram *histogram = rl_arena_alloc(annotation->graph->arena, sizeof *histogram);
    rl_histogram_init(histogram, NULL);
    return histogram;
}

// Of an LSTM whose last cell alone is used, the float program does not compute the outputs. They lie within -1..1.
static bool is_computed(const struct observation *o, const struct rl_point *point)
{
    return point->kind != RL_POINT_MADE || point->spec != RL_SPEC_HIDDEN ||
           rl_value_use_count(o->annotation->graph, point->value) > 0;
}

// Each observer sees a value once, however many uses of it share its grid.
static void add_watches(struct observation *o)
{
    const struct rl_annotation *annotation = o->annotation;
    o->watches = rl_arena_array(annotation->graph->arena, (size_t)annotation->point_count, sizeof *o->watches);
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        if (!point->observer || !point->observer->histogram || !is_computed(o, point)) {
            continue;
        }
        struct watch *watch = find_watch(o, point);
        if (!watch) {
            watch = &o->watches[o->watch_count++];
            *watch =
                (struct watch){.value = point->value, .observer = point->observer, .own = new_histogram(annotation)};
        }
        point->seen = watch->own;
    }
}

static bool is_constant(const struct watch *watch)
{
    return watch->value->kind == RL_VALUE_CONSTANT;
}

static bool shows(const struct watch *watch, const struct rl_value *value)
{
    return !is_constant(watch) && strcmp(rl_value_shown(watch->value)->name, value->name) == 0;
}

// After the first sample: the last turn of each observer.
static void find_last_turns(const struct observation *o)
{
    for (int i = 0; i < o->watch_count; i++) {
        struct watch *watch = &o->watches[i];
        for (int k = 0; k < o->watch_count; k++) {
            const struct watch *other = &o->watches[k];
            watch->last = other->observer == watch->observer && other->turn > watch->last ? other->turn : watch->last;
        }
    }
}

// Adds a value to what its observer has seen. False when one of its elements is NaN.
static bool add_values(const struct watch *watch, const float *values, size_t count)
{
    struct rl_histogram shown;
    if (!watch->own) { // only the stock quantizer clips
        return rl_histogram_observe(watch->observer->histogram, values, count);
    }
    rl_histogram_init(&shown, NULL);
    if (!rl_histogram_observe_range(&shown, values, count)) {
        return false;
    }
    rl_histogram_join(watch->own, &shown);
    rl_histogram_join(watch->observer->histogram, &shown);
    return true;
}

// A value counts once more for each identity of it that a pass removed: PyTorch's program shows it again there.
static void observe(struct worker *worker, struct watch *watch, const void *data)
{
    const struct observation *o = worker->observation;
    const size_t count = (size_t)rl_tensor_numel(&watch->value->type);
    const int echoes = watch->own ? 0 : watch->value->echoes; // they show nothing that is new to others
    for (int time = 0; time <= echoes; time++) {
        if (add_values(watch, data, count)) {
            continue;
        }
        worker->status = rl_fail(&worker->context, RL_ERROR_ARGUMENT,
                                 "%s: value '%s' is not a number (NaN) on calibration sample %lld; accepted: data on "
                                 "which every value is",
                                 graph_of(o)->source, watch->value->name, (long long)worker->sample);
        return;
    }
}

// ---- turns

static bool has_failed_before(const struct worker *worker)
{
    struct observation *o = worker->observation;
    pthread_mutex_lock(&o->mutex);
    const bool has_failed = o->failed < worker->sample;
    pthread_mutex_unlock(&o->mutex);
    return has_failed;
}

// Waits for the turn in which the value is shown. False if an earlier sample has failed.
static bool begin_turn(const struct worker *worker, const struct rl_value *value)
{
    struct observation *o = worker->observation;
    int64_t last = worker->turn;
    for (int i = 0; i < o->watch_count; i++) {
        last = o->watches[i].last > last && shows(&o->watches[i], value) ? o->watches[i].last : last;
    }
    pthread_mutex_lock(&o->mutex);
    while (worker->sample > 0 && o->turns[worker->sample - 1] <= last && o->failed > worker->sample) {
        pthread_cond_wait(&o->changed, &o->mutex);
    }
    const bool goes_on = o->failed > worker->sample;
    pthread_mutex_unlock(&o->mutex);
    return goes_on;
}

static void end_turn(struct worker *worker)
{
    struct observation *o = worker->observation;
    pthread_mutex_lock(&o->mutex);
    o->turns[worker->sample] = ++worker->turn;
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->mutex);
}

static void end_sample(const struct worker *worker, enum rl_status status)
{
    struct observation *o = worker->observation;
    pthread_mutex_lock(&o->mutex);
    if (status != RL_OK && worker->sample < o->failed) {
        o->failed = worker->sample;
        o->status = status;
        memcpy(o->message, worker->context.message, sizeof o->message);
    }
    o->turns[worker->sample] = INT64_MAX;
    rl_progress_step(&o->progress, ++o->through / (o->cut > 0 ? 2 : 1));
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->mutex);
}

// ---- samples

static void see(void *user, const struct rl_value *value, void *data)
{
    struct worker *worker = user;
    const struct observation *o = worker->observation;
    if (worker->status != RL_OK || !begin_turn(worker, value)) {
        return;
    }
    if (o->watcher) {
        o->watcher->see(o->watcher->user, (int)(worker - o->workers), worker->sample, value, data);
    }
    for (int i = 0; i < o->watch_count; i++) {
        struct watch *watch = &o->watches[i];
        if (!shows(watch, value)) {
            continue;
        }
        if (worker->sample == 0) { // alone
            watch->seen = true;
            watch->turn = worker->turn;
        }
        observe(worker, watch, data);
    }
    end_turn(worker);
}

static void see_constants(struct worker *worker)
{
    const struct observation *o = worker->observation;
    for (int i = 0; i < o->watch_count; i++) {
        if (is_constant(&o->watches[i])) {
            o->watches[i].seen = true;
            observe(worker, &o->watches[i], o->watches[i].value->data);
        }
    }
}

// From the inputs to the cut, or to the end.
static enum rl_status start_sample(struct worker *worker)
{
    const struct observation *o = worker->observation;
    enum rl_status status = RL_OK;
    for (int i = 0; i < graph_of(o)->input_count && status == RL_OK; i++) {
        status =
            rl_dataset_fetch(&worker->context, o->dataset, i, worker->sample, worker->rooms[i], &worker->inputs[i]);
    }
    if (status != RL_OK) {
        return status;
    }
    see_constants(worker);
    if (rl_dataset_starts(o->dataset, worker->sample)) {
        status = rl_graph_runner_reset(&worker->context, worker->runner);
    }
    if (status != RL_OK) {
        return status;
    }
    return o->cut > 0 ? rl_graph_runner_run_until(&worker->context, worker->runner, worker->inputs, see, worker, o->cut,
                                                  o->images[worker->sample])
                      : rl_graph_runner_run(&worker->context, worker->runner, worker->inputs, see, worker);
}

static enum rl_status run_sample(struct worker *worker)
{
    const struct observation *o = worker->observation;
    const enum rl_status status = o->is_second ? rl_graph_runner_run_from(&worker->context, worker->runner, see, worker,
                                                                          o->cut, o->images[worker->sample])
                                               : start_sample(worker);
    return status == RL_OK ? worker->status : status;
}

static void work(void *user, int number, int64_t sample)
{
    const struct observation *o = user;
    struct worker *worker = &o->workers[number];
    worker->sample = sample;
    worker->turn = o->first_turn;
    worker->status = RL_OK;
    end_sample(worker, has_failed_before(worker) ? RL_OK : run_sample(worker));
}

// Observers of constants see them before each sample, and states pass from sample to sample.
static int count_workers(const struct observation *o)
{
    bool is_sequence = graph_of(o)->state_count > 0;
    for (int i = 0; i < o->watch_count; i++) {
        is_sequence = is_sequence || is_constant(&o->watches[i]);
    }
    return is_sequence ? 1 : rl_workers_count(o->context, o->dataset->sample_count);
}

// Samples are read from their file to where the program has its input.
static void find_rooms(struct worker *worker, struct rl_arena *arena)
{
    const struct rl_dataset *dataset = worker->observation->dataset;
    worker->rooms = rl_arena_array(arena, (size_t)dataset->input_count, sizeof *worker->rooms);
    for (int i = 0; i < dataset->input_count; i++) {
        void *place = rl_graph_runner_place(worker->runner, i);
        worker->rooms[i] = place ? place : rl_arena_alloc(arena, rl_dataset_room(dataset, i));
    }
}

static enum rl_status prepare_workers(struct observation *o, struct rl_arena *arena)
{
    const size_t inputs = (size_t)graph_of(o)->input_count;
    enum rl_status status = RL_OK;
    o->worker_count = count_workers(o);
    o->workers = rl_arena_array(arena, (size_t)o->worker_count, sizeof *o->workers);
    for (int i = 0; i < o->worker_count && status == RL_OK; i++) {
        struct worker *worker = &o->workers[i];
        worker->observation = o;
        worker->context = rl_context_apart(o->context);
        worker->inputs = rl_arena_array(arena, inputs, sizeof *worker->inputs);
        status = i == 0 ? rl_graph_runner_borrow(o->context, arena, o->annotation->graph, &worker->runner)
                        : rl_graph_runner_again(o->context, arena, o->workers[0].runner, &worker->runner);
        if (status == RL_OK) {
            find_rooms(worker, arena);
        }
    }
    return status;
}

static enum rl_status require_all_seen(const struct observation *o)
{
    for (int i = 0; i < o->watch_count; i++) {
        if (!o->watches[i].seen) {
            return rl_fail(o->context, RL_ERROR_INTERNAL, "%s: the float program did not show value '%s'",
                           graph_of(o)->source, o->watches[i].value->name);
        }
    }
    return RL_OK;
}

static void find_cut(struct observation *o, struct rl_arena *arena)
{
    const struct rl_graph_runner *runner = o->workers[0].runner;
    const int64_t samples = o->dataset->sample_count;
    if (!o->watcher) {
        return;
    }
    o->cut = rl_graph_runner_find_cut(runner, samples, o->worker_count, o->watcher->keeps, o->watcher->user);
    o->images = rl_arena_array(arena, (size_t)samples, sizeof(uint8_t *));
    for (int64_t i = 0; i < samples && o->cut > 0; i++) {
        o->images[i] = rl_arena_alloc(arena, rl_graph_runner_image_bytes(runner, o->cut));
    }
}

// Runs samples up to one that failed. The first one runs alone and tells the turns of the observers; returns how many
// there were.
static int64_t run_half(struct observation *o)
{
    work(o, 0, 0);
    const int64_t turns = o->workers[0].turn;
    find_last_turns(o);
    if (o->failed > 0) {
        rl_workers_run(o->worker_count, 1, o->failed, work, o);
    }
    return turns;
}

// Samples wait at the cut, up to one that failed, and have taken these turns.
static void run_second_half(struct observation *o, struct rl_arena *arena, int64_t turns)
{
    for (int i = 0; i < o->worker_count; i++) {
        rl_graph_runner_shrink(o->workers[i].runner, arena, o->cut);
    }
    o->is_second = true;
    o->first_turn = turns;
    for (int64_t i = 0; i < o->dataset->sample_count; i++) {
        o->turns[i] = turns;
    }
    run_half(o);
}

static enum rl_status run_samples(void *user, struct rl_arena *arena)
{
    struct observation *o = user;
    const int64_t samples = o->dataset->sample_count;
    o->turns = rl_arena_array(arena, (size_t)samples, sizeof *o->turns);
    const enum rl_status status = prepare_workers(o, arena);
    if (status != RL_OK) {
        return status;
    }
    find_cut(o, arena);
    rl_progress_start(&o->progress, o->context, "calibrating", samples);
    const int64_t turns = run_half(o);
    if (o->cut > 0 && o->failed > 0) {
        run_second_half(o, arena, turns);
    }
    rl_graph_runner_give_back(o->workers[0].runner);
    rl_progress_end(&o->progress);
    return o->status == RL_OK ? require_all_seen(o) : rl_fail(o->context, o->status, "%s", o->message);
}

enum rl_status rl_quantize_observe(struct rl_context *context, const struct rl_annotation *annotation,
                                   const struct rl_dataset *dataset, const struct rl_watcher *watcher)
{
    struct observation o = {.context = context,
                            .annotation = annotation,
                            .dataset = dataset,
                            .watcher = watcher,
                            .failed = dataset->sample_count,
                            .status = RL_OK};
    add_watches(&o);
    if (pthread_mutex_init(&o.mutex, NULL) != 0) {
        return rl_fail(context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", annotation->graph->source);
    }
    enum rl_status status = RL_ERROR_OUT_OF_MEMORY;
    if (pthread_cond_init(&o.changed, NULL) == 0) {
        status = rl_run_guarded(context, annotation->graph, run_samples, &o);
        pthread_cond_destroy(&o.changed);
    } else {
        rl_fail(context, status, "%s: no memory left", annotation->graph->source);
    }
    pthread_mutex_destroy(&o.mutex);
    return status;
}
