// SPDX-License-Identifier: Apache-2.0
// Two rows of expanded values times groups of four prepacked filters: dot_2x4.h in C.
//
// Values are int16 in the order in which SXTB16 leaves four bytes. Four words hold four values of both rows: values 0
// and 2 of each row, then values 1 and 3 of each row. The last zero to three values of a row take a word each.
#ifndef RL_KERNELS_DSP_DOT_2X4_PLAIN_H
#define RL_KERNELS_DSP_DOT_2X4_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dsp/prepacked_word.h"
#include "elementwise/rescale.h"
#include "isa.h"

#include RL_TILE(rescale_tile.h)

// How the sums of a channel become outputs.
struct rl_prepacked_channel {
    int32_t twice_bias;
    struct rl_rescale scale;
};

// The assembler relies on the offsets of the fields.
struct rl_dot_2x4 {
    const uint32_t *values; // 0
    const int8_t *filter;   // 4: the first group
    uintptr_t entry;        // 8: the loop's entry; 0 before the first run with this number of `fours`, and with or
                            // without `start`
    const struct rl_prepacked_channel *scale; // 12: that of the first channel
    uint32_t special; // 16: RL_DOT_2X4_LIMITED or 0, with 1 added if `rest`, `gap` or `sums` is not 0
    uintptr_t begin;  // 20: the assembler's own: where a group begins, behind its first sums; 0 for the loop's start
    int32_t fours;    // 24: groups of four values, at least 1
    int32_t row_start[2]; // 28: -128 times the sum of each row's values, which all sums start with
    int8_t *output;       // 36: that of the first row and channel; on return behind the last one
    ptrdiff_t second;     // 40: from the outputs of the first row to those of the second
    const int8_t *end;    // 44: where those of the first row end, a multiple of four behind their start
    uint32_t low, high;   // 48: the limits of outputs in all four bytes, read if RL_DOT_2X4_LIMITED
    ptrdiff_t gap;        // 56: bytes to leave out after each group
    int32_t rest;         // 60: values after the groups of four, 0 to 3
    const int32_t *start; // 64: [group][8], NULL for zeros; advances
    int32_t *sums;        // 68: [group][8], may be `start`; NULL for outputs; advances
    int32_t again; // 72: if not 0, a last group whose outputs start so many, 1 to 3, before `end`. Not in small code.
};

// Outputs have narrower limits than those of int8, to which they are saturated anyway.
#define RL_DOT_2X4_LIMITED (UINT32_C(1) << 31)

// The sums of a group as the registers hold them: for two filters, that of both in one for each row, then that of the
// first of them for each row; then the same for the other two.
enum { RL_GROUP_SUMS = 8 };

static inline void rl_dot_2x4_products(const struct rl_dot_2x4 *job, const int8_t *filter, int32_t sums[RL_GROUP_SUMS])
{
    const uint32_t *values = job->values;
    for (int32_t i = 0; i < 2 * job->fours; i++, values += 2) {
        for (int32_t pair = 0; pair < 2; pair++, filter += 4) {
            const struct rl_prepacked_word word = rl_prepacked_word_of(filter);
            for (int32_t row = 0; row < 2; row++) {
                sums[4 * pair + row] += rl_pair_product(values[row], word.both);
                sums[4 * pair + 2 + row] += rl_pair_product(values[row], word.first);
            }
        }
    }
    for (int32_t i = 0; i < job->rest; i++, values += 2, filter += 4) {
        const struct rl_prepacked_word word = rl_prepacked_word_of(filter);
        for (int32_t row = 0; row < 2; row++) {
            const int32_t value = rl_pair_low(values[row]);
            sums[row] += value * rl_pair_low(word.both);
            sums[2 + row] += value * rl_pair_low(word.first);
            sums[4 + row] += value * rl_pair_high(word.both);
            sums[6 + row] += value * rl_pair_high(word.first);
        }
    }
}

// Computes the sums of both rows with each filter, and scales them to `output` or keeps them in `sums`.
static inline void rl_dot_2x4_plain(struct rl_dot_2x4 *job)
{
    const struct rl_limits_s8 limits = {(int8_t)job->low, (int8_t)job->high};
    const struct rl_prepacked_channel *channel = job->scale;
    const int8_t *filter = job->filter;
    const int8_t *const end = job->again == 0 ? job->end : job->end + 4 - job->again;
    for (; job->output != end; job->output += 4) {
        if (job->output == job->end) {
            job->output -= job->again;
        }
        int32_t sums[RL_GROUP_SUMS] = {0};
        if (job->start) {
            memcpy(sums, job->start, sizeof sums);
            job->start += RL_GROUP_SUMS;
        }
        for (int32_t i = 0; i < RL_GROUP_SUMS; i++) {
            sums[i] += job->row_start[i % 2];
        }
        rl_dot_2x4_products(job, filter, sums);
        filter += 16 * job->fours + 4 * job->rest + job->gap;
        if (job->sums) {
            memcpy(job->sums, sums, sizeof sums);
            job->sums += RL_GROUP_SUMS;
            continue;
        }
        for (int32_t i = 0; i < 4; i++, channel++) {
            for (int32_t row = 0; row < 2; row++) {
                const int32_t both = sums[i / 2 * 4 + row], first = sums[i / 2 * 4 + 2 + row];
                const int32_t twice = i % 2 == 0 ? 2 * first : (both - first) >> 7;
                const int32_t output = rl_rescale(channel->scale, channel->twice_bias + twice);
                job->output[row * job->second + i] = rl_limit_s8(output, limits, !(job->special & RL_DOT_2X4_LIMITED));
            }
        }
    }
}

#endif
