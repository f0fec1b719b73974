// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of fewer than eight channels: four outputs of a channel, which follow each other, in the lanes
// of a vector. Inputs are gathered. A table has the distance of each tap of each lane and serves all channels; taps
// over padding read bytes that are minus the input offset.
#ifndef RL_KERNELS_MVE_DEPTHWISE_LANES_H
#define RL_KERNELS_MVE_DEPTHWISE_LANES_H

#include <arm_mve.h>

#include "depthwise/choice.h"
#include "depthwise/window.h"
#include "mve/depthwise_positions.h"
#include "mve/memory_tile.h"
#include "mve/requantize_mve.h"
#include "mve/rescale_mve.h"

enum {
    RL_LANES = 4,
    RL_LANES_CHANNELS = 7,
    RL_LANES_TAPS = 64,
    RL_LANES_OUTPUTS = 3, // below which lanes would stay empty
    RL_LANES_MANY = 8,    // from so many outputs on lanes pay even if they multiply padding,
    RL_LANES_WASTE = 7,   // which is at most so many taps for each output
};

struct rl_lanes {
    const struct rl_depthwise *layer;
    const int8_t *image; // at the first channel
    int32_t first, end;  // channels
    int32_t taps;
    int32_t count;    // of lanes that are outputs
    int32_t y, x;     // the position of the first lane
    uint32_t *inside; // the distances where all taps of all lanes lie in the image, in a row of outputs
    uint32_t *edge;   // other distances
    int8_t padding[RL_LANES_CHANNELS + 1];
};

// Adds the products of all taps, whose distances from the bytes at x are in `table`, to the sums of a channel and, if
// `two`, of the next one. Reads one vector behind the table. In assembler because compilers wait for each load.
static inline __attribute__((always_inline)) int32x4x2_t rl_lanes_products(const struct rl_lanes *p,
                                                                           const uint32_t *table, const int8_t *x,
                                                                           const int8_t *w, int32x4x2_t sums, bool two)
{
    int32_t left = p->taps;
    if (!two) {
        int32_t weight;
        __asm__ volatile(
            "vldrw.u32 q1, [%[table]], #16\n"
            "dls lr, %[left]\n"
            ".p2align 2\n"
            "1: ldrsb %[weight], [%[w]]\n"
            "vldrb.s32 q2, [%[x], q1]\n"
            "vldrw.u32 q1, [%[table]], #16\n"
            "add %[w], %[w], %[step]\n"
            "vadd.i32 q2, q2, %[offset]\n"
            "vmla.s32 %q[sum], q2, %[weight]\n"
            "le lr, 1b\n"
            : [sum] "+w"(sums.val[0]), [table] "+&r"(table), [w] "+&r"(w), [weight] "=&r"(weight)
            : [x] "r"(x), [step] "r"(p->layer->output.c), [offset] "r"(p->layer->input_offset), [left] "r"(left)
            : "q1", "q2", "lr", "memory");
        return sums;
    }
    int32_t weight_0, weight_1;
    __asm__ volatile("vldrw.u32 q1, [%[table]], #16\n"
                     "dls lr, %[left]\n"
                     ".p2align 2\n"
                     "1: ldrsb %[weight_0], [%[w]]\n"
                     "vldrb.s32 q2, [%[x], q1]\n"
                     "ldrsb %[weight_1], [%[w], #1]\n"
                     "vldrb.s32 q3, [%[second], q1]\n"
                     "add %[w], %[w], %[step]\n"
                     "vadd.i32 q2, q2, %[offset]\n"
                     "vldrw.u32 q1, [%[table]], #16\n"
                     "vmla.s32 %q[sum_0], q2, %[weight_0]\n"
                     "vadd.i32 q3, q3, %[offset]\n"
                     "vmla.s32 %q[sum_1], q3, %[weight_1]\n"
                     "le lr, 1b\n"
                     : [sum_0] "+w"(sums.val[0]), [sum_1] "+w"(sums.val[1]), [table] "+&r"(table), [w] "+&r"(w),
                       [weight_0] "=&r"(weight_0), [weight_1] "=&r"(weight_1)
                     : [x] "r"(x), [second] "r"(x + 1), [step] "r"(p->layer->output.c),
                       [offset] "r"(p->layer->input_offset), [left] "r"(left)
                     : "q1", "q2", "q3", "lr", "memory");
    return sums;
}

static inline int32x4_t rl_lanes_scaled(const struct rl_depthwise *d, int32_t channel, int32x4_t sum)
{
    const int32_t multiplier = d->scales.multiplier[channel], shift = d->scales.shift[channel];
    const int32x4_t scaled =
        shift < 0 ? rl_rescale_mve(sum, multiplier, shift) : rl_requantize_mve(sum, multiplier, shift);
    return vaddq_n_s32(scaled, d->output_offset);
}

// All channels of four positions. Not inlined, because the loops around it would take its registers.
static __attribute__((noinline)) void rl_lanes_run(const struct rl_lanes *p, const uint32_t *table, const int8_t *x,
                                                   int8_t *output)
{
    const struct rl_depthwise *d = p->layer;
    const int32_t end = p->end;
    const int8_t *w = d->weights + p->first;
    const int32x4_t low = vdupq_n_s32(d->range.min), high = vdupq_n_s32(d->range.max);
    const uint32x4_t distance = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)d->output.c);
    const int32_t *bias = d->bias;
    for (int32_t channel = p->first; channel < end; channel += 2, x += 2, w += 2, output += 2) {
        int32x4x2_t sums = {{vdupq_n_s32(bias ? bias[channel] : 0), vdupq_n_s32(0)}};
        if (channel + 1 == end) {
            sums = rl_lanes_products(p, table, x, w, sums, false);
            const int32x4_t value = vminq_s32(vmaxq_s32(rl_lanes_scaled(d, channel, sums.val[0]), low), high);
            vstrbq_scatter_offset_p_s32(output, distance, value, vctp32q((uint32_t)p->count));
            return;
        }
        sums.val[1] = vdupq_n_s32(bias ? bias[channel + 1] : 0);
        sums = rl_lanes_products(p, table, x, w, sums, true);
        const int32x4_t value_0 = vminq_s32(vmaxq_s32(rl_lanes_scaled(d, channel, sums.val[0]), low), high);
        const int32x4_t value_1 = vminq_s32(vmaxq_s32(rl_lanes_scaled(d, channel + 1, sums.val[1]), low), high);
        const mve_pred16_t active = vctp32q((uint32_t)p->count);
        vstrbq_scatter_offset_p_s32(output, distance, value_0, active);
        vstrbq_scatter_offset_p_s32(output + 1, distance, value_1, active);
    }
}

// The distances from the image to the taps of four positions.
static inline void rl_lanes_edge(const struct rl_lanes *p)
{
    const struct rl_depthwise *d = p->layer;
    int32_t lane_y[RL_LANES], lane_x[RL_LANES];
    int32_t y = p->y, x = p->x;
    for (int32_t i = 0; i < RL_LANES; i++) {
        lane_y[i] = y * d->stride.h - d->padding.h;
        lane_x[i] = x * d->stride.w - d->padding.w;
        if (++x == d->output.w) {
            x = 0;
            y++;
        }
    }
    const uint32_t pixel = (uint32_t)d->input.c, line = (uint32_t)d->input.w * pixel, step = (uint32_t)d->dilation.w;
    const uint32x4_t height = vdupq_n_u32((uint32_t)d->input.h), width = vdupq_n_u32((uint32_t)d->input.w);
    const uint32x4_t padding = vdupq_n_u32((uint32_t)((uintptr_t)p->padding - (uintptr_t)p->image));
    const uint32x4_t columns = vldrwq_u32((const uint32_t *)lane_x);
    uint32x4_t in_y = vldrwq_u32((const uint32_t *)lane_y);
    uint32_t *to = p->edge;
    for (int32_t i = d->filter.h; i > 0; i--, in_y = vaddq_n_u32(in_y, (uint32_t)d->dilation.h)) {
        // A column that no image has stands for the lines outside.
        uint32x4_t in_x = vpselq_u32(vdupq_n_u32(UINT32_C(1) << 30), columns, vcmpcsq_u32(in_y, height));
        uint32x4_t distance = vmlaq_n_u32(vmulq_n_u32(in_y, line), columns, pixel);
        for (int32_t j = d->filter.w; j > 0; j--, to += RL_LANES) {
            vstrwq_u32(to, vpselq_u32(padding, distance, vcmpcsq_u32(in_x, width)));
            in_x = vaddq_n_u32(in_x, step);
            distance = vaddq_n_u32(distance, step * pixel);
        }
    }
}

// The distances from the first tap of the first lane.
static inline void rl_lanes_inside(const struct rl_lanes *p)
{
    const struct rl_depthwise *d = p->layer;
    const uint32_t pixel = (uint32_t)d->input.c, row = (uint32_t)d->input.w * pixel;
    const uint32x4_t lane = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)d->stride.w * pixel);
    uint32_t *to = p->inside;
    for (int32_t i = 0; i < d->filter.h; i++) {
        for (int32_t j = 0; j < d->filter.w; j++, to += RL_LANES) {
            const uint32_t distance = (uint32_t)(i * d->dilation.h) * row + (uint32_t)(j * d->dilation.w) * pixel;
            vstrwq_u32(to, vaddq_n_u32(lane, distance));
        }
    }
}

// Whether all taps of the next four positions lie in the image, and the positions in a row.
static inline bool rl_lanes_are_inside(const struct rl_depthwise *d, int32_t x, int32_t in_y, int32_t in_x)
{
    return in_y >= 0 && in_x >= 0 && in_y + (d->filter.h - 1) * d->dilation.h < d->input.h &&
           x + RL_LANES <= d->output.w &&
           in_x + (RL_LANES - 1) * d->stride.w + (d->filter.w - 1) * d->dilation.w < d->input.w;
}

static inline void rl_lanes_image(struct rl_lanes *p, int8_t *output)
{
    const struct rl_depthwise *d = p->layer;
    bool has_inside = false;
    p->y = p->x = 0;
    for (int32_t left = d->output.h * d->output.w; left > 0; left -= RL_LANES) {
        const int32_t in_y = p->y * d->stride.h - d->padding.h, in_x = p->x * d->stride.w - d->padding.w;
        p->count = rl_min_s32(left, RL_LANES);
        if (rl_lanes_are_inside(d, p->x, in_y, in_x)) {
            if (!has_inside) {
                rl_lanes_inside(p);
                has_inside = true;
            }
            rl_lanes_run(p, p->inside, p->image + (in_y * d->input.w + in_x) * (ptrdiff_t)d->input.c, output);
        } else {
            rl_lanes_edge(p);
            rl_lanes_run(p, p->edge, p->image, output);
        }
        output += RL_LANES * (ptrdiff_t)d->output.c;
        for (p->x += RL_LANES; p->x >= d->output.w;) {
            p->x -= d->output.w;
            p->y++;
        }
    }
}

// Whether lanes take less time for `channels` channels than output by output, which leaves out padding: with a few
// outputs and at least half of the taps inside, or more outputs and few taps outside.
static inline bool rl_depthwise_suits_lanes(const struct rl_depthwise *d, int32_t channels)
{
    const int32_t taps = d->filter.h * d->filter.w, outputs = d->output.h * d->output.w;
    if (d->multiplier != 1 || channels > RL_LANES_CHANNELS || taps > RL_LANES_TAPS || outputs < RL_LANES_OUTPUTS) {
        return false;
    }
    if (d->padding.h + d->padding.w == 0) {
        return true;
    }
    const int32_t all = outputs * taps, inside = rl_depthwise_all_taps_inside(d);
    return 2 * inside >= all || (outputs >= RL_LANES_MANY && all - inside <= RL_LANES_WASTE * outputs);
}

// Runs the channels [first, end) of all images. `input` and `output` are at channel 0. Not inlined, so that other
// layers need not save the registers that it uses.
static __attribute__((noinline)) void rl_depthwise_run_lanes(const struct rl_depthwise *d, int32_t first, int32_t end,
                                                             const int8_t *input, int8_t *output)
{
    const int32_t taps = d->filter.h * d->filter.w;
    uint32_t tables[2 * (taps + 1) * RL_LANES];
    struct rl_lanes p; // an initializer would clear all of it first
    p.layer = d;
    p.first = first;
    p.end = end;
    p.taps = taps;
    p.inside = tables;
    p.edge = tables + (taps + 1) * RL_LANES;
    rl_fill_s8(p.padding, (int8_t)-d->input_offset, end - first);
    for (int32_t batch = 0; batch < d->input.n; batch++) {
        p.image = input + batch * rl_image_size(d->input) + first;
        rl_lanes_image(&p, output + batch * rl_image_size(d->output) + first);
    }
}

#endif
