// SPDX-License-Identifier: Apache-2.0
//
// The functions of a program in C, for one core. The runtime calls functions that take every layer, and they choose
// their loops while it runs. Here the layers and the core are known, so that calls name functions with fewer loops: the
// linker leaves the others out. Which loops a layer takes is decided by the kernels alone.
//
// Where one call needs the function with all loops, the others of its family call it, too: its code is there anyway.
#include "compiler/c/record.h"
#include "rushlight/kernels.h"

static bool is_depthwise(const struct rl_c_call *call)
{
    return call->function == RL_C_rl_depthwise_run || call->function == RL_C_rl_depthwise_single_run;
}

// Whether a depthwise layer needs such loops.
static bool needs_loops(const struct rl_c_calls *calls, enum rl_isa isa, enum rl_depthwise_loops loops)
{
    for (int i = 0; i < calls->count; i++) {
        if (is_depthwise(&calls->items[i]) && rl_depthwise_loops(calls->items[i].layer, isa) == loops) {
            return true;
        }
    }
    return false;
}

// The loops of a layer. Those for windows also take points.
static enum rl_depthwise_loops loops_of(const struct rl_depthwise *layer, enum rl_isa isa, bool all_loops, bool windows)
{
    if (all_loops) {
        return RL_DEPTHWISE_ALL_LOOPS;
    }
    const enum rl_depthwise_loops loops = rl_depthwise_loops(layer, isa);
    return loops == RL_DEPTHWISE_POINTS && windows ? RL_DEPTHWISE_WINDOWS : loops;
}

static enum rl_c_function depthwise_function(const struct rl_depthwise *layer, enum rl_depthwise_loops loops)
{
    switch (loops) {
    case RL_DEPTHWISE_PLANES:
        return RL_C_rl_depthwise_planes_run;
    case RL_DEPTHWISE_POINTS:
        return RL_C_rl_depthwise_points_run;
    case RL_DEPTHWISE_WINDOWS:
        return RL_C_rl_depthwise_windows_run;
    case RL_DEPTHWISE_ALL_LOOPS:
        break;
    }
    return layer->multiplier == 1 ? RL_C_rl_depthwise_single_run : RL_C_rl_depthwise_run;
}

static void narrow_depthwise(struct rl_arena *arena, const struct rl_c_calls *calls, enum rl_isa isa)
{
    const bool all_loops = needs_loops(calls, isa, RL_DEPTHWISE_ALL_LOOPS);
    const bool windows = needs_loops(calls, isa, RL_DEPTHWISE_WINDOWS);
    for (int i = 0; i < calls->count; i++) {
        struct rl_c_call *call = &calls->items[i];
        if (is_depthwise(call)) {
            struct rl_depthwise *layer = rl_arena_copy(arena, call->layer, sizeof *layer);
            rl_depthwise_prepare_for(layer, isa); // the operator prepared it for the host
            call->layer = layer;
            call->function = depthwise_function(layer, loops_of(layer, isa, all_loops, windows));
        }
    }
}

static enum rl_c_function convolution_function(enum rl_convolution_loops loops)
{
    switch (loops) {
    case RL_CONVOLUTION_ALL_LOOPS:
        break;
    case RL_CONVOLUTION_BLOCKS:
        return RL_C_rl_convolution_blocks_run;
    case RL_CONVOLUTION_DENSE:
        return RL_C_rl_convolution_dense_run;
    case RL_CONVOLUTION_SHORT:
        return RL_C_rl_convolution_short_run;
    case RL_CONVOLUTION_WINDOWS:
        return RL_C_rl_convolution_windows_run;
    case RL_CONVOLUTION_COPIED:
        return RL_C_rl_convolution_copied_run;
    }
    return RL_C_rl_convolution_run;
}

// Whether a call brings the loops of all blocks.
static bool has_blocks(const struct rl_c_call *call, enum rl_isa isa)
{
    switch (call->function) {
    case RL_C_rl_convolution_run:
        return rl_convolution_loops(call->layer, isa) <= RL_CONVOLUTION_BLOCKS;
    case RL_C_rl_depthwise_run:
    case RL_C_rl_transpose_convolution_run:
        return true;
    default:
        return false;
    }
}

static void narrow_convolutions(const struct rl_c_calls *calls, enum rl_isa isa)
{
    bool blocks = false;
    for (int i = 0; i < calls->count; i++) {
        blocks = blocks || has_blocks(&calls->items[i], isa);
    }
    for (int i = 0; i < calls->count; i++) {
        struct rl_c_call *call = &calls->items[i];
        if (call->function == RL_C_rl_convolution_run) {
            const enum rl_convolution_loops loops = rl_convolution_loops(call->layer, isa);
            call->function =
                convolution_function(blocks && loops != RL_CONVOLUTION_ALL_LOOPS ? RL_CONVOLUTION_BLOCKS : loops);
        }
    }
}

static void narrow_prepacked(const struct rl_c_calls *calls)
{
    bool whole = true;
    for (int i = 0; i < calls->count; i++) {
        const struct rl_c_call *call = &calls->items[i];
        if (call->function == RL_C_rl_convolution_prepacked_run) {
            whole = whole && rl_convolution_is_whole(call->layer);
        }
    }
    for (int i = 0; i < calls->count && whole; i++) {
        if (calls->items[i].function == RL_C_rl_convolution_prepacked_run) {
            calls->items[i].function = RL_C_rl_convolution_prepacked_whole_run;
        }
    }
}

static void narrow_other(struct rl_c_call *call)
{
    switch (call->function) {
    case RL_C_rl_quantize_elements:
        call->function = call->wide ? RL_C_rl_quantize_s16 : RL_C_rl_quantize_s8;
        break;
    case RL_C_rl_dequantize_elements:
        call->function = call->wide ? RL_C_rl_dequantize_s16 : RL_C_rl_dequantize_s8;
        break;
    default:
        break;
    }
}

void rl_c_narrow(struct rl_arena *arena, const struct rl_c_calls *calls, enum rl_isa isa)
{
    narrow_depthwise(arena, calls, isa);
    narrow_convolutions(calls, isa);
    narrow_prepacked(calls);
    for (int i = 0; i < calls->count; i++) {
        narrow_other(&calls->items[i]);
    }
}
