// SPDX-License-Identifier: Apache-2.0
#include "reference_activation.h"

#include "support/kernel_test.h"

// The table is data, not arithmetic: the kernels' own copy, which activation_test compares with the true function.
extern const uint16_t rl_sigmoid_table[256];

int32_t reference_sigmoid_entry(int32_t index)
{
    return rl_sigmoid_table[index];
}

static int64_t floor_divide(int64_t value, int64_t divisor)
{
    return value / divisor - (value % divisor < 0 ? 1 : 0);
}

// The input in 24ths of a unit, as the table has it, with 9 fractional bits.
static int64_t table_position(int16_t value, int32_t left_shift)
{
    if (left_shift >= 0) {
        return rl_reference_low_word((int64_t)value * 3 * ((int64_t)1 << left_shift));
    }
    const int64_t divisor = (int64_t)1 << -left_shift;
    return floor_divide((int64_t)value * 3 + divisor / 2, divisor);
}

// sigmoid * 2^(16 + bits) at a position that is not negative and has `bits` fractional bits.
static int64_t right_half(int64_t position, int32_t bits, int64_t beyond)
{
    const int64_t step = (int64_t)1 << bits, index = position / step;
    if (index >= 255) {
        return beyond;
    }
    const int32_t here = reference_sigmoid_entry((int32_t)index);
    return here * step + position % step * (reference_sigmoid_entry((int32_t)index + 1) - here);
}

int16_t reference_activation_s16(int16_t value, int32_t left_shift, arm_nn_activation_type type)
{
    const int64_t position = table_position(value, left_shift);
    const int64_t magnitude = position < 0 ? -position : position;
    if (type == ARM_SIGMOID) {
        const int64_t one = (int64_t)1 << 25, right = right_half(magnitude, 9, (int64_t)0x7fff << 10);
        const int64_t result = position >= 0 ? right : one - right - 1;
        return (int16_t)floor_divide(result + 512, 1024);
    }
    const int64_t half = (int64_t)1 << 23, right = right_half(magnitude, 8, (int64_t)0xffff << 8);
    const int64_t result = position >= 0 ? right - half : half - right - 1;
    return (int16_t)floor_divide(result + 128, 256);
}
