// SPDX-License-Identifier: Apache-2.0
#include "depthwise/choice.h"
#include "depthwise/window.h"
#include "depthwise/window_sums.h"
#include "isa.h"

#include RL_TILE(rescale_tile.h)

// Runs an image of few channels, a constant number, with short scales. All of it is inlined, because there is little to
// do at a position.
static inline __attribute__((always_inline)) void run_narrow_image(const struct rl_depthwise *d, const int8_t *image,
                                                                   int32_t channels, int8_t *output)
{
    const struct rl_depthwise_steps step = rl_depthwise_steps_of(d);
    const struct rl_limits_s8 limits = {d->range.min, d->range.max};
    struct rl_rescale scale[RL_DEPTHWISE_NARROW];
    int32_t bias[RL_DEPTHWISE_NARROW];
    for (int32_t i = 0; i < channels; i++) {
        const int32_t rounding = rl_rescale_rounding(d->output_offset);
        scale[i] = rl_rescale_of(rounding, d->scales.multiplier[i], d->scales.shift[i]);
        bias[i] = d->bias ? d->bias[i] : 0;
    }
    for (int32_t y = 0; y < d->output.h; y++) {
        const struct rl_taps rows = rl_taps_of(y * d->stride.h - d->padding.h, d->dilation.h, d->filter.h, d->input.h);
        for (int32_t x = 0; x < d->output.w; x++) {
            const struct rl_taps columns =
                rl_taps_of(x * d->stride.w - d->padding.w, d->dilation.w, d->filter.w, d->input.w);
            const struct rl_depthwise_window window = rl_depthwise_window_of(d, image, rows, columns);
            const struct rl_depthwise_sums s = {d->input_offset, &step, &window};
            int32_t sums[RL_DEPTHWISE_NARROW];
            rl_depthwise_sum_some(&s, window.x, window.w, channels, channels, sums);
            for (int32_t i = 0; i < channels; i++) {
                *output++ = rl_limit_s8(rl_rescale(scale[i], (sums[i] + bias[i]) * 2), limits, false);
            }
        }
    }
}

// Not inlined, because the loop over the images would take its registers.
static __attribute__((noinline)) void run_narrow(const struct rl_depthwise *d, const int8_t *image, int8_t *output)
{
    if (d->output.c == 1) {
        run_narrow_image(d, image, 1, output);
    } else if (d->output.c == 2) {
        run_narrow_image(d, image, 2, output);
    } else {
        run_narrow_image(d, image, 3, output);
    }
}

// Whether rl_rescale takes all scales and sums; see scaling_of in window.c.
static bool scales_are_simple(const struct rl_depthwise *d)
{
    const uint32_t limit = UINT32_C(1) << 28;
    bool simple = d->filter.h * d->filter.w <= 1 << 13;
    for (int32_t i = 0; simple && i < d->output.c; i++) {
        simple = rl_rescale_fits(d->output_offset, d->scales.shift[i]) &&
                 (!d->bias || (uint32_t)d->bias[i] + limit <= 2 * limit);
    }
    return simple;
}

bool rl_depthwise_run_narrow(const struct rl_depthwise *d, const int8_t *input, int8_t *output)
{
    const int32_t channels = d->output.c;
    if (d->multiplier != 1 || channels < 1 || channels > RL_DEPTHWISE_NARROW || !scales_are_simple(d)) {
        return false;
    }
    for (int32_t batch = 0; batch < d->input.n; batch++) {
        run_narrow(d, input, output);
        input += rl_image_size(d->input);
        output += rl_image_size(d->output);
    }
    return true;
}
