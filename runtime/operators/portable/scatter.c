// SPDX-License-Identifier: Apache-2.0
//
// aten::scatter, scatter_add and masked_scatter: a copy of the input in which some elements are replaced.
#include <string.h>

#include "runtime/operators/portable/index.h"
#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/walk.h"

enum { INPUT, DIM, INDEX, SOURCE, OUTPUT };

struct scattering {
    struct rl_tensor input, index, source, output;
    union rl_number value; // the value to store, if there is no source tensor
    bool has_source, real, adds;
};

static void copy_input(struct rl_call *call, uint32_t output_argument, const struct rl_tensor *output,
                       const struct rl_tensor *input)
{
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    rl_expect_same_type(call, output_argument, output, input);
    rl_expect_numbers(call, output_argument, output);
    if (call->status != RL_OK || (input->data == output->data && rl_same_layout(input, output))) {
        return;
    }
    rl_expect_disjoint(call, output_argument, output, input);
    rl_tensor_element_strides(output, strides[0]);
    rl_tensor_element_strides(input, strides[1]);
    if (rl_call_ready(call)) {
        rl_walk_copy(output, output->data, input->data, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    }
}

// Strides along the dimensions of the index: its own, the source's, and the output's without the indexed one.
static void lay_strides(struct rl_call *call, const struct scattering *s, uint32_t dim,
                        uint32_t strides[3][RL_TENSOR_MAX_RANK])
{
    uint32_t rank = s->input.rank;
    rl_expect_by(call, RL_BY_TYPES, s->index.rank == rank, INDEX, "input and index differ in rank");
    rl_expect_by(call, RL_BY_TYPES, !s->has_source || s->source.rank == rank, SOURCE,
                 "input and source differ in rank");
    if (call->status != RL_OK) {
        return;
    }
    rl_tensor_element_strides(&s->index, strides[0]);
    rl_tensor_element_strides(&s->source, strides[1]);
    rl_tensor_element_strides(&s->output, strides[2]);
    for (uint32_t i = 0; i < rank; i++) {
        rl_expect(call, i == dim || s->index.sizes[i] <= s->input.sizes[i], INDEX,
                  "the index is larger than the input");
        rl_expect(call, !s->has_source || s->index.sizes[i] <= s->source.sizes[i], INDEX,
                  "the index is larger than the source");
        strides[1][i] = s->has_source ? strides[1][i] : 0;
        strides[2][i] = i == dim ? 0 : strides[2][i];
    }
}

static void store_one(const struct scattering *s, size_t from, size_t to)
{
    union rl_number number = s->has_source ? rl_load_one(&s->source, from, s->real) : s->value;
    if (s->adds) {
        union rl_number old = rl_load_one(&s->output, to, s->real);
        if (s->real) {
            number.real += old.real;
        } else {
            number.integer = (int64_t)((uint64_t)number.integer + (uint64_t)old.integer);
        }
    }
    rl_store(&s->output, to, 0, s->real, &number, 1);
}

static enum rl_status run_scattering(struct rl_call *call, struct scattering *s)
{
    struct rl_walk walk;
    uint32_t own[RL_TENSOR_MAX_RANK] = {0}, strides[3][RL_TENSOR_MAX_RANK] = {{0}};
    rl_call_tensor(call, INPUT, &s->input);
    rl_call_tensor(call, INDEX, &s->index);
    rl_call_output(call, OUTPUT, &s->output);
    rl_resize_like(call, OUTPUT, &s->output, &s->input);
    uint32_t dim = rl_read_dim(call, DIM, s->input.rank);
    rl_expect_indices(call, INDEX, &s->index);
    if (s->has_source) {
        rl_expect_same_type(call, SOURCE, &s->source, &s->output);
    }
    rl_expect_disjoint(call, OUTPUT, &s->output, &s->index);
    rl_expect_disjoint(call, OUTPUT, &s->output, &s->source);
    s->real = rl_is_real(s->output.dtype);
    lay_strides(call, s, dim, strides);
    if (call->status == RL_OK) {
        copy_input(call, OUTPUT, &s->output, &s->input);
    }
    rl_tensor_element_strides(&s->output, own);
    int32_t size = s->output.rank > 0 ? s->output.sizes[dim] : 1;
    if (!rl_call_ready(call) || !rl_walk_start(&walk, &s->index, 3, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides)) {
        return call->status;
    }
    do {
        for (uint32_t i = 0; i < walk.count && call->status == RL_OK; i++) {
            uint32_t index = rl_index_at(call, INDEX, &s->index, walk.offset[0] + (size_t)i * walk.step[0], size);
            if (call->status == RL_OK) {
                store_one(s, walk.offset[1] + (size_t)i * walk.step[1],
                          walk.offset[2] + (size_t)i * walk.step[2] + (size_t)index * own[dim]);
            }
        }
    } while (call->status == RL_OK && rl_walk_next(&walk));
    return call->status;
}

enum rl_status RL_RUN(aten_scatter_src)(struct rl_call *call)
{
    struct scattering s = {.has_source = true};
    rl_call_tensor(call, SOURCE, &s.source);
    return run_scattering(call, &s);
}

enum rl_status RL_RUN(aten_scatter_add)(struct rl_call *call)
{
    struct scattering s = {.has_source = true, .adds = true};
    rl_call_tensor(call, SOURCE, &s.source);
    return run_scattering(call, &s);
}

enum rl_status RL_RUN(aten_scatter_value)(struct rl_call *call)
{
    struct rl_tensor output;
    struct scattering s = {.has_source = false};
    rl_call_output(call, OUTPUT, &output);
    s.value = rl_call_scalar_as(call, SOURCE, rl_is_real(output.dtype));
    return run_scattering(call, &s);
}

// Writes the next element of the source wherever the mask is true, all in logical order.
enum rl_status RL_RUN(aten_masked_scatter)(struct rl_call *call)
{
    enum { MASK = 1, VALUES, RESULT };
    struct rl_tensor input, mask, source, output;
    struct rl_walk walk;
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}}, next = 0;
    rl_call_tensor(call, INPUT, &input);
    rl_call_tensor(call, MASK, &mask);
    rl_call_tensor(call, VALUES, &source);
    rl_call_output(call, RESULT, &output);
    rl_resize_like(call, RESULT, &output, &input);
    rl_expect_type(call, MASK, &mask, RL_BOOL, -1);
    rl_expect_same_type(call, VALUES, &source, &output);
    rl_expect(call, rl_is_ordered(&source, rl_order_contiguous), VALUES, "the source is not contiguous");
    rl_expect(call, rl_broadcast_strides(&mask, &output, strides[1]), MASK,
              "the mask does not broadcast to the output's shape");
    rl_expect_disjoint(call, RESULT, &output, &mask);
    rl_expect_disjoint(call, RESULT, &output, &source);
    copy_input(call, RESULT, &output, &input);
    rl_tensor_element_strides(&output, strides[0]);
    struct rl_tensor shape = output;
    const size_t size = rl_scalar_size(output.dtype), count = rl_tensor_count(&source);
    shape.dim_order = rl_order_contiguous;
    if (!rl_call_ready(call) || !rl_walk_start(&walk, &shape, 2, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides)) {
        return call->status;
    }
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            if (((const uint8_t *)mask.data)[walk.offset[1] + (size_t)i * walk.step[1]] == 0) {
                continue;
            }
            if (next == count) {
                return rl_call_refuse(call, VALUES, RL_ERROR_TYPE, "the source has too few elements");
            }
            memcpy((uint8_t *)output.data + (walk.offset[0] + (size_t)i * walk.step[0]) * size,
                   (const uint8_t *)source.data + next++ * size, size);
        }
    } while (rl_walk_next(&walk));
    return call->status;
}
