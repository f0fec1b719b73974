// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::transpose and cortex_m::pad.
#include "rushlight/kernels/data_movement.h"
#include "runtime/operators/operator.h"

enum { KERNEL_RANK = 4 };

static struct rl_image image_of(const int32_t sizes[KERNEL_RANK])
{
    return (struct rl_image){.n = sizes[0], .h = sizes[1], .w = sizes[2], .c = sizes[3]};
}

enum rl_status rl_run_cm_transpose(struct rl_call *call)
{
    enum { INPUT, PERMUTATION, OUTPUT };
    struct rl_tensor input, output;
    int32_t items[KERNEL_RANK];
    struct rl_transpose layer = {.rank = 0};
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_INT8, -1);
    rl_expect_type(call, OUTPUT, &output, RL_INT8, input.rank);
    rl_expect(call, input.rank >= 1 && input.rank <= KERNEL_RANK, INPUT, "only 1 to 4 dimensions are supported");
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    if (call->status != RL_OK) {
        return call->status;
    }
    rl_bounded_ints(call, PERMUTATION, items, input.rank, 0, input.rank - 1);
    rl_expect(call, rl_is_ordered(&input, rl_order_contiguous) && rl_is_ordered(&output, rl_order_contiguous), INPUT,
              "a tensor is not contiguous");
    for (uint32_t i = 0; i < input.rank && call->status == RL_OK; i++) {
        layer.sizes[i] = input.sizes[i];
        layer.permutation[i] = (uint32_t)items[i];
        rl_expect(call, output.sizes[i] == input.sizes[items[i]], OUTPUT, "the output's shape is not the permuted one");
    }
    layer.rank = input.rank;
    rl_expect(call, call->status != RL_OK || rl_transpose_prepare(&layer) == RL_OK, PERMUTATION,
              "not a permutation of the dimensions");
    if (!rl_call_ready(call) || input.bytes == 0) {
        return call->status;
    }
    rl_transpose_run(&layer, input.data, output.data);
    return RL_OK;
}

// Sizes in the order of memory, as the padding amounts are given; missing dimensions come first and are 1.
static void physical_sizes(const struct rl_tensor *tensor, bool channels_last, int32_t sizes[KERNEL_RANK])
{
    uint32_t missing = KERNEL_RANK - tensor->rank;
    for (uint32_t i = 0; i < KERNEL_RANK; i++) {
        sizes[i] = i < missing ? 1 : tensor->sizes[channels_last ? rl_order_channels_last[i] : i - missing];
    }
}

struct padding {
    const int8_t *input;
    int8_t *output;
    struct rl_pad layer;
};

// Reads a call; NULL when it is refused.
static const struct padding *read_padding(struct rl_call *call, struct padding *p)
{
    enum { INPUT, BEFORE, AFTER, VALUE, OUTPUT };
    struct rl_tensor input, output;
    int32_t before[KERNEL_RANK], after[KERNEL_RANK], sizes[KERNEL_RANK], padded[KERNEL_RANK];
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_INT8, -1);
    rl_expect_type(call, OUTPUT, &output, RL_INT8, input.rank);
    rl_expect(call, input.rank >= 1 && input.rank <= KERNEL_RANK, INPUT, "only 1 to 4 dimensions are supported");
    rl_bounded_ints(call, BEFORE, before, KERNEL_RANK, 0, INT32_MAX);
    rl_bounded_ints(call, AFTER, after, KERNEL_RANK, 0, INT32_MAX);
    const int32_t value = rl_bounded_int(call, VALUE, INT8_MIN, INT8_MAX);
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    if (call->status != RL_OK) {
        return NULL;
    }
    // As in the stock operator, an input that can be read both ways counts as channels-last.
    bool channels_last = input.rank == 4 && rl_is_ordered(&input, rl_order_channels_last);
    physical_sizes(&input, channels_last, sizes);
    physical_sizes(&output, channels_last, padded);
    rl_expect(call, rl_is_ordered(&input, output.dim_order), OUTPUT, "input and output differ in layout");
    for (uint32_t i = 0; i < KERNEL_RANK; i++) {
        rl_expect(call, (int64_t)sizes[i] + before[i] + after[i] == padded[i], OUTPUT,
                  "the output's shape is not the padded one");
    }
    p->input = input.data;
    p->output = output.data;
    p->layer = (struct rl_pad){image_of(sizes), image_of(before), image_of(after), (int8_t)value};
    return rl_call_keep(call, p, sizeof *p);
}

enum rl_status rl_run_cm_pad(struct rl_call *call)
{
    struct padding made;
    const struct padding *p = call->kept ? call->kept : read_padding(call, &made);
    if (p) {
        rl_pad_run(&p->layer, p->input, p->output);
    }
    return call->status;
}
