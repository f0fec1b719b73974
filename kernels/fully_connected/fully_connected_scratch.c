// SPDX-License-Identifier: Apache-2.0
#include "dsp/matmul_bytes.h"
#include "rushlight/kernels/fully_connected.h"

int32_t rl_fully_connected_scratch(const struct rl_fully_connected *layer, enum rl_isa isa)
{
    return isa == RL_ISA_DSP || isa == RL_ISA_ANY ? rl_fully_connected_bytes(layer->depth, layer->channels) : 0;
}
