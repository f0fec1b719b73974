// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/walk.h"

#include <string.h>

// Appends one dimension to the walk, or merges it into the dimension before it.
static void add_dimension(struct rl_walk *walk, uint32_t operands, uint32_t size, const uint32_t *strides)
{
    bool merge = walk->rank > 0;
    for (uint32_t k = 0; k < operands && merge; k++) {
        merge = walk->stride[k][walk->rank - 1] == strides[k] * size;
    }
    if (!merge) {
        walk->size[walk->rank++] = 1;
    }
    walk->size[walk->rank - 1] *= size;
    for (uint32_t k = 0; k < operands; k++) {
        walk->stride[k][walk->rank - 1] = strides[k];
    }
}

bool rl_walk_start(struct rl_walk *walk, const struct rl_tensor *shape, uint32_t operands,
                   const uint32_t strides[][RL_TENSOR_MAX_RANK])
{
    memset(walk, 0, sizeof *walk);
    for (uint32_t i = 0; i < shape->rank; i++) {
        uint32_t dimension = shape->dim_order[i], along[RL_WALK_OPERANDS];
        if (shape->sizes[dimension] == 0) {
            return false;
        }
        if (shape->sizes[dimension] == 1) {
            continue;
        }
        for (uint32_t k = 0; k < operands; k++) {
            along[k] = strides[k][dimension];
        }
        add_dimension(walk, operands, (uint32_t)shape->sizes[dimension], along);
    }
    walk->count = 1;
    if (walk->rank > 0) {
        walk->rank--;
        walk->count = walk->size[walk->rank];
        for (uint32_t k = 0; k < operands; k++) {
            walk->step[k] = walk->stride[k][walk->rank];
        }
    }
    return true;
}

bool rl_walk_next(struct rl_walk *walk)
{
    for (uint32_t i = walk->rank; i-- > 0;) {
        bool carry = ++walk->index[i] == walk->size[i];
        for (uint32_t k = 0; k < RL_WALK_OPERANDS; k++) {
            walk->offset[k] += carry ? 0u - walk->stride[k][i] * (walk->size[i] - 1) : walk->stride[k][i];
        }
        if (!carry) {
            return true;
        }
        walk->index[i] = 0;
    }
    return false;
}

size_t rl_offset_at(const struct rl_tensor *shape, const uint32_t *strides, uint32_t position)
{
    size_t offset = 0;
    for (uint32_t i = shape->rank; i-- > 0;) {
        const uint32_t size = (uint32_t)shape->sizes[i];
        offset += (size_t)(position % size) * strides[i];
        position /= size;
    }
    return offset;
}

// What a copy moves at a time: the elements of the two innermost dimensions. Steps are in elements.
struct block {
    uint32_t rows, columns;
    uint32_t to_row, to_column;
    uint32_t from_row, from_column;
    uint32_t size; // bytes of an element: 1, 2, 4 or 8
};

// Whether kernels can move the block as bytes: runs, or single bytes. Their steps have 31 bits.
static bool moves_bytes(const struct block *b)
{
    const uint64_t bytes = (uint64_t)b->columns * b->size;
    const uint64_t steps = (uint64_t)(b->to_row | b->from_row) * b->size;
    const bool is_dense = b->to_column == 1 && b->from_column == 1;
    return (is_dense || b->size == 1) && bytes <= INT32_MAX && steps <= INT32_MAX && b->rows <= INT32_MAX &&
           (b->to_column | b->from_column) <= INT32_MAX;
}

static struct rl_move move_of(const struct block *b)
{
    return (struct rl_move){
        .rows = (int32_t)b->rows,
        .columns = (int32_t)(b->columns * b->size),
        .to_row = (int32_t)(b->to_row * b->size),
        .to_column = (int32_t)b->to_column,
        .from_row = (int32_t)(b->from_row * b->size),
        .from_column = (int32_t)b->from_column,
    };
}

// Copies a block element by element. `size` is that of the block, and a constant where it is worth its code.
static inline __attribute__((always_inline)) void copy_elements(const struct block *b, uint8_t *to, const uint8_t *from,
                                                                uint32_t size)
{
    const size_t to_step = (size_t)b->to_column * size, from_step = (size_t)b->from_column * size;
    for (uint32_t row = 0; row < b->rows; row++) {
        uint8_t *target = to + (size_t)row * b->to_row * size;
        const uint8_t *source = from + (size_t)row * b->from_row * size;
        for (uint32_t i = 0; i < b->columns; i++) {
            memcpy(target, source, size);
            target += to_step;
            source += from_step;
        }
    }
}

static void copy_block(const struct block *b, uint8_t *to, const uint8_t *from)
{
    if (moves_bytes(b)) {
        const struct rl_move move = move_of(b);
        rl_move_run(&move, (const int8_t *)from, (int8_t *)to);
        return;
    }
    if (b->size == sizeof(uint16_t)) {
        copy_elements(b, to, from, sizeof(uint16_t));
    } else if (b->size == sizeof(uint32_t)) {
        copy_elements(b, to, from, sizeof(uint32_t));
    } else {
        copy_elements(b, to, from, b->size);
    }
}

// Takes the innermost dimensions off a walk through two operands.
static struct block take_block(struct rl_walk *walk, const struct rl_tensor *shape)
{
    struct block block = {.rows = 1,
                          .columns = walk->count,
                          .to_column = walk->step[0],
                          .from_column = walk->step[1],
                          .size = (uint32_t)rl_scalar_size(shape->dtype)};
    if (walk->rank > 0) {
        walk->rank--;
        block.rows = walk->size[walk->rank];
        block.to_row = walk->stride[0][walk->rank];
        block.from_row = walk->stride[1][walk->rank];
    }
    return block;
}

void rl_walk_copy(const struct rl_tensor *shape, uint8_t *to, const uint8_t *from,
                  const uint32_t strides[2][RL_TENSOR_MAX_RANK])
{
    struct rl_walk walk;
    if (!rl_walk_start(&walk, shape, 2, strides)) {
        return;
    }
    const struct block block = take_block(&walk, shape);
    do {
        copy_block(&block, to + (size_t)walk.offset[0] * block.size, from + (size_t)walk.offset[1] * block.size);
    } while (rl_walk_next(&walk));
}

bool rl_copies_add(struct rl_copies *copies, const struct rl_tensor *shape, uint8_t *to, const uint8_t *from,
                   const uint32_t strides[2][RL_TENSOR_MAX_RANK])
{
    struct rl_walk walk;
    if (!rl_walk_start(&walk, shape, 2, strides)) {
        return true;
    }
    const struct block block = take_block(&walk, shape);
    if (walk.rank > 0 || !moves_bytes(&block) || copies->count == RL_COPIES_MOST) {
        return false;
    }
    copies->items[copies->count].move = move_of(&block);
    copies->items[copies->count].from = from;
    copies->items[copies->count++].to = to;
    return true;
}

void rl_copies_run(const struct rl_copies *copies)
{
    for (uint32_t i = 0; i < copies->count; i++) {
        rl_move_run(&copies->items[i].move, (const int8_t *)copies->items[i].from, (int8_t *)copies->items[i].to);
    }
}

void rl_walk_copy_kept(struct rl_call *call, const struct rl_tensor *shape, uint8_t *to, const uint8_t *from,
                       const uint32_t strides[2][RL_TENSOR_MAX_RANK])
{
    struct rl_copies copies = {0};
    if (rl_copies_add(&copies, shape, to, from, strides) && rl_call_keep(call, &copies, sizeof copies)) {
        rl_copies_run(&copies);
    } else {
        rl_walk_copy(shape, to, from, strides);
    }
}

bool rl_broadcast_strides(const struct rl_tensor *tensor, const struct rl_tensor *shape,
                          uint32_t strides[RL_TENSOR_MAX_RANK])
{
    uint32_t own[RL_TENSOR_MAX_RANK];
    memset(strides, 0, RL_TENSOR_MAX_RANK * sizeof *strides);
    if (tensor->rank > shape->rank) {
        return false;
    }
    rl_tensor_element_strides(tensor, own);
    uint32_t missing = (uint32_t)(shape->rank - tensor->rank);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] == shape->sizes[missing + i]) {
            strides[missing + i] = own[i];
        } else if (tensor->sizes[i] != 1) {
            return false;
        }
    }
    return true;
}

enum rl_status rl_copy_expanded(struct rl_call *call, uint32_t input_argument, uint32_t output_argument)
{
    struct rl_tensor input, output;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    if (call->kept) {
        rl_copies_run(call->kept);
        return RL_OK;
    }
    rl_call_tensor(call, input_argument, &input);
    rl_call_output(call, output_argument, &output);
    rl_expect_same_type(call, output_argument, &output, &input);
    rl_expect_disjoint(call, output_argument, &output, &input);
    rl_expect(call, rl_broadcast_strides(&input, &output, strides[1]), output_argument,
              "the input does not broadcast to the output's shape");
    rl_tensor_element_strides(&output, strides[0]);
    if (rl_call_ready(call)) {
        rl_walk_copy_kept(call, &output, output.data, input.data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
    return call->status;
}
