// SPDX-License-Identifier: Apache-2.0
//
// Images, recordings and tables as samples of one input. context->preparation says what is done to them.
//
// An image file is one sample of an input [1, C, H, W], [1, H, W, C] or one dimension less, or [H, W], where C is 1 or
// 3; channels first if both fit. Gray becomes three equal channels; colour becomes gray as PIL's convert("L") does. The
// element is the pixel / 255, or the pixel itself if the input takes uint8.
//
// A recording (WAV of 16-bit PCM) is one sample of an input in which all dimensions but one are 1. Channels are mixed
// down: their mean / 32768.
//
// A table (CSV) has a sample a row if it has as many columns as the input has elements; or if it has as many columns as
// the last dimension, so many rows a sample as the others say. The first line may name the columns. Columns are
// separated by commas, semicolons or tabs.
#ifndef RL_COMPILER_MEDIA_MEDIA_H
#define RL_COMPILER_MEDIA_MEDIA_H

#include "compiler/data/array.h"
#include "compiler/media/preparation.h"

enum rl_media_kind { RL_MEDIA_NONE, RL_MEDIA_IMAGE, RL_MEDIA_RECORDING, RL_MEDIA_TABLE };

// The kind of a file by the ending of its name, in any case: .png, .jpg, .jpeg; .wav; .csv.
enum rl_media_kind rl_media_kind(const char *path);

// The three steps of data/files.h. `type` is that of the input; the array gets one dimension more, which counts
// samples.
enum rl_status rl_media_list(struct rl_context *context, struct rl_arena *arena, const char *path,
                             struct rl_array *array);
enum rl_status rl_media_describe(struct rl_context *context, const struct rl_tensor_type *type, struct rl_array *array);
enum rl_status rl_media_load(struct rl_context *context, struct rl_arena *arena, const struct rl_tensor_type *type,
                             struct rl_array *array);

// Refuses what the user asked to be done to a kind of file that is not among these files.
enum rl_status rl_media_check(struct rl_context *context, const char *const *files, int count);

// A file in memory: measures it and makes its samples. For tests and fuzzing.
enum rl_status rl_media_parse(struct rl_context *context, struct rl_arena *arena, enum rl_media_kind kind,
                              const char *place, const void *bytes, size_t size, const struct rl_tensor_type *type,
                              struct rl_array *array);

#endif
