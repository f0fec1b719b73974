// SPDX-License-Identifier: Apache-2.0
#include "support/kernel_test.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define RL_POISON(at, bytes)   ASAN_POISON_MEMORY_REGION(at, bytes)
#define RL_UNPOISON(at, bytes) ASAN_UNPOISON_MEMORY_REGION(at, bytes)
#else
#define RL_POISON(at, bytes)   ((void)(at), (void)(bytes))
#define RL_UNPOISON(at, bytes) ((void)(at), (void)(bytes))
#endif

enum { ARENA_BYTES = 1024 * 1024, ZONE_BYTES = 64, MAX_BUFFERS = 64, MAX_REPORTS = 3, MOST_MORE_BYTES = 6144 };

struct buffer {
    size_t begin; // in the arena
    size_t bytes;
};

static _Alignas(16) uint8_t arena[ARENA_BYTES];
static struct buffer buffers[MAX_BUFFERS];

static uint8_t zone_byte(size_t index)
{
    return (uint8_t)(0xA5u ^ (index * 7u));
}

void rl_test_start(struct rl_case *c, const char *name)
{
    c->test = name;
    c->cases = 0;
    c->failures = 0;
    c->seed = 2166136261u;
    for (const char *at = name; *at != '\0'; at++) {
        c->seed = (c->seed ^ (uint8_t)*at) * 16777619u;
    }
}

void rl_test_stop(struct rl_case *c)
{
    const bool ok = c->failures == 0 && c->cases > 0;
    c->total_passed += ok ? 1 : 0;
    c->total_failed += ok ? 0 : 1;
    printf("%s: %s (%d cases)\n", c->test, ok ? "ok" : "FAIL", c->cases);
}

int rl_test_finish(const struct rl_case *c)
{
    printf("%d passed, %d failed\n", c->total_passed, c->total_failed);
    return c->total_failed == 0 ? 0 : 1;
}

static void fail(struct rl_case *c)
{
    c->failed = true;
}

static bool may_report(const struct rl_case *c)
{
    return c->failures < MAX_REPORTS;
}

void rl_case_begin(struct rl_case *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->text, sizeof c->text, format, arguments);
    va_end(arguments);
    c->failed = false;
    c->used = 0;
    c->buffers = 0;
    RL_UNPOISON(arena, sizeof arena);
}

static void check_zone(struct rl_case *c, size_t begin, size_t end, int buffer)
{
    for (size_t i = begin; i < end; i++) {
        if (arena[i] == zone_byte(i)) {
            continue;
        }
        if (may_report(c)) {
            printf("%s: %s: buffer %d of %lu bytes written at byte %ld\n", c->test, c->text, buffer,
                   (unsigned long)buffers[buffer].bytes, (long)i - (long)buffers[buffer].begin);
        }
        fail(c);
        return;
    }
}

void rl_case_end(struct rl_case *c)
{
    RL_UNPOISON(arena, sizeof arena);
    size_t end = 0;
    for (int i = 0; i < c->buffers; i++) {
        check_zone(c, end, buffers[i].begin, i);
        end = buffers[i].begin + buffers[i].bytes;
    }
    if (c->buffers > 0) {
        check_zone(c, end, end + ZONE_BYTES, c->buffers - 1);
    }
    c->cases++;
    c->failures += c->failed ? 1 : 0;
}

void *rl_case_buffer(struct rl_case *c, size_t bytes, size_t misalign)
{
    const size_t begin = ((c->used + ZONE_BYTES + 15) & ~(size_t)15) + misalign;
    const size_t end = begin + bytes;
    if (end + ZONE_BYTES > sizeof arena || c->buffers == MAX_BUFFERS) {
        printf("%s: %s: the test needs a larger arena\n", c->test, c->text);
        fail(c);
        return NULL;
    }
    RL_UNPOISON(arena + c->used, end + ZONE_BYTES - c->used);
    for (size_t i = c->used; i < begin; i++) {
        arena[i] = zone_byte(i);
    }
    for (size_t i = end; i < end + ZONE_BYTES; i++) {
        arena[i] = zone_byte(i);
    }
    buffers[c->buffers++] = (struct buffer){begin, bytes};
    for (size_t i = begin; i < end; i++) {
        arena[i] = (uint8_t)(rl_random(c) >> 8);
    }
    // Poison ends at multiples of eight bytes only.
    RL_POISON(arena + c->used, (begin & ~(size_t)7) - c->used);
    RL_POISON(arena + end, ((end + ZONE_BYTES) & ~(size_t)7) - end);
    c->used = end;
    return arena + begin;
}

int8_t *rl_case_s8(struct rl_case *c, size_t count)
{
    int8_t *values = rl_case_buffer(c, count, (size_t)rl_random_in(c, 0, 3));
    rl_random_s8(c, values, count);
    return values;
}

int16_t *rl_case_s16(struct rl_case *c, size_t count)
{
    int16_t *values = rl_case_buffer(c, count * sizeof(int16_t), sizeof(int16_t) * (size_t)rl_random_in(c, 0, 1));
    for (size_t i = 0; i < count; i++) {
        values[i] = (int16_t)rl_random_extreme(c, INT16_MIN, INT16_MAX);
    }
    return values;
}

int32_t *rl_case_s32(struct rl_case *c, size_t count, int32_t low, int32_t high)
{
    int32_t *values = rl_case_buffer(c, count * sizeof(int32_t), sizeof(int32_t));
    for (size_t i = 0; i < count; i++) {
        values[i] = rl_random_extreme(c, low, high);
    }
    return values;
}

void *rl_case_elements(struct rl_case *c, bool wide, size_t count)
{
    return wide ? (void *)rl_case_s16(c, count) : rl_case_s8(c, count);
}

int32_t rl_element(bool wide, const void *values, size_t index)
{
    return wide ? ((const int16_t *)values)[index] : ((const int8_t *)values)[index];
}

int32_t *rl_case_widen_s8(struct rl_case *c, const int8_t *values, size_t count, int32_t offset)
{
    int32_t *wide = rl_case_buffer(c, count * sizeof(int32_t), 0);
    for (size_t i = 0; i < count; i++) {
        wide[i] = values[i] + offset;
    }
    return wide;
}

int32_t *rl_case_widen_s16(struct rl_case *c, const int16_t *values, size_t count)
{
    int32_t *wide = rl_case_buffer(c, count * sizeof(int32_t), 0);
    for (size_t i = 0; i < count; i++) {
        wide[i] = values[i];
    }
    return wide;
}

cmsis_nn_context rl_case_scratch(struct rl_case *c, int32_t bytes)
{
    return (cmsis_nn_context){bytes > 0 ? rl_case_buffer(c, (size_t)bytes, 0) : NULL, bytes};
}

cmsis_nn_context rl_case_any_scratch(struct rl_case *c, int32_t announced, int32_t least, int32_t alignment)
{
    const size_t misalign = (size_t)(alignment * rl_random_in(c, 0, 3));
    const bool other = rl_random_one_in(c, 2);
    const int32_t more = rl_random_one_in(c, 3) ? rl_random_in(c, 0, MOST_MORE_BYTES) : 0;
    const int32_t most = (announced > 0 ? announced : least + 64) + more;
    const int32_t bytes = other ? rl_random_extreme(c, least, most < least ? least : most) : announced;
    if (bytes == 0) {
        return (cmsis_nn_context){NULL, 0};
    }
    void *buffer = rl_case_buffer(c, (size_t)bytes, misalign);
    return (cmsis_nn_context){buffer, !other && rl_random_one_in(c, 2) ? 0 : bytes};
}

void rl_case_expect(struct rl_case *c, bool condition, const char *what)
{
    if (condition) {
        return;
    }
    if (may_report(c)) {
        printf("%s: %s: expected %s\n", c->test, c->text, what);
    }
    fail(c);
}

static void report_difference(struct rl_case *c, const char *what, size_t index, int32_t expected, int32_t actual)
{
    if (may_report(c)) {
        printf("%s: %s: %s[%lu] is %ld, expected %ld\n", c->test, c->text, what, (unsigned long)index, (long)actual,
               (long)expected);
    }
    fail(c);
}

void rl_case_equal_s8(struct rl_case *c, const char *what, const int8_t *expected, const int8_t *actual, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (expected[i] != actual[i]) {
            report_difference(c, what, i, expected[i], actual[i]);
            return;
        }
    }
}

void rl_case_equal_s16(struct rl_case *c, const char *what, const int16_t *expected, const int16_t *actual,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (expected[i] != actual[i]) {
            report_difference(c, what, i, expected[i], actual[i]);
            return;
        }
    }
}

void rl_case_equal_s32(struct rl_case *c, const char *what, const int32_t *expected, const int32_t *actual,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (expected[i] != actual[i]) {
            report_difference(c, what, i, expected[i], actual[i]);
            return;
        }
    }
}

void rl_case_equal_elements(struct rl_case *c, const char *what, bool wide, const int32_t *expected, const void *actual,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (expected[i] != rl_element(wide, actual, i)) {
            report_difference(c, what, i, expected[i], rl_element(wide, actual, i));
            return;
        }
    }
}

// Marsaglia, "Xorshift RNGs", 2003.
uint32_t rl_random(struct rl_case *c)
{
    c->seed ^= c->seed << 13;
    c->seed ^= c->seed >> 17;
    c->seed ^= c->seed << 5;
    return c->seed;
}

int32_t rl_random_in(struct rl_case *c, int32_t low, int32_t high)
{
    const uint64_t span = (uint64_t)((int64_t)high - low) + 1;
    return (int32_t)(low + (int64_t)(((uint64_t)rl_random(c) * span) >> 32));
}

bool rl_random_one_in(struct rl_case *c, int32_t n)
{
    return rl_random_in(c, 1, n) == 1;
}

int32_t rl_random_extreme(struct rl_case *c, int32_t low, int32_t high)
{
    switch (rl_random_in(c, 0, 7)) {
    case 0:
        return low;
    case 1:
        return high;
    default:
        return rl_random_in(c, low, high);
    }
}

void rl_random_s8(struct rl_case *c, int8_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = (int8_t)rl_random_extreme(c, INT8_MIN, INT8_MAX);
    }
}

void rl_random_scale(struct rl_case *c, int32_t *multiplier, int32_t *shift)
{
    *multiplier =
        rl_random_one_in(c, 16) ? rl_random_extreme(c, 0, INT32_MAX) : rl_random_extreme(c, 1 << 30, INT32_MAX);
    *shift = rl_random_one_in(c, 32) ? rl_random_extreme(c, -31, 6) : rl_random_in(c, -16, 1);
}

cmsis_nn_activation rl_random_limits(struct rl_case *c, int32_t low, int32_t high)
{
    cmsis_nn_activation limits = {low, high};
    if (rl_random_one_in(c, 2)) {
        limits.min = rl_random_in(c, low, high);
    }
    if (rl_random_one_in(c, 2)) {
        limits.max = rl_random_in(c, limits.min, high);
    }
    return limits;
}

size_t rl_elements(const cmsis_nn_dims *dims)
{
    return (size_t)dims->n * (size_t)dims->h * (size_t)dims->w * (size_t)dims->c;
}

int32_t rl_reference_low_word(int64_t value)
{
    const uint32_t bits = (uint32_t)(uint64_t)value;
    int32_t word;
    memcpy(&word, &bits, sizeof word);
    return word;
}

static int64_t floor_divide(int64_t value, int64_t divisor)
{
    const int64_t quotient = value / divisor;
    return value % divisor < 0 ? quotient - 1 : quotient;
}

int32_t rl_reference_requantize(int32_t value, int32_t multiplier, int32_t shift)
{
    const int64_t two_31 = (int64_t)1 << 31;
    const int32_t shifted = shift > 0 ? rl_reference_low_word((int64_t)value * ((int64_t)1 << shift)) : value;
    const int32_t high = rl_reference_low_word(floor_divide((int64_t)shifted * multiplier + two_31 / 2, two_31));
    if (shift >= 0) {
        return high;
    }
    const int64_t divisor = (int64_t)1 << -shift;
    const int64_t magnitude = ((high < 0 ? -(int64_t)high : high) + divisor / 2) / divisor;
    return (int32_t)(high < 0 ? -magnitude : magnitude);
}

int64_t rl_reference_requantize_s64(int64_t value, int32_t multiplier, int32_t shift)
{
    const int64_t reduced = multiplier < 0x7fff0000 ? ((int64_t)multiplier + 0x8000) / 0x10000 : 0x7fff;
    const int64_t doubled = floor_divide(value * reduced, (int64_t)1 << (14 - shift));
    return floor_divide(rl_reference_low_word((int64_t)rl_reference_low_word(doubled) + 1), 2);
}

int32_t rl_reference_limited(int64_t value, cmsis_nn_activation limits)
{
    if (value < limits.min) {
        return limits.min;
    }
    return (int32_t)(value > limits.max ? limits.max : value);
}

int8_t rl_reference_output(int32_t value, int32_t multiplier, int32_t shift, int32_t offset, int32_t low, int32_t high)
{
    const int64_t scaled = (int64_t)rl_reference_requantize(value, multiplier, shift) + offset;
    return (int8_t)rl_reference_limited(scaled, (cmsis_nn_activation){low, high});
}
