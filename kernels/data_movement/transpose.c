// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "data_movement/transpose.h"
#include "isa.h"
#include "rushlight/kernels/data_movement.h"
#include RL_TILE(memory_tile.h)
#include RL_TILE(transpose_s8_tile.h)

enum { LIBRARY_COPY = 16 }; // bytes from which on a call of the C library pays, without Helium

// Tensors of fewer elements are moved one element at a time, because preparing and calling anything else costs as much
// as some twenty of them. So are those with matrices of fewer elements.
enum { FEW_ELEMENTS = 32, FEW_IN_MATRIX = 24 };

// Axes that are neighbours in the input as well as in the output are joined, and those of one element dropped, so that
// the last axes say what kind of copy this is. Axes of one element are put in front to make up the number.
enum rl_status rl_transpose_axes(struct rl_transpose *layer, const int32_t *sizes, const uint32_t *permutation)
{
    const int32_t rank = layer->rank;
    int32_t step[4], elements = 1;
    for (int32_t i = rank - 1; i >= 0; i--) {
        step[i] = elements;
        elements *= sizes[i];
    }
    for (int32_t i = 0; i < 4; i++) {
        layer->axis[i] = 1;
        layer->step[i] = 0;
    }
    uint32_t seen = 0;
    int32_t out = 3, axis = 1, axis_step = 0;
    for (int32_t i = rank - 1; i >= 0; i--) {
        const uint32_t from = permutation[i];
        if (from >= (uint32_t)rank) {
            return RL_ERROR_ARGUMENT;
        }
        seen |= UINT32_C(1) << from;
        const int32_t size = sizes[from];
        if (size == 1) {
            continue;
        }
        if (axis != 1 && step[from] == axis * axis_step) {
            axis *= size;
            continue;
        }
        if (axis != 1) {
            layer->axis[out] = axis;
            layer->step[out] = axis_step;
            out--;
        }
        axis = size;
        axis_step = step[from];
    }
    layer->axis[out] = axis;
    layer->step[out] = axis_step;
    return seen == (UINT32_C(1) << rank) - 1 ? RL_OK : RL_ERROR_ARGUMENT;
}

enum rl_status rl_transpose_prepare(struct rl_transpose *layer)
{
    return rl_transpose_axes(layer, layer->sizes, layer->permutation);
}

// Copies `count` runs whose starts are `to_step` and `from_step` apart.
static void copy_runs(int8_t *to, ptrdiff_t to_step, const int8_t *from, ptrdiff_t from_step, int32_t run,
                      int32_t count)
{
    if (RL_HAS_MVE || run < LIBRARY_COPY) {
        rl_copy_runs_s8(to, to_step, from, from_step, run, count);
        return;
    }
    for (int32_t i = 0; i < count; i++, to += to_step, from += from_step) {
        memcpy(to, from, (size_t)run);
    }
}

// Copies runs that are dense in input and output.
static __attribute__((noinline)) void move_runs(const int8_t *input, int8_t *output, const struct rl_transpose *layer)
{
    const int32_t run = layer->axis[3], runs = layer->axis[2];
    for (int32_t i = layer->axis[0]; i > 0; i--, input += layer->step[0]) {
        const int8_t *from = input;
        for (int32_t j = layer->axis[1]; j > 0; j--, from += layer->step[1]) {
            copy_runs(output, run, from, layer->step[2], run, runs);
            output += run * runs;
        }
    }
}

void rl_transpose_plane_run(const struct rl_transpose_plane *plane, const int8_t *input, int8_t *output)
{
    if (plane->rows * plane->columns < FEW_IN_MATRIX) {
        rl_transpose_rest_s8(plane, input, output, 0, 0);
    } else {
        rl_transpose_plane_s8(plane, input, output);
    }
}

static int32_t dense_axis(const int32_t *step)
{
    if (step[2] == 1) {
        return 2;
    }
    return step[1] == 1 ? 1 : 0;
}

// The innermost output axis is strided in the input, and axis `dense` is dense there. The tile transposes the matrix of
// these two axes, for each index of the other two.
static __attribute__((noinline)) void transpose_planes(const int8_t *input, int8_t *output,
                                                       const struct rl_transpose *layer, int32_t dense)
{
    const int32_t *size = layer->axis, *step = layer->step;
    const int32_t output_step[3] = {size[1] * size[2] * size[3], size[2] * size[3], size[3]};
    const struct rl_transpose_plane plane = {
        .rows = size[dense], .columns = size[3], .input_step = step[3], .output_step = output_step[dense]};
    const int32_t a = dense == 0 ? 1 : 0, b = dense == 2 ? 1 : 2;
    for (int32_t i = 0; i < size[a]; i++) {
        for (int32_t j = 0; j < size[b]; j++) {
            rl_transpose_plane_run(&plane, input + i * step[a] + j * step[b],
                                   output + i * output_step[a] + j * output_step[b]);
        }
    }
}

// Copies one element after the other, in the order of the output.
static __attribute__((noinline)) void move_elements(const int8_t *input, int8_t *output,
                                                    const struct rl_transpose *layer)
{
    const int32_t count = layer->axis[3], step = layer->step[3];
    const uint8_t *outer = (const uint8_t *)input; // unsigned, because a Cortex-M0 loads those with fewer instructions
    uint8_t *to = (uint8_t *)output;
    for (int32_t i = layer->axis[0]; i > 0; i--, outer += layer->step[0]) {
        const uint8_t *middle = outer;
        for (int32_t j = layer->axis[1]; j > 0; j--, middle += layer->step[1]) {
            const uint8_t *inner = middle;
            for (int32_t k = layer->axis[2]; k > 0; k--, inner += layer->step[2]) {
                const uint8_t *from = inner;
                for (int32_t left = count; left > 0; left--, from += step) {
                    *to++ = *from;
                }
            }
        }
    }
}

void rl_transpose_run(const struct rl_transpose *layer, const int8_t *input, int8_t *output)
{
    const int32_t *size = layer->axis, *step = layer->step;
    if (step[3] <= 1) {
        move_runs(input, output, layer);
        return;
    }
    if (size[0] * size[1] * size[2] * size[3] < FEW_ELEMENTS) {
        move_elements(input, output, layer);
        return;
    }
    const int32_t dense = dense_axis(step);
    if (size[0] * size[1] == 1) {
        const struct rl_transpose_plane plane = {size[2], size[3], step[3], size[3]};
        rl_transpose_plane_run(&plane, input, output);
    } else if (size[dense] * size[3] < FEW_IN_MATRIX) {
        move_elements(input, output, layer);
    } else {
        transpose_planes(input, output, layer, dense);
    }
}

void rl_move_run(const struct rl_move *move, const int8_t *from, int8_t *to)
{
    const struct rl_move m = *move;
    if (m.columns <= 0) {
        return;
    }
    if (m.to_column == 1 && m.from_column == 1) {
        copy_runs(to, m.to_row, from, m.from_row, m.columns, m.rows);
    } else if (m.to_column == 1 && m.from_row == 1) {
        const struct rl_transpose_plane plane = {m.rows, m.columns, m.from_column, m.to_row};
        rl_transpose_plane_run(&plane, from, to);
    } else if (m.to_row == 1 && m.from_column == 1) {
        const struct rl_transpose_plane plane = {m.columns, m.rows, m.from_row, m.to_column};
        rl_transpose_plane_run(&plane, from, to);
    } else {
        for (int32_t row = 0; row < m.rows; row++, to += m.to_row, from += m.from_row) {
            for (int32_t column = 0; column < m.columns; column++) {
                to[(ptrdiff_t)column * m.to_column] = from[(ptrdiff_t)column * m.from_column];
            }
        }
    }
}
