// SPDX-License-Identifier: Apache-2.0
// Four packed rows times all filters, from the words of scalar/packed_dot.h to the outputs: where the words of all
// values are there at once, sums need not go through memory.
#ifndef RL_KERNELS_SCALAR_PACKED_OUTPUTS_H
#define RL_KERNELS_SCALAR_PACKED_OUTPUTS_H

#include "convolution/matmul.h"
#include "isa.h"
#include "scalar/packed_dot.h"
#include "scalar/packed_rows.h"

#include RL_TILE(rescale_tile.h)

enum { RL_PACKED_OUTPUT_ROWS = 4 };

// Writes the outputs of all channels of four rows. `m` is simple, its depth is at least 2, and `words` holds all of it:
// rl_pack_rows.
static inline void rl_packed_outputs(const struct rl_matmul *m, const struct rl_packed_rows *rows,
                                     const uint32_t *words, int8_t *output);

#include RL_LOOP(packed_outputs)

#endif
