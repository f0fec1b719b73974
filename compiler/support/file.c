// SPDX-License-Identifier: Apache-2.0
#include "compiler/support/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/support/memory_files.h"

static enum rl_status fail_with_errno(struct rl_context *context, const char *path, const char *action)
{
    return rl_fail(context, RL_ERROR_IO, "%s: cannot %s: %s", path, action, strerror(errno));
}

enum rl_status rl_file_size(struct rl_context *context, const char *path, uint64_t *size)
{
    const struct rl_memory_file *memory = rl_memory_file_find(context, path);
    struct stat information;
    *size = memory ? memory->size : 0;
    if (memory) {
        return RL_OK;
    }
    if (stat(path, &information) != 0) {
        return fail_with_errno(context, path, "open");
    }
    if (!S_ISREG(information.st_mode)) {
        return rl_fail(context, RL_ERROR_IO, "%s: cannot read: not a regular file", path);
    }
    *size = (uint64_t)information.st_size;
    return RL_OK;
}

enum rl_status rl_file_read_start(struct rl_context *context, const char *path, void *bytes, size_t room, size_t *count)
{
    const struct rl_memory_file *memory = rl_memory_file_find(context, path);
    *count = memory && memory->size < room ? memory->size : room;
    if (memory) {
        memcpy(bytes, memory->data ? memory->data : "", *count);
        return RL_OK;
    }
    *count = 0;
    FILE *file = fopen(path, "rb");
    if (!file) {
        return fail_with_errno(context, path, "open");
    }
    *count = fread(bytes, 1, room, file);
    const enum rl_status status = ferror(file) ? fail_with_errno(context, path, "read") : RL_OK;
    fclose(file);
    return status;
}

enum rl_status rl_file_read(struct rl_context *context, struct rl_arena *arena, const char *path, void **data,
                            size_t *size)
{
    uint64_t expected;
    enum rl_status status = rl_file_size(context, path, &expected);
    if (status == RL_OK && expected >= SIZE_MAX) {
        status = rl_fail(context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", path);
    }
    if (status != RL_OK) {
        return status;
    }
    // Allocates before the stream is open, because the arena may leave this function by a jump.
    *data = rl_arena_alloc(arena, (size_t)expected + 1);
    return rl_file_read_start(context, path, *data, (size_t)expected, size);
}

static bool write_all(int descriptor, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    while (size > 0) {
        const ssize_t written = write(descriptor, bytes, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static enum rl_status write_directly(struct rl_context *context, const char *path, const void *data, size_t size)
{
    const int descriptor = open(path, O_WRONLY);
    if (descriptor < 0) {
        return fail_with_errno(context, path, "open");
    }
    const bool written = write_all(descriptor, data, size);
    if (close(descriptor) != 0 || !written) {
        return fail_with_errno(context, path, "write");
    }
    return RL_OK;
}

// Opens a file that did not exist before, beside `path`. Names that others made, links among them, are left alone.
static int open_temporary(const char *path, char *temporary, size_t room)
{
    enum { MOST_TRIES = 100 };
    int descriptor = -1;
    for (int i = 0; i < MOST_TRIES && descriptor < 0; i++) {
        snprintf(temporary, room, "%s.%ld.%d.part", path, (long)getpid(), i);
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (descriptor < 0 && errno != EEXIST) {
            break;
        }
    }
    return descriptor;
}

// Makes the new name last, too. Not every file system can; the file itself is safe.
static void sync_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) {
        slash[slash == path ? 1 : 0] = '\0';
    }
    const int descriptor = open(slash ? path : ".", O_RDONLY);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
}

static enum rl_status write_and_rename(struct rl_context *context, const char *path, char *temporary, size_t room,
                                       const void *data, size_t size)
{
    const int descriptor = open_temporary(path, temporary, room);
    if (descriptor < 0) {
        return fail_with_errno(context, path, "write");
    }
    const bool written = write_all(descriptor, data, size) && fsync(descriptor) == 0;
    if (close(descriptor) != 0 || !written || rename(temporary, path) != 0) {
        const enum rl_status status = fail_with_errno(context, path, "write");
        unlink(temporary);
        return status;
    }
    sync_folder(temporary);
    return RL_OK;
}

// Signals that end the program wait until the temporary file is gone.
static void hold_signals(sigset_t *before)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigprocmask(SIG_BLOCK, &ending, before);
}

enum rl_status rl_file_write(struct rl_context *context, const char *path, const void *data, size_t size)
{
    struct rl_memory_file *memory = rl_memory_file_find(context, path);
    struct stat information;
    if (memory) {
        return rl_memory_file_write(context, memory, data, size);
    }
    if (stat(path, &information) == 0 && !S_ISREG(information.st_mode)) {
        return write_directly(context, path, data, size);
    }
    const size_t room = strlen(path) + 48;
    char *temporary = malloc(room);
    if (!temporary) {
        return rl_fail(context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", path);
    }
    sigset_t before;
    hold_signals(&before);
    const enum rl_status status = write_and_rename(context, path, temporary, room, data, size);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(temporary);
    return status;
}
