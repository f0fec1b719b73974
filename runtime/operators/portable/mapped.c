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

// Finds the number of indices of a piece that starts at `to` and `from`. Returns the index in the input behind it, or
// anything at the end of the dimension.
static uint32_t end_piece(const struct copying *c, uint32_t dim, struct piece *p)
{
    const uint32_t size = (uint32_t)c->output->sizes[dim];
    const bool joins = is_dense(c, dim);
    for (p->count = 1; p->to + p->count < size; p->count++) {
        const uint32_t next = source_index(c, dim, p->to + p->count);
        if (!joins || next != p->from + p->count) {
            return next;
        }
    }
    return 0;
}

// The pieces of the innermost dimension, which are the same for each row, unless there are too many of them.
enum { MOST_PIECES = 20 };

struct row {
    uint32_t dim, count;
    struct piece pieces[MOST_PIECES];
};

static void find_pieces(const struct copying *c, uint32_t dim, struct row *row)
{
    const uint32_t size = (uint32_t)c->output->sizes[dim];
    row->dim = dim;
    row->count = 0;
    for (uint32_t at = 0, from = source_index(c, dim, 0); at < size; row->count++) {
        if (row->count == MOST_PIECES) {
            row->count = 0;
            return;
        }
        struct piece *p = &row->pieces[row->count];
        *p = (struct piece){.to = at, .from = from};
        from = end_piece(c, dim, p);
        at += p->count;
    }
}

// Offsets are those of the row, in elements.
static void copy_piece(const struct copying *c, uint32_t dim, const struct piece *p, size_t to, size_t from)
{
    const size_t element = rl_scalar_size(c->output->dtype);
    memcpy((uint8_t *)c->output->data + (to + (size_t)p->to * c->to[dim]) * element,
           (const uint8_t *)c->input->data + (from + (size_t)p->from * source_stride(c, dim)) * element,
           p->count * c->run * element);
}

static void copy_row(const struct copying *c, const struct row *row, size_t to, size_t from)
{
    for (uint32_t i = 0; i < row->count; i++) {
        copy_piece(c, row->dim, &row->pieces[i], to, from);
    }
    if (row->count > 0) {
        return;
    }
    const uint32_t size = (uint32_t)c->output->sizes[row->dim];
    for (uint32_t at = 0, next = source_index(c, row->dim, 0); at < size;) {
        struct piece p = {.to = at, .from = next};
        next = end_piece(c, row->dim, &p);
        copy_piece(c, row->dim, &p, to, from);
        at += p.count;
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
    uint32_t at[RL_TENSOR_MAX_RANK] = {0}; // by place in memory, as the dimensions in `order`
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
    const uint32_t last = c.loops - 1;
    struct row row;
    find_pieces(&c, order[last], &row);
    for (uint32_t k = c.loops; k > 0;) {
        size_t to = 0, from = 0;
        for (uint32_t i = 0; i < last; i++) {
            to += (size_t)at[i] * c.to[order[i]];
            from += (size_t)source_index(&c, order[i], at[i]) * source_stride(&c, order[i]);
        }
        copy_row(&c, &row, to, from);
        for (k = last; k > 0 && ++at[k - 1] == (uint32_t)output->sizes[order[k - 1]]; k--) {
            at[k - 1] = 0;
        }
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
