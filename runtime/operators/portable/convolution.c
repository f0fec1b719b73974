// SPDX-License-Identifier: Apache-2.0
//
// aten::convolution: one or two spatial dimensions, stride, padding, dilation, groups, transposed or not. Any layout.
// Plain convolutions of floats have loops of their own (convolution.h).
#include <stddef.h>

#include "ops/sizes.h"
#include "runtime/operators/portable/convolution.h"
#include "runtime/operators/portable/dot.h"
#include "runtime/operators/portable/shape.h"
#include "runtime/operators/portable/walk.h"

enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS, OUTPUT };
enum { MAX_WINDOW = 32767 };

// ---- every other convolution: of any type, and transposed ones, where each input element spreads over a
// window of the output

// The input position that contributes to output position `at` through tap `tap`; -1 if there is none.
static int32_t source_of(bool transposed, int32_t at, int32_t tap, int32_t stride, int32_t padding, int32_t dilation,
                         int32_t size)
{
    int32_t place;
    if (transposed) {
        const int32_t distance = at + padding - tap * dilation;
        place = distance % stride == 0 ? distance / stride : -1;
    } else {
        place = at * stride - padding + tap * dilation;
    }
    return place >= 0 && place < size ? place : -1;
}

// Order of the sum: bias, then kernel rows, kernel columns, input channels.
static union rl_number number_at(const struct rl_convolution *c, int32_t batch, int32_t channel, int32_t y, int32_t x,
                                 bool real)
{
    const int32_t group = channel / c->group_outputs, first = group * c->depth;
    const ptrdiff_t kernel =
        c->transposed ? first * c->tap.batch + channel % c->group_outputs * c->tap.channel : channel * c->tap.batch;
    union rl_number sum = c->bias.data ? rl_load_one(&c->bias, (size_t)channel, real) : rl_zero(real);
    for (int32_t ky = 0; ky < c->height; ky++) {
        const int32_t row = source_of(c->transposed, y, ky, c->stride_y, c->padding_y, c->dilation_y, c->in_height);
        for (int32_t kx = 0; row >= 0 && kx < c->width; kx++) {
            const int32_t column =
                source_of(c->transposed, x, kx, c->stride_x, c->padding_x, c->dilation_x, c->in_width);
            if (column < 0) {
                continue;
            }
            const ptrdiff_t from =
                batch * c->in.batch + first * c->in.channel + row * c->in.row + column * c->in.column;
            const ptrdiff_t tap = kernel + ky * c->tap.row + kx * c->tap.column;
            const struct rl_vector pixels = {&c->input, (size_t)from, (size_t)c->in.channel},
                                   taps = {&c->weight, (size_t)tap,
                                           (size_t)(c->transposed ? c->tap.batch : c->tap.channel)};
            sum = rl_dot_numbers(sum, &pixels, &taps, real, (uint32_t)c->depth);
        }
    }
    return sum;
}

static void run_numbers(const struct rl_convolution *c)
{
    const bool real = rl_is_real(c->output.dtype);
    for (int32_t batch = 0; batch < c->batches; batch++) {
        for (int32_t channel = 0; channel < c->channels; channel++) {
            for (int32_t y = 0; y < c->out_height; y++) {
                for (int32_t x = 0; x < c->out_width; x++) {
                    const union rl_number number = number_at(c, batch, channel, y, x, real);
                    const ptrdiff_t to =
                        batch * c->out.batch + channel * c->out.channel + y * c->out.row + x * c->out.column;
                    rl_store(&c->output, (size_t)to, 0, real, &number, 1);
                }
            }
        }
    }
}

// ---- arguments

static struct rl_strides find_strides(const struct rl_tensor *tensor)
{
    uint32_t all[RL_TENSOR_MAX_RANK];
    rl_tensor_element_strides(tensor, all);
    bool rows = tensor->rank == 4;
    return (struct rl_strides){.batch = (ptrdiff_t)all[0],
                               .channel = (ptrdiff_t)all[1],
                               .row = rows ? (ptrdiff_t)all[2] : 0,
                               .column = (ptrdiff_t)all[tensor->rank - 1]};
}

static int32_t height_of(const struct rl_tensor *tensor)
{
    return tensor->rank == 4 ? tensor->sizes[2] : 1;
}

// Reads stride, padding or dilation: as many items as spatial dimensions, or one for all of them.
static void read_window(struct rl_call *call, uint32_t argument, uint32_t spatial, int32_t lowest, int32_t neutral,
                        int32_t *along_y, int32_t *along_x)
{
    int32_t items[2];
    uint32_t count = rl_call_ints(call, argument, items, 2);
    rl_expect(call, count == 1 || count == spatial, argument, "a list has another number of items than dimensions");
    for (uint32_t i = 0; i < count; i++) {
        rl_expect(call, items[i] >= lowest && items[i] <= MAX_WINDOW, argument, "an item of a list is out of range");
    }
    *along_x = count == 2 ? items[1] : items[0];
    *along_y = spatial == 2 ? items[0] : neutral;
}

// The output's size along one dimension; -1 if there is none. Positions in the input, or in a transposed output, must
// fit 32 bits with the padding.
static int32_t size_of_output(bool transposed, int32_t input, const struct rl_window *window, int32_t more)
{
    if (window->kernel < 1 || window->kernel > MAX_WINDOW) {
        return -1;
    }
    if (!transposed) {
        const bool is_moderate = input <= INT32_MAX - 2 * window->padding;
        return is_moderate ? rl_size(rl_count_windows((uint32_t)input, window)) : -1;
    }
    const int64_t size = rl_transposed_size(input, window, more);
    return input > 0 && size < INT32_MAX / 2 ? rl_size(size) : -1;
}

static void read_shapes(struct rl_call *call, struct rl_convolution *c)
{
    const struct rl_tensor *input = &c->input, *weight = &c->weight, *output = &c->output;
    int32_t groups = rl_bounded_int(call, GROUPS, 1, INT32_MAX);
    rl_expect_by(call, RL_BY_TYPES, input->rank == 3 || input->rank == 4, INPUT,
                 "only one or two spatial dimensions are supported");
    rl_expect_numbers(call, INPUT, input);
    rl_expect_type(call, WEIGHT, weight, input->dtype, input->rank);
    rl_expect_type(call, OUTPUT, output, input->dtype, input->rank);
    if (call->status != RL_OK) {
        return;
    }
    uint32_t last = input->rank - 1u;
    c->batches = input->sizes[0];
    c->in_height = height_of(input);
    c->in_width = input->sizes[last];
    c->channels = c->transposed ? rl_size((int64_t)weight->sizes[1] * groups) : weight->sizes[0];
    c->height = height_of(weight);
    c->width = weight->sizes[last];
    // Transposed weights have the input channels first, then the output channels of a group.
    c->depth = c->transposed ? weight->sizes[0] / groups : weight->sizes[1];
    c->group_outputs = c->channels / groups;
    rl_expect(call, (int64_t)c->depth * groups == input->sizes[1], WEIGHT,
              "the weights have another number of input channels");
    rl_expect(call, c->channels >= 0 && c->channels % groups == 0, WEIGHT,
              "the groups do not divide the output channels");
    rl_expect(call, !c->transposed || weight->sizes[0] == input->sizes[1], WEIGHT,
              "the weights have another number of input channels");
}

// Gives the output the shape that follows from input, weights, stride and padding.
static void resize_output(struct rl_call *call, struct rl_convolution *c)
{
    const struct rl_window rows = {c->height, c->stride_y, c->padding_y, c->dilation_y};
    const struct rl_window columns = {c->width, c->stride_x, c->padding_x, c->dilation_x};
    c->out_height = size_of_output(c->transposed, c->in_height, &rows, c->more_y);
    c->out_width = size_of_output(c->transposed, c->in_width, &columns, c->more_x);
    struct rl_shape shape = {.sizes = {c->batches, c->channels, c->out_height, c->out_width}, .rank = 4};
    rl_expect(call, c->out_height >= 0 && c->out_width >= 0, WEIGHT, "the weights do not fit the input");
    if (c->input.rank == 3) {
        rl_shape_remove(&shape, 2);
    }
    rl_resize(call, OUTPUT, &c->output, &shape);
    if (c->depth == 0) { // the taps hold nothing, however many there are
        c->height = c->width = 0;
    }
}

static void read_convolution(struct rl_call *call, struct rl_convolution *c)
{
    rl_call_tensor(call, INPUT, &c->input);
    rl_call_tensor(call, WEIGHT, &c->weight);
    rl_call_output(call, OUTPUT, &c->output);
    c->transposed = rl_call_bool(call, TRANSPOSED);
    read_shapes(call, c);
    if (call->status != RL_OK) {
        return;
    }
    uint32_t spatial = c->input.rank - 2u;
    read_window(call, STRIDE, spatial, 1, 1, &c->stride_y, &c->stride_x);
    read_window(call, PADDING, spatial, 0, 0, &c->padding_y, &c->padding_x);
    read_window(call, DILATION, spatial, 1, 1, &c->dilation_y, &c->dilation_x);
    if (call->status != RL_OK) {
        return;
    }
    if (c->transposed) {
        read_window(call, OUTPUT_PADDING, spatial, 0, 0, &c->more_y, &c->more_x);
    }
    resize_output(call, c);
    if (rl_call_optional_tensor(call, BIAS, &c->bias)) {
        rl_expect_type(call, BIAS, &c->bias, c->output.dtype, 1);
        rl_expect(call, rl_tensor_count(&c->bias) == (uint32_t)c->channels, BIAS,
                  "the bias has another number of channels");
    }
    rl_expect_disjoint(call, OUTPUT, &c->output, &c->input);
    rl_expect_disjoint(call, OUTPUT, &c->output, &c->weight);
    c->in = find_strides(&c->input);
    c->tap = find_strides(&c->weight);
    c->out = find_strides(&c->output);
}

enum rl_status RL_RUN(aten_convolution)(struct rl_call *call)
{
    struct rl_convolution c = {0};
    read_convolution(call, &c);
    if (!rl_call_ready(call) || c.output.bytes == 0) {
        return call->status;
    }
    if (c.transposed || c.output.dtype != RL_REAL) {
        run_numbers(&c);
    } else {
        rl_convolve_floats(&c);
    }
    return call->status;
}
