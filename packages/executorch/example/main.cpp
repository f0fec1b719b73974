// SPDX-License-Identifier: Apache-2.0
// Runs the program for digits on ExecuTorch's runtime with Rushlight's operators, without allocating memory. Its
// operators are those that `rushlight inspect` lists.
#include <cstdio>
#include <cstring>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

#include "digits.h"
#include "rushlight_kernels.h"

using namespace executorch::runtime;

static const Kernel kernels[] = {
    rushlight::kernel<&rl_kernel_cm_quantize_per_tensor>(),
    rushlight::kernel<&rl_kernel_cm_quantized_conv2d>(),
    rushlight::kernel<&rl_kernel_cm_quantized_depthwise_conv2d>(),
    rushlight::kernel<&rl_kernel_cm_quantized_add>(),
    rushlight::kernel<&rl_kernel_cm_quantized_max_pool2d>(),
    rushlight::kernel<&rl_kernel_rl_quantized_avg_pool2d>(),
    rushlight::kernel<&rl_kernel_cm_quantized_linear>(),
    rushlight::kernel<&rl_kernel_rl_quantized_linear_s16>(),
    rushlight::kernel<&rl_kernel_cm_dequantize_per_tensor>(),
};

alignas(16) static uint8_t method_memory[32 * 1024], arena[8 * 1024], temporary[1024];

static int fail(const char *step, Error error)
{
    std::printf("%s: error %d\n", step, static_cast<int>(error));
    return 1;
}

int main()
{
    float image[DIGITS_PIXELS], scores[DIGITS_CLASSES];
    char line[48];
    runtime_init();
    if (register_kernels({kernels, sizeof kernels / sizeof kernels[0]}) != Error::Ok) {
        return fail("register_kernels", Error::Internal);
    }
    executorch::extension::BufferDataLoader loader(digits_model, digits_model_bytes);
    Result<Program> program = Program::load(&loader);
    if (!program.ok()) {
        return fail("Program::load", program.error());
    }
    MemoryAllocator method_allocator(sizeof method_memory, method_memory),
        temporary_allocator(sizeof temporary, temporary);
    Span<uint8_t> spans[] = {{arena, sizeof arena}};
    HierarchicalAllocator planned({spans, 1});
    MemoryManager memory(&method_allocator, &planned, &temporary_allocator);
    Result<Method> method = program->load_method("forward", &memory);
    if (!method.ok()) {
        return fail("load_method", method.error());
    }
    digits_draw(image);
    executorch::aten::SizesType sizes[] = {1, 1, 8, 8};
    executorch::aten::DimOrderType order[] = {0, 1, 2, 3};
    executorch::aten::TensorImpl picture(executorch::aten::ScalarType::Float, 4, sizes, image, order);
    Error error = method->set_input(executorch::aten::Tensor(&picture), 0);
    if (error != Error::Ok) {
        return fail("set_input", error);
    }
    error = method->execute();
    if (error != Error::Ok) {
        return fail("execute", error);
    }
    std::memcpy(scores, method->get_output(0).toTensor().const_data_ptr(), sizeof scores);
    for (int i = 0; i < DIGITS_CLASSES; i++) {
        digits_line(line, i, scores[i]);
        std::printf("%s\n", line);
    }
    return 0;
}
