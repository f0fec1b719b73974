// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::transpose and cortex_m::pad.
#include <stddef.h>

#include "runtime/operators/cmsis.h"

enum { KERNEL_RANK = 4 };

static cmsis_nn_dims dims_of(const int32_t sizes[KERNEL_RANK])
{
    return (cmsis_nn_dims){.n = sizes[0], .h = sizes[1], .w = sizes[2], .c = sizes[3]};
}

enum rl_status rl_run_cm_transpose(struct rl_call *call)
{
    enum { INPUT, PERMUTATION, OUTPUT };
    struct rl_tensor input, output;
    int32_t items[KERNEL_RANK], sizes[2][KERNEL_RANK] = {{1, 1, 1, 1}, {1, 1, 1, 1}};
    uint32_t permutation[KERNEL_RANK] = {0, 1, 2, 3}, seen = 0;
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_INT8, -1);
    rl_expect_type(call, OUTPUT, &output, RL_INT8, input.rank);
    rl_expect(call, input.rank >= 1 && input.rank <= KERNEL_RANK, INPUT, "only 1 to 4 dimensions are supported");
    rl_expect_apart(call, OUTPUT, &output, &input);
    if (call->status != RL_OK) {
        return call->status;
    }
    rl_bounded_ints(call, PERMUTATION, items, input.rank, 0, input.rank - 1);
    rl_expect(call, rl_is_ordered(&input, rl_order_contiguous) && rl_is_ordered(&output, rl_order_contiguous), INPUT,
              "a tensor is not contiguous");
    for (uint32_t i = 0; i < input.rank && call->status == RL_OK; i++) {
        permutation[i] = (uint32_t)items[i];
        seen |= 1u << items[i];
        sizes[0][i] = input.sizes[i];
        sizes[1][i] = output.sizes[i];
        rl_expect(call, output.sizes[i] == input.sizes[items[i]], OUTPUT, "the output's shape is not the permuted one");
    }
    rl_expect(call, seen == (1u << input.rank) - 1, PERMUTATION, "not a permutation of the dimensions");
    if (!rl_call_ready(call) || input.bytes == 0) {
        return call->status;
    }
    const cmsis_nn_dims from = dims_of(sizes[0]), to = dims_of(sizes[1]);
    const cmsis_nn_transpose_params params = {input.rank, permutation};
    return rl_kernel_result(call, arm_transpose_s8(input.data, output.data, &from, &to, &params));
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
    cmsis_nn_dims sizes, before, after;
    int32_t value;
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
    p->value = rl_bounded_int(call, VALUE, INT8_MIN, INT8_MAX);
    rl_expect_apart(call, OUTPUT, &output, &input);
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
    p->sizes = dims_of(sizes);
    p->before = dims_of(before);
    p->after = dims_of(after);
    return rl_call_keep(call, p, sizeof *p);
}

enum rl_status rl_run_cm_pad(struct rl_call *call)
{
    struct padding made;
    const struct padding *p = call->kept ? call->kept : read_padding(call, &made);
    if (!p) {
        return call->status;
    }
    return rl_kernel_result(call, arm_pad_s8(p->input, p->output, (int8_t)p->value, &p->sizes, &p->before, &p->after));
}
