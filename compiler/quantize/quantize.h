// SPDX-License-Identifier: Apache-2.0
//
// Post-training quantization with the semantics of PT2E (torchao.quantization.pt2e with ExecuTorch's CortexMQuantizer):
// which tensors become int8, what range each of them covers on sample data, and the graph that results.
//
//   annotate   patterns decide which uses and results of values are quantized, and which of them share one grid
//   calibrate  the float program runs on each sample; observers see the values and choose scales and zero points
//   convert    quantize and dequantize nodes go where annotations stand; weights and biases become integer constants
//
// In:  a functional float graph (canonical, batch norms folded).
// Out: the graph that convert_pt2e leaves. Operators stay aten; their inputs come from
//      quantized_decomposed::dequantize_* and their results go to quantized_decomposed::quantize_per_tensor. Each user
//      of a value has a dequantize node of its own. Weights are int8 constants behind dequantize_per_channel
//      (convolutions) or dequantize_per_tensor (linear). Biases are int32 constants, whose scale is that of the input
//      times that of the weight.
// A node that stays in floating point says why in node->reason.
#ifndef RL_COMPILER_QUANTIZE_QUANTIZE_H
#define RL_COMPILER_QUANTIZE_QUANTIZE_H

#include "compiler/ir/graph.h"

struct rl_dataset;
struct rl_quantizer_report;

enum rl_quantizer {
    // What CortexMQuantizer annotates, and: convolutions that are not channels-last; activations that follow their
    // operator later in the graph; outputs keep the grid of their value instead of getting another.
    RL_QUANTIZER_BEST,
    RL_QUANTIZER_STOCK // exactly what CortexMQuantizer annotates
};

struct rl_quantize_options {
    enum rl_quantizer quantizer;
    bool is_fast;         // `best` rounds weights to the nearest integers
    bool explicit_layout; // choose for an explicit layout: convolutions need not be channels-last
    bool int8_outputs;    // the program's outputs are int8
    bool only_cortex_m;   // the program is for ExecuTorch, which has no operators of rushlight::
    bool is_wide;         // activations are int16 where an operator takes them; only with `best`
};

// What annotate decided and calibrate measured; lives in the graph's arena.
struct rl_annotation;

// All three stages, and a report of them if `report` is not NULL. On failure the graph may be annotated (reasons) but
// is otherwise unchanged.
enum rl_status rl_quantize(struct rl_context *context, struct rl_graph *graph, const struct rl_dataset *dataset,
                           const struct rl_quantize_options *options, const struct rl_quantizer_report **report);

// Decides; changes nothing in the graph but node->reason.
struct rl_annotation *rl_quantize_annotate(struct rl_graph *graph, const struct rl_quantize_options *options);

// Looks at the values of the float program, too. It is called in several threads, the workers, counted from 0 to below
// rl_workers_count, but for each value in the order of the samples. It must not report, or use for one value what it
// keeps for another. It allocates only on sample 0, beside which no other runs.
struct rl_watcher {
    void (*see)(void *user, int worker, int64_t sample, const struct rl_value *value, const void *data);
    size_t (*keeps)(void *user, const struct rl_value *value); // bytes that seeing a value takes from then on
    void *user;
};

// Runs the float program on every sample and sets the parameters of every observer. `watcher` may be NULL.
// Fails with RL_ERROR_ARGUMENT when the data has no samples or the program computes a NaN on one of them.
enum rl_status rl_quantize_calibrate(struct rl_context *context, struct rl_graph *graph,
                                     const struct rl_dataset *dataset, struct rl_annotation *annotation,
                                     const struct rl_watcher *watcher);

// Inserts the nodes and constants; float constants that nothing uses any more are removed.
enum rl_status rl_quantize_convert(struct rl_context *context, struct rl_graph *graph,
                                   const struct rl_annotation *annotation);

#endif
