// SPDX-License-Identifier: Apache-2.0
//
// What the files of the graph runner share.
#ifndef RL_COMPILER_GRAPH_RUNNER_PARTS_H
#define RL_COMPILER_GRAPH_RUNNER_PARTS_H

#include "compiler/emit/pte.h"
#include "compiler/graph_runner.h"
#include "compiler/host_program.h"
#include "compiler/plan/memory.h"

// A constant of the runner's graph, and the instructions that read it.
struct rl_late_weight {
    struct rl_value *value; // without data while it is away
    uint32_t input;         // of the program
    int first, last;
};

struct rl_graph_runner {
    struct rl_graph *graph;
    struct rl_tensor_type *input_types; // as the caller knows them
    void **input_elements;              // room for one sample of each in logical order; NULL if it is in that order
    struct rl_value **turned;           // weights of the caller's graph that lie in another order for now
    int turned_count;
    float *turning_room;
    struct rl_late_weight *late; // weights that come while samples need them
    int late_count;
    struct rl_memory_plan plan;
    int64_t *times; // by instruction: of its node in the plan; one more for the end
    struct rl_emitted emitted;
    struct rl_host_program program;
    rl_graph_observe *observe; // of the run in progress
    void *user;
};

enum rl_status rl_graph_runner_set_inputs(struct rl_context *context, struct rl_graph_runner *runner,
                                          const void *const *inputs);

// The first steps of rl_graph_runner_run: sets and shows the inputs.
enum rl_status rl_graph_runner_begin(struct rl_context *context, struct rl_graph_runner *runner,
                                     const void *const *inputs, rl_graph_observe *observe, void *user);

// Shows what the next instructions compute to `observe`, which may be NULL.
void rl_graph_runner_watch(struct rl_graph_runner *runner, rl_graph_observe *observe, void *user);

void rl_graph_runner_find_times(struct rl_graph_runner *runner, struct rl_arena *arena);

// Copies the buffers that are alive when an instruction begins to `image`, of rl_graph_runner_image_bytes.
void rl_graph_runner_save(const struct rl_graph_runner *runner, int instruction, uint8_t *image);

// Goes on with an instruction from there.
void rl_graph_runner_load(struct rl_graph_runner *runner, int instruction, const uint8_t *image);

// Runs until an instruction is the next one.
enum rl_status rl_graph_runner_run_to(struct rl_context *context, struct rl_graph_runner *runner, int instruction);

// Puts the weights of plain convolutions into the order in which sums take them: rows and columns of the kernel, then
// input channels. In place, because they are most of what a graph takes. `lender` is the graph that the constants were
// borrowed from, or NULL: its types are changed, too, until rl_graph_runner_give_back.
void rl_graph_runner_turn_weights(struct rl_graph_runner *runner, struct rl_graph *lender);

// Gives back the memory of weights that integers of the lender can be made into again. They come late: with
// rl_graph_runner_bring_weights. Before the program is opened.
void rl_graph_runner_put_off_weights(struct rl_graph_runner *runner);

// Makes the weights that the instructions `first` to `last` read, binds them to the inputs of the workers' programs,
// and gives back others.
enum rl_status rl_graph_runner_bring_weights(struct rl_context *context, struct rl_graph_runner *runner,
                                             struct rl_graph_runner *const *workers, int worker_count, int first,
                                             int last);

#endif
