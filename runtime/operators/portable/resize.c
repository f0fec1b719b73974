// SPDX-License-Identifier: Apache-2.0
//
// aten::upsample_nearest2d by whole factors, of any element type.
#include "runtime/operators/portable/walk.h"

enum { INPUT, OUTPUT_SIZE, SCALE_FACTORS, OUTPUT };

// Copies the input to every `factor`-th element of the output, once for each place inside the enlarged pixel.
enum rl_status rl_run_aten_upsample_nearest2d_vec(struct rl_call *call)
{
    struct rl_tensor input, output;
    uint32_t strides[2][RL_TENSOR_MAX_RANK];
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, OUTPUT, &output);
    rl_expect(call, input.dtype == output.dtype, OUTPUT, "input and output differ in element type");
    rl_expect(call, input.rank == 4 && output.rank == 4, INPUT, "only four dimensions are supported");
    rl_expect_apart(call, OUTPUT, &output, &input);
    if (call->status != RL_OK || input.bytes == 0)
        return call->status;
    const int32_t *from = input.sizes, *to = output.sizes;
    rl_expect(call, from[0] == to[0] && from[1] == to[1], OUTPUT,
              "input and output differ in batch or channels");
    rl_expect(call, to[2] % from[2] == 0 && to[3] % from[3] == 0, OUTPUT, "only whole factors are supported");
    if (call->status != RL_OK)
        return call->status;
    uint32_t factor_y = (uint32_t)(to[2] / from[2]), factor_x = (uint32_t)(to[3] / from[3]);
    size_t size = rl_scalar_size(output.dtype);
    rl_tensor_element_strides(&output, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    uint32_t row = strides[0][2], column = strides[0][3];
    strides[0][2] *= factor_y;
    strides[0][3] *= factor_x;
    for (uint32_t y = 0; y < factor_y; y++)
        for (uint32_t x = 0; x < factor_x; x++)
            rl_walk_copy(&input, (uint8_t *)output.data + (y * row + x * column) * size, input.data,
                         (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
    return RL_OK;
}
