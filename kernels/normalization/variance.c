// SPDX-License-Identifier: Apache-2.0
#include "normalization/statistics.h"
#include "requantize.h"
#include "rushlight/kernels/normalization.h"

// A number of 31 or 32 bits that stands for itself / 2^power.
struct scaled {
    uint32_t mantissa;
    int32_t power;
};

static struct scaled normalized(uint64_t variation)
{
    const int32_t power = rl_leading_zeros_u64(variation) - 33;
    return (struct scaled){(uint32_t)(power >= 0 ? variation << power : variation >> -power), power};
}

static struct scaled root_of(uint64_t variation)
{
    const int32_t power = (rl_leading_zeros_u64(variation) - 1) / 2;
    return (struct scaled){rl_root_u64(variation << 2 * power), power};
}

static int8_t result_of(const struct rl_variance *layer, uint64_t variation)
{
    enum { MOST_SHIFT = 63 };
    if (variation == 0) {
        return (int8_t)layer->output_offset;
    }
    const struct scaled scaled = layer->is_deviation ? root_of(variation) : normalized(variation);
    const int32_t shift = 31 - layer->scale.shift + scaled.power;
    if (shift > MOST_SHIFT) {
        return (int8_t)layer->output_offset;
    }
    if (shift < 1) {
        return INT8_MAX;
    }
    // The sum is below 2^64: mantissa and multiplier have 32 and 31 bits.
    const uint64_t product = (uint64_t)scaled.mantissa * (uint32_t)layer->scale.multiplier;
    const uint64_t steps = (product + ((uint64_t)1 << (shift - 1))) >> shift;
    return (int8_t)(steps < 256 ? rl_min_s32((int32_t)steps + layer->output_offset, INT8_MAX) : INT8_MAX);
}

void rl_variance_run(const struct rl_variance *layer, const int8_t *input, int8_t *output)
{
    const uint32_t n = (uint32_t)layer->row;
    for (int32_t row = 0; row < layer->rows; row++) {
        struct rl_row_sums sums = {0, 0};
        rl_add_row_values(input, layer->row, &sums);
        const uint64_t square = (uint64_t)((int64_t)sums.values * sums.values);
        output[row] = result_of(layer, n * sums.squares - square);
        input += layer->row;
    }
}
