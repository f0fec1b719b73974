// SPDX-License-Identifier: Apache-2.0
//
// A library for LD_PRELOAD that lets one call of a program fail. The environment says which:
//
//     RL_FAULT=alloc:N          the N-th allocation of memory, also of libraries, returns NULL
//     RL_FAULT=file:N:HOW       the N-th call that changes files: open, write, fsync, close, rename, unlink
//     RL_FAULT_MARK=PATH        is made when the call has come, so that the caller knows how many there are
//     RL_FAULT_LEFT=PATH        gets the bytes that are allocated when the program ends
//
// HOW is ENOSPC, EIO or EINTR, for an error; short, for a write of half the bytes; before or after, for a SIGKILL then.
// Calls count from the start of main. Children of the program are left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long allocations_left, calls_left; // until the fault; 0: none
static char how[16], mark[512], left[512];
static long not_freed;

__attribute__((constructor)) static void start(void)
{
    const char *fault = getenv("RL_FAULT"), *path = getenv("RL_FAULT_MARK");
    unsetenv("LD_PRELOAD");
    unsetenv("RL_FAULT");
    const char *end_path = getenv("RL_FAULT_LEFT");
    if (end_path && strlen(end_path) < sizeof left) {
        strcpy(left, end_path);
    }
    if (!fault || !path || strlen(path) >= sizeof mark) {
        return;
    }
    strcpy(mark, path);
    char *end = NULL;
    if (strncmp(fault, "alloc:", 6) == 0) {
        allocations_left = strtol(fault + 6, NULL, 10);
    } else if (strncmp(fault, "file:", 5) == 0) {
        const long call = strtol(fault + 5, &end, 10);
        if (*end == ':' && strlen(end + 1) < sizeof how) {
            strcpy(how, end + 1);
            calls_left = call;
        }
    }
}

// Writes a file, not through functions of this library.
static void note(const char *path, const char *text, size_t bytes)
{
    const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    syscall(SYS_write, file, text, bytes);
    syscall(SYS_close, file);
}

__attribute__((destructor)) static void finish(void)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%ld", not_freed);
    if (left[0]) {
        note(left, text, (size_t)length);
    }
}

static void *counted(void *block)
{
    not_freed += (long)malloc_usable_size(block);
    return block;
}

static bool is_last(long *left)
{
    if (*left == 0 || --*left > 0) {
        return false;
    }
    note(mark, "", 0);
    return true;
}

// ISO C has no conversion of what dlsym returns.
static void find(const char *name, void *function, size_t bytes)
{
    void *const found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, bytes);
}

// ---- memory

// For what dlsym itself allocates.
static _Alignas(16) char early[4096];
static size_t early_used;

static bool is_early(const void *block)
{
    return (uintptr_t)block >= (uintptr_t)early && (uintptr_t)block < (uintptr_t)early + sizeof early;
}

static void *take_early(size_t size)
{
    const size_t rounded = (size + 15) / 16 * 16;
    if (rounded > sizeof early - early_used) {
        abort();
    }
    early_used += rounded;
    return early + early_used - rounded;
}

static bool allocation_fails(void)
{
    if (is_last(&allocations_left)) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

void *calloc(size_t count, size_t size)
{
    static void *(*original)(size_t, size_t);
    static bool looking;
    if (looking) {
        return take_early(count * size);
    }
    if (!original) {
        looking = true;
        find("calloc", &original, sizeof original);
        looking = false;
    }
    return allocation_fails() ? NULL : counted(original(count, size));
}

void *malloc(size_t size)
{
    static void *(*original)(size_t);
    static bool looking;
    if (looking) {
        return take_early(size);
    }
    if (!original) {
        looking = true;
        find("malloc", &original, sizeof original);
        looking = false;
    }
    return allocation_fails() ? NULL : counted(original(size));
}

void *realloc(void *block, size_t size)
{
    static void *(*original)(void *, size_t);
    if (!original) {
        find("realloc", &original, sizeof original);
    }
    if (allocation_fails()) {
        return NULL;
    }
    const long before = (long)malloc_usable_size(block);
    void *const moved = original(block, size);
    not_freed -= moved ? before : 0;
    return counted(moved);
}

void free(void *block)
{
    static void (*original)(void *);
    if (is_early(block)) {
        return;
    }
    if (!original) {
        find("free", &original, sizeof original);
    }
    not_freed -= (long)malloc_usable_size(block);
    original(block);
}

// ---- files

// 0 if the call goes on, else its errno. `*bytes` of a write may become fewer.
static int strike(size_t *bytes)
{
    static const struct {
        const char *name;
        int error;
    } errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EINTR", EINTR}};
    if (!is_last(&calls_left)) {
        return 0;
    }
    if (strcmp(how, "before") == 0) {
        raise(SIGKILL);
    }
    if (strcmp(how, "short") == 0 && bytes) {
        *bytes = (*bytes + 1) / 2;
    }
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (strcmp(how, errors[i].name) == 0) {
            errno = errors[i].error;
            return errno;
        }
    }
    return 0;
}

static void end_after(bool was_last)
{
    if (was_last && strcmp(how, "after") == 0) {
        raise(SIGKILL);
    }
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
    va_end(arguments);
    const bool last = calls_left == 1;
    if (strike(NULL)) {
        return -1;
    }
    const long result = syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    end_after(last);
    return (int)result;
}

ssize_t write(int file, const void *data, size_t bytes)
{
    const bool last = calls_left == 1;
    if (strike(&bytes)) {
        return -1;
    }
    const ssize_t result = syscall(SYS_write, file, data, bytes);
    end_after(last);
    return result;
}

int fsync(int file)
{
    const bool last = calls_left == 1;
    if (strike(NULL)) {
        return -1;
    }
    const long result = syscall(SYS_fsync, file);
    end_after(last);
    return (int)result;
}

// As Linux does, closes the file in any case.
int close(int file)
{
    const bool last = calls_left == 1;
    const int error = strike(NULL);
    const long result = syscall(SYS_close, file);
    end_after(last);
    if (error) {
        errno = error;
    }
    return error ? -1 : (int)result;
}

int rename(const char *from, const char *to)
{
    const bool last = calls_left == 1;
    if (strike(NULL)) {
        return -1;
    }
    const long result = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    end_after(last);
    return (int)result;
}

int unlink(const char *path)
{
    const bool last = calls_left == 1;
    if (strike(NULL)) {
        return -1;
    }
    const long result = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    end_after(last);
    return (int)result;
}
