// SPDX-License-Identifier: Apache-2.0
#include "same_bytes/contents.h"

#include <string.h>

enum { NANS = 6 };

// The numbers of one type of floats: all but NaNs, and those NaNs that are not the one that operators store.
struct floats {
    const uint64_t *numbers;
    uint32_t count, finite; // the first ones are finite
    uint64_t nans[NANS];
    uint64_t infinity, one_nan, sign;
};

// No power of two with a number 2^-33 to 2^-32 as large: libgcc for Armv7-M rounds their difference wrongly.
static const uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
    0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x36a0000000000000, 0x3690000000000001, 0x380fffffffffffff, 0x3810000000000000, 0x47efffffe0000000,
    0x47effffff0000000, 0x3e50000000000000, 0x40effe0000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000,
    0x3fdfffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000001, 0x400921fb54442d18, 0x3ff921fb54442d18,
    0x405fc00000000000, 0x4060000000000000, 0xc060200000000000, 0x406fe00000000000, 0x40dfffc000000000,
    0xc0e0001000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000,
    0x41efffffffe00000, 0x41f0000000000000, 0x4330000000000001, 0x4340000000000000, 0x43dfffffffffffff,
    0x43e0000000000000, 0xc3e0000000000000, 0xc3e0000000000001, 0x4415af1d78b58c40, 0x40862e42fefa39ef,
    0xc0874910d52d3052, 0x4056380000000000, 0xc059fe3680000000, 0x7fe1ccf385ebc8a0, 0x4630000000000000,
    0x3cb0000000000000, 0x3ca0000000000000, 0x7ff0000000000000, 0xfff0000000000000};

static const uint64_t singles[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff,
    0xff7fffff, 0x00400000, 0x00000123, 0x33000000, 0x33000001, 0x33800000, 0x387fc000, 0x38800000, 0x477fefff,
    0x477ff000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x3effffff,
    0x3f7fffff, 0x3f800001, 0x40490fdb, 0x3fc90fdb, 0x42fe0000, 0x43000000, 0xc3010000, 0x437f0000, 0x46fffe00,
    0xc7000080, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x4b000001, 0x4b400000,
    0x4b800000, 0x5effffff, 0x5f000000, 0xdf000000, 0xdf000001, 0x5f800000, 0x60ad78ec, 0x42b17218, 0xc2aeac50,
    0x42b20000, 0xc2cff1b4, 0x3f7fff80, 0x34000000, 0x72ae43d1, 0x41200000, 0x7f800000, 0xff800000};

static const uint64_t halves[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x7bff,
                                  0xfbff, 0x0200, 0x3c00, 0xbc00, 0x3800, 0xb800, 0x3e00, 0x4100, 0xc100,
                                  0x37ff, 0x3bff, 0x3c01, 0x4248, 0x57f0, 0x5800, 0xd804, 0x5bf8, 0x7800,
                                  0x6401, 0x6800, 0x6400, 0x1400, 0x4c00, 0xcc00, 0x7c00, 0xfc00};

static const uint64_t brains[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x7f7f,
                                  0xff7f, 0x0040, 0x3f80, 0xbf80, 0x3f00, 0xbf00, 0x3fc0, 0x4020, 0xc020,
                                  0x3eff, 0x3f7f, 0x3f81, 0x4049, 0x42fe, 0x4300, 0xc301, 0x437f, 0x4f00,
                                  0xcf00, 0x5f00, 0xdf00, 0x4b00, 0x42b2, 0xc2d0, 0x7f80, 0xff80};

#define FLOATS(table) .numbers = table, .count = sizeof(table) / sizeof *(table), .finite = sizeof(table) / 8 - 2

static const struct floats double_floats = {FLOATS(doubles),
                                            {0x7ff8000012345678, 0xfff8000000000000, 0xfff8000abcdef123,
                                             0x7ff0000000000001, 0xfff4000000000007, 0x7fffffffffffffff},
                                            0x7ff0000000000000,
                                            0x7ff8000000000000,
                                            0x8000000000000000};
static const struct floats single_floats = {FLOATS(singles),
                                            {0x7fc12345, 0xffc00000, 0xffd54321, 0x7f800001, 0xffa00007, 0x7fffffff},
                                            0x7f800000,
                                            0x7fc00000,
                                            0x80000000};
static const struct floats half_floats = {
    FLOATS(halves), {0x7e12, 0xfe00, 0xff21, 0x7c01, 0xfd07, 0x7fff}, 0x7c00, 0x7e00, 0x8000};
static const struct floats brain_floats = {
    FLOATS(brains), {0x7fc3, 0xffc0, 0xffd5, 0x7f81, 0xffa7, 0x7fff}, 0x7f80, 0x7fc0, 0x8000};

static const int64_t integers[] = {0,         1,          -1,        2,         3,         -3,           7,
                                   127,       128,        -128,      -129,      255,       256,          32767,
                                   -32768,    65535,      65536,     16777215,  16777217,  -16777217,    INT32_MAX,
                                   INT32_MIN, UINT32_MAX, 1LL << 53, INT64_MAX, INT64_MIN, INT64_MAX / 3};

static const struct floats *floats_of(int dtype)
{
    switch (dtype) {
    case RL_FLOAT64:
        return &double_floats;
    case RL_FLOAT32:
        return &single_floats;
    case RL_FLOAT16:
        return &half_floats;
    case RL_BFLOAT16:
        return &brain_floats;
    default:
        return NULL;
    }
}

static uint32_t next(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

// A number in -4..4 that every type of floats but the short ones holds exactly, as the bits of a float or a double.
static uint64_t ordinary(int dtype, uint32_t random)
{
    const float number = (float)((int32_t)(random & 0xffff) - 0x8000) / 8192.0f;
    const double wide = number;
    uint64_t bits = 0;
    uint32_t single;
    memcpy(&single, &number, sizeof single);
    memcpy(&bits, &wide, sizeof bits);
    switch (dtype) {
    case RL_FLOAT64:
        return bits;
    case RL_FLOAT32:
        return single;
    case RL_BFLOAT16:
        return single >> 16;
    default: // an exponent of 2^-12 to 2^1, and any fraction
        return (random & 0x8000) | (3 + (random >> 16) % 14) << 10 | (random & 0x3ff);
    }
}

static uint64_t choose_float(int dtype, const struct floats *floats, enum contents contents, uint32_t *random)
{
    const uint32_t number = next(random), choice = next(random) % 16;
    if (contents == ORDINARY || (contents == SPIKED && choice != 0) || choice > 12) {
        return ordinary(dtype, number);
    }
    if (contents != ANY && contents != WILD) {
        return floats->numbers[number % floats->finite];
    }
    return choice < 4 ? floats->nans[number % NANS] : floats->numbers[number % floats->count];
}

static uint64_t choose_integer(int dtype, enum contents contents, uint32_t *random)
{
    const uint32_t number = next(random);
    if (dtype == RL_BOOL) {
        return number / 16 % 2;
    }
    if (contents == FINITE || contents == WILD) {
        return (uint64_t)integers[number / 16 % (sizeof integers / sizeof *integers)];
    }
    return number / 16 % 3;
}

static void write_element(uint8_t *at, size_t size, uint64_t bits)
{
    for (size_t i = 0; i < size; i++) {
        at[i] = (uint8_t)(bits >> 8 * i);
    }
}

static uint64_t read_element(const uint8_t *at, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits |= (uint64_t)at[i] << 8 * i;
    }
    return bits;
}

void fill_tensor(const struct rl_tensor *tensor, enum contents contents, uint32_t *random)
{
    const struct floats *floats = floats_of(tensor->dtype);
    const size_t size = rl_scalar_size(tensor->dtype);
    for (size_t i = 0; size > 0 && i < tensor->bytes; i += size) {
        const uint64_t bits = floats ? choose_float(tensor->dtype, floats, contents, random)
                                     : choose_integer(tensor->dtype, contents, random);
        write_element((uint8_t *)tensor->data + i, size, bits);
    }
}

struct strange_nans count_strange_nans(const struct rl_tensor *tensor)
{
    const struct floats *floats = floats_of(tensor->dtype);
    const size_t size = rl_scalar_size(tensor->dtype);
    struct strange_nans strange = {0};
    for (size_t i = 0; floats && i < tensor->bytes; i += size) {
        const uint64_t bits = read_element((const uint8_t *)tensor->data + i, size);
        bool moved = false;
        if ((bits & ~floats->sign) <= floats->infinity || bits == floats->one_nan) {
            continue;
        }
        for (uint32_t k = 0; k < NANS; k++) {
            moved = moved || bits == floats->nans[k];
        }
        strange.moved += moved;
        strange.made += !moved;
    }
    return strange;
}
