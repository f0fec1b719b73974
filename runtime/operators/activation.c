// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_activation: any function of one int8 value, as a table of its 256 results.
#include "runtime/operators/operator.h"

enum rl_status rl_run_cm_quantized_activation(struct rl_call *call)
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
    rl_expect_apart(call, OUTPUT, &output, &table);
    if (call->status != RL_OK)
        return call->status;
    const int8_t *from = input.data, *results = (const int8_t *)table.data - INT8_MIN;
    int8_t *to = output.data;
    for (uint32_t i = 0; i < input.bytes; i++)
        to[i] = results[from[i]];
    return RL_OK;
}
