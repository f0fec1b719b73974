// SPDX-License-Identifier: Apache-2.0
#include "compiler/media/image.h"

#include <stdbool.h>
#include <string.h>

#include "compiler/media/image_formats.h"
#include "compiler/support/zip_reader.h"

static bool starts_with(const void *bytes, size_t size, const char *start, size_t length)
{
    return size >= length && memcmp(bytes, start, length) == 0;
}

static bool is_png(const void *bytes, size_t size)
{
    return starts_with(bytes, size, "\x89PNG\r\n\x1a\n", 8);
}

static bool is_jpeg(const void *bytes, size_t size)
{
    return starts_with(bytes, size, "\xff\xd8\xff", 3);
}

static enum rl_status refuse(struct rl_context *context, const char *place)
{
    return rl_fail(context, RL_ERROR_FORMAT, "%s: it starts neither as a PNG nor as a JPEG file; accepted: both",
                   place);
}

enum rl_status rl_image_measure(struct rl_context *context, const char *place, const void *bytes, size_t size,
                                struct rl_image *image)
{
    enum rl_status status = RL_OK;

    if (is_png(bytes, size)) {
        status = rl_png_measure(context, place, bytes, size, image);
    } else if (is_jpeg(bytes, size)) {
        status = rl_jpeg_measure(context, place, bytes, size, image);
    } else {
        return refuse(context, place);
    }
    if (status != RL_OK) {
        return status;
    }
    const uint64_t unfolded = (uint64_t)image->width * (uint64_t)image->height * (uint64_t)image->channels;
    const uint64_t limit = rl_zip_limit(context, size);
    if (unfolded > limit) {
        return rl_fail(context, RL_ERROR_UNSUPPORTED,
                       "%s: %d x %d pixels take %llu bytes; accepted: up to %llu, or as many as --max-unpacked says",
                       place, image->width, image->height, (unsigned long long)unfolded, (unsigned long long)limit);
    }
    return RL_OK;
}

enum rl_status rl_image_decode(struct rl_context *context, const char *place, const void *bytes, size_t size,
                               const struct rl_image *image, uint8_t *pixels)
{
    return is_png(bytes, size) ? rl_png_decode(context, place, bytes, size, image, pixels)
                               : rl_jpeg_decode(context, place, bytes, size, image, pixels);
}
