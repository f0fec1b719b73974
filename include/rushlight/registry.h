// SPDX-License-Identifier: Apache-2.0
//
// The registry objects of all operators, one per line of rushlight/ops.def that can stand in a .pte:
// rl_kernel_cm_quantized_add, rl_kernel_aten_relu, ... A registry that names only some of them links only those;
// `rushlight inspect` prints which ones a program needs. rl_kernel_wide_aten_relu and its like are the same operators
// and take tensors of float64, too, for twice the code and the arithmetic of doubles.
#ifndef RUSHLIGHT_REGISTRY_H
#define RUSHLIGHT_REGISTRY_H

#include "rushlight/runtime.h"

#define RL_OP(id, name, overload, out_overload, arguments, results, traits)                                            \
    extern const struct rl_kernel rl_kernel_##id;
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)
#define RL_OP_WIDE(id, name, overload, out_overload, arguments, results, traits)                                       \
    extern const struct rl_kernel rl_kernel_##id, rl_kernel_wide_##id;
#include "rushlight/ops.def"
#undef RL_OP

#endif
