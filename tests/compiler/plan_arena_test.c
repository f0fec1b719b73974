// SPDX-License-Identifier: Apache-2.0
//
// The planner's promises, checked without its own checker: live buffers never share a byte, the peak is what the
// offsets say, the lower bound is the fullest moment, and equal problems give equal plans.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/plan/arena.h"

enum { MAX_BUFFERS = 400, ROUNDS = 200 };

// What the planner reaches on packings that fill the arena exactly; it may become better, not worse.
static const double LARGEST_MEAN = 1.02;
enum { LEAST_REACHED = 130 };

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % bound;
}

static size_t rounded(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

static size_t fullest_moment(const struct rl_plan_buffer *buffers, int count, size_t alignment)
{
    size_t most = 0;

    for (int i = 0; i < count; i++) {
        size_t alive = 0;
        for (int k = 0; k < count; k++) {
            if (buffers[k].first <= buffers[i].first && buffers[i].first < buffers[k].end) {
                alive += rounded(buffers[k].bytes, alignment);
            }
        }
        most = alive > most ? alive : most;
    }
    return most;
}

static void assert_sound(const struct rl_plan_buffer *buffers, int count, size_t alignment,
                         const struct rl_plan_sizes *sizes)
{
    size_t peak = 0;

    for (int i = 0; i < count; i++) {
        const struct rl_plan_buffer *a = &buffers[i];
        assert_int_equal(a->offset % alignment, 0);
        if (a->bytes > 0 && a->offset + a->bytes > peak) {
            peak = a->offset + a->bytes;
        }
        for (int k = 0; k < i; k++) {
            const struct rl_plan_buffer *b = &buffers[k];
            if (a->first < b->end && b->first < a->end && a->bytes > 0 && b->bytes > 0) {
                assert_true(a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset);
            }
        }
    }
    assert_int_equal(rounded(peak, alignment), sizes->arena_bytes);
    assert_int_equal(fullest_moment(buffers, count, alignment), sizes->lower_bound_bytes);
    assert_true(sizes->arena_bytes >= sizes->lower_bound_bytes);
}

static struct rl_plan_sizes plan(struct rl_plan_buffer *buffers, int count, size_t alignment)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_plan_sizes sizes;
    enum rl_status status = rl_plan_arena(&context, &arena, buffers, count, alignment, &sizes);

    rl_arena_free(&arena);
    if (status != RL_OK) {
        fail_msg("%s", context.message);
    }
    return sizes;
}

static void random_problems_are_planned_soundly(void **state)
{
    (void)state;
    static struct rl_plan_buffer buffers[MAX_BUFFERS], again[MAX_BUFFERS];

    random_state = 1;
    for (int round = 0; round < 120; round++) {
        int count = (int)random_below(round % 10 == 0 ? MAX_BUFFERS : 40);
        uint32_t steps = 1 + random_below(60), largest = 1 + random_below(5000);
        size_t alignment = (size_t)1 << random_below(6);
        for (int i = 0; i < count; i++) {
            int64_t first = random_below(steps);
            buffers[i] = (struct rl_plan_buffer){
                .bytes = random_below(largest), .first = first, .end = first + 1 + random_below(1 + steps / 4)};
            again[i] = buffers[i];
        }
        struct rl_plan_sizes sizes = plan(buffers, count, alignment);
        assert_sound(buffers, count, alignment, &sizes);
        plan(again, count, alignment);
        for (int i = 0; i < count; i++) {
            assert_int_equal(again[i].offset, buffers[i].offset);
        }
    }
}

// A chain of layers, each reading the one before: two buffers alternate, so the bound can always be reached.
static void chain_of_layers_needs_no_more_than_the_bound(void **state)
{
    (void)state;
    struct rl_plan_buffer buffers[50];

    random_state = 2;
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 50; i++) {
            buffers[i] = (struct rl_plan_buffer){.bytes = 1 + random_below(9999), .first = i, .end = i + 2};
        }
        struct rl_plan_sizes sizes = plan(buffers, 50, 16);
        assert_int_equal(sizes.arena_bytes, sizes.lower_bound_bytes);
    }
}

static void empty_problems_need_nothing(void **state)
{
    (void)state;
    struct rl_plan_buffer empty = {.bytes = 0, .first = 0, .end = 1, .offset = 77};
    struct rl_plan_sizes sizes = plan(&empty, 1, 16);

    assert_int_equal(sizes.arena_bytes, 0);
    assert_int_equal(empty.offset, 0);
    sizes = plan(&empty, 0, 16);
    assert_int_equal(sizes.arena_bytes, 0);
}

static void assert_refused(struct rl_plan_buffer *buffers, int count, enum rl_status expected)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_plan_sizes sizes;

    assert_int_equal(rl_plan_arena(&context, &arena, buffers, count, 16, &sizes), expected);
    assert_true(context.message[0] != '\0');
    rl_arena_free(&arena);
}

static void wrong_problems_are_refused(void **state)
{
    (void)state;
    struct rl_plan_buffer dead = {.bytes = 4, .first = 3, .end = 3};
    struct rl_plan_buffer early = {.bytes = 4, .first = -1, .end = 3};
    struct rl_plan_buffer huge[2] = {{.bytes = SIZE_MAX / 3, .first = 0, .end = 2},
                                     {.bytes = SIZE_MAX / 3, .first = 1, .end = 3}};

    assert_refused(&dead, 1, RL_ERROR_ARGUMENT);
    assert_refused(&early, 1, RL_ERROR_ARGUMENT);
    assert_refused(huge, 2, RL_ERROR_UNSUPPORTED);
}

static void checker_finds_what_is_wrong(void **state)
{
    (void)state;
    struct rl_context context = {0};
    const struct rl_plan_sizes sizes = {.arena_bytes = 64, .lower_bound_bytes = 48};
    struct rl_plan_buffer buffers[2] = {{.bytes = 32, .first = 0, .end = 2, .offset = 0},
                                        {.bytes = 16, .first = 1, .end = 3, .offset = 32}};

    assert_int_equal(rl_plan_check(&context, buffers, 2, 16, &sizes), RL_OK);
    buffers[1].offset = 16; // inside the other
    assert_int_equal(rl_plan_check(&context, buffers, 2, 16, &sizes), RL_ERROR_INTERNAL);
    buffers[1].offset = 40; // not aligned
    assert_int_equal(rl_plan_check(&context, buffers, 2, 16, &sizes), RL_ERROR_INTERNAL);
    buffers[1].offset = 64; // beyond the arena
    assert_int_equal(rl_plan_check(&context, buffers, 2, 16, &sizes), RL_ERROR_INTERNAL);
}

// Cuts the rectangle of `bytes` by [first, end) into pieces: an allocation problem whose buffers fill it exactly. The
// bound, which is `bytes`, can be reached, but only by one who finds the cuts again.
static int cut(struct rl_plan_buffer *pieces, int most, size_t bytes, int64_t first, int64_t end)
{
    const bool can_split_time = end - first > 1, can_split_bytes = bytes > 1;
    if (most < 2 || (!can_split_time && !can_split_bytes) || random_below(8) == 0) {
        pieces[0] = (struct rl_plan_buffer){.bytes = bytes, .first = first, .end = end};
        return 1;
    }
    if (can_split_time && (!can_split_bytes || random_below(2) == 0)) {
        const int64_t middle = first + 1 + random_below((uint32_t)(end - first - 1));
        const int count = cut(pieces, most / 2, bytes, first, middle);
        return count + cut(pieces + count, most - most / 2, bytes, middle, end);
    }
    const size_t low = 1 + random_below((uint32_t)(bytes - 1));
    const int count = cut(pieces, most / 2, low, first, end);
    return count + cut(pieces + count, most - most / 2, bytes - low, first, end);
}

static void exact_packings_are_nearly_found(void **state)
{
    (void)state;
    static struct rl_plan_buffer buffers[MAX_BUFFERS];
    enum { BYTES = 4096, STEPS = 64 };
    double sum = 0;
    int reached = 0;

    random_state = 3;
    for (int round = 0; round < ROUNDS; round++) {
        const int count = cut(buffers, 16 + round, BYTES, 0, STEPS);
        for (int i = count - 1; i > 0; i--) { // in no order that tells of the cuts
            const int k = (int)random_below((uint32_t)i + 1);
            const struct rl_plan_buffer other = buffers[k];
            buffers[k] = buffers[i];
            buffers[i] = other;
        }
        const struct rl_plan_sizes sizes = plan(buffers, count, 1);
        assert_sound(buffers, count, 1, &sizes);
        assert_int_equal(sizes.lower_bound_bytes, BYTES);
        assert_true(sizes.arena_bytes <= BYTES + BYTES / 2);
        sum += (double)sizes.arena_bytes / BYTES;
        reached += sizes.arena_bytes == BYTES;
    }
    print_message("%d exact packings: %d found, %.4f of the bound on average\n", ROUNDS, reached, sum / ROUNDS);
    assert_true(sum / ROUNDS <= LARGEST_MEAN);
    assert_true(reached >= LEAST_REACHED);
}

// Problems (id,lower,upper,size) that are made to be hard: the planner must be sound, and within one and a half times
// the bound.
static void check_problem(const char *folder, char name)
{
    static struct rl_plan_buffer buffers[2000];
    char path[512], line[128];
    snprintf(path, sizeof path, "%s/mm_%c.csv", folder, name);
    FILE *file = fopen(path, "r");
    int count = 0;
    long long id, lower, upper, size;
    while (file && fgets(line, sizeof line, file) && count < 2000) {
        if (sscanf(line, "%lld,%lld,%lld,%lld", &id, &lower, &upper, &size) == 4) {
            buffers[count++] = (struct rl_plan_buffer){.bytes = (size_t)size, .first = lower, .end = upper};
        }
    }
    assert_non_null(file);
    fclose(file);
    const struct rl_plan_sizes sizes = plan(buffers, count, 1);
    assert_sound(buffers, count, 1, &sizes);
    assert_true(sizes.arena_bytes <= sizes.lower_bound_bytes + sizes.lower_bound_bytes / 2);
    print_message("mm_%c: %d buffers, %zu bytes, bound %zu\n", name, count, sizes.arena_bytes, sizes.lower_bound_bytes);
}

static void public_problems_are_planned_soundly(void **state)
{
    for (char name = 'A'; name <= 'K'; name++) {
        check_problem(*state, name);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_are_planned_soundly),
        cmocka_unit_test(chain_of_layers_needs_no_more_than_the_bound),
        cmocka_unit_test(empty_problems_need_nothing),
        cmocka_unit_test(wrong_problems_are_refused),
        cmocka_unit_test(checker_finds_what_is_wrong),
        cmocka_unit_test(exact_packings_are_nearly_found),
    };
    if (argc < 2) {
        return cmocka_run_group_tests(tests, NULL, NULL);
    }
    const struct CMUnitTest public[] = {cmocka_unit_test_prestate(public_problems_are_planned_soundly, argv[1])};
    return cmocka_run_group_tests(public, NULL, NULL);
}
