// SPDX-License-Identifier: Apache-2.0
//
// A .pt2 file as a container: its members, the folder they share, its version marks.
#ifndef RL_COMPILER_READ_ARCHIVE_H
#define RL_COMPILER_READ_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler/support/arena.h"
#include "compiler/support/context.h"

struct zip;

struct rl_archive {
    struct rl_context *context;
    struct rl_arena *arena; // what members are read into
    const char *path;
    struct zip *zip;
    const char *prefix; // of every member's name: "model/" or ""
};

// Opens the file and checks that it is a .pt2 of a known version and byte order. Zero-initialise `archive` before; close
// it in any case.
enum rl_status rl_archive_open(struct rl_context *context, struct rl_arena *arena, const char *path,
                               struct rl_archive *archive);
void rl_archive_close(struct rl_archive *archive);

// `member` is a name without the prefix.
bool rl_archive_has(const struct rl_archive *archive, const char *member);

// The one member whose name starts with `start` and ends with `end`, or `preferred` if it is there. Several or none:
// an error that lists them.
enum rl_status rl_archive_choose(struct rl_archive *archive, const char *start, const char *end, const char *preferred,
                                 const char **member);

// Reads a whole member and checks its CRC. A member of more than `limit` bytes is refused before anything is allocated.
// One zero byte that `size` does not count follows the data.
enum rl_status rl_archive_read(struct rl_archive *archive, const char *member, size_t limit, void **data, size_t *size);

#endif
