// SPDX-License-Identifier: Apache-2.0
// SVDF and LSTM against their definitions, over several steps: states of int8 and int16, both orders of time and batch,
// with and without a past.
#include "arm_nnfunctions.h"
#include "reference_recurrent.h"

#include <string.h>

// One SVDF with its state in both widths; the narrow one is used with int8.
struct svdf {
    struct reference_svdf reference;
    int32_t zero_point;
    int8_t *input, *feature_weights, *output, *expected;
    int8_t *state, *time_weights;
    int16_t *wide_state, *wide_time_weights;
    int32_t *expected_state;
    cmsis_nn_dims input_dims, state_dims, feature_dims, time_dims, bias_dims, output_dims;
};

static void random_svdf_sizes(struct rl_case *c, bool wide, struct svdf *s)
{
    struct reference_svdf *r = &s->reference;
    memset(s, 0, sizeof *s);
    r->batches = rl_random_in(c, 1, 3);
    r->input_size = rl_random_one_in(c, 4) ? rl_random_in(c, 1, 70) : rl_random_in(c, 1, 20);
    r->rank = rl_random_in(c, 1, 3);
    r->features = r->rank * rl_random_in(c, 1, 8);
    r->time = rl_random_in(c, 1, 12);
    rl_case_begin(c, "%d bits, %ld batches of %ld, %ld features of rank %ld, %ld steps", wide ? 16 : 8,
                  (long)r->batches, (long)r->input_size, (long)r->features, (long)r->rank, (long)r->time);
}

static void random_svdf(struct rl_case *c, bool wide, struct svdf *s)
{
    random_svdf_sizes(c, wide, s);
    struct reference_svdf *r = &s->reference;
    const int32_t units = r->features / r->rank;
    s->input_dims = (cmsis_nn_dims){r->batches, r->input_size, 1, 1};
    s->feature_dims = (cmsis_nn_dims){r->features, r->input_size, 1, 1};
    s->time_dims = (cmsis_nn_dims){r->features, r->time, 1, 1};
    s->state_dims = (cmsis_nn_dims){r->batches, r->time * r->features, 1, 1};
    s->bias_dims = (cmsis_nn_dims){units, 1, 1, 1};
    s->output_dims = (cmsis_nn_dims){r->batches, units, 1, 1};
    const int32_t low = wide ? INT16_MIN : INT8_MIN, high = wide ? INT16_MAX : INT8_MAX;
    r->state_limits = rl_random_limits(c, low, high);
    r->output_limits = rl_random_limits(c, INT8_MIN, INT8_MAX);
    r->output_offset = rl_random_extreme(c, INT8_MIN, INT8_MAX);
    r->input_scale = (cmsis_nn_per_tensor_quant_params){rl_random_extreme(c, 1 << 30, INT32_MAX),
                                                        rl_random_in(c, wide ? -6 : -12, wide ? 1 : -4)};
    r->output_scale = (cmsis_nn_per_tensor_quant_params){rl_random_extreme(c, 1 << 30, INT32_MAX),
                                                         rl_random_in(c, wide ? -24 : -12, wide ? -16 : -4)};
    s->zero_point = rl_random_extreme(c, INT8_MIN, INT8_MAX);
    const size_t states = (size_t)(r->batches * r->features * r->time), outputs = (size_t)(r->batches * units);
    const size_t weights = (size_t)(r->features * r->time);
    s->feature_weights = rl_case_s8(c, (size_t)(r->features * r->input_size));
    s->input = rl_case_s8(c, (size_t)(r->batches * r->input_size));
    s->output = rl_case_s8(c, outputs);
    s->expected = rl_case_s8(c, outputs);
    r->bias = rl_random_one_in(c, 4) ? NULL : rl_case_s32(c, (size_t)units, -100000, 100000);
    r->feature_weights = rl_case_widen_s8(c, s->feature_weights, (size_t)(r->features * r->input_size), 0);
    if (wide) {
        s->wide_state = rl_case_s16(c, states);
        s->wide_time_weights = rl_case_s16(c, weights);
        s->expected_state = rl_case_widen_s16(c, s->wide_state, states);
        r->time_weights = rl_case_widen_s16(c, s->wide_time_weights, weights);
    } else {
        s->state = rl_case_s8(c, states);
        s->time_weights = rl_case_s8(c, weights);
        s->expected_state = rl_case_widen_s8(c, s->state, states, 0);
        r->time_weights = rl_case_widen_s8(c, s->time_weights, weights, 0);
    }
}

static arm_cmsis_nn_status run_svdf(const struct svdf *s, const cmsis_nn_context *sums,
                                    const cmsis_nn_context *input_ctx, const cmsis_nn_context *output_ctx)
{
    const struct reference_svdf *r = &s->reference;
    const cmsis_nn_svdf_params params = {r->rank, s->zero_point, r->output_offset, r->state_limits, r->output_limits};
    if (s->wide_state) {
        return arm_svdf_state_s16_s8(input_ctx, output_ctx, &params, &r->input_scale, &r->output_scale, &s->input_dims,
                                     s->input, &s->state_dims, s->wide_state, &s->feature_dims, s->feature_weights,
                                     &s->time_dims, s->wide_time_weights, &s->bias_dims, r->bias, &s->output_dims,
                                     s->output);
    }
    return arm_svdf_s8(sums, input_ctx, output_ctx, &params, &r->input_scale, &r->output_scale, &s->input_dims,
                       s->input, &s->state_dims, s->state, &s->feature_dims, s->feature_weights, &s->time_dims,
                       s->time_weights, &s->bias_dims, r->bias, &s->output_dims, s->output);
}

static void test_svdf(struct rl_case *c, const char *name, bool wide)
{
    rl_test_start(c, name);
    for (int i = 0; i < 100; i++) {
        struct svdf s;
        random_svdf(c, wide, &s);
        struct reference_svdf *r = &s.reference;
        const size_t inputs = (size_t)(r->batches * r->input_size), outputs = rl_elements(&s.output_dims);
        int32_t *input = rl_case_widen_s8(c, s.input, inputs, 0);
        r->input = input;
        // What CMSIS-NN keeps in these two: the activations of all features, and of all units.
        const cmsis_nn_context input_ctx = rl_case_scratch(c, r->batches * r->features * 4);
        const cmsis_nn_context output_ctx = rl_case_scratch(c, (int32_t)outputs * 4);
        const cmsis_nn_context sums = rl_case_scratch(c, arm_svdf_s8_get_buffer_size(&s.feature_dims));
        if (sums.buf) {
            arm_vector_sum_s8(sums.buf, r->input_size, r->features, s.feature_weights, -s.zero_point, 0, NULL);
        }
        for (int step = 0; step < 3; step++) {
            rl_random_s8(c, s.input, inputs);
            for (size_t k = 0; k < inputs; k++) {
                input[k] = s.input[k] - s.zero_point;
            }
            reference_svdf_step(r, s.expected_state, s.expected);
            rl_case_expect(c, run_svdf(&s, &sums, &input_ctx, &output_ctx) == ARM_CMSIS_NN_SUCCESS, "success");
            rl_case_equal_s8(c, "output", s.expected, s.output, outputs);
            rl_case_equal_elements(c, "state", wide, s.expected_state, wide ? (const void *)s.wide_state : s.state,
                                   (size_t)(r->batches * r->features * r->time));
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

enum { MOST_STEPS = 4, MOST_INPUTS = 20, MOST_UNITS = 12 };

struct lstm {
    cmsis_nn_lstm_params params;
    struct reference_lstm reference;
};

// The weights and biases of one gate, as the kernels take them and widened.
static void random_gate(struct rl_case *c, struct lstm *l, int which, cmsis_nn_lstm_gate *gate)
{
    const size_t units = (size_t)l->params.hidden_size;
    const size_t inputs = units * (size_t)l->params.input_size, hiddens = units * units;
    const int8_t *input_weights = rl_case_s8(c, inputs), *hidden_weights = rl_case_s8(c, hiddens);
    l->reference.input_weights[which] = rl_case_widen_s8(c, input_weights, inputs, 0);
    l->reference.hidden_weights[which] = rl_case_widen_s8(c, hidden_weights, hiddens, 0);
    int64_t *input_bias = rl_case_buffer(c, units * sizeof(int64_t), 8);
    int64_t *hidden_bias = rl_case_buffer(c, units * sizeof(int64_t), 8);
    int32_t *narrow_input = rl_case_s32(c, units, -20000, 20000);
    int32_t *narrow_hidden = rl_case_s32(c, units, -20000, 20000);
    for (size_t i = 0; i < units; i++) {
        input_bias[i] = narrow_input[i];
        hidden_bias[i] = narrow_hidden[i];
    }
    l->reference.input_bias[which] = input_bias;
    l->reference.hidden_bias[which] = hidden_bias;
    const bool wide = l->reference.wide;
    *gate = (cmsis_nn_lstm_gate){
        .input_multiplier = rl_random_extreme(c, 1 << 30, INT32_MAX),
        .input_shift = rl_random_in(c, wide ? -12 : -4, wide ? -4 : 2),
        .input_weights = input_weights,
        .input_effective_bias = wide ? (const void *)input_bias : narrow_input,
        .hidden_multiplier = rl_random_extreme(c, 1 << 30, INT32_MAX),
        .hidden_shift = rl_random_in(c, wide ? -12 : -4, wide ? -4 : 2),
        .hidden_weights = hidden_weights,
        .hidden_effective_bias = wide ? (const void *)hidden_bias : narrow_hidden,
        .activation_type = which == 2 ? ARM_TANH : ARM_SIGMOID,
    };
}

static void random_lstm_params(struct rl_case *c, bool wide, struct lstm *l)
{
    memset(l, 0, sizeof *l);
    l->reference.wide = wide;
    l->reference.params = &l->params;
    l->params = (cmsis_nn_lstm_params){
        .time_major = rl_random_one_in(c, 2),
        .batch_size = rl_random_in(c, 1, 3),
        .time_steps = rl_random_in(c, 1, MOST_STEPS),
        .input_size = rl_random_in(c, 1, MOST_INPUTS),
        .hidden_size = rl_random_in(c, 1, MOST_UNITS),
        .forget_to_cell_multiplier = rl_random_extreme(c, 1 << 30, INT32_MAX),
        .forget_to_cell_shift = rl_random_in(c, -15, -13),
        .input_to_cell_multiplier = rl_random_extreme(c, 1 << 30, INT32_MAX),
        .input_to_cell_shift = rl_random_in(c, -17, -13),
        .cell_clip = rl_random_one_in(c, 2) ? INT16_MAX : rl_random_extreme(c, 0, INT16_MAX),
        .cell_scale_power = rl_random_in(c, -14, -9),
        .output_multiplier = rl_random_extreme(c, 1 << 30, INT32_MAX),
        .output_shift = rl_random_in(c, wide ? -16 : -24, wide ? -14 : -21),
        .output_offset = wide ? 0 : rl_random_extreme(c, INT8_MIN, INT8_MAX),
    };
}

static void random_lstm(struct rl_case *c, bool wide, bool has_past, struct lstm *l)
{
    random_lstm_params(c, wide, l);
    const cmsis_nn_lstm_params *p = &l->params;
    rl_case_begin(c, "%d bits, %s, %ld batches of %ld steps, %ld inputs, %ld units, %s past", wide ? 16 : 8,
                  p->time_major ? "time first" : "batch first", (long)p->batch_size, (long)p->time_steps,
                  (long)p->input_size, (long)p->hidden_size, has_past ? "with a" : "without");
    random_gate(c, l, 0, &l->params.forget_gate);
    random_gate(c, l, 1, &l->params.input_gate);
    random_gate(c, l, 2, &l->params.cell_gate);
    random_gate(c, l, 3, &l->params.output_gate);
}

// Where the row of a batch and a time begins.
static size_t row_of(const cmsis_nn_lstm_params *p, int32_t batch, int32_t time, int32_t size)
{
    const int32_t row = p->time_major ? time * p->batch_size + batch : batch * p->time_steps + time;
    return (size_t)(row * size);
}

struct lstm_memory {
    void *input, *output, *hidden; // hidden may be NULL
    int16_t *cell;
};

// Computes one batch from the memory before the call and keeps its results.
struct lstm_expected {
    int32_t output[MOST_STEPS * MOST_UNITS], hidden[MOST_UNITS], cell[MOST_UNITS];
};

static void expect_batch(const struct lstm *l, const struct lstm_memory *m, int32_t batch, struct lstm_expected *e)
{
    const cmsis_nn_lstm_params *p = &l->params;
    const bool wide = l->reference.wide;
    int32_t input[MOST_STEPS * MOST_INPUTS];
    for (int32_t i = 0; i < p->time_steps * p->input_size; i++) {
        const size_t row = row_of(p, batch, i / p->input_size, p->input_size);
        input[i] = rl_element(wide, m->input, row + (size_t)(i % p->input_size));
    }
    for (int32_t unit = 0; unit < p->hidden_size; unit++) {
        const size_t at = (size_t)(batch * p->hidden_size + unit);
        e->hidden[unit] = m->hidden ? rl_element(wide, m->hidden, at) : 0;
        e->cell[unit] = m->hidden ? m->cell[at] : 0;
    }
    reference_lstm_sequence(&l->reference, input, m->hidden, e->hidden, e->cell, e->output);
}

static void check_batch(struct rl_case *c, const struct lstm *l, const struct lstm_memory *m, int32_t batch,
                        const struct lstm_expected *e)
{
    const cmsis_nn_lstm_params *p = &l->params;
    const bool wide = l->reference.wide;
    const size_t units = (size_t)p->hidden_size, size = wide ? sizeof(int16_t) : sizeof(int8_t);
    for (int32_t time = 0; time < p->time_steps; time++) {
        const size_t row = row_of(p, batch, time, p->hidden_size);
        rl_case_equal_elements(c, "output", wide, e->output + (size_t)time * units,
                               (const uint8_t *)m->output + row * size, units);
    }
    const size_t at = (size_t)batch * units;
    rl_case_equal_elements(c, "cell", true, e->cell, m->cell + at, units);
    if (m->hidden) {
        rl_case_equal_elements(c, "hidden state", wide, e->hidden, (const uint8_t *)m->hidden + at * size, units);
    }
}

static void test_lstm(struct rl_case *c, const char *name, bool wide)
{
    rl_test_start(c, name);
    for (int i = 0; i < 100; i++) {
        const bool has_past = rl_random_one_in(c, 2);
        struct lstm l;
        random_lstm(c, wide, has_past, &l);
        const cmsis_nn_lstm_params *p = &l.params;
        const size_t rows = (size_t)(p->batch_size * p->time_steps);
        const size_t states = (size_t)(p->batch_size * p->hidden_size);
        const struct lstm_memory m = {rl_case_elements(c, wide, rows * (size_t)p->input_size),
                                      rl_case_elements(c, wide, rows * (size_t)p->hidden_size),
                                      has_past ? rl_case_elements(c, wide, states) : NULL, rl_case_s16(c, states)};
        cmsis_nn_lstm_context buffers = {rl_case_s16(c, states), rl_case_s16(c, states), m.cell, m.hidden};
        static struct lstm_expected expected[3];
        for (int32_t batch = 0; batch < p->batch_size; batch++) {
            expect_batch(&l, &m, batch, &expected[batch]);
        }
        const arm_cmsis_nn_status status = wide ? arm_lstm_unidirectional_s16(m.input, m.output, p, &buffers)
                                                : arm_lstm_unidirectional_s8(m.input, m.output, p, &buffers);
        rl_case_expect(c, status == ARM_CMSIS_NN_SUCCESS, "success");
        for (int32_t batch = 0; batch < p->batch_size; batch++) {
            check_batch(c, &l, &m, batch, &expected[batch]);
        }
        rl_case_end(c);
    }
    rl_test_stop(c);
}

int main(void)
{
    static struct rl_case c;
    test_svdf(&c, "svdf_s8", false);
    test_svdf(&c, "svdf_state_s16_s8", true);
    test_lstm(&c, "lstm_unidirectional_s8", false);
    test_lstm(&c, "lstm_unidirectional_s16", true);
    return rl_test_finish(&c);
}
