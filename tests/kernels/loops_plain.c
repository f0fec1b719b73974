// SPDX-License-Identifier: Apache-2.0
#include "loops_plain.h"

#include "isa.h"

// Scalar tiles and plain loops, whatever the core.
#undef RL_TILE
#undef RL_LOOP
#undef RL_FLOAT_TILE
#define RL_TILE(file)       RL_TILE_PATH(scalar, file)
#define RL_LOOP(name)       RL_TILE_PATH(scalar, name##_plain.h)
#define RL_FLOAT_TILE(file) RL_TILE_PATH(scalar, file)

#include "quantization.h"
#include "scalar/copy_lines.h"
#include "scalar/depthwise_channels.h"
#include "scalar/dot_1x4.h"
#include "scalar/dot_fours.h"
#include "scalar/dot_s4_tile.h"
#include "scalar/dot_tile.h"
#include "scalar/matmul_tile.h"
#include "scalar/memory_tile.h"
#include "scalar/packed_dot.h"
#include "scalar/packed_outputs.h"
#include "scalar/packed_six.h"
#include "scalar/plane_nine.h"
#include "scalar/store_s16.h"

void rl_plain_dot_1x4(struct rl_dot_1x4 *job)
{
    rl_dot_1x4(job);
}

void rl_plain_store_short_s16(struct rl_store_s16 *job)
{
    rl_store_short_s16(job);
}

void rl_plain_quick_dequantize(struct rl_quick_dequantize *job)
{
    rl_quick_dequantize(job);
}

void rl_plain_quick_quantize(struct rl_quick_quantize *job)
{
    rl_quick_quantize(job);
}

void rl_plain_dot_fours(struct rl_dot_fours *job)
{
    rl_dot_fours(job);
}

void rl_plain_dot_fours_own(struct rl_dot_fours *job)
{
    rl_dot_fours_own(job);
}

void rl_plain_packed_dot(const uint32_t *words, int32_t pairs, const int8_t *filter, ptrdiff_t step,
                         struct rl_packed_sums *sums, int32_t channels)
{
    rl_packed_dot(words, pairs, filter, step, sums, channels);
}

void rl_plain_packed_outputs(const struct rl_matmul *m, const struct rl_packed_rows *rows, const uint32_t *words,
                             int8_t *output)
{
    rl_packed_outputs(m, rows, words, output);
}

void rl_plain_packed_six(struct rl_packed_six *job, bool three, int32_t from)
{
    rl_packed_six(job, three, (enum rl_six_start)from);
}

void rl_plain_depthwise_channels(struct rl_depthwise_channels *job, bool left)
{
    rl_depthwise_channels(job, left);
}

void rl_plain_plane_nine(struct rl_plane_job *job)
{
    rl_plane_nine(job);
}

void rl_plain_plane_taps(struct rl_plane_job *job)
{
    rl_plane_taps(job);
}

void rl_plain_dot_s16_s8_2x2(const int16_t *x_0, const int16_t *x_1, const int8_t *w_0, const int8_t *w_1,
                             int32_t count, int32_t sums[4])
{
    rl_dot_s16_s8_2x2(x_0, x_1, w_0, w_1, count, sums);
}

int32_t rl_plain_dot_s8_s8(const int8_t *x, int32_t offset, const int8_t *w, int32_t count)
{
    return rl_dot_s8_s8(x, offset, w, count);
}

void rl_plain_dot_s8_s8_pair(const int8_t *x, int32_t offset, const int8_t *w_0, const int8_t *w_1, int32_t count,
                             int32_t sums[2])
{
    rl_dot_s8_s8_pair(x, offset, w_0, w_1, count, sums);
}

int32_t rl_plain_sum_s8(const int8_t *values, int32_t count)
{
    return rl_sum_s8(values, count);
}

int32_t rl_plain_saturate_s8(int32_t value)
{
    return rl_saturate_s8(value);
}

int32_t rl_plain_saturate_s16(int32_t value)
{
    return rl_saturate_s16(value);
}

void rl_plain_dot_s4(const int8_t *values, int32_t depth, int32_t at, int32_t offset, const int8_t *w_0,
                     const int8_t *w_1, int32_t count, int32_t sums[2])
{
    struct rl_row_s4 row;
    rl_row_s4_start(&row, values, depth);
    rl_dot_s4_pair(&row, at, offset, w_0, w_1, count, sums);
}

void rl_plain_copy_lines_s8(int8_t *to, const int8_t *from, int32_t count)
{
    rl_copy_lines_s8(to, from, count);
}

void rl_plain_copy_s8(int8_t *to, const int8_t *from, int32_t count)
{
    rl_copy_s8(to, from, count);
}

void rl_plain_copy_runs_s8(int8_t *to, ptrdiff_t to_step, const int8_t *from, ptrdiff_t from_step, int32_t count,
                           int32_t runs)
{
    rl_copy_runs_s8(to, to_step, from, from_step, count, runs);
}

void rl_plain_fill_s8(int8_t *to, int8_t value, int32_t count)
{
    rl_fill_s8(to, value, count);
}

bool rl_plain_quantize_many(const float *from, uint32_t count, const struct rl_quantization *q, bool wide, void *to)
{
    return rl_quantize_many(from, count, q, wide, to);
}

bool rl_plain_dequantize_many(const void *from, bool wide, uint32_t count, const struct rl_quantization *q, float *to)
{
    return rl_dequantize_many(from, wide, count, q, to);
}
