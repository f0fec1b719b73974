// SPDX-License-Identifier: Apache-2.0
// Formulas: TFLite's int16 softmax, as used by CMSIS-NN. All narrowing is modulo 2^16, as there.
#include "rushlight/kernels/softmax.h"
#include "softmax/fixed_point.h"

// Reads a table of 513 values at `position` -32768..32767: 512 steps of 128, interpolated with rounding.
static int16_t interpolate(const int16_t *table, int16_t position)
{
    const int32_t index = 256 + (position >> 7);
    const int32_t offset = position & 0x7f;
    const int16_t slope = (int16_t)(table[index + 1] - table[index]);
    const int16_t delta = (int16_t)((slope * offset + 64) >> 7);
    return (int16_t)(table[index] + delta);
}

// Writes the exponentials of a row to `output`, which may be `input`, and returns their sum.
static uint32_t exponentials(const struct rl_softmax *layer, const int16_t *input, int16_t *output)
{
    const struct rl_softmax l = *layer; // a copy, so that the compiler knows that stores to the output do not change it
    int32_t maximum = input[0];
    for (int32_t i = 1; i < l.row; i++) {
        maximum = rl_max_s32(maximum, input[i]);
    }
    int32_t sum = 0;
    for (int32_t i = 0; i < l.row; i++) {
        const int32_t scaled = rl_requantize(input[i] - maximum, l.scale.multiplier, l.scale.shift);
        const int32_t symmetric = (int32_t)((uint32_t)scaled + INT16_MAX);
        output[i] = interpolate(l.exponentials, (int16_t)rl_clamp_s32(symmetric, INT16_MIN, INT16_MAX));
        sum += output[i]; // 2^16 elements of 15 bits do not overflow
    }
    return (uint32_t)sum;
}

// 1 / sum as q15, with the sum scaled to 1..2. The table holds 1 / (1 + x), so 65536 (one) is subtracted, and 32768
// more because its positions are symmetric around 0.
static int16_t reciprocal(uint32_t sum, int32_t headroom, const int16_t *table)
{
    const int32_t shifted = (int32_t)((sum << (headroom - 1)) + (UINT32_C(1) << 13)) >> 14;
    return interpolate(table, (int16_t)(shifted - 98304));
}

void rl_softmax_s16_run(const struct rl_softmax *layer, const int16_t *input, int16_t *output)
{
    const int32_t count = layer->row;
    for (int32_t row = 0; row < layer->rows; row++) {
        const uint32_t sum = exponentials(layer, input, output);
        const int32_t headroom = rl_clamp_s32(rl_leading_zeros(sum), 1, 30);
        const int32_t factor = reciprocal(sum, headroom, layer->reciprocals);
        for (int32_t i = 0; i < count; i++) {
            const int32_t product = (output[i] * factor) >> (30 - headroom);
            output[i] = (int16_t)((product + 1) >> 1);
        }
        input += count;
        output += count;
    }
}
