// SPDX-License-Identifier: Apache-2.0
//
// Shows the values of the float program to the observers of an annotation.
#ifndef RL_COMPILER_QUANTIZE_OBSERVE_H
#define RL_COMPILER_QUANTIZE_OBSERVE_H

#include "compiler/data/dataset.h"
#include "compiler/quantize/annotation.h"

// Runs the float program on every sample, several at the same time if context->threads allows it and the graph has no
// states. Each observer, and `watcher` (which may be NULL) for each value, sees the samples in order, so that what they
// make of them does not depend on the number of threads. Fails with RL_ERROR_ARGUMENT when the program computes a NaN
// on a sample, the first such one in order.
enum rl_status rl_quantize_observe(struct rl_context *context, const struct rl_annotation *annotation,
                                   const struct rl_dataset *dataset, const struct rl_watcher *watcher);

#endif
