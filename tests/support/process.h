// SPDX-License-Identifier: Apache-2.0
//
// Runs the program under test and catches what it prints. Failures to run it at all end the test through cmocka.
#ifndef RL_TESTS_SUPPORT_PROCESS_H
#define RL_TESTS_SUPPORT_PROCESS_H

#include <jansson.h>
#include <stddef.h>

struct rl_process {
    int status; // exit code; -1 when a signal ended it
    char *out, *err;
    double cpu_seconds;
    long peak_kilobytes;
};

// Words after the program's name, ended by NULL.
struct rl_process rl_process_run(const char *program, const char *const *words);
void rl_process_free(struct rl_process *process);

// Runs it, expects exit code 0 and exactly one JSON object on stdout; the caller releases the object.
json_t *rl_process_json(const char *program, const char *const *words);

// $RUSHLIGHT, the program under test, and $RUSHLIGHT_RELEASE, the one as users run it.
const char *rl_program_under_test(void);
const char *rl_release_program(void);

// "folder/name" in the scratch folder of this test run, which is removed at exit; static storage, eight at a time.
const char *rl_temporary_path(const char *name);

// The bytes of a file, NULL when it does not exist; the caller frees them.
unsigned char *rl_read_bytes(const char *path, size_t *size);

#endif
