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

// The loops of all depthwise layers.
static enum rl_depthwise_loops common_loops(const struct rl_c_calls *calls, enum rl_isa isa)
{
    enum rl_depthwise_loops common = RL_DEPTHWISE_ALL_LOOPS;
    bool any = false;
    for (int i = 0; i < calls->count; i++) {
        if (!is_depthwise(&calls->items[i])) {
            continue;
        }
        const enum rl_depthwise_loops own = rl_depthwise_loops(calls->items[i].layer, isa);
        common = any && own != common ? RL_DEPTHWISE_ALL_LOOPS : own;
        if (common == RL_DEPTHWISE_ALL_LOOPS) {
            return common;
        }
        any = true;
    }
    return common;
}

static enum rl_c_function depthwise_function(const struct rl_depthwise *layer, enum rl_depthwise_loops loops)
{
    switch (loops) {
    case RL_DEPTHWISE_PLANES:
        return RL_C_rl_depthwise_planes_run;
    case RL_DEPTHWISE_WINDOWS:
        return RL_C_rl_depthwise_windows_run;
    case RL_DEPTHWISE_ALL_LOOPS:
        break;
    }
    return layer->multiplier == 1 ? RL_C_rl_depthwise_single_run : RL_C_rl_depthwise_run;
}

static void narrow_depthwise(struct rl_arena *arena, const struct rl_c_calls *calls, enum rl_isa isa)
{
    const enum rl_depthwise_loops loops = common_loops(calls, isa);
    for (int i = 0; i < calls->count; i++) {
        struct rl_c_call *call = &calls->items[i];
        if (is_depthwise(call)) {
            struct rl_depthwise *layer = rl_arena_copy(arena, call->layer, sizeof *layer);
            rl_depthwise_prepare_for(layer, isa); // the operator prepared it for the host
            call->layer = layer;
            call->function = depthwise_function(layer, loops);
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

static void narrow_other(struct rl_c_call *call, enum rl_isa isa)
{
    switch (call->function) {
    case RL_C_rl_convolution_run:
        if (rl_convolution_suits_blocks(call->layer, isa)) {
            call->function = RL_C_rl_convolution_blocks_run;
        }
        break;
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
    narrow_prepacked(calls);
    for (int i = 0; i < calls->count; i++) {
        narrow_other(&calls->items[i], isa);
    }
}
