// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/mapped.h"

#include <string.h>

struct copying {
    const struct rl_tensor *output, *input;
    uint32_t to[RL_TENSOR_MAX_RANK], from[RL_TENSOR_MAX_RANK]; // strides
    uint32_t missing;                                          // dimensions that the input does not have
    rl_source_function *source;
    const void *rule;
};

static size_t source_offset(const struct copying *c, uint32_t dim, uint32_t at)
{
    return dim < c->missing ? 0 : (size_t)c->source(c->rule, dim, at) * c->from[dim - c->missing];
}

// Copies along the innermost dimension, at fixed offsets of the others.
static void copy_row(const struct copying *c, uint32_t dim, size_t to, size_t from)
{
    const size_t size = rl_scalar_size(c->output->dtype);
    for (uint32_t i = 0; i < (uint32_t)c->output->sizes[dim]; i++) {
        memcpy((uint8_t *)c->output->data + (to + (size_t)i * c->to[dim]) * size,
               (const uint8_t *)c->input->data + (from + source_offset(c, dim, i)) * size, size);
    }
}

void rl_copy_mapped(const struct rl_tensor *output, const struct rl_tensor *input, rl_source_function *source,
                    const void *rule)
{
    struct copying c = {.output = output,
                        .input = input,
                        .missing = (uint32_t)(output->rank - input->rank),
                        .source = source,
                        .rule = rule};
    uint32_t at[RL_TENSOR_MAX_RANK] = {0}, dim = output->rank;
    const size_t size = rl_scalar_size(output->dtype);
    if (output->bytes == 0) {
        return;
    }
    if (output->rank == 0) {
        memcpy(output->data, input->data, size);
        return;
    }
    rl_tensor_element_strides(output, c.to);
    rl_tensor_element_strides(input, c.from);
    const uint32_t last = output->rank - 1u;
    while (dim > 0) {
        size_t to = 0, from = 0;
        for (uint32_t i = 0; i < last; i++) {
            to += (size_t)at[i] * c.to[i];
            from += source_offset(&c, i, at[i]);
        }
        copy_row(&c, last, to, from);
        for (dim = last; dim > 0 && ++at[dim - 1] == (uint32_t)output->sizes[dim - 1]; dim--) {
            at[dim - 1] = 0;
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
