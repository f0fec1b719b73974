// SPDX-License-Identifier: Apache-2.0
#include "compiler/support/name_map.h"

#include <stdint.h>
#include <string.h>

// FNV-1a, 64 bits (Fowler, Noll, Vo).
static uint64_t hash(const char *name)
{
    uint64_t value = UINT64_C(14695981039346656037);
    for (; *name != '\0'; name++) {
        value = (value ^ (unsigned char)*name) * UINT64_C(1099511628211);
    }
    return value;
}

static struct rl_name_entry *find_place(const struct rl_name_map *map, const char *name)
{
    size_t i = (size_t)hash(name) & (map->capacity - 1);
    while (map->entries[i].name && strcmp(map->entries[i].name, name) != 0) {
        i = (i + 1) & (map->capacity - 1);
    }
    return &map->entries[i];
}

static void grow(struct rl_name_map *map)
{
    const struct rl_name_map old = *map;
    map->capacity = old.capacity == 0 ? 64 : old.capacity * 2;
    map->entries = rl_arena_array(map->arena, map->capacity, sizeof *map->entries);
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.entries[i].name) {
            *find_place(map, old.entries[i].name) = old.entries[i];
        }
    }
}

bool rl_name_map_add(struct rl_name_map *map, const char *name, void *item)
{
    if (map->count * 2 >= map->capacity) {
        grow(map);
    }
    struct rl_name_entry *place = find_place(map, name);
    if (place->name) {
        return false;
    }
    *place = (struct rl_name_entry){.name = name, .item = item};
    map->count++;
    return true;
}

void *rl_name_map_find(const struct rl_name_map *map, const char *name)
{
    return map->capacity == 0 ? NULL : find_place(map, name)->item;
}
