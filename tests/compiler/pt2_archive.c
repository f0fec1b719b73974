// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zip.h>

#include "compiler/read/pt2.h"
#include "pt2_archive.h"

static char *copy_bytes(const void *data, size_t size)
{
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

void pt2_load(struct pt2_archive *archive, const char *path)
{
    *archive = (struct pt2_archive){0};
    zip_t *zip = zip_open(path, ZIP_RDONLY, NULL);
    assert_non_null(zip);
    const zip_int64_t count = zip_get_num_entries(zip, 0);
    assert_in_range(count, 1, PT2_MAX_MEMBERS);
    for (zip_int64_t i = 0; i < count; i++) {
        zip_stat_t information;
        assert_int_equal(zip_stat_index(zip, (zip_uint64_t)i, 0, &information), 0);
        struct pt2_member *member = &archive->members[archive->count++];
        member->name = copy_bytes(information.name, strlen(information.name));
        member->size = (size_t)information.size;
        member->data = calloc(1, member->size + 1);
        zip_file_t *file = zip_fopen_index(zip, (zip_uint64_t)i, 0);
        assert_true(file && member->data);
        assert_int_equal(zip_fread(file, member->data, member->size), member->size);
        zip_fclose(file);
    }
    zip_discard(zip);
}

void pt2_free(struct pt2_archive *archive)
{
    for (int i = 0; i < archive->count; i++) {
        free(archive->members[i].name);
        free(archive->members[i].data);
    }
    archive->count = 0;
}

struct pt2_member *pt2_find(struct pt2_archive *archive, const char *end)
{
    for (int i = 0; i < archive->count; i++) {
        const char *name = archive->members[i].name;
        if (strlen(name) >= strlen(end) && strcmp(name + strlen(name) - strlen(end), end) == 0) {
            return &archive->members[i];
        }
    }
    fail_msg("the archive has no member that ends with '%s'", end);
    return NULL;
}

void pt2_remove(struct pt2_archive *archive, const char *end)
{
    struct pt2_member *member = pt2_find(archive, end);
    free(member->name);
    free(member->data);
    *member = archive->members[--archive->count];
}

void pt2_set(struct pt2_archive *archive, const char *end, const void *data, size_t size)
{
    struct pt2_member *member = pt2_find(archive, end);
    char *copy = copy_bytes(data, size);
    free(member->data);
    member->data = copy;
    member->size = size;
}

static const char *find_bytes(const struct pt2_member *member, const void *bytes, size_t size)
{
    for (size_t i = 0; i + size <= member->size; i++) {
        if (memcmp(member->data + i, bytes, size) == 0) {
            return member->data + i;
        }
    }
    return NULL;
}

void pt2_replace_bytes(struct pt2_archive *archive, const char *end, const void *bytes, size_t size,
                       const void *replacement, size_t replacement_size)
{
    struct pt2_member *member = pt2_find(archive, end);
    const char *place = find_bytes(member, bytes, size);
    if (!place) {
        fail_msg("'%s' does not contain: %s", end, (const char *)bytes);
        return;
    }
    const size_t before = (size_t)(place - member->data), behind = member->size - before - size;
    char *data = calloc(1, before + replacement_size + behind + 1);
    assert_non_null(data);
    memcpy(data, member->data, before);
    memcpy(data + before, replacement, replacement_size);
    memcpy(data + before + replacement_size, place + size, behind);
    free(member->data);
    member->data = data;
    member->size = before + replacement_size + behind;
}

void pt2_replace(struct pt2_archive *archive, const char *end, const char *text, const char *replacement)
{
    pt2_replace_bytes(archive, end, text, strlen(text), replacement, strlen(replacement));
}

static const char inner_path[] = "pt2_archive_inner.pt";

void pt2_load_inner(struct pt2_archive *inner, struct pt2_archive *outer, const char *end)
{
    const struct pt2_member *member = pt2_find(outer, end);
    pt2_write_file(inner_path, member->data, member->size);
    pt2_load(inner, inner_path);
    remove(inner_path);
}

void pt2_set_inner(const struct pt2_archive *inner, struct pt2_archive *outer, const char *end)
{
    size_t size;
    pt2_save(inner, inner_path, false);
    char *data = pt2_read_file(inner_path, &size);
    remove(inner_path);
    pt2_set(outer, end, data, size);
    free(data);
}

void pt2_save(const struct pt2_archive *archive, const char *path, bool deflated)
{
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_non_null(zip);
    for (int i = 0; i < archive->count; i++) {
        const struct pt2_member *member = &archive->members[i];
        zip_source_t *source = zip_source_buffer(zip, member->data, member->size, 0);
        assert_non_null(source);
        const zip_int64_t index = zip_file_add(zip, member->name, source, 0);
        assert_true(index >= 0);
        const zip_int32_t method = deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE;
        assert_int_equal(zip_set_file_compression(zip, (zip_uint64_t)index, method, 0), 0);
    }
    assert_int_equal(zip_close(zip), 0);
}

static enum rl_status read_path(struct rl_context *context, const char *path)
{
    struct rl_arena arena = {0};
    struct rl_graph *graph;
    const enum rl_status status = rl_pt2_read(context, &arena, path, NULL, &graph);
    assert_int_equal(status == RL_OK, graph ? 1 : 0);
    assert_int_equal(status == RL_OK, context->message[0] == '\0');
    if (status == RL_OK) {
        assert_int_equal(rl_graph_verify(context, graph, "reading"), RL_OK);
    }
    rl_arena_free(&arena);
    return status;
}

void pt2_expect_read(const char *path)
{
    struct rl_context context = {0};
    if (read_path(&context, path) != RL_OK) {
        fail_msg("%s", context.message);
    }
}

void pt2_expect_refused(const char *path, enum rl_status status, const char *text)
{
    struct rl_context context = {0};
    const enum rl_status found = read_path(&context, path);
    if (found != status || !strstr(context.message, text) || !strstr(context.message, path)) {
        fail_msg("expected status %d and '%s', found %d: %s", (int)status, text, (int)found, context.message);
    }
}

char *pt2_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

void pt2_write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}
