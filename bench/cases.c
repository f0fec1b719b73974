// SPDX-License-Identifier: Apache-2.0
//
// The cases, one a line: layers of well-known networks for microcontrollers, and one of each other family.
#include "bench.h"

// clang-format off
const struct bench_case bench_cases[] = {
    {"conv3x3_s1_32x32x16_16",      BENCH_CONVOLUTION,            BENCH_S8,   32,  32,  16,  16,   3,   3,   1,   1,   1},
    {"conv3x3_s2_96x96x3_8",        BENCH_CONVOLUTION,            BENCH_S8,   96,  96,   3,   8,   3,   3,   2,   1,   1},
    {"conv1x1_48x48x8_16",          BENCH_CONVOLUTION,            BENCH_S8,   48,  48,   8,  16,   1,   1,   1,   0,   0},
    {"conv1x1_24x24x32_32",         BENCH_CONVOLUTION,            BENCH_S8,   24,  24,  32,  32,   1,   1,   1,   0,   0},
    {"conv1x1_12x12x64_64",         BENCH_CONVOLUTION,            BENCH_S8,   12,  12,  64,  64,   1,   1,   1,   0,   0},
    {"conv1x1_7x7x96_160",          BENCH_CONVOLUTION,            BENCH_S8,    7,   7,  96, 160,   1,   1,   1,   0,   0},
    {"conv3x3_s2_32x32x16_32",      BENCH_CONVOLUTION,            BENCH_S8,   32,  32,  16,  32,   3,   3,   2,   1,   1},
    {"conv10x4_s2_49x10x1_64",      BENCH_CONVOLUTION,            BENCH_S8,   49,  10,   1,  64,  10,   4,   2,   4,   1},
    {"conv3x3_s1_8x8x64_64",        BENCH_CONVOLUTION,            BENCH_S8,    8,   8,  64,  64,   3,   3,   1,   1,   1},
    {"conv1xN_1x64x16_32k5",        BENCH_CONVOLUTION,            BENCH_S8,    1,  64,  16,  32,   1,   5,   1,   0,   2},
    {"conv3x3_s1_16x16x16_16_s16",  BENCH_CONVOLUTION,            BENCH_S16,  16,  16,  16,  16,   3,   3,   1,   1,   1},
    {"conv3x3_s1_16x16x16_16_s4",   BENCH_CONVOLUTION,            BENCH_S4,   16,  16,  16,  16,   3,   3,   1,   1,   1},
    {"conv1x1_12x12x64_64_s4",      BENCH_CONVOLUTION,            BENCH_S4,   12,  12,  64,  64,   1,   1,   1,   0,   0},
    {"dw3x3_s1_48x48x16",           BENCH_DEPTHWISE,              BENCH_S8,   48,  48,  16,  16,   3,   3,   1,   1,   1},
    {"dw3x3_s2_48x48x32",           BENCH_DEPTHWISE,              BENCH_S8,   48,  48,  32,  32,   3,   3,   2,   1,   1},
    {"dw3x3_s1_25x5x64",            BENCH_DEPTHWISE,              BENCH_S8,   25,   5,  64,  64,   3,   3,   1,   1,   1},
    {"dw3x3_s1_12x12x96",           BENCH_DEPTHWISE,              BENCH_S8,   12,  12,  96,  96,   3,   3,   1,   1,   1},
    {"dw5x5_s1_14x14x72",           BENCH_DEPTHWISE,              BENCH_S8,   14,  14,  72,  72,   5,   5,   1,   2,   2},
    {"dw3x3_s1_24x24x16_s16",       BENCH_DEPTHWISE,              BENCH_S16,  24,  24,  16,  16,   3,   3,   1,   1,   1},
    {"dw3x3_s1_24x24x16_s4",        BENCH_DEPTHWISE,              BENCH_S4,   24,  24,  16,  16,   3,   3,   1,   1,   1},
    {"fc_640_128",                  BENCH_FULLY_CONNECTED,        BENCH_S8,    1, 640, 128,   0,   0,   0,   0,   0,   0},
    {"fc_64_12",                    BENCH_FULLY_CONNECTED,        BENCH_S8,    1,  64,  12,   0,   0,   0,   0,   0,   0},
    {"fc_64_1",                     BENCH_FULLY_CONNECTED,        BENCH_S8,    1,  64,   1,   0,   0,   0,   0,   0,   0},
    {"fc_256_3",                    BENCH_FULLY_CONNECTED,        BENCH_S8,    1, 256,   3,   0,   0,   0,   0,   0,   0},
    {"fc_b4_256x64",                BENCH_FULLY_CONNECTED,        BENCH_S8,    4, 256,  64,   0,   0,   0,   0,   0,   0},
    {"fc_640_128_s16",              BENCH_FULLY_CONNECTED,        BENCH_S16,   1, 640, 128,   0,   0,   0,   0,   0,   0},
    {"fc_640_128_s4",               BENCH_FULLY_CONNECTED,        BENCH_S4,    1, 640, 128,   0,   0,   0,   0,   0,   0},
    {"tconv3x3_s2_12x12x16_16",     BENCH_TRANSPOSE_CONVOLUTION,  BENCH_S8,   12,  12,  16,  16,   3,   3,   2,   0,   0},
    {"bmm_32x64x48",                BENCH_BATCH_MATMUL,           BENCH_S8,   32,  64,  48,   0,   0,   0,   0,   0,   0},
    {"maxpool2x2_32x32x32",         BENCH_MAXIMUM_POOL,           BENCH_S8,   32,  32,  32,  32,   2,   2,   2,   0,   0},
    {"avgpool7x7_320",              BENCH_AVERAGE_POOL,           BENCH_S8,    7,   7, 320, 320,   7,   7,   7,   0,   0},
    {"avgpool7x7_320_s16",          BENCH_AVERAGE_POOL,           BENCH_S16,   7,   7, 320, 320,   7,   7,   7,   0,   0},
    {"add_16384",                   BENCH_ADD,                    BENCH_S8,   32,  32,  16,   0,   0,   0,   0,   0,   0},
    {"mul_16384",                   BENCH_MULTIPLY,               BENCH_S8,   32,  32,  16,   0,   0,   0,   0,   0,   0},
    {"minimum_16384",               BENCH_MINIMUM,                BENCH_S8,   32,  32,  16,   0,   0,   0,   0,   0,   0},
    {"add_s16_8192",                BENCH_ADD,                    BENCH_S16,  32,  16,  16,   0,   0,   0,   0,   0,   0},
    {"softmax_64x100",              BENCH_SOFTMAX,                BENCH_S8,   64, 100,   1,   0,   0,   0,   0,   0,   0},
    {"sigmoid_s16_4096",            BENCH_SIGMOID,                BENCH_S16,  16,  16,  16,   0,   0,   0,   0,   0,   0},
    {"transpose_nhwc_nchw_32",      BENCH_TRANSPOSE,              BENCH_S8,   32,  32,  32,   0,   0,   0,   0,   0,   0},
    {"pad_32x32x16",                BENCH_PAD,                    BENCH_S8,   32,  32,  16,  16,   0,   0,   0,   1,   1},
};
// clang-format on

const uint32_t bench_case_count = sizeof bench_cases / sizeof *bench_cases;
