// SPDX-License-Identifier: Apache-2.0
//
// Runs one program, without a shell, and keeps its output: to its end, or beside this process.
#ifndef RL_BOARDS_PROCESS_H
#define RL_BOARDS_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { RL_PROCESS_LOG_BYTES = 32768 };

enum rl_process_end {
    RL_PROCESS_EXITED,      // by itself; `code` is its exit status
    RL_PROCESS_KILLED,      // by a signal; `code` is its number
    RL_PROCESS_TIMED_OUT,   // and was killed
    RL_PROCESS_GIVEN_UP,    // killed because `tick` said so
    RL_PROCESS_STOPPED,     // killed because this process got a signal, which is pending now
    RL_PROCESS_NOT_STARTED, // `code` is errno, ENOENT when there is no such program in $PATH
};

struct rl_process {
    enum rl_process_end end;
    int code;
    char log[RL_PROCESS_LOG_BYTES]; // standard error, NUL-terminated; what does not fit is dropped
};

// Called several times a second while a program runs; when it returns false, the program is killed.
struct rl_process_tick {
    bool (*call)(const void *user); // NULL: none
    const void *user;
};

// Signals that end this process: SIGINT, SIGTERM, SIGHUP. Between these calls they wait, so that what was made can be
// removed; rl_process_run ends its program when one arrives. The second call lets them take effect.
struct rl_process_signals {
    sigset_t held;   // without those that this process ignores
    sigset_t before; // the mask of this process
};
void rl_process_hold_signals(struct rl_process_signals *signals);
void rl_process_release_signals(const struct rl_process_signals *signals);

// Whether one of them waits.
bool rl_process_is_stopped(const struct rl_process_signals *signals);

// Where a program runs, and the files there that are its standard input and output.
struct rl_process_place {
    const char *folder, *input;
    const char *output; // is made, or emptied
    int given;          // a descriptor of this process, which the program has as number RL_PROCESS_GIVEN; 0: none
};
enum { RL_PROCESS_GIVEN = 3 };

// Starts arguments[0] (searched in $PATH), and waits for at most `timeout_seconds`.
void rl_process_run(char *const *arguments, const struct rl_process_place *place, unsigned timeout_seconds,
                    const struct rl_process_tick *tick, const struct rl_process_signals *signals,
                    struct rl_process *process);

// A program that runs beside this process.
struct rl_process_child {
    pid_t number;
    int log; // its standard error
    struct rl_process *process;
    size_t used; // of its log
};

// Starts arguments[0] in the same way; 0 or an errno. `process`, which must outlive it, gets the log.
int rl_process_start(char *const *arguments, const struct rl_process_place *place,
                     const struct rl_process_signals *signals, struct rl_process *process,
                     struct rl_process_child *child);

// Collects what it has said until now. False when it has ended.
bool rl_process_goes_on(struct rl_process_child *child);

// Ends it, if it has not ended by itself within so many milliseconds, and fills `process`.
void rl_process_end(struct rl_process_child *child, int patience);

#endif
