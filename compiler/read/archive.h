// SPDX-License-Identifier: Apache-2.0
//
// A .pt2 file as a container: its members, their common folder, its version marks.
//
//   PyTorch         the graph                          tensors
//   2.9 and later   models/model.json                  raw members, listed by a JSON for weights and one for constants
//   2.8             models/model.json                  a file of torch.save for weights and one for constants
//   2.7             serialized_exported_program.json   the same with other names, no marks and no common folder
#ifndef RL_COMPILER_READ_ARCHIVE_H
#define RL_COMPILER_READ_ARCHIVE_H

#include "compiler/support/zip_reader.h"

struct rl_archive {
    struct rl_zip zip;
    const char *prefix; // of every member's name: "model/" or ""
    bool old;           // whether PyTorch 2.7 wrote it
};

// Opens the file and checks that it is a .pt2 of a known version and byte order. Zero-initialise `archive` before;
// close it in any case.
enum rl_status rl_archive_open(struct rl_context *context, struct rl_arena *arena, const char *path,
                               struct rl_archive *archive);
void rl_archive_close(struct rl_archive *archive);

// `member` is a name without the prefix.
bool rl_archive_has(const struct rl_archive *archive, const char *member);

// The names of the parts of one model. A part may be missing from the archive.
struct rl_archive_parts {
    const char *model;            // JSON
    const char *weights_config;   // JSON; NULL: this version has none
    const char *constants_config; // likewise
    const char *weights_pickle;   // a file of torch.save
    const char *constants_pickle; // likewise
    const char *samples;          // likewise
};

// Finds the one model of the archive, or the one called 'model'. Several or none: an error that lists them.
enum rl_status rl_archive_find_parts(struct rl_archive *archive, struct rl_archive_parts *parts);

// As rl_zip_stored_size and rl_zip_read.
size_t rl_archive_stored_size(const struct rl_archive *archive, const char *member);
enum rl_status rl_archive_read(struct rl_archive *archive, const char *member, size_t limit, void **data, size_t *size);

#endif
