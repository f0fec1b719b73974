// SPDX-License-Identifier: Apache-2.0
// The outputs of eight channels along a line, each from a run of taps: depthwise_bands.h in C.
#ifndef RL_KERNELS_MVE_DEPTHWISE_BANDS_PLAIN_H
#define RL_KERNELS_MVE_DEPTHWISE_BANDS_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "depthwise/choice.h"
#include "mve/plane_block.h"
#include "requantize.h"

// Lines of outputs that follow each other. Eight channels of a tap are computed at a time. Windows and weights are runs
// of `taps` pixels of RL_BAND_CHANNELS bytes; one more pixel may be read behind each. The assembler relies on the order
// of the fields.
struct rl_band {
    int8_t *output;
    const int8_t *x;                    // the first window
    int32_t count;                      // outputs of all lines, 1 or more
    const struct rl_plane_scale *scale; // all shifts are -1 or less
    int32_t step;                       // bytes from one window to the next
    int32_t taps;
    ptrdiff_t output_step;
    const int8_t *weights;
    int32_t jump;  // bytes from behind the last window of a line, one step further, to the next line
    int32_t width; // outputs of a line
};

static inline void rl_band_run_plain(const struct rl_band *band)
{
    const struct rl_plane_scale *s = band->scale;
    for (int32_t i = 0; i < band->count * RL_PLANE_CHANNELS; i++) {
        const int32_t at = i % RL_PLANE_CHANNELS, output = i / RL_PLANE_CHANNELS;
        const int32_t channel = at < 4 ? 2 * at : 2 * at - 7;
        const int8_t *x = band->x + output * band->step + output / band->width * band->jump + channel,
                     *w = band->weights + channel;
        int32_t sum = s->bias[at];
        for (int32_t tap = 0; tap < band->taps; tap++) {
            sum += x[tap * RL_BAND_CHANNELS] * w[tap * RL_BAND_CHANNELS];
        }
        const int32_t scaled = rl_clamp_s32(rl_requantize(sum, s->multiplier[at], s->shift[at]), INT16_MIN, INT16_MAX);
        band->output[output * band->output_step + channel] =
            rl_output_s8(scaled, s->offset[at], s->low[at], s->high[at]);
    }
}

#endif
