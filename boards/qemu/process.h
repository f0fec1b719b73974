// SPDX-License-Identifier: Apache-2.0
//
// Runs one program to its end, without a shell, and keeps its output.
#ifndef RL_BOARDS_PROCESS_H
#define RL_BOARDS_PROCESS_H

enum { RL_PROCESS_LOG_BYTES = 32768 };

enum rl_process_end {
    RL_PROCESS_EXITED,      // by itself; `code` is its exit status
    RL_PROCESS_KILLED,      // by a signal; `code` is its number
    RL_PROCESS_TIMED_OUT,   // and was killed
    RL_PROCESS_NOT_STARTED, // `code` is errno, ENOENT when there is no such program in $PATH
};

struct rl_process {
    enum rl_process_end end;
    int code;
    char log[RL_PROCESS_LOG_BYTES]; // standard output and error, NUL-terminated; what does not fit is dropped
};

// Called several times a second while a program runs.
struct rl_process_tick {
    void (*call)(const void *user); // NULL: none
    const void *user;
};

// Starts arguments[0] (searched in $PATH) in `folder`, with no input, and waits for at most `timeout_seconds`.
void rl_process_run(char *const *arguments, const char *folder, unsigned timeout_seconds,
                    const struct rl_process_tick *tick, struct rl_process *process);

#endif
