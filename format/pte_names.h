// SPDX-License-Identifier: Apache-2.0
//
// The names of a method's instructions: from which module and which node of the model each one came. They stand where
// ExecuTorch's schema has a stack trace for each instruction (Chain.stacktrace), as one frame: `name` is the module's
// path, `context` the node's name, and there is no `filename`. No runtime reads them, this one included.
//
// Freestanding. Reads never leave the file, as in pte_reader.h.
#ifndef RL_FORMAT_PTE_NAMES_H
#define RL_FORMAT_PTE_NAMES_H

#include "format/pte_reader.h"

enum { RL_PTE_LONGEST_NAME = 512 }; // bytes of a module's path or a node's name, without the NUL

struct rl_pte_names {
    const struct rl_pte *pte;
    struct rl_fb_vector frames; // tables, one for each instruction; none: the method has no names
};

struct rl_pte_name {
    const char *layer; // "blocks.0.conv", "" for the model's own forward; NULL: it came from no module
    const char *node;  // "conv2d_1"; NULL: unknown
};

// Finds the names of a method and checks all of them. NULL when they can be used, or when there are none; otherwise a
// sentence that says why they cannot be, and `names` has none.
const char *rl_pte_names_open(const struct rl_pte *pte, const struct rl_pte_plan *plan, struct rl_pte_names *names);

// The name of instruction `index`; both members are NULL when there is none. The strings lie in the file.
struct rl_pte_name rl_pte_names_at(const struct rl_pte_names *names, uint32_t index);

// Whether a text can be such a name: UTF-8 without control characters, at most RL_PTE_LONGEST_NAME bytes.
bool rl_pte_is_name(const char *text, size_t length);

#endif
