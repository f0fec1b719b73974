// SPDX-License-Identifier: Apache-2.0
//
// aten::mean, sum and amax over some dimensions, in float.
#include "runtime/operators/portable/walk.h"

enum { INPUT, DIM, KEEPDIM };

// The dimensions to reduce, as bits.
static uint32_t read_dims(struct rl_call *call, uint32_t rank)
{
    int32_t dims[RL_TENSOR_MAX_RANK];
    uint32_t count = rl_call_ints(call, DIM, dims, RL_TENSOR_MAX_RANK), reduced = 0;
    for (uint32_t i = 0; i < count; i++) {
        int32_t dim = dims[i] < 0 ? dims[i] + (int32_t)rank : dims[i];
        rl_expect(call, dim >= 0 && dim < (int32_t)rank, DIM, "a dimension is out of range");
        reduced |= call->status == RL_OK ? 1u << dim : 0;
    }
    return count == 0 ? (1u << rank) - 1 : reduced; // none given: all of them
}

// Strides of the output along the dimensions of the input; 0 along reduced ones.
static void match_output(struct rl_call *call, const struct rl_tensor *input, const struct rl_tensor *output,
                         uint32_t output_argument, uint32_t reduced, bool keep,
                         uint32_t strides[RL_TENSOR_MAX_RANK])
{
    uint32_t own[RL_TENSOR_MAX_RANK], next = 0;
    bool fits = true;
    rl_tensor_element_strides(output, own);
    for (uint32_t i = 0; i < input->rank && fits; i++) {
        bool is_reduced = (reduced >> i & 1) != 0;
        strides[i] = 0;
        if (is_reduced && !keep)
            continue;
        fits = next < output->rank && output->sizes[next] == (is_reduced ? 1 : input->sizes[i]);
        strides[i] = fits && !is_reduced ? own[next] : 0;
        next++;
    }
    rl_expect(call, fits && next == output->rank, output_argument,
              "the output's shape is not the reduced one");
}

// A shape with only some of the dimensions of `tensor`, walked in logical order.
static struct rl_tensor select_dims(const struct rl_tensor *tensor, uint32_t selected,
                                    int32_t sizes[RL_TENSOR_MAX_RANK])
{
    struct rl_tensor shape = *tensor;
    for (uint32_t i = 0; i < tensor->rank; i++)
        sizes[i] = (selected >> i & 1) != 0 ? tensor->sizes[i] : 1;
    shape.sizes = sizes;
    shape.dim_order = rl_order_nchw;
    return shape;
}

// Sum over the reduced dimensions, added up in logical order whatever the layout.
static float sum_over(const struct rl_tensor *shape, const float *from,
                      const uint32_t strides[1][RL_TENSOR_MAX_RANK])
{
    struct rl_walk walk;
    float sum = 0;
    if (!rl_walk_start(&walk, shape, 1, strides))
        return 0;
    do {
        for (uint32_t i = 0; i < walk.count; i++)
            sum += from[walk.offset[0] + i * walk.step[0]];
    } while (rl_walk_next(&walk));
    return sum;
}

// Largest element; a NaN before all others. There is at least one.
static float largest_of(const struct rl_tensor *shape, const float *from,
                        const uint32_t strides[1][RL_TENSOR_MAX_RANK])
{
    struct rl_walk walk;
    float largest = from[0];
    if (!rl_walk_start(&walk, shape, 1, strides))
        return largest;
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            float number = from[walk.offset[0] + i * walk.step[0]];
            largest = number > largest || number != number ? number : largest;
        }
    } while (rl_walk_next(&walk));
    return largest;
}

typedef float reduce_function(const struct rl_tensor *shape, const float *from,
                              const uint32_t strides[1][RL_TENSOR_MAX_RANK]);

// Every output is `function` of the elements it stands for, divided by `divisor`.
static void reduce(const struct rl_tensor *input, const struct rl_tensor *output, uint32_t reduced,
                   const uint32_t strides[2][RL_TENSOR_MAX_RANK], reduce_function *function, float divisor)
{
    int32_t kept_sizes[RL_TENSOR_MAX_RANK], reduced_sizes[RL_TENSOR_MAX_RANK];
    struct rl_tensor kept = select_dims(input, ~reduced, kept_sizes);
    struct rl_tensor summed = select_dims(input, reduced, reduced_sizes);
    struct rl_walk walk;
    if (!rl_walk_start(&walk, &kept, 2, strides))
        return;
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            const float *from = (const float *)input->data + walk.offset[1] + i * walk.step[1];
            float *to = (float *)output->data + walk.offset[0] + i * walk.step[0];
            *to = function(&summed, from, strides + 1) / divisor;
        }
    } while (rl_walk_next(&walk));
}

static enum rl_status run_reduction(struct rl_call *call, uint32_t output_argument, reduce_function *function,
                                    bool is_mean)
{
    struct rl_tensor input, output;
    uint32_t strides[2][RL_TENSOR_MAX_RANK] = {{0}};
    rl_call_tensor(call, INPUT, &input);
    rl_call_output(call, output_argument, &output);
    rl_expect_type(call, INPUT, &input, RL_FLOAT32, -1);
    rl_expect_type(call, output_argument, &output, RL_FLOAT32, -1);
    bool keep = rl_call_bool(call, KEEPDIM);
    uint32_t reduced = read_dims(call, input.rank);
    if (call->status != RL_OK)
        return call->status;
    match_output(call, &input, &output, output_argument, reduced, keep, strides[0]);
    rl_tensor_element_strides(&input, strides[1]);
    rl_expect_apart(call, output_argument, &output, &input);
    rl_expect(call, function != largest_of || input.bytes > 0 || output.bytes == 0, INPUT,
              "there is no largest of no elements");
    uint32_t outputs = rl_tensor_count(&output);
    uint32_t elements = outputs > 0 ? rl_tensor_count(&input) / outputs : 0;
    if (call->status == RL_OK)
        reduce(&input, &output, reduced, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides, function,
               is_mean ? (float)elements : 1);
    return call->status;
}

enum { DTYPE_ARGUMENT = 3, OUTPUT_AFTER_DTYPE, OUTPUT_WITHOUT_DTYPE = 3 };

static void expect_float_dtype(struct rl_call *call)
{
    if (rl_call_kind(call, DTYPE_ARGUMENT) != RL_PTE_NULL)
        rl_bounded_int(call, DTYPE_ARGUMENT, RL_FLOAT32, RL_FLOAT32);
}

enum rl_status rl_run_aten_mean(struct rl_call *call)
{
    expect_float_dtype(call);
    return run_reduction(call, OUTPUT_AFTER_DTYPE, sum_over, true);
}

enum rl_status rl_run_aten_sum_dim_intlist(struct rl_call *call)
{
    expect_float_dtype(call);
    return run_reduction(call, OUTPUT_AFTER_DTYPE, sum_over, false);
}

enum rl_status rl_run_aten_amax(struct rl_call *call)
{
    return run_reduction(call, OUTPUT_WITHOUT_DTYPE, largest_of, false);
}
