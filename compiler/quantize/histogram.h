// SPDX-License-Identifier: Apache-2.0
//
// The histogram observer of PT2E: it counts values in 2048 equal bins over the range seen so far, and chooses the range
// whose 256 steps lose the least (in the L2 norm) when values outside of it are clamped.
//
// Source of the method: torchao.quantization.pt2e.observer.HistogramObserver, itself after NormMinimization of caffe2.
// Every step is computed in the precision and order of torch's CPU operators, because the search stops at the first
// range that is worse than the one before: a difference in the last bit may move the result by a bin.
#ifndef RL_COMPILER_QUANTIZE_HISTOGRAM_H
#define RL_COMPILER_QUANTIZE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/quantize/minmax.h"

enum { RL_HISTOGRAM_BINS = 2048 };

struct rl_histogram {
    struct rl_minmax range; // of the finite values seen
    bool infinite;          // whether others were, too
    uint64_t seen;          // how many values
    float *counts;          // RL_HISTOGRAM_BINS; fractions appear when bins are redistributed over a wider range
};

// `counts`: memory for them, or NULL if only the range will be observed.
void rl_histogram_init(struct rl_histogram *histogram, float *counts);

// Adds `count` values; infinite ones are left out. False when one of them is NaN (nothing is added then).
bool rl_histogram_observe(struct rl_histogram *histogram, const float *values, size_t count);

// The same for the range alone, much faster: nothing is counted.
bool rl_histogram_observe_range(struct rl_histogram *histogram, const float *values, size_t count);

// Adds what another one, without counts, has seen.
void rl_histogram_join(struct rl_histogram *histogram, const struct rl_histogram *other);

// The range to quantize; empty when nothing was observed.
struct rl_minmax rl_histogram_choose_range(const struct rl_histogram *histogram);

#endif
