// SPDX-License-Identifier: Apache-2.0
// What the kernel tests share: random parameters, buffers between guard zones, comparison with the first difference,
// the arithmetic of the reference, and the count at the end. Works on the host and on the boards.
//
// A test file has one function per property. It repeats
//     rl_case_begin(c, "parameters in printf form", ...);   describes the case; frees the buffers of the one
//     before p = rl_case_buffer(c, bytes, misalign);               exact size, guard zones on both sides
//     rl_case_equal_s8(c, what, expected, actual, count);   reports the first difference with the parameters
//     rl_case_end(c);                                       checks the guard zones, counts
// and main ends with `return rl_test_finish(...)`.
#ifndef RL_TESTS_SUPPORT_KERNEL_TEST_H
#define RL_TESTS_SUPPORT_KERNEL_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arm_nn_types.h"

struct rl_case {
    const char *test; // name of the property
    uint32_t seed;
    int cases;
    int failures;
    bool failed;      // the current case
    size_t used;      // of the buffer arena
    int buffers;      // of the current case
    char text[256];   // its parameters
    int total_passed; // properties
    int total_failed;
};

void rl_test_start(struct rl_case *c, const char *name);
// Prints "name: ok" or "name: FAIL" of the property.
void rl_test_stop(struct rl_case *c);
// Prints "N passed, N failed"; the exit status of the program.
int rl_test_finish(const struct rl_case *c);

void rl_case_begin(struct rl_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rl_case_end(struct rl_case *c);
// A buffer of exactly `bytes` (0 is allowed) whose address is `misalign` bytes after a multiple of 16, filled with
// random bytes. With AddressSanitizer the zones around it may not even be read.
void *rl_case_buffer(struct rl_case *c, size_t bytes, size_t misalign);
// Buffers of random elements, at any address that the type allows.
int8_t *rl_case_s8(struct rl_case *c, size_t count);
int16_t *rl_case_s16(struct rl_case *c, size_t count);
int32_t *rl_case_s32(struct rl_case *c, size_t count, int32_t low, int32_t high);
// int16 when `wide`, else int8: for tests of both types.
void *rl_case_elements(struct rl_case *c, bool wide, size_t count);
int32_t rl_element(bool wide, const void *values, size_t index);
// The elements with `offset` added, as the slow references take them.
int32_t *rl_case_widen_s8(struct rl_case *c, const int8_t *values, size_t count, int32_t offset);
int32_t *rl_case_widen_s16(struct rl_case *c, const int16_t *values, size_t count);
// Scratch of exactly `bytes`, with random contents; a NULL buffer when nothing is asked for.
cmsis_nn_context rl_case_scratch(struct rl_case *c, int32_t bytes);
// Scratch as all callers bring it: `announced` bytes, of which ctx->size may not tell, or, as programs made for other
// cores and callers with spare memory do, another number from `least` (at least 1) on, which ctx->size tells. The
// address is a multiple of `alignment`.
cmsis_nn_context rl_case_any_scratch(struct rl_case *c, int32_t announced, int32_t least, int32_t alignment);
void rl_case_expect(struct rl_case *c, bool condition, const char *what);
void rl_case_equal_s8(struct rl_case *c, const char *what, const int8_t *expected, const int8_t *actual, size_t count);
void rl_case_equal_s16(struct rl_case *c, const char *what, const int16_t *expected, const int16_t *actual,
                       size_t count);
// Elements as of rl_case_elements against widened ones.
void rl_case_equal_elements(struct rl_case *c, const char *what, bool wide, const int32_t *expected, const void *actual,
                            size_t count);
void rl_case_equal_s32(struct rl_case *c, const char *what, const int32_t *expected, const int32_t *actual,
                       size_t count);

// Random numbers that depend on the name of the property and the number of the case only.
uint32_t rl_random(struct rl_case *c);
int32_t rl_random_in(struct rl_case *c, int32_t low, int32_t high); // both included
bool rl_random_one_in(struct rl_case *c, int32_t n);
// low 1 time in 8, high 1 time in 8, anything between otherwise.
int32_t rl_random_extreme(struct rl_case *c, int32_t low, int32_t high);
void rl_random_s8(struct rl_case *c, int8_t *values, size_t count);
// Multipliers of 2^30..2^31-1 as quantizers make them, sometimes smaller; shifts of -16..1, sometimes far outside.
void rl_random_scale(struct rl_case *c, int32_t *multiplier, int32_t *shift);

// A random part of low..high, half the time all of it.
cmsis_nn_activation rl_random_limits(struct rl_case *c, int32_t low, int32_t high);

size_t rl_elements(const cmsis_nn_dims *dims);

// The slow reference: value * multiplier / 2^31 * 2^shift in the two roundings of the API, and the final clamp.
int32_t rl_reference_requantize(int32_t value, int32_t multiplier, int32_t shift);
// The same for 64-bit sums: the multiplier cut to 16 bits, one rounding, ties upwards. Twice the result keeps its low
// 32 bits only.
int64_t rl_reference_requantize_s64(int64_t value, int32_t multiplier, int32_t shift);
int32_t rl_reference_limited(int64_t value, cmsis_nn_activation limits);
// The value modulo 2^32, as the machine has it for which the API is defined.
int32_t rl_reference_low_word(int64_t value);
int8_t rl_reference_output(int32_t value, int32_t multiplier, int32_t shift, int32_t offset, int32_t low, int32_t high);

#endif
