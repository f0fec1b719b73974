// SPDX-License-Identifier: Apache-2.0
// rl_copy_lines_s8 in portable C. Included by scalar/copy_lines.h.
#ifndef RL_KERNELS_SCALAR_COPY_LINES_PLAIN_H
#define RL_KERNELS_SCALAR_COPY_LINES_PLAIN_H

static inline void rl_copy_lines_s8(int8_t *to, const int8_t *from, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

static inline void rl_copy_lines_last(int8_t *to, const int8_t *from, int32_t count)
{
    rl_copy_lines_s8(to, from, count);
}

#endif
