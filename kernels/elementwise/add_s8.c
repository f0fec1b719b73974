// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include "arm_nn_elementwise.h"
#include "cmsis_nn/translate.h"
#include "isa.h"
#include "scratch.h"
#include RL_TILE(add_s8_tile.h)

// Inlined, because handing on so many arguments costs.
static inline __attribute__((always_inline)) arm_cmsis_nn_status
run(struct rl_scratch work, const int8_t *input_1_vect, const int8_t *input_2_vect, int32_t input_1_offset,
    int32_t input_1_mult, int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift,
    int32_t left_shift, int8_t *output, int32_t out_offset, int32_t out_mult, int32_t out_shift,
    int32_t out_activation_min, int32_t out_activation_max, int32_t block_size)
{
    const struct rl_add add = {
        .input = {{input_1_offset, input_1_mult, input_1_shift}, {input_2_offset, input_2_mult, input_2_shift}},
        .left_shift = left_shift,
        .output = {out_offset, out_mult, out_shift},
        .min = out_activation_min,
        .max = out_activation_max,
    };
    rl_add_s8_tile(&add, input_1_vect, input_2_vect, output, block_size, work);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *input_1_vect, const int8_t *input_2_vect,
                                           int32_t input_1_offset, int32_t input_1_mult, int32_t input_1_shift,
                                           int32_t input_2_offset, int32_t input_2_mult, int32_t input_2_shift,
                                           int32_t left_shift, int8_t *output, int32_t out_offset, int32_t out_mult,
                                           int32_t out_shift, int32_t out_activation_min, int32_t out_activation_max,
                                           int32_t block_size)
{
    return run((struct rl_scratch){0}, input_1_vect, input_2_vect, input_1_offset, input_1_mult, input_1_shift,
               input_2_offset, input_2_mult, input_2_shift, left_shift, output, out_offset, out_mult, out_shift,
               out_activation_min, out_activation_max, block_size);
}

arm_cmsis_nn_status rl_elementwise_add_s8(const cmsis_nn_context *ctx, const int8_t *input_1_vect,
                                          const int8_t *input_2_vect, int32_t input_1_offset, int32_t input_1_mult,
                                          int32_t input_1_shift, int32_t input_2_offset, int32_t input_2_mult,
                                          int32_t input_2_shift, int32_t left_shift, int8_t *output, int32_t out_offset,
                                          int32_t out_mult, int32_t out_shift, int32_t out_activation_min,
                                          int32_t out_activation_max, int32_t block_size)
{
    return run(rl_scratch_rest(rl_scratch_of(ctx, 0), 0), input_1_vect, input_2_vect, input_1_offset, input_1_mult,
               input_1_shift, input_2_offset, input_2_mult, input_2_shift, left_shift, output, out_offset, out_mult,
               out_shift, out_activation_min, out_activation_max, block_size);
}
