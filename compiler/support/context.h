// SPDX-License-Identifier: Apache-2.0
//
// The reports of a host-side call (the first error message, and a callback for progress and warnings), what its files
// may cost, what is done to its data, and whether the caller still wants it.
#ifndef RL_COMPILER_SUPPORT_CONTEXT_H
#define RL_COMPILER_SUPPORT_CONTEXT_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "rushlight/status.h"

struct rl_memory_file;
struct rl_preparation;

enum rl_log_level { RL_LOG_WARNING, RL_LOG_PROGRESS };

// Zero-initialise to use. The library never prints and never exits.
struct rl_context {
    char message[1024]; // the message of the first error; "" if there is none
    void (*log)(void *user, enum rl_log_level level, const char *message);
    void *user;
    int threads;           // that compute at once; 0: one a core
    uint64_t max_unpacked; // bytes that one ZIP archive or image may unfold to; 0: as rl_zip_limit says
    const struct rl_preparation *preparation; // of images, recordings and tables (media/preparation.h); NULL: none
    struct rl_memory_file *files;             // that lie in memory instead of on the disk (memory_files.h); NULL: none
    const atomic_bool *is_cancelled;          // set by another thread when the caller gives up; NULL: it never does
};

// A context with a message of its own and no listener, for a try whose errors are not the caller's, or for a thread. It
// reads the same files within the same limits, and ends when the other one does.
struct rl_context rl_context_apart(const struct rl_context *context);

// An error once the caller has given up; asked where long work goes from one step to the next.
enum rl_status rl_check_cancelled(struct rl_context *context);

// Records the message unless one is there already (the first error is the cause, later ones its effects) and returns
// `status`. Form: "file: node 'x' (op): expected A, found B; accepted: ...".
enum rl_status rl_fail(struct rl_context *context, enum rl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void rl_log(struct rl_context *context, enum rl_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
