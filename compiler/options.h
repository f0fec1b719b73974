// SPDX-License-Identifier: Apache-2.0
//
// The options of a compilation.
#ifndef RL_COMPILER_OPTIONS_H
#define RL_COMPILER_OPTIONS_H

#include <stdint.h>

#include "compiler/quantize/quantize.h"
#include "compiler/read/shape.h"
#include "compiler/targets/target.h"

enum rl_quantization {
    RL_QUANTIZE_INT8,
    RL_QUANTIZE_NONE,
    RL_QUANTIZE_A16W8 // activations of int16, weights of int8
};

enum rl_interface { RL_INTERFACE_FLOAT, RL_INTERFACE_INT8 };

struct rl_compile_options {
    const char *model;              // path of the .pt2
    struct rl_input_shapes shapes;  // for inputs of dynamic sizes
    const char *const *calibration; // paths of .npz, .npy or folders; none: the samples stored in the model
    int calibration_count;
    int calibration_limit; // use at most this many samples; 0: all
    int64_t sequence;      // as in struct rl_dataset, for calibration
    struct rl_target target;
    enum rl_quantization quantization; // of a float model; a quantized model stays as it is
    bool float32_form;                 // float16 and bfloat16 become float32, as they do for quantization anyway
    enum rl_quantizer quantizer;
    bool is_fast; // leaves out roundings of weights, which take the most time of `best`
    enum rl_interface interface;
    bool keep_channels;     // also those that cannot change an output
    bool winograd;          // 3x3 convolutions with transformed weights, on cores with DSP instructions
    bool leaves_out_names;  // of modules and nodes (format/pte_names.h), which no runtime reads
    bool explicit_layout;   // images are row-major tensors of N, H, W, C, for operators ending in _nhwc
    uint64_t max_arena;     // bytes; 0: no limit
    const char *dump_after; // name of a stage after which the graph is printed to `dump_file`; NULL: none
    void *dump_file;        // FILE *
};

#endif
