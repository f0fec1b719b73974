// SPDX-License-Identifier: Apache-2.0
#include "elementwise/broadcast.h"

// How an axis is used: by both inputs alike, or with one of them repeated.
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

bool rl_broadcast_plan(const cmsis_nn_dims *a, const cmsis_nn_dims *b, struct rl_broadcast *out)
{
    const int32_t size_a[4] = {a->n, a->h, a->w, a->c};
    const int32_t size_b[4] = {b->n, b->h, b->w, b->c};
    for (int i = 0; i < 4; i++) {
        if (size_a[i] != size_b[i] && size_a[i] != 1 && size_b[i] != 1) {
            return false;
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
    out->row = row;
    out->row_is_scalar[0] = row_pattern == REPEAT_A;
    out->row_is_scalar[1] = row_pattern == REPEAT_B;

    int32_t step_a = out->row_is_scalar[0] ? 1 : row;
    int32_t step_b = out->row_is_scalar[1] ? 1 : row;
    for (int slot = 2; slot >= 0; slot--, axis--) {
        const int32_t in_a = axis >= 0 ? size_a[axis] : 1;
        const int32_t in_b = axis >= 0 ? size_b[axis] : 1;
        out->size[slot] = in_a == 1 ? in_b : in_a;
        out->stride[0][slot] = in_a == 1 ? 0 : step_a;
        out->stride[1][slot] = in_b == 1 ? 0 : step_b;
        step_a *= in_a;
        step_b *= in_b;
    }
    return true;
}
