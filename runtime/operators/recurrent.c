// SPDX-License-Identifier: Apache-2.0
//
// rushlight::quantized_lstm, quantized_gru, quantized_rnn_tanh and quantized_rnn_relu. Without initial states they
// start from zero.
#include "rushlight/kernels/recurrent.h"
#include "runtime/operators/layer.h"

// Arguments that the operators have in common, then those of one kind.
enum {
    INPUT,
    HIDDEN,
    LSTM_CELL,
    LSTM_CELL_BITS,
    LSTM_INPUT_WEIGHTS,
    PLAIN_INPUT_WEIGHTS = HIDDEN + 1, // without a cell
};

// Places in the rest, counted from the input's weights.
enum {
    INPUT_WEIGHTS,
    HIDDEN_WEIGHTS,
    INPUT_BIAS,
    HIDDEN_BIAS,
    INPUT_MULTIPLIERS,
    HIDDEN_MULTIPLIERS,
    SHIFTS,
    OUTPUT_MULTIPLIER,
    OUTPUT_SHIFT,
    OUTPUT_ZERO_POINT,
    REVERSE,
    SCRATCH,
    OUTPUT,
    LAST_CELL,
};

struct recurrent {
    const int8_t *input;
    int8_t *output;
    struct rl_scratch scratch;
    struct rl_recurrent_state state;
    struct rl_recurrent layer;
};

__extension__ _Static_assert(sizeof(struct recurrent) <= RL_KEPT_MOST, "more than requirements count with");

static void expect_sizes(struct rl_call *call, uint32_t argument, const struct rl_tensor *tensor,
                         enum rl_scalar_type dtype, int32_t rows, int32_t columns)
{
    rl_expect_type(call, argument, tensor, dtype, 2);
    rl_expect(call, rl_is_ordered(tensor, rl_order_contiguous), argument, "a tensor is not contiguous");
    rl_expect(call, call->status != RL_OK || (tensor->sizes[0] == rows && tensor->sizes[1] == columns), argument,
              "a tensor has other sizes than the input and the weights ask for");
}

static const void *read_state(struct rl_call *call, uint32_t argument, enum rl_scalar_type dtype,
                              const struct rl_recurrent *layer)
{
    struct rl_tensor tensor;
    if (!rl_call_optional_tensor(call, argument, &tensor)) {
        return NULL;
    }
    expect_sizes(call, argument, &tensor, dtype, layer->batches, layer->hidden_size);
    return tensor.data;
}

// The sizes of a layer, from its input and weights.
static void read_sizes(struct rl_call *call, uint32_t rest, const struct rl_tensor *input, struct rl_recurrent *layer)
{
    struct rl_tensor of_input, of_hidden;
    const int32_t gates = rl_recurrent_gates(layer->kind);
    rl_call_tensor(call, rest + INPUT_WEIGHTS, &of_input);
    rl_call_tensor(call, rest + HIDDEN_WEIGHTS, &of_hidden);
    rl_expect_contiguous(call, rest + INPUT_WEIGHTS, &of_input, 2);
    rl_expect_contiguous(call, rest + HIDDEN_WEIGHTS, &of_hidden, 2);
    rl_expect(call, of_input.bytes > 0 && of_hidden.bytes > 0, rest, "the weights are empty");
    if (call->status != RL_OK) {
        return;
    }
    layer->time_steps = input->sizes[0];
    layer->batches = input->sizes[1];
    layer->input_size = input->sizes[2];
    layer->hidden_size = of_hidden.sizes[1];
    layer->input.weights = of_input.data;
    layer->hidden.weights = of_hidden.data;
    const int32_t rows = of_hidden.sizes[0];
    rl_expect(call, rows % gates == 0 && rows / gates == layer->hidden_size, rest + HIDDEN_WEIGHTS,
              "the weights of the hidden state do not have its size in each gate");
    expect_sizes(call, rest + INPUT_WEIGHTS, &of_input, RL_INT8, rows, layer->input_size);
}

// An int32 for each row, which must not be None.
static const int32_t *read_rows(struct rl_call *call, uint32_t argument, int32_t rows, const struct rl_tensor *output)
{
    const int32_t *values = rl_call_bias(call, argument, rows, output);
    rl_expect(call, call->status != RL_OK || values, argument, "a tensor was expected here");
    return values;
}

// Refuses a written tensor that shares memory with one that is read.
static void expect_apart(struct rl_call *call, uint32_t rest, uint32_t argument, const struct rl_tensor *written)
{
    for (uint32_t i = 0; i < rest + OUTPUT_MULTIPLIER && call->status == RL_OK; i++) {
        struct rl_tensor read;
        if (rl_call_kind(call, i) == RL_PTE_TENSOR) {
            rl_call_tensor(call, i, &read);
            rl_expect_disjoint(call, argument, written, &read);
        }
    }
}

static void read_scratch(struct rl_call *call, uint32_t rest, const struct rl_tensor *output,
                         const struct rl_tensor *last_cell, struct recurrent *r)
{
    rl_call_scratch(call, rest + SCRATCH, rl_recurrent_scratch(&r->layer), output, last_cell, &r->scratch);
    const struct rl_tensor scratch = {.data = r->scratch.memory, .bytes = (uint32_t)r->scratch.bytes};
    expect_apart(call, rest, rest + SCRATCH, &scratch);
}

static void read_numbers(struct rl_call *call, uint32_t rest, const struct rl_tensor *output,
                         struct rl_recurrent *layer)
{
    const int32_t rows = layer->hidden_size * rl_recurrent_gates(layer->kind);
    struct rl_scales scales;
    layer->input.bias = read_rows(call, rest + INPUT_BIAS, rows, output);
    layer->hidden.bias = read_rows(call, rest + HIDDEN_BIAS, rows, output);
    layer->input.multiplier = read_rows(call, rest + INPUT_MULTIPLIERS, rows, output);
    rl_call_scales(call, rest + HIDDEN_MULTIPLIERS, rows, output, &scales);
    layer->hidden.multiplier = scales.multiplier;
    layer->shift = scales.shift;
    rl_call_scale(call, rest + OUTPUT_MULTIPLIER, &layer->output_scale);
    layer->output_offset = rl_call_zero_point(call, rest + OUTPUT_ZERO_POINT);
    layer->reverse = rl_call_bool(call, rest + REVERSE);
}

// Reads the output, which gets its sizes.
static void read_output(struct rl_call *call, uint32_t argument, const struct rl_recurrent *layer,
                        struct rl_tensor *output)
{
    const int32_t sizes[3] = {layer->time_steps, layer->batches, layer->hidden_size};
    rl_call_output(call, argument, output);
    rl_expect_type(call, argument, output, RL_INT8, 3);
    rl_call_resize(call, argument, output, 3, sizes);
    rl_expect_contiguous(call, argument, output, 3);
}

// Reads what all kinds have in common: the input, the sizes and the hidden state. False when they are refused.
static bool begin(struct rl_call *call, enum rl_recurrent_kind kind, uint32_t rest, struct recurrent *r)
{
    struct rl_tensor input;
    *r = (struct recurrent){.layer = {.kind = kind}};
    rl_call_tensor(call, INPUT, &input);
    rl_expect_contiguous(call, INPUT, &input, 3);
    read_sizes(call, rest, &input, &r->layer);
    if (call->status != RL_OK) {
        return false;
    }
    r->input = input.data;
    r->state.hidden = read_state(call, HIDDEN, RL_INT8, &r->layer);
    return true;
}

// Reads a call; NULL when it is refused.
static const struct recurrent *read_lstm(struct rl_call *call, struct recurrent *r)
{
    const uint32_t rest = LSTM_INPUT_WEIGHTS;
    struct rl_tensor output, last_cell;
    if (!begin(call, RL_RECURRENT_LSTM, rest, r)) {
        return NULL;
    }
    r->state.cell = read_state(call, LSTM_CELL, RL_INT16, &r->layer);
    const int32_t cells[2] = {r->layer.batches, r->layer.hidden_size};
    read_output(call, rest + OUTPUT, &r->layer, &output);
    rl_call_output(call, rest + LAST_CELL, &last_cell);
    rl_expect_type(call, rest + LAST_CELL, &last_cell, RL_INT16, 2);
    rl_call_resize(call, rest + LAST_CELL, &last_cell, 2, cells);
    expect_sizes(call, rest + LAST_CELL, &last_cell, RL_INT16, cells[0], cells[1]);
    if (call->status != RL_OK) {
        return NULL;
    }
    read_numbers(call, rest, &output, &r->layer);
    r->layer.cell_bits = rl_bounded_int(call, LSTM_CELL_BITS, 0, 15);
    expect_apart(call, rest, rest + OUTPUT, &output);
    expect_apart(call, rest, rest + LAST_CELL, &last_cell);
    rl_expect_disjoint(call, rest + LAST_CELL, &last_cell, &output);
    read_scratch(call, rest, &output, &last_cell, r);
    r->output = output.data;
    r->state.last_cell = last_cell.data;
    return rl_call_keep(call, r, sizeof *r);
}

// The same for layers without a cell.
static const struct recurrent *read_plain(struct rl_call *call, enum rl_recurrent_kind kind, struct recurrent *r)
{
    const uint32_t rest = PLAIN_INPUT_WEIGHTS;
    struct rl_tensor output;
    if (!begin(call, kind, rest, r)) {
        return NULL;
    }
    read_output(call, rest + OUTPUT, &r->layer, &output);
    if (call->status != RL_OK) {
        return NULL;
    }
    read_numbers(call, rest, &output, &r->layer);
    rl_expect(call, kind != RL_RECURRENT_GRU || r->layer.output_offset == 0, rest + OUTPUT_ZERO_POINT,
              "the hidden state of a GRU has the zero point 0");
    expect_apart(call, rest, rest + OUTPUT, &output);
    read_scratch(call, rest, &output, &output, r);
    r->output = output.data;
    return rl_call_keep(call, r, sizeof *r);
}

static enum rl_status run(struct rl_call *call, const struct recurrent *r)
{
    if (r) {
        rl_recurrent_run(&r->layer, &r->state, r->input, r->output, r->scratch);
    }
    return call->status;
}

enum rl_status rl_run_rl_quantized_lstm(struct rl_call *call)
{
    struct recurrent made;
    return run(call, call->kept ? call->kept : read_lstm(call, &made));
}

enum rl_status rl_run_rl_quantized_gru(struct rl_call *call)
{
    struct recurrent made;
    return run(call, call->kept ? call->kept : read_plain(call, RL_RECURRENT_GRU, &made));
}

enum rl_status rl_run_rl_quantized_rnn_tanh(struct rl_call *call)
{
    struct recurrent made;
    return run(call, call->kept ? call->kept : read_plain(call, RL_RECURRENT_TANH, &made));
}

enum rl_status rl_run_rl_quantized_rnn_relu(struct rl_call *call)
{
    struct recurrent made;
    return run(call, call->kept ? call->kept : read_plain(call, RL_RECURRENT_RELU, &made));
}
