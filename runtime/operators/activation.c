// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_activation: any function of one int8 value, as a table of its 256 results.
#include "rushlight/kernels/activation.h"
#include "runtime/operators/operator.h"

struct activation {
    const int8_t *input;
    int8_t *output;
    struct rl_table layer;
};

// Reads a call; NULL when it is refused.
static const struct activation *read_activation(struct rl_call *call, struct activation *a)
{
    enum { INPUT, TABLE, OUTPUT, ENTRIES = 256 };
    struct rl_tensor input, table, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_tensor(call, TABLE, &table);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_INT8, -1);
    rl_expect_type(call, TABLE, &table, RL_INT8, -1);
    rl_expect_type(call, OUTPUT, &output, RL_INT8, -1);
    rl_expect(call, table.bytes == ENTRIES, TABLE, "the table does not have 256 entries");
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_aligned(call, OUTPUT, &output, &input);
    rl_expect_disjoint(call, OUTPUT, &output, &table);
    *a = (struct activation){input.data, output.data, {table.data, (int32_t)input.bytes}};
    return rl_call_keep(call, a, sizeof *a);
}

enum rl_status rl_run_cm_quantized_activation(struct rl_call *call)
{
    struct activation made;
    const struct activation *a = call->kept ? call->kept : read_activation(call, &made);
    if (a) {
        rl_table_run(&a->layer, a->input, a->output);
    }
    return call->status;
}
