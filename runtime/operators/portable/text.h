// SPDX-License-Identifier: Apache-2.0
//
// String arguments.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_TEXT_H
#define RL_RUNTIME_OPERATORS_PORTABLE_TEXT_H

#include <stdbool.h>

static inline bool rl_is_text(const char *text, const char *expected)
{
    while (*expected != 0 && *text == *expected) {
        text++;
        expected++;
    }
    return *text == *expected;
}

#endif
