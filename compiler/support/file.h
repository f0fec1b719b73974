// SPDX-License-Identifier: Apache-2.0
//
// Whole files in and out.
#ifndef RL_COMPILER_SUPPORT_FILE_H
#define RL_COMPILER_SUPPORT_FILE_H

#include <stddef.h>

#include "compiler/support/arena.h"
#include "compiler/support/context.h"

// Reads all of `path` into the arena. One zero byte that `size` does not count follows the data, so that a text is a
// string. RL_ERROR_IO with the system's reason when it cannot be read.
enum rl_status rl_file_read(struct rl_context *context, struct rl_arena *arena, const char *path, void **data,
                            size_t *size);

// Replaces `path` by `size` bytes at once: they are written to a temporary file beside it, which is then renamed, so
// nobody ever sees a part of them. What is not a regular file (a pipe, a terminal) is written to directly.
enum rl_status rl_file_write(struct rl_context *context, const char *path, const void *data, size_t size);

#endif
