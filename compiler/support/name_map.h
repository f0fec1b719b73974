// SPDX-License-Identifier: Apache-2.0
//
// A hash table from names to pointers, for files that refer to things by name. It cannot be walked, so its order has no
// effect.
#ifndef RL_COMPILER_SUPPORT_NAME_MAP_H
#define RL_COMPILER_SUPPORT_NAME_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler/support/arena.h"

struct rl_name_entry {
    const char *name;
    void *item;
};

// Zero-initialise, with the arena set.
struct rl_name_map {
    struct rl_arena *arena;
    struct rl_name_entry *entries;
    size_t count, capacity;
};

// False if the name is already there. The name is not copied.
bool rl_name_map_add(struct rl_name_map *map, const char *name, void *item);

// The item of a name; NULL if there is no such name.
void *rl_name_map_find(const struct rl_name_map *map, const char *name);

#endif
