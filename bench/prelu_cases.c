// SPDX-License-Identifier: Apache-2.0
//
// PReLUs, alone and behind a convolution, for which CMSIS-NN has no functions: as a program that was compiled for the
// core runs them.
#include "bench.h"
#include "kernels/isa.h"
#include "mark.h"
#include "rushlight/kernels/activation.h"
#include "rushlight/kernels/convolution.h"

int32_t bench_prelu(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_pixels *layer = &test->of.pixels;
    const int16_t *factors = (const int16_t *)(const void *)m->weights;
    const struct rl_prelu prelu = {.outer = layer->height * layer->width,
                                   .channels = layer->channels,
                                   .inner = 1,
                                   .input_offset = 7,
                                   .output_offset = -5,
                                   .shift = 6,
                                   .positive = factors,
                                   .negative = factors + layer->channels};
    rl_mark_begin();
    rl_prelu_run(&prelu, m->input.s8, m->output.s8);
    rl_mark_end();
    return layer->height * layer->width * layer->channels;
}

// The multipliers of negative sums are those of other channels.
int32_t bench_convolution_prelu(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_convolution *layer = &test->of.convolution;
    const int32_t outputs = layer->batches * layer->output_height * layer->output_width * layer->outputs;
    struct rl_convolution c = {
        .type = RL_CONVOLUTION_PRELU,
        .input = {layer->batches, layer->height, layer->width, layer->channels},
        .output = {layer->batches, layer->output_height, layer->output_width, layer->outputs},
        .filter = {layer->kernel_height, layer->kernel_width},
        .stride = {layer->stride_height, layer->stride_width},
        .padding = {layer->pad_height, layer->pad_width},
        .dilation = {layer->dilation, layer->dilation},
        .groups = 1,
        .weights = m->weights,
        .bias = m->bias,
        .scales = {m->multiplier, m->shift},
        .input_offset = 7,
        .output_offset = -5,
        .range = {INT8_MIN, INT8_MAX},
    };
    const bool prepacks = RL_ISA_HERE == RL_ISA_DSP;
    if (rl_convolution_prepare(&c) != RL_OK) {
        return -1;
    }
    if (prepacks) {
        rl_convolution_fold(&c, m->folded);
        rl_convolution_prepack(&c, m->prepacked);
        c.type = RL_CONVOLUTION_PREPACKED_PRELU;
        c.weights = m->prepacked;
        c.folded = m->folded;
    }
    if (rl_convolution_prepare(&c) != RL_OK) {
        return -1;
    }
    m->multiplications = outputs * layer->kernel_height * layer->kernel_width * layer->channels;
    const struct rl_scratch scratch = {m->scratch, rl_convolution_scratch(&c, RL_ISA_HERE)};
    rl_mark_begin();
    if (prepacks) {
        rl_convolution_prepacked_prelu_run(&c, m->input.s8, m->output.s8, scratch);
    } else {
        rl_convolution_prelu_run(&c, m->input.s8, m->output.s8, scratch);
    }
    rl_mark_end();
    return outputs;
}
