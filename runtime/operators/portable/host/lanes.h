// SPDX-License-Identifier: Apache-2.0
//
// Eight results side by side, in vectors that every host has: SSE2, NEON, or whatever the compiler makes of them. Each
// lane adds up one result, in the order of the loop on the cores, so that the bits are the same.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_HOST_LANES_H
#define RL_RUNTIME_OPERATORS_PORTABLE_HOST_LANES_H

#include <string.h>

#include "runtime/operators/portable/real.h"

enum { RL_LANES = 8, RL_VECTOR = 16 / sizeof(rl_real), RL_VECTORS = RL_LANES / RL_VECTOR };

typedef rl_real rl_vector_of_reals __attribute__((vector_size(16)));

#ifdef RL_WIDE
typedef int64_t rl_vector_of_bits __attribute__((vector_size(16)));
#else
typedef int32_t rl_vector_of_bits __attribute__((vector_size(16)));
#endif

struct rl_lanes {
    rl_vector_of_reals of[RL_VECTORS];
};

struct rl_lane_bits {
    rl_vector_of_bits of[RL_VECTORS];
};

static inline struct rl_lanes rl_lanes_load(const rl_real *from)
{
    struct rl_lanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

// Every NaN becomes the one that operators store: quiet, positive, without payload.
static inline struct rl_lanes rl_lanes_canonical(struct rl_lanes lanes)
{
#ifdef RL_WIDE
    const rl_vector_of_bits nan = {INT64_C(0x7ff8000000000000), INT64_C(0x7ff8000000000000)};
#else
    const rl_vector_of_bits nan = {0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000};
#endif
    for (int i = 0; i < RL_VECTORS; i++) {
        const rl_vector_of_bits is_number = lanes.of[i] == lanes.of[i];
        lanes.of[i] = (rl_vector_of_reals)(((rl_vector_of_bits)lanes.of[i] & is_number) | (nan & ~is_number));
    }
    return lanes;
}

static inline struct rl_lanes rl_lanes_all(rl_real number)
{
    struct rl_lanes lanes;
    for (int i = 0; i < RL_VECTORS; i++) {
        lanes.of[i] = number - (rl_vector_of_reals){0}; // the one form that keeps the sign of a zero
    }
    return lanes;
}

// sums + left * right, in two roundings
static inline struct rl_lanes rl_lanes_add_product(struct rl_lanes sums, struct rl_lanes left, rl_real right)
{
    for (int i = 0; i < RL_VECTORS; i++) {
        sums.of[i] += left.of[i] * right;
    }
    return sums;
}

// The same where `taken` has ones. Elsewhere it adds -0, which changes no number.
static inline struct rl_lanes rl_lanes_add_some(struct rl_lanes sums, struct rl_lanes left, rl_real right,
                                                const struct rl_lane_bits *taken)
{
    const rl_vector_of_reals nothing = -(rl_vector_of_reals){0};
    for (int i = 0; i < RL_VECTORS; i++) {
        const rl_vector_of_bits product = (rl_vector_of_bits)(left.of[i] * right) & taken->of[i];
        sums.of[i] += (rl_vector_of_reals)(product | ((rl_vector_of_bits)nothing & ~taken->of[i]));
    }
    return sums;
}

#endif
