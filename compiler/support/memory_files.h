// SPDX-License-Identifier: Apache-2.0
//
// Files that lie in memory under a name, of a caller that has bytes instead of files. What reads and writes files looks
// here first, so that messages, formats and limits are the same for both.
#ifndef RL_COMPILER_SUPPORT_MEMORY_FILES_H
#define RL_COMPILER_SUPPORT_MEMORY_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler/support/context.h"

struct rl_memory_file {
    const char *name;
    const void *data; // the caller's, or `written`
    size_t size;
    void *written; // from malloc, of whoever made the list; NULL: nothing was written to it
    struct rl_memory_file *next;
};

// The file of this name; NULL: whoever has the name has to look on the disk. It has no data before it is written, if
// it is there to be written.
struct rl_memory_file *rl_memory_file_find(const struct rl_context *context, const char *name);

// Replaces what the file holds by a copy of the bytes.
enum rl_status rl_memory_file_write(struct rl_context *context, struct rl_memory_file *file, const void *data,
                                    size_t size);

#endif
