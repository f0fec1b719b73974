// SPDX-License-Identifier: Apache-2.0
#include "compiler/read/archive.h"

#include <stdio.h>
#include <string.h>

enum {
    MAX_MARK = 64, // bytes of a version mark
    MAX_MEMBERS = 1024 * 1024
};

static const char old_model[] = "serialized_exported_program.json";

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    const size_t end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

bool rl_archive_has(const struct rl_archive *archive, const char *member)
{
    return rl_zip_has(&archive->zip, rl_arena_format(archive->zip.arena, "%s%s", archive->prefix, member));
}

size_t rl_archive_stored_size(const struct rl_archive *archive, const char *member)
{
    return rl_zip_stored_size(&archive->zip, rl_arena_format(archive->zip.arena, "%s%s", archive->prefix, member));
}

enum rl_status rl_archive_read(struct rl_archive *archive, const char *member, size_t limit, void **data, size_t *size)
{
    const char *name = rl_arena_format(archive->zip.arena, "%s%s", archive->prefix, member);
    return rl_zip_read(&archive->zip, name, limit, data, size);
}

// Other files of PyTorch that people mistake for a .pt2.
static enum rl_status explain_other_file(struct rl_archive *archive)
{
    const long long count = rl_zip_count(&archive->zip);
    for (long long i = 0; i < count; i++) {
        const char *name = rl_zip_name(&archive->zip, i);
        if (!name) {
            continue;
        }
        if (ends_with(name, "/data.pkl")) {
            return rl_fail(archive->zip.context, RL_ERROR_UNSUPPORTED,
                           "%s: a file of torch.save or torch.jit.save; accepted: a .pt2 of torch.export.save",
                           archive->zip.path);
        }
    }
    return rl_fail(archive->zip.context, RL_ERROR_FORMAT,
                   "%s: no member 'archive_format'; accepted: a .pt2 of torch.export.save", archive->zip.path);
}

static enum rl_status find_prefix(struct rl_archive *archive)
{
    static const char mark[] = "archive_format";
    const long long count = rl_zip_count(&archive->zip);
    if (count > MAX_MEMBERS) {
        return rl_fail(archive->zip.context, RL_ERROR_UNSUPPORTED, "%s: %lld members; accepted: up to %d",
                       archive->zip.path, count, MAX_MEMBERS);
    }
    for (long long i = 0; i < count; i++) {
        const char *name = rl_zip_name(&archive->zip, i);
        if (!name || !ends_with(name, mark)) {
            continue;
        }
        const size_t length = strlen(name) - strlen(mark);
        const char *slash = strchr(name, '/');
        if (length == 0 || (slash && (size_t)(slash - name) == length - 1)) {
            archive->prefix = rl_arena_format(archive->zip.arena, "%.*s", (int)length, name);
            return RL_OK;
        }
    }
    archive->old = rl_zip_has(&archive->zip, old_model);
    return archive->old ? RL_OK : explain_other_file(archive);
}

// A mark is a member of a few characters; `accepted` is the only one.
static enum rl_status check_mark(struct rl_archive *archive, const char *member, const char *accepted)
{
    void *data;
    size_t size;
    const enum rl_status status = rl_archive_read(archive, member, MAX_MARK, &data, &size);
    if (status != RL_OK) {
        return status;
    }
    const char *text = data;
    const size_t length = strcspn(text, "\r\n");
    if (length != strlen(accepted) || memcmp(text, accepted, length) != 0) {
        return rl_fail(archive->zip.context, RL_ERROR_UNSUPPORTED, "%s: %s is '%.*s'; accepted: '%s'",
                       archive->zip.path, member, (int)length, text, accepted);
    }
    return RL_OK;
}

enum rl_status rl_archive_open(struct rl_context *context, struct rl_arena *arena, const char *path,
                               struct rl_archive *archive)
{
    archive->prefix = "";
    enum rl_status status = rl_zip_open(context, arena, path, "a .pt2", &archive->zip);
    if (status == RL_OK) {
        status = find_prefix(archive);
    }
    if (status == RL_OK && !archive->old) {
        status = check_mark(archive, "archive_format", "pt2");
    }
    if (status == RL_OK && !archive->old) {
        status = check_mark(archive, "archive_version", "0");
    }
    if (status == RL_OK && rl_archive_has(archive, "byteorder")) {
        status = check_mark(archive, "byteorder", "little");
    }
    return status;
}

void rl_archive_close(struct rl_archive *archive)
{
    rl_zip_close(&archive->zip);
}

// The one member whose name starts with `start` and ends with `end`, or `preferred` if it is there.
static enum rl_status choose(struct rl_archive *archive, const char *start, const char *end, const char *preferred,
                             const char **member)
{
    *member = preferred;
    if (rl_archive_has(archive, preferred)) {
        return RL_OK;
    }
    char list[512] = "";
    size_t used = 0; // more than there is room for, if names are left out
    int found = 0;
    const long long count = rl_zip_count(&archive->zip);
    const size_t prefix_length = strlen(archive->prefix);
    for (long long i = 0; i < count; i++) {
        const char *name = rl_zip_name(&archive->zip, i);
        if (!name || strncmp(name, archive->prefix, prefix_length) != 0) {
            continue;
        }
        name += prefix_length;
        if (strncmp(name, start, strlen(start)) == 0 && ends_with(name, end)) {
            if (used < sizeof list) {
                used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", found > 0 ? ", " : "", name);
            }
            *member = rl_arena_string(archive->zip.arena, name);
            found++;
        }
    }
    if (found == 1) {
        return RL_OK;
    }
    if (found == 0) {
        return rl_fail(archive->zip.context, RL_ERROR_FORMAT, "%s: member '%s%s' is missing", archive->zip.path,
                       archive->prefix, preferred);
    }
    return rl_fail(archive->zip.context, RL_ERROR_UNSUPPORTED,
                   "%s: %d models (%s); accepted: one model, or one named '%s'", archive->zip.path, found, list,
                   preferred);
}

enum rl_status rl_archive_find_parts(struct rl_archive *archive, struct rl_archive_parts *parts)
{
    struct rl_arena *arena = archive->zip.arena;
    if (archive->old) {
        *parts = (struct rl_archive_parts){.model = old_model,
                                           .weights_pickle = "serialized_state_dict.pt",
                                           .constants_pickle = "serialized_constants.pt",
                                           .samples = "serialized_example_inputs.pt"};
        return RL_OK;
    }
    const char *model;
    const enum rl_status status = choose(archive, "models/", ".json", "models/model.json", &model);
    if (status != RL_OK) {
        return status;
    }
    const char *base = strrchr(model, '/') + 1;
    const int length = (int)(strlen(base) - strlen(".json"));
    *parts = (struct rl_archive_parts){
        .model = model,
        .weights_config = rl_arena_format(arena, "data/weights/%.*s_weights_config.json", length, base),
        .constants_config = rl_arena_format(arena, "data/constants/%.*s_constants_config.json", length, base),
        .weights_pickle = rl_arena_format(arena, "data/weights/%.*s.pt", length, base),
        .constants_pickle = rl_arena_format(arena, "data/constants/%.*s.pt", length, base),
        .samples = rl_arena_format(arena, "data/sample_inputs/%.*s.pt", length, base)};
    return RL_OK;
}
