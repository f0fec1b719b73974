// SPDX-License-Identifier: Apache-2.0
#include "depthwise/depthwise.h"

#include "depthwise/choice.h"
#include "depthwise/multiplied.h"
#include "depthwise/planes.h"
#include "depthwise/window.h"
#include "isa.h"
#include "scratch.h"

#include RL_HOST_LOOP(depthwise)
#include RL_TILE(depthwise_s8_tile.h)
#include RL_TILE(pairs_nest.h)
#include RL_TILE(shared_nest.h)

// A layer that a compiler prepared for fast code may run in small code, which has no loops for windows.
// The choice that a compiler makes for cores without DSP instructions is that of a Cortex-M0; a Cortex-M3 makes its own
// in each run, in a function that leaves nothing on the stack of the layer.
enum {
    HAS_WINDOWS = RL_HAS_MVE || !RL_SMALL,
    CHOOSES_LATE = RL_ISA_HERE == RL_ISA_SCALAR && RL_HAS_THUMB2_LOOP && !RL_SMALL,
};

static __attribute__((noinline)) bool choose_windows(const struct rl_depthwise *d)
{
    return rl_depthwise_by_windows(d, RL_ISA_HERE, RL_HAS_THUMB2_LOOP, RL_SMALL);
}

static inline bool is_by_windows(const struct rl_depthwise *d)
{
    return CHOOSES_LATE ? choose_windows(d) : HAS_WINDOWS && d->by_windows;
}

enum rl_status rl_depthwise_prepare(struct rl_depthwise *layer)
{
    if (layer->output.c != layer->input.c * layer->multiplier) {
        return RL_ERROR_ARGUMENT;
    }
    layer->by_windows = !CHOOSES_LATE && layer->type != RL_DEPTHWISE_S16 &&
                        rl_depthwise_by_windows(layer, RL_ISA_HERE, RL_HAS_THUMB2_LOOP, RL_SMALL);
    return RL_OK;
}

void rl_depthwise_run_channels(const struct rl_depthwise *d, int32_t first, int32_t end, const int8_t *input,
                               int8_t *output)
{
    if (rl_depthwise_run_vectors(d, first, end, input, output)) {
        return;
    }
    if (RL_SMALL) {
        rl_depthwise_run_one_by_one(d, first, end, input, output);
    } else if (d->output.c > RL_DEPTHWISE_NARROW || end - first < d->output.c ||
               !rl_depthwise_run_narrow(d, input, output)) {
        rl_depthwise_run_windows(d, first, end, input, output);
    }
}

// A layer that is not run as a convolution.
static void run_channels_apart(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                               struct rl_scratch scratch)
{
    if (rl_pairs_layer(layer, input, output)) {
        return;
    }
    if (is_by_windows(layer) ||
        !rl_depthwise_run_planes(layer, input, output, rl_scratch_rest(scratch, 0), rl_depthwise_run_channels)) {
        rl_depthwise_run_channels(layer, 0, layer->output.c, input, output);
    }
}

// Not inlined, because the deepest stack of some networks is that of a layer that runs as a convolution.
static __attribute__((noinline)) bool runs_as_convolution(const struct rl_depthwise *layer)
{
    if ((!CHOOSES_LATE && is_by_windows(layer)) || !rl_depthwise_suits_multiplied(layer, RL_HAS_MVE) ||
        (CHOOSES_LATE && is_by_windows(layer))) {
        return false;
    }
    if (RL_HAS_MVE) {
        return RL_SMALL || !rl_depthwise_shares_planes_mve(layer);
    }
    if (!RL_HAS_DSP) {
        return RL_SMALL || !rl_depthwise_shares_planes_scalar(layer, RL_HAS_THUMB2_LOOP);
    }
    return RL_SMALL || !rl_depthwise_shares_planes(layer);
}

void rl_depthwise_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output, struct rl_scratch scratch)
{
    if (rl_host_depthwise(layer, input, output) || rl_shared_layer(layer, input, output, scratch)) {
        return;
    }
    if (runs_as_convolution(layer)) {
        rl_depthwise_run_multiplied(layer, input, output, scratch);
        return;
    }
    run_channels_apart(layer, input, output, scratch);
}

void rl_depthwise_single_run(const struct rl_depthwise *layer, const int8_t *input, int8_t *output,
                             struct rl_scratch scratch)
{
    if (!rl_host_depthwise(layer, input, output)) {
        run_channels_apart(layer, input, output, scratch);
    }
}
