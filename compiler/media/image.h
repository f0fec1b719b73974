// SPDX-License-Identifier: Apache-2.0
//
// Images of 8 bits a channel from PNG and JPEG files in memory. The pixels are those that the file stores: no profile
// and no gamma is applied, nothing is rotated. Of 16 bits the upper 8 are taken, and transparency is dropped.
#ifndef RL_COMPILER_MEDIA_IMAGE_H
#define RL_COMPILER_MEDIA_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "compiler/support/context.h"

struct rl_image {
    int width, height; // at least 1
    int channels;      // 1: gray, 3: red, green, blue
};

// Reads the header. `place` names the file in messages. RL_ERROR_UNSUPPORTED for images of other colours, or of more
// bytes than a file of this size may unfold to (rl_zip_limit).
enum rl_status rl_image_measure(struct rl_context *context, const char *place, const void *bytes, size_t size,
                                struct rl_image *image);

// Decodes an image that was measured: height * width * channels bytes, row by row. A file that ends early is refused;
// a warning tells of other damage.
enum rl_status rl_image_decode(struct rl_context *context, const char *place, const void *bytes, size_t size,
                               const struct rl_image *image, uint8_t *pixels);

#endif
