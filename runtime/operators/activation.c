// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_activation: any function of one int8 value, as a table of its 256 results.
// rushlight::quantized_activation_s16: any function of one int16 value, interpolated in a table.
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

struct curve {
    const int16_t *input;
    int8_t *output;
    struct rl_curve layer;
};

static const struct curve *read_curve(struct rl_call *call, struct curve *c)
{
    enum { INPUT, TABLE, OUTPUT };
    struct rl_tensor input, table, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_tensor(call, TABLE, &table);
    rl_call_output(call, OUTPUT, &output);
    rl_expect_type(call, INPUT, &input, RL_INT16, -1);
    rl_expect_type(call, TABLE, &table, RL_INT16, -1);
    rl_expect_type(call, OUTPUT, &output, RL_INT8, -1);
    const uint32_t places = table.bytes / (uint32_t)sizeof(int16_t);
    rl_expect(call, places == RL_CURVE_PLACES || places == 2 * RL_CURVE_PLACES, TABLE,
              "the table has neither 353 entries nor twice as many");
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    rl_expect_disjoint(call, OUTPUT, &output, &table);
    *c = (struct curve){
        input.data, output.data, {table.data, places > RL_CURVE_PLACES, (int32_t)rl_tensor_count(&output)}};
    return rl_call_keep(call, c, sizeof *c);
}

enum rl_status rl_run_rl_quantized_activation_s16(struct rl_call *call)
{
    struct curve made;
    const struct curve *c = call->kept ? call->kept : read_curve(call, &made);
    if (c) {
        rl_curve_run(&c->layer, c->input, c->output);
    }
    return call->status;
}
