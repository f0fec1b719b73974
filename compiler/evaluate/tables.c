// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/tables.h"

#include <math.h>
#include <string.h>

#include "format/pte_reader.h"

static const uint8_t *constant_of(const struct rl_trace *trace, const struct rl_traced_call *call, const char *argument,
                                  size_t least)
{
    struct rl_pte_tensor tensor;
    size_t bytes;

    if (!rl_traced_tensor(trace, call, rl_op_argument(call->op, argument), &tensor)) {
        return NULL;
    }
    const uint8_t *table = rl_traced_constant(trace, &tensor, &bytes);
    return table && bytes >= least ? table : NULL;
}

const int8_t *rl_traced_table(const struct rl_trace *trace, const struct rl_traced_call *call)
{
    return (const int8_t *)constant_of(trace, call, "lut", RL_TABLE_ITEMS);
}

bool rl_traced_curve(const struct rl_trace *trace, const struct rl_traced_call *call, int count, int16_t *places)
{
    const size_t bytes = (size_t)count * sizeof *places;
    const uint8_t *table = constant_of(trace, call, "table", bytes);

    if (table) {
        memcpy(places, table, bytes);
    }
    return table;
}

// ---- the line through pairs of results

struct line {
    double n, x_sum, y_sum, xx_sum, xy_sum;
};

static void add_pair(struct line *line, double x, double y)
{
    line->n += 1;
    line->x_sum += x;
    line->y_sum += y;
    line->xx_sum += x * x;
    line->xy_sum += x * y;
}

static bool fit_line(const struct line *line, struct rl_table_fit *fit)
{
    enum { FEWEST = 8 };
    const double spread = line->n * line->xx_sum - line->x_sum * line->x_sum;
    const double slope = spread > 0 ? (line->n * line->xy_sum - line->x_sum * line->y_sum) / spread : 0;

    if (line->n < FEWEST || !(slope > 0)) {
        return false;
    }
    *fit = (struct rl_table_fit){1 / slope, (line->y_sum - slope * line->x_sum) / line->n};
    return true;
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
    struct line line = {0};

    for (int i = 0; i < RL_TABLE_ITEMS; i++) {
        const double integer = ((double)(i + INT8_MIN) - zero_point) * ratio + model_zero_point;
        double x;
        if (is_inside(table[i]) && look_up(model, integer, &x)) {
            add_pair(&line, x, table[i]);
        }
    }
    return fit_line(&line, fit);
}

bool rl_wide_tables_fit(const int16_t model[RL_TABLE_ITEMS], double model_zero_point,
                        const int16_t table[RL_TABLE_ITEMS], double zero_point, double ratio, struct rl_table_fit *fit)
{
    struct line line = {0};

    for (int i = 0; i < RL_TABLE_ITEMS; i++) {
        const double place = ((double)(i + INT8_MIN) - zero_point) * ratio + model_zero_point - INT8_MIN;
        const double below = floor(place);
        if (below >= 0 && below + 1 < RL_TABLE_ITEMS) {
            const double low = model[(int)below], high = model[(int)below + 1];
            add_pair(&line, low + (place - below) * (high - low), table[i]);
        }
    }
    return fit_line(&line, fit);
}

// ---- places of a curve (rl_curve_run)

enum { PLACES = 32, ONE = 256 }; // places of a power of two; the fraction of results

static double integer_at(int place)
{
    const int shift = place < 2 * PLACES ? 0 : place / PLACES - 1;

    return ldexp((double)(place - PLACES * shift), shift);
}

static double place_of(double integer)
{
    int exponent;

    frexp(integer, &exponent);
    const int shift = exponent > 6 ? exponent - 6 : 0;
    return PLACES * shift + ldexp(integer, -shift);
}

// Int8 results have fractional bits.
static bool is_within(double result, bool is_wide)
{
    return is_wide ? result > INT16_MIN && result < INT16_MAX : result > INT8_MIN * ONE && result < INT8_MAX * ONE;
}

bool rl_curves_fit(const int16_t model[RL_CURVE_PLACES], const int16_t table[RL_CURVE_PLACES], double ratio,
                   bool is_wide, struct rl_table_fit *fit)
{
    const double one = is_wide ? 1 : ONE;
    struct line line = {0};

    for (int i = 0; i < RL_CURVE_PLACES; i++) {
        const double place = place_of(integer_at(i) * ratio), below = floor(place);
        if (!(below + 1 < RL_CURVE_PLACES)) {
            break;
        }
        const double low = model[(int)below], high = model[(int)below + 1];
        if (is_within(table[i], is_wide) && is_within(low, is_wide) && is_within(high, is_wide)) {
            add_pair(&line, (low + (place - below) * (high - low)) / one, (double)table[i] / one);
        }
    }
    return fit_line(&line, fit);
}
