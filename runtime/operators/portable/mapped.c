// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/mapped.h"

#include <string.h>

struct copying {
    const struct rl_tensor *output, *input;
    uint32_t to[RL_TENSOR_MAX_RANK], from[RL_TENSOR_MAX_RANK]; // strides
    uint32_t missing;                                          // dimensions that the input does not have
    rl_source_function *source;
    const void *rule;
    uint32_t loops; // the outermost dimensions in memory, which are not parts of a run
    uint32_t run;   // elements that follow each other in both tensors, in the dimensions behind
};

static uint32_t source_index(const struct copying *c, uint32_t dim, uint32_t at)
{
    return dim < c->missing ? 0 : c->source(c->rule, dim, at);
}

static uint32_t source_stride(const struct copying *c, uint32_t dim)
{
    return dim < c->missing ? 0 : c->from[dim - c->missing];
}

// Whether elements along a dimension follow the runs of the dimensions behind it, in both tensors.
static bool is_dense(const struct copying *c, uint32_t dim)
{
    return c->to[dim] == c->run && source_stride(c, dim) == c->run;
}

// Whether a run may go on over a whole dimension, whose elements have the same places in both tensors.
static bool is_kept(const struct copying *c, uint32_t dim)
{
    const uint32_t size = (uint32_t)c->output->sizes[dim];
    if (size != 1 && !is_dense(c, dim)) {
        return false;
    }
    if (dim >= c->missing && (uint32_t)c->input->sizes[dim - c->missing] != size) {
        return false;
    }
    for (uint32_t at = 0; at < size; at++) {
        if (source_index(c, dim, at) != at) {
            return false;
        }
    }
    return true;
}

// Elements along a dimension that are copied at once: runs that follow each other in both tensors.
struct piece {
    uint32_t to, from, count; // the first index in the output and in the input, and the number of indices
};

// Some pieces of the innermost dimension, which are the same for each row.
enum { MOST_PIECES = 20 };

struct pieces {
    uint32_t dim, count;
    struct piece items[MOST_PIECES];
};

// Finds pieces from index `at` of the output on, as many as there is room for. Returns the index behind them.
static uint32_t find_pieces(const struct copying *c, uint32_t at, struct pieces *pieces)
{
    const uint32_t dim = pieces->dim, size = (uint32_t)c->output->sizes[dim];
    const bool joins = is_dense(c, dim);
    for (pieces->count = 0; at < size; at++) {
        const uint32_t from = source_index(c, dim, at);
        struct piece *last = pieces->count > 0 ? &pieces->items[pieces->count - 1] : NULL;
        if (joins && last && from == last->from + last->count) {
            last->count++;
        } else if (pieces->count < MOST_PIECES) {
            pieces->items[pieces->count++] = (struct piece){at, from, 1};
        } else {
            break;
        }
    }
    return at;
}

// Copies the pieces of a row, whose offsets are in elements.
static void copy_pieces(const struct copying *c, const struct pieces *pieces, size_t to, size_t from)
{
    const size_t element = rl_scalar_size(c->output->dtype), stride = source_stride(c, pieces->dim);
    for (uint32_t i = 0; i < pieces->count; i++) {
        const struct piece *p = &pieces->items[i];
        memcpy((uint8_t *)c->output->data + (to + (size_t)p->to * c->to[pieces->dim]) * element,
               (const uint8_t *)c->input->data + (from + p->from * stride) * element, p->count * c->run * element);
    }
}

// Copies the pieces of all rows.
static void copy_rows(const struct copying *c, const struct pieces *pieces)
{
    const uint8_t *order = c->output->dim_order;
    uint32_t at[RL_TENSOR_MAX_RANK] = {0}; // by place in memory, as the dimensions in `order`
    const uint32_t last = c->loops - 1;
    for (uint32_t k = c->loops; k > 0;) {
        size_t to = 0, from = 0;
        for (uint32_t i = 0; i < last; i++) {
            to += (size_t)at[i] * c->to[order[i]];
            from += (size_t)source_index(c, order[i], at[i]) * source_stride(c, order[i]);
        }
        copy_pieces(c, pieces, to, from);
        for (k = last; k > 0 && ++at[k - 1] == (uint32_t)c->output->sizes[order[k - 1]]; k--) {
            at[k - 1] = 0;
        }
    }
}

void rl_copy_mapped(const struct rl_tensor *output, const struct rl_tensor *input, rl_source_function *source,
                    const void *rule)
{
    struct copying c = {.output = output,
                        .input = input,
                        .missing = (uint32_t)(output->rank - input->rank),
                        .source = source,
                        .rule = rule,
                        .loops = output->rank,
                        .run = 1};
    const uint8_t *order = output->dim_order;
    if (output->bytes == 0) {
        return;
    }
    rl_tensor_element_strides(output, c.to);
    rl_tensor_element_strides(input, c.from);
    for (; c.loops > 0 && is_kept(&c, order[c.loops - 1]); c.loops--) {
        c.run *= (uint32_t)output->sizes[order[c.loops - 1]];
    }
    if (c.loops == 0) {
        memcpy(output->data, input->data, output->bytes);
        return;
    }
    struct pieces pieces = {.dim = order[c.loops - 1]};
    for (uint32_t at = 0; at < (uint32_t)output->sizes[pieces.dim];) {
        at = find_pieces(&c, at, &pieces);
        copy_rows(&c, &pieces);
    }
}

bool rl_read_mapped(struct rl_call *call, uint32_t output_argument, struct rl_tensor *input, struct rl_tensor *output,
                    const struct rl_shape *shape)
{
    rl_call_tensor(call, 0, input);
    rl_call_output(call, output_argument, output);
    rl_expect_same_type(call, output_argument, output, input);
    if (shape) {
        rl_resize(call, output_argument, output, shape);
    } else {
        rl_resize_like(call, output_argument, output, input);
    }
    rl_expect(call, input->bytes > 0 || output->bytes == 0, 0, "an empty input has nothing to copy");
    rl_expect_disjoint(call, output_argument, output, input);
    return call->status == RL_OK;
}
