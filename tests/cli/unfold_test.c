// SPDX-License-Identifier: Apache-2.0
//
// Archives that unfold to far more than their size, and archives whose directory lies: what nothing uses is not read,
// and what is used has a limit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/digits.h"
#include "compiler/data/npz.h"
#include "compiler/pt2_archive.h"
#include "support/process.h"

enum { MEGABYTE = 1 << 20, HEADER = 128 };

// A .npy of zeros, [samples, 1, 8, 8]. The caller frees it.
static char *make_zeros(unsigned samples, size_t *size)
{
    *size = HEADER + (size_t)samples * 64 * sizeof(float);
    char *npy = calloc(*size + 1, 1);
    assert_non_null(npy);
    memcpy(npy, "\x93NUMPY\x01\x00\x76\x00", 10);
    const int length =
        snprintf(npy + 10, HEADER - 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, 1, 8, 8), }", samples);
    memset(npy + 10 + length, ' ', (size_t)(HEADER - 11 - length));
    npy[HEADER - 1] = '\n';
    return npy;
}

static void add(struct pt2_archive *archive, const char *name, const char *data, size_t size)
{
    struct pt2_member *member = &archive->members[archive->count++];
    *member = (struct pt2_member){.name = malloc(strlen(name) + 1), .data = malloc(size + 1), .size = size};
    assert_non_null(member->name);
    assert_non_null(member->data);
    memcpy(member->name, name, strlen(name) + 1);
    memcpy(member->data, data, size);
    member->data[size] = '\0';
}

static void add_zeros(struct pt2_archive *archive, const char *name, unsigned samples)
{
    size_t size;
    char *npy = make_zeros(samples, &size);
    add(archive, name, npy, size);
    free(npy);
}

// Large archives are made in a process of their own: a program that is started has the peak of the one that starts it.
static const char *make(const char *name, void (*fill)(struct pt2_archive *archive))
{
    const char *path = rl_temporary_path(name);
    const pid_t child = fork();
    if (child == 0) {
        struct pt2_archive archive = {0};
        fill(&archive);
        pt2_save(&archive, path, true);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return path;
}

static struct rl_process calibrate(const char *data, const char *limit)
{
    return rl_process_run(rl_release_program(),
                          (const char *[]){"compile", MODEL, "-o", rl_temporary_path("unfold.pte"), "--calibrate", data,
                                           limit ? "--max-unpacked" : NULL, limit, NULL});
}

static void expect(const char *data, const char *limit, int status, const char *text, long most_kilobytes)
{
    struct rl_process process = calibrate(data, limit);
    if (process.status != status || !strstr(process.err, text)) {
        fail_msg("exit code %d, expected %d; message '%s', expected '%s'", process.status, status, process.err, text);
    }
    if (process.peak_kilobytes > most_kilobytes) {
        fail_msg("%ld KB, at most %ld are expected (%s)", process.peak_kilobytes, most_kilobytes, process.err);
    }
    rl_process_free(&process);
}

static void fill_unused(struct pt2_archive *archive)
{
    char name[32];
    add_zeros(archive, "image.npy", 4);
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "unused%d.npy", i);
        add_zeros(archive, name, 4 * MEGABYTE / 256);
    }
    add(archive, "text.npy", "not a .npy", 10);
}

static void unused_arrays_are_not_read(void **state)
{
    (void)state;
    const char *path = make("unused.npz", fill_unused);
    expect(path, NULL, 0, "5 more arrays are not used", 24 * 1024);
}

static void fill_used(struct pt2_archive *archive)
{
    add_zeros(archive, "image.npy", 130 * MEGABYTE / 256);
}

static void what_is_used_has_a_limit(void **state)
{
    (void)state;
    const char *path = make("used.npz", fill_used);
    expect(path, NULL, 1, "with 'image' it unfolds to more than 134217728 bytes", 40 * 1024);
    expect(path, "100K", 1, "unfolds to more than 102400 bytes", 40 * 1024);
    // Beyond the limit there is only the check of the shape, before anything is read.
    const char *model = RL_FIXTURES "/reports/pair.pt2";
    struct rl_process process =
        rl_process_run(rl_release_program(), (const char *[]){"compile", model, "-o", rl_temporary_path("unfold.pte"),
                                                              "--calibrate", path, "--max-unpacked", "200M", NULL});
    assert_int_equal(process.status, 1);
    if (strstr(process.err, "unfolds")) {
        fail_msg("%s", process.err);
    }
    assert_true(process.peak_kilobytes < 40 * 1024);
    rl_process_free(&process);
}

static void honest_files_need_no_option(void **state)
{
    (void)state;
    expect(CALIBRATION, NULL, 0, "", 40 * 1024);
    struct pt2_archive archive = {0};
    add_zeros(&archive, "image.npy", 1 * MEGABYTE / 256); // compressed a thousand times
    const char *path = rl_temporary_path("honest.npz");
    pt2_save(&archive, path, true);
    pt2_free(&archive);
    expect(path, NULL, 0, "every number of input 'image' is 0", 80 * 1024);
    expect(path, "512K", 1, "unfolds to more than 524288 bytes", 40 * 1024);
}

// Replaces the bytes wherever they are; returns how often.
static int replace_all(char *data, size_t size, const char *from, const char *to, size_t length)
{
    int count = 0;
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(data + i, from, length) == 0) {
            memcpy(data + i, to, length);
            count++;
        }
    }
    return count;
}

static void no_array_is_there_twice(void **state)
{
    (void)state;
    struct pt2_archive archive = {0};
    add_zeros(&archive, "image.npy", 4);
    add_zeros(&archive, "imagf.npy", 8);
    const char *path = rl_temporary_path("twice.npz");
    pt2_save(&archive, path, true);
    size_t size;
    char *bytes = pt2_read_file(path, &size);
    assert_int_equal(replace_all(bytes, size, "imagf", "image", 5), 2); // its header and the directory
    pt2_write_file(path, bytes, size);
    free(bytes);
    expect(path, NULL, 1, "member 'image.npy' is there twice", 40 * 1024);

    add_zeros(&archive, "image", 8); // of the same name, without the ending
    pt2_save(&archive, path, true);
    pt2_free(&archive);
    expect(path, NULL, 1, "array 'image' is there twice", 40 * 1024);
}

// The directory's entry of the only member.
static char *find_directory(char *bytes, size_t size)
{
    for (size_t i = 0; i + 46 <= size; i++) {
        if (memcmp(bytes + i, "PK\x01\x02", 4) == 0) {
            return bytes + i;
        }
    }
    fail_msg("no directory");
    return NULL;
}

static void directories_that_lie_are_refused(void **state)
{
    (void)state;
    enum { STORED = 20, UNPACKED = 24 }; // u32 each
    static const struct {
        bool deflated;
        uint32_t size, stored; // 0: as it is
        const char *message;
    } cases[] = {
        {false, 4000000, 0, "cannot be 4000000 bytes"},
        {true, 4000000, 0, "cannot be 4000000 bytes"},
        {true, 40000, 0, "is damaged"},
        {true, 1000, 0, "fewer bytes than its shape says"},
        {false, 1000, 0, "fewer bytes than its shape says"},
        {false, 100000000, 100000000, "cannot take 100000000 bytes: the file has"},
        {true, 100000000, 1000000, "cannot take 1000000 bytes: the file has"},
    };
    const char *path = rl_temporary_path("lies.npz");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pt2_archive archive = {0};
        add_zeros(&archive, "image.npy", 16);
        pt2_save(&archive, path, cases[i].deflated);
        pt2_free(&archive);
        size_t size;
        char *bytes = pt2_read_file(path, &size);
        char *entry = find_directory(bytes, size);
        for (int k = 0; k < 4; k++) {
            entry[UNPACKED + k] = (char)(cases[i].size >> (8 * k));
            entry[STORED + k] = cases[i].stored > 0 ? (char)(cases[i].stored >> (8 * k)) : entry[STORED + k];
        }
        pt2_write_file(path, bytes, size);
        free(bytes);
        expect(path, NULL, 1, cases[i].message, 40 * 1024);
    }
}

static void fill_weights(struct pt2_archive *archive)
{
    const size_t size = 66 * (size_t)MEGABYTE; // of one; both are used
    char *zeros = calloc(size, 1);
    assert_non_null(zeros);
    pt2_load(archive, RL_FIXTURES "/pt2/shared_storage.pt2");
    pt2_set(archive, "data/weights/weight_1", zeros, size);
    pt2_set(archive, "data/weights/weight_2", zeros, size);
    free(zeros);
}

static void weights_have_the_same_limit(void **state)
{
    (void)state;
    const char *path = make("weights.pt2", fill_weights);
    struct rl_process process = rl_process_run(rl_release_program(), (const char *[]){"inspect", path, NULL});
    assert_int_equal(process.status, 1);
    assert_non_null(strstr(process.err, "unfolds to more than 134217728 bytes"));
    assert_true(process.peak_kilobytes < 128 * 1024);
    rl_process_free(&process);
    process = rl_process_run(rl_release_program(), (const char *[]){"inspect", path, "--max-unpacked", "200M", NULL});
    assert_int_equal(process.status, 0);
    assert_null(strstr(process.out, "unfolds"));
    rl_process_free(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unused_arrays_are_not_read),       cmocka_unit_test(what_is_used_has_a_limit),
        cmocka_unit_test(honest_files_need_no_option),      cmocka_unit_test(no_array_is_there_twice),
        cmocka_unit_test(directories_that_lie_are_refused), cmocka_unit_test(weights_have_the_same_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
