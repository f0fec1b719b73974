// SPDX-License-Identifier: Apache-2.0
//
// The passes between a graph as torch.export wrote it and a graph of operators that a .pte can call, in the order in
// which compiler/pipeline.c runs them. Each file opens with what its pass needs, keeps and breaks.
#ifndef RL_COMPILER_PASSES_PASSES_H
#define RL_COMPILER_PASSES_PASSES_H

#include "compiler/passes/pass.h"

// ---- float graph: one spelling for each meaning

rl_pass_run rl_pass_functionalize;       // in-place operators as functional ones
rl_pass_run rl_pass_forward_parts;       // parts that were put into a whole as concatenations
rl_pass_run rl_pass_recompose;           // Core ATen operators as the layers that they were
rl_pass_run rl_pass_resolve_padding;     // convolutions padded by a word
rl_pass_run rl_pass_canonicalize;        // one operator for each meaning
rl_pass_run rl_pass_fold_creation;       // zeros, full, arange, ... as constants
rl_pass_run rl_pass_fold_weight_norm;    // directions and lengths as weights
rl_pass_run rl_pass_decompose_movement;  // splits, stacks, repeats, ... as slices, views and concatenations
rl_pass_run rl_pass_decompose_gather;    // patches and nearest-exact enlargements as selected rows and columns
rl_pass_run rl_pass_decompose_einsum;    // sums of products by letters as matmul
rl_pass_run rl_pass_decompose_product;   // matmul and other products as bmm, mm, linear
rl_pass_run rl_pass_remove_identity;     // dropout, alias, views and pads that change nothing
rl_pass_run rl_pass_add_batch;           // to convolutions and pools of single images
rl_pass_run rl_pass_fold_batch_norm;     // into the convolution or linear before it
rl_pass_run rl_pass_convolve_batch_norm; // as depthwise convolutions, the others
rl_pass_run rl_pass_widen_1d;            // operators on sequences as those on images of one row
rl_pass_run rl_pass_decompose_mean;      // spatial means and adaptive pools as average pools

// ---- (quantization happens here, or had happened before the model was exported)

// ---- quantized graph: dequantize, operator, quantize becomes one integer operator

rl_pass_run rl_pass_fold_quantize;         // quantize of a constant becomes an int8 constant
rl_pass_run rl_pass_fuse_padding;          // constant_pad_nd of zeros becomes the convolution's padding
rl_pass_run rl_pass_lower_data_movement;   // views, permutations and pads move int8 values
rl_pass_run rl_pass_fuse_activation;       // relu and clamps before quantize become its range
rl_pass_run rl_pass_lower_pool;            // cortex_m::quantized_avg_pool2d, quantized_max_pool2d
rl_pass_run rl_pass_fuse_requantize;       // dequantize followed by quantize with equal parameters vanishes
rl_pass_run rl_pass_lower_conv;            // cortex_m::quantized_conv2d, quantized_depthwise_conv2d
rl_pass_run rl_pass_lower_transposed_conv; // cortex_m::quantized_transpose_conv2d
rl_pass_run rl_pass_fuse_uneven_padding;   // an int8 pad becomes the integer convolution's padding
rl_pass_run rl_pass_lower_linear;          // cortex_m::quantized_linear
rl_pass_run rl_pass_lower_add;             // cortex_m::quantized_add
rl_pass_run rl_pass_lower_mul;             // cortex_m::quantized_mul
rl_pass_run rl_pass_lower_bmm;             // cortex_m::quantized_batch_matmul
rl_pass_run rl_pass_lower_softmax;         // cortex_m::softmax
rl_pass_run rl_pass_lower_activation;      // cortex_m::quantized_activation
rl_pass_run rl_pass_lower_quantize;        // cortex_m::quantize_per_tensor, dequantize_per_tensor

// ---- what is left computes in floating point

rl_pass_run rl_pass_decompose_recurrent;  // LSTM, GRU, RNN step by step
rl_pass_run rl_pass_decompose_attention;  // scaled_dot_product_attention
rl_pass_run rl_pass_decompose_lookup;     // bags of embeddings
rl_pass_run rl_pass_decompose_reduction;  // var, norm, group_norm, ... as sums, means, maxima, layer norms
rl_pass_run rl_pass_decompose_ranking;    // medians, running maxima
rl_pass_run rl_pass_decompose_activation; // functions without a kernel of their own
rl_pass_run rl_pass_decompose_resize;     // bicubic enlargement as products
rl_pass_run rl_pass_decompose_pointwise;  // the same for functions of several tensors

// Every aten operator becomes one with an out_overload. The float program of calibration takes these passes, the
// canonical ones and assign_layout.
rl_pass_run rl_pass_lower_portable;

// ---- memory

rl_pass_run rl_pass_assign_layout;    // channels-last where kernels need it, copies only where memory
                                      // must change
rl_pass_run rl_pass_lower_pad;        // cortex_m::pad
rl_pass_run rl_pass_eliminate_common; // equal constants and equal computations once, dead ones not at all

// After lower_quantize, on request: makes graph inputs that are only quantized, and outputs that are only dequantized,
// int8 themselves (compile --io int8).
rl_pass_run rl_pass_quantize_interface;

#endif
