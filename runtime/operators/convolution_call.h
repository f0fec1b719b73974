// SPDX-License-Identifier: Apache-2.0
//
// The common part of calls of cortex_m::quantized_conv2d, quantized_depthwise_conv2d and
// rushlight::quantized_conv2d_s16. All have input, weights, bias, stride, padding and dilation. Then the depthwise one
// has its multiplier, and then all have the rest.
#ifndef RL_RUNTIME_OPERATORS_CONVOLUTION_CALL_H
#define RL_RUNTIME_OPERATORS_CONVOLUTION_CALL_H

#include "runtime/operators/layer.h"
#include "rushlight/kernels/convolution.h"
#include "rushlight/kernels/depthwise.h"

enum { RL_CONVOLUTION_INPUT, RL_CONVOLUTION_WEIGHT, RL_CONVOLUTION_BIAS };

// Places of arguments in the rest, counted from its first one.
enum {
    RL_CONVOLUTION_INPUT_OFFSET,
    RL_CONVOLUTION_OUTPUT_OFFSET,
    RL_CONVOLUTION_MULTIPLIERS,
    RL_CONVOLUTION_SHIFTS,
    RL_CONVOLUTION_MIN,
    RL_CONVOLUTION_MAX,
    RL_CONVOLUTION_SCRATCH,
    RL_CONVOLUTION_OUTPUT,
};

struct rl_convolution_call {
    struct rl_tensor input, weights, output;
    struct rl_image filter; // sizes of the weights as they lie in memory: O, H, W, I (depthwise: 1, H, W, O)
};

// Reads all of them but the scratch, for int8 data; the groups are not set. `rest` is the first argument of the rest.
// Check the call's status afterwards: of a call that is refused only part is read.
void rl_read_convolution(struct rl_call *call, uint32_t rest, const uint8_t *order, struct rl_convolution_call *c,
                         struct rl_convolution *layer);

// The part of that for any type of data: stride, padding and dilation, once the tensors and their sizes are read.
void rl_read_window(struct rl_call *call, uint32_t rest, const struct rl_convolution_call *c,
                    struct rl_convolution *layer);

// The rest but the scratch, and the bias, for int8 data.
void rl_read_convolution_numbers(struct rl_call *call, uint32_t rest, const struct rl_convolution_call *c,
                                 struct rl_convolution *layer);

// A call of a depthwise convolution that was read, of any type of data.
struct rl_depthwise_kept {
    union {
        struct rl_convolution read; // while the arguments are read
        struct rl_depthwise layer;
    };
    const void *input;
    void *output;
    struct rl_scratch scratch;
};

__extension__ _Static_assert(sizeof(struct rl_depthwise_kept) <= RL_KEPT_MOST, "more than requirements count with");

// Turns what was read into the layer and prepares it.
enum rl_status rl_prepare_depthwise(struct rl_depthwise_kept *kept, enum rl_depthwise_type type, int32_t multiplier);

// A call of a convolution that was read, of any type of data.
struct rl_convolution_kept {
    struct rl_convolution layer;
    const void *input;
    void *output;
    struct rl_scratch scratch;
};

__extension__ _Static_assert(sizeof(struct rl_convolution_kept) <= RL_KEPT_MOST, "more than requirements count with");

// The end of reading, once `kept` has its layer: the scratch and the data. NULL if the call is refused.
static inline const struct rl_convolution_kept *rl_keep_convolution(struct rl_call *call, uint32_t rest,
                                                                    const struct rl_convolution_call *read,
                                                                    struct rl_convolution_kept *kept)
{
    const int32_t least = kept->layer.least_scratch;
    rl_call_scratch(call, rest + RL_CONVOLUTION_SCRATCH, least, &read->input, &read->output, &kept->scratch);
    rl_call_spare(call, &kept->scratch);
    kept->input = read->input.data;
    kept->output = read->output.data;
    return rl_call_keep(call, kept, sizeof *kept);
}

#endif
