// SPDX-License-Identifier: Apache-2.0
//
// The kinds behind media.h, and what they share. `type` is that of the model's input, in all.
#ifndef RL_COMPILER_MEDIA_FORMATS_H
#define RL_COMPILER_MEDIA_FORMATS_H

#include "compiler/data/array.h"
#include "compiler/media/preparation.h"
#include "compiler/support/arena.h"
#include "compiler/support/context.h"

// A file in memory, and what it becomes.
struct rl_media_work {
    struct rl_context *context;
    struct rl_arena *arena;
    const struct rl_preparation *preparation;
    const char *path; // for messages
    const void *bytes;
    size_t size;
    const struct rl_tensor_type *type;
};

// Each measures a file, which gives the number of samples, and then makes them: so many tensors in C order, of bytes if
// the input takes bytes and the file is an image, else of floats.
enum rl_status rl_picture_measure(const struct rl_media_work *work, int64_t *samples);
enum rl_status rl_picture_make(const struct rl_media_work *work, int64_t samples, void *elements);

enum rl_status rl_wav_measure(const struct rl_media_work *work, int64_t *samples);
enum rl_status rl_wav_make(const struct rl_media_work *work, int64_t samples, void *elements);

enum rl_status rl_table_measure(const struct rl_media_work *work, int64_t *samples);
enum rl_status rl_table_make(const struct rl_media_work *work, int64_t samples, void *elements);

// "float32 [1, 3, 96, 96]"
const char *rl_media_type_text(const struct rl_media_work *work);

// The number of means or deviations must be 1 or `channels`, each of which the message calls `what` ("channel").
enum rl_status rl_media_check_norm(const struct rl_media_work *work, int channels, const char *what);

// (element - mean) / deviation of a channel, in float32 as PyTorch computes it.
float rl_media_normalize(const struct rl_preparation *preparation, int channel, float element);

// How much of `length` lies before its middle part of `kept` elements, as torchvision's CenterCrop rounds.
int64_t rl_media_margin(int64_t length, int64_t kept);

#endif
