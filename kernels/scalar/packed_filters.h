// SPDX-License-Identifier: Apache-2.0
// int8 rows times filters where the filters are packed in place of the rows, in the loop of scalar/packed_six.h: once
// for all rows, none of which is packed or left over. That pays where few channels share a row, or few rows are left
// over behind groups of six.
#ifndef RL_KERNELS_SCALAR_PACKED_FILTERS_H
#define RL_KERNELS_SCALAR_PACKED_FILTERS_H

#include "convolution/matmul.h"
#include "isa.h"
#include "scalar/packed_rows.h"

struct rl_filters_rows {
    const int8_t *first;
    ptrdiff_t step; // from one row to the next
    int32_t count;
    ptrdiff_t output_stride; // from the outputs of a row to those of the next
};

// Multiplies the rows by all channels, and stores the outputs. Returns false, and does nothing, where that would take
// longer than packed rows.
static inline bool rl_filters_run(const struct rl_matmul *m, const struct rl_filters_rows *rows, int8_t *output);

#include RL_LOOP(packed_filters)

#endif
