// SPDX-License-Identifier: Apache-2.0
//
// Whether calibration data can say anything about a model.
#ifndef RL_COMPILER_QUANTIZE_SAMPLES_H
#define RL_COMPILER_QUANTIZE_SAMPLES_H

#include "compiler/data/dataset.h"

// Refuses a NaN. Warns of inputs that are the same number throughout, of samples that reach a hundred times as far as a
// typical one, and of numbers whose square float32 does not hold (above 1e18). Numbers that far below zero may mask
// scores of attention. Every message names the sample, counted from 0, and the input.
enum rl_status rl_samples_check(struct rl_context *context, const struct rl_dataset *dataset, const char *source);

#endif
