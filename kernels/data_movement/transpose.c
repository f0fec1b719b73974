// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "isa.h"
#include "rushlight/kernels/data_movement.h"
#include RL_TILE(memory_tile.h)
#include RL_TILE(transpose_s8_tile.h)

enum { LIBRARY_COPY = 16 }; // bytes from which on a call of the C library pays, without Helium

// Joins axes that are neighbours in the input as well as in the output, and drops axes of one element, so that the last
// axes say what kind of copy this is. Axes of one element are put in front to make up the number.
static void simplify(struct rl_transpose *layer)
{
    int32_t out = 3;
    for (int32_t i = 2; i >= 0; i--) {
        if (layer->axis[i] == 1) {
            continue;
        }
        if (layer->axis[out] == 1) {
            layer->axis[out] = layer->axis[i];
            layer->step[out] = layer->step[i];
        } else if (layer->step[i] == layer->axis[out] * layer->step[out]) {
            layer->axis[out] *= layer->axis[i];
        } else {
            out--;
            layer->axis[out] = layer->axis[i];
            layer->step[out] = layer->step[i];
        }
    }
    for (int32_t i = 0; i < out; i++) {
        layer->axis[i] = 1;
        layer->step[i] = 0;
    }
}

enum rl_status rl_transpose_prepare(struct rl_transpose *layer)
{
    const int32_t rank = layer->rank;
    int32_t step[4], elements = 1;
    for (int32_t i = rank - 1; i >= 0; i--) {
        step[i] = elements;
        elements *= layer->sizes[i];
    }
    uint32_t seen = 0;
    for (int32_t i = 0; i < 4 - rank; i++) {
        layer->axis[i] = 1;
        layer->step[i] = 0;
    }
    for (int32_t i = 0; i < rank; i++) {
        const uint32_t from = layer->permutation[i];
        if (from >= (uint32_t)rank || (seen >> from & 1u)) {
            return RL_ERROR_ARGUMENT;
        }
        seen |= UINT32_C(1) << from;
        layer->axis[4 - rank + i] = layer->sizes[from];
        layer->step[4 - rank + i] = step[from];
    }
    simplify(layer);
    return RL_OK;
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
static void move_runs(const int8_t *input, int8_t *output, const struct rl_transpose *layer)
{
    for (int32_t i = 0; i < layer->axis[0]; i++) {
        for (int32_t j = 0; j < layer->axis[1]; j++) {
            const int8_t *from = input + i * layer->step[0] + j * layer->step[1];
            copy_runs(output, layer->axis[3], from, layer->step[2], layer->axis[3], layer->axis[2]);
            output += layer->axis[3] * layer->axis[2];
        }
    }
}

// The innermost output axis is strided in the input, and some other axis is dense there. The tile transposes the matrix
// of these two axes, for each index of the other two.
static void transpose_planes(const int8_t *input, int8_t *output, const struct rl_transpose *layer)
{
    const int32_t *size = layer->axis;
    const int32_t output_step[4] = {size[1] * size[2] * size[3], size[2] * size[3], size[3], 1};
    int32_t dense = 2;
    while (dense > 0 && layer->step[dense] != 1) {
        dense--;
    }
    const int32_t a = dense == 0 ? 1 : 0;
    const int32_t b = dense == 2 ? 1 : 2;
    const struct rl_transpose_plane plane = {
        .rows = size[dense], .columns = size[3], .input_step = layer->step[3], .output_step = output_step[dense]};
    for (int32_t i = 0; i < size[a]; i++) {
        for (int32_t j = 0; j < size[b]; j++) {
            rl_transpose_plane_s8(&plane, input + i * layer->step[a] + j * layer->step[b],
                                  output + i * output_step[a] + j * output_step[b]);
        }
    }
}

void rl_transpose_run(const struct rl_transpose *layer, const int8_t *input, int8_t *output)
{
    if (layer->step[3] <= 1) {
        move_runs(input, output, layer);
    } else {
        transpose_planes(input, output, layer);
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
        rl_transpose_plane_s8(&plane, from, to);
    } else if (m.to_row == 1 && m.from_column == 1) {
        const struct rl_transpose_plane plane = {m.columns, m.rows, m.from_row, m.to_column};
        rl_transpose_plane_s8(&plane, from, to);
    } else {
        for (int32_t row = 0; row < m.rows; row++, to += m.to_row, from += m.from_row) {
            for (int32_t column = 0; column < m.columns; column++) {
                to[(ptrdiff_t)column * m.to_column] = from[(ptrdiff_t)column * m.from_column];
            }
        }
    }
}
