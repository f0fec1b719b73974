// SPDX-License-Identifier: Apache-2.0
//
// Files are looked at several times a second: that works on every file system, also where changes come over a network.
#include "cli/watch.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

// ---- what files look like

// FNV-1a, of what changes with a file: its place, size and times.
static uint64_t mix(uint64_t state, const void *data, size_t size)
{
    const uint64_t prime = 0x100000001b3;
    const unsigned char *bytes = data;

    for (size_t i = 0; i < size; i++) {
        state = (state ^ bytes[i]) * prime;
    }
    return state;
}

static uint64_t look_at_file(const char *path)
{
    const uint64_t start = 0xcbf29ce484222325;
    struct stat found;

    if (stat(path, &found) != 0) {
        return 0;
    }
    const int64_t numbers[] = {(int64_t)found.st_ino, (int64_t)found.st_size, (int64_t)found.st_mtim.tv_sec,
                               (int64_t)found.st_mtim.tv_nsec};
    return mix(mix(start, path, strlen(path)), numbers, sizeof numbers);
}

// The sum does not depend on the order in which a folder lists its files.
static uint64_t look_at(const char *path)
{
    char name[4096];
    uint64_t sum = look_at_file(path);
    DIR *folder = opendir(path);

    for (const struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name) {
            sum += look_at_file(name);
        }
    }
    if (folder) {
        closedir(folder);
    }
    return sum;
}

static uint64_t look_at_all(const char *const *paths, int count)
{
    uint64_t sum = 0;

    for (int i = 0; i < count; i++) {
        sum += paths[i] ? look_at(paths[i]) : 0;
    }
    return sum;
}

static void pause_shortly(void)
{
    const struct timespec fifth = {.tv_nsec = 200000000};

    nanosleep(&fifth, NULL);
}

// Waits for a change, and until the files have stayed the same for a moment: they may still be written.
static uint64_t wait_for_change(const char *const *paths, int count, uint64_t before)
{
    uint64_t now = before, last;

    do {
        last = now;
        pause_shortly();
        now = look_at_all(paths, count);
    } while (!stopped && (now == before || now != last));
    return now;
}

// ---- runs

// A stop that reaches only this process is passed on; a stopped run removes what it made.
static void wait_for(pid_t child)
{
    bool told = false;

    for (;;) {
        const pid_t ended = waitpid(child, NULL, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR)) {
            return;
        }
        if (stopped && !told) {
            kill(child, SIGTERM);
            told = true;
        }
        const struct timespec moment = {.tv_nsec = 10000000};
        nanosleep(&moment, NULL);
    }
}

// Whether a file would lie in one of the folders.
static bool lies_in(struct rl_cli *cli, const char *file, const char *const *paths, int count)
{
    const char *slash = strrchr(file, '/');
    const char *parent = slash ? rl_arena_format(cli->arena, "%.*s/", (int)(slash - file), file) : ".";
    struct stat own, other;

    if (stat(parent, &own) != 0) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (paths[i] && stat(paths[i], &other) == 0 && other.st_dev == own.st_dev && other.st_ino == own.st_ino) {
            return true;
        }
    }
    return false;
}

bool rl_cli_watch(struct rl_cli *cli, const char *const *paths, int path_count, const char *output, int *status)
{
    const struct sigaction action = {.sa_handler = stop};
    struct sigaction interrupt, terminate;

    *status = RL_EXIT_DONE;
    if (output && lies_in(cli, output, paths, path_count)) {
        *status = rl_cli_usage_error(cli,
                                     "--watch: each run would change the folder that is watched; accepted: an --output "
                                     "outside of it, found '%s'",
                                     output);
        return false;
    }
    sigaction(SIGINT, &action, &interrupt);
    sigaction(SIGTERM, &action, &terminate);
    uint64_t state = look_at_all(paths, path_count);
    while (!stopped) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            sigaction(SIGINT, &interrupt, NULL);
            sigaction(SIGTERM, &terminate, NULL);
            return true;
        }
        if (child < 0) {
            rl_fail(&cli->context, RL_ERROR_IO, "no process can be started: %s", strerror(errno));
            *status = rl_cli_failed(cli);
            return false;
        }
        wait_for(child);
        if (!stopped) {
            fprintf(stderr, "rushlight %s: waiting for a change of the files; Ctrl-C ends\n", cli->verb->name);
            state = wait_for_change(paths, path_count, state);
        }
    }
    return false;
}
