// SPDX-License-Identifier: Apache-2.0
//
// A job of the library (rushlight/compiler.h).
#ifndef RL_API_JOB_H
#define RL_API_JOB_H

#include "cli/cli.h"
#include "compiler/support/memory_files.h"
#include "rushlight/compiler.h"

// An array that a caller adds to a file.
struct rl_job_part {
    struct rl_memory_file *file;
    struct rl_job_array array;
    struct rl_job_part *next;
};

// Texts and lists but for the verb are in `arena`, as is all that the verb allocates; what is kept has memory of its
// own. `lacks_memory` makes the functions that prepare a job do nothing.
struct rl_job {
    struct rl_arena arena;
    struct rl_cli cli;
    struct rl_cli_capture capture;
    struct rl_memory_file *files;
    char *verb;
    const char **operands;
    struct rl_cli_word *words;
    struct rl_job_part *parts, **parts_end;
    int operand_count, word_count;
    void (*listener)(void *user, enum rl_job_event event, const char *text);
    void *user;
    atomic_bool is_cancelled;
    bool lacks_memory, has_run;
};

// Does `step` with memory of the job, if there is enough and the job has not run yet.
void rl_prepare_job(struct rl_job *job, void (*step)(struct rl_job *job, const void *what), const void *what);

// Turns the arrays of the caller into the bytes of their files.
enum rl_status rl_pack_job(struct rl_job *job);

#endif
