// SPDX-License-Identifier: Apache-2.0
// Computes several positions of an int16 convolution at once, on cores where that is faster than two by two.
#ifndef RL_KERNELS_SCALAR_OUTPUT_S16_TILE_H
#define RL_KERNELS_SCALAR_OUTPUT_S16_TILE_H

#include "convolution/output_s16.h"

// The most positions and channels that are computed at a time.
enum { RL_OUTPUT_S16_POSITIONS = 2, RL_OUTPUT_S16_CHANNELS = INT32_MAX };

struct rl_outputs_s16 {
    bool possible;
};

// The words that the functions below need for patches of `depth` values, at least one.
static inline int32_t rl_outputs_s16_words(int32_t depth)
{
    (void)depth;
    return 1;
}

// Prepares the functions below for the filters of `p` and so many positions. The words must stay until the end.
static inline void rl_outputs_s16_start(struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                        const struct rl_patches_s16 *p, int32_t positions, uint32_t *words)
{
    (void)o, (void)p, (void)positions, (void)words;
    s->possible = false;
}

// Computes the outputs of the patches. Call it only if `possible` is set, which it never is here.
static inline void rl_outputs_s16(const struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                  const struct rl_patches_s16 *p, int16_t *output)
{
    (void)s, (void)o, (void)p, (void)output;
}

// Takes a patch that is lines of the input. Call it only on cores with DSP instructions and without Helium.
static inline void rl_outputs_s16_lines(const struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                        const struct rl_patches_s16 *p, const struct rl_lines_s16 *lines,
                                        int16_t *output)
{
    (void)s, (void)o, (void)p, (void)lines, (void)output;
}

// Ends the patches. None are waiting here.
static inline void rl_outputs_s16_end(const struct rl_outputs_s16 *s, const struct rl_output_s16 *o,
                                      const struct rl_patches_s16 *p)
{
    (void)s, (void)o, (void)p;
}

#endif
