// SPDX-License-Identifier: Apache-2.0
//
// The operators of recurrent layers: they give what the kernel gives, and refuse what does not go together.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/operator_program.h"
#include "runtime/program_file.h"
#include "rushlight/kernels/recurrent.h"

enum { STEPS = 4, BATCH = 2, FEATURES = 5, UNITS = 3, GATES = 4, ROWS = GATES * UNITS };

// What a test changes of a call that is right.
struct change {
    int32_t input[3], hidden[2], cell[2], output[3], last_cell[2]; // sizes
    int32_t input_weights[2], hidden_weights[2], rows;
    int32_t cell_bits, shift, scratch, zero_point, output_shift;
    bool has_states;
};

static const struct change right = {
    .input = {STEPS, BATCH, FEATURES},
    .hidden = {BATCH, UNITS},
    .cell = {BATCH, UNITS},
    .output = {STEPS, BATCH, UNITS},
    .last_cell = {BATCH, UNITS},
    .input_weights = {ROWS, FEATURES},
    .hidden_weights = {ROWS, UNITS},
    .rows = ROWS,
    .cell_bits = 11,
    .shift = -4,
    .scratch = 9 * UNITS,
    .output_shift = -22,
    .has_states = true,
};

// Elements of all tensors of a call.
struct contents {
    int8_t input[64], hidden[64], input_weights[128], hidden_weights[128];
    int16_t cell[64];
    int32_t input_bias[ROWS + 1], hidden_bias[ROWS + 1], input_multiplier[ROWS + 1], hidden_multiplier[ROWS + 1],
        shift[ROWS + 1];
};

static void fill(int8_t *values, int count, uint32_t *seed)
{
    for (int i = 0; i < count; i++) {
        values[i] = (int8_t)test_random_int(seed, -128, 127);
    }
}

static void fill_contents(struct contents *c, const struct change *change)
{
    uint32_t seed = 7;
    fill(c->input, 64, &seed);
    fill(c->hidden, 64, &seed);
    fill(c->input_weights, 128, &seed);
    fill(c->hidden_weights, 128, &seed);
    for (int i = 0; i < 64; i++) {
        c->cell[i] = (int16_t)test_random_int(&seed, -8000, 8000);
    }
    for (int i = 0; i <= ROWS; i++) {
        c->input_bias[i] = test_random_int(&seed, -20000, 20000);
        c->hidden_bias[i] = test_random_int(&seed, -20000, 20000);
        c->input_multiplier[i] = test_random_int(&seed, 1 << 28, INT32_MAX);
        c->hidden_multiplier[i] = test_random_int(&seed, 1 << 28, INT32_MAX);
        c->shift[i] = change->shift;
    }
}

// The arguments from the weights on.
static void add_rest(struct test_program *p, const struct change *change, const struct contents *c)
{
    program_constant(p, RL_INT8, 2, change->input_weights, c->input_weights);
    program_constant(p, RL_INT8, 2, change->hidden_weights, c->hidden_weights);
    program_constant(p, RL_INT32, 1, &change->rows, c->input_bias);
    program_constant(p, RL_INT32, 1, &change->rows, c->hidden_bias);
    program_constant(p, RL_INT32, 1, &change->rows, c->input_multiplier);
    program_constant(p, RL_INT32, 1, &change->rows, c->hidden_multiplier);
    program_constant(p, RL_INT32, 1, &change->rows, c->shift);
    program_int(p, 1 << 30);
    program_int(p, change->output_shift);
    program_int(p, change->zero_point);
    program_bool(p, true);
    program_scratch(p, change->scratch);
    program_output(p, RL_INT8, 3, change->output, NULL);
}

static enum rl_status run(struct test_program *p, const struct change *change, const struct contents *c)
{
    memset(p, 0, sizeof *p);
    program_input(p, RL_INT8, 3, change->input, NULL, c->input);
    if (change->has_states) {
        program_input(p, RL_INT8, 2, change->hidden, NULL, c->hidden);
        program_input(p, RL_INT16, 2, change->cell, NULL, c->cell);
    } else {
        program_none(p);
        program_none(p);
    }
    program_int(p, change->cell_bits);
    add_rest(p, change, c);
    program_output(p, RL_INT16, 2, change->last_cell, NULL);
    return program_run(p, "rushlight::quantized_lstm", "out");
}

// Layers without a cell.
static enum rl_status run_plain(struct test_program *p, const char *name, const struct change *change,
                                const struct contents *c)
{
    memset(p, 0, sizeof *p);
    program_input(p, RL_INT8, 3, change->input, NULL, c->input);
    if (change->has_states) {
        program_input(p, RL_INT8, 2, change->hidden, NULL, c->hidden);
    } else {
        program_none(p);
    }
    add_rest(p, change, c);
    return program_run(p, name, "out");
}

static void lstms_are_those_of_the_kernel(void **state)
{
    (void)state;
    for (int with_states = 0; with_states < 2; with_states++) {
        struct change change = right;
        struct contents c;
        struct test_program p;
        int8_t expected[STEPS * BATCH * UNITS], output[STEPS * BATCH * UNITS];
        int16_t expected_cell[BATCH * UNITS], last_cell[BATCH * UNITS], scratch[9 * UNITS];
        change.has_states = with_states;
        fill_contents(&c, &change);
        assert_int_equal(run(&p, &change, &c), RL_OK);
        const struct rl_recurrent layer = {
            .kind = RL_RECURRENT_LSTM,
            .reverse = true,
            .time_steps = STEPS,
            .batches = BATCH,
            .input_size = FEATURES,
            .hidden_size = UNITS,
            .input = {c.input_weights, c.input_bias, c.input_multiplier},
            .hidden = {c.hidden_weights, c.hidden_bias, c.hidden_multiplier},
            .shift = c.shift,
            .cell_bits = change.cell_bits,
            .output_scale = {1 << 30, -22},
        };
        const struct rl_recurrent_state states = {with_states ? c.hidden : NULL, with_states ? c.cell : NULL,
                                                  expected_cell};
        rl_recurrent_run(&layer, &states, c.input, expected, (struct rl_scratch){scratch, sizeof scratch});
        program_result(&p, 0, output, sizeof output);
        program_result(&p, 1, last_cell, sizeof last_cell);
        assert_memory_equal(output, expected, sizeof expected);
        assert_memory_equal(last_cell, expected_cell, sizeof expected_cell);
        program_free(&p);
    }
}

static void layers_without_a_cell_are_those_of_the_kernel(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum rl_recurrent_kind kind;
        int32_t shift;
    } kinds[] = {{"rushlight::quantized_gru", RL_RECURRENT_GRU, 1},
                 {"rushlight::quantized_rnn_tanh", RL_RECURRENT_TANH, -7},
                 {"rushlight::quantized_rnn_relu", RL_RECURRENT_RELU, -5}};
    for (int i = 0; i < 6; i++) {
        const int32_t rows = UNITS * rl_recurrent_gates(kinds[i / 2].kind);
        struct change change = right;
        struct contents c;
        struct test_program p;
        int8_t expected[STEPS * BATCH * UNITS], output[STEPS * BATCH * UNITS];
        int16_t scratch[9 * UNITS];
        change.has_states = i % 2;
        change.rows = change.input_weights[0] = change.hidden_weights[0] = rows;
        change.output_shift = kinds[i / 2].shift;
        fill_contents(&c, &change);
        assert_int_equal(run_plain(&p, kinds[i / 2].name, &change, &c), RL_OK);
        const struct rl_recurrent layer = {
            .kind = kinds[i / 2].kind,
            .reverse = true,
            .time_steps = STEPS,
            .batches = BATCH,
            .input_size = FEATURES,
            .hidden_size = UNITS,
            .input = {c.input_weights, c.input_bias, c.input_multiplier},
            .hidden = {c.hidden_weights, c.hidden_bias, c.hidden_multiplier},
            .shift = c.shift,
            .output_scale = {1 << 30, kinds[i / 2].shift},
        };
        const struct rl_recurrent_state states = {.hidden = i % 2 ? c.hidden : NULL};
        rl_recurrent_run(&layer, &states, c.input, expected, (struct rl_scratch){scratch, sizeof scratch});
        program_result(&p, 0, output, sizeof output);
        assert_memory_equal(output, expected, sizeof expected);
        program_free(&p);
        change.zero_point = 1;
        assert_int_equal(run_plain(&p, kinds[i / 2].name, &change, &c),
                         kinds[i / 2].kind == RL_RECURRENT_GRU ? RL_ERROR_TYPE : RL_OK);
        program_free(&p);
        change.hidden_weights[0]++;
        assert_int_not_equal(run_plain(&p, kinds[i / 2].name, &change, &c), RL_OK);
        program_free(&p);
    }
}

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    struct change changes[14];
    const int count = sizeof changes / sizeof changes[0];
    for (int i = 0; i < count; i++) {
        changes[i] = right;
    }
    changes[0].input[2] = FEATURES - 1;
    changes[1].hidden[1] = UNITS + 1;
    changes[2].cell[0] = BATCH - 1;
    changes[3].output[0] = STEPS + 1;
    changes[4].last_cell[1] = UNITS - 1;
    changes[5].input_weights[0] = ROWS + 1;
    changes[6].hidden_weights[0] = ROWS - 1;
    changes[7].hidden_weights[1] = UNITS + 1;
    changes[8].rows = ROWS + 1;
    changes[9].cell_bits = 16;
    changes[10].cell_bits = -1;
    changes[11].shift = -32;
    changes[12].scratch = 9 * UNITS - 1;
    changes[13].zero_point = 128;
    for (int i = 0; i < count; i++) {
        struct contents c;
        struct test_program p;
        fill_contents(&c, &changes[i]);
        const enum rl_status status = run(&p, &changes[i], &c);
        if (status == RL_OK) {
            fail_msg("change %d is accepted", i);
        }
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lstms_are_those_of_the_kernel),
        cmocka_unit_test(layers_without_a_cell_are_those_of_the_kernel),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };

    return cmocka_run_group_tests_name("recurrent", tests, NULL, NULL);
}
