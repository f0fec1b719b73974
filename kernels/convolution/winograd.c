// SPDX-License-Identifier: Apache-2.0
#include "convolution/winograd.h"

#include "convolution/convolution.h"

bool rl_convolution_suits_winograd(const struct rl_convolution *c)
{
    return c->filter.h == 3 && c->filter.w == 3 && c->stride.h == 1 && c->stride.w == 1 && c->dilation.h == 1 &&
           c->dilation.w == 1 && c->groups == 1 && !c->spread_h && !c->spread_w && c->input.c > 0 &&
           c->input.c % RL_WINOGRAD_CHANNELS == 0 && c->output.c % RL_WINOGRAD_GROUP == 0 &&
           c->input.c <= RL_WINOGRAD_MOST_CHANNELS;
}

bool rl_convolution_winograd_pays(const struct rl_convolution *c, enum rl_isa isa)
{
    const int64_t tiles = (int64_t)((c->output.h + 1) / 2) * ((c->output.w + 1) / 2);
    const int64_t computed = (tiles + 1) / 2 * 8, outputs = (int64_t)c->output.h * c->output.w;
    return isa == RL_ISA_DSP && c->type == RL_CONVOLUTION_S8 && rl_convolution_suits_winograd(c) &&
           outputs * 5 >= computed * 4;
}

// A line of three weights, `step` apart, times (2 G)^T.
static void transform_line(const int32_t *from, int32_t step, int32_t *to, int32_t to_step)
{
    const int32_t outer = from[0] + from[2 * step], middle = from[step];
    to[0] = 2 * from[0];
    to[to_step] = outer + middle;
    to[2 * to_step] = outer - middle;
    to[3 * to_step] = 2 * from[2 * step];
}

void rl_convolution_transform_winograd(const struct rl_convolution *c, int16_t *weights)
{
    const int32_t channels = c->input.c;
    for (int32_t filter = 0; filter < c->output.c; filter++) {
        for (int32_t channel = 0; channel < channels; channel++) {
            int32_t taps[9], lines[12], all[RL_WINOGRAD_POSITIONS];
            for (int32_t tap = 0; tap < 9; tap++) {
                taps[tap] = c->weights[(filter * 9 + tap) * channels + channel];
            }
            for (int32_t y = 0; y < 3; y++) {
                transform_line(taps + 3 * y, 1, lines + 4 * y, 1);
            }
            for (int32_t x = 0; x < 4; x++) {
                transform_line(lines + x, 4, all + x, 4);
            }
            for (int32_t i = 0; i < RL_WINOGRAD_POSITIONS; i++) {
                weights[rl_winograd_place(channels, filter, i, channel)] = (int16_t)all[i];
            }
        }
    }
}

// Twice the weight in place `at` of a line of four transformed ones, `step` apart.
static int32_t twice_weight(const int32_t *line, int32_t step, int32_t at)
{
    return at == 1 ? line[step] - line[2 * step] : line[3 * step * (at >> 1)];
}

static int8_t weight_of(const int16_t *transformed, int32_t channels, int32_t weight)
{
    const int32_t channel = weight % channels, tap = weight / channels % 9, filter = weight / channels / 9;
    int32_t all[RL_WINOGRAD_POSITIONS], line[4];
    for (int32_t i = 0; i < RL_WINOGRAD_POSITIONS; i++) {
        all[i] = transformed[rl_winograd_place(channels, filter, i, channel)];
    }
    for (int32_t x = 0; x < 4; x++) {
        line[x] = twice_weight(all + x, 4, tap / 3);
    }
    return (int8_t)(twice_weight(line, 1, tap % 3) >> 2);
}

void rl_spread_winograd(const int16_t *transformed, int32_t channels, int32_t first, int32_t count, int8_t *weights)
{
    for (int32_t i = 0; i < count; i++) {
        weights[i] = weight_of(transformed, channels, first + i);
    }
}
