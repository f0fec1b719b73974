// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic on sizes does not overflow, signed or unsigned, whatever the sizes are.
#include "__fc_builtin.h"
#include "runtime/run/shapes.h"

#include "runtime/run/shapes.c"
#include "runtime/verify/place.c"

static void count_bytes(uint32_t rank)
{
    int32_t sizes[RL_TENSOR_MAX_RANK];
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < RL_TENSOR_MAX_RANK; i++) {
        sizes[i] = Frama_C_interval(INT32_MIN, INT32_MAX);
    }
    rl_count_bytes(Frama_C_interval(INT32_MIN, INT32_MAX), rank, sizes, &bytes);
    //@ assert bytes <= INT32_MAX;
}

static void check_order(uint32_t rank)
{
    uint8_t order[RL_TENSOR_MAX_RANK];
    Frama_C_make_unknown((char *)order, sizeof order);
    is_permutation(order, rank);
}

int main(void)
{
    //@ loop unroll RL_TENSOR_MAX_RANK + 1;
    for (uint32_t rank = 0; rank <= RL_TENSOR_MAX_RANK; rank++) {
        count_bytes(rank);
        check_order(rank);
    }
    return 0;
}
