// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // posix_spawn_file_actions_addchdir_np: in POSIX since 2024, under another name
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void rl_process_hold_signals(struct rl_process_signals *signals)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&signals->held);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            sigaddset(&signals->held, ending[i]);
        }
    }
    sigprocmask(SIG_BLOCK, &signals->held, &signals->before);
}

void rl_process_release_signals(const struct rl_process_signals *signals)
{
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

bool rl_process_is_stopped(const struct rl_process_signals *signals)
{
    sigset_t pending;
    sigpending(&pending);
    for (int number = 1; number < NSIG; number++) {
        if (sigismember(&signals->held, number) == 1 && sigismember(&pending, number) == 1) {
            return true;
        }
    }
    return false;
}

// The child has the mask that this process had.
static int set_mask(posix_spawnattr_t *attributes, const struct rl_process_signals *signals)
{
    const int error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK);
    return error ? error : posix_spawnattr_setsigmask(attributes, &signals->before);
}

// The child changes its folder before it opens the two files. Its complaints go to `log`, a descriptor that it does not
// inherit otherwise.
static int redirect(posix_spawn_file_actions_t *actions, const struct rl_process_place *place, int log)
{
    int error = posix_spawn_file_actions_addchdir_np(actions, place->folder);
    if (!error) {
        error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, place->input, O_RDONLY, 0);
    }
    if (!error) {
        error =
            posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, place->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    }
    if (!error) {
        error = posix_spawn_file_actions_adddup2(actions, log, STDERR_FILENO); // before its number may be overwritten
    }
    return error || place->given == 0 ? error
                                      : posix_spawn_file_actions_adddup2(actions, place->given, RL_PROCESS_GIVEN);
}

// 0 or an errno.
static int spawn(char *const *arguments, const struct rl_process_place *place, int log,
                 const struct rl_process_signals *signals, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    error = set_mask(&attributes, signals);
    if (!error) {
        error = redirect(&actions, place, log);
    }
    if (!error) {
        error = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environ);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// Reads once, what there is room for; false at the end of the log, which is the end of the child.
static bool read_log(struct rl_process_child *child)
{
    char spill[1024];
    struct rl_process *process = child->process;
    const size_t room = sizeof process->log - 1 - child->used;
    const ssize_t got =
        room > 0 ? read(child->log, process->log + child->used, room) : read(child->log, spill, sizeof spill);
    if (got == 0 || (got < 0 && errno != EINTR)) {
        return false;
    }
    if (got > 0 && room > 0) {
        child->used += (size_t)got;
    }
    process->log[child->used] = '\0';
    return true;
}

// Reads until the child closes its output, which happens when it ends. Otherwise tells why it should not go on.
static enum rl_process_end collect_log(struct rl_process_child *child, long long deadline,
                                       const struct rl_process_tick *tick, const struct rl_process_signals *signals)
{
    enum { LONGEST_WAIT = 200 }; // milliseconds
    for (;;) {
        const long long left = deadline - now_milliseconds();
        struct pollfd ready = {.fd = child->log, .events = POLLIN};
        if (rl_process_is_stopped(signals)) {
            return RL_PROCESS_STOPPED;
        }
        if (left <= 0) {
            return RL_PROCESS_TIMED_OUT;
        }
        if (poll(&ready, 1, left > LONGEST_WAIT ? LONGEST_WAIT : (int)left) <= 0) {
            if (tick->call && !tick->call(tick->user)) {
                return RL_PROCESS_GIVEN_UP;
            }
            continue;
        }
        if (!read_log(child)) {
            return RL_PROCESS_EXITED;
        }
    }
}

int rl_process_start(char *const *arguments, const struct rl_process_place *place,
                     const struct rl_process_signals *signals, struct rl_process *process,
                     struct rl_process_child *child)
{
    int ends[2];
    *child = (struct rl_process_child){.process = process};
    process->log[0] = '\0';
    int error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (!error) {
        error = spawn(arguments, place, ends[1], signals, &child->number);
        close(ends[1]);
        child->log = ends[0];
        if (error) {
            close(ends[0]);
        }
    }
    if (error) {
        process->end = RL_PROCESS_NOT_STARTED;
        process->code = error;
    }
    return error;
}

// Waits for the end, which has come or is near.
static void reap(struct rl_process_child *child, enum rl_process_end end)
{
    struct rl_process *process = child->process;
    int status = 0;
    close(child->log);
    while (waitpid(child->number, &status, 0) < 0 && errno == EINTR) {
        continue;
    }
    process->end = WIFEXITED(status) ? RL_PROCESS_EXITED : RL_PROCESS_KILLED;
    if (end != RL_PROCESS_EXITED) {
        process->end = end;
    }
    process->code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

bool rl_process_goes_on(struct rl_process_child *child)
{
    struct pollfd ready = {.fd = child->log, .events = POLLIN};
    while (poll(&ready, 1, 0) > 0) {
        if (!read_log(child)) {
            return false;
        }
    }
    return true;
}

void rl_process_end(struct rl_process_child *child, int patience)
{
    const long long deadline = now_milliseconds() + patience;
    bool has_ended = !rl_process_goes_on(child);
    for (long long left = patience; left > 0 && !has_ended; left = deadline - now_milliseconds()) {
        struct pollfd ready = {.fd = child->log, .events = POLLIN};
        (void)poll(&ready, 1, (int)left);
        has_ended = !rl_process_goes_on(child);
    }
    if (!has_ended) {
        kill(child->number, SIGKILL);
    }
    reap(child, has_ended ? RL_PROCESS_EXITED : RL_PROCESS_GIVEN_UP);
}

void rl_process_run(char *const *arguments, const struct rl_process_place *place, unsigned timeout_seconds,
                    const struct rl_process_tick *tick, const struct rl_process_signals *signals,
                    struct rl_process *process)
{
    struct rl_process_child child;
    if (rl_process_start(arguments, place, signals, process, &child) != 0) {
        return;
    }
    const enum rl_process_end end = collect_log(&child, now_milliseconds() + timeout_seconds * 1000LL, tick, signals);
    if (end != RL_PROCESS_EXITED) {
        kill(child.number, SIGKILL);
    }
    reap(&child, end);
}
