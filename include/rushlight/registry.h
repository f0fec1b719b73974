// SPDX-License-Identifier: Apache-2.0
//
// Registries: which operators a firmware has. The object of each operator, one per line of rushlight/ops.def that can
// stand in a .pte, is called rl_kernel_cm_quantized_add, rl_kernel_aten_relu, ...
//
// A firmware that wants to be small lists only what its programs call, as `rushlight inspect` prints it, and the linker
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

// What programs may do beside calling operators that write tensors: jump, move and compute values, start tensors with a
// value, keep tensors in another file, change the shapes of tensors.
struct rl_control_flow;
extern const struct rl_control_flow rl_control_flow_all;

struct rl_registry {
    const struct rl_kernel *const *kernels;
    uint32_t count;
    const struct rl_control_flow *flow; // &rl_control_flow_all, or NULL for programs that only write tensors
};

// Every operator that the runtime has, and flow: 250 KB of flash.
extern const struct rl_registry rl_registry_all;

// rl_kernel_wide_aten_relu and its like are the same operators for tensors of float64, too: twice the code, and the
// arithmetic of doubles.
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
