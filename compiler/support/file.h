// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes whole files, on the disk or in memory (memory_files.h).
#ifndef RL_COMPILER_SUPPORT_FILE_H
#define RL_COMPILER_SUPPORT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "compiler/support/arena.h"
#include "compiler/support/context.h"

// Reads all of `path` into the arena. One zero byte that `size` does not count follows the data, so that a text is a
// string. RL_ERROR_IO with the system's reason if it cannot be read.
enum rl_status rl_file_read(struct rl_context *context, struct rl_arena *arena, const char *path, void **data,
                            size_t *size);

// The bytes of a regular file.
enum rl_status rl_file_size(struct rl_context *context, const char *path, uint64_t *size);

// Reads at most `room` bytes from the start of the file.
enum rl_status rl_file_read_start(struct rl_context *context, const char *path, void *bytes, size_t room,
                                  size_t *count);

// Replaces `path` by `size` bytes at once: it writes a new file beside it and, when that is on the disk, renames it.
// Nobody sees a part of them, and no signal or crash leaves one. SIGINT, SIGTERM and SIGHUP wait meanwhile. If `path`
// is a link to a file, the link is replaced. If it is not a regular file (a pipe, a terminal), it is written directly.
enum rl_status rl_file_write(struct rl_context *context, const char *path, const void *data, size_t size);

#endif
