// SPDX-License-Identifier: Apache-2.0
//
// Runs a float graph on the host and shows every value to an observer, for calibration and evaluation. It is not a
// second executor: the graph is lowered to portable operators, planned, emitted as a .pte in memory and run by the
// runtime.
#ifndef RL_COMPILER_GRAPH_RUNNER_H
#define RL_COMPILER_GRAPH_RUNNER_H

#include "compiler/ir/graph.h"

struct rl_graph_runner;

// Sees one value of the graph (mind the order of its type) and its elements, which it may change unless the value is a
// view of a constant. Both are valid during the call.
typedef void rl_graph_observe(void *user, const struct rl_value *value, void *data);

// Prepares a copy of the graph, which is not changed and not kept. The runner lives in `arena`.
enum rl_status rl_graph_runner_new(struct rl_context *context, struct rl_arena *arena,
                                   const struct rl_graph *float_graph, struct rl_graph_runner **runner);

// The same without a copy of the constants: those of the graph, which must outlive the runner, are used. `arena` is
// another one than the graph's. Until rl_graph_runner_give_back some weights of the graph lie in another order, as
// their types say; whoever reads them must not take them for row-major.
enum rl_status rl_graph_runner_borrow(struct rl_context *context, struct rl_arena *arena, struct rl_graph *float_graph,
                                      struct rl_graph_runner **runner);

// The same for rl_graph_runner_run_together alone: large weights that the graph has as integers are floats only while
// samples need them.
enum rl_status rl_graph_runner_borrow_late(struct rl_context *context, struct rl_arena *arena,
                                           struct rl_graph *float_graph, struct rl_graph_runner **runner);

// Ends the use of what was borrowed: the graph is as before, and neither the runner nor any made from it may run again.
void rl_graph_runner_give_back(struct rl_graph_runner *runner);

// The copy, lowered to portable operators: every value that an observer may see.
const struct rl_graph *rl_graph_runner_graph(const struct rl_graph_runner *runner);

// Gives the states of the graph their first values again. Between runs they keep theirs.
enum rl_status rl_graph_runner_reset(struct rl_context *context, struct rl_graph_runner *runner);

// Where the elements of an input, which are row-major, may be written before a run, whose input is then this address.
// NULL if the input has another order.
void *rl_graph_runner_place(struct rl_graph_runner *runner, int input);

// Runs once. `inputs`: per graph input its dense elements in the memory order of its type in `float_graph`, as
// rl_dataset_sample gives them. `observe` may be NULL. It is called for each input and each state, then for
// each result in the order of the nodes. A value whose node was replaced by the lowering has the name that the
// replacement kept. Constants are not shown.
enum rl_status rl_graph_runner_run(struct rl_context *context, struct rl_graph_runner *runner,
                                   const void *const *inputs, rl_graph_observe *observe, void *user);

// Prepares the same graph once more, with memory of its own, to run in another thread. `runner` must outlive it.
enum rl_status rl_graph_runner_again(struct rl_context *context, struct rl_arena *arena,
                                     const struct rl_graph_runner *runner, struct rl_graph_runner **result);

// What an observer keeps, in bytes, once it has seen a value.
typedef size_t rl_graph_keeps(void *user, const struct rl_value *value);

// The instruction before which all of many samples wait for each other best: those in front of it take most of the
// memory that is planned for the threads, and what observers keep grows most behind it. 0 if waiting saves little.
int rl_graph_runner_find_cut(const struct rl_graph_runner *runner, int64_t samples, int workers, rl_graph_keeps *keeps,
                             void *user);

// What a sample keeps while it waits before an instruction, in bytes; 0 for the first instruction.
size_t rl_graph_runner_image_bytes(const struct rl_graph_runner *runner, int instruction);

// As rl_graph_runner_run, up to a cut, where `image` gets what the sample needs to go on.
enum rl_status rl_graph_runner_run_until(struct rl_context *context, struct rl_graph_runner *runner,
                                         const void *const *inputs, rl_graph_observe *observe, void *user, int cut,
                                         uint8_t *image);

// Goes on from there to the end, with this runner or another one made from it.
enum rl_status rl_graph_runner_run_from(struct rl_context *context, struct rl_graph_runner *runner,
                                        rl_graph_observe *observe, void *user, int cut, const uint8_t *image);

// Gives back planned memory, which is in `arena`, if the instructions from this one on need at most half of it. The
// runner goes on from images behind it, and never from the start.
void rl_graph_runner_shrink(struct rl_graph_runner *runner, struct rl_arena *arena, int instruction);

// Whoever looks at samples that go through a graph together. All but `decide` may be called in any thread.
struct rl_graph_watcher {
    void *user;
    // The inputs of a sample, as above; valid until the same worker, counted from 0, asks again.
    enum rl_status (*give)(void *user, struct rl_context *context, int worker, int64_t sample,
                           const void *const **inputs);
    // Whether all samples stop at a result. Of one result the answer is always the same.
    bool (*stops_at)(void *user, const struct rl_value *value);
    void (*see)(void *user, int64_t sample, const struct rl_value *value, const void *data);
    // Once all samples have been seen.
    void (*decide)(void *user, const struct rl_value *value);
    // What to make of the elements, from which the sample goes on; always the same once all samples have been seen. A
    // sample may come by again.
    void (*change)(void *user, const struct rl_value *value, void *data);
};

// Runs a graph without states on `count` samples together, from one result at which they stop to the next, up to the
// last of them. Each thread has the planned memory of one sample. Between two stops each sample keeps what is alive,
// unless it starts from the beginning again.
enum rl_status rl_graph_runner_run_together(struct rl_context *context, struct rl_arena *arena,
                                            struct rl_graph_runner *runner, int64_t count,
                                            const struct rl_graph_watcher *watcher);

// The planned memory of one sample, in bytes.
size_t rl_graph_runner_bytes(const struct rl_graph_runner *runner);

// After a run: copies output `index` (rl_tensor_bytes of it) as dense elements in logical (C) order.
enum rl_status rl_graph_runner_output(struct rl_context *context, struct rl_graph_runner *runner, int index,
                                      void *elements);

#endif
