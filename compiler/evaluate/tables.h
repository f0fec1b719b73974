// SPDX-License-Identifier: Apache-2.0
//
// The grids of a table of results, from a table of the same function on other grids.
#ifndef RL_COMPILER_EVALUATE_TABLES_H
#define RL_COMPILER_EVALUATE_TABLES_H

#include "compiler/evaluate/trace.h"
#include "rushlight/kernels/activation.h"

enum { RL_TABLE_ITEMS = 256 };

// y = model's y / ratio + offset, for results of the same input.
struct rl_table_fit {
    double ratio, offset;
};

// The table of a call in the file; NULL if it has none.
const int8_t *rl_traced_table(const struct rl_trace *trace, const struct rl_traced_call *call);

// Fits `table` to `model` by least squares over the inputs where neither is at its bounds; false if these are too few.
// Entry i of a table is the result for the integer i - 128; ratio: input scale of `table` / that of `model`.
bool rl_tables_fit(const int8_t *model, double model_zero_point, const int8_t *table, double zero_point, double ratio,
                   struct rl_table_fit *fit);

// The first `count` entries of a table of int16. False if the call has fewer.
bool rl_traced_curve(const struct rl_trace *trace, const struct rl_traced_call *call, int count, int16_t *places);

// The same fit for the first halves of the tables of two curves, with int16 results (rl_curve_s16_run) or int8 ones.
bool rl_curves_fit(const int16_t model[RL_CURVE_PLACES], const int16_t table[RL_CURVE_PLACES], double ratio,
                   bool is_wide, struct rl_table_fit *fit);

// The same fit for tables of int8 with int16 results, which reach no bounds.
bool rl_wide_tables_fit(const int16_t model[RL_TABLE_ITEMS], double model_zero_point,
                        const int16_t table[RL_TABLE_ITEMS], double zero_point, double ratio, struct rl_table_fit *fit);

#endif
