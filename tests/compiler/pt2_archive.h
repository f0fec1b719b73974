// SPDX-License-Identifier: Apache-2.0
//
// .pt2 files taken apart, changed and put together again, for tests of the reader.
#ifndef RL_TESTS_COMPILER_PT2_ARCHIVE_H
#define RL_TESTS_COMPILER_PT2_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "rushlight/status.h"

enum { PT2_MAX_MEMBERS = 128 };

struct pt2_member {
    char *name; // with the archive's prefix
    char *data; // one zero byte more than `size`
    size_t size;
};

struct pt2_archive {
    struct pt2_member members[PT2_MAX_MEMBERS];
    int count;
};

// Functions of this page end the test when something does not work.
void pt2_load(struct pt2_archive *archive, const char *path);
void pt2_free(struct pt2_archive *archive);

// The member whose name ends with `end`.
struct pt2_member *pt2_find(struct pt2_archive *archive, const char *end);
void pt2_remove(struct pt2_archive *archive, const char *end);
void pt2_set(struct pt2_archive *archive, const char *end, const void *data, size_t size);

// Replaces the first place where the member contains `text`, which it must.
void pt2_replace(struct pt2_archive *archive, const char *end, const char *text, const char *replacement);
void pt2_replace_bytes(struct pt2_archive *archive, const char *end, const void *bytes, size_t size,
                       const void *replacement, size_t replacement_size);

// The archive inside a member, as torch.save writes it; the second puts it back.
void pt2_load_inner(struct pt2_archive *inner, struct pt2_archive *outer, const char *end);
void pt2_set_inner(const struct pt2_archive *inner, struct pt2_archive *outer, const char *end);

// Writes the members, stored or deflated.
void pt2_save(const struct pt2_archive *archive, const char *path, bool deflated);

// The reader takes the file, and the graph keeps all rules.
void pt2_expect_read(const char *path);
// The reader refuses it with this status and a message that contains the file's name and the text.
void pt2_expect_refused(const char *path, enum rl_status status, const char *text);

// Whole files.
char *pt2_read_file(const char *path, size_t *size);
void pt2_write_file(const char *path, const void *data, size_t size);

#endif
