// SPDX-License-Identifier: Apache-2.0
//
// Recurrent layers as torch.export leaves them, composed of single directions of single layers: stacked ones, those
// that run both ways, and those whose first dimension is the batch.
#ifndef RL_COMPILER_PASSES_REWRITE_RECURRENT_H
#define RL_COMPILER_PASSES_REWRITE_RECURRENT_H

#include "compiler/passes/pass.h"
#include "compiler/passes/rewrite/build.h"

// One direction of one layer, or a cell.
struct rl_recurrent_layer {
    const struct rl_build *at;
    enum rl_op_id op; // of the whole node
    struct rl_value *input_weight, *hidden_weight;
    struct rl_value *input_bias, *hidden_bias; // NULL without
    struct rl_value *projection;               // of an LSTM's state to fewer features; NULL without
    int64_t batch, hidden;                     // features of a gate
};

// Steps that are built one by one.
enum { RL_LONGEST_SEQUENCE = 4096 };

// Builds one direction over a sequence [time, batch, features] and returns [time, batch, features of the state]. The
// state and the cell (NULL without), [batch, features], are the first ones, and become the last ones.
typedef struct rl_value *rl_build_direction(const struct rl_recurrent_layer *layer, struct rl_value *sequence,
                                            bool backwards, struct rl_value **state, struct rl_value **cell);

// Replaces a recurrent layer (lstm, gru, rnn) by what `direction` builds. Declines, with the reason, what contradicts
// itself and sequences of more than RL_LONGEST_SEQUENCE steps.
bool rl_replace_recurrent(const struct rl_pass *pass, struct rl_node *node, rl_build_direction *direction);

// Reads a cell (lstm_cell, gru_cell, rnn_cell): its layer and its state. `*cell` is NULL without one. Declines those
// whose ranks are not right.
bool rl_read_recurrent_cell(const struct rl_build *at, struct rl_recurrent_layer *layer, struct rl_value **state,
                            struct rl_value **cell);

// Replaces the results of a cell by its next state and, of an LSTM, its next cell.
void rl_replace_recurrent_cell(const struct rl_build *at, struct rl_value *state, struct rl_value *cell);

#endif
