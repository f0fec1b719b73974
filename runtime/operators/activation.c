// SPDX-License-Identifier: Apache-2.0
//
// cortex_m::quantized_activation: any function of one int8 value, as a table of its 256 results.
// rushlight::quantized_activation_s16: any function of one int16 value, interpolated in a table, or of one int8 value
// with int16 results.
// rushlight::quantized_prelu: int8 times a factor that depends on the sign, and on the channel.
#include "rushlight/kernels/activation.h"
#include "runtime/operators/layer.h"

enum { INPUT, TABLE, OUTPUT };

struct activation {
    const int8_t *input;
    int8_t *output;
    struct rl_table layer;
};

// Reads a call; NULL when it is refused.
static const struct activation *read_activation(struct rl_call *call, struct activation *a)
{
    enum { ENTRIES = 256 };
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

// A call of quantized_activation_s16 that was read.
struct function {
    const void *input;
    void *output;
    bool is_looked_up; // of int8, `table`; otherwise `curve`
    bool has_wide_results;
    union {
        struct rl_table_s16 table;
        struct rl_curve curve;
    };
};

// Int8 is looked up, int16 interpolated.
static void read_table(struct rl_call *call, const struct rl_tensor *table, int32_t count, struct function *f)
{
    enum { ENTRIES = 256 };
    const uint32_t places = table->bytes / (uint32_t)sizeof(int16_t);
    if (f->is_looked_up) {
        rl_expect(call, places == ENTRIES, TABLE, "the table of int8 does not have 256 entries");
        f->table = (struct rl_table_s16){table->data, count};
        return;
    }
    rl_expect(call, places == RL_CURVE_PLACES || places == 2 * RL_CURVE_PLACES, TABLE,
              "the table has neither 353 entries nor twice as many");
    f->curve = (struct rl_curve){table->data, places > RL_CURVE_PLACES, count};
}

static const struct function *read_function(struct rl_call *call, struct function *f)
{
    struct rl_tensor input, table, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_tensor(call, TABLE, &table);
    rl_call_output(call, OUTPUT, &output);
    f->is_looked_up = input.dtype == RL_INT8;
    f->has_wide_results = f->is_looked_up || output.dtype == RL_INT16;
    rl_expect_type(call, INPUT, &input, f->is_looked_up ? RL_INT8 : RL_INT16, -1);
    rl_expect_type(call, TABLE, &table, RL_INT16, -1);
    rl_expect_type(call, OUTPUT, &output, f->has_wide_results ? RL_INT16 : RL_INT8, -1);
    rl_expect(call, rl_same_layout(&input, &output), OUTPUT, "input and output differ in shape or layout");
    rl_expect_disjoint(call, OUTPUT, &output, &input);
    rl_expect_disjoint(call, OUTPUT, &output, &table);
    read_table(call, &table, (int32_t)rl_tensor_count(&output), f);
    f->input = input.data;
    f->output = output.data;
    return rl_call_keep(call, f, sizeof *f);
}

enum rl_status rl_run_rl_quantized_activation_s16(struct rl_call *call)
{
    struct function made;
    const struct function *f = call->kept ? call->kept : read_function(call, &made);
    if (f && f->is_looked_up) {
        rl_table_s16_run(&f->table, f->input, f->output);
    } else if (f && f->has_wide_results) {
        rl_curve_s16_run(&f->curve, f->input, f->output);
    } else if (f) {
        rl_curve_run(&f->curve, f->input, f->output);
    }
    return call->status;
}

struct prelu {
    const int8_t *input;
    int8_t *output;
    struct rl_prelu layer;
};

// The factors for one sign: int16, one or one for each channel.
static const int16_t *read_factors(struct rl_call *call, uint32_t argument, int32_t channels,
                                   const struct rl_tensor *output)
{
    struct rl_tensor factors;
    rl_call_tensor(call, argument, &factors);
    rl_expect_type(call, argument, &factors, RL_INT16, 1);
    rl_expect(call, call->status != RL_OK || factors.sizes[0] == channels, argument,
              "neither one factor for each sign nor one for each channel");
    rl_expect_disjoint(call, argument, output, &factors);
    return factors.data;
}

// The channels are dimension 1, if there are factors for each.
static void read_sizes(struct rl_call *call, const struct rl_tensor *input, int32_t factors, struct rl_prelu *layer)
{
    *layer = (struct rl_prelu){.outer = 1, .channels = 1, .inner = (int32_t)input->bytes};
    if (factors == 1 || call->status != RL_OK) {
        return;
    }
    const bool is_channels_last = !rl_is_ordered(input, rl_order_contiguous);
    rl_expect(call, input->rank >= 2, INPUT, "a tensor has no channels");
    rl_expect(call, !is_channels_last || (input->rank == 4 && rl_is_ordered(input, rl_order_channels_last)), INPUT,
              "a tensor is neither contiguous nor channels-last");
    if (call->status != RL_OK) {
        return;
    }
    layer->channels = input->sizes[1];
    if (input->bytes == 0) {
        layer->outer = 0;
        return;
    }
    const int32_t places = (int32_t)input->bytes / layer->channels, images = input->sizes[0];
    layer->outer = is_channels_last ? places : images;
    layer->inner = is_channels_last ? 1 : places / images;
}

static const struct prelu *read_prelu(struct rl_call *call, struct prelu *p)
{
    enum { POSITIVE = 1, NEGATIVE, SHIFT, INPUT_ZERO_POINT, OUTPUT_ZERO_POINT, RESULT, MOST_SHIFT = 15 };
    struct rl_tensor input, positive, output;
    rl_call_tensor(call, INPUT, &input);
    rl_call_tensor(call, POSITIVE, &positive);
    rl_call_output(call, RESULT, &output);
    rl_expect_type(call, INPUT, &input, RL_INT8, -1);
    rl_expect_type(call, POSITIVE, &positive, RL_INT16, 1);
    rl_expect_type(call, RESULT, &output, RL_INT8, -1);
    rl_expect(call, rl_same_layout(&input, &output), RESULT, "input and output differ in shape or layout");
    rl_expect_aligned(call, RESULT, &output, &input);
    read_sizes(call, &input, call->status == RL_OK ? positive.sizes[0] : 1, &p->layer);
    p->layer.positive = read_factors(call, POSITIVE, p->layer.channels, &output);
    p->layer.negative = read_factors(call, NEGATIVE, p->layer.channels, &output);
    p->layer.shift = rl_bounded_int(call, SHIFT, 1, MOST_SHIFT);
    p->layer.input_offset = -rl_call_zero_point(call, INPUT_ZERO_POINT);
    p->layer.output_offset = rl_call_zero_point(call, OUTPUT_ZERO_POINT);
    p->input = input.data;
    p->output = output.data;
    return call->status == RL_OK ? rl_call_keep(call, p, sizeof *p) : NULL;
}

enum rl_status rl_run_rl_quantized_prelu(struct rl_call *call)
{
    struct prelu made;
    const struct prelu *p = call->kept ? call->kept : read_prelu(call, &made);
    if (p) {
        rl_prelu_run(&p->layer, p->input, p->output);
    }
    return call->status;
}
