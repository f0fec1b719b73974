// SPDX-License-Identifier: Apache-2.0
//
// Networks of integer operators, as text, for tests of passes: convolutions, sums, products, pools, functions and
// linear layers, with weights of which whole channels are zero.
#ifndef RL_TESTS_COMPILER_PASSES_RANDOM_NETWORK_H
#define RL_TESTS_COMPILER_PASSES_RANDOM_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

struct rl_random {
    uint64_t state;
};

int rl_random_below(struct rl_random *random, int limit);
int rl_random_between(struct rl_random *random, int low, int high); // both included

// The same network for the same seed, of int8, or of int16 with int8 weights. It has one input and at most three
// outputs. The caller frees it.
char *rl_random_network(uint64_t seed, bool is_wide);

#endif
