// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <string.h>

#include "arm_nn_transpose.h"
#include "isa.h"
#include RL_TILE(memory_tile.h)
#include RL_TILE(transpose_s8_tile.h)

enum { LIBRARY_COPY = 16 }; // bytes, from which on a call of the C library repays

// The tensor as the output sees it: axes from outermost to innermost, each with its step in the input.
struct walk {
    int32_t size[4];
    int32_t step[4];
};

// Takes the `axes` leading fields of `dims`; false when `permutation` is none.
static bool walk_of_output(const cmsis_nn_dims *dims, int32_t axes, const uint32_t *permutation, struct walk *walk)
{
    const int32_t size[4] = {dims->n, dims->h, dims->w, dims->c};
    int32_t step[4];
    int32_t elements = 1;
    for (int32_t axis = axes - 1; axis >= 0; axis--) {
        step[axis] = elements;
        elements *= size[axis];
    }
    uint32_t seen = 0;
    for (int32_t i = 0; i < 4; i++) {
        walk->size[i] = 1;
        walk->step[i] = 0;
    }
    for (int32_t i = 0; i < axes; i++) {
        const uint32_t axis = permutation[i];
        if (axis >= (uint32_t)axes || (seen >> axis & 1u)) {
            return false;
        }
        seen |= UINT32_C(1) << axis;
        walk->size[4 - axes + i] = size[axis];
        walk->step[4 - axes + i] = step[axis];
    }
    return true;
}

// Joins neighbouring axes that are neighbours in the input too, and drops axes of one element, so that the last axes
// say what kind of copy this is. The axes end up at the end, padded with ones in front.
static void simplify(struct walk *walk)
{
    int32_t out = 3;
    for (int32_t i = 2; i >= 0; i--) {
        if (walk->size[i] == 1) {
            continue;
        }
        if (walk->size[out] == 1) {
            walk->size[out] = walk->size[i];
            walk->step[out] = walk->step[i];
        } else if (walk->step[i] == walk->size[out] * walk->step[out]) {
            walk->size[out] *= walk->size[i];
        } else {
            out--;
            walk->size[out] = walk->size[i];
            walk->step[out] = walk->step[i];
        }
    }
    for (int32_t i = 0; i < out; i++) {
        walk->size[i] = 1;
        walk->step[i] = 0;
    }
}

// `count` runs, `step` apart, one behind the other.
static int8_t *copy_run(const int8_t *from, int32_t step, int32_t run, int32_t count, int8_t *output)
{
    if (run < LIBRARY_COPY) {
        rl_copy_runs_s8(output, run, from, step, run, count);
        return output + run * count;
    }
    for (int32_t i = 0; i < count; i++) {
        memcpy(output, from, (size_t)run);
        from += step;
        output += run;
    }
    return output;
}

// Both runs are dense: copy.
static void copy_runs(const int8_t *input, int8_t *output, const struct walk *walk)
{
    for (int32_t i = 0; i < walk->size[0]; i++) {
        for (int32_t j = 0; j < walk->size[1]; j++) {
            const int8_t *from = input + i * walk->step[0] + j * walk->step[1];
            output = copy_run(from, walk->step[2], walk->size[3], walk->size[2], output);
        }
    }
}

// The innermost output axis is strided in the input; some other axis is dense there. Those two form a matrix that the
// tile transposes, for each index of the other two axes.
static void transpose_planes(const int8_t *input, int8_t *output, const struct walk *walk)
{
    const int32_t *size = walk->size;
    const int32_t output_step[4] = {size[1] * size[2] * size[3], size[2] * size[3], size[3], 1};
    int32_t dense = 2;
    while (dense > 0 && walk->step[dense] != 1) {
        dense--;
    }
    const int32_t a = dense == 0 ? 1 : 0;
    const int32_t b = dense == 2 ? 1 : 2;
    const struct rl_transpose_plane plane = {
        .rows = size[dense], .columns = size[3], .input_step = walk->step[3], .output_step = output_step[dense]};
    for (int32_t i = 0; i < size[a]; i++) {
        for (int32_t j = 0; j < size[b]; j++) {
            rl_transpose_plane_s8(&plane, input + i * walk->step[a] + j * walk->step[b],
                                  output + i * output_step[a] + j * output_step[b]);
        }
    }
}

arm_cmsis_nn_status arm_transpose_s8(const int8_t *input_data, int8_t *output_data, const cmsis_nn_dims *input_dims,
                                     const cmsis_nn_dims *output_dims,
                                     const cmsis_nn_transpose_params *transpose_params)
{
    static const uint32_t identity[1] = {0};
    static const uint32_t swap[2] = {1, 0};
    (void)output_dims;
    const uint32_t *permutation = transpose_params->permutations;
    int32_t axes = transpose_params->num_dims;
    if (axes == 1) {
        permutation = identity;
    } else if (axes == 2) {
        permutation = swap;
    } else if (axes != 3) {
        axes = 4;
    }
    struct walk walk;
    if (!walk_of_output(input_dims, axes, permutation, &walk)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    simplify(&walk);
    if (walk.step[3] <= 1) {
        copy_runs(input_data, output_data, &walk);
    } else {
        transpose_planes(input_data, output_data, &walk);
    }
    return ARM_CMSIS_NN_SUCCESS;
}
