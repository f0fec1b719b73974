// SPDX-License-Identifier: Apache-2.0
//
// aten::upsample_nearest2d, upsample_bilinear2d and _upsample_bilinear2d_aa. Places of output pixels in the input
// follow PyTorch's rules (area_pixel_compute_source_index), in float as there.
#include <math.h>

#include "runtime/operators/portable/mapped.h"
#include "runtime/operators/portable/number.h"

// Input pixels for each output pixel, along rows and columns.
struct scales {
    rl_real along[2];
    const int32_t *sizes; // of the input, from rows on
    bool align_corners;
};

// Reads two positive factors in a list, or None.
static void read_factors(struct rl_call *call, uint32_t argument, double factors[2])
{
    uint32_t count = rl_call_doubles(call, argument, factors, 2);
    rl_expect(call, count == 0 || (count == 2 && factors[0] > 0 && factors[1] > 0), argument,
              "not one positive factor for each of two dimensions");
}

// Reads rows and columns of the output from a list or, if that is None, computes them from the input's and the factors.
static void read_sizes(struct rl_call *call, uint32_t argument, const double factors[2], struct rl_shape *shape)
{
    if (rl_call_kind(call, argument) != RL_PTE_NULL) {
        rl_bounded_ints(call, argument, shape->sizes + 2, 2, 0, INT32_MAX);
        return;
    }
    rl_expect(call, factors[0] > 0 && factors[1] > 0, argument, "neither sizes nor factors are given");
    for (uint32_t i = 2; i < 4; i++) {
        const double size = factors[i - 2] * shape->sizes[i];
        shape->sizes[i] = size < INT32_MAX ? (int32_t)size : -1;
    }
}

static bool read_images(struct rl_call *call, uint32_t size_argument, const double factors[2], uint32_t output_argument,
                        struct rl_tensor *input, struct rl_tensor *output)
{
    rl_call_tensor(call, 0, input);
    rl_expect_by(call, RL_BY_TYPES, input->rank == 4, 0, "only four dimensions are supported");
    struct rl_shape shape = rl_shape_of(input);
    if (call->status == RL_OK) {
        read_sizes(call, size_argument, factors, &shape);
    }
    return call->status == RL_OK && rl_read_mapped(call, output_argument, input, output, &shape);
}

// Where there is no factor, the scales follow from the sizes.
static struct scales find_scales(const struct rl_tensor *input, const struct rl_tensor *output, const double factors[2],
                                 bool align_corners)
{
    struct scales scales = {.sizes = input->sizes + 2, .align_corners = align_corners};
    for (uint32_t i = 0; i < 2; i++) {
        int32_t from = input->sizes[2 + i], to = output->sizes[2 + i];
        if (align_corners) {
            scales.along[i] = to > 1 ? (rl_real)(from - 1) / (rl_real)(to - 1) : 0;
        } else {
            scales.along[i] = factors[i] > 0 ? (rl_real)(1 / factors[i]) : (rl_real)from / (rl_real)to;
        }
    }
    return scales;
}

// The output must be as large as the factors make it.
static void expect_factors(struct rl_call *call, uint32_t argument, const struct rl_tensor *input,
                           const struct rl_tensor *output, const double factors[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        double size = factors[i] * input->sizes[2 + i];
        int32_t found = output->sizes[2 + i];
        rl_expect(call, factors[i] == 0 || (size >= found && size < (double)found + 1), argument,
                  "the output's shape does not follow from the factors");
    }
}

// ---- nearest

static uint32_t nearest(const void *rule, uint32_t dim, uint32_t at)
{
    const struct scales *s = rule;
    if (dim < 2) {
        return at;
    }
    const rl_real place = (rl_real)at * s->along[dim - 2]; // at least 0, so the conversion rounds down
    const uint32_t last = (uint32_t)s->sizes[dim - 2] - 1;
    return place < (rl_real)last ? (uint32_t)place : last;
}

enum rl_status RL_RUN(aten_upsample_nearest2d_vec)(struct rl_call *call)
{
    enum { INPUT, OUTPUT_SIZE, FACTORS, OUTPUT };
    struct rl_tensor input, output;
    double factors[2] = {0, 0};
    read_factors(call, FACTORS, factors);
    if (!read_images(call, OUTPUT_SIZE, factors, OUTPUT, &input, &output)) {
        return call->status;
    }
    expect_factors(call, FACTORS, &input, &output, factors);
    const struct scales scales = find_scales(&input, &output, factors, false);
    if (rl_call_ready(call)) {
        rl_copy_mapped(&output, &input, nearest, &scales);
    }
    return call->status;
}

// ---- weighted means of input pixels, first along rows, then along columns

// Neighbouring input pixels and their weights: those of the first and the last one or, for a filter, those by distance.
struct window {
    int32_t first, count;
    rl_real center, support, total; // of a filter
    rl_real weight;                 // of the last of two
};

static struct window find_pair(const struct scales *s, uint32_t axis, int32_t at)
{
    rl_real scale = s->along[axis];
    rl_real place = s->align_corners ? (rl_real)at * scale : ((rl_real)at + 0.5f) * scale - 0.5f;
    const int32_t last = s->sizes[axis] - 1;
    place = place > 0 ? place : 0;
    place = place < (rl_real)last ? place : (rl_real)last;
    int32_t first = (int32_t)place < last ? (int32_t)place : last; // as a float, `last` may be rounded up
    return (struct window){.first = first, .count = first < last ? 2 : 1, .weight = place - (rl_real)first};
}

// Weight of the filter's triangle at input pixel `at`.
static rl_real triangle(const struct window *w, int32_t at)
{
    rl_real distance = RL_EXACT(fabs)(((rl_real)at + 0.5f - w->center) / w->support);
    return distance < 1 ? 1 - distance : 0;
}

// Rounds down, to 0..size. Not every float up to `size` fits an int.
static int32_t to_index(rl_real place, int32_t size)
{
    if (place <= 0) {
        return 0;
    }
    return place < (rl_real)size ? (int32_t)place : size;
}

// Where the image becomes smaller, the filter is as wide as an output pixel.
static struct window find_filter(const struct scales *s, uint32_t axis, int32_t at)
{
    rl_real scale = s->along[axis];
    struct window w = {.center = scale * ((rl_real)at + 0.5f), .support = scale > 1 ? scale : 1};
    w.first = to_index(w.center - w.support + 0.5f, s->sizes[axis]);
    w.count = to_index(w.center + w.support + 0.5f, s->sizes[axis]) - w.first;
    for (int32_t i = 0; i < w.count; i++) {
        w.total += triangle(&w, w.first + i);
    }
    return w;
}

static rl_real weight_at(const struct window *w, int32_t index)
{
    if (w->support > 0) {
        return w->total != 0 ? triangle(w, w->first + index) / w->total : 0;
    }
    return index == 0 ? 1 - w->weight : w->weight;
}

static rl_real round_half_up(rl_real number)
{
    return RL_EXACT(floor)(number + 0.5f);
}

// The mean of the image that starts at `image`, with the given distances of rows and columns. For integers, the mean of
// each row is rounded, and then the mean of these.
static rl_real mean_of(const struct window windows[2], const struct rl_tensor *input, size_t image, size_t row,
                       size_t column)
{
    const bool rounds = !rl_is_real(input->dtype);
    rl_real sum = 0;
    for (int32_t y = 0; y < windows[0].count; y++) {
        const size_t from = image + (size_t)(windows[0].first + y) * row + (size_t)windows[1].first * column;
        rl_real of_row = 0;
        for (int32_t x = 0; x < windows[1].count; x++) {
            of_row += weight_at(&windows[1], x) * rl_load_one(input, from + (size_t)x * column, true).real;
        }
        sum += weight_at(&windows[0], y) * (rounds ? round_half_up(of_row) : of_row);
    }
    return rounds ? round_half_up(sum) : sum;
}

static void interpolate(const struct rl_tensor *input, const struct rl_tensor *output, const struct scales *scales,
                        struct window (*find)(const struct scales *s, uint32_t axis, int32_t at))
{
    uint32_t from[RL_TENSOR_MAX_RANK], to[RL_TENSOR_MAX_RANK];
    rl_tensor_element_strides(input, from);
    rl_tensor_element_strides(output, to);
    for (int32_t y = 0; y < output->sizes[2]; y++) {
        for (int32_t x = 0; x < output->sizes[3]; x++) {
            const struct window windows[2] = {find(scales, 0, y), find(scales, 1, x)};
            for (int32_t n = 0; n < output->sizes[0]; n++) {
                for (int32_t c = 0; c < output->sizes[1]; c++) {
                    const size_t image = (size_t)n * from[0] + (size_t)c * from[1];
                    size_t at = (size_t)n * to[0] + (size_t)c * to[1] + (size_t)y * to[2] + (size_t)x * to[3];
                    const union rl_number mean = {.real = mean_of(windows, input, image, from[2], from[3])};
                    rl_store(output, at, 0, true, &mean, 1);
                }
            }
        }
    }
}

enum rl_status RL_RUN(aten_upsample_bilinear2d_vec)(struct rl_call *call)
{
    enum { INPUT, OUTPUT_SIZE, ALIGN_CORNERS, FACTORS, OUTPUT };
    struct rl_tensor input, output;
    double factors[2] = {0, 0};
    read_factors(call, FACTORS, factors);
    if (!read_images(call, OUTPUT_SIZE, factors, OUTPUT, &input, &output)) {
        return call->status;
    }
    rl_expect_numbers(call, INPUT, &input);
    expect_factors(call, FACTORS, &input, &output, factors);
    const struct scales scales = find_scales(&input, &output, factors, rl_call_bool(call, ALIGN_CORNERS));
    if (rl_call_ready(call) && output.bytes > 0) {
        interpolate(&input, &output, &scales, find_pair);
    }
    return call->status;
}

enum rl_status RL_RUN(aten_upsample_bilinear2d_aa)(struct rl_call *call)
{
    enum { INPUT, OUTPUT_SIZE, ALIGN_CORNERS, FACTOR_Y, FACTOR_X, OUTPUT };
    struct rl_tensor input, output;
    double factors[2] = {0, 0};
    if (!read_images(call, OUTPUT_SIZE, factors, OUTPUT, &input, &output)) {
        return call->status;
    }
    rl_expect_numbers(call, INPUT, &input);
    for (uint32_t i = 0; i < 2; i++) {
        if (rl_call_kind(call, FACTOR_Y + i) != RL_PTE_NULL) {
            factors[i] = rl_call_double(call, FACTOR_Y + i);
        }
    }
    expect_factors(call, FACTOR_Y, &input, &output, factors);
    const struct scales scales = find_scales(&input, &output, factors, rl_call_bool(call, ALIGN_CORNERS));
    if (rl_call_ready(call) && output.bytes > 0) {
        interpolate(&input, &output, &scales, find_filter);
    }
    return call->status;
}
