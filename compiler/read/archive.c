// SPDX-License-Identifier: Apache-2.0
#include "compiler/read/archive.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>

enum {
    MAX_MARK = 64,             // bytes of a version mark
    MAX_DEFLATE_RATIO = 1032,  // the most that deflate can expand
    MAX_MEMBERS = 1024 * 1024
};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    const size_t end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

bool rl_archive_has(const struct rl_archive *archive, const char *member)
{
    return zip_name_locate(archive->zip, rl_arena_format(archive->arena, "%s%s", archive->prefix, member), 0) >= 0;
}

static enum rl_status check_member(struct rl_archive *archive, const char *member, size_t limit,
                                   const zip_stat_t *information)
{
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if ((information->valid & needed) != needed) {
        return rl_fail(archive->context, RL_ERROR_FORMAT, "%s: member '%s' has no size", archive->path, member);
    }
    if (information->encryption_method != ZIP_EM_NONE) {
        return rl_fail(archive->context, RL_ERROR_UNSUPPORTED,
                       "%s: member '%s' is encrypted; accepted: members without encryption", archive->path, member);
    }
    if (information->comp_method != ZIP_CM_STORE && information->comp_method != ZIP_CM_DEFLATE) {
        return rl_fail(archive->context, RL_ERROR_UNSUPPORTED,
                       "%s: member '%s' has compression method %u; accepted: 0 (stored), 8 (deflated)", archive->path,
                       member, (unsigned)information->comp_method);
    }
    const zip_uint64_t ratio = information->comp_method == ZIP_CM_STORE ? 1 : MAX_DEFLATE_RATIO;
    if (information->size / ratio > information->comp_size) {
        return rl_fail(archive->context, RL_ERROR_FORMAT,
                       "%s: member '%s' cannot be %llu bytes: %llu are stored", archive->path, member,
                       (unsigned long long)information->size, (unsigned long long)information->comp_size);
    }
    if (information->size > limit) {
        return rl_fail(archive->context, RL_ERROR_UNSUPPORTED, "%s: member '%s' has %llu bytes; accepted: up to %zu",
                       archive->path, member, (unsigned long long)information->size, limit);
    }
    return RL_OK;
}

enum rl_status rl_archive_read(struct rl_archive *archive, const char *member, size_t limit, void **data, size_t *size)
{
    const char *name = rl_arena_format(archive->arena, "%s%s", archive->prefix, member);
    zip_stat_t information;
    const zip_int64_t index = zip_name_locate(archive->zip, name, 0);
    if (index < 0 || zip_stat_index(archive->zip, (zip_uint64_t)index, 0, &information) != 0) {
        return rl_fail(archive->context, RL_ERROR_FORMAT, "%s: member '%s' is missing", archive->path, name);
    }
    const enum rl_status status = check_member(archive, name, limit, &information);
    if (status != RL_OK) {
        return status;
    }
    // Before the member is open: the arena may leave this function by a jump.
    unsigned char *bytes = rl_arena_alloc(archive->arena, (size_t)information.size + 1);
    zip_file_t *file = zip_fopen_index(archive->zip, (zip_uint64_t)index, 0);
    if (file == NULL) {
        return rl_fail(archive->context, RL_ERROR_FORMAT, "%s: member '%s': %s", archive->path, name,
                       zip_strerror(archive->zip));
    }
    // The second call, beyond the end, is the one that reports a wrong CRC.
    const zip_int64_t count = zip_fread(file, bytes, information.size);
    const zip_int64_t beyond = zip_fread(file, bytes + information.size, 1);
    const bool complete = count >= 0 && (zip_uint64_t)count == information.size && beyond == 0;
    enum rl_status result = RL_OK;
    if (!complete) {
        result = rl_fail(archive->context, RL_ERROR_FORMAT, "%s: member '%s' is damaged: %s", archive->path, name,
                         count < 0 || beyond < 0 ? zip_file_strerror(file) : "its size is wrong");
    }
    zip_fclose(file);
    bytes[complete ? (size_t)count : 0] = 0;
    *data = bytes;
    *size = (size_t)information.size;
    return result;
}

// Other files of PyTorch that people mistake for a .pt2.
static enum rl_status explain_other_file(struct rl_archive *archive)
{
    const zip_int64_t count = zip_get_num_entries(archive->zip, 0);
    for (zip_int64_t i = 0; i < count; i++) {
        const char *name = zip_get_name(archive->zip, (zip_uint64_t)i, 0);
        if (name == NULL) {
            continue;
        }
        if (strcmp(name, "serialized_exported_program.json") == 0) {
            return rl_fail(archive->context, RL_ERROR_UNSUPPORTED,
                           "%s: an exported program of an old PyTorch; accepted: .pt2 of PyTorch 2.9 and later "
                           "(export it again)",
                           archive->path);
        }
        if (ends_with(name, "/data.pkl")) {
            return rl_fail(archive->context, RL_ERROR_UNSUPPORTED,
                           "%s: a file of torch.save or torch.jit.save; accepted: a .pt2 of torch.export.save",
                           archive->path);
        }
    }
    return rl_fail(archive->context, RL_ERROR_FORMAT,
                   "%s: no member 'archive_format'; accepted: a .pt2 of torch.export.save", archive->path);
}

static enum rl_status find_prefix(struct rl_archive *archive)
{
    static const char mark[] = "archive_format";
    const zip_int64_t count = zip_get_num_entries(archive->zip, 0);
    if (count > MAX_MEMBERS) {
        return rl_fail(archive->context, RL_ERROR_UNSUPPORTED, "%s: %lld members; accepted: up to %d", archive->path,
                       (long long)count, MAX_MEMBERS);
    }
    for (zip_int64_t i = 0; i < count; i++) {
        const char *name = zip_get_name(archive->zip, (zip_uint64_t)i, 0);
        if (name == NULL || !ends_with(name, mark)) {
            continue;
        }
        const size_t length = strlen(name) - strlen(mark);
        const char *slash = strchr(name, '/');
        if (length == 0 || (slash != NULL && (size_t)(slash - name) == length - 1)) {
            archive->prefix = rl_arena_format(archive->arena, "%.*s", (int)length, name);
            return RL_OK;
        }
    }
    return explain_other_file(archive);
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
        return rl_fail(archive->context, RL_ERROR_UNSUPPORTED, "%s: %s is '%.*s'; accepted: '%s'", archive->path,
                       member, (int)length, text, accepted);
    }
    return RL_OK;
}

enum rl_status rl_archive_open(struct rl_context *context, struct rl_arena *arena, const char *path,
                               struct rl_archive *archive)
{
    *archive = (struct rl_archive){.context = context, .arena = arena, .path = path, .prefix = ""};
    int code = 0;
    archive->zip = zip_open(path, ZIP_RDONLY, &code);
    if (archive->zip == NULL) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const bool io = code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ;
        rl_fail(context, io ? RL_ERROR_IO : RL_ERROR_FORMAT, "%s: cannot open as a .pt2 archive: %s", path,
                zip_error_strerror(&error));
        zip_error_fini(&error);
        return io ? RL_ERROR_IO : RL_ERROR_FORMAT;
    }
    enum rl_status status = find_prefix(archive);
    if (status == RL_OK) {
        status = check_mark(archive, "archive_format", "pt2");
    }
    if (status == RL_OK) {
        status = check_mark(archive, "archive_version", "0");
    }
    if (status == RL_OK && rl_archive_has(archive, "byteorder")) {
        status = check_mark(archive, "byteorder", "little");
    }
    return status;
}

void rl_archive_close(struct rl_archive *archive)
{
    if (archive->zip != NULL) {
        zip_discard(archive->zip);
        archive->zip = NULL;
    }
}

enum rl_status rl_archive_choose(struct rl_archive *archive, const char *start, const char *end, const char *preferred,
                                 const char **member)
{
    *member = preferred;
    if (rl_archive_has(archive, preferred)) {
        return RL_OK;
    }
    char list[512] = "";
    int found = 0;
    const zip_int64_t count = zip_get_num_entries(archive->zip, 0);
    const size_t prefix_length = strlen(archive->prefix);
    for (zip_int64_t i = 0; i < count; i++) {
        const char *name = zip_get_name(archive->zip, (zip_uint64_t)i, 0);
        if (name == NULL || strncmp(name, archive->prefix, prefix_length) != 0) {
            continue;
        }
        name += prefix_length;
        if (strncmp(name, start, strlen(start)) == 0 && ends_with(name, end)) {
            const size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", found > 0 ? ", " : "", name);
            *member = rl_arena_string(archive->arena, name);
            found++;
        }
    }
    if (found == 1) {
        return RL_OK;
    }
    if (found == 0) {
        return rl_fail(archive->context, RL_ERROR_FORMAT, "%s: member '%s%s' is missing", archive->path,
                       archive->prefix, preferred);
    }
    return rl_fail(archive->context, RL_ERROR_UNSUPPORTED, "%s: %d models (%s); accepted: one model, or one named '%s'",
                   archive->path, found, list, preferred);
}
