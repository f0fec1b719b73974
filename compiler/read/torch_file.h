// SPDX-License-Identifier: Apache-2.0
//
// A file of torch.save inside a .pt2: a pickle that describes tensors, and the raw storages beside it.
#ifndef RL_COMPILER_READ_TORCH_FILE_H
#define RL_COMPILER_READ_TORCH_FILE_H

#include "compiler/read/archive.h"
#include "compiler/read/pickle.h"
#include "compiler/read/storage.h"
#include "compiler/support/name_map.h"

struct rl_torch_file {
    struct rl_context *context;
    struct rl_arena *arena;
    const char *place; // "model.pt2: data/weights/model.pt", for messages
    struct rl_zip zip;
    const char *prefix;          // of the names of its members: "archive/"
    struct rl_name_map storages; // those that were read, by member
};

// Opens the member of `archive` and reads its one object. Zero-initialise `file` before; close it in any case, before
// the arena of the archive ends.
enum rl_status rl_torch_file_open(struct rl_archive *archive, const char *member, struct rl_torch_file *file,
                                  struct rl_pickle_item **item);
void rl_torch_file_close(struct rl_torch_file *file);

// The type, strides and offset of a RL_PICKLE_TENSOR, checked, and its storage, which holds all of its elements and is
// read once. `name` is the tensor's, for messages.
enum rl_status rl_torch_file_tensor(struct rl_torch_file *file, const char *name, const struct rl_pickle_item *item,
                                    struct rl_pt2_tensor *tensor, const struct rl_pt2_storage **storage);

#endif
