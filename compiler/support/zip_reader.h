// SPDX-License-Identifier: Apache-2.0
//
// Members of ZIP archives. Everything in the archive is checked. Accepted: stored and deflated members without
// encryption, no two of one name. All that is read of one archive must stay below a limit (rl_zip_limit), so that a
// small file cannot fill the memory.
#ifndef RL_COMPILER_SUPPORT_ZIP_READER_H
#define RL_COMPILER_SUPPORT_ZIP_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/support/arena.h"
#include "compiler/support/context.h"

struct zip;

struct rl_zip {
    struct rl_context *context;
    struct rl_arena *arena; // the memory of the members that are read
    const char *path;       // for messages
    struct zip *zip;
    struct rl_zip *outer; // the archive that this one is a member of; NULL if it is a file
    uint64_t file_bytes;  // of the archive
    uint64_t unpacked;    // read so far, also from archives inside
};

// The bytes that a file may unfold to: context->max_unpacked, or 32 times the file, but 128 MiB at least.
uint64_t rl_zip_limit(const struct rl_context *context, uint64_t file_bytes);

// The error of a file that is beyond the limit with member `name`.
enum rl_status rl_zip_refuse_size(struct rl_context *context, const char *path, const char *name, uint64_t file_bytes);

// Zero-initialise `zip` before; close it in any case, also when the arena ran out of memory. `kind` is what the caller
// expects ("a .pt2"), for the message.
enum rl_status rl_zip_open(struct rl_context *context, struct rl_arena *arena, const char *path, const char *kind,
                           struct rl_zip *zip);

// An archive in memory, a member of `outer` (or NULL). Both stay the caller's and must outlive `zip`.
enum rl_status rl_zip_open_memory(struct rl_context *context, struct rl_arena *arena, const void *data, size_t size,
                                  const char *path, struct rl_zip *outer, struct rl_zip *zip);
void rl_zip_close(struct rl_zip *zip);

// Members in the order of the archive.
long long rl_zip_count(const struct rl_zip *zip);
const char *rl_zip_name(const struct rl_zip *zip, long long index);
bool rl_zip_has(const struct rl_zip *zip, const char *name);

// The bytes of a member as the archive states them, and those that it takes in the archive; 0 if it is not there.
uint64_t rl_zip_size(const struct rl_zip *zip, const char *name);
size_t rl_zip_stored_size(const struct rl_zip *zip, const char *name);

// Reads the first bytes of a member, at most `room`. No CRC is checked.
enum rl_status rl_zip_read_start(struct rl_zip *zip, const char *name, void *bytes, size_t room, size_t *count);

// Reads a whole member and checks its CRC. A member of more than `limit` bytes is refused before anything is allocated.
// One zero byte that `size` does not count follows the data.
enum rl_status rl_zip_read(struct rl_zip *zip, const char *name, size_t limit, void **data, size_t *size);

// Whether the bytes of a member lie in the archive as they are.
bool rl_zip_is_stored(const struct rl_zip *zip, const char *name);

// Reads a whole member for its CRC alone.
enum rl_status rl_zip_check(struct rl_zip *zip, const char *name);

// Reads `count` bytes from `offset` on, of a member that is stored. No CRC is checked.
enum rl_status rl_zip_read_part(struct rl_zip *zip, const char *name, uint64_t offset, void *bytes, size_t count);

#endif
