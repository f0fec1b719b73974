// SPDX-License-Identifier: Apache-2.0
//
// Rushlight's operators as kernels of ExecuTorch's runtime. A firmware lists those that its programs call, as
// `rushlight inspect` prints them, and registers them once, before a method is loaded:
//
//     static const executorch::runtime::Kernel kernels[] = {
//         rushlight::kernel<&rl_kernel_cm_quantized_conv2d>(),
//         rushlight::kernel<&rl_kernel_rl_quantized_linear_s16>(),
//     };
//     executorch::runtime::register_kernels({kernels, 2});
//
// Names must not be registered twice: leave ExecuTorch's kernels of the same names out of the link. The registry of
// ExecuTorch has room for MAX_KERNEL_NUM kernels.
#ifndef RUSHLIGHT_EXECUTORCH_KERNELS_H
#define RUSHLIGHT_EXECUTORCH_KERNELS_H

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include "rushlight/operator.h"
#include "rushlight/registry.h"

namespace rushlight
{

// Runs one call. What the operator refuses becomes an error of the context, and a line in ExecuTorch's log.
void run(const rl_kernel &kernel, executorch::runtime::KernelRuntimeContext &context,
         executorch::runtime::Span<executorch::runtime::EValue *> arguments);

template <const rl_kernel *K>
void run_kernel(executorch::runtime::KernelRuntimeContext &context,
                executorch::runtime::Span<executorch::runtime::EValue *> arguments)
{
    run(*K, context, arguments);
}

// The name under which ExecuTorch looks for an operator: without the dot of an empty overload.
const char *name_of(const rl_kernel &kernel);

template <const rl_kernel *K> executorch::runtime::Kernel kernel()
{
    return executorch::runtime::Kernel(name_of(*K), run_kernel<K>);
}

} // namespace rushlight

#endif
