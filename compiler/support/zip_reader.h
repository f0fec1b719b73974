// SPDX-License-Identifier: Apache-2.0
//
// Members of ZIP archives. Everything in the archive is checked. Accepted: stored and deflated members without
// encryption.
#ifndef RL_COMPILER_SUPPORT_ZIP_READER_H
#define RL_COMPILER_SUPPORT_ZIP_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler/support/arena.h"
#include "compiler/support/context.h"

struct zip;

struct rl_zip {
    struct rl_context *context;
    struct rl_arena *arena; // the memory of the members that are read
    const char *path;       // for messages
    struct zip *zip;
};

// Zero-initialise `zip` before; close it in any case. `kind` is what the caller expects ("a .pt2"), for the message.
enum rl_status rl_zip_open(struct rl_context *context, struct rl_arena *arena, const char *path, const char *kind,
                           struct rl_zip *zip);

// An archive in memory, which stays the caller's and must outlive `zip`.
enum rl_status rl_zip_open_memory(struct rl_context *context, struct rl_arena *arena, const void *data, size_t size,
                                  const char *path, struct rl_zip *zip);
void rl_zip_close(struct rl_zip *zip);

// Members in the order of the archive. A name is NULL if the archive is damaged there.
long long rl_zip_count(const struct rl_zip *zip);
const char *rl_zip_name(const struct rl_zip *zip, long long index);
bool rl_zip_has(const struct rl_zip *zip, const char *name);

// The bytes that a member takes in the archive, 0 if it is not there.
size_t rl_zip_stored_size(const struct rl_zip *zip, const char *name);

// Reads a whole member and checks its CRC. A member of more than `limit` bytes is refused before anything is allocated.
// One zero byte that `size` does not count follows the data.
enum rl_status rl_zip_read(struct rl_zip *zip, const char *name, size_t limit, void **data, size_t *size);

#endif
