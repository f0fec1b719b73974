// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions with few outputs, small filters or a stride: some outputs at a time, all channels of them.
#ifndef RL_KERNELS_DSP_POINTS_NEST_H
#define RL_KERNELS_DSP_POINTS_NEST_H

#include "depthwise/choice.h"
#include "depthwise/window.h"
#include "dsp/depthwise_points.h"
#include "dsp/simd.h"

// What the points of a row of outputs have in common.
struct rl_points_row {
    int32_t x;               // bytes from the image to the row of inputs, less a pixel
    const uint32_t *weights; // of the first row of taps, less a tap
    uint32_t rows;           // rl_point_rows
    bool is_padding;
};

static inline struct rl_points_row rl_points_row_of(struct rl_depthwise_points *job, const struct rl_depthwise *d,
                                                    int32_t y)
{
    const struct rl_taps rows = rl_taps_of(y * d->stride.h - d->padding.h, d->dilation.h, d->filter.h, d->input.h);
    const int32_t line = d->input.w * d->input.c, columns = d->filter.w;
    return (struct rl_points_row){rows.input * line - d->input.c, job->weights + 2 * (rows.first * columns - 1),
                                  rl_point_rows(rows.count, d->dilation.h * line, columns), rows.count == 0};
}

// Runs the channels [first, end), at least four, of an image. Their scales are simple (window.c).
static __attribute__((noinline)) void rl_points_run_image(const struct rl_depthwise *d, int32_t first, int32_t end,
                                                          const int8_t *image, int8_t *output)
{
    const int32_t no_bias[4] = {0};
    struct rl_depthwise_points job;
    job.low = (uint8_t)rl_max_s32(d->range.min, INT8_MIN) * UINT32_C(0x01010101);
    job.high = (uint8_t)rl_min_s32(d->range.max, INT8_MAX) * UINT32_C(0x01010101);
    job.output_right = d->output.c;
    job.last = end - 4;
    job.first_x = image;
    job.w = d->weights;
    job.multipliers = d->scales.multiplier;
    job.shifts = d->scales.shift;
    job.biases = d->bias ? d->bias : no_bias;
    job.bias_step = d->bias ? 4 : 0;
    job.rounding = rl_rescale_rounding(d->output_offset);
    job.offsets = rl_repeat_s16x2(d->input_offset);
    job.pixel = d->input.c;
    job.taps = d->filter.h * d->filter.w;
    job.first_output = output;
    struct rl_depthwise_point *point = job.points, *const last = job.points + RL_POINTS;
    const int32_t columns = d->filter.w, inputs = d->input.w, stride = d->stride.w;
    for (int32_t y = 0; y < d->output.h; y++) {
        const struct rl_points_row row = rl_points_row_of(&job, d, y);
        int32_t x = -d->padding.w;
        for (int32_t left = d->output.w; left > 0; left--, x += stride, output += job.output_right) {
            const int32_t missing = rl_max_s32(-x, 0), behind = rl_min_s32(columns, inputs - x);
            point->x = row.x + (x + behind) * (int32_t)job.pixel;
            point->weights = row.weights + 2 * behind;
            point->rows = row.rows;
            point->entry = behind <= missing || row.is_padding ? RL_POINT_EMPTY : rl_point_entry(behind - missing);
            point++;
            if (point == last || (left == 1 && y + 1 == d->output.h)) {
                point->entry = RL_POINT_END;
                job.channel = first;
                rl_depthwise_points(&job);
                job.first_output = output + job.output_right;
                point = job.points;
            }
        }
    }
}

#endif
