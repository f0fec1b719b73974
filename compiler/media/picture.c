// SPDX-License-Identifier: Apache-2.0
//
// An image as a sample: scaled, cut and normalized as torchvision's transforms of tensors do (Resize with
// antialias=False, CenterCrop, Normalize). Scaling is bilinear, with the pixel centres of PyTorch's
// upsample_bilinear2d(align_corners=False).
#include <limits.h>
#include <math.h>

#include "compiler/media/formats.h"
#include "compiler/media/image.h"

// Where the elements of an image are in the input, in elements.
struct layout {
    int64_t height, width, channels;
    int64_t row_step, column_step, channel_step;
};

struct frame {
    struct layout layout;
    struct rl_image image;
    const uint8_t *pixels;
    int64_t height, width;           // of the scaled image
    int64_t first_row, first_column; // of it in the sample
};

static bool is_channels(int64_t size)
{
    return size == 1 || size == 3;
}

// False if the input does not take images.
static bool find_layout(const struct rl_tensor_type *type, struct layout *layout)
{
    const int64_t *sizes = type->sizes;
    int rank = type->rank;

    if (rank == 4 && sizes[0] == 1) {
        sizes++;
        rank--;
    }
    if (rank == 3 && is_channels(sizes[0])) {
        *layout = (struct layout){sizes[1], sizes[2], sizes[0], sizes[2], 1, sizes[1] * sizes[2]};
    } else if (rank == 3 && is_channels(sizes[2])) {
        *layout = (struct layout){sizes[0], sizes[1], sizes[2], sizes[1] * sizes[2], sizes[2], 1};
    } else if (rank == 2) {
        *layout = (struct layout){sizes[0], sizes[1], 1, sizes[1], 1, 1};
    } else {
        return false;
    }
    return layout->height > 0 && layout->width > 0;
}

// ---- sizes

static void scale(const struct rl_preparation *preparation, struct frame *frame)
{
    const int64_t height = frame->image.height, width = frame->image.width;

    frame->height = height;
    frame->width = width;
    switch (preparation->resize) {
    case RL_RESIZE_NONE:
        break;
    case RL_RESIZE_INPUT:
        frame->height = frame->layout.height;
        frame->width = frame->layout.width;
        break;
    case RL_RESIZE_EXACT:
        frame->height = preparation->height;
        frame->width = preparation->width;
        break;
    case RL_RESIZE_SHORTER: // the longer side is rounded down, as torchvision's int()
        frame->height = height <= width ? preparation->height : height * preparation->height / width;
        frame->width = height <= width ? width * preparation->height / height : preparation->height;
        break;
    }
}

static enum rl_status refuse_size(const struct rl_media_work *work, const struct frame *frame)
{
    const struct layout *layout = &frame->layout;
    const bool is_scaled = work->preparation->resize != RL_RESIZE_NONE;
    const bool is_larger = frame->height >= layout->height && frame->width >= layout->width;

    return rl_fail(work->context, RL_ERROR_TYPE,
                   "%s: the image has %d x %d pixels (width x height)%s, the input %s takes %lld x %lld; accepted: as "
                   "many, or --resize input%s",
                   work->path, frame->image.width, frame->image.height,
                   is_scaled ? rl_arena_format(work->arena, ", scaled %lld x %lld", (long long)frame->width,
                                               (long long)frame->height)
                             : "",
                   rl_media_type_text(work), (long long)layout->width, (long long)layout->height,
                   is_larger ? ", or --crop, which keeps the middle" : "");
}

static enum rl_status settle(const struct rl_media_work *work, struct frame *frame)
{
    const struct rl_preparation *preparation = work->preparation;
    const struct layout *layout = &frame->layout;

    if (!find_layout(work->type, &frame->layout)) {
        return rl_fail(work->context, RL_ERROR_TYPE,
                       "%s: an image, but the input takes %s; accepted for images: [1, 3, height, width], [1, height, "
                       "width, 3], one channel in place of three, and the same without the first dimension",
                       work->path, rl_media_type_text(work));
    }
    if (work->type->dtype == RL_UINT8 && (preparation->mean_count > 0 || preparation->deviation_count > 0)) {
        return rl_fail(work->context, RL_ERROR_TYPE,
                       "%s: the input takes the pixels themselves (%s); accepted: no --mean and no --std", work->path,
                       rl_media_type_text(work));
    }
    enum rl_status status = rl_media_check_norm(work, (int)layout->channels, "channel");
    if (status != RL_OK) {
        return status;
    }
    status = rl_image_measure(work->context, work->path, work->bytes, work->size, &frame->image);
    if (status != RL_OK) {
        return status;
    }
    scale(preparation, frame);
    const bool is_equal = frame->height == layout->height && frame->width == layout->width;
    const bool is_larger = frame->height >= layout->height && frame->width >= layout->width;
    if (!is_equal && !(is_larger && preparation->crops)) {
        return refuse_size(work, frame);
    }
    frame->first_row = rl_media_margin(frame->height, layout->height);
    frame->first_column = rl_media_margin(frame->width, layout->width);
    return RL_OK;
}

enum rl_status rl_picture_measure(const struct rl_media_work *work, int64_t *samples)
{
    struct frame frame = {0};

    *samples = 1;
    return settle(work, &frame);
}

// ---- pixels

// PIL's convert("L"), which is ITU-R 601-2 in 16 bits: ImagingConvert's rgb2l.
static uint8_t gray_of(const uint8_t *pixel)
{
    return (uint8_t)((19595U * pixel[0] + 38470U * pixel[1] + 7471U * pixel[2] + 0x8000U) >> 16);
}

static float pixel_at(const struct frame *frame, int64_t row, int64_t column, int64_t channel)
{
    const int own = frame->image.channels;
    const uint8_t *pixel = frame->pixels + (row * frame->image.width + column) * own;

    if (own == 1) {
        return *pixel;
    }
    return frame->layout.channels == 1 ? gray_of(pixel) : pixel[channel];
}

// Two neighbours along one axis and the share of the second.
struct pair {
    int64_t first, second;
    float share;
};

static struct pair pair_at(int64_t index, int64_t size, int64_t scaled)
{
    const float ratio = (float)size / (float)scaled;
    const float place = fmaxf(ratio * ((float)index + 0.5F) - 0.5F, 0);
    const int64_t floored = (int64_t)place;
    const int64_t first = floored < size - 1 ? floored : size - 1;

    return (struct pair){first, first < size - 1 ? first + 1 : first, fminf(fmaxf(place - (float)first, 0), 1)};
}

static float mix(float first, float second, float share)
{
    return first * (1 - share) + second * share;
}

static float scaled_pixel(const struct frame *frame, struct pair rows, struct pair columns, int64_t channel)
{
    const float above = mix(pixel_at(frame, rows.first, columns.first, channel),
                            pixel_at(frame, rows.first, columns.second, channel), columns.share);
    const float below = mix(pixel_at(frame, rows.second, columns.first, channel),
                            pixel_at(frame, rows.second, columns.second, channel), columns.share);

    return mix(above, below, rows.share);
}

static void store(const struct rl_media_work *work, int64_t channel, float pixel, int64_t place, void *elements)
{
    if (work->type->dtype == RL_UINT8) {
        ((uint8_t *)elements)[place] = (uint8_t)nearbyintf(pixel);
    } else {
        ((float *)elements)[place] = rl_media_normalize(work->preparation, (int)channel, pixel / 255);
    }
}

enum rl_status rl_picture_make(const struct rl_media_work *work, int64_t samples, void *elements)
{
    struct frame frame = {0};
    enum rl_status status = settle(work, &frame);

    (void)samples;
    if (status != RL_OK) {
        return status;
    }
    const struct layout *layout = &frame.layout;
    const size_t count = (size_t)frame.image.width * (size_t)frame.image.height;
    uint8_t *pixels = rl_arena_array(work->arena, count, (size_t)frame.image.channels);
    frame.pixels = pixels;
    status = rl_image_decode(work->context, work->path, work->bytes, work->size, &frame.image, pixels);
    for (int64_t y = 0; y < layout->height && status == RL_OK; y++) {
        const struct pair rows = pair_at(frame.first_row + y, frame.image.height, frame.height);
        for (int64_t x = 0; x < layout->width; x++) {
            const struct pair columns = pair_at(frame.first_column + x, frame.image.width, frame.width);
            const int64_t place = y * layout->row_step + x * layout->column_step;
            for (int64_t c = 0; c < layout->channels; c++) {
                store(work, c, scaled_pixel(&frame, rows, columns, c), place + c * layout->channel_step, elements);
            }
        }
    }
    rl_arena_release(work->arena, pixels);
    return status;
}
