// SPDX-License-Identifier: Apache-2.0
//
// The cases, one a line of the tables.
#include "bench.h"

// Names as the tables have them.
#define S8             BENCH_S8
#define S16            BENCH_S16
#define S4             BENCH_S4
#define SMALL          BENCH_SMALL
#define USUAL          BENCH_USUAL
#define CLAMPED        BENCH_CLAMPED
#define SHIFTED_LEFT   BENCH_SHIFTED_LEFT
#define UNALIGNED      BENCH_UNALIGNED
#define CHANNELS_FIRST BENCH_CHANNELS_FIRST
#define CHANNELS_LAST  BENCH_CHANNELS_LAST
#define MATRIX         BENCH_MATRIX

// clang-format off
#define CONVOLUTION(name, ...) {name, bench_convolution, bench_program_convolution, {.convolution = {__VA_ARGS__}}},
#define DEPTHWISE(name, ...) {name, bench_depthwise, NULL, {.depthwise = {__VA_ARGS__}}},
#define FULLY_CONNECTED(name, ...) \
    {name, bench_fully_connected, bench_program_fully_connected, {.fully_connected = {__VA_ARGS__}}},
#define TRANSPOSE_CONVOLUTION(name, ...) \
    {name, bench_transpose_convolution, NULL, {.transpose_convolution = {__VA_ARGS__}}},
#define BATCH_MATMUL(name, ...) {name, bench_batch_matmul, NULL, {.batch_matmul = {__VA_ARGS__}}},
#define POOL(name, ...) {name, bench_pool, NULL, {.pool = {__VA_ARGS__}}},
#define ADD(name, ...) {name, bench_add, NULL, {.elementwise = {__VA_ARGS__}}},
#define MULTIPLY(name, ...) {name, bench_multiply, NULL, {.elementwise = {__VA_ARGS__}}},
#define EXTREME(name, ...) {name, bench_extreme, NULL, {.extreme = {__VA_ARGS__}}},
#define SOFTMAX(name, ...) {name, bench_softmax, NULL, {.softmax = {__VA_ARGS__}}},
#define ACTIVATION(name, ...) {name, bench_activation, NULL, {.activation = {__VA_ARGS__}}},
#define RELU6(name, ...) {name, bench_relu6, NULL, {.count = __VA_ARGS__}},
#define TRANSPOSE(name, ...) {name, bench_transpose, NULL, {.transpose = {__VA_ARGS__}}},
#define PRELU(name, ...) {name, bench_prelu, NULL, {.pixels = {__VA_ARGS__}}},
#define CONVOLUTION_PRELU(name, ...) {name, bench_convolution_prelu, NULL, {.convolution = {__VA_ARGS__}}},
#define PAD(name, ...) {name, bench_pad, NULL, {.pad = {__VA_ARGS__}}},
#define CONCATENATION(name, ...) {name, bench_concatenation, NULL, {.concatenation = {__VA_ARGS__}}},
#define SVDF(name, ...) {name, bench_svdf, NULL, {.svdf = {__VA_ARGS__}}},
#define LSTM(name, ...) {name, bench_lstm, NULL, {.lstm = {__VA_ARGS__}}},
// clang-format on

static const struct bench_case layer_cases[] = {
#include "layer_cases.def"
};

static const struct bench_case wide_cases[] = {
#include "wide_cases.def"
};

const struct bench_suite bench_suites[BENCH_SUITES] = {
    {layer_cases, sizeof layer_cases / sizeof *layer_cases, 300 * 1024, 200 * 1024},
    {wide_cases, sizeof wide_cases / sizeof *wide_cases, 256 * 1024, 530 * 1024},
};
