// SPDX-License-Identifier: Apache-2.0
//
// Sentences that say what is wrong. A library for a core with little flash is compiled with -DRL_MESSAGES=0: errors
// then have their status and their numbers, and every sentence is empty. About 4 KB of flash.
#ifndef RL_FORMAT_MESSAGE_H
#define RL_FORMAT_MESSAGE_H

#ifndef RL_MESSAGES
#define RL_MESSAGES 1
#endif

// The sentence, or an empty one, which is not NULL.
static inline const char *rl_sentence(const char *sentence)
{
    return RL_MESSAGES ? sentence : "";
}

#endif
