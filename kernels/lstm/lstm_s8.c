// SPDX-License-Identifier: Apache-2.0
#include "isa.h"
#include "lstm/lstm.h"
#include RL_TILE(dot_tile.h)
#include RL_TILE(row_sums_tile.h)

// Units whose sums are on the stack together.
enum { BLOCK = RL_SMALL ? 2 : 64 };

// Rows this short cost more to prepare for than to multiply two at a time.
enum { SHORT = 8 };

// Whether a few rows are. With Helium, four at a time take less time for many units. On a Cortex-M4 two at a time take
// 0.7 cycles a product more than groups and 200 less, and 80 less again if the groups leave rows behind.
static bool is_small(int32_t depth, int32_t count)
{
    if (RL_HAS_MVE) {
        return depth < SHORT && count < SHORT;
    }
    return depth < SHORT || (RL_HAS_DSP && count * depth <= ((depth & 7) != 0 ? 399 : 280));
}

static void find_sums(const struct rl_fully_connected *f, const int8_t *values, int32_t first, int32_t count,
                      int32_t *sums)
{
    if (!RL_SMALL && !is_small(f->depth, count)) {
        rl_row_sums(f, values, first, count, sums);
        return;
    }
    const int8_t *weights = f->weights + (ptrdiff_t)first * f->depth;
    for (int32_t i = 0; i < count; i += 2, weights += 2 * (ptrdiff_t)f->depth) {
        const int32_t next = i + 1 < count ? i + 1 : i;
        int32_t pair[2] = {f->bias[first + i], f->bias[first + next]};
        rl_dot_s8_s8_pair(values, 0, weights, weights + (next - i) * f->depth, f->depth, pair);
        sums[next] = pair[1];
        sums[i] = pair[0];
    }
}

// Adds a matrix times `rows` vectors to output, or writes it there when `first`.
static void add_product(const struct rl_lstm_part *part, const void *values, int32_t rows, int32_t depth, int32_t units,
                        bool first, int16_t *output)
{
    const struct rl_fully_connected matrix = {
        .channels = units, .depth = depth, .weights = part->weights, .bias = part->bias};
    const int8_t *row_values = values;
    for (int32_t row = 0; row < rows; row++, row_values += depth) {
        for (int32_t unit = 0; unit < units; unit += BLOCK) {
            const int32_t count = rl_min_s32(units - unit, BLOCK);
            int32_t sums[BLOCK];
            find_sums(&matrix, row_values, unit, count, sums);
            rl_add_s16(sums, part->scale, count, first, output);
            output += count;
        }
    }
}

void rl_lstm_run(const struct rl_lstm *layer, const int8_t *input, int8_t *output,
                 const struct rl_lstm_buffers *buffers)
{
    static const struct rl_lstm_type type = {sizeof(int8_t), {INT8_MIN, INT8_MAX}, add_product};
    rl_lstm_run_type(&type, layer, input, output, buffers);
}
