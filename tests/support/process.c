// SPDX-License-Identifier: Apache-2.0
#include "support/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_WORDS = 32, MAX_FILES = 64 };

static char folder[64];
static char *files[MAX_FILES];
static int file_count;

static void remove_folder(void)
{
    for (int i = 0; i < file_count; i++) {
        remove(files[i]);
        free(files[i]);
    }
    rmdir(folder);
}

const char *rl_temporary_path(const char *name)
{
    char path[256];

    if (folder[0] == '\0') {
        strcpy(folder, "/tmp/rushlight-test-XXXXXX");
        assert_non_null(mkdtemp(folder));
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (int i = 0; i < file_count; i++) {
        if (strcmp(files[i], path) == 0) {
            return files[i];
        }
    }
    assert_true(file_count < MAX_FILES);
    files[file_count] = strdup(path);
    return files[file_count++];
}

unsigned char *rl_read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");

    *size = 0;
    if (!file) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static void start(const char *program, const char *const *words, const char *out, const char *err)
{
    char *arguments[MAX_WORDS + 2] = {(char *)program};

    for (int i = 0; words[i] && i < MAX_WORDS; i++) {
        arguments[i + 1] = (char *)words[i];
    }
    if (!freopen(out, "wb", stdout) || !freopen(err, "wb", stderr) || !freopen("/dev/null", "rb", stdin)) {
        _exit(126);
    }
    execv(program, arguments);
    _exit(127);
}

struct rl_process rl_process_run(const char *program, const char *const *words)
{
    struct rl_process process = {0};
    const char *out = rl_temporary_path("stdout"), *err = rl_temporary_path("stderr");
    struct rusage usage;
    size_t size;
    int status;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        start(program, words, out, err);
    }
    assert_true(child > 0);
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    process.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (process.status == 127) {
        fail_msg("%s cannot be run", program);
    }
    process.out = (char *)rl_read_bytes(out, &size);
    process.err = (char *)rl_read_bytes(err, &size);
    process.cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                          1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    process.peak_kilobytes = usage.ru_maxrss;
    return process;
}

void rl_process_free(struct rl_process *process)
{
    free(process->out);
    free(process->err);
}

json_t *rl_process_json(const char *program, const char *const *words)
{
    struct rl_process process = rl_process_run(program, words);
    json_error_t error;

    if (process.status != 0) {
        fail_msg("%s %s: exit code %d: %s", program, words[0], process.status, process.err);
    }
    json_t *object = json_loads(process.out, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(object)) {
        fail_msg("%s %s: stdout is not one JSON object: line %d: %s", program, words[0], error.line, error.text);
    }
    rl_process_free(&process);
    return object;
}

const char *rl_program_under_test(void)
{
    const char *program = getenv("RUSHLIGHT");

    if (!program) {
        fail_msg("the environment variable RUSHLIGHT must name the program under test");
    }
    return program;
}

const char *rl_release_program(void)
{
    const char *program = getenv("RUSHLIGHT_RELEASE");

    return program && access(program, X_OK) == 0 ? program : rl_program_under_test();
}
