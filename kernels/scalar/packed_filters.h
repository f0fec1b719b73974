// SPDX-License-Identifier: Apache-2.0
// int8 rows times filters where the filters are packed in place of the rows, in the loop of scalar/packed_six.h: once
// for all rows, none of which is packed or left over. That pays where few channels share a row, or few rows are left
// over behind groups of six.
#ifndef RL_KERNELS_SCALAR_PACKED_FILTERS_H
#define RL_KERNELS_SCALAR_PACKED_FILTERS_H

#include "convolution/matmul.h"
#include "isa.h"
#include "scalar/packed_rows.h"

// Multiplies `count` rows, `step` bytes apart, by all channels, and stores the outputs. Returns false, and does
// nothing, where that would take longer than packed rows.
static bool rl_filters_run(const struct rl_matmul *m, const int8_t *rows, ptrdiff_t step, int32_t count, int8_t *output,
                           ptrdiff_t output_stride);

#include RL_LOOP(packed_filters)

#endif
