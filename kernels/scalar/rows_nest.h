// SPDX-License-Identifier: Apache-2.0
// Fully connected layers whose filters are brought into another order for all rows, which pays on DSP cores alone.
#ifndef RL_KERNELS_SCALAR_ROWS_NEST_H
#define RL_KERNELS_SCALAR_ROWS_NEST_H

#include "fully_connected/fully_connected.h"

// See rl_fully_connected_run_rows.
static inline bool rl_rows_run(const struct rl_fully_connected *f, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch)
{
    (void)f;
    (void)input;
    (void)output;
    (void)scratch;
    return false;
}

// See rl_fully_connected_prepacked_rows_run.
static inline bool rl_rows_prepacked_run(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    (void)f;
    (void)input;
    (void)output;
    return false;
}

#endif
