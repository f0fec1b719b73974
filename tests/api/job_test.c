// SPDX-License-Identifier: Apache-2.0
//
// librushlight.so gives what the program `rushlight` gives: the same bytes, the same objects, the same sentences; from
// memory and from files; in several threads; and nothing on the standard streams.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "rushlight/compiler.h"
#include "rushlight/version.h"
#include "support/process.h"

#define MODEL       RL_FIXTURES "/digits/digits.pt2"
#define CALIBRATION RL_FIXTURES "/digits/calibration.npz"
#define EVALUATION  RL_FIXTURES "/digits/test.npz"

static unsigned char *program; // what the command line makes of the model
static size_t program_size;

static int compile_by_program(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("digits.pte");
    json_decref(rl_process_json(rl_program_under_test(),
                                (const char *[]){"compile", MODEL, "-o", path, "--calibrate", CALIBRATION, "--target",
                                                 "cortex-m4", "--json", NULL}));
    program = rl_read_bytes(path, &program_size);
    return program ? 0 : -1;
}

static int free_program(void **state)
{
    (void)state;
    free(program);
    return 0;
}

// A job that compiles the model as above, from its bytes.
static struct rl_job *new_compilation(const void *model, size_t size)
{
    struct rl_job *job = rl_job_new("compile");
    assert_non_null(job);
    rl_job_operand(job, "model.pt2");
    rl_job_file(job, "model.pt2", model, size);
    rl_job_option(job, "target", "cortex-m4");
    rl_job_option(job, "calibrate", CALIBRATION);
    rl_job_option(job, "output", "model.pte");
    rl_job_keep(job, "model.pte");
    return job;
}

static void expect_done(struct rl_job *job)
{
    const enum rl_job_status status = rl_job_run(job);
    if (status != RL_JOB_DONE) {
        fail_msg("status %d: %s", status, rl_job_message(job));
    }
    assert_string_equal(rl_job_message(job), "");
}

static void expect_program(const struct rl_job *job)
{
    size_t size;
    const void *bytes = rl_job_kept(job, "model.pte", &size);
    assert_non_null(bytes);
    assert_int_equal(size, program_size);
    assert_memory_equal(bytes, program, size);
}

static void test_bytes_of_the_command_line(void **state)
{
    (void)state;
    size_t size, other_size;
    unsigned char *model = rl_read_bytes(MODEL, &size);
    struct rl_job *job = new_compilation(model, size);

    assert_string_equal(rl_job_version(), RL_VERSION_STRING);
    expect_done(job);
    expect_program(job);
    json_t *report = json_loads(rl_job_result(job), 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(report, "program_bytes")), program_size);
    json_decref(report);
    assert_null(rl_job_kept(job, "other.pte", &other_size));
    assert_int_equal(other_size, 0);
    assert_int_equal(rl_job_run(job), RL_JOB_USAGE); // once
    rl_job_free(job);
    rl_job_free(NULL);
    free(model);
}

// Arrays of a caller are what the same arrays in a file are, and what comes out are arrays again.
static void test_arrays(void **state)
{
    (void)state;
    size_t size;
    unsigned char *samples = rl_read_bytes(EVALUATION, &size);
    struct rl_job *job = rl_job_new("run");
    rl_job_operand(job, "model.pte");
    rl_job_file(job, "model.pte", program, program_size);
    rl_job_option(job, "input", "samples.npz");
    rl_job_file(job, "samples.npz", samples, size);
    rl_job_option(job, "output", "out.npz");
    rl_job_option(job, "no-elements", NULL);
    rl_job_keep(job, "out.npz");
    expect_done(job);
    struct rl_job_array all;
    assert_int_equal(rl_job_kept_array(job, "out.npz", 0, &all), 1);
    assert_string_equal(all.dtype, "float32");
    assert_int_equal(all.rank, 2);
    assert_int_equal(all.sizes[1], 10);
    struct rl_job_array none;
    assert_int_equal(rl_job_kept_array(job, "out.npz", 1, &none), 0);
    assert_int_equal(rl_job_kept_array(job, "out.npz", -1, &none), 0);
    assert_int_equal(rl_job_kept_array(job, "in.npz", 0, &none), 0);
    assert_null(strstr(rl_job_result(job), "\"data\""));

    float image[3 * 64];
    for (int i = 0; i < 3 * 64; i++) {
        image[i] = (float)(i % 17) / 16.0f;
    }
    const int64_t sizes[] = {3, 1, 8, 8};
    const struct rl_job_array array = {.name = "input", .dtype = "float32", .rank = 4, .sizes = sizes, .data = image};
    struct rl_job *again = rl_job_new("run");
    rl_job_operand(again, "model.pte");
    rl_job_file(again, "model.pte", program, program_size);
    rl_job_option(again, "input", "memory.npz");
    rl_job_array(again, "memory.npz", &array);
    rl_job_option(again, "on", "cortex-m4");
    rl_job_option(again, "output", "out.npz");
    rl_job_keep(again, "out.npz");
    expect_done(again);
    struct rl_job_array three;
    assert_int_equal(rl_job_kept_array(again, "out.npz", 0, &three), 1);
    assert_int_equal(three.sizes[0], 3);
    rl_job_free(again);
    rl_job_free(job);
    free(samples);
}

static void expect_refused_array(const char *dtype, int rank, int64_t first, const char *sentence)
{
    static const float elements[4];
    const int64_t sizes[16] = {first, INT64_MAX / 2, 1, 1, 1, 1, 1, 1, 1};
    const struct rl_job_array array = {.name = "x", .dtype = dtype, .rank = rank, .sizes = sizes, .data = elements};
    struct rl_job *job = rl_job_new("run");
    rl_job_operand(job, "model.pte");
    rl_job_file(job, "model.pte", program, program_size);
    rl_job_option(job, "input", "x.npz");
    rl_job_array(job, "x.npz", &array);
    assert_int_equal(rl_job_run(job), RL_JOB_FAILED);
    assert_string_equal(rl_job_message(job), sentence);
    rl_job_free(job);
}

static void test_refused_arrays(void **state)
{
    (void)state;
    expect_refused_array("float8", 1, 1,
                         "x.npz: array 'x' has elements of type 'float8'; accepted: float32, float64, float16, int8, "
                         "int16, int32, int64, uint8, bool");
    expect_refused_array("float32", 9, 1, "x.npz: array 'x' has 9 dimensions; accepted: 0 to 8");
    expect_refused_array("float32", -1, 1, "x.npz: array 'x' has -1 dimensions; accepted: 0 to 8");
    expect_refused_array("float32", 1, -1, "x.npz: array 'x' has size -1 in dimension 0");
    expect_refused_array("float32", 2, 3, "x.npz: array 'x' has size 4611686018427387903 in dimension 1");
}

// The same words to the program and to the library: the same exit status and the same sentence.
static void expect_same(const char *verb, const char *operand, const char *option, const char *value)
{
    const char *words[] = {verb, operand, NULL, NULL, NULL};
    char line[64];
    snprintf(line, sizeof line, "--%s", option ? option : "");
    words[2] = option ? line : NULL;
    words[3] = option ? value : NULL;
    struct rl_process process = rl_process_run(rl_program_under_test(), words);
    struct rl_job *job = rl_job_new(verb);
    rl_job_operand(job, operand);
    if (option) {
        rl_job_option(job, option, value);
    }
    char expected[4096];
    const int status = rl_job_run(job);
    const int length = snprintf(expected, sizeof expected, "rushlight %s: %s\n", verb, rl_job_message(job));
    assert_int_equal(status, process.status);
    assert_null(rl_job_result(job));
    if (strncmp(process.err, expected, (size_t)length) != 0) {
        fail_msg("the program says '%s', the library '%s'", process.err, expected);
    }
    rl_job_free(job);
    rl_process_free(&process);
}

static void test_sentences_of_the_command_line(void **state)
{
    (void)state;
    expect_same("run", "missing.pte", NULL, NULL);
    expect_same("run", MODEL, NULL, NULL);
    expect_same("run", MODEL, "onn", "host");
    expect_same("run", MODEL, "on", "cortex-m44");
    expect_same("run", MODEL, "max-steps", "many");
    expect_same("compile", CALIBRATION, "output", "x.pte");
    expect_same("compile", MODEL, "target", "cortex-m5");
    expect_same("compile", MODEL, NULL, NULL);
    expect_same("fit", MODEL, "board", "nano");
    expect_same("evaluate", MODEL, NULL, NULL);
    expect_same("inspect", "missing.pt2", NULL, NULL);
}

static void expect_usage(struct rl_job *job, const char *sentence)
{
    assert_int_equal(rl_job_run(job), RL_JOB_USAGE);
    assert_string_equal(rl_job_message(job), sentence);
    assert_null(rl_job_result(job));
    rl_job_free(job);
}

static void test_what_only_a_library_can_be_asked(void **state)
{
    (void)state;
    static const char *const text[] = {"csv", "dump-after", "explain", "json", "watch"};

    expect_usage(rl_job_new("compil"), "there is no verb 'compil' (did you mean 'compile'?)");
    expect_usage(rl_job_new(""), "there is no verb ''");
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct rl_job *job = rl_job_new("run");
        char sentence[128];
        rl_job_option(job, text[i], NULL);
        snprintf(sentence, sizeof sentence, "option '--%s' is for the command line: the result is JSON", text[i]);
        expect_usage(job, sentence);
    }
    struct rl_job *job = rl_job_new("run");
    rl_job_option(job, "on", NULL);
    expect_usage(job, "option '--on' needs a value");
    job = rl_job_new("run");
    rl_job_option(job, "require-checksum", "yes");
    expect_usage(job, "option '--require-checksum' does not take a value");
    // A clock that ends the process has no place in a library.
    job = rl_job_new("run");
    rl_job_operand(job, "model.pte");
    rl_job_file(job, "model.pte", program, program_size);
    rl_job_option(job, "timeout", "1");
    assert_int_equal(rl_job_run(job), RL_JOB_FAILED);
    assert_non_null(strstr(rl_job_message(job), "can be cancelled"));
    rl_job_free(job);
}

// A verb that compiles the model once more finds it in memory, too: the same object as from files.
static void expect_same_object(const char *verb, bool has_program, const char *const *keys)
{
    const char *path = rl_temporary_path("digits.pte");
    size_t size;
    unsigned char *model = rl_read_bytes(MODEL, &size);
    json_t *expected = rl_process_json(
        rl_program_under_test(), has_program ? (const char *[]){verb, MODEL, path, "--data", EVALUATION, "--json", NULL}
                                             : (const char *[]){verb, MODEL, "--json", NULL});
    struct rl_job *job = rl_job_new(verb);
    rl_job_operand(job, "model.pt2");
    rl_job_file(job, "model.pt2", model, size);
    if (has_program) {
        rl_job_operand(job, "model.pte");
        rl_job_file(job, "model.pte", program, program_size);
        rl_job_option(job, "data", EVALUATION);
    }
    expect_done(job);
    json_t *found = json_loads(rl_job_result(job), 0, NULL);
    for (; *keys; keys++) {
        assert_true(json_array_size(json_object_get(expected, *keys)) > 0);
        assert_true(json_equal(json_object_get(expected, *keys), json_object_get(found, *keys)));
    }
    json_decref(expected);
    json_decref(found);
    rl_job_free(job);
    free(model);
}

static void test_objects_of_the_command_line(void **state)
{
    (void)state;
    expect_same_object("evaluate", true, (const char *[]){"layers", "outputs", "culprits", NULL});
    expect_same_object("inspect", false, (const char *[]){"nodes", "memory_map", "quantizer", NULL});
}

// A result is there although a demand is not met.
static void test_failed_check(void **state)
{
    (void)state;
    struct rl_job *job = rl_job_new("check");
    rl_job_operand(job, MODEL);
    rl_job_operand(job, "model.pte");
    rl_job_file(job, "model.pte", program, program_size);
    rl_job_option(job, "data", EVALUATION);
    rl_job_option(job, "top1", "1");
    assert_int_equal(rl_job_run(job), RL_JOB_FAILED);
    assert_string_equal(rl_job_message(job), "");
    assert_non_null(strstr(rl_job_result(job), "\"passed\":false"));
    rl_job_free(job);
}

// ---- threads

struct work {
    pthread_t thread;
    const void *model;
    size_t size;
    bool is_right;
};

static void *compile_in_thread(void *user)
{
    struct work *work = user;
    struct rl_job *job = new_compilation(work->model, work->size);
    size_t size;
    work->is_right = rl_job_run(job) == RL_JOB_DONE;
    const void *bytes = rl_job_kept(job, "model.pte", &size);
    work->is_right = work->is_right && size == program_size && memcmp(bytes, program, size) == 0;
    rl_job_free(job);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    enum { THREADS = 6 };
    struct work works[THREADS];
    size_t size;
    unsigned char *model = rl_read_bytes(MODEL, &size);
    for (int i = 0; i < THREADS; i++) {
        works[i] = (struct work){.model = model, .size = size};
        assert_int_equal(pthread_create(&works[i].thread, NULL, compile_in_thread, &works[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(works[i].thread, NULL);
        assert_true(works[i].is_right);
    }
    free(model);
}

// ---- listeners and giving up

struct heard {
    struct rl_job *job;
    int warnings, lines;
    bool cancels;
};

static void listen(void *user, enum rl_job_event event, const char *text)
{
    struct heard *heard = user;
    heard->warnings += event == RL_JOB_WARNING;
    heard->lines += event == RL_JOB_PROGRESS && text[0] != '\0';
    if (heard->cancels && event == RL_JOB_PROGRESS) {
        rl_job_cancel(heard->job);
    }
}

static void test_warnings(void **state)
{
    (void)state;
    struct heard heard = {0};
    struct rl_job *job = rl_job_new("compile"); // without data: the sample in the model, and a warning
    rl_job_operand(job, MODEL);
    rl_job_option(job, "output", "model.pte");
    rl_job_keep(job, "model.pte");
    rl_job_listen(job, listen, &heard);
    expect_done(job);
    assert_int_equal(heard.warnings, 1);
    rl_job_free(job);
}

static void test_cancelled_before(void **state)
{
    (void)state;
    size_t size;
    unsigned char *model = rl_read_bytes(MODEL, &size);
    struct rl_job *job = new_compilation(model, size);
    rl_job_cancel(job);
    assert_int_equal(rl_job_run(job), RL_JOB_CANCELLED);
    assert_string_equal(rl_job_message(job), "cancelled");
    assert_null(rl_job_kept(job, "model.pte", &size));
    rl_job_free(job);
    free(model);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Work that takes minutes ends when its first line says how long it will take.
static void expect_cancelled(const char *core, int64_t samples)
{
    const int64_t sizes[] = {samples, 1, 8, 8};
    float *elements = calloc((size_t)samples * 64, sizeof *elements);
    const struct rl_job_array array = {
        .name = "input", .dtype = "float32", .rank = 4, .sizes = sizes, .data = elements};
    struct rl_job *job = rl_job_new("run");
    struct heard heard = {.job = job, .cancels = true};
    rl_job_operand(job, "model.pte");
    rl_job_file(job, "model.pte", program, program_size);
    rl_job_option(job, "input", "x.npz");
    rl_job_array(job, "x.npz", &array);
    rl_job_option(job, "on", core);
    rl_job_listen(job, listen, &heard);
    const double start = seconds();
    assert_int_equal(rl_job_run(job), RL_JOB_CANCELLED);
    assert_true(seconds() - start < 60);
    assert_string_equal(rl_job_message(job), "cancelled");
    assert_int_equal(heard.lines, 1);
    rl_job_free(job);
    free(elements);
}

static void test_cancelled_on_the_way(void **state)
{
    (void)state;
    expect_cancelled("host", 400000);
    expect_cancelled("cortex-m4", 40000);
}

// ---- the process around

static void test_nothing_is_printed(void **state)
{
    (void)state;
    const char *path = rl_temporary_path("printed");
    size_t size;
    fflush(NULL);
    const int out = dup(1), err = dup(2), file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, 1);
    dup2(file, 2);
    test_bytes_of_the_command_line(state);
    test_failed_check(state);
    test_warnings(state);
    struct rl_job *job = rl_job_new("inspect");
    rl_job_operand(job, MODEL);
    rl_job_run(job);
    rl_job_free(job);
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    close(file);
    unsigned char *printed = rl_read_bytes(path, &size);
    assert_int_equal(size, 0);
    free(printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_of_the_command_line),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_refused_arrays),
        cmocka_unit_test(test_sentences_of_the_command_line),
        cmocka_unit_test(test_what_only_a_library_can_be_asked),
        cmocka_unit_test(test_objects_of_the_command_line),
        cmocka_unit_test(test_failed_check),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_cancelled_before),
        cmocka_unit_test(test_cancelled_on_the_way),
        cmocka_unit_test(test_nothing_is_printed),
    };
    return cmocka_run_group_tests(tests, compile_by_program, free_program);
}
