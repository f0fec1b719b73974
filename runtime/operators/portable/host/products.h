// SPDX-License-Identifier: Apache-2.0
//
// The inner loop of all products of floats on a host: sums of RL_LANES places and RL_CHANNELS channels, side by side in
// vectors. Each lane adds up one result, product after product in the order of the loops on the cores and with the same
// two roundings, so that the bits are the same, whatever the width of the vectors.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_HOST_PRODUCTS_H
#define RL_RUNTIME_OPERATORS_PORTABLE_HOST_PRODUCTS_H

#include "runtime/operators/portable/real.h"

enum {
    RL_LANES = 8,
    RL_CHANNELS = 4, // with eight lanes they fill the registers of SSE2
    RL_DEPTH = 128   // products of a panel: what a sum takes between its loads and stores
};

struct rl_sums {
    rl_real of[RL_CHANNELS][RL_LANES];
};

// sums->of[c][i] += places[k * RL_LANES + i] * weights[k * RL_CHANNELS + c] for k = 0, 1, ..., count - 1
typedef void rl_add_products(struct rl_sums *sums, const rl_real *places, const rl_real *weights, int32_t count);

// The same for two groups of RL_LANES places, those at `places` and at `others`: sums of which none waits for another
// keep a processor with wide vectors busy.
typedef void rl_add_products_twice(struct rl_sums sums[2], const rl_real *places, const rl_real *others,
                                   const rl_real *weights, int32_t count);

struct rl_products {
    rl_add_products *add;
    rl_add_products_twice *add_twice;
};

// The forms for the widest vectors of this processor. All forms give the same bits.
struct rl_products rl_find_products(void);

// The forms that every processor has.
rl_add_products rl_add_products_plainly;
rl_add_products_twice rl_add_twice_plainly;

// Copies the next RL_TURNED weights of each of four channels, those of a channel being apart by RL_CHANNELS then.
enum { RL_TURNED = 16 / sizeof(rl_real) };
void rl_turn_weights(rl_real *to, const rl_real *a, const rl_real *b, const rl_real *c, const rl_real *d);

// Every NaN becomes the one that operators store: quiet, positive, without payload.
void rl_put_sums(rl_real *to, const rl_real *sums, int32_t count);

#endif
