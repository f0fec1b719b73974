// SPDX-License-Identifier: Apache-2.0
//
// What the quantizer decided: for each match of a pattern the nodes, whether it was accepted or why not, and the grid
// of every tensor around it.
#ifndef RL_COMPILER_QUANTIZE_REPORT_H
#define RL_COMPILER_QUANTIZE_REPORT_H

#include "compiler/ir/graph.h"

struct rl_annotation;

struct rl_quantizer_tensor {
    const char *role; // input, weight, bias, output
    const char *name;
    enum rl_scalar_type dtype;
    int64_t zero_point;
    int scale_count; // 1, or one for each output channel
    const float *scales;
};

struct rl_quantizer_match {
    const char *pattern; // operators joined by " + "; "input" for an input of the model
    const char **nodes;  // of the model
    int node_count;
    bool accepted;
    const char *reason; // why it was not; NULL where it was
    struct rl_quantizer_tensor *tensors;
    int tensor_count;
};

struct rl_quantizer_report {
    struct rl_quantizer_match *matches; // inputs, then nodes in the order of the graph
    int count;
};

// After calibration and before conversion. Lives in the graph's arena.
const struct rl_quantizer_report *rl_quantizer_report_new(const struct rl_annotation *annotation);

#endif
