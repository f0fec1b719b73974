// SPDX-License-Identifier: Apache-2.0
//
// What somebody who misspelt a name may have meant.
#ifndef RL_COMPILER_SUPPORT_SUGGEST_H
#define RL_COMPILER_SUPPORT_SUGGEST_H

#include <stddef.h>

enum {
    RL_SUGGEST_LENGTH = 64,     // longer words get no suggestion
    RL_SUGGEST_MOST = 3,        // so many names are suggested; where more are equally close, none is
    RL_SUGGEST_TEXT_BYTES = 256 // room for any suggestion
};

// " (did you mean 'compile' or 'compare'?)" for an error message: the names of the list that are closest to `given`, in
// the order of the list. "" when none is close. A name is close when at most a third of its letters, but at least one,
// were left out, added, replaced or swapped with a neighbour (distance of optimal string alignment), or when `given` is
// its beginning, of two letters at least. Case does not matter, and dashes in front of both do not count. The text is
// in `text`, which is returned.
const char *rl_suggest(char text[RL_SUGGEST_TEXT_BYTES], const char *given, const char *const *names, int count);

#endif
