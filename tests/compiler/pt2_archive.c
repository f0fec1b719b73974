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

void pt2_replace(struct pt2_archive *archive, const char *end, const char *text, const char *replacement)
{
    struct pt2_member *member = pt2_find(archive, end);
    char *place = strstr(member->data, text);
    if (!place) {
        fail_msg("'%s' does not contain: %s", end, text);
        return;
    }
    const size_t before = (size_t)(place - member->data);
    const size_t size = member->size - strlen(text) + strlen(replacement);
    char *data = malloc(size + 1);
    assert_non_null(data);
    memcpy(data, member->data, before);
    memcpy(data + before, replacement, strlen(replacement));
    strcpy(data + before + strlen(replacement), place + strlen(text));
    free(member->data);
    member->data = data;
    member->size = size;
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
