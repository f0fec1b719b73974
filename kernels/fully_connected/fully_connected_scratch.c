// SPDX-License-Identifier: Apache-2.0
#include "convolution/prepacked.h"
#include "dsp/interleaved_bytes.h"
#include "dsp/matmul_bytes.h"
#include "rushlight/kernels/fully_connected.h"

int32_t rl_fully_connected_scratch(const struct rl_fully_connected *layer, enum rl_isa isa)
{
    if (isa != RL_ISA_DSP && isa != RL_ISA_ANY) {
        return 0;
    }
    const int32_t bytes = rl_fully_connected_bytes(layer->depth, layer->channels);
    const int32_t depth = layer->depth + (layer->weight_offset != 0 ? 1 : 0);
    if (layer->rows < RL_INTERLEAVED_ROWS || layer->channels < RL_PREPACKED_GROUP || depth > RL_INTERLEAVED_DEPTH) {
        return bytes;
    }
    const struct rl_interleaved blocks = rl_interleaved_blocks(depth, layer->channels, RL_INTERLEAVED_STACK);
    return rl_max_s32(bytes, rl_interleaved_bytes(blocks.depth, blocks.channels));
}
