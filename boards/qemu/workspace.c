// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // dladdr1
#include "workspace.h"
#include "../runner/batch.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {RL_WORKSPACE_INPUTS,  RL_WORKSPACE_OUTPUTS, RL_WORKSPACE_COUNTS,
                                    RL_WORKSPACE_COUNTER, RL_WORKSPACE_IMAGE,   RL_WORKSPACE_PROGRAM};

static bool join(char path[RL_PATH_BYTES], const struct rl_workspace *workspace, const char *name)
{
    const int length = snprintf(path, RL_PATH_BYTES, "%s/%s", workspace->folder, name);
    return length > 0 && length < RL_PATH_BYTES;
}

static FILE *open_in(const struct rl_workspace *workspace, const char *name, const char *mode)
{
    char path[RL_PATH_BYTES];
    return join(path, workspace, name) ? fopen(path, mode) : NULL;
}

int rl_workspace_create(struct rl_workspace *workspace)
{
    const char *parent = getenv("TMPDIR");
    const int length = snprintf(workspace->folder, sizeof workspace->folder, "%s/rushlight-XXXXXX",
                                parent && *parent ? parent : "/tmp");
    if (length < 0 || (size_t)length >= sizeof workspace->folder) {
        return ENAMETOOLONG;
    }
    return mkdtemp(workspace->folder) ? 0 : errno;
}

int rl_workspace_link(const struct rl_workspace *workspace, const char *target, const char *name)
{
    char path[RL_PATH_BYTES];
    if (!join(path, workspace, name)) {
        return ENAMETOOLONG;
    }
    char *absolute = realpath(target, NULL);
    if (!absolute) {
        return errno;
    }
    const int error = symlink(absolute, path) == 0 ? 0 : errno;
    free(absolute);
    return error;
}

static int append_bytes(FILE *target, struct rl_file_bytes file)
{
    uint8_t length[4] = {0};
    rl_batch_store_u32(length, (uint32_t)file.size);
    if (file.size > UINT32_MAX) {
        return EFBIG;
    }
    const bool written = fwrite(length, 1, sizeof length, target) == sizeof length &&
                         fwrite(file.bytes, 1, file.size, target) == file.size;
    return written ? 0 : errno;
}

// Appends a file, with its length in front.
static int append_file(FILE *target, const char *path, struct rl_file_bytes known)
{
    uint8_t length[4] = {0};
    if (known.bytes) {
        return append_bytes(target, known);
    }
    char block[16384];
    struct stat information;
    FILE *source = path ? fopen(path, "rb") : NULL;
    if (path && (!source || fstat(fileno(source), &information) != 0)) {
        const int error = errno;
        if (source) {
            fclose(source);
        }
        return error;
    }
    uint64_t left = source ? (uint64_t)information.st_size : 0;
    rl_batch_store_u32(length, (uint32_t)left);
    int error = left > UINT32_MAX ? EFBIG : 0;
    if (!error && fwrite(length, 1, sizeof length, target) != sizeof length) {
        error = errno;
    }
    while (!error && left > 0) {
        const size_t got = fread(block, 1, left < sizeof block ? (size_t)left : sizeof block, source);
        if (got == 0) {
            error = ferror(source) ? errno : EIO; // shorter than it was
        } else if (fwrite(block, 1, got, target) != got) {
            error = errno;
        }
        left -= got;
    }
    if (source) {
        fclose(source);
    }
    return error;
}

static int append_samples(FILE *target, const struct rl_workspace_input *input)
{
    uint8_t header[RL_BATCH_HEADER_BYTES];
    const struct rl_batch_header numbers = {.samples = input->count, .sample_bytes = (uint32_t)input->sample_bytes};
    rl_batch_encode_header(header, numbers);
    const size_t bytes = input->count * input->sample_bytes;
    const bool written =
        fwrite(header, 1, sizeof header, target) == sizeof header && fwrite(input->samples, 1, bytes, target) == bytes;
    return written ? 0 : errno;
}

int rl_workspace_write_input(const struct rl_workspace *workspace, const char *name,
                             const struct rl_workspace_input *input, const char **failed)
{
    *failed = workspace->folder;
    if (input->sample_bytes > UINT32_MAX || (input->count > 0 && input->sample_bytes > SIZE_MAX / input->count)) {
        return EFBIG;
    }
    FILE *file = open_in(workspace, name, "wb");
    if (!file) {
        return errno;
    }
    int error = append_file(file, input->program_path, input->program);
    *failed = error ? input->program_path : *failed;
    if (!error) {
        error = append_file(file, input->data_path, input->data);
        *failed = error ? input->data_path : *failed;
    }
    if (!error) {
        error = append_samples(file, input);
    }
    if (fclose(file) != 0 && !error) {
        error = errno;
    }
    return error;
}

bool rl_workspace_read_batch(const struct rl_workspace *workspace, const char *name, uint8_t *samples, uint32_t count,
                             size_t sample_bytes)
{
    FILE *file = open_in(workspace, name, "rb");
    if (!file) {
        return false;
    }
    uint8_t bytes[RL_BATCH_HEADER_BYTES];
    struct rl_batch_header header;
    const bool complete = fread(bytes, 1, sizeof bytes, file) == sizeof bytes &&
                          rl_batch_decode_header(bytes, &header) && header.samples == count &&
                          header.sample_bytes == sample_bytes &&
                          fread(samples, 1, count * sample_bytes, file) == count * sample_bytes && fgetc(file) == EOF;
    fclose(file);
    return complete;
}

bool rl_workspace_read_counts(const struct rl_workspace *workspace, const char *name, uint64_t *counts, uint32_t count)
{
    FILE *file = open_in(workspace, name, "r");
    if (!file) {
        return false;
    }
    uint32_t found = 0;
    while (found < count && fscanf(file, "%" SCNu64, &counts[found]) == 1) {
        found++;
    }
    fclose(file);
    return found == count;
}

// Reads a line of an operator, behind its first word.
static bool read_operator(FILE *file, struct rl_operator_counts *operators, uint32_t operator_count)
{
    uint32_t index = 0;
    struct rl_operator_counts found;
    struct rl_counts *counts = &found.counts;
    const int fields =
        fscanf(file, "%" SCNu32 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu32, &index, &found.runs,
               &counts->instructions, &counts->cycles, &counts->loads, &counts->stores, &found.stack_bytes);
    if (fields != 7 || index >= operator_count) {
        return false;
    }
    operators[index] = found;
    return true;
}

bool rl_workspace_read_profile(const struct rl_workspace *workspace, const char *name, struct rl_counts *counts,
                               uint32_t count, struct rl_operator_counts *operators, uint32_t operator_count)
{
    FILE *file = open_in(workspace, name, "r");
    if (!file) {
        return false;
    }
    char word[16];
    uint32_t found = 0;
    bool is_right = true;
    while (is_right && found < count && fscanf(file, "%15s", word) == 1) {
        if (strcmp(word, "operator") == 0) {
            is_right = read_operator(file, operators, operator_count);
            continue;
        }
        struct rl_counts *next = &counts[found++];
        is_right = strcmp(word, "inference") == 0 &&
                   fscanf(file, "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64, &next->instructions, &next->cycles,
                          &next->loads, &next->stores) == 4;
    }
    fclose(file);
    return is_right && found == count;
}

// The file that this was loaded from: the program, or the library.
static bool find_own_file(char path[RL_PATH_BYTES])
{
    Dl_info information;
    struct link_map *map = NULL;
    if (dladdr1(names, &information, (void **)&map, RTLD_DL_LINKMAP) != 0 && map && map->l_name[0]) {
        return snprintf(path, RL_PATH_BYTES, "%s", map->l_name) < RL_PATH_BYTES;
    }
    const ssize_t length = readlink("/proc/self/exe", path, RL_PATH_BYTES - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

bool rl_workspace_own_folder(char folder[RL_PATH_BYTES])
{
    char *slash = find_own_file(folder) ? strrchr(folder, '/') : NULL;
    if (!slash) {
        return false;
    }
    *slash = '\0';
    return true;
}

bool rl_workspace_firmware_folder(char folder[RL_PATH_BYTES])
{
    const char *chosen = getenv("RUSHLIGHT_FIRMWARE");
    if (chosen && *chosen) {
        return snprintf(folder, RL_PATH_BYTES, "%s", chosen) < RL_PATH_BYTES;
    }
    return rl_workspace_own_folder(folder);
}

void rl_workspace_remove(const struct rl_workspace *workspace)
{
    char path[RL_PATH_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (join(path, workspace, names[i])) {
            unlink(path);
        }
    }
    rmdir(workspace->folder);
}
