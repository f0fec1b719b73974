// SPDX-License-Identifier: Apache-2.0
// Scratch of depthwise convolutions. It is plain arithmetic, because the memory planner uses it on the host. The bytes
// of blocks follow the choices that rl_depthwise_run makes in small code. Faster code runs some layers window by
// window, without blocks.
#include "depthwise/depthwise.h"

#include "depthwise/choice.h"
#include "depthwise/multiplied.h"
#include "dsp/plane_sizes.h"
#include "scalar/plane_blocks.h"

#include "depthwise/plane_axes.h"

enum { MVE_BLOCK = 124 }; // channels that CMSIS-NN copies at a time on Helium; four such blocks per tap

int32_t rl_depthwise_announced_fast(const struct rl_depthwise *d, enum rl_isa isa)
{
    const int32_t taps = d->filter.h * d->filter.w;
    const int32_t copy = taps * d->input.c * (int32_t)sizeof(int16_t);
    if (isa == RL_ISA_MVE) {
        return d->type == RL_DEPTHWISE_S16 ? 4 * copy + 8 : 4 * MVE_BLOCK * taps;
    }
    return isa == RL_ISA_DSP || d->type == RL_DEPTHWISE_S4 ? copy : 0;
}

// Whether CMSIS-NN uses the function that announces scratch.
static bool is_fast(const struct rl_depthwise *d, enum rl_isa isa)
{
    if (d->dilation.h != 1 || d->dilation.w != 1) {
        return false;
    }
    if (d->type == RL_DEPTHWISE_S16) {
        return d->multiplier == 1 && d->filter.h * d->filter.w < RL_DEPTHWISE_S16_FAST;
    }
    const bool is_3x3 = d->filter.h == 3 && d->filter.w == 3 && d->padding.h <= 1 && d->padding.w <= 1;
    const bool needs_none = d->type == RL_DEPTHWISE_S8 && is_3x3 && isa != RL_ISA_MVE;
    return d->input.c == d->output.c && d->input.n == 1 && !needs_none;
}

int32_t rl_depthwise_announced(const struct rl_depthwise *d, enum rl_isa isa)
{
    if (isa == RL_ISA_ANY) {
        return rl_max_s32(rl_depthwise_announced(d, RL_ISA_DSP), rl_depthwise_announced(d, RL_ISA_MVE));
    }
    if (isa == RL_ISA_MVE && d->type == RL_DEPTHWISE_S8 && d->input.c == 1 && d->output.c > 1) {
        // The scratch of the equivalent convolution and a transposed copy of the filter.
        struct rl_convolution c;
        rl_depthwise_as_convolution(d, &c);
        c.path = rl_convolution_path(&c);
        return rl_convolution_announced(&c, isa) + d->filter.h * d->filter.w * d->output.c;
    }
    return is_fast(d, isa) ? rl_depthwise_announced_fast(d, isa) : 0;
}

static int32_t block_bytes_dsp(const struct rl_depthwise *d)
{
    struct rl_plane_axes axes;
    struct rl_plane_block b;
    const int32_t planes = rl_plane_choose_axes(d, 0, &axes, &b) ? rl_plane_bytes(&axes, &b) : 0;
    if (d->multiplier == 1 || !rl_depthwise_suits_multiplied(d, false)) {
        return planes;
    }
    struct rl_convolution c;
    rl_depthwise_as_convolution(d, &c);
    c.path = RL_CONVOLUTION_TAPS_FIRST;
    c.filter_channels = 1;
    const int32_t bytes = rl_max_s32(planes, rl_convolution_scratch(&c, RL_ISA_DSP));
    if (!rl_depthwise_suits_shared(d)) {
        return bytes;
    }
    const struct rl_shared_plane plane = rl_shared_plane_of(d);
    return rl_max_s32(bytes, rl_shared_bytes(d, &plane));
}

int32_t rl_depthwise_scratch(const struct rl_depthwise *d, enum rl_isa isa)
{
    if (d->type == RL_DEPTHWISE_S16) {
        return 0;
    }
    const int32_t announced = rl_depthwise_announced(d, isa);
    if (d->type != RL_DEPTHWISE_S8 || isa == RL_ISA_SCALAR || isa == RL_ISA_MVE) {
        return announced;
    }
    const int32_t blocks = block_bytes_dsp(d);
    return isa == RL_ISA_DSP ? blocks : rl_max_s32(announced, blocks);
}
