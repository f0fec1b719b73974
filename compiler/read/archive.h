// SPDX-License-Identifier: Apache-2.0
//
// A .pt2 file as a container: its members, the folder they share, its version marks.
#ifndef RL_COMPILER_READ_ARCHIVE_H
#define RL_COMPILER_READ_ARCHIVE_H

#include "compiler/support/zip_reader.h"

struct rl_archive {
    struct rl_zip zip;
    const char *prefix; // of every member's name: "model/" or ""
};

// Opens the file and checks that it is a .pt2 of a known version and byte order. Zero-initialise `archive` before;
// close it in any case.
enum rl_status rl_archive_open(struct rl_context *context, struct rl_arena *arena, const char *path,
                               struct rl_archive *archive);
void rl_archive_close(struct rl_archive *archive);

// `member` is a name without the prefix.
bool rl_archive_has(const struct rl_archive *archive, const char *member);

// The one member whose name starts with `start` and ends with `end`, or `preferred` if it is there. Several or none: an
// error that lists them.
enum rl_status rl_archive_choose(struct rl_archive *archive, const char *start, const char *end, const char *preferred,
                                 const char **member);

// As rl_zip_read.
enum rl_status rl_archive_read(struct rl_archive *archive, const char *member, size_t limit, void **data, size_t *size);

#endif
