// SPDX-License-Identifier: Apache-2.0
#ifndef RL_KERNELS_SCALAR_AVERAGE_S8_TILE_H
#define RL_KERNELS_SCALAR_AVERAGE_S8_TILE_H

#include "isa.h"
#include "pooling/window.h"
#include "requantize.h"
#include "scalar/window_sums.h"

// Divides sums of up to 255 int8 by their number, with ties away from zero, without a divide instruction.
struct rl_average_divisor {
    int32_t start;       // what makes sums positive, and rounds them
    int32_t ties;        // -1 if there are ties, which go down below zero, else 0
    uint32_t reciprocal; // 2^24 divided by their number
    bool is_open;        // no average is outside the limits
};

// 2^24 divided by a number, rounded upwards. A signed division, as elsewhere: on cores without divide, an unsigned one
// would link one more library function.
static inline int32_t rl_average_reciprocal(int32_t count)
{
    return ((INT32_C(1) << 24) + count - 1) / count;
}

// The same, kept for the next windows, for cores without divide.
static __attribute__((noinline, unused)) int32_t rl_average_kept_reciprocal(struct rl_pool_reciprocal *last,
                                                                            int32_t count)
{
    if (last->count != count) {
        last->count = count;
        last->value = rl_average_reciprocal(count);
    }
    return last->value;
}

static inline struct rl_average_divisor rl_average_divisor(const struct rl_pool_window *w, int32_t count)
{
    const int32_t reciprocal =
        RL_HAS_LONG_MULTIPLY ? rl_average_reciprocal(count) : rl_average_kept_reciprocal(w->reciprocal, count);
    return (struct rl_average_divisor){128 * count + count / 2, (count & 1) - 1, (uint32_t)reciprocal,
                                       w->min <= INT8_MIN && w->max >= INT8_MAX};
}

// The average plus 128 in the highest byte. With n the number below that is divided, n / count =
// n * ceil(2^24 / count) / 2^24 is exact, because the error of the reciprocal is below count / 2^24 and n * count is at
// most (255 * 255 + 127) * 255 < 2^24. The product is below 255.5 * 2^24 + n < 2^32.
static inline uint32_t rl_average_divide(const struct rl_average_divisor *divisor, int32_t sum)
{
    return (uint32_t)(sum + divisor->start + ((sum >> 31) & divisor->ties)) * divisor->reciprocal;
}

// Four averages, each within the limits. Rarely needed. Takes no window, whose members then stay in registers.
static __attribute__((noinline)) uint32_t rl_limited_averages(uint32_t bytes, int32_t min, int32_t max)
{
    uint32_t limited = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        limited |= (uint32_t)(uint8_t)rl_clamp_s32((int8_t)(bytes >> shift), min, max) << shift;
    }
    return limited;
}

// The averages of four channels from their sums.
static inline uint32_t rl_average_of_sums(const struct rl_pool_window *w, const struct rl_average_divisor *divisor,
                                          uint32_t even, uint32_t odd)
{
    const int32_t count = w->rows * w->columns;
    const uint32_t bytes = rl_average_divide(divisor, rl_lower_sum(even, count)) >> 24 |
                           rl_average_divide(divisor, rl_lower_sum(odd, count)) >> 24 << 8 |
                           rl_average_divide(divisor, rl_upper_sum(even, count)) >> 24 << 16 |
                           (rl_average_divide(divisor, rl_upper_sum(odd, count)) & UINT32_C(0xff000000));
    const uint32_t averages = bytes ^ UINT32_C(0x80808080);
    return divisor->is_open ? averages : rl_limited_averages(averages, w->min, w->max);
}

// Averages four channels of a window of up to RL_AVERAGE_PACKED_LIMIT pixels.
static inline void rl_average_of_4_channels(const struct rl_pool_window *w, const struct rl_average_divisor *divisor,
                                            const int8_t *input, int8_t *output)
{
    const struct rl_packed_sums sums = rl_sums_of_4_channels(w, input);
    rl_store_s8x4(output, rl_average_of_sums(w, divisor, sums.even, sums.odd));
}

// Whether there are words that a core cannot load, and room for a loop over their bytes.
enum { RL_AVERAGE_BY_BYTES = !RL_SMALL && !RL_HAS_UNALIGNED_WORDS };

static inline int8_t rl_average_of_one(const struct rl_pool_window *w, const struct rl_average_divisor *divisor,
                                       int32_t sum)
{
    return (int8_t)rl_clamp_s32((int8_t)(rl_average_divide(divisor, sum) >> 24 ^ 0x80), w->min, w->max);
}

// Averages four channels from any address.
static inline void rl_average_of_4_bytes(const struct rl_pool_window *w, const struct rl_average_divisor *divisor,
                                         const int8_t *input, int8_t *output)
{
    int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
    for (int32_t y = w->rows; y > 0; y--) {
        const int8_t *pixel = input;
        for (int32_t x = w->columns; x > 0; x--) {
            sum_0 += pixel[0];
            sum_1 += pixel[1];
            sum_2 += pixel[2];
            sum_3 += pixel[3];
            pixel += w->channels;
        }
        input += w->row_stride;
    }
    output[0] = rl_average_of_one(w, divisor, sum_0);
    output[1] = rl_average_of_one(w, divisor, sum_1);
    output[2] = rl_average_of_one(w, divisor, sum_2);
    output[3] = rl_average_of_one(w, divisor, sum_3);
}

// Averages all channels from any address. Not inlined, so that the loops over words keep their registers.
static __attribute__((noinline, unused)) void rl_average_by_bytes(const struct rl_pool_window *w, const int8_t *input,
                                                                  int8_t *output)
{
    const struct rl_average_divisor divisor = rl_average_divisor(w, w->rows * w->columns);
    int32_t c = 0;
    for (; c + 4 <= w->channels; c += 4) {
        rl_average_of_4_bytes(w, &divisor, input + c, output + c);
    }
    for (; c < w->channels; c++) {
        output[c] = rl_average_of_one(w, &divisor, rl_sum_of_channel(w, input + c));
    }
}

// Averages eight channels, which halves the cost of the loops.
static inline void rl_average_of_8_channels(const struct rl_pool_window *w, const struct rl_average_divisor *divisor,
                                            const int8_t *input, int8_t *output)
{
    uint32_t sums[4] = {0, 0, 0, 0};
    for (int32_t y = w->rows; y > 0; y--, input += w->row_stride) {
        rl_add_eights_s8(sums, input, w->columns, w->channels);
    }
    rl_store_s8x4(output, rl_average_of_sums(w, divisor, sums[0], sums[1]));
    rl_store_s8x4(output + 4, rl_average_of_sums(w, divisor, sums[2], sums[3]));
}

// Whether the next function is there: not in small code, and not for cores that lack the registers to have it inside
// the tile at no cost for other windows.
enum { RL_AVERAGE_BY_PARTS = !RL_SMALL && RL_HAS_LONG_MULTIPLY };

// Averages four channels of a larger window, whose rows have up to RL_AVERAGE_PACKED_LIMIT pixels: so many rows at a
// time that their sums fit.
static __attribute__((noinline)) void rl_average_of_4_channels_by_parts(const struct rl_pool_window *w,
                                                                        const int8_t *input, int8_t *output)
{
    struct rl_pool_window part = *w;
    const int32_t most = RL_AVERAGE_PACKED_LIMIT / w->columns;
    int32_t sums[4] = {0, 0, 0, 0};
    for (int32_t left = w->rows; left > 0; left -= most, input += most * w->row_stride) {
        part.rows = rl_min_s32(left, most);
        const int32_t count = part.rows * w->columns;
        const struct rl_packed_sums packed = rl_sums_of_4_channels(&part, input);
        sums[0] += rl_lower_sum(packed.even, count);
        sums[1] += rl_lower_sum(packed.odd, count);
        sums[2] += rl_upper_sum(packed.even, count);
        sums[3] += rl_upper_sum(packed.odd, count);
    }
    for (int i = 0; i < 4; i++) {
        output[i] = rl_average_of_sum(w, sums[i]);
    }
}

// Averages all channels, whose number is a multiple of four where words must be aligned; returns how many it took.
static inline __attribute__((always_inline)) int32_t rl_average_by_words(const struct rl_pool_window *w,
                                                                         const int8_t *input, int8_t *output)
{
    const struct rl_average_divisor divisor = rl_average_divisor(w, w->rows * w->columns);
    int32_t c = 0;
    for (; !RL_SMALL && c + 8 <= w->channels; c += 8) {
        rl_average_of_8_channels(w, &divisor, input + c, output + c);
    }
    for (; c + 4 <= w->channels; c += 4) {
        rl_average_of_4_channels(w, &divisor, input + c, output + c);
    }
    return c;
}

// The same in a function of its own, for the registers of a Cortex-M0.
static __attribute__((noinline, unused)) void rl_average_words_apart(const struct rl_pool_window *window,
                                                                     const int8_t *input, int8_t *output)
{
    const struct rl_pool_window w = *window;
    (void)rl_average_by_words(&w, input, output);
}

// Averages each channel over a window of at least one pixel, rounds ties away from zero, and clamps.
static inline void rl_average_s8_tile(const struct rl_pool_window *window, const int8_t *input, int8_t *output)
{
    const struct rl_pool_window w = *window;
    const int32_t count = w.rows * w.columns;
    const uintptr_t addresses = (uintptr_t)input | (uintptr_t)output | (uintptr_t)w.channels;
    int32_t c = 0;
    if (count <= RL_AVERAGE_PACKED_LIMIT && rl_words_allowed(addresses)) {
        if (RL_AVERAGE_BY_BYTES) {
            rl_average_words_apart(window, input, output);
            return;
        }
        c = rl_average_by_words(&w, input, output);
    } else if (RL_AVERAGE_BY_BYTES && count <= RL_AVERAGE_PACKED_LIMIT) {
        rl_average_by_bytes(window, input, output);
        return;
    } else if (RL_AVERAGE_BY_PARTS && w.columns <= RL_AVERAGE_PACKED_LIMIT && rl_words_allowed(addresses)) {
        for (; c + 4 <= w.channels; c += 4) {
            rl_average_of_4_channels_by_parts(window, input + c, output + c);
        }
    }
    for (; c < w.channels; c++) {
        output[c] = rl_average_of_channel(&w, input + c);
    }
}

#endif
