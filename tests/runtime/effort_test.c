// SPDX-License-Identifier: Apache-2.0
//
// Verification takes time linear in the file, or says why it stops, for programs that name the same tables and lists
// again and again. Time is the test's own processor time; before there was a bound, each of these programs took ten
// seconds to hours. effort_steps_test.c counts steps instead.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "format/flatbuffer_builder.h"
#include "format/ptd_reader.h"
#include "runtime/hostile_programs.h"
#include "rushlight/registry.h"
#include "rushlight/runtime.h"

enum { MOST_SECONDS = 5 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Verifies a program, and looks at the time and at the reason of a refusal.
static enum rl_status verify_soon(const struct hostile_kind *kind, int count)
{
    size_t size;
    uint8_t *file = kind->make(count, &size);
    struct rl_program program;
    struct rl_error error = {.message = ""};
    struct rl_requirements needs;
    const double start = seconds();
    assert_int_equal(rl_program_open(&program, file, size, &error), RL_OK);
    const enum rl_status status = rl_program_verify(&program, &rl_registry_all, &error);
    if (status == RL_OK) {
        assert_int_equal(rl_method_requirements(&program, 0, &needs, &error), RL_OK);
    } else {
        assert_int_equal(status, RL_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "many times") ? error.message : strstr(error.message, "too long"));
    }
    assert_true(seconds() - start < MOST_SECONDS);
    free(file);
    return status;
}

static void hostile_programs_are_soon_refused(void **state)
{
    (void)state;
    for (int i = 0; i < HOSTILE_KINDS; i++) {
        const struct hostile_kind *kind = &hostile_kinds[i];
        print_message("%s\n", kind->name);
        assert_int_equal(verify_soon(kind, kind->few), RL_OK);
        assert_int_equal(verify_soon(kind, kind->many), RL_ERROR_UNSUPPORTED);
    }
}

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    return realloc(block, new_size);
}

// Adds an entry of this name for the bytes of segment 0.
static uint32_t add_name(struct rl_fbb *builder, const char *name)
{
    const uint32_t key = rl_fbb_string(builder, name);
    rl_fbb_reference(builder, RL_PTE_named_tensor_key, key);
    return rl_fbb_end(builder);
}

// The tables of a file of data: `count` entries of one name, and one of another in the place `at`.
static void build_names(struct rl_fbb *builder, struct rl_ptd *ptd, const char *name, uint32_t count, const char *other,
                        uint32_t at)
{
    uint32_t *entries = malloc(count * sizeof *entries);
    *builder = (struct rl_fbb){.reallocate = reallocate};
    const uint32_t usual = add_name(builder, name), special = add_name(builder, other);
    rl_fbb_scalar(builder, RL_PTE_segment_size, 8, 16);
    const uint32_t segment = rl_fbb_end(builder), segments = rl_fbb_references(builder, &segment, 1);
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = i == at ? special : usual;
    }
    const uint32_t names = rl_fbb_references(builder, entries, count);
    rl_fbb_reference(builder, RL_PTE_flat_tensor_segments, segments);
    rl_fbb_reference(builder, RL_PTE_flat_tensor_named_data, names);
    const uint32_t root = rl_fbb_end(builder);
    assert_true(rl_fbb_finish(builder, root, RL_PTD_IDENTIFIER));
    free(entries);
    const uint8_t *data = builder->block + builder->capacity - builder->used;
    *ptd = (struct rl_ptd){.fb = {data, (uint32_t)builder->used},
                           .file_size = (uint32_t)builder->used + 16,
                           .segment_base = (uint32_t)builder->used};
    const uint32_t table = rl_fb_root(&ptd->fb);
    assert_true(rl_fb_vector(&ptd->fb, table, RL_PTE_flat_tensor_segments, 4, &ptd->segments));
    assert_true(rl_fb_vector(&ptd->fb, table, RL_PTE_flat_tensor_named_data, 4, &ptd->tensors));
}

static void names_are_compared_as_often_as_there_are_steps(void **state)
{
    (void)state;
    enum { COUNT = 1000, LENGTH = 64000 };
    struct rl_fbb builder;
    struct rl_ptd ptd;
    char *name = malloc(LENGTH + 1), *other = malloc(LENGTH + 1);
    memset(name, 'x', LENGTH);
    name[LENGTH] = 0;
    memcpy(other, name, LENGTH + 1);
    other[LENGTH - 1] = 'y';
    build_names(&builder, &ptd, name, COUNT, other, 600);
    struct rl_ptd_search search = {.key = other, .key_length = LENGTH, .dtype = RL_UINT8, .least = 16, .steps = 10000};
    assert_false(rl_ptd_find(&ptd, &search));
    assert_int_equal(search.steps, 0);
    search.steps = (uint64_t)COUNT * LENGTH;
    assert_true(rl_ptd_find(&ptd, &search));
    assert_int_equal(search.entry, 600);
    assert_int_equal(search.available, 16);
    assert_int_equal(search.steps, (uint64_t)COUNT * LENGTH - 601 * (1 + LENGTH / 16));
    search.steps = 2 + LENGTH / 16; // the search begins where the one before ended
    assert_true(rl_ptd_find(&ptd, &search));
    assert_int_equal(search.steps, 1);
    search.steps = (uint64_t)COUNT * LENGTH;
    search.least = 17;
    assert_false(rl_ptd_find(&ptd, &search));
    free(builder.block);
    free(builder.keys);
    free(builder.entries);
    free(name);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_programs_are_soon_refused),
        cmocka_unit_test(names_are_compared_as_often_as_there_are_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
