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

static enum pattern pattern_of(int32_t a, int32_t b)
{
    if (a == b) {
        return BOTH;
    }
    return a == 1 ? REPEAT_A : REPEAT_B;
}

// Merges axes into the row as long as neither or the same input is repeated along them.
enum rl_status rl_extremum_prepare(struct rl_extremum *layer)
{
    const struct rl_image *a = &layer->input[0], *b = &layer->input[1];
    const int32_t size_a[4] = {a->n, a->h, a->w, a->c};
    const int32_t size_b[4] = {b->n, b->h, b->w, b->c};
    for (int i = 0; i < 4; i++) {
        if (size_a[i] != size_b[i] && size_a[i] != 1 && size_b[i] != 1) {
            return RL_ERROR_ARGUMENT;
        }
    }

    // The row takes axes from the innermost outwards; axes of size 1 fit any pattern.
    int axis = 3;
    enum pattern row_pattern = BOTH;
    int32_t row = 1;
    for (; axis >= 0; axis--) {
        const int32_t size = size_a[axis] == 1 ? size_b[axis] : size_a[axis];
        const enum pattern pattern = pattern_of(size_a[axis], size_b[axis]);
        if (size != 1 && row != 1 && pattern != row_pattern) {
            break;
        }
        row_pattern = row == 1 ? pattern : row_pattern;
        row *= size;
    }
    layer->row = row;
    layer->row_is_one[0] = row_pattern == REPEAT_A;
    layer->row_is_one[1] = row_pattern == REPEAT_B;

    int32_t step_a = layer->row_is_one[0] ? 1 : row;
    int32_t step_b = layer->row_is_one[1] ? 1 : row;
    for (int slot = 2; slot >= 0; slot--, axis--) {
        const int32_t in_a = axis >= 0 ? size_a[axis] : 1;
        const int32_t in_b = axis >= 0 ? size_b[axis] : 1;
        layer->size[slot] = in_a == 1 ? in_b : in_a;
        layer->stride[0][slot] = in_a == 1 ? 0 : step_a;
        layer->stride[1][slot] = in_b == 1 ? 0 : step_b;
        step_a *= in_a;
        step_b *= in_b;
    }
    return RL_OK;
}

// Where the innermost rows start, and how far apart they are.
struct rows {
    const int8_t *a;
    const int8_t *b;
    int32_t step_a;
    int32_t step_b;
    int32_t count;
};

// Computes rows. An input that is a single value is a limit for the other one. Not inlined, because gcc would then
// keep the pointers on the stack.
static __attribute__((noinline)) void minimum_rows(const struct rl_extremum *layer, struct rows r, int8_t *output)
{
    for (; r.count > 0; r.count--, r.a += r.step_a, r.b += r.step_b, output += layer->row) {
        if (layer->row_is_one[0]) {
            rl_clamp_s8(r.b, INT8_MIN, *r.a, output, layer->row);
        } else if (layer->row_is_one[1]) {
            rl_clamp_s8(r.a, INT8_MIN, *r.b, output, layer->row);
        } else {
            rl_minimum_s8(r.a, r.b, output, layer->row);
        }
    }
}

static __attribute__((noinline)) void maximum_rows(const struct rl_extremum *layer, struct rows r, int8_t *output)
{
    for (; r.count > 0; r.count--, r.a += r.step_a, r.b += r.step_b, output += layer->row) {
        if (layer->row_is_one[0]) {
            rl_clamp_s8(r.b, *r.a, INT8_MAX, output, layer->row);
        } else if (layer->row_is_one[1]) {
            rl_clamp_s8(r.a, *r.b, INT8_MAX, output, layer->row);
        } else {
            rl_maximum_s8(r.a, r.b, output, layer->row);
        }
    }
}

static inline void run_rows(void (*run)(const struct rl_extremum *layer, struct rows r, int8_t *output),
                            const struct rl_extremum *layer, const int8_t *a, const int8_t *b, int8_t *output)
{
    const int32_t *step_a = layer->stride[0], *step_b = layer->stride[1];
    for (int32_t i = 0; i < layer->size[0]; i++) {
        for (int32_t j = 0; j < layer->size[1]; j++) {
            const struct rows r = {a + i * step_a[0] + j * step_a[1], b + i * step_b[0] + j * step_b[1], step_a[2],
                                   step_b[2], layer->size[2]};
            run(layer, r, output);
            output += layer->size[2] * layer->row;
        }
    }
}

void rl_minimum_run(const struct rl_extremum *layer, const int8_t *a, const int8_t *b, int8_t *output)
{
    run_rows(minimum_rows, layer, a, b, output);
}

void rl_maximum_run(const struct rl_extremum *layer, const int8_t *a, const int8_t *b, int8_t *output)
{
    run_rows(maximum_rows, layer, a, b, output);
}
