// SPDX-License-Identifier: Apache-2.0
// The plain form of loops whose assembler has the same name: functions of the scalar tiles, with every loop in C, on
// any core. The contracts are there.
#ifndef RL_TESTS_KERNELS_LOOPS_PLAIN_H
#define RL_TESTS_KERNELS_LOOPS_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rl_depthwise_channels;
struct rl_dot_1x4;
struct rl_dot_fours;
struct rl_matmul;
struct rl_packed_rows;
struct rl_packed_six;
struct rl_packed_sums;
struct rl_plane_job;
struct rl_quantization;
struct rl_quick_dequantize;
struct rl_quick_quantize;
struct rl_store_s16;

// scalar/dot_1x4.h, dot_fours.h, packed_dot.h, packed_outputs.h, packed_six.h
void rl_plain_dot_1x4(struct rl_dot_1x4 *job);
void rl_plain_dot_fours(struct rl_dot_fours *job);
void rl_plain_dot_fours_own(struct rl_dot_fours *job);
void rl_plain_packed_dot(const uint32_t *words, int32_t pairs, const int8_t *filter, ptrdiff_t step,
                         struct rl_packed_sums *sums, int32_t channels);
void rl_plain_packed_outputs(const struct rl_matmul *m, const struct rl_packed_rows *rows, const uint32_t *words,
                             int8_t *output);
void rl_plain_packed_six(struct rl_packed_six *job, bool three, int32_t from);

// scalar/quick_dequantize.h, quick_quantize.h, store_s16.h
void rl_plain_quick_dequantize(struct rl_quick_dequantize *job);
void rl_plain_quick_quantize(struct rl_quick_quantize *job);
void rl_plain_store_short_s16(struct rl_store_s16 *job);

// scalar/depthwise_channels.h, plane_nine.h
void rl_plain_depthwise_channels(struct rl_depthwise_channels *job, bool left);
void rl_plain_plane_nine(struct rl_plane_job *job);
void rl_plain_plane_taps(struct rl_plane_job *job);

// scalar/dot_tile.h, matmul_tile.h
void rl_plain_dot_s16_s8_2x2(const int16_t *x_0, const int16_t *x_1, const int8_t *w_0, const int8_t *w_1,
                             int32_t count, int32_t sums[4]);
int32_t rl_plain_dot_s8_s8(const int8_t *x, int32_t offset, const int8_t *w, int32_t count);
void rl_plain_dot_s8_s8_pair(const int8_t *x, int32_t offset, const int8_t *w_0, const int8_t *w_1, int32_t count,
                             int32_t sums[2]);
int32_t rl_plain_sum_s8(const int8_t *values, int32_t count);

// scalar/rescale_tile.h
int32_t rl_plain_saturate_s8(int32_t value);
int32_t rl_plain_saturate_s16(int32_t value);

// scalar/dot_s4_tile.h, of `count` of `depth` values
void rl_plain_dot_s4(const int8_t *values, int32_t depth, int32_t at, int32_t offset, const int8_t *w_0,
                     const int8_t *w_1, int32_t count, int32_t sums[2]);

// scalar/memory_tile.h
void rl_plain_copy_lines_s8(int8_t *to, const int8_t *from, int32_t count);
void rl_plain_copy_s8(int8_t *to, const int8_t *from, int32_t count);
void rl_plain_copy_runs_s8(int8_t *to, ptrdiff_t to_step, const int8_t *from, ptrdiff_t from_step, int32_t count,
                           int32_t runs);
void rl_plain_fill_s8(int8_t *to, int8_t value, int32_t count);

// scalar/quantization_tile.h
bool rl_plain_quantize_many(const float *from, uint32_t count, const struct rl_quantization *q, bool wide, void *to);
bool rl_plain_dequantize_many(const void *from, bool wide, uint32_t count, const struct rl_quantization *q, float *to);

#endif
