// SPDX-License-Identifier: Apache-2.0
#include "compiler/support/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Optimal string alignment: three rows of the table of distances between beginnings are enough.
static int distance(const char *from, int from_length, const char *to, int to_length)
{
    int rows[3][RL_SUGGEST_LENGTH + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];

    for (int k = 0; k <= to_length; k++) {
        above[k] = k;
    }
    for (int i = 1; i <= from_length; i++) {
        row[0] = i;
        for (int k = 1; k <= to_length; k++) {
            row[k] = least(least(above[k], row[k - 1]) + 1, above[k - 1] + !same(from[i - 1], to[k - 1]));
            if (i > 1 && k > 1 && same(from[i - 1], to[k - 2]) && same(from[i - 2], to[k - 1])) {
                row[k] = least(row[k], before[k - 2] + 1);
            }
        }
        int *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[to_length];
}

// How far `name` is from what was given; -1 when it is not close.
static int closeness(const char *given, const char *name)
{
    enum { BEGINNING = 2 };
    while (*given == '-' && *name == '-') { // of options; they are not letters of the name
        given++;
        name++;
    }
    const int given_length = (int)strnlen(given, RL_SUGGEST_LENGTH + 1);
    const int length = (int)strnlen(name, RL_SUGGEST_LENGTH + 1);

    if (given_length > RL_SUGGEST_LENGTH || length > RL_SUGGEST_LENGTH) {
        return -1;
    }
    const int limit = length >= 6 ? length / 3 : 1, found = distance(given, given_length, name, length);
    if (found <= limit && found < length) {
        return found;
    }
    // All names that begin so are equally close, however long they are.
    return given_length >= BEGINNING && strncasecmp(given, name, (size_t)given_length) == 0 ? least(limit, 2) : -1;
}

const char *rl_suggest(char text[RL_SUGGEST_TEXT_BYTES], const char *given, const char *const *names, int count)
{
    const char *chosen[RL_SUGGEST_MOST];
    int closest = RL_SUGGEST_LENGTH + 1, found = 0;
    size_t used = 0;

    for (int i = 0; i < count; i++) {
        const int far = closeness(given, names[i]);
        if (far < 0 || far > closest) {
            continue;
        }
        found = far < closest ? 0 : found;
        closest = far;
        if (found < RL_SUGGEST_MOST) {
            chosen[found] = names[i];
        }
        found++;
    }
    text[0] = '\0';
    for (int i = 0; i < found && found <= RL_SUGGEST_MOST; i++) {
        used += (size_t)snprintf(text + used, RL_SUGGEST_TEXT_BYTES - used, "%s'%s'%s",
                                 i > 0 ? " or " : " (did you mean ", chosen[i], i + 1 == found ? "?)" : "");
    }
    return text;
}
