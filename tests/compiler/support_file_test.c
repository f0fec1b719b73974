// SPDX-License-Identifier: Apache-2.0
//
// Files are written as a whole or not at all, whatever lies beside them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/data/npz.h"
#include "compiler/support/file.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 200 };

static char folder[] = "/tmp/file-test-XXXXXX";

static void join(char path[PATH_BYTES], const char *name)
{
    assert_in_range(snprintf(path, PATH_BYTES, "%s/%s", folder, name), 1, PATH_BYTES - 1);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[PATH_BYTES];
        join(path, entry->d_name);
        remove(path);
    }
    closedir(directory);
    return rmdir(folder);
}

static int count_files(void)
{
    int count = -2; // . and ..
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    while (readdir(directory)) {
        count++;
    }
    closedir(directory);
    return count;
}

static void expect_text(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static void write_text(const char *path, const char *text)
{
    struct rl_context context = {0};
    assert_int_equal(rl_file_write(&context, path, text, strlen(text)), RL_OK);
}

// Links under the names that a temporary file may have, as someone plants them who knows the number of the process.
static void planted_links_are_not_followed(void **state)
{
    (void)state;
    static const char *const patterns[] = {"%s.%ld.part", "%s.%ld.0.part", "%s.%ld.1.part"};
    char path[PATH_BYTES], victim[PATH_BYTES], planted[PATH_BYTES + 40];
    join(path, "out.pte");
    join(victim, "victim");
    write_text(victim, "untouched");
    for (int i = 0; i < 3; i++) {
        snprintf(planted, sizeof planted, patterns[i], path, (long)getpid());
        assert_int_equal(symlink(victim, planted), 0);
    }
    write_text(path, "the program");
    expect_text(path, "the program");
    expect_text(victim, "untouched");
    assert_int_equal(count_files(), 5);
}

// Where every name is taken, nothing is written over.
static void a_folder_full_of_planted_links_is_an_error(void **state)
{
    (void)state;
    struct rl_context context = {0};
    char path[PATH_BYTES], planted[PATH_BYTES + 40];
    join(path, "out.pte");
    for (int i = 0; i < 100; i++) {
        snprintf(planted, sizeof planted, "%s.%ld.%d.part", path, (long)getpid(), i);
        assert_int_equal(symlink("nowhere", planted), 0);
    }
    assert_int_equal(rl_file_write(&context, path, "text", 4), RL_ERROR_IO);
    assert_non_null(strstr(context.message, "out.pte: cannot write: File exists"));
    assert_int_equal(count_files(), 100);
}

static void files_have_the_rights_that_the_user_asks_for(void **state)
{
    (void)state;
    char path[PATH_BYTES];
    struct stat found;
    const mode_t before = umask(027);
    join(path, "out.pte");
    write_text(path, "text");
    umask(before);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0640);
}

// Nothing is left of what cannot be put in its place.
static void failures_leave_nothing(void **state)
{
    (void)state;
    struct rl_context context = {0};
    const struct rl_array array = {
        .name = "y", .dtype = RL_FLOAT32, .rank = 1, .sizes = {2}, .data = (const float[]){1, 2}};
    char path[PATH_BYTES];
    join(path, "missing/out.npz");
    assert_int_equal(rl_file_write(&context, path, "text", 4), RL_ERROR_IO);
    assert_int_equal(rl_npz_write(&context, path, &array, 1), RL_ERROR_IO);
    assert_non_null(strstr(context.message, "out.npz: cannot write: No such file or directory"));
    assert_int_equal(count_files(), 0);
}

// Signals that end the program wait; the mask is the caller's again afterwards.
static void signals_are_held_only_while_writing(void **state)
{
    (void)state;
    char path[PATH_BYTES];
    sigset_t before, after;
    join(path, "out.pte");
    assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &before), 0);
    write_text(path, "text");
    assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &after), 0);
    for (int number = 1; number < 32; number++) {
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
    }
}

// Outputs of programs take the same way.
static void archives_are_written_as_files_are(void **state)
{
    (void)state;
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    const struct rl_array array = {
        .name = "y", .dtype = RL_FLOAT32, .rank = 1, .sizes = {2}, .data = (const float[]){1, 2}};
    struct rl_array *found;
    int count;
    char path[PATH_BYTES], planted[PATH_BYTES + 40];
    join(path, "out.npz");
    snprintf(planted, sizeof planted, "%s.%ld.0.part", path, (long)getpid());
    assert_int_equal(symlink("nowhere", planted), 0);
    assert_int_equal(rl_npz_write(&context, path, &array, 1), RL_OK);
    assert_int_equal(rl_npz_read(&context, &arena, path, &found, &count), RL_OK);
    assert_int_equal(count, 1);
    assert_memory_equal(found[0].data, array.data, 2 * sizeof(float));
    assert_int_equal(count_files(), 2);
    rl_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(planted_links_are_not_followed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_folder_full_of_planted_links_is_an_error, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(files_have_the_rights_that_the_user_asks_for, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(failures_leave_nothing, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(signals_are_held_only_while_writing, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(archives_are_written_as_files_are, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
