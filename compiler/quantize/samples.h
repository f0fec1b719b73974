// SPDX-License-Identifier: Apache-2.0
//
// Checks whether calibration data is plausible for a model.
#ifndef RL_COMPILER_QUANTIZE_SAMPLES_H
#define RL_COMPILER_QUANTIZE_SAMPLES_H

#include "compiler/data/dataset.h"

// Refuses a NaN. Warns of inputs that are the same number throughout, of samples whose values are a hundred times as
// large as a typical one's, and of numbers whose square exceeds float32 (above 1e18); below -1e18 they may mask scores
// of attention. Every message names the sample, counted from 0, and the input.
enum rl_status rl_samples_check(struct rl_context *context, const struct rl_dataset *dataset, const char *source);

#endif
