// SPDX-License-Identifier: Apache-2.0
//
// Takes the mean errors that quantization causes off the biases of layers.
#ifndef RL_COMPILER_QUANTIZE_BIAS_CORRECTION_H
#define RL_COMPILER_QUANTIZE_BIAS_CORRECTION_H

#include "compiler/data/dataset.h"
#include "compiler/quantize/annotation.h"

struct rl_bias_correction;

// For an annotated graph without states: with them samples depend on each other. Lives in the graph's arena.
struct rl_bias_correction *rl_bias_correction_new(struct rl_context *context, const struct rl_annotation *annotation,
                                                  const struct rl_dataset *dataset);

// Sees every value of the float graph on every sample.
void rl_bias_correction_observe(struct rl_bias_correction *correction, int64_t sample, const struct rl_value *value,
                                const void *data);

// Once all scales are chosen, before the graph is quantized: how far biases may change.
void rl_bias_correction_find_room(struct rl_bias_correction *correction);

// Corrects the biases of the quantized graph with the first samples, as many as fit in memory together. Layers that
// share a bias keep it, and so do channels whose sums would leave int32. One sample tells nothing of a mean: then
// nothing changes.
enum rl_status rl_bias_correction_run(struct rl_bias_correction *correction, struct rl_graph *graph);

#endif
