// SPDX-License-Identifier: Apache-2.0
// The sums of some channels of a window.
#ifndef RL_KERNELS_DEPTHWISE_WINDOW_SUMS_H
#define RL_KERNELS_DEPTHWISE_WINDOW_SUMS_H

#include "depthwise/window.h"
#include "isa.h"

enum { RL_DEPTHWISE_TOGETHER = RL_HAS_LONG_MULTIPLY ? 4 : 2 }; // channels whose sums fit in registers

// The shape of a window's sums.
struct rl_depthwise_sums {
    int32_t offset;
    const struct rl_depthwise_steps *step;
    const struct rl_depthwise_window *window;
};

// Computes the sums of `count` channels, a constant number of them at a time.
static inline __attribute__((always_inline)) void rl_depthwise_sum_some(const struct rl_depthwise_sums *s,
                                                                        const int8_t *x, const int8_t *w, int32_t count,
                                                                        int32_t some, int32_t *sums)
{
    const int32_t offset = s->offset;
    const ptrdiff_t x_step = s->step->x, w_step = s->step->w;
    const ptrdiff_t x_back = s->step->x_line - s->window->columns * x_step;
    const ptrdiff_t w_back = s->step->w_line - s->window->columns * w_step;
    for (; count > 0; count -= some, sums += some) {
        const int8_t *const first_x = x, *const first_w = w;
        int32_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;
        for (int32_t rows = s->window->rows; rows > 0; rows--, x += x_back, w += w_back) {
            int32_t columns = s->window->columns;
            do {
                int32_t x_0 = x[0], w_0 = w[0];
                int32_t x_1 = some > 1 ? x[1] : 0, w_1 = some > 1 ? w[1] : 0;
                if (RL_DEPTHWISE_TOGETHER > 2 && some > 1) { // loads right after loads are cheap on a Cortex-M3
                    RL_KEEP("+r"(x_0), "+r"(x_1), "+r"(w_0), "+r"(w_1));
                }
                sum_0 += (x_0 + offset) * w_0;
                sum_1 += (x_1 + offset) * w_1;
                if (some > 2) {
                    int32_t x_2 = x[2], w_2 = w[2];
                    int32_t x_3 = some > 3 ? x[3] : 0, w_3 = some > 3 ? w[3] : 0;
                    RL_KEEP("+r"(x_2), "+r"(x_3), "+r"(w_2), "+r"(w_3));
                    sum_2 += (x_2 + offset) * w_2;
                    sum_3 += (x_3 + offset) * w_3;
                }
                x += x_step;
                w += w_step;
            } while (--columns != 0);
        }
        const int32_t all[] = {sum_0, sum_1, sum_2, sum_3};
        for (int32_t i = 0; i < some; i++) {
            sums[i] = all[i];
        }
        x = first_x + some;
        w = first_w + some;
    }
}

#endif
