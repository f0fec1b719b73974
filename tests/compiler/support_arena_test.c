// SPDX-License-Identifier: Apache-2.0
//
// What an arena takes from the system and gives back. The address sanitizer notices what is used afterwards, or lost.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/support/arena.h"

enum { LARGE = 100000 };

static void large_pieces_go_alone(void **state)
{
    (void)state;
    struct rl_arena arena = {0};
    char *small = rl_arena_alloc(&arena, 10), *first = rl_arena_alloc(&arena, LARGE);
    char *second = rl_arena_alloc(&arena, LARGE), *third = rl_arena_alloc(&arena, LARGE);
    const size_t all = arena.bytes;
    assert_true(all >= 3 * LARGE);
    assert_int_equal(rl_arena_large_size(&arena, second), LARGE);
    rl_arena_release(&arena, second);
    assert_int_equal(arena.bytes, all - LARGE);
    assert_int_equal(rl_arena_large_size(&arena, second), 0);
    memset(first, 1, LARGE);
    memset(third, 3, LARGE);
    memset(small, 4, 10);
    rl_arena_release(&arena, third);
    rl_arena_release(&arena, first);
    assert_int_equal(arena.bytes, all - 3 * LARGE);
    assert_int_equal(arena.most_bytes, all);
    rl_arena_free(&arena);
    assert_int_equal(arena.bytes, 0);
}

static void all_else_stays(void **state)
{
    (void)state;
    struct rl_arena arena = {0}, other = {0};
    char *small = rl_arena_alloc(&arena, 1000), *large = rl_arena_alloc(&arena, LARGE);
    const size_t all = arena.bytes;
    assert_int_equal(rl_arena_large_size(&arena, small), 0);
    rl_arena_release(&arena, small);
    rl_arena_release(&arena, large + 16); // inside
    rl_arena_release(&arena, NULL);
    rl_arena_release(&other, large);
    assert_int_equal(arena.bytes, all);
    memset(small, 1, 1000);
    memset(large, 2, LARGE);
    rl_arena_free(&arena);
    rl_arena_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_pieces_go_alone), cmocka_unit_test(all_else_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
