// SPDX-License-Identifier: Apache-2.0
//
// The parts of the kernel bench: its memory, and a case as one line of data.
#ifndef RL_BENCH_H
#define RL_BENCH_H

#include <stdint.h>

enum bench_kind {
    BENCH_CONVOLUTION,
    BENCH_DEPTHWISE,
    BENCH_FULLY_CONNECTED,
    BENCH_TRANSPOSE_CONVOLUTION,
    BENCH_BATCH_MATMUL,
    BENCH_AVERAGE_POOL,
    BENCH_MAXIMUM_POOL,
    BENCH_ADD,
    BENCH_MULTIPLY,
    BENCH_MINIMUM,
    BENCH_SOFTMAX,
    BENCH_SIGMOID,
    BENCH_TRANSPOSE,
    BENCH_PAD,
    BENCH_KINDS
};

enum bench_type { BENCH_S8, BENCH_S16, BENCH_S4 }; // of activations; s4 means int8 with weights of 4 bits

// Meaning of the sizes for each kind, zeros where it has fewer:
//   convolutions, pools, padding   input height, width, channels; output channels; kernel; stride; padding
//   fully connected                batches, inputs, outputs as height, width, channels
//   batch matmul                   rows, accumulation depth, columns as height, width, channels
//   softmax                        rows, row size as height, width
//   element by element             height * width * channels elements
struct bench_case {
    const char *name;
    enum bench_kind kind;
    enum bench_type type;
    int32_t height, width, channels;
    int32_t outputs;
    int32_t kernel_height, kernel_width, stride;
    int32_t pad_height, pad_width;
};

extern const struct bench_case bench_cases[];
extern const uint32_t bench_case_count;

enum { BENCH_CHANNELS = 1024, BENCH_SCRATCH_BYTES = 64 * 1024 };

// Operands, which are the same pseudo-random bytes for every case, and the memory that the kernel writes.
struct bench_memory {
    union {
        int8_t s8[300 * 1024];
        int16_t s16[150 * 1024];
    } input;
    union {
        int8_t s8[200 * 1024];
        int16_t s16[100 * 1024];
    } output;
    int8_t weights[200 * 1024];
    int32_t bias[BENCH_CHANNELS], multiplier[BENCH_CHANNELS], shift[BENCH_CHANNELS];
    int64_t wide_bias[BENCH_CHANNELS];
    _Alignas(16) uint8_t scratch[BENCH_SCRATCH_BYTES];
    _Alignas(16) uint8_t reversed[BENCH_SCRATCH_BYTES];
};

extern struct bench_memory bench_memory;

// Runs one case between the marks, and returns the bytes of output, or -1 if the kernel refused.
typedef int32_t bench_function(const struct bench_case *test);
bench_function bench_convolution, bench_depthwise, bench_fully_connected, bench_transpose_convolution,
    bench_batch_matmul, bench_average_pool, bench_maximum_pool, bench_add, bench_multiply, bench_minimum, bench_softmax,
    bench_sigmoid, bench_transpose, bench_pad;

#endif
