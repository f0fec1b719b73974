// SPDX-License-Identifier: Apache-2.0
//
// The sizes of results against slow definitions: windows are counted one by one, elements are looked at one by one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ops/sizes.h"

// Numbers that count through windows of every kind.
static struct rl_window window_of(uint32_t index)
{
    return (struct rl_window){.kernel = (int32_t)(index % 5) + 1,
                              .stride = (int32_t)(index / 5 % 4) + 1,
                              .padding = (int32_t)(index / 20 % 4),
                              .dilation = (int32_t)(index / 80 % 3) + 1};
}

enum { WINDOWS = 240, LONGEST = 14 };

// The last element that a window touches which starts at `start`.
static int64_t last_of(const struct rl_window *window, int64_t start)
{
    for (int32_t tap = 1; tap < window->kernel; tap++) {
        start += window->dilation;
    }
    return start;
}

// Windows from the first element of the padding on that end within the padding behind the input.
static int64_t count_slowly(int64_t size, const struct rl_window *window)
{
    int64_t count = 0;
    for (int64_t start = -window->padding; last_of(window, start) < size + window->padding; start += window->stride) {
        count++;
    }
    return count > 0 ? count : UINT32_MAX;
}

static void windows_are_those_that_fit_the_padded_input(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WINDOWS; i++) {
        const struct rl_window window = window_of(i);
        for (int64_t size = 0; size <= LONGEST; size++) {
            assert_int_equal(rl_count_windows((uint32_t)size, &window), count_slowly(size, &window));
        }
    }
}

// In ceil mode the input may be longer by less than a stride; a window must start on the input or in front of it.
static int64_t count_pool_slowly(int64_t size, const struct rl_window *window)
{
    int64_t count = 0;
    const int64_t end = size + window->padding + window->stride - 1;
    for (int64_t start = -window->padding; last_of(window, start) < end; start += window->stride) {
        count += start < size ? 1 : 0;
    }
    return last_of(window, -window->padding) < end ? count : UINT32_MAX;
}

static void pools_take_windows_that_start_on_the_input(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WINDOWS; i++) {
        const struct rl_window window = window_of(i);
        for (int64_t size = 1; 2 * window.padding <= window.kernel && size <= LONGEST; size++) {
            assert_int_equal(rl_count_pool_windows((uint32_t)size, &window, false), count_slowly(size, &window));
            assert_int_equal(rl_count_pool_windows((uint32_t)size, &window, true), count_pool_slowly(size, &window));
        }
    }
}

static void numbers_at_the_ends_do_not_overflow(void **state)
{
    (void)state;
    enum { MOST = 32767 };
    const struct rl_window one = {.kernel = 1, .stride = 1, .dilation = 1};
    const struct rl_window widest = {.kernel = MOST, .stride = MOST, .padding = MOST, .dilation = MOST};
    const struct rl_window whole = {.kernel = INT32_MAX, .stride = INT32_MAX, .dilation = 1};
    const struct rl_window halves = {.kernel = 0, .stride = INT32_MAX / 2, .dilation = 1};
    assert_int_equal(rl_count_windows(INT32_MAX, &one), INT32_MAX);
    assert_int_equal(rl_count_windows(INT32_MAX, &widest),
                     (INT32_MAX + INT64_C(2) * MOST - rl_window_span(&widest)) / MOST + 1);
    assert_int_equal(rl_window_span(&widest), MOST * (MOST - 1) + 1);
    for (int ceil_mode = 0; ceil_mode < 2; ceil_mode++) {
        assert_int_equal(rl_count_pool_windows(INT32_MAX, &whole, ceil_mode), 1);
    }
    assert_int_equal(rl_count_pool_windows(INT32_MAX - 1, &whole, false), UINT32_MAX);
    assert_int_equal(rl_count_pool_windows(INT32_MAX - 1, &whole, true), 1);
    assert_int_equal(rl_count_windows(INT32_MAX, &halves), 3); // no element fits everywhere, also behind the last
    assert_int_equal(rl_transposed_size(INT32_MAX, &widest, MOST),
                     (INT32_MAX - INT64_C(1)) * MOST + rl_window_span(&widest) - MOST);
}

// A transposed convolution undoes the sizes of a convolution with the same window.
static void transposed_outputs_give_their_input_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WINDOWS; i++) {
        const struct rl_window window = window_of(i);
        for (int32_t size = 1; size <= LONGEST; size++) {
            const int64_t covered = last_of(&window, (size - 1) * window.stride) + 1;
            assert_int_equal(rl_transposed_size(size, &window, 0), covered - 2 * window.padding);
            for (int32_t extra = 0; extra < window.stride; extra++) {
                const int64_t output = rl_transposed_size(size, &window, extra);
                assert_true(output < 0 || rl_count_windows((uint32_t)output, &window) == (uint32_t)size);
            }
        }
    }
}

// Each element belongs to the windows whose share of the input it touches: index / count to (index + 1) / count.
static void adaptive_windows_hold_what_their_share_touches(void **state)
{
    (void)state;
    for (int64_t size = 1; size <= LONGEST; size++) {
        for (int64_t count = 1; count <= 2 * LONGEST; count++) {
            for (int64_t index = 0; index < count; index++) {
                const int64_t begin = rl_adaptive_begin(size, count, index), end = rl_adaptive_end(size, count, index);
                for (int64_t at = 0; at < size; at++) {
                    const bool touches = at * count < (index + 1) * size && (at + 1) * count > index * size;
                    assert_int_equal(at >= begin && at < end, touches);
                }
                assert_true(begin >= 0 && end <= size);
            }
        }
    }
}

static void a_size_of_one_broadcasts_to_the_other(void **state)
{
    (void)state;
    for (int64_t size = 0; size < 4; size++) {
        assert_int_equal(rl_broadcast_size(size, size), size);
        assert_int_equal(rl_broadcast_size(1, size), size);
        assert_int_equal(rl_broadcast_size(size, 1), size);
    }
}

static void bounds_count_from_either_end_and_stay_within(void **state)
{
    (void)state;
    for (int64_t size = 0; size <= LONGEST; size++) {
        for (int64_t number = 0; number <= size; number++) {
            assert_int_equal(rl_slice_bound(number, size), number);
            assert_int_equal(rl_slice_bound(number - size - 1, size), number > 0 ? number - 1 : 0);
        }
        assert_int_equal(rl_slice_bound(size + 1, size), size);
        assert_int_equal(rl_slice_bound(INT64_MAX, size), size);
        assert_int_equal(rl_slice_bound(INT64_MIN, size), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_those_that_fit_the_padded_input),
        cmocka_unit_test(pools_take_windows_that_start_on_the_input),
        cmocka_unit_test(numbers_at_the_ends_do_not_overflow),
        cmocka_unit_test(transposed_outputs_give_their_input_back),
        cmocka_unit_test(adaptive_windows_hold_what_their_share_touches),
        cmocka_unit_test(a_size_of_one_broadcasts_to_the_other),
        cmocka_unit_test(bounds_count_from_either_end_and_stay_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
