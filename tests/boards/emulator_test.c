// SPDX-License-Identifier: Apache-2.0
//
// rl_emulate against a stand-in for QEMU: a shell script that answers in ways a real one would only by accident. Every
// ending must have its status, a message that helps, and leave no file behind.
#define _XOPEN_SOURCE   700
#define _DEFAULT_SOURCE // usleep
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulator.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct place {
    char folder[64];     // everything of one test; also where the stand-in lies and the firmware
    char temporary[100]; // $TMPDIR
    char program[100];
    char *path; // $PATH before
};

static void write_file(const struct place *place, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", place->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void make_folder(const struct place *place, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", place->folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

static int set_up(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    strcpy(place->folder, "/tmp/emulator-test-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->temporary, sizeof place->temporary, "%s/with, comma", place->folder);
    snprintf(place->program, sizeof place->program, "%s/a model.pte", place->folder);
    make_folder(place, "with, comma");
    make_folder(place, "m4");
    write_file(place, "m4/rushlight_runner.elf", "");
    write_file(place, "librl_count.so", "");
    write_file(place, "a model.pte", "the program");
    place->path = strdup(getenv("PATH"));
    char path[5000];
    snprintf(path, sizeof path, "%s:%s", place->folder, place->path);
    setenv("PATH", path, 1);
    setenv("TMPDIR", place->temporary, 1);
    setenv("RUSHLIGHT_FIRMWARE", place->folder, 1);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    static const char *const names[] = {
        "m4/rushlight_runner.elf", "m4", "librl_count.so", "a model.pte", "qemu-system-arm", "with, comma", ""};
    char path[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", place->folder, names[i]);
        remove(path);
    }
    assert_int_not_equal(access(place->folder, F_OK), 0);
    setenv("PATH", place->path, 1);
    free(place->path);
    free(place);
    return 0;
}

static void assert_empty(const char *folder)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            fail_msg("left behind: %s", entry->d_name);
        }
    }
    closedir(directory);
}

// Two samples of three bytes in, two bytes out.
static void expect_on(const struct place *place, const char *core, const char *script,
                      enum rl_emulation_status expected, const char *text)
{
    if (script) {
        write_file(place, "qemu-system-arm", script);
    }
    const struct rl_emulation job = {.core = core,
                                     .program_path = place->program,
                                     .inputs = "abcdef",
                                     .input_bytes = 3,
                                     .output_bytes = 2,
                                     .samples = 2,
                                     .timeout_seconds = 2};
    struct rl_emulation_result result;
    char message[300] = "";
    const enum rl_emulation_status status = rl_emulate(&job, &result, message, sizeof message);
    if (status != expected || !strstr(message, text)) {
        fail_msg("status %d, expected %d; message '%s', expected '%s'", status, expected, message, text);
    }
    assert_null(result.outputs);
    assert_null(result.instructions);
    assert_empty(place->temporary);
}

static void expect(const struct place *place, const char *script, enum rl_emulation_status expected, const char *text)
{
    expect_on(place, "cortex-m4", script, expected, text);
}

#define SCRIPT "#!/bin/sh\n"
#define REPORT                                                                                                         \
    "echo 'some noise' >&2\necho 'runner: status=0 samples=2 arena=100 state=20 stack=300 message=done' >&2\n"
#define OUTPUTS "printf 'RLB1\\002\\000\\000\\000\\002\\000\\000\\000wxyz'\n"
#define COUNTS  "printf '1000\\n4294967296\\n' >counts.txt\n"

static void test_success(void **state)
{
    const struct place *place = *state;
    // The stand-in accepts only the machine, the program and the inputs that it should get.
    write_file(place, "qemu-system-arm",
               SCRIPT "[ \"$1 $2\" = '-M mps2-an386' ] || exit 9\n"
                      "printf '\\013\\000\\000\\000the program\\000\\000\\000\\000"
                      "RLB1\\002\\000\\000\\000\\003\\000\\000\\000abcdef' >../expected\n"
                      "cmp ../expected - || exit 7\nrm ../expected\n"
                      "case \"$*\" in *,confine=*) ;; *) exit 6 ;; esac\n" OUTPUTS COUNTS REPORT);
    const struct rl_emulation job = {.core = "m4",
                                     .program_path = place->program,
                                     .inputs = "abcdef",
                                     .input_bytes = 3,
                                     .output_bytes = 2,
                                     .samples = 2};
    struct rl_emulation_result result;
    char message[300] = "";
    const enum rl_emulation_status status = rl_emulate(&job, &result, message, sizeof message);
    if (status != RL_EMULATION_OK) {
        fail_msg("status %d: %s", status, message);
    }
    assert_memory_equal(result.outputs, "wxyz", 4);
    assert_true(result.instructions[0] == 1000 && result.instructions[1] == 4294967296);
    assert_int_equal(result.arena_bytes, 100);
    assert_int_equal(result.state_bytes, 20);
    assert_int_equal(result.stack_bytes, 300);
    rl_emulation_free(&result);
    assert_empty(place->temporary);
}

// A profile of two samples and three operators, of which the counter tells `counts`.
static enum rl_emulation_status emulate_profile(const struct place *place, const char *counts,
                                                struct rl_emulation_result *result)
{
    char script[1000], message[300] = "";
    snprintf(script, sizeof script,
             SCRIPT "case \"$*\" in *arg=0,arg=0,arg=1*,detail=1,model=m4,flash=3,code=0x00000000-0x400000,"
                    "data=0x21000000-0x2100000b,confine=*) ;; *) exit 6 ;; esac\n" OUTPUTS REPORT
                    "printf '%s' >counts.txt\n",
             counts);
    write_file(place, "qemu-system-arm", script);
    const struct rl_emulation job = {.core = "m4",
                                     .program_path = place->program,
                                     .inputs = "abcdef",
                                     .input_bytes = 3,
                                     .output_bytes = 2,
                                     .samples = 2,
                                     .profiles = true,
                                     .operators = 3,
                                     .wait_states = 3};
    const enum rl_emulation_status status = rl_emulate(&job, result, message, sizeof message);
    if (status != RL_EMULATION_OK && !strstr(message, "the instruction counter did not see 2 inferences")) {
        fail_msg("status %d: %s", status, message);
    }
    assert_empty(place->temporary);
    return status;
}

static void test_profile(void **state)
{
    struct rl_emulation_result result;
    const enum rl_emulation_status status =
        emulate_profile(*state,
                        "inference 90 80 7 6\\noperator 0 1 2 3 4 5 6\\noperator 2 4 40 50 6 7 128\\n"
                        "inference 100 200 30 40\\n",
                        &result);
    assert_int_equal(status, RL_EMULATION_OK);
    assert_true(result.instructions[0] == 90 && result.instructions[1] == 100);
    assert_true(result.counts[0].stores == 6 && result.counts[1].cycles == 200 && result.counts[1].loads == 30);
    assert_true(result.operators[0].runs == 1 && result.operators[1].runs == 0 && result.operators[2].runs == 4);
    assert_true(result.operators[2].counts.instructions == 40 && result.operators[2].counts.cycles == 50);
    assert_int_equal(result.operators[2].stack_bytes, 128);
    rl_emulation_free(&result);
}

static void test_damaged_profile(void **state)
{
    static const char *const damaged[] = {
        "",
        "inference 90 80 7 6\\n",
        "inference 90 80 7 6\\ninference 100 200 30\\n",
        "inference 90 80 7 6\\noperator 3 1 2 3 4 5 6\\ninference 100 200 30 40\\n",
        "inference 90 80 7 6\\noperator 1 1 2 3 4\\ninference 100 200 30 40\\n",
        "90 80 7 6\\n100 200 30 40\\n",
    };
    struct rl_emulation_result result;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        assert_int_equal(emulate_profile(*state, damaged[i], &result), RL_EMULATION_FAULT);
        assert_null(result.counts);
        assert_null(result.operators);
    }
}

static void test_unknown_core(void **state)
{
    expect_on(*state, "cortex-m9", SCRIPT, RL_EMULATION_UNKNOWN_CORE,
              "'cortex-m9' is not emulated; the emulated cores are: cortex-m0, cortex-m3, cortex-m4");
}

static void test_missing_firmware(void **state)
{
    expect_on(*state, "cortex-m55", SCRIPT, RL_EMULATION_MISSING, "scripts/build --core m55");
}

static void test_missing_qemu(void **state)
{
    const struct place *place = *state;
    setenv("PATH", place->folder, 1);
    expect(place, NULL, RL_EMULATION_MISSING, "qemu-system-arm is not installed: scripts/bootstrap");
}

static void test_missing_program(void **state)
{
    struct place *place = *state;
    snprintf(place->program, sizeof place->program, "%s/other.pte", place->folder);
    expect(place, SCRIPT, RL_EMULATION_SYSTEM, "other.pte: No such file or directory");
}

static void test_no_temporary_folder(void **state)
{
    setenv("TMPDIR", "/nonexistent", 1);
    expect(*state, SCRIPT, RL_EMULATION_SYSTEM, "/nonexistent/rushlight-");
}

static void test_refused_program(void **state)
{
    expect(*state,
           SCRIPT "echo 'runner: status=2 samples=0 arena=0 state=0 stack=0 message=damaged, at byte 7' >&2\nexit 1\n",
           RL_EMULATION_REFUSED, "a model.pte: on emulated cortex-m4: damaged, at byte 7");
}

static void test_fault(void **state)
{
    expect(*state, SCRIPT "echo 'fault: BusFault: somewhere' >&2\nexit 99\n", RL_EMULATION_FAULT,
           "stopped with a fault: BusFault: somewhere");
}

static void test_silent_ends(void **state)
{
    expect(*state, SCRIPT "exit 0\n", RL_EMULATION_FAULT, "ended without a result (exit status 0)");
    expect(*state, SCRIPT "echo lockup >&2\nexit 5\n", RL_EMULATION_FAULT, "(exit status 5): lockup");
    expect(*state, SCRIPT "kill -SEGV $$\n", RL_EMULATION_FAULT, "ended without a result (signal 11)");
    expect(*state, SCRIPT "echo 'runner: status=0 samples=2' >&2\n", RL_EMULATION_FAULT, "ended without a result");
}

static void test_no_confinement(void **state)
{
    expect(*state, SCRIPT "echo 'rl_count: cannot confine the emulator: no seccomp' >&2\nexit 1\n", RL_EMULATION_SYSTEM,
           "cannot confine the emulator: no seccomp, so that a hostile program could use your files "
           "(RUSHLIGHT_UNCONFINED=1 allows it)");
    setenv("RUSHLIGHT_UNCONFINED", "1", 1);
    expect(*state, SCRIPT "case \"$*\" in *confine*) ;; *) echo 'not confined' >&2 ;; esac\n", RL_EMULATION_FAULT,
           "not confined");
    unsetenv("RUSHLIGHT_UNCONFINED");
}

static void test_wrong_results(void **state)
{
    expect(*state, SCRIPT REPORT, RL_EMULATION_FAULT, "did not return 2 outputs of 2 bytes");
    expect(*state, SCRIPT REPORT "printf 'RLB1\\002\\000\\000\\000\\002\\000\\000\\000wxy'\n", RL_EMULATION_FAULT,
           "did not return 2 outputs of 2 bytes");
    expect(*state, SCRIPT REPORT OUTPUTS "printf '1000\\n' >counts.txt\n", RL_EMULATION_FAULT,
           "the instruction counter did not see 2 inferences");
}

static void test_timeout(void **state)
{
    expect(*state, SCRIPT "exec sleep 60\n", RL_EMULATION_TIMEOUT, "no result on emulated cortex-m4 within 2 seconds");
}

// Emulates a stand-in that notes its number and then never ends.
static void emulate_endlessly(const struct place *place)
{
    const struct rl_emulation job = {.core = "m4",
                                     .program_path = place->program,
                                     .data_path = place->program,
                                     .inputs = "abcdef",
                                     .input_bytes = 3,
                                     .output_bytes = 2,
                                     .samples = 2,
                                     .timeout_seconds = 30};
    struct rl_emulation_result result;
    char message[300] = "";
    rl_emulate(&job, &result, message, sizeof message);
    _exit(0); // not reached: the signal that stopped the emulation ends this process, too
}

static pid_t wait_for_number(const struct place *place)
{
    char path[200];
    long number = 0;
    snprintf(path, sizeof path, "%s/number", place->folder);
    for (int tries = 0; tries < 2000 && number == 0; tries++) {
        FILE *file = fopen(path, "r");
        if (!file || fscanf(file, "%ld\n", &number) != 1) {
            usleep(10000);
        }
        if (file) {
            fclose(file);
        }
    }
    assert_true(number > 0);
    assert_int_equal(unlink(path), 0);
    return (pid_t)number;
}

static void test_signals(void **state)
{
    const struct place *place = *state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    write_file(place, "qemu-system-arm", SCRIPT "echo $$ >../../number\nexec sleep 60\n");
    for (int i = 0; i < 3; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            signal(SIGHUP, i < 2 ? SIG_IGN : SIG_DFL); // as under nohup
            emulate_endlessly(place);
        }
        int status;
        const pid_t emulator = wait_for_number(place);
        if (i < 2) {
            assert_int_equal(kill(child, SIGHUP), 0);
        }
        assert_int_equal(kill(child, signals[i]), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_int_equal(kill(emulator, 0), -1);
        assert_empty(place->temporary);
    }
}

static void test_long_log(void **state)
{
    expect(*state, SCRIPT "yes | head -c 1000000 >&2\nexit 4\n", RL_EMULATION_FAULT, "(exit status 4)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_success, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_profile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damaged_profile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_core, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_firmware, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_qemu, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_program, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_temporary_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused_program, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fault, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_silent_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_confinement, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_results, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_timeout, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_signals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_log, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
