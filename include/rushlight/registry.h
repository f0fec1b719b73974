// SPDX-License-Identifier: Apache-2.0
//
// Registries: the operators of a firmware. There is one object for each operator of rushlight/ops.def that a .pte can
// call: rl_kernel_cm_quantized_add, rl_kernel_aten_relu, ...
//
// A small firmware lists only the operators that its programs call, as `rushlight inspect` prints them, and the linker
// drops the others:
//     static const struct rl_kernel *const kernels[] = {&rl_kernel_cm_quantized_conv2d, ...};
//     static const struct rl_registry registry = {.kernels = kernels, .count = sizeof kernels / sizeof kernels[0]};
#ifndef RUSHLIGHT_REGISTRY_H
#define RUSHLIGHT_REGISTRY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rl_kernel; // rushlight/operator.h

// Support for programs that do more than call operators that write tensors: that jump, move and compute values, have
// tensors with initial values or in another file, or change the shapes of tensors.
struct rl_control_flow;
extern const struct rl_control_flow rl_control_flow_all;

struct rl_registry {
    const struct rl_kernel *const *kernels;
    uint32_t count;
    const struct rl_control_flow *flow; // &rl_control_flow_all, or NULL for programs that only write tensors
};

// Every operator that the runtime has, and flow: 250 KB of flash.
extern const struct rl_registry rl_registry_all;

// rl_kernel_wide_aten_relu and its like are the same operators, which also take float64 tensors. They need twice the
// code and the arithmetic of doubles.
#define RL_OP(id, name, overload, out_overload, arguments, results, traits)                                            \
    extern const struct rl_kernel rl_kernel_##id;
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)
#define RL_OP_WIDE(id, name, overload, out_overload, arguments, results, traits)                                       \
    extern const struct rl_kernel rl_kernel_##id, rl_kernel_wide_##id;
#include "rushlight/ops.def"
#undef RL_OP

#ifdef __cplusplus
}
#endif

#endif
