// SPDX-License-Identifier: Apache-2.0
//
// The formats behind image.h: the same functions for each. Measuring does not check the size.
#ifndef RL_COMPILER_MEDIA_IMAGE_FORMATS_H
#define RL_COMPILER_MEDIA_IMAGE_FORMATS_H

#include "compiler/media/image.h"

enum rl_status rl_png_measure(struct rl_context *context, const char *place, const void *bytes, size_t size,
                              struct rl_image *image);
enum rl_status rl_png_decode(struct rl_context *context, const char *place, const void *bytes, size_t size,
                             const struct rl_image *image, uint8_t *pixels);

enum rl_status rl_jpeg_measure(struct rl_context *context, const char *place, const void *bytes, size_t size,
                               struct rl_image *image);
enum rl_status rl_jpeg_decode(struct rl_context *context, const char *place, const void *bytes, size_t size,
                              const struct rl_image *image, uint8_t *pixels);

#endif
