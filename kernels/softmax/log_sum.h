// SPDX-License-Identifier: Apache-2.0
// The logarithm of a sum of exponentials, as rushlight/kernels/softmax.h defines it.
#ifndef RL_KERNELS_SOFTMAX_LOG_SUM_H
#define RL_KERNELS_SOFTMAX_LOG_SUM_H

#include "rushlight/kernels/softmax.h"

enum { RL_LOG_BITS = 24, RL_LOG_MOST_ADDEND = 1 << 30 };

// L of the header.
static inline int32_t rl_log_of_sum(uint64_t sum)
{
    int32_t whole = 0;
    for (; sum >> 32 != 0; sum >>= 1) {
        whole++;
    }
    uint32_t mantissa = (uint32_t)sum, bits = 0;
    for (int32_t i = 0; i < RL_LOG_BITS; i++) {
        const uint64_t square = ((uint64_t)mantissa * mantissa) >> 31;
        const uint32_t bit = (uint32_t)(square >> 32);
        mantissa = (uint32_t)(square >> bit);
        bits = bits << 1 | bit;
    }
    return (whole << RL_LOG_BITS) + (int32_t)bits;
}

// C of the header.
static inline int32_t rl_log_addend(const struct rl_log_softmax *layer, uint64_t sum)
{
    const int64_t product = (int64_t)rl_log_of_sum(sum) * layer->log_multiplier;
    const int64_t addend = (product + ((int64_t)1 << (layer->log_shift - 1))) >> layer->log_shift;
    return addend < RL_LOG_MOST_ADDEND ? (int32_t)addend : RL_LOG_MOST_ADDEND;
}

#endif
