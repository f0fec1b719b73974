// SPDX-License-Identifier: Apache-2.0
//
// Layers with constant weights as a program that was compiled for the core runs them: with prepacked weights, folded
// biases and planned scratch, all of which compile prepares (compiler/passes/layout/prepack_weights.c). Results are
// those of the calls of CMSIS-NN's API.
#include "bench.h"
#include "kernels/isa.h"
#include "mark.h"
#include "rushlight/kernels/convolution.h"
#include "rushlight/kernels/fully_connected.h"

static struct rl_scratch planned_scratch(int32_t bytes)
{
    return (struct rl_scratch){bench_memory.scratch, bytes};
}

static int32_t run_convolution(struct rl_convolution *c, int32_t outputs)
{
    struct bench_memory *m = &bench_memory;
    if (rl_convolution_prepare(c) != RL_OK) {
        return -1;
    }
    rl_convolution_fold(c, m->folded);
    c->folded = m->folded;
    const bool prepacks = rl_convolution_prepacks(c, RL_ISA_HERE) && rl_convolution_scales_fit(c);
    c->folded = NULL;
    if (prepacks) {
        rl_convolution_prepack(c, m->prepacked);
        c->type = RL_CONVOLUTION_PREPACKED;
        c->weights = m->prepacked;
        c->folded = m->folded;
        c->bias = NULL;
        if (rl_convolution_prepare(c) != RL_OK) {
            return -1;
        }
    }
    const struct rl_scratch scratch = planned_scratch(rl_convolution_scratch(c, RL_ISA_HERE));
    const bool is_pixel = prepacks && rl_convolution_is_pixel(c);
    rl_mark_begin();
    if (is_pixel) {
        rl_convolution_prepacked_pixel_run(c, m->input.s8, m->output.s8);
    } else if (prepacks) {
        rl_convolution_prepacked_run(c, m->input.s8, m->output.s8, scratch);
    } else {
        rl_convolution_run(c, m->input.s8, m->output.s8, scratch);
    }
    rl_mark_end();
    return outputs;
}

int32_t bench_program_convolution(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_convolution *layer = &test->of.convolution;
    if (RL_ISA_HERE != RL_ISA_DSP || layer->type != BENCH_S8) {
        return 0;
    }
    const cmsis_nn_conv_params params = bench_convolution_params(layer);
    const int32_t outputs = layer->batches * layer->output_height * layer->output_width * layer->outputs;
    struct rl_convolution c = {
        .type = RL_CONVOLUTION_S8,
        .input = {layer->batches, layer->height, layer->width, layer->channels},
        .output = {layer->batches, layer->output_height, layer->output_width, layer->outputs},
        .filter = {layer->kernel_height, layer->kernel_width},
        .stride = {layer->stride_height, layer->stride_width},
        .padding = {layer->pad_height, layer->pad_width},
        .dilation = {layer->dilation, layer->dilation},
        .groups = layer->groups,
        .weights = m->weights,
        .bias = m->bias,
        .scales = {m->multiplier, layer->ranges == BENCH_SHIFTED_LEFT ? m->left_shift : m->shift},
        .input_offset = params.input_offset,
        .output_offset = params.output_offset,
        .range = {params.activation.min, params.activation.max},
    };
    m->multiplications = outputs * layer->kernel_height * layer->kernel_width * (layer->channels / layer->groups);
    return run_convolution(&c, outputs);
}

// Scales for each channel make a convolution of single pixels of it.
static int32_t run_pixels(const struct bench_fully_connected *layer, int32_t input_offset, cmsis_nn_activation limits)
{
    struct bench_memory *m = &bench_memory;
    struct rl_convolution c = {
        .type = RL_CONVOLUTION_S8,
        .input = {1, 1, layer->batches, layer->inputs},
        .output = {1, 1, layer->batches, layer->outputs},
        .filter = {1, 1},
        .stride = {1, 1},
        .dilation = {1, 1},
        .groups = 1,
        .weights = m->weights,
        .bias = layer->has_bias ? m->bias : NULL,
        .scales = {m->multiplier, m->shift},
        .input_offset = input_offset,
        .output_offset = -5,
        .range = {limits.min, limits.max},
    };
    return run_convolution(&c, layer->batches * layer->outputs);
}

int32_t bench_program_fully_connected(const struct bench_case *test)
{
    struct bench_memory *m = &bench_memory;
    const struct bench_fully_connected *layer = &test->of.fully_connected;
    if (RL_ISA_HERE != RL_ISA_DSP || layer->type != BENCH_S8) {
        return 0;
    }
    const int32_t input_offset = layer->ranges == BENCH_SMALL ? 7 : 128, outputs = layer->batches * layer->outputs;
    const cmsis_nn_activation limits = bench_limits(layer->type, layer->ranges);
    m->multiplications = outputs * layer->inputs;
    if (layer->is_per_channel) {
        return run_pixels(layer, input_offset, limits);
    }
    struct rl_fully_connected f = {
        .rows = layer->batches,
        .depth = layer->inputs,
        .channels = layer->outputs,
        .weights = m->weights,
        .bias = layer->has_bias ? m->bias : NULL,
        .scale = {0x55555555, -8},
        .input_offset = input_offset,
        .output_offset = -5,
        .range = {limits.min, limits.max},
    };
    const bool prepacks = rl_fully_connected_prepacks(&f, RL_ISA_HERE);
    if (prepacks) {
        rl_fully_connected_fold(&f, m->folded);
        rl_fully_connected_prepack(&f, m->prepacked);
        f.weights = m->prepacked;
        f.folded = m->folded;
        f.input_offset = 0;
    }
    if (rl_fully_connected_prepare(&f) != RL_OK) {
        return -1;
    }
    rl_mark_begin();
    if (prepacks && f.rows > 1) {
        rl_fully_connected_prepacked_rows_run(&f, m->input.s8, m->output.s8);
    } else if (prepacks) {
        rl_fully_connected_prepacked_run(&f, m->input.s8, m->output.s8);
    } else {
        rl_fully_connected_run(&f, m->input.s8, m->output.s8, (struct rl_scratch){NULL, 0});
    }
    rl_mark_end();
    return outputs;
}
