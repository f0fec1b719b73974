// SPDX-License-Identifier: Apache-2.0
//
// Names in C: identifiers, and the names of inputs and outputs as the model's author knows them. Those are the keys of
// the dictionaries in which torch.export saw them, from its tree of containers, or else the names in the exported
// graph. PyTorch, torch/utils/_pytree.py: a tree is [version, specification], a specification {type, context,
// children_spec}; the context of a dictionary is its keys.
#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "compiler/c/model.h"

struct leaves {
    struct rl_arena *arena;
    const char **names; // NULL: no key leads there
    int count, most;
};

enum { DEEPEST = 16 };

static json_t *read_keys(const json_t *specification)
{
    const char *type = json_string_value(json_object_get(specification, "type"));
    const char *context = json_string_value(json_object_get(specification, "context"));
    const bool is_dictionary = type && context && strstr(type, "ict"); // dict, OrderedDict, defaultdict
    json_t *keys = is_dictionary ? json_loads(context, JSON_DECODE_ANY, NULL) : NULL;
    // A defaultdict has its factory in front of the keys.
    json_t *inner = json_is_array(keys) && json_array_size(keys) == 2 ? json_array_get(keys, 1) : NULL;
    if (json_is_array(inner)) {
        json_incref(inner);
        json_decref(keys);
        return inner;
    }
    return keys;
}

static void add_leaves(struct leaves *leaves, const json_t *specification, const char *path, bool has_key, int depth)
{
    const json_t *children = json_object_get(specification, "children_spec");
    const size_t count = json_array_size(children);
    if (count == 0 && json_is_string(json_object_get(specification, "type"))) {
        return; // an empty container
    }
    if (count == 0) {
        if (leaves->count < leaves->most) {
            leaves->names[leaves->count] = has_key ? path : NULL;
        }
        leaves->count++;
        return;
    }
    json_t *keys = read_keys(specification);
    for (size_t i = 0; i < count && depth < DEEPEST; i++) {
        const char *key = json_string_value(json_array_get(keys, i));
        const char *separator = path[0] ? "." : "";
        const char *inner = key ? rl_arena_format(leaves->arena, "%s%s%s", path, separator, key)
                                : rl_arena_format(leaves->arena, "%s%s%zu", path, separator, i);
        add_leaves(leaves, json_array_get(children, i), inner, has_key || key, depth + 1);
    }
    json_decref(keys);
}

// Reads the names that a tree gives to its leaves. Without a tree that has `count` of them, there are none.
static const char **read_tree(struct rl_arena *arena, const char *tree, int count)
{
    struct leaves leaves = {.arena = arena, .most = count};
    leaves.names = rl_arena_array(arena, (size_t)count, sizeof *leaves.names);
    json_t *json = tree ? json_loads(tree, 0, NULL) : NULL;
    if (json) {
        add_leaves(&leaves, json_array_get(json, 1), "", false, 0);
    }
    json_decref(json);
    return json && leaves.count == count ? leaves.names : rl_arena_array(arena, (size_t)count, sizeof *leaves.names);
}

const char *rl_c_identifier(struct rl_arena *arena, const char *text)
{
    char *name = rl_arena_string(arena, text);
    for (char *c = name; *c; c++) {
        const bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        *c = is_plain ? *c : '_';
    }
    const bool is_taken = !isalpha((unsigned char)name[0]) || strncmp(name, "rl_", 3) == 0;
    return is_taken ? rl_arena_format(arena, "model_%s", name) : name;
}

const char *rl_c_capitals(struct rl_arena *arena, const char *name)
{
    char *upper = rl_arena_string(arena, name);
    for (char *c = upper; *c; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    return upper;
}

const char *const *rl_c_names(struct rl_arena *arena, const char *tree, const char *const *own, int count)
{
    const char **names = read_tree(arena, tree, count);
    for (int i = 0; i < count; i++) {
        names[i] = names[i] || !own ? names[i] : own[i];
    }
    return names;
}

void rl_c_name_tensors(struct rl_arena *arena, struct rl_c_tensor *tensors, int count)
{
    for (int i = 0; i < count; i++) {
        const char *identifier = tensors[i].name ? rl_c_identifier(arena, tensors[i].name) : NULL;
        for (int k = 0; k < i && identifier; k++) {
            if (tensors[k].identifier && strcmp(tensors[k].identifier, identifier) == 0) {
                identifier = rl_arena_format(arena, "%s_%d", identifier, i);
                k = -1; // the longer one may be taken, too
            }
        }
        tensors[i].identifier = identifier;
    }
}
