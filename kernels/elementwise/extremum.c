// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "rushlight/kernels/elementwise.h"
#include RL_TILE(extremum_s8_tile.h)

// How the inputs use an axis: both alike, or with one of them repeated.
enum pattern {
    BOTH,
    REPEAT_A,
    REPEAT_B,
};

// Neighbouring axes with one pattern. `step_a` and `step_b` have the elements of the inputs in all groups further
// inside; `slot` is the outer axis that the group becomes, or 3 for the row.
struct group {
    enum pattern pattern;
    int32_t size;
    int32_t slot;
    int32_t step_a;
    int32_t step_b;
};

// Stores a group and starts the next one. This function and the next one are always inlined, to keep the group in
// registers: preparing must not take longer than computing a few elements.
static inline __attribute__((always_inline)) void finish(struct rl_extremum *layer, struct group *group)
{
    const bool repeats_a = group->pattern == REPEAT_A, repeats_b = group->pattern == REPEAT_B;
    if (group->slot == 3) {
        layer->row = group->size;
        layer->row_is_one[0] = repeats_a;
        layer->row_is_one[1] = repeats_b;
    } else {
        layer->size[group->slot] = group->size;
        layer->stride[0][group->slot] = repeats_a ? 0 : group->step_a;
        layer->stride[1][group->slot] = repeats_b ? 0 : group->step_b;
    }
    group->step_a *= repeats_a ? 1 : group->size;
    group->step_b *= repeats_b ? 1 : group->size;
    group->slot--;
    group->size = 1;
}

// Adds the next axis outwards, of sizes `a` and `b`. An axis of one element belongs to any group. False if the sizes do
// not fit.
static inline __attribute__((always_inline)) bool join(struct rl_extremum *layer, struct group *group, int32_t a,
                                                       int32_t b)
{
    enum pattern pattern = BOTH;
    if (a != b) {
        if (a != 1 && b != 1) {
            return false;
        }
        pattern = a == 1 ? REPEAT_A : REPEAT_B;
    } else if (a == 1) {
        return true;
    }
    if (pattern != group->pattern) {
        if (group->size != 1) {
            finish(layer, group);
        }
        group->pattern = pattern;
    }
    group->size *= a == 1 ? b : a;
    return true;
}

// Outer axes of one element. Not a loop, which would become calls of memset.
static inline void clear_axes(struct rl_extremum *layer)
{
    layer->size[0] = layer->size[1] = layer->size[2] = 1;
    layer->stride[0][0] = layer->stride[0][1] = layer->stride[0][2] = 0;
    layer->stride[1][0] = layer->stride[1][1] = layer->stride[1][2] = 0;
}

// Joins axes from the innermost outwards, as long as neither or the same input is repeated along them.
enum rl_status rl_extremum_prepare(struct rl_extremum *layer)
{
    const struct rl_image *a = &layer->input[0], *b = &layer->input[1];
    struct group group = {BOTH, 1, 3, 1, 1};
    clear_axes(layer);
    if (!join(layer, &group, a->c, b->c) || !join(layer, &group, a->w, b->w) || !join(layer, &group, a->h, b->h) ||
        !join(layer, &group, a->n, b->n)) {
        return RL_ERROR_ARGUMENT;
    }
    finish(layer, &group);
    return RL_OK;
}

// What computes rows: of two inputs, of an input and one value, a single element, and several short rows of two inputs.
// The order of the inputs does not matter.
struct functions {
    void (*both)(const int8_t *a, const int8_t *b, int8_t *output, int32_t count);
    void (*with_one)(const int8_t *input, int8_t value, int8_t *output, int32_t count);
    int8_t (*element)(int8_t a, int8_t b);
    void (*rows)(const int8_t *a, ptrdiff_t step_a, const int8_t *b, ptrdiff_t step_b, int8_t *output, int32_t row,
                 int32_t rows);
};

// Rows of up to this many elements are computed one by one, where no vectors compute them.
enum { SHORT_ROW = RL_HAS_MVE ? 0 : 3 };

// The input that has rows (x) and the other one (y), which may be one value a row, with their strides.
struct operands {
    const int8_t *x;
    const int8_t *y;
    const int32_t *step_x;
    const int32_t *step_y;
};

static inline struct operands operands_of(const struct rl_extremum *layer, const int8_t *a, const int8_t *b)
{
    if (layer->row_is_one[0]) {
        return (struct operands){b, a, layer->stride[1], layer->stride[0]};
    }
    return (struct operands){a, b, layer->stride[0], layer->stride[1]};
}

static inline bool is_one(const struct rl_extremum *layer)
{
    return layer->row_is_one[0] || layer->row_is_one[1];
}

// These two functions are always inlined, so that `functions` are, too. This one computes the rows of the innermost
// outer axis.
static inline __attribute__((always_inline)) void run_rows(struct functions functions, const struct rl_extremum *layer,
                                                           const int8_t *a, const int8_t *b, int8_t *output)
{
    const struct operands in = operands_of(layer, a, b);
    const int8_t *x = in.x, *y = in.y;
    const int32_t row = layer->row, step_x = in.step_x[2], step_y = in.step_y[2];
    const bool one = is_one(layer);
    if (RL_HAS_MVE && row <= RL_EXTREMUM_ROW && !one) {
        functions.rows(x, step_x, y, step_y, output, row, layer->size[2]);
        return;
    }
    for (int32_t rows = layer->size[2]; rows > 0; rows--, x += step_x, y += step_y, output += row) {
        if (one) {
            functions.with_one(x, *y, output, row);
        } else {
            functions.both(x, y, output, row);
        }
    }
}

// Computes the rows of the two inner ones of the outer axes, if they are short.
static inline __attribute__((always_inline)) void run_short_rows(struct functions functions,
                                                                 const struct rl_extremum *layer, const int8_t *a,
                                                                 const int8_t *b, int8_t *output)
{
    const struct operands in = operands_of(layer, a, b);
    const int8_t *x = in.x, *y = in.y;
    const int32_t row = layer->row, rows = layer->size[2], inner_y = is_one(layer) ? 0 : 1;
    const int32_t step_x = in.step_x[2], step_y = in.step_y[2];
    const int32_t outer_x = in.step_x[1] - rows * step_x, outer_y = in.step_y[1] - rows * step_y;
    for (int32_t outer = layer->size[1]; outer > 0; outer--, x += outer_x, y += outer_y) {
        for (int32_t left = rows; left > 0; left--, x += step_x, y += step_y, output += row) {
            output[0] = functions.element(x[0], y[0]);
            if (row > 1) {
                output[1] = functions.element(x[1], y[inner_y]);
            }
            if (row > 2) {
                output[2] = functions.element(x[2], y[2 * inner_y]);
            }
        }
    }
}

// Computes everything inside the outermost axis.
typedef void run_block(const struct rl_extremum *layer, const int8_t *a, const int8_t *b, int8_t *output);

static inline __attribute__((always_inline)) void run_all(run_block *rows, run_block *short_rows,
                                                          const struct rl_extremum *layer, const int8_t *a,
                                                          const int8_t *b, int8_t *output)
{
    const int32_t *step_a = layer->stride[0], *step_b = layer->stride[1];
    const bool is_short = layer->row <= SHORT_ROW;
    int32_t blocks = layer->size[1], block = layer->size[2] * layer->row;
    if (is_short) {
        block *= blocks;
        blocks = 1;
    }
    run_block *run = is_short ? short_rows : rows;
    if (layer->size[0] * blocks == 1) {
        run(layer, a, b, output);
        return;
    }
    for (int32_t i = 0; i < layer->size[0]; i++, a += step_a[0], b += step_b[0]) {
        for (int32_t j = 0; j < blocks; j++, output += block) {
            run(layer, a + j * step_a[1], b + j * step_b[1], output);
        }
    }
}

static int8_t minimum_of(int8_t a, int8_t b)
{
    return a < b ? a : b;
}

static int8_t maximum_of(int8_t a, int8_t b)
{
    return a > b ? a : b;
}

static const struct functions minimum = {rl_minimum_s8, rl_minimum_of_s8, minimum_of, rl_minimum_rows_s8};
static const struct functions maximum = {rl_maximum_s8, rl_maximum_of_s8, maximum_of, rl_maximum_rows_s8};

static __attribute__((noinline)) void minimum_rows(const struct rl_extremum *layer, const int8_t *a, const int8_t *b,
                                                   int8_t *output)
{
    run_rows(minimum, layer, a, b, output);
}

static __attribute__((noinline)) void maximum_rows(const struct rl_extremum *layer, const int8_t *a, const int8_t *b,
                                                   int8_t *output)
{
    run_rows(maximum, layer, a, b, output);
}

static __attribute__((noinline)) void short_minimum_rows(const struct rl_extremum *layer, const int8_t *a,
                                                         const int8_t *b, int8_t *output)
{
    run_short_rows(minimum, layer, a, b, output);
}

static __attribute__((noinline)) void short_maximum_rows(const struct rl_extremum *layer, const int8_t *a,
                                                         const int8_t *b, int8_t *output)
{
    run_short_rows(maximum, layer, a, b, output);
}

void rl_minimum_run(const struct rl_extremum *layer, const int8_t *a, const int8_t *b, int8_t *output)
{
    run_all(minimum_rows, short_minimum_rows, layer, a, b, output);
}

void rl_maximum_run(const struct rl_extremum *layer, const int8_t *a, const int8_t *b, int8_t *output)
{
    run_all(maximum_rows, short_maximum_rows, layer, a, b, output);
}
