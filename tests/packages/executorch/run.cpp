// SPDX-License-Identifier: Apache-2.0
//
// run PROGRAM.pte INPUT.npy PREFIX: runs a program with one input on ExecuTorch's runtime, once for each sample, with
// all of our operators that ExecuTorch's library does not register itself. PREFIX.N gets the elements of output N of all
// samples in logical order.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

#include "rushlight/tensor.h"
#include "rushlight_kernels.h"

using namespace executorch::runtime;

static const Kernel kernels[] = {
#define RL_OP(id, name, overload, out_overload, arguments, results, traits) rushlight::kernel<&rl_kernel_##id>(),
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)
#define RL_OP_WIDE(id, name, overload, out_overload, arguments, results, traits)                                       \
    rushlight::kernel<&rl_kernel_wide_##id>(),
#include "rushlight/ops.def"
};

static std::vector<char> read(const char *path)
{
    std::ifstream file(path, std::ios::binary);
    return std::vector<char>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

static int fail(const char *step, Error error)
{
    std::printf("%s: error %d\n", step, static_cast<int>(error));
    return 1;
}

static void register_missing()
{
    for (const Kernel &kernel : kernels) {
        if (kernel.name_[std::strlen(kernel.name_) - 1] == '.') {
            std::printf("%s is not a name of ExecuTorch\n", kernel.name_);
        }
        if (!registry_has_op_function(kernel.name_)) {
            (void)register_kernels({&kernel, 1});
        }
    }
}

// The elements of a tensor in logical order, whatever its layout is.
static std::vector<char> elements(const executorch::aten::Tensor &tensor)
{
    rl_tensor view{};
    view.data = const_cast<void *>(tensor.const_data_ptr());
    view.sizes = tensor.sizes().data();
    view.dim_order = tensor.dim_order().data();
    view.rank = static_cast<uint8_t>(tensor.dim());
    view.dtype = static_cast<uint8_t>(tensor.scalar_type());
    view.bytes = static_cast<uint32_t>(tensor.nbytes());
    std::vector<char> result(tensor.nbytes());
    (void)rl_tensor_to_logical(&view, result.data(), result.size());
    return result;
}

static int run(Method &method, const std::vector<char> &samples, const std::string &prefix)
{
    const auto meta = method.method_meta().input_tensor_meta(0);
    std::vector<executorch::aten::SizesType> sizes(meta->sizes().begin(), meta->sizes().end());
    std::vector<executorch::aten::DimOrderType> order(sizes.size());
    for (size_t i = 0; i < order.size(); i++) {
        order[i] = static_cast<executorch::aten::DimOrderType>(i);
    }
    const size_t bytes = meta->nbytes();
    std::vector<std::ofstream> files;
    for (size_t i = 0; i < method.outputs_size(); i++) {
        files.emplace_back(prefix + "." + std::to_string(i), std::ios::binary);
    }
    for (size_t at = 0; at + bytes <= samples.size(); at += bytes) {
        std::vector<char> sample(samples.begin() + at, samples.begin() + at + bytes);
        executorch::aten::TensorImpl input(meta->scalar_type(), static_cast<ssize_t>(sizes.size()), sizes.data(),
                                           sample.data(), order.data());
        Error error = method.set_input(executorch::aten::Tensor(&input), 0);
        error = error == Error::Ok ? method.execute() : error;
        if (error != Error::Ok) {
            return fail("execute", error);
        }
        for (size_t i = 0; i < files.size(); i++) {
            const std::vector<char> output = elements(method.get_output(i).toTensor());
            files[i].write(output.data(), static_cast<std::streamsize>(output.size()));
        }
    }
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 4) {
        return 2;
    }
    runtime_init();
    register_missing();
    std::vector<char> file = read(arguments[1]), samples = read(arguments[2]);
    const size_t header = 10 + static_cast<uint8_t>(samples[8]) + 256 * static_cast<uint8_t>(samples[9]);
    samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(header));
    executorch::extension::BufferDataLoader loader(file.data(), file.size());
    Result<Program> program = Program::load(&loader);
    if (!program.ok()) {
        return fail("Program::load", program.error());
    }
    std::vector<std::vector<uint8_t>> buffers;
    std::vector<Span<uint8_t>> spans;
    const auto meta = program->method_meta("forward");
    for (size_t i = 0; i < meta->num_memory_planned_buffers(); i++) {
        buffers.emplace_back(static_cast<size_t>(*meta->memory_planned_buffer_size(i)));
        spans.push_back({buffers.back().data(), buffers.back().size()});
    }
    std::vector<uint8_t> pool(8 << 20), temporary(1 << 20);
    MemoryAllocator pool_allocator(static_cast<uint32_t>(pool.size()), pool.data());
    MemoryAllocator temporary_allocator(static_cast<uint32_t>(temporary.size()), temporary.data());
    HierarchicalAllocator planned({spans.data(), spans.size()});
    MemoryManager memory(&pool_allocator, &planned, &temporary_allocator);
    Result<Method> method = program->load_method("forward", &memory);
    return method.ok() ? run(*method, samples, arguments[3]) : fail("load_method", method.error());
}
