// SPDX-License-Identifier: Apache-2.0
//
// Tensors as views of raw storages, which several of them may share.
#ifndef RL_COMPILER_READ_STORAGE_H
#define RL_COMPILER_READ_STORAGE_H

#include "compiler/ir/graph.h"
#include "compiler/support/name_map.h"
#include "compiler/support/zip_reader.h"

// A tensor as the file describes it.
struct rl_pt2_tensor {
    struct rl_tensor_type type;
    int64_t strides[RL_MAX_RANK];
    int64_t offset; // in elements
    bool dense;     // `type.order` reproduces the strides
};

struct rl_pt2_storage {
    const unsigned char *data;
    size_t size;
};

// Reads a member of an archive, at most 1 GiB, or finds it in `storages` when it has been read before.
enum rl_status rl_pt2_read_storage(struct rl_zip *zip, const char *member, struct rl_name_map *storages,
                                   const struct rl_pt2_storage **storage);

// Sets `type.order` and `dense` from sizes and strides. False if these or the offset are impossible.
bool rl_pt2_check_tensor(struct rl_pt2_tensor *tensor);

// Whether all elements of a checked tensor lie inside a storage of `size` bytes.
bool rl_pt2_fits_storage(const struct rl_pt2_tensor *tensor, size_t size);

// Copies a tensor that fits its storage into C order.
void rl_pt2_gather(const struct rl_pt2_tensor *tensor, const unsigned char *storage, unsigned char *target);

#endif
