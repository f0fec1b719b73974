// SPDX-License-Identifier: Apache-2.0
// Row sums of a weight matrix, prepared once per layer for the kernels that want them ("kernel sums").
#include <stddef.h>

#include "arm_nn_fully_connected.h"
#include "fully_connected/sum_s8.h"

arm_cmsis_nn_status arm_vector_sum_s8(int32_t *vector_sum_buf, const int32_t vector_cols, const int32_t vector_rows,
                                      const int8_t *vector_data, const int32_t lhs_offset, const int32_t rhs_offset,
                                      const int32_t *bias_data)
{
    for (int32_t row = 0; row < vector_rows; row++) {
        int32_t sum = bias_data ? bias_data[row] : 0;
        if (lhs_offset != 0) {
            sum += lhs_offset * (rl_sum_of_s8(vector_data, vector_cols) + vector_cols * rhs_offset);
        }
        vector_sum_buf[row] = sum;
        vector_data += vector_cols;
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_vector_sum_s8_s64(int64_t *vector_sum_buf, const int32_t vector_cols, const int32_t vector_rows,
                                          const int8_t *vector_data, const int32_t lhs_offset, const int64_t *bias_data)
{
    for (int32_t row = 0; row < vector_rows; row++) {
        int64_t sum = bias_data ? bias_data[row] : 0;
        if (lhs_offset != 0) {
            sum += (int64_t)lhs_offset * rl_sum_of_s8(vector_data, vector_cols);
        }
        vector_sum_buf[row] = sum;
        vector_data += vector_cols;
    }
    return ARM_CMSIS_NN_SUCCESS;
}
