// SPDX-License-Identifier: Apache-2.0
//
// The parts of the kernel bench: its memory, and a case as one line of data.
#ifndef RL_BENCH_H
#define RL_BENCH_H

#include "arm_nnfunctions.h"

#include <stdbool.h>
#include <stdint.h>

enum bench_type { BENCH_S8, BENCH_S16, BENCH_S4 }; // of activations; s4 means int8 with weights of 4 bits

// Offsets and limits of int8 operands and results; int16 has none.
enum bench_ranges {
    BENCH_SMALL,        // small offsets
    BENCH_USUAL,        // the input's zero is its lowest value
    BENCH_CLAMPED,      // the same behind a ReLU6
    BENCH_SHIFTED_LEFT, // the same, and every 17th channel is scaled up
    BENCH_UNALIGNED,    // other scales, and a second operand at an odd address
};

enum bench_order { BENCH_CHANNELS_FIRST, BENCH_CHANNELS_LAST, BENCH_MATRIX }; // to which a transposition leads

struct bench_convolution {
    enum bench_type type;
    int32_t batches, height, width, channels, outputs;
    int32_t kernel_height, kernel_width, stride_height, stride_width, pad_height, pad_width;
    int32_t output_height, output_width;
    int32_t dilation, groups;
    enum bench_ranges ranges;
};

struct bench_depthwise {
    enum bench_type type;
    int32_t batches, height, width, channels, multiplier;
    int32_t kernel_height, kernel_width, stride_height, stride_width, pad_height, pad_width;
    int32_t output_height, output_width;
    int32_t dilation;
    enum bench_ranges ranges;
};

struct bench_fully_connected {
    enum bench_type type;
    int32_t batches, inputs, outputs;
    enum bench_ranges ranges;
    bool has_bias, is_per_channel;
};

// A map of one row is convolved along its row only.
struct bench_transpose_convolution {
    int32_t height, width, channels, outputs, kernel, stride, pad;
    int32_t more; // rows and columns of output
};

struct bench_batch_matmul {
    enum bench_type type;
    int32_t batches, rows, depth, columns;
};

struct bench_pool {
    enum bench_type type;
    bool is_maximum;
    int32_t height, width, channels, kernel, stride, pad, output_height, output_width;
    bool to_int8; // results of int16 are limited to the range of int8
};

struct bench_elementwise {
    enum bench_type type;
    int32_t count;
    enum bench_ranges ranges;
};

struct bench_extreme {
    bool is_maximum;
    int32_t height, width, channels;
    int32_t second_height, second_width, second_channels; // 1 where it is broadcast
};

struct bench_softmax {
    enum bench_type type; // of the result; the input is int8
    int32_t rows, size, shift;
};

struct bench_activation {
    int32_t count;
    arm_nn_activation_type function;
};

struct bench_transpose {
    int32_t height, width, channels;
    enum bench_order order;
};

struct bench_pixels {
    int32_t height, width, channels;
};

struct bench_pad {
    int32_t height, width, channels, top, left, bottom, right;
};

struct bench_concatenation { // of two square maps, along their channels
    int32_t side, channels, second_channels;
};

struct bench_svdf {
    int32_t batches, inputs, features, rank, memory;
};

struct bench_lstm {
    int32_t steps, inputs, hidden;
};

struct bench_case;

// Runs one case between the marks, and returns the bytes of output, or -1 if the kernel refused.
typedef int32_t bench_function(const struct bench_case *test);

struct bench_case {
    const char *name;
    bench_function *run;
    bench_function *run_program; // as a program runs it, with the same results; 0 bytes or NULL if that is the same
    union {
        struct bench_convolution convolution;
        struct bench_depthwise depthwise;
        struct bench_fully_connected fully_connected;
        struct bench_transpose_convolution transpose_convolution;
        struct bench_batch_matmul batch_matmul;
        struct bench_pool pool;
        struct bench_elementwise elementwise;
        struct bench_extreme extreme;
        struct bench_softmax softmax;
        struct bench_activation activation;
        struct bench_transpose transpose;
        struct bench_pad pad;
        struct bench_pixels pixels;
        struct bench_concatenation concatenation;
        struct bench_svdf svdf;
        struct bench_lstm lstm;
        int32_t count; // ReLU6
    } of;
};

// Operands are reproducible, and the same as those of the recorded baseline, so that checksums compare.
struct bench_suite {
    const struct bench_case *cases;
    uint32_t case_count;
    uint32_t input_bytes, weight_bytes; // filled with pseudo-random values, in this order
};

enum { BENCH_SUITES = 2 };
extern const struct bench_suite bench_suites[BENCH_SUITES];

enum { BENCH_CHANNELS = 1408, BENCH_SCRATCH_BYTES = 160 * 1024 };

// Operands, which are the same pseudo-random bytes for every case, and the memory that the kernel writes.
struct bench_memory {
    union {
        int8_t s8[300 * 1024];
        int16_t s16[150 * 1024];
    } input;
    union {
        int8_t s8[256 * 1024];
        int16_t s16[128 * 1024];
    } output;
    _Alignas(16) int8_t weights[576 * 1024], prepacked[576 * 1024];
    int32_t bias[BENCH_CHANNELS], multiplier[BENCH_CHANNELS], shift[BENCH_CHANNELS], left_shift[BENCH_CHANNELS];
    int32_t folded[BENCH_CHANNELS];
    int64_t wide_bias[BENCH_CHANNELS];
    _Alignas(16) uint8_t scratch[BENCH_SCRATCH_BYTES];
    _Alignas(16) uint8_t second_scratch[BENCH_SCRATCH_BYTES];
    int32_t multiplications; // of the case, for the table
};

extern struct bench_memory bench_memory;

bench_function bench_convolution, bench_depthwise, bench_fully_connected, bench_transpose_convolution,
    bench_batch_matmul, bench_pool, bench_add, bench_multiply, bench_extreme, bench_softmax, bench_activation,
    bench_relu6, bench_transpose, bench_pad, bench_concatenation, bench_svdf, bench_lstm, bench_prelu,
    bench_convolution_prelu, bench_program_convolution, bench_program_fully_connected;

cmsis_nn_conv_params bench_convolution_params(const struct bench_convolution *layer);

static inline cmsis_nn_activation bench_limits(enum bench_type type, enum bench_ranges ranges)
{
    if (type == BENCH_S16) {
        return (cmsis_nn_activation){INT16_MIN, INT16_MAX};
    }
    return (cmsis_nn_activation){INT8_MIN, ranges >= BENCH_CLAMPED ? 112 : INT8_MAX};
}

static inline int32_t bench_bytes(arm_cmsis_nn_status status, enum bench_type type, int32_t outputs)
{
    if (status != ARM_CMSIS_NN_SUCCESS) {
        return -1;
    }
    return type == BENCH_S16 ? 2 * outputs : outputs;
}

#endif
