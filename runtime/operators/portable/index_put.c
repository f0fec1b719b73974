// SPDX-License-Identifier: Apache-2.0
//
// aten::index and index_put: elements at places given by index tensors, one for each of some dimensions. The index
// tensors broadcast. Their dimensions take the place of the indexed ones if those are neighbours; otherwise they come
// first. A mask of bools indexes as many dimensions as it has. It stands for one vector of indices a dimension: the
// places where it is true, in logical order.
#include <string.h>

#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

enum { INPUT, INDICES };

// The place of the true element with number `ordinal` in a mask: `position` counts all of its elements.
struct cursor {
    uint32_t ordinal, position;
};

// The places that are read or written, as a tensor of places.
struct places {
    struct rl_tensor indices[RL_TENSOR_MAX_RANK]; // of each dimension that has any; a mask at its first one
    int32_t true_counts[RL_TENSOR_MAX_RANK];      // of the masks
    struct cursor cursors[RL_TENSOR_MAX_RANK];    // in the masks
    uint32_t index_strides[RL_TENSOR_MAX_RANK][RL_TENSOR_MAX_RANK]; // along the dimensions of the places
    uint32_t steps[RL_TENSOR_MAX_RANK]; // distance of neighbours along each dimension of the tensor
    uint32_t kept[RL_TENSOR_MAX_RANK];  // the same along the dimensions of the places; 0 for those of the indices
    int32_t sizes[RL_TENSOR_MAX_RANK];  // of the dimensions of the places
    int32_t limits[RL_TENSOR_MAX_RANK]; // sizes of the tensor
    uint32_t indexed;                   // bit d: dimension d of the tensor has indices
    uint32_t started;                   // bit d: its indices start here, and are not those of a mask before it
    uint32_t rank, tensor_rank;
};

static bool is_indexed(const struct places *p, uint32_t dimension)
{
    return (p->indexed >> dimension & 1) != 0;
}

// Whether an index tensor, or a mask, starts at the dimension.
static bool is_started(const struct places *p, uint32_t dimension)
{
    return (p->started >> dimension & 1) != 0;
}

static bool is_mask(const struct rl_tensor *tensor)
{
    return tensor->dtype == RL_BOOL || tensor->dtype == RL_UINT8;
}

// The index tensor that starts at the dimension; for a mask, the shape of the vectors that it stands for.
static struct rl_tensor selector_of(const struct places *p, uint32_t dimension)
{
    if (!is_mask(&p->indices[dimension])) {
        return p->indices[dimension];
    }
    return (struct rl_tensor){
        .sizes = &p->true_counts[dimension], .rank = 1, .dim_order = rl_order_contiguous, .dtype = RL_INT64};
}

// The shape that all index tensors broadcast to.
static struct rl_shape broadcast_indices(struct rl_call *call, const struct places *p)
{
    struct rl_shape shape = {.rank = 0};
    for (uint32_t d = 0; d < p->tensor_rank; d++) {
        const struct rl_tensor selector = selector_of(p, d);
        rl_expect(call, !is_started(p, d) || rl_shape_broadcast(&shape, &selector), INDICES,
                  "the indices do not broadcast");
    }
    return shape;
}

// Whether the indexed dimensions are neighbours, and the first of them.
static bool are_neighbours(const struct places *p, uint32_t *first)
{
    uint32_t last = 0, count = 0;
    for (uint32_t d = 0; d < p->tensor_rank; d++) {
        if (!is_indexed(p, d)) {
            continue;
        }
        *first = count == 0 ? d : *first;
        last = d;
        count++;
    }
    return count > 0 && last - *first + 1 == count;
}

static void add_dimension(struct rl_call *call, struct places *p, int32_t size, uint32_t step)
{
    rl_expect(call, p->rank < RL_TENSOR_MAX_RANK, INDICES, "the result has too many dimensions");
    if (call->status != RL_OK) {
        return;
    }
    p->sizes[p->rank] = size;
    p->kept[p->rank++] = step;
}

static void add_index_dimensions(struct rl_call *call, struct places *p, const int32_t *sizes, uint32_t rank)
{
    struct rl_tensor shape = {.sizes = sizes, .rank = (uint8_t)rank, .dim_order = rl_order_contiguous};
    const uint32_t start = p->rank;
    for (uint32_t i = 0; i < rank; i++) {
        add_dimension(call, p, sizes[i], 0);
    }
    for (uint32_t d = 0; call->status == RL_OK && d < p->tensor_rank; d++) {
        uint32_t strides[RL_TENSOR_MAX_RANK];
        const struct rl_tensor selector = selector_of(p, d);
        if (is_started(p, d) && rl_broadcast_strides(&selector, &shape, strides)) {
            memcpy(p->index_strides[d] + start, strides, rank * sizeof *strides);
        }
    }
}

// ---- masks

// Whether element `position`, in logical order, is true.
static bool is_true(const struct rl_tensor *mask, uint32_t position)
{
    uint32_t strides[RL_TENSOR_MAX_RANK];
    rl_tensor_element_strides(mask, strides);
    return ((const uint8_t *)mask->data)[rl_offset_at(mask, strides, position)] != 0;
}

// Counts the true elements of the mask that starts at dimension `d`.
static void read_mask(struct rl_call *call, const struct rl_tensor *tensor, struct places *p, uint32_t d)
{
    const struct rl_tensor *mask = &p->indices[d];
    const uint32_t count = rl_tensor_count(mask);
    bool fits = mask->rank > 0 && d + mask->rank <= tensor->rank;
    for (uint32_t i = 0; fits && i < mask->rank; i++) {
        fits = mask->sizes[i] == tensor->sizes[d + i];
    }
    rl_expect(call, fits, INDICES, "a mask has other sizes than the dimensions that it stands for");
    for (uint32_t i = 0; rl_call_ready(call) && i < count; i++) {
        p->true_counts[d] += is_true(mask, i) ? 1 : 0;
    }
}

// Offset of the true element with number `ordinal` of the mask that starts at dimension `d`. The search goes on where
// the last one ended, as the numbers rise most of the time.
static size_t masked_offset(struct rl_call *call, struct places *p, uint32_t d, uint32_t ordinal)
{
    const struct rl_tensor *mask = &p->indices[d];
    const uint32_t count = rl_tensor_count(mask);
    struct cursor *cursor = &p->cursors[d];
    if (ordinal < cursor->ordinal) {
        *cursor = (struct cursor){0, 0};
    }
    for (; cursor->position < count; cursor->position++) {
        if (!is_true(mask, cursor->position)) {
            continue;
        }
        if (cursor->ordinal == ordinal) {
            return rl_offset_at(mask, p->steps + d, cursor->position);
        }
        cursor->ordinal++;
    }
    rl_call_refuse(call, INDICES, RL_ERROR_TYPE, "a mask changed while it was read");
    return 0;
}

// ---- places

static void read_indices(struct rl_call *call, const struct rl_tensor *tensor, struct places *p)
{
    const uint32_t count = rl_call_list(call, INDICES);
    uint32_t d = 0;
    rl_expect_by(call, RL_BY_TYPES, count > 0 && count <= tensor->rank, INDICES,
                 "not one index for each of the first dimensions");
    p->tensor_rank = tensor->rank;
    for (uint32_t i = 0; call->status == RL_OK && i < count; i++) {
        rl_expect(call, d < tensor->rank, INDICES, "more indices than dimensions");
        if (call->status != RL_OK) {
            return;
        }
        if (!rl_call_list_optional_tensor(call, INDICES, i, &p->indices[d])) {
            d++;
            continue;
        }
        const uint32_t covered = is_mask(&p->indices[d]) ? p->indices[d].rank : 1;
        if (is_mask(&p->indices[d])) {
            read_mask(call, tensor, p, d);
        } else {
            rl_expect_indices(call, INDICES, &p->indices[d]);
        }
        p->started |= 1u << d;
        for (uint32_t k = 0; call->status == RL_OK && k < covered; k++) {
            p->indexed |= 1u << d++;
        }
    }
}

// Whether masks, which are not read while arguments are checked, decide how many places there are.
static bool is_unknown(const struct rl_call *call, const struct places *p)
{
    bool masked = false;
    for (uint32_t d = 0; d < p->tensor_rank; d++) {
        masked = masked || (is_started(p, d) && is_mask(&p->indices[d]));
    }
    return masked && call->method->stand_in;
}

static void find_places(struct rl_call *call, const struct rl_tensor *tensor, struct places *p)
{
    uint32_t first = 0;
    memset(p, 0, sizeof *p);
    rl_tensor_element_strides(tensor, p->steps);
    read_indices(call, tensor, p);
    if (call->status != RL_OK || is_unknown(call, p)) {
        return;
    }
    const struct rl_shape indices = broadcast_indices(call, p);
    first = are_neighbours(p, &first) ? first : 0;
    for (uint32_t d = 0; call->status == RL_OK && d <= tensor->rank; d++) {
        if (d == first) {
            add_index_dimensions(call, p, indices.sizes, indices.rank);
        }
        if (d < tensor->rank && !is_indexed(p, d)) {
            add_dimension(call, p, tensor->sizes[d], p->steps[d]);
        }
        if (d < tensor->rank) {
            p->limits[d] = tensor->sizes[d];
        }
    }
}

// Offset in the tensor of the place at these coordinates; refuses an index out of range.
static size_t place_at(struct rl_call *call, struct places *p, const int32_t *at)
{
    size_t offset = 0;
    for (uint32_t i = 0; i < p->rank; i++) {
        offset += (size_t)at[i] * p->kept[i];
    }
    for (uint32_t d = 0; d < p->tensor_rank; d++) {
        size_t index = 0;
        if (!is_started(p, d)) {
            continue;
        }
        for (uint32_t i = 0; i < p->rank; i++) {
            index += (size_t)at[i] * p->index_strides[d][i];
        }
        if (is_mask(&p->indices[d])) {
            offset += masked_offset(call, p, d, (uint32_t)index);
        } else {
            offset += (size_t)rl_index_at(call, INDICES, &p->indices[d], index, p->limits[d]) * p->steps[d];
        }
    }
    return offset;
}

// The next coordinates in logical order; false after the last ones.
static bool advance(const struct places *p, int32_t at[RL_TENSOR_MAX_RANK])
{
    for (uint32_t i = p->rank; i-- > 0;) {
        if (++at[i] < p->sizes[i]) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

static size_t offset_of(const struct places *p, const int32_t *at, const uint32_t *strides)
{
    size_t offset = 0;
    for (uint32_t i = 0; i < p->rank; i++) {
        offset += (size_t)at[i] * strides[i];
    }
    return offset;
}

static bool is_empty(const struct places *p)
{
    for (uint32_t i = 0; i < p->rank; i++) {
        if (p->sizes[i] == 0) {
            return true;
        }
    }
    return false;
}

static struct rl_tensor shape_of(const struct places *p)
{
    return (struct rl_tensor){.sizes = p->sizes, .rank = (uint8_t)p->rank, .dim_order = rl_order_contiguous};
}

enum rl_status RL_RUN(aten_index_tensor)(struct rl_call *call)
{
    enum { OUTPUT = 2 };
    struct rl_tensor input, output;
    struct places p;
    uint32_t strides[RL_TENSOR_MAX_RANK];
    int32_t at[RL_TENSOR_MAX_RANK] = {0};
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_same_type(call, OUTPUT, &output, &input);
    find_places(call, &input, &p);
    if (is_unknown(call, &p)) {
        return call->status;
    }
    rl_call_resize(call, OUTPUT, &output, p.rank, p.sizes);
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    rl_tensor_element_strides(&output, strides);
    const size_t size = rl_scalar_size(output.dtype);
    if (!rl_call_ready(call) || is_empty(&p)) {
        return call->status;
    }
    do {
        size_t from = place_at(call, &p, at), to = offset_of(&p, at, strides);
        if (call->status == RL_OK) {
            memcpy((uint8_t *)output.data + to * size, (const uint8_t *)input.data + from * size, size);
        }
    } while (call->status == RL_OK && advance(&p, at));
    return call->status;
}

// Stores the values, which broadcast to the shape of the places, in a tensor.
static void put(struct rl_call *call, const struct rl_tensor *tensor, const struct rl_tensor *values, struct places *p,
                bool accumulate)
{
    uint32_t strides[RL_TENSOR_MAX_RANK];
    int32_t at[RL_TENSOR_MAX_RANK] = {0};
    const bool real = rl_is_real(tensor->dtype);
    struct rl_tensor shape = shape_of(p);
    rl_expect(call, rl_broadcast_strides(values, &shape, strides), INDICES,
              "the values do not broadcast to the indexed elements");
    if (!rl_call_ready(call) || is_empty(p)) {
        return;
    }
    do {
        size_t to = place_at(call, p, at);
        union rl_number number = rl_load_one(values, offset_of(p, at, strides), real);
        if (call->status != RL_OK) {
            return;
        }
        if (accumulate) {
            union rl_number old = rl_load_one(tensor, to, real);
            if (real) {
                number.real += old.real;
            } else {
                number.integer = (int64_t)((uint64_t)number.integer + (uint64_t)old.integer);
            }
        }
        rl_store(tensor, to, 0, real, &number, 1);
    } while (advance(p, at));
}

static enum rl_status run_index_put(struct rl_call *call, uint32_t output_argument)
{
    enum { VALUES = 2, ACCUMULATE };
    struct rl_tensor input, values, output;
    struct places p;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, INPUT, &input);
    rl_call_tensor(call, VALUES, &values);
    rl_call_output(call, output_argument, &output);
    bool accumulate = rl_call_bool(call, ACCUMULATE);
    rl_expect_same_type(call, output_argument, &output, &input);
    rl_expect_same_type(call, output_argument, &output, &values);
    rl_resize_like(call, output_argument, &output, &input);
    rl_expect_numbers(call, output_argument, &output);
    rl_expect_disjoint(call, output_argument, &output, &values);
    find_places(call, &output, &p);
    for (uint32_t d = 0; call->status == RL_OK && d < p.tensor_rank; d++) {
        rl_expect_disjoint(call, output_argument, &output, &p.indices[d]);
    }
    if (call->status != RL_OK || is_unknown(call, &p)) {
        return call->status;
    }
    if (input.data != output.data || !rl_same_layout(&input, &output)) {
        rl_expect_disjoint(call, output_argument, &output, &input);
        rl_tensor_element_strides(&output, strides[0]);
        rl_tensor_element_strides(&input, strides[1]);
        if (rl_call_ready(call)) {
            rl_walk_copy(&output, output.data, input.data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
        }
    }
    put(call, &output, &values, &p, accumulate);
    return call->status;
}

enum rl_status RL_RUN(aten_index_put)(struct rl_call *call)
{
    return run_index_put(call, 4);
}

enum rl_status RL_RUN(aten_index_put_)(struct rl_call *call)
{
    struct rl_tensor self, output;
    rl_call_tensor(call, INPUT, &self);
    rl_call_output(call, 4, &output);
    rl_expect_by(call, RL_BY_ADDRESSES, self.data == output.data && rl_same_layout(&self, &output), 4,
                 "the output is not the tensor that changes");
    return run_index_put(call, 4);
}
