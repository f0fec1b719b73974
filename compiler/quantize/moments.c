// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/moments.h"

#include <string.h>

// ROWS places are added together: each product is read and written once for them. Compilers make vectors of loops over
// LANES.
enum { BLOCK = 256, ROWS = 4, LANES = 8 };

static bool read_convolution(const struct rl_node *node, const struct rl_tensor_type *weight, struct rl_moments *m)
{
    m->kernel[0] = weight->sizes[2], m->kernel[1] = weight->sizes[3];
    m->groups = rl_node_int(node, "groups");
    return rl_node_ints(node, "stride", 2, 1, m->stride) && rl_node_ints(node, "padding", 2, 0, m->padding) &&
           rl_node_ints(node, "dilation", 2, 1, m->dilation) && m->groups > 0;
}

bool rl_moments_read(const struct rl_node *node, const struct rl_value *input, const struct rl_value *weight,
                     struct rl_moments *moments)
{
    const struct rl_op *op = rl_op_get(node->op);
    if (op->transposed || !input || !rl_tensor_is_contiguous(&weight->type) || rl_tensor_numel(&weight->type) == 0) {
        return false;
    }
    *moments = (struct rl_moments){.node = node, .groups = 1};
    if (op->layer == RL_LAYER_CONVOLUTION) {
        if (weight->type.rank != 4 || input->type.rank != 4 || !read_convolution(node, &weight->type, moments)) {
            return false;
        }
    } else if ((op->layer != RL_LAYER_LINEAR && op->layer != RL_LAYER_RECURRENT) || weight->type.rank != 2 ||
               input->type.rank < 1) {
        return false;
    }
    moments->taps = rl_tensor_numel(&weight->type) / weight->type.sizes[0];
    moments->block = moments->taps < BLOCK ? moments->taps : BLOCK;
    moments->blocks = (moments->taps + moments->block - 1) / moments->block;
    return true;
}

double rl_moments_cost(const struct rl_moments *moments)
{
    return (double)moments->groups * (double)moments->taps * (double)moments->block / 2;
}

// Products before the diagonal are left out, up to whole groups of LANES. Returns where element 0 of a row would be.
static int64_t row_offset(int64_t size, int64_t row)
{
    const int64_t skipped = row - row % LANES, groups = row / LANES;
    const int64_t rows_before = skipped * size - LANES * LANES * (groups * (groups - 1) / 2);
    return rows_before + row % LANES * (size - skipped) - skipped;
}

// Products of a block of `size` inputs: where the first element of a row behind the last one would be.
static int64_t block_products(int64_t size)
{
    return row_offset(size, size) + size - size % LANES;
}

// Inputs of a block.
static int64_t block_size(const struct rl_moments *m, int64_t block)
{
    const int64_t rest = m->taps - block * m->block;
    return rest < m->block ? rest : m->block;
}

static int64_t group_products(const struct rl_moments *m)
{
    return (m->blocks - 1) * block_products(m->block) + block_products(block_size(m, m->blocks - 1));
}

static float *products_of(const struct rl_moments *m, int64_t group, int64_t block)
{
    return m->products + group * group_products(m) + block * block_products(m->block);
}

const float *rl_moments_row(const struct rl_moments *moments, int64_t group, int64_t block, int64_t row)
{
    return products_of(moments, group, block) + row_offset(block_size(moments, block), row);
}

// Of a group.
static size_t sums_bytes(const struct rl_moments *m)
{
    return (size_t)m->taps * sizeof(double) + (size_t)group_products(m) * sizeof(float);
}

size_t rl_moments_bytes(const struct rl_moments *moments)
{
    return (size_t)moments->groups * sums_bytes(moments);
}

// Sums and products are one allocation, because only large ones are given back.
void rl_moments_start(struct rl_moments *moments, struct rl_arena *arena, int64_t wanted)
{
    const size_t groups = (size_t)moments->groups, taps = (size_t)moments->taps;
    moments->wanted = wanted;
    moments->sums = rl_arena_array(arena, groups, sums_bytes(moments));
    moments->products = (float *)(void *)(moments->sums + groups * taps);
}

void rl_moments_end(const struct rl_moments *moments, struct rl_arena *arena)
{
    rl_arena_release(arena, moments->sums);
}

size_t rl_moments_work(const struct rl_moments *moments)
{
    return (size_t)(moments->groups * moments->taps) * ROWS;
}

// Adds ROWS places of a block of `count` inputs; inputs of one place are `stride` apart from those of the next. What is
// written of products before the diagonal, to begin with whole LANES, means nothing.
static void add_products(const float *restrict x, int64_t stride, int64_t count, float *restrict products)
{
    const float *restrict b = x + stride, *restrict c = b + stride, *restrict d = c + stride;
    for (int64_t i = 0; i < count; i++) {
        float *restrict row = products + row_offset(count, i);
        const float xi = x[i], bi = b[i], ci = c[i], di = d[i];
        int64_t k = i - i % LANES;
        for (; k + LANES <= count; k += LANES) {
            for (int lane = 0; lane < LANES; lane++) {
                row[k + lane] += xi * x[k + lane] + bi * b[k + lane] + ci * c[k + lane] + di * d[k + lane];
            }
        }
        for (; k < count; k++) {
            row[k] += xi * x[k] + bi * b[k] + ci * c[k] + di * d[k];
        }
    }
}

static void add_patches(struct rl_moments *m, float *patches, int rows)
{
    const int64_t inputs = m->groups * m->taps;
    memset(patches + rows * inputs, 0, (size_t)((ROWS - rows) * inputs) * sizeof *patches);
    for (int row = 0; row < rows; row++) {
        for (int64_t i = 0; i < inputs; i++) {
            m->sums[i] += (double)patches[row * inputs + i];
        }
    }
    for (int64_t i = 0; i < m->groups * m->blocks; i++) {
        const int64_t group = i / m->blocks, block = i % m->blocks;
        add_products(patches + group * m->taps + block * m->block, inputs, block_size(m, block),
                     products_of(m, group, block));
    }
    m->rows += rows;
}

// The inputs of place (y, x) of the output.
static void copy_patch(const struct rl_moments *m, const struct rl_tensor_type *type, const int64_t *strides,
                       const float *image, int64_t y, int64_t x, float *patch)
{
    for (int64_t channel = 0; channel < type->sizes[1]; channel++) {
        for (int64_t i = 0; i < m->kernel[0]; i++) {
            const int64_t row = y * m->stride[0] - m->padding[0] + i * m->dilation[0];
            for (int64_t k = 0; k < m->kernel[1]; k++) {
                const int64_t column = x * m->stride[1] - m->padding[1] + k * m->dilation[1];
                const bool is_inside = row >= 0 && row < type->sizes[2] && column >= 0 && column < type->sizes[3];
                *patch++ = is_inside ? image[channel * strides[1] + row * strides[2] + column * strides[3]] : 0.0f;
            }
        }
    }
}

static void copy_row(const struct rl_moments *m, const struct rl_tensor_type *type, const int64_t *strides,
                     const float *data, int64_t row, float *patch)
{
    for (int i = type->rank - 2; i >= 0; i--) {
        data += row % type->sizes[i] * strides[i];
        row /= type->sizes[i];
    }
    for (int64_t i = 0; i < m->taps; i++) {
        patch[i] = data[i * strides[type->rank - 1]];
    }
}

void rl_moments_add(struct rl_moments *moments, const struct rl_tensor_type *type, const float *data, float *work)
{
    int64_t strides[RL_MAX_RANK];
    const struct rl_tensor_type *result = &moments->node->results[0]->type;
    const bool is_linear = moments->kernel[0] == 0;
    const int64_t height = is_linear ? 1 : result->sizes[2], width = is_linear ? 1 : result->sizes[3];
    const int64_t places = is_linear ? rl_tensor_numel(type) / moments->taps : result->sizes[0] * height * width;
    const int64_t step = places > moments->wanted ? places / moments->wanted : 1;
    int waiting = 0;

    rl_tensor_strides(type, strides);
    for (int64_t i = moments->rows % step; i < places; i += step) {
        float *patch = work + waiting * moments->groups * moments->taps;
        if (is_linear) {
            copy_row(moments, type, strides, data, i, patch);
        } else {
            copy_patch(moments, type, strides, data + i / width / height * strides[0], i / width % height, i % width,
                       patch);
        }
        if (++waiting == ROWS) {
            add_patches(moments, work, waiting);
            waiting = 0;
        }
    }
    if (waiting > 0) {
        add_patches(moments, work, waiting);
    }
}
