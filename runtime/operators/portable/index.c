// SPDX-License-Identifier: Apache-2.0
//
// aten::gather, index_select and embedding: copies elements of any type from the places in a tensor of indices.
#include "runtime/operators/portable/index.h"

#include <string.h>

#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

void rl_expect_indices(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor)
{
    rl_expect_by(call, RL_BY_TYPES, tensor->dtype == RL_INT64 || tensor->dtype == RL_INT32, argument,
                 "indices must be int32 or int64");
}

uint32_t rl_index_at(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor, size_t offset,
                     int32_t size)
{
    int64_t index =
        tensor->dtype == RL_INT64 ? ((const int64_t *)tensor->data)[offset] : ((const int32_t *)tensor->data)[offset];
    index = index < 0 ? index + size : index;
    if (index >= 0 && index < size) {
        return (uint32_t)index;
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "an index is out of range");
    return 0;
}

uint32_t rl_read_dim(struct rl_call *call, uint32_t argument, uint32_t rank)
{
    const int32_t limit = rank > 0 ? (int32_t)rank : 1;
    const bool was_right = call->status == RL_OK;
    const int32_t dim = rl_bounded_int(call, argument, -limit, limit - 1);
    if (was_right && call->status != RL_OK) {
        call->method->reason = RL_BY_NUMBERS;
    }
    return (uint32_t)(dim < 0 ? dim + limit : dim);
}

// Each element of the output is the element of the source `index` times `step` behind the one that the walk leads to.
struct gathering {
    struct rl_tensor source, index, output;
    uint32_t index_argument;
    uint32_t strides[3][RL_TENSOR_MAX_RANK]; // of output, index, source along the output's dimensions
    uint32_t step;                           // the stride of the indexed dimension of the source
    int32_t size;                            // the size of that dimension
};

static void read_tensors(struct rl_call *call, uint32_t source_argument, uint32_t index_argument,
                         uint32_t output_argument, struct gathering *g)
{
    memset(g, 0, sizeof *g);
    g->index_argument = index_argument;
    rl_call_tensor(call, source_argument, &g->source);
    rl_call_tensor(call, index_argument, &g->index);
    rl_call_output(call, output_argument, &g->output);
    rl_expect_same_type(call, output_argument, &g->output, &g->source);
    rl_expect_indices(call, index_argument, &g->index);
}

static void resize_output(struct rl_call *call, uint32_t output_argument, const struct rl_shape *shape,
                          struct gathering *g)
{
    rl_resize(call, output_argument, &g->output, shape);
    rl_expect_disjoint(call, output_argument, &g->output, &g->source);
    rl_expect_disjoint(call, output_argument, &g->output, &g->index);
    rl_tensor_element_strides(&g->output, g->strides[0]);
}

static enum rl_status run_gathering(struct rl_call *call, const struct gathering *g)
{
    struct rl_walk walk;
    const size_t bytes = rl_scalar_size(g->output.dtype);
    if (!rl_call_ready(call) ||
        !rl_walk_start(&walk, &g->output, 3, (const uint32_t(*)[RL_TENSOR_MAX_RANK])g->strides)) {
        return call->status;
    }
    // Where one index leads to elements that follow each other, they are copied at once.
    const bool is_run = walk.step[1] == 0 && walk.step[0] == 1 && walk.step[2] == 1;
    const uint32_t run = is_run ? walk.count : 1;
    do {
        for (uint32_t i = 0; i < walk.count; i += run) {
            uint32_t index =
                rl_index_at(call, g->index_argument, &g->index, walk.offset[1] + (size_t)i * walk.step[1], g->size);
            if (call->status != RL_OK) {
                return call->status;
            }
            size_t from = walk.offset[2] + (size_t)i * walk.step[2] + (size_t)index * g->step;
            size_t to = walk.offset[0] + (size_t)i * walk.step[0];
            memcpy((uint8_t *)g->output.data + to * bytes, (const uint8_t *)g->source.data + from * bytes, run * bytes);
        }
    } while (rl_walk_next(&walk));
    return call->status;
}

enum rl_status rl_run_aten_gather(struct rl_call *call)
{
    enum { INPUT, DIM, INDEX, SPARSE_GRAD, OUTPUT };
    struct gathering g;
    uint32_t own[RL_TENSOR_MAX_RANK] = {0};
    read_tensors(call, INPUT, INDEX, OUTPUT, &g);
    uint32_t dim = rl_read_dim(call, DIM, g.source.rank), rank = g.source.rank;
    const struct rl_shape shape = rl_shape_of(&g.index);
    resize_output(call, OUTPUT, &shape, &g);
    rl_expect_by(call, RL_BY_TYPES, g.index.rank == rank || (rank == 0 && g.index.rank == 1), INDEX,
                 "input and index differ in rank");
    rl_tensor_element_strides(&g.source, own);
    rl_tensor_element_strides(&g.index, g.strides[1]);
    for (uint32_t i = 0; call->status == RL_OK && i < rank; i++) {
        rl_expect(call, i == dim || g.index.sizes[i] <= g.source.sizes[i], INDEX, "the index is larger than the input");
        g.strides[2][i] = i == dim ? 0 : own[i];
    }
    g.step = own[dim];
    g.size = rank > 0 ? g.source.sizes[dim] : 1;
    return run_gathering(call, &g);
}

enum rl_status rl_run_aten_index_select(struct rl_call *call)
{
    enum { INPUT, DIM, INDEX, OUTPUT };
    struct gathering g;
    uint32_t own[RL_TENSOR_MAX_RANK] = {0};
    read_tensors(call, INPUT, INDEX, OUTPUT, &g);
    uint32_t dim = rl_read_dim(call, DIM, g.source.rank), rank = g.source.rank;
    rl_expect_by(call, RL_BY_TYPES, g.index.rank <= 1, INDEX, "the index has more than one dimension");
    struct rl_shape shape = rl_shape_of(&g.source);
    if (call->status == RL_OK && rank > 0) {
        shape.sizes[dim] = (int32_t)rl_tensor_count(&g.index);
    }
    resize_output(call, OUTPUT, &shape, &g);
    rl_tensor_element_strides(&g.source, own);
    for (uint32_t i = 0; call->status == RL_OK && i < rank; i++) {
        g.strides[1][i] = i == dim ? 1 : 0;
        g.strides[2][i] = i == dim ? 0 : own[i];
    }
    rl_expect(call, rank > 0 || rl_tensor_count(&g.index) == 1, INDEX, "the index has more than one element");
    g.step = own[dim];
    g.size = rank > 0 ? g.source.sizes[dim] : 1;
    return run_gathering(call, &g);
}

// Copies rows of the weights. The output has the dimensions of the indices, then that of a row.
enum rl_status rl_run_aten_embedding(struct rl_call *call)
{
    enum { WEIGHT, INDICES, PADDING, SCALES, SPARSE, OUTPUT };
    struct gathering g;
    uint32_t own[RL_TENSOR_MAX_RANK];
    read_tensors(call, WEIGHT, INDICES, OUTPUT, &g);
    rl_expect_by(call, RL_BY_TYPES, g.source.rank == 2, WEIGHT, "the weights have not two dimensions");
    rl_expect_by(call, RL_BY_TYPES, g.index.rank < RL_TENSOR_MAX_RANK, INDICES, "the result has too many dimensions");
    if (call->status != RL_OK) {
        return call->status;
    }
    struct rl_shape shape = rl_shape_of(&g.index);
    rl_shape_insert(&shape, shape.rank, g.source.sizes[1]);
    resize_output(call, OUTPUT, &shape, &g);
    rl_tensor_element_strides(&g.source, own);
    rl_tensor_element_strides(&g.index, g.strides[1]);
    g.strides[1][g.index.rank] = 0;
    g.strides[2][g.index.rank] = own[1];
    g.step = own[0];
    g.size = g.source.sizes[0];
    return run_gathering(call, &g);
}
