// SPDX-License-Identifier: Apache-2.0
//
// Programs that name the same tables and lists again and again, so that looking at all that they name takes time that
// grows with the square of the file, or faster. The writer stores equal descriptions once, which makes such files.
#ifndef RL_TESTS_RUNTIME_HOSTILE_PROGRAMS_H
#define RL_TESTS_RUNTIME_HOSTILE_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

// A kind of program that grows with a number. Verification accepts it with `few` and refuses it with `many`.
struct hostile_kind {
    const char *name;
    uint8_t *(*make)(int count, size_t *size); // the file, to be freed
    int few, many;
};

enum { HOSTILE_KINDS = 8 };
extern const struct hostile_kind hostile_kinds[HOSTILE_KINDS];

#endif
