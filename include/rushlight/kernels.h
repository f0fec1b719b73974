// SPDX-License-Identifier: Apache-2.0
//
// The kernels: integer arithmetic of neural-network layers for Arm Cortex-M, in plain C for any other machine. They
// allocate nothing, keep no state and call nothing but mem*. Results are the same bytes on every core.
//
// A layer is a struct. Its first members describe the layer as the model does. `prepare` checks them and fills in the
// others, once, on the device or on the host that compiles for it. `run` reads the struct and computes:
//
//     struct rl_pool layer = {.kind = RL_POOL_AVERAGE, .input = {1, 8, 8, 64}, .output = {1, 1, 1, 64}, ...};
//     if (rl_pool_prepare(&layer) != RL_OK) { ... }
//     rl_average_pool_run(&layer, input, output);
//
// A layer with nothing to check or fill in has no `prepare`. A layer that uses memory beside input and output has a
// function that returns how much, for any instruction set, and its `run` takes a struct rl_scratch. Functions without a
// suffix work on int8; _s16, _s4 and _u8 name other types.
//
// kernels/cmsis_nn/include declares the same kernels under the names and with the argument lists of CMSIS-NN.
#ifndef RUSHLIGHT_KERNELS_H
#define RUSHLIGHT_KERNELS_H

#include "rushlight/kernels/activation.h"
#include "rushlight/kernels/batch_matmul.h"
#include "rushlight/kernels/convolution.h"
#include "rushlight/kernels/data_movement.h"
#include "rushlight/kernels/depthwise.h"
#include "rushlight/kernels/elementwise.h"
#include "rushlight/kernels/fully_connected.h"
#include "rushlight/kernels/layer.h"
#include "rushlight/kernels/lstm.h"
#include "rushlight/kernels/normalization.h"
#include "rushlight/kernels/pooling.h"
#include "rushlight/kernels/quantization.h"
#include "rushlight/kernels/recurrent.h"
#include "rushlight/kernels/softmax.h"
#include "rushlight/kernels/svdf.h"
#include "rushlight/kernels/transpose_convolution.h"

#endif
