// SPDX-License-Identifier: Apache-2.0
// The whole API of CMSIS-NN: include this header. Each family is declared and documented in its own.
#ifndef ARM_NNFUNCTIONS_H
#define ARM_NNFUNCTIONS_H

#include "arm_nn_math_types.h"
#include "arm_nn_types.h"

#include "arm_nn_activation.h"
#include "arm_nn_batch_matmul.h"
#include "arm_nn_concatenation.h"
#include "arm_nn_convolution.h"
#include "arm_nn_convolution_s16.h"
#include "arm_nn_convolution_s4.h"
#include "arm_nn_depthwise.h"
#include "arm_nn_depthwise_s16.h"
#include "arm_nn_depthwise_s4.h"
#include "arm_nn_elementwise.h"
#include "arm_nn_fully_connected.h"
#include "arm_nn_lstm.h"
#include "arm_nn_pad.h"
#include "arm_nn_pooling.h"
#include "arm_nn_reshape.h"
#include "arm_nn_softmax.h"
#include "arm_nn_svdf.h"
#include "arm_nn_transpose.h"
#include "arm_nn_transpose_convolution.h"

#endif
