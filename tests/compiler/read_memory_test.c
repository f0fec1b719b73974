// SPDX-License-Identifier: Apache-2.0
//
// The host runs out of memory at each allocation in turn: readers say so and give back what they hold. Leaks show under
// the address sanitizer, with which each piece of an arena is an allocation of its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/data/npz.h"
#include "compiler/read/pt2.h"
#include "compiler/read/samples.h"

static long allocations_left = -1; // -1: no limit

// The linker sends every calloc of this program here (-Wl,--wrap=calloc).
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
    if (allocations_left == 0) {
        return NULL;
    }
    if (allocations_left > 0) {
        allocations_left--;
    }
    return __real_calloc(count, size);
}

static struct rl_context context;
static struct rl_arena arena;
static jmp_buf outer;

static enum rl_status read_model(const struct rl_graph *unused)
{
    (void)unused;
    struct rl_graph *graph;
    return rl_pt2_read(&context, &arena, RL_FIXTURES "/pt2/shared_storage.pt2", NULL, &graph);
}

// Two archives inside the archive.
static enum rl_status read_old_model(const struct rl_graph *unused)
{
    (void)unused;
    struct rl_graph *graph;
    return rl_pt2_read(&context, &arena, RL_FIXTURES "/versions/2.8.0/views.pt2", NULL, &graph);
}

static enum rl_status read_samples(const struct rl_graph *graph)
{
    struct rl_array *arrays;
    int count;
    return rl_pt2_read_samples(&context, &arena, RL_FIXTURES "/pt2/shared_storage.pt2", graph, &arrays, &count);
}

static enum rl_status read_arrays(const struct rl_graph *unused)
{
    (void)unused;
    struct rl_array *arrays;
    int count;
    return rl_npz_read(&context, &arena, RL_FIXTURES "/digits/calibration.npz", &arrays, &count);
}

// Calls `function` with room for 0, 1, 2, ... allocations until it succeeds; returns how many it needs.
static long count_allocations(enum rl_status (*function)(const struct rl_graph *), const struct rl_graph *graph)
{
    for (volatile long room = 0;; room++) {
        volatile enum rl_status status = RL_ERROR_OUT_OF_MEMORY;
        context = (struct rl_context){0};
        arena = (struct rl_arena){.out_of_memory = &outer};
        allocations_left = room;
        if (setjmp(outer) == 0) {
            status = function(graph);
            assert_int_equal(status == RL_OK, context.message[0] == '\0');
        } // else before the function's own handler
        allocations_left = -1;
        assert_true(status == RL_OK || status == RL_ERROR_OUT_OF_MEMORY);
        assert_ptr_equal(arena.out_of_memory, &outer);
        rl_arena_free(&arena);
        if (status == RL_OK) {
            return room;
        }
    }
}

static void models(void **state)
{
    (void)state;
    assert_true(count_allocations(read_model, NULL) > 0);
    assert_true(count_allocations(read_old_model, NULL) > 0);
}

static void samples(void **state)
{
    (void)state;
    struct rl_arena kept = {0};
    struct rl_graph *graph;
    context = (struct rl_context){0};
    assert_int_equal(rl_pt2_read(&context, &kept, RL_FIXTURES "/pt2/shared_storage.pt2", NULL, &graph), RL_OK);
    assert_true(count_allocations(read_samples, graph) > 0);
    rl_arena_free(&kept);
}

static void arrays(void **state)
{
    (void)state;
    assert_true(count_allocations(read_arrays, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models), cmocka_unit_test(samples), cmocka_unit_test(arrays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
