// SPDX-License-Identifier: Apache-2.0
//
// What the elements of tensors are before a call: numbers that are likely to come out differently on another core or
// with another compiler. The same contents and seed give the same bytes everywhere.
#ifndef RL_TESTS_SAME_BYTES_CONTENTS_H
#define RL_TESTS_SAME_BYTES_CONTENTS_H

#include <stdint.h>

#include "rushlight/tensor.h"

enum contents {
    ORDINARY, // floats in -4..4, integers 0..2: valid as most indices
    SPIKED,   // the same, but one float in 16 is the largest, the smallest, subnormal, a tie of rounding, ...
    FINITE,   // all floats are such, integers likewise: around the limits of types and powers of two
    ANY,      // floats also infinite and NaN, with several signs and payloads; integers 0..2
    WILD,     // the same, and integers around the limits
    CONTENTS
};

void fill_tensor(const struct rl_tensor *tensor, enum contents contents, uint32_t *random);

// Of a tensor of floats: how many elements are NaN but not the one NaN that operators store, and have the bits of one
// that fill_tensor writes, and how many have other bits.
struct strange_nans {
    uint32_t moved, made;
};

struct strange_nans count_strange_nans(const struct rl_tensor *tensor);

#endif
