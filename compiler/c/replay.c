// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/record.h"
#include "rushlight/kernels.h"

static void call_operator(const struct rl_c_call *c)
{
    struct rl_call call = c->call;
    for (uint32_t i = 0; i < rl_registry_all.count; i++) {
        if (rl_registry_all.kernels[i]->name == call.kernel->name) {
            rl_registry_all.kernels[i]->run(&call);
        }
    }
}

static void make_call(const struct rl_c_call *c)
{
    switch (c->function) {
#define RL_C_UNARY(name, layer_type, from_type, to_type)                                                               \
    case RL_C_##name:                                                                                                  \
        name(c->layer, c->from[0], c->to);                                                                             \
        break;
#define RL_C_UNARY_SCRATCH(name, layer_type, from_type, to_type)                                                       \
    case RL_C_##name:                                                                                                  \
        name(c->layer, c->from[0], c->to, c->scratch[0]);                                                              \
        break;
#define RL_C_BINARY(name, layer_type, from_type, to_type)                                                              \
    case RL_C_##name:                                                                                                  \
        name(c->layer, c->from[0], c->from[1], c->to);                                                                 \
        break;
#define RL_C_BINARY_SCRATCH(name, layer_type, from_type, to_type)                                                      \
    case RL_C_##name:                                                                                                  \
        name(c->layer, c->from[0], c->from[1], c->to, c->scratch[0]);                                                  \
        break;
#define RL_C_OTHER(name, layer_type)
#include "compiler/c/functions.def"
    case RL_C_rl_transpose_convolution_run:
        rl_transpose_convolution_run(c->layer, c->from[0], c->to, c->scratch[0], c->scratch[1]);
        break;
    case RL_C_rl_recurrent_run:
        rl_recurrent_run(c->layer, &c->state, c->from[0], c->to, c->scratch[0]);
        break;
    case RL_C_rl_quantize_elements:
        rl_quantize_elements(c->from[0], c->count, c->layer, c->wide, c->to);
        break;
    case RL_C_rl_dequantize_elements:
        rl_dequantize_elements(c->from[0], c->wide, c->count, c->layer, c->to);
        break;
    case RL_C_rl_quantize_s8:
        rl_quantize_s8(c->from[0], c->count, c->layer, c->to);
        break;
    case RL_C_rl_quantize_s16:
        rl_quantize_s16(c->from[0], c->count, c->layer, c->to);
        break;
    case RL_C_rl_dequantize_s8:
        rl_dequantize_s8(c->from[0], c->count, c->layer, c->to);
        break;
    case RL_C_rl_dequantize_s16:
        rl_dequantize_s16(c->from[0], c->count, c->layer, c->to);
        break;
    case RL_C_rl_direct_call:
        call_operator(c);
        break;
    case RL_C_FUNCTIONS:
        break;
    }
}

void rl_c_replay(const struct rl_c_calls *calls)
{
    for (int i = 0; i < calls->count; i++) {
        make_call(&calls->items[i]);
    }
}
