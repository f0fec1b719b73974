// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/tables.h"

#include <math.h>

#include "format/pte_reader.h"

const int8_t *rl_traced_table(const struct rl_trace *trace, const struct rl_traced_call *call)
{
    struct rl_pte_tensor tensor;
    size_t bytes;

    if (!rl_traced_tensor(trace, call, rl_op_argument(call->op, "lut"), &tensor)) {
        return NULL;
    }
    const uint8_t *table = rl_traced_constant(trace, &tensor, &bytes);
    return table && bytes >= RL_TABLE_ITEMS ? (const int8_t *)table : NULL;
}

static bool is_inside(int8_t result)
{
    return result > INT8_MIN && result < INT8_MAX;
}

// The model's result for an input between two entries. False outside the table and next to its bounds.
static bool look_up(const int8_t *model, double integer, double *result)
{
    const double place = integer - INT8_MIN, below = floor(place);

    if (!(below >= 0 && below + 1 < RL_TABLE_ITEMS)) {
        return false;
    }
    const int8_t low = model[(int)below], high = model[(int)below + 1];
    *result = low + (place - below) * (high - low);
    return is_inside(low) && is_inside(high);
}

bool rl_tables_fit(const int8_t *model, double model_zero_point, const int8_t *table, double zero_point, double ratio,
                   struct rl_table_fit *fit)
{
    enum { FEWEST = 8 };
    double n = 0, x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0;

    for (int i = 0; i < RL_TABLE_ITEMS; i++) {
        const double integer = ((double)(i + INT8_MIN) - zero_point) * ratio + model_zero_point;
        double x;
        if (!is_inside(table[i]) || !look_up(model, integer, &x)) {
            continue;
        }
        n += 1;
        x_sum += x;
        y_sum += table[i];
        xx_sum += x * x;
        xy_sum += x * table[i];
    }
    const double spread = n * xx_sum - x_sum * x_sum, slope = spread > 0 ? (n * xy_sum - x_sum * y_sum) / spread : 0;
    if (n < FEWEST || !(slope > 0)) {
        return false;
    }
    *fit = (struct rl_table_fit){1 / slope, (y_sum - slope * x_sum) / n};
    return true;
}
