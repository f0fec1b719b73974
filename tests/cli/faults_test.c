// SPDX-License-Identifier: Apache-2.0
//
// Every allocation of the program fails once, and so does every call that changes a file. Each run must end by itself
// with a message, and leave the old output or the new one, whole, and nothing else; or do all that it would have done
// anyway. A stop between any two of those calls loses nothing. Takes each call that changes a file, and one allocation
// in several; with --all, each allocation of what a small model needs.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "compiler/data/npz.h"
#include "support/process.h"

#define SMALL   RL_FIXTURES "/pt2/channels_last.pt2"
#define PICTURE RL_FIXTURES "/media/interlaced.png"
#define PHOTO   RL_FIXTURES "/media/progressive.jpg"

enum {
    SAMPLE = 3 * 4 * 5,
    ROUNDING = 256, // bytes by which the same blocks may differ, depending on what was free
};

// How many of the calls are tried.
static enum { FEW, MANY, EVERY } tried = FEW;
static char folder[600], output[600], mark[600], left[600], program[600], data[600], problem[600], temporary[600];

struct command {
    const char *name;
    const char *words[10];
    enum {
        WRITES = 1,
        IS_LARGE = 2, // has too many calls for each to fail
        EMULATES = 4,
    } traits;
};

static const struct command commands[] = {
    {"compile digits", {"compile", MODEL, "-o", output, "--calibrate", CALIBRATION}, WRITES | IS_LARGE},
    {"compile", {"compile", SMALL, "-o", output, "--calibrate", data}, WRITES},
    {"compile with the model's samples", {"compile", SMALL, "-o", output, "--json"}, WRITES},
    {"inspect a model", {"inspect", SMALL}, 0},
    {"inspect a program", {"inspect", program, "--json"}, 0},
    {"run", {"run", program, "--input", data, "-o", output}, WRITES},
    {"run on an image", {"run", program, "--input", PICTURE, "--resize", "input", "-o", output}, WRITES},
    {"run on a photo", {"run", program, "--input", PHOTO, "--resize", "input", "--json"}, 0},
    {"run on a core", {"run", program, "--on", "m4", "-o", output}, WRITES | EMULATES},
    {"run with JSON", {"run", program, "--json"}, 0},
    {"profile", {"profile", program, "--on", "m4", "--compare", program}, EMULATES},
    {"evaluate", {"evaluate", SMALL, program, "--data", data}, 0},
    {"check", {"check", SMALL, program, "--data", data, "--agreement", "0", "--json"}, 0},
    {"plan", {"plan", problem}, 0},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char old_output[] = "what was there before";

static void write_old_output(void)
{
    FILE *file = fopen(output, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(old_output, 1, sizeof old_output, file), sizeof old_output);
    assert_int_equal(fclose(file), 0);
}

// Removes the lines that tell how long it took.
static void cut_times(char *text)
{
    char *kept = text;
    for (char *line = text; *line;) {
        const size_t length = strcspn(line, "\n") + (strchr(line, '\n') ? 1 : 0);
        const char *seconds = strstr(line, "seconds");
        if (!seconds || seconds >= line + length) {
            memmove(kept, line, length);
            kept += length;
        }
        line += length;
    }
    *kept = '\0';
}

struct good {
    char *out;
    long not_freed; // bytes at the end, of buffers of the libraries
    unsigned char *file;
    size_t file_bytes;
};

// The emulator's folders are made in a folder that is empty otherwise.
static void expect_no_folder(const struct command *command, const char *fault)
{
    if (rmdir(temporary) != 0) {
        fail_msg("%s, %s: a folder is left in %s", command->name, fault, temporary);
    }
    assert_int_equal(mkdir(temporary, 0700), 0);
}

// Whether the firmware is there that a command needs.
static bool can_run(const struct command *command)
{
    char path[1024];
    const char *firmware = getenv("RUSHLIGHT_FIRMWARE");
    snprintf(path, sizeof path, "%s/m4/rushlight_runner.elf", firmware ? firmware : ".");
    if (!(command->traits & EMULATES) || access(path, R_OK) == 0) {
        return true;
    }
    print_message("left out: %s, because there is no %s: scripts/build --core m4\n", command->name, path);
    return false;
}

static struct rl_process run_preloaded(const struct command *command)
{
    const char *const *words = command->words;
    setenv("RL_FAULT_MARK", mark, 1);
    setenv("RL_FAULT_LEFT", left, 1);
    unlink(mark);
    unlink(left);
    return rl_process_run("/usr/bin/env",
                          (const char *[]){"LD_PRELOAD=" RL_FAULT_INJECTOR, rl_release_program(), words[0], words[1],
                                           words[2], words[3], words[4], words[5], words[6], words[7], NULL});
}

static long read_not_freed(void)
{
    long number = -1;
    FILE *file = fopen(left, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld", &number), 1);
    fclose(file);
    return number;
}

static struct good run_undisturbed(const struct command *command)
{
    struct good good = {0};
    unsetenv("RL_FAULT");
    struct rl_process process = run_preloaded(command);
    if (process.status != 0) {
        fail_msg("%s: %s", command->name, process.err);
    }
    cut_times(process.out);
    good.out = process.out;
    good.not_freed = read_not_freed();
    free(process.err);
    if (command->traits & WRITES) {
        good.file = rl_read_bytes(output, &good.file_bytes);
        assert_non_null(good.file);
    }
    return good;
}

static void free_good(struct good *good)
{
    free(good->out);
    free(good->file);
}

enum state { OLD, NEW };

static enum state state_of_output(const struct command *command, const char *fault, const struct good *good)
{
    size_t size;
    unsigned char *bytes = rl_read_bytes(output, &size);
    if (!bytes) {
        fail_msg("%s, %s: the output has gone", command->name, fault);
    }
    const bool is_old = size == sizeof old_output && memcmp(bytes, old_output, size) == 0;
    const bool is_new = good->file && size == good->file_bytes && memcmp(bytes, good->file, size) == 0;
    free(bytes);
    if (!is_old && !is_new) {
        fail_msg("%s, %s: the output is neither the old one nor the new one", command->name, fault);
    }
    return is_new ? NEW : OLD;
}

// The number of files in the folder that are not part of the test; removes them.
static int remove_leftovers(void)
{
    int count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (strstr(entry->d_name, ".part")) {
            char path[1200];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            unlink(path);
            count++;
        }
    }
    closedir(directory);
    return count;
}

// Runs a command with a fault. False if the program has ended before the call that was to fail.
static bool disturb(const struct command *command, const char *fault, struct rl_process *process)
{
    write_old_output();
    setenv("RL_FAULT", fault, 1);
    *process = run_preloaded(command);
    unsetenv("RL_FAULT");
    return access(mark, F_OK) == 0;
}

static void judge(const struct command *command, const char *fault, struct rl_process *process, const struct good *good)
{
    const enum state state = state_of_output(command, fault, good);
    if (process->status != 0 && process->status != 1) {
        fail_msg("%s, %s: exit code %d, message '%s'", command->name, fault, process->status, process->err);
    }
    if (process->status == 1 && process->err[0] == '\0') {
        fail_msg("%s, %s: an error without a message", command->name, fault);
    }
    cut_times(process->out);
    if (process->status == 0 &&
        (strcmp(process->out, good->out) != 0 || ((command->traits & WRITES) && state == OLD))) {
        fail_msg("%s, %s: exit code 0, but it printed\n%s\ninstead of\n%s", command->name, fault, process->out,
                 good->out);
    }
    if (read_not_freed() > good->not_freed + ROUNDING) {
        fail_msg("%s, %s: %ld bytes are not freed, %ld without the fault", command->name, fault, read_not_freed(),
                 good->not_freed);
    }
    if (remove_leftovers() > 0) {
        fail_msg("%s, %s: a temporary file is left", command->name, fault);
    }
    expect_no_folder(command, fault);
}

static long after(const struct command *command, long call)
{
    static const long parts[] = {[FEW] = 5, [MANY] = 40, [EVERY] = 100};
    const bool each = call < 16 || (tried == EVERY && !(command->traits & IS_LARGE));
    return each ? call + 1 : call + 1 + call / parts[tried];
}

static void each_allocation_fails_once(void **state)
{
    (void)state;
    for (int i = 0; i < COMMANDS; i++) {
        if (!can_run(&commands[i])) {
            continue;
        }
        struct good good = run_undisturbed(&commands[i]);
        bool struck = true;
        long runs = 0;
        for (long call = 1; struck; call = after(&commands[i], call), runs++) {
            char fault[64];
            struct rl_process process;
            snprintf(fault, sizeof fault, "alloc:%ld", call);
            struck = disturb(&commands[i], fault, &process);
            judge(&commands[i], fault, &process, &good);
            assert_true(struck || process.status == 0);
            rl_process_free(&process);
        }
        print_message("%s: %ld runs\n", commands[i].name, runs);
        free_good(&good);
    }
}

// The files of an emulation are not tried: nothing can remove a folder whose files cannot be removed.
static bool changes_files(const struct command *command)
{
    return (command->traits & (WRITES | EMULATES)) == WRITES;
}

static void each_change_of_a_file_fails_once(void **state)
{
    (void)state;
    static const char *const errors[] = {"ENOSPC", "EIO", "EINTR", "short"};
    for (int i = 0; i < COMMANDS; i++) {
        if (!changes_files(&commands[i])) {
            continue;
        }
        struct good good = run_undisturbed(&commands[i]);
        for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++) {
            bool struck = true;
            for (long call = 1; struck; call++) {
                char fault[64];
                struct rl_process process;
                snprintf(fault, sizeof fault, "file:%ld:%s", call, errors[k]);
                struck = disturb(&commands[i], fault, &process);
                judge(&commands[i], fault, &process, &good);
                assert_true(process.status == 0 || strcmp(errors[k], "short") != 0);
                rl_process_free(&process);
            }
        }
        free_good(&good);
    }
}

static void a_stop_loses_nothing(void **state)
{
    (void)state;
    static const char *const places[] = {"before", "after"};
    for (int i = 0; i < COMMANDS; i++) {
        if (!changes_files(&commands[i])) {
            continue;
        }
        struct good good = run_undisturbed(&commands[i]);
        int states[2] = {0, 0};
        for (size_t k = 0; k < 2; k++) {
            bool struck = true;
            for (long call = 1; struck; call++) {
                char fault[64];
                struct rl_process process;
                snprintf(fault, sizeof fault, "file:%ld:%s", call, places[k]);
                struck = disturb(&commands[i], fault, &process);
                states[state_of_output(&commands[i], fault, &good)]++;
                assert_int_equal(process.status, struck ? -1 : 0);
                assert_true(remove_leftovers() <= 1); // nothing can remove it after SIGKILL
                rl_process_free(&process);
            }
        }
        assert_true(states[OLD] > 0 && states[NEW] > 0);
        free_good(&good);
    }
}

static void a_full_standard_output_is_an_error(void **state)
{
    (void)state;
    for (int i = 0; i < COMMANDS; i++) {
        if (!can_run(&commands[i])) {
            continue;
        }
        char line[4096];
        size_t used = (size_t)snprintf(line, sizeof line, "exec '%s'", rl_release_program());
        for (int k = 0; k < 8 && commands[i].words[k]; k++) {
            used += (size_t)snprintf(line + used, sizeof line - used, " '%s'", commands[i].words[k]);
        }
        snprintf(line + used, sizeof line - used, " >/dev/full");
        struct rl_process process = rl_process_run("/bin/sh", (const char *[]){"-c", line, NULL});
        if (process.status != 1 || !strstr(process.err, "cannot be written")) {
            fail_msg("%s: exit code %d, message '%s'", commands[i].name, process.status, process.err);
        }
        rl_process_free(&process);
    }
}

// A program and two samples: small, so that there are few calls.
static int set_up(void **state)
{
    (void)state;
    snprintf(output, sizeof output, "%s", rl_temporary_path("output"));
    snprintf(mark, sizeof mark, "%s", rl_temporary_path("mark"));
    snprintf(temporary, sizeof temporary, "%s", rl_temporary_path("temporary"));
    assert_int_equal(mkdir(temporary, 0700), 0);
    setenv("TMPDIR", temporary, 1);
    snprintf(left, sizeof left, "%s", rl_temporary_path("left"));
    snprintf(program, sizeof program, "%s", rl_temporary_path("digits.pte"));
    snprintf(data, sizeof data, "%s", rl_temporary_path("data.npz"));
    snprintf(problem, sizeof problem, "%s", rl_temporary_path("problem.csv"));
    memcpy(folder, output, sizeof folder);
    *strrchr(folder, '/') = '\0';
    static float samples[2 * SAMPLE];
    for (int i = 0; i < 2 * SAMPLE; i++) {
        samples[i] = (float)(i * 37 % 101) / 100;
    }
    struct rl_context context = {0};
    const struct rl_array array = {.name = "x", .dtype = RL_FLOAT32, .rank = 4, .sizes = {2, 3, 4, 5}, .data = samples};
    assert_int_equal(rl_npz_write(&context, data, &array, 1), RL_OK);
    FILE *file = fopen(problem, "w");
    assert_non_null(file);
    assert_true(fputs("lower,upper,size\n0,2,16\n1,3,32\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    json_decref(
        rl_process_json(rl_release_program(), (const char *[]){"compile", SMALL, "-o", program, "--json", NULL}));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        tried = strcmp(argv[1], "--all") == 0 ? EVERY : MANY;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_fails_once),
        cmocka_unit_test(each_change_of_a_file_fails_once),
        cmocka_unit_test(a_stop_loses_nothing),
        cmocka_unit_test(a_full_standard_output_is_an_error),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
