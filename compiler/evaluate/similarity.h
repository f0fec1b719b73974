// SPDX-License-Identifier: Apache-2.0
//
// The signal-to-noise ratio of values against reference values.
#ifndef RL_COMPILER_EVALUATE_SIMILARITY_H
#define RL_COMPILER_EVALUATE_SIMILARITY_H

#include <stdint.h>

// Sums over all elements and samples: the squares of the reference values and those of the differences.
struct rl_similarity {
    double signal, noise;
    int64_t count;
};

enum { RL_SQNR_EQUAL = 200 }; // dB, for values without any difference

void rl_similarity_add(struct rl_similarity *similarity, double reference, double found);

// 10 log10 of signal over noise.
double rl_similarity_db(const struct rl_similarity *similarity);

#endif
