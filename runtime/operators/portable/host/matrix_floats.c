// SPDX-License-Identifier: Apache-2.0
//
// Blocks of vectors on the left are the places of rl_add_products, and those on the right its channels. Between parts
// of the depth the output holds the sums.
#include "runtime/operators/portable/host/matrix_floats.h"

#include "runtime/operators/portable/host/products.h"

enum { TILES = 16, PLACES = TILES * RL_LANES };

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// Copies elements from `at` on of up to `width` vectors from `first` on, side by side; surplus ones repeat the first.
static void gather(const struct rl_vectors *vectors, int32_t first, int32_t width, int32_t at, int32_t count,
                   rl_real *to)
{
    for (int32_t i = 0; i < width; i++) {
        const int32_t vector = first + i < vectors->count ? first + i : first;
        const rl_real *from = vectors->data + vector * vectors->vector + at * vectors->element;
        for (int32_t k = 0; k < count; k++) {
            to[k * width + i] = from[k * vectors->element];
        }
    }
}

static void load_sums(const struct rl_matrix_product *p, int32_t place, int32_t channel, bool is_first,
                      struct rl_sums *sums)
{
    for (int32_t c = 0; c < RL_CHANNELS; c++) {
        const int32_t j = channel + c < p->right.count ? channel + c : channel;
        for (int32_t i = 0; i < RL_LANES; i++) {
            const int32_t row = place + i < p->left.count ? place + i : place;
            const rl_real start = p->bias ? p->bias[j] : 0;
            sums->of[c][i] = is_first ? start : p->to[row * p->row + j * p->column];
        }
    }
}

static void store_sums(const struct rl_matrix_product *p, int32_t place, int32_t channel, const struct rl_sums *sums)
{
    for (int32_t c = 0; c < RL_CHANNELS && channel + c < p->right.count; c++) {
        for (int32_t i = 0; i < RL_LANES && place + i < p->left.count; i++) {
            rl_put_sums(p->to + (place + i) * p->row + (channel + c) * p->column, &sums->of[c][i], 1);
        }
    }
}

// Adds `depth` products from `at` on to the sums of the places from `first` on.
static void add_part(const struct rl_matrix_product *p, const struct rl_products *products, int32_t first, int32_t at,
                     int32_t depth)
{
    rl_real places[TILES][RL_DEPTH * RL_LANES], weights[RL_DEPTH * RL_CHANNELS];
    const int32_t tiles = (smaller(PLACES, p->left.count - first) + RL_LANES - 1) / RL_LANES;
    for (int32_t t = 0; t < tiles; t++) {
        gather(&p->left, first + t * RL_LANES, RL_LANES, at, depth, places[t]);
    }
    for (int32_t channel = 0; channel < p->right.count; channel += RL_CHANNELS) {
        gather(&p->right, channel, RL_CHANNELS, at, depth, weights);
        for (int32_t t = 0; t < tiles; t += 2) {
            const int32_t count = smaller(2, tiles - t), place = first + t * RL_LANES;
            struct rl_sums sums[2];
            for (int32_t i = 0; i < count; i++) {
                load_sums(p, place + i * RL_LANES, channel, at == 0, &sums[i]);
            }
            if (count == 2) {
                products->add_twice(sums, places[t], places[t + 1], weights, depth);
            } else {
                products->add(sums, places[t], weights, depth);
            }
            for (int32_t i = 0; i < count; i++) {
                store_sums(p, place + i * RL_LANES, channel, &sums[i]);
            }
        }
    }
}

void rl_multiply_floats(const struct rl_matrix_product *product)
{
    const struct rl_products products = rl_find_products();
    for (int32_t first = 0; first < product->left.count; first += PLACES) {
        int32_t at = 0;
        do {
            const int32_t depth = smaller(RL_DEPTH, product->depth - at);
            add_part(product, &products, first, at, depth);
            at += depth;
        } while (at < product->depth);
    }
}
