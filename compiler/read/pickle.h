// SPDX-License-Identifier: Apache-2.0
//
// The small part of Python's pickle format (protocol 2) in which torch.save describes tensors. Nothing is executed: the
// only calls understood are those that rebuild a plain tensor, a parameter (a tensor, too) or an empty OrderedDict. All
// others are refused.
#ifndef RL_COMPILER_READ_PICKLE_H
#define RL_COMPILER_READ_PICKLE_H

#include "compiler/ir/graph.h"

enum rl_pickle_kind {
    RL_PICKLE_OTHER, // None, numbers, booleans other than `integer`
    RL_PICKLE_INTEGER,
    RL_PICKLE_STRING,
    RL_PICKLE_GLOBAL, // string: "torch._utils _rebuild_tensor_v2"
    RL_PICKLE_LIST,   // tuples and lists
    RL_PICKLE_DICT,   // items: key, value, key, value, ...
    RL_PICKLE_STORAGE,
    RL_PICKLE_TENSOR
};

struct rl_pickle_item {
    enum rl_pickle_kind kind;
    int64_t integer;
    const char *string; // STORAGE: the name of its member; TENSOR: likewise
    struct rl_pickle_item **items;
    int count;
    struct rl_tensor_type type; // TENSOR: contiguous; STORAGE: dtype
    int64_t strides[RL_MAX_RANK];
    int64_t offset; // in elements
};

// Reads one object. `place` names the pickle in messages. RL_ERROR_FORMAT: damaged; RL_ERROR_UNSUPPORTED: anything but
// tensors, numbers, strings and None in tuples, lists and dictionaries.
enum rl_status rl_pickle_read(struct rl_context *context, struct rl_arena *arena, const char *place,
                              const unsigned char *bytes, size_t size, struct rl_pickle_item **item);

#endif
