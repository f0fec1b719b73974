// SPDX-License-Identifier: Apache-2.0
// Adds two vectors with CMSIS-NN's function, as code written for CMSIS-NN does, and prints the sums.
#include <stdio.h>

#include <arm_nnfunctions.h>

int main(void)
{
    enum { COUNT = 4, ONE = 1 << 30, FRACTION = 20 };
    const int8_t left[COUNT] = {1, -2, 100, -100}, right[COUNT] = {3, -5, 100, -100};
    int8_t sum[COUNT];

    if (arm_elementwise_add_s8(left, right, 0, ONE, 1, 0, ONE, 1, FRACTION, sum, 0, ONE, 1 - FRACTION, -128, 127,
                               COUNT) != ARM_CMSIS_NN_SUCCESS) {
        return 1;
    }
    for (int i = 0; i < COUNT; i++) {
        printf("%d\n", sum[i]);
    }
    return 0;
}
