// SPDX-License-Identifier: Apache-2.0
#include "fully_connected/fully_connected.h"
#include "isa.h"

#include RL_TILE(rows_nest.h)

bool rl_fully_connected_run_rows(const struct rl_fully_connected *f, const int8_t *input, int8_t *output,
                                 struct rl_scratch scratch)
{
    return rl_rows_run(f, input, output, scratch);
}

void rl_fully_connected_prepacked_rows_run(const struct rl_fully_connected *f, const int8_t *input, int8_t *output)
{
    if (RL_SMALL || !rl_rows_prepacked_run(f, input, output)) {
        rl_fully_connected_prepacked_run(f, input, output);
    }
}
