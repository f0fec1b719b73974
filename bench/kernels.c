// SPDX-License-Identifier: Apache-2.0
//
// The kernel bench: runs each case between the counter's marks and prints its name and a checksum of its output (FNV-1a
// of 32 bits), the same on every core. The counter writes one line a case in the same order.
//
// Operands are reproducible and the same as those of the recorded baseline, so that checksums compare.
#include "bench.h"
#include "board.h"

#include <stdint.h>
#include <string.h>

struct bench_memory bench_memory;

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void fill(void)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < sizeof bench_memory.input.s8; i++) {
        bench_memory.input.s8[i] = (int8_t)(next_random(&state) >> 8);
    }
    for (size_t i = 0; i < sizeof bench_memory.weights; i++) {
        bench_memory.weights[i] = (int8_t)(next_random(&state) >> 8);
    }
    for (int i = 0; i < BENCH_CHANNELS; i++) {
        bench_memory.bias[i] = (int32_t)(next_random(&state) % 20001) - 10000;
        bench_memory.wide_bias[i] = bench_memory.bias[i];
        bench_memory.multiplier[i] = (int32_t)(0x40000000u + (next_random(&state) >> 2));
        bench_memory.shift[i] = -(int32_t)(6 + next_random(&state) % 4);
    }
}

static uint32_t checksum(int32_t bytes)
{
    const uint8_t *data = (const uint8_t *)&bench_memory.output;
    uint32_t hash = 2166136261u;
    for (int32_t i = 0; i < bytes; i++) {
        hash = (hash ^ data[i]) * 16777619u;
    }
    return hash;
}

int main(void)
{
    static bench_function *const functions[BENCH_KINDS] = {
        [BENCH_CONVOLUTION] = bench_convolution,
        [BENCH_DEPTHWISE] = bench_depthwise,
        [BENCH_FULLY_CONNECTED] = bench_fully_connected,
        [BENCH_TRANSPOSE_CONVOLUTION] = bench_transpose_convolution,
        [BENCH_BATCH_MATMUL] = bench_batch_matmul,
        [BENCH_AVERAGE_POOL] = bench_average_pool,
        [BENCH_MAXIMUM_POOL] = bench_maximum_pool,
        [BENCH_ADD] = bench_add,
        [BENCH_MULTIPLY] = bench_multiply,
        [BENCH_MINIMUM] = bench_minimum,
        [BENCH_SOFTMAX] = bench_softmax,
        [BENCH_SIGMOID] = bench_sigmoid,
        [BENCH_TRANSPOSE] = bench_transpose,
        [BENCH_PAD] = bench_pad,
    };
    fill();
    for (uint32_t i = 0; i < bench_case_count; i++) {
        memset(&bench_memory.output, 0, sizeof bench_memory.output);
        const int32_t bytes = functions[bench_cases[i].kind](&bench_cases[i]);
        rl_board_print(bench_cases[i].name);
        rl_board_print(" ");
        rl_board_print_hex(checksum(bytes));
        rl_board_print(bytes < 0 ? " refused\n" : "\n");
        if (bytes < 0) {
            return 1;
        }
    }
    return 0;
}
