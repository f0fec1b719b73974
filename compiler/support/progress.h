// SPDX-License-Identifier: Apache-2.0
//
// One line that tells how far long work is: "calibrating: 120 of 500 samples, 35.1 a second, 11 s left".
#ifndef RL_COMPILER_SUPPORT_PROGRESS_H
#define RL_COMPILER_SUPPORT_PROGRESS_H

#include <stdint.h>

#include "compiler/support/context.h"

struct rl_progress {
    struct rl_context *context;
    const char *what; // "calibrating"
    int64_t count;    // of samples, in all
    double start, next;
};

// Begins. Work of less than half a second shows nothing.
void rl_progress_start(struct rl_progress *progress, struct rl_context *context, const char *what, int64_t count);

// After each sample: how many are done. Logs a line five times a second at most.
void rl_progress_step(struct rl_progress *progress, int64_t done);

// At the end, whatever it was: an empty line takes the last one away.
void rl_progress_end(const struct rl_progress *progress);

#endif
