// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_linear; behind it rushlight::quantized_linear_s16, and both with prepacked weights. Of the first,
// a program has a bias or, if it was compiled for Helium, kernel sums (bias plus input offset times the sum of each
// weight row), or both, which are equivalent. Each form runs on every core.
#include <stddef.h>

#include "kernels/isa.h"
#include "runtime/operators/layer.h"
#include "rushlight/kernels/fully_connected.h"

enum {
    INPUT,
    WEIGHTS,
    BIAS,
    KERNEL_SUM,
    INPUT_OFFSET,
    FILTER_OFFSET,
    OUTPUT_OFFSET,
    MULTIPLIERS,
    SHIFTS,
    ACTIVATION_MAX,
    ACTIVATION_MIN,
    OUTPUT
};

struct linear {
    const int8_t *input;
    void *output; // of int8 or int16
    struct rl_fully_connected layer;
};

__extension__ _Static_assert(sizeof(struct linear) <= RL_KEPT_MOST, "more than requirements count with");

// Reads input, weights and output, and what they say of the layer.
static void read_tensors(struct rl_call *call, uint32_t output_argument, enum rl_scalar_type dtype, struct linear *l,
                         struct rl_tensor *output)
{
    struct rl_tensor input, weights;
    rl_call_tensor(call, INPUT, &input);
    rl_call_tensor(call, WEIGHTS, &weights);
    rl_call_output(call, output_argument, output);
    rl_expect_contiguous(call, INPUT, &input, -1);
    rl_expect_contiguous(call, WEIGHTS, &weights, 2);
    rl_expect_type(call, output_argument, output, dtype, -1);
    rl_expect(call, rl_is_ordered(output, rl_order_contiguous), output_argument, "a tensor is not contiguous");
    rl_expect(call, input.rank > 0 && output->rank > 0, INPUT, "a tensor has no dimensions");
    rl_expect_disjoint(call, output_argument, output, &input);
    rl_expect_disjoint(call, output_argument, output, &weights);
    if (call->status != RL_OK) {
        return;
    }
    l->input = input.data;
    l->output = output->data;
    // Set field by field: rl_fully_connected_prepare sets the rest, and clearing it would take longer.
    l->layer.depth = weights.sizes[1];
    l->layer.channels = weights.sizes[0];
    l->layer.weights = weights.data;
    l->layer.scales = (struct rl_scales){NULL, NULL};
    l->layer.folded = NULL;
    rl_expect(call, weights.bytes > 0, WEIGHTS, "the weights are empty");
    rl_expect(call, input.sizes[input.rank - 1] == l->layer.depth, INPUT, "the input has another number of features");
    rl_expect(call, output->sizes[output->rank - 1] == l->layer.channels, output_argument,
              "the output has another number of features");
    if (call->status != RL_OK) {
        return;
    }
    l->layer.rows = (int32_t)(input.bytes / (uint32_t)l->layer.depth);
    rl_expect(call, (int64_t)l->layer.rows * l->layer.channels == rl_tensor_count(output), output_argument,
              "the output has another number of rows");
}

static void read_sums(struct rl_call *call, const struct rl_tensor *output, struct rl_fully_connected *layer)
{
    layer->bias = rl_call_bias(call, BIAS, layer->channels, output);
    const int32_t *sums = rl_call_bias(call, KERNEL_SUM, layer->channels, output);
    if (RL_HAS_MVE || !layer->bias) {
        layer->folded = sums;
    }
}

// The bias of an operator of our own; folded for prepacked weights.
static void read_bias(struct rl_call *call, const struct rl_tensor *output, struct rl_fully_connected *layer,
                      bool prepacked)
{
    layer->bias = rl_call_bias(call, BIAS, layer->channels, output);
    rl_expect(call, layer->bias, BIAS, "a tensor was expected here");
    if (prepacked) {
        layer->folded = layer->bias;
        rl_expect(call, rl_fully_connected_fits_prepacked(layer), WEIGHTS,
                  "prepacked rows are a multiple of four, of at least four weights");
    }
}

// Where the numbers of a call are.
struct numbers {
    uint32_t output_offset, multipliers, shifts, max, min;
};

static void read_numbers(struct rl_call *call, const struct numbers *at, struct rl_fully_connected *layer)
{
    layer->output_offset = rl_call_zero_point(call, at->output_offset);
    rl_call_range(call, at->min, at->max, &layer->range);
    rl_bounded_ints(call, at->multipliers, &layer->scale.multiplier, 1, -INT32_MAX, INT32_MAX);
    rl_bounded_ints(call, at->shifts, &layer->scale.shift, 1, -31, 30);
    rl_expect_prepared(call, rl_fully_connected_prepare(layer));
}

// Reads a call; NULL when it is refused.
static const struct linear *read_linear(struct rl_call *call, struct linear *l)
{
    const struct numbers numbers = {OUTPUT_OFFSET, MULTIPLIERS, SHIFTS, ACTIVATION_MAX, ACTIVATION_MIN};
    struct rl_tensor output;
    read_tensors(call, OUTPUT, RL_INT8, l, &output);
    if (call->status == RL_OK) {
        read_sums(call, &output, &l->layer);
        l->layer.input_offset = rl_call_input_offset(call, INPUT_OFFSET);
        l->layer.weight_offset = rl_call_input_offset(call, FILTER_OFFSET);
        read_numbers(call, &numbers, &l->layer);
    }
    return rl_call_keep(call, l, sizeof *l);
}

enum rl_status rl_run_cm_quantized_linear(struct rl_call *call)
{
    struct linear made;
    const struct linear *l = call->kept ? call->kept : read_linear(call, &made);
    if (l) {
        rl_fully_connected_run(&l->layer, l->input, l->output, (struct rl_scratch){NULL, 0});
    }
    return call->status;
}

// ---- int16 results

static const struct linear *read_linear_s16(struct rl_call *call, struct linear *l, bool prepacked)
{
    enum { SCALES = BIAS + 1, RESULT = SCALES + 2 };
    struct rl_tensor output;
    read_tensors(call, RESULT, RL_INT16, l, &output);
    if (call->status == RL_OK) {
        l->layer.input_offset = l->layer.weight_offset = l->layer.output_offset = 0;
        read_bias(call, &output, &l->layer, prepacked);
        rl_call_scales(call, SCALES, l->layer.channels, &output, &l->layer.scales);
        rl_expect_prepared(call, rl_fully_connected_prepare(&l->layer));
    }
    return rl_call_keep(call, l, sizeof *l);
}

enum rl_status rl_run_rl_quantized_linear_s16(struct rl_call *call)
{
    struct linear made;
    const struct linear *l = call->kept ? call->kept : read_linear_s16(call, &made, false);
    if (l) {
        rl_fully_connected_s8_s16_run(&l->layer, l->input, l->output);
    }
    return call->status;
}

// ---- prepacked weights

enum rl_status rl_run_rl_quantized_linear_s16_prepacked(struct rl_call *call)
{
    struct linear made;
    const struct linear *l = call->kept ? call->kept : read_linear_s16(call, &made, true);
    if (l) {
        rl_fully_connected_prepacked_s16_run(&l->layer, l->input, l->output);
    }
    return call->status;
}

static const struct linear *read_prepacked(struct rl_call *call, struct linear *l)
{
    enum { OFFSET = BIAS + 1, FACTORS, RIGHT_SHIFTS, MOST, LEAST, RESULT };
    const struct numbers numbers = {OFFSET, FACTORS, RIGHT_SHIFTS, MOST, LEAST};
    struct rl_tensor output;
    read_tensors(call, RESULT, RL_INT8, l, &output);
    if (call->status == RL_OK) {
        l->layer.input_offset = l->layer.weight_offset = 0;
        read_bias(call, &output, &l->layer, true);
        read_numbers(call, &numbers, &l->layer);
    }
    return rl_call_keep(call, l, sizeof *l);
}

enum rl_status rl_run_rl_quantized_linear_prepacked(struct rl_call *call)
{
    struct linear made;
    const struct linear *l = call->kept ? call->kept : read_prepacked(call, &made);
    if (l && l->layer.rows > 1) {
        rl_fully_connected_prepacked_rows_run(&l->layer, l->input, l->output);
    } else if (l) {
        rl_fully_connected_prepacked_run(&l->layer, l->input, l->output);
    }
    return call->status;
}
