// SPDX-License-Identifier: Apache-2.0
//
// Constants of the mathematical functions. python/generate_math.py writes this file and finds them.
// Polynomials: signed fractions of one word, the highest power first. Numbers: unsigned fractions.
#ifndef RL_RUNTIME_MATH_CONSTANTS_H
#define RL_RUNTIME_MATH_CONSTANTS_H

#include "runtime/math/word.h"

// clang-format off
#ifdef RL_WIDE

#define RL_LOG2_E UINT64_C(0xb8aa3b295c17f0bb) // log2(e) / 2
#define RL_LOG2_E_TAIL UINT64_C(0xbe87fed0691d3e88) // its next word
#define RL_LN_2 UINT64_C(0xb17217f7d1cf79ac) // ln(2)
#define RL_LOG10_E UINT64_C(0xde5bd8a937287195) // 2 log10(e)
#define RL_LOG10_2 UINT64_C(0x9a209a84fbcff799) // 2 log10(2)
#define RL_QUARTER_PI UINT64_C(0xc90fdaa22168c235) // pi / 4

// (2^f - 1) / f
static const rl_signed exp2_terms[] = {
    INT64_C(0x0000000000c10c91), INT64_C(0x000000000e25ad82),
    INT64_C(0x00000000f46546ea), INT64_C(0x0000000f26781dd6),
    INT64_C(0x000000da929ea0fd), INT64_C(0x00000b160112300c),
    INT64_C(0x00007ff2ff162273), INT64_C(0x00050c244be1ab17),
    INT64_C(0x002bb0ffcf14ce65), INT64_C(0x013b2ab6fba4e7a9),
    INT64_C(0x071ac235c1282fe3), INT64_C(0x1ebfbdff82c58ea8),
    INT64_C(0x58b90bfbe8e7bcd6),
};

// (atanh(s) / s - 1) / s^2 with z = s^2
static const rl_signed log_terms[] = {
    INT64_C(0x0678512c75084b59), -INT64_C(0x0607b82bebf8609e),
    INT64_C(0x06bd4c9d14487367), -INT64_C(0x0787834cea399d20),
    INT64_C(0x08888899b070b7eb), -INT64_C(0x09d89d89abff4792),
    INT64_C(0x0ba2e8ba2ed3e507), -INT64_C(0x0e38e38e38e34a03),
    INT64_C(0x124924924924926a), -INT64_C(0x199999999999999a),
    INT64_C(0x2aaaaaaaaaaaaaab),
};

// (1 - sin(r) / r) / r^2 with z = r^2
static const rl_signed sine_terms[] = {
    INT64_C(0x0000000000324856), INT64_C(0x000000001ae7c53b),
    INT64_C(0x0000000b0922fda7), INT64_C(0x0000035cc8acfce6),
    INT64_C(0x0000b8ef1d2ab616), INT64_C(0x001a01a01a01a019),
    INT64_C(0x0222222222222222), INT64_C(0x1555555555555555),
};

// (1 - cos(r)) / r^2 with z = r^2
static const rl_signed cosine_terms[] = {
    INT64_C(0x0000000000059621), INT64_C(0x00000000035cf86e),
    INT64_C(0x00000001939748a9), INT64_C(0x0000008f76c77f6f),
    INT64_C(0x000024fc9f6ef135), INT64_C(0x0006806806806806),
    INT64_C(0x00b60b60b60b60b6), INT64_C(0x0aaaaaaaaaaaaaab),
    INT64_C(0x4000000000000000),
};

// (1 - atan(s) / s) / s^2 with z = s^2
static const rl_signed arctangent_terms[] = {
    INT64_C(0x01875f74fbb98d42), INT64_C(0x037d2f31341dd91c),
    INT64_C(0x04c3d4b5ede648f5), INT64_C(0x057f12be7ff074b2),
    INT64_C(0x0615fb3c3bb2e51b), INT64_C(0x06bc663d3b20e211),
    INT64_C(0x07878371eec08bcf), INT64_C(0x0888885634eb6228),
    INT64_C(0x09d89d88322729f8), INT64_C(0x0ba2e8ba258bd59f),
    INT64_C(0x0e38e38e38c61821), INT64_C(0x1249249249245fdd),
    INT64_C(0x1999999999999978), INT64_C(0x2aaaaaaaaaaaaaab),
};

// (asin(s) / s - 1) / s^2 with z = s^2
static const rl_signed arcsine_terms[] = {
    INT64_C(0x044fa8aaeb38f3ad), INT64_C(0x047fc338f62f3a5f),
    INT64_C(0x0408237165db611f), INT64_C(0x00d3286a6762c660),
    INT64_C(0x012d74c86c45ea8e), -INT64_C(0x00bae87f213f51d1),
    INT64_C(0x00f37714e2d1207d), -INT64_C(0x01127bcc5d7b15e3),
    INT64_C(0x013fe85421a1740f), -INT64_C(0x017a86e4c02a39d2),
    INT64_C(0x01c999a102d9adde), -INT64_C(0x02389d899cbdbee7),
    INT64_C(0x02dd1745d2b290c9), -INT64_C(0x03e38e38e38a3905),
    INT64_C(0x05b6db6db6db747a), -INT64_C(0x0999999999999995),
    INT64_C(0x1555555555555555),
};

// erf(x) / (2 x) with z = x^2
static const rl_signed erf_terms[] = {
    INT64_C(0x000000009d521166), INT64_C(0x000000073e45763d),
    INT64_C(0x0000003a665ceeff), INT64_C(0x0000019df7fd0b3a),
    INT64_C(0x00000a8e7f005f44), INT64_C(0x00003f98991d852c),
    INT64_C(0x00015f7429139864), INT64_C(0x0006e79b26512f5f),
    INT64_C(0x001f4d25c3b729a6), INT64_C(0x007e68c9be69dda4),
    INT64_C(0x01c02db400406a31), INT64_C(0x05596f3439a94c12),
    INT64_C(0x0dc167189445a855), INT64_C(0x1ce2f21a042be1b5),
    INT64_C(0x3024e8d606f3cd84), INT64_C(0x48375d410a6db447),
};

// exp(x^2) erfc(x) (x + 3) / 2 with r = 1 / (x + 3)
static const rl_signed erfc_terms[] = {
    -INT64_C(0x00002f47f29eb3b4), INT64_C(0x00004ea79f1cf0be),
    INT64_C(0x0000e227f92e8510), -INT64_C(0x0000f2891d1d2525),
    -INT64_C(0x0001af27388fd6fe), INT64_C(0x00029ee802e2a9f3),
    INT64_C(0x00027770f9776015), -INT64_C(0x0006ae548989dc9e),
    -INT64_C(0x0003739f4758a08e), INT64_C(0x0010a0b3a4cbb8e0),
    INT64_C(0x000653ced95a57c3), -INT64_C(0x002b0b31df3eb16b),
    -INT64_C(0x0016d5c615503685), INT64_C(0x0074d749619dc0d2),
    INT64_C(0x00807e84d7da0394), -INT64_C(0x011f3728af1125b3),
    -INT64_C(0x02fa9f7673ea1c24), INT64_C(0x000946383e540c27),
    INT64_C(0x0d24556afae86162), INT64_C(0x23fef49e0b8d4c02),
    INT64_C(0x3cd56ea5a0d802df), INT64_C(0x4d0113f4a6b44b58),
    INT64_C(0x4e0fb787aebab7cd), INT64_C(0x41587ed6065d89b1),
};

#else

#define RL_LOG2_E UINT32_C(0xb8aa3b29) // log2(e) / 2
#define RL_LOG2_E_TAIL UINT32_C(0x5c17f0bb) // its next word
#define RL_LN_2 UINT32_C(0xb17217f8) // ln(2)
#define RL_LOG10_E UINT32_C(0xde5bd8a9) // 2 log10(e)
#define RL_LOG10_2 UINT32_C(0x9a209a85) // 2 log10(2)
#define RL_QUARTER_PI UINT32_C(0xc90fdaa2) // pi / 4

// (2^f - 1) / f
static const rl_signed exp2_terms[] = {
    INT32_C(0x00008053), INT32_C(0x00051100), INT32_C(0x002bb0f4), INT32_C(0x013b2a1b),
    INT32_C(0x071ac236), INT32_C(0x1ebfbe04), INT32_C(0x58b90bfc),
};

// (atanh(s) / s - 1) / s^2 with z = s^2
static const rl_signed log_terms[] = {
    INT32_C(0x0c6476ed), -INT32_C(0x0e33d5a9), INT32_C(0x12493243), -INT32_C(0x1999998d),
    INT32_C(0x2aaaaaab),
};

// (1 - sin(r) / r) / r^2 with z = r^2
static const rl_signed sine_terms[] = {
    INT32_C(0x0000b6df), INT32_C(0x001a013a), INT32_C(0x0222221c), INT32_C(0x15555555),
};

// (1 - cos(r)) / r^2 with z = r^2
static const rl_signed cosine_terms[] = {
    INT32_C(0x0000248f), INT32_C(0x0006804a), INT32_C(0x00b60b5d), INT32_C(0x0aaaaaab),
    INT32_C(0x40000000),
};

// (1 - atan(s) / s) / s^2 with z = s^2
static const rl_signed arctangent_terms[] = {
    INT32_C(0x052c0e1d), INT32_C(0x0921b5f5), INT32_C(0x0b8e8c51), INT32_C(0x0e37b2cd),
    INT32_C(0x12491bfc), INT32_C(0x19999982), INT32_C(0x2aaaaaab),
};

// (asin(s) / s - 1) / s^2 with z = s^2
static const rl_signed arcsine_terms[] = {
    INT32_C(0x03a0ddbc), -INT32_C(0x0022fae4), INT32_C(0x02289a3e), -INT32_C(0x0229ddfd),
    INT32_C(0x02de68fd), -INT32_C(0x03e37d74), INT32_C(0x05b6dbd8), -INT32_C(0x09999999),
    INT32_C(0x15555555),
};

// erf(x) / (2 x) with z = x^2
static const rl_signed erf_terms[] = {
    INT32_C(0x001445f4), INT32_C(0x007621d4), INT32_C(0x01bccf66), INT32_C(0x0558a983),
    INT32_C(0x0dc14e45), INT32_C(0x1ce2f090), INT32_C(0x3024e8cd), INT32_C(0x48375d41),
};

// erfc(x)
static const rl_signed erfc_terms_from_1[] = {
    -INT32_C(0x0032f790), INT32_C(0x004eb704), INT32_C(0x009a52f0), -INT32_C(0x027985a5),
    INT32_C(0x01e73c66), INT32_C(0x05b56f75), -INT32_C(0x11c2a0f3), INT32_C(0x16d5a936),
    -INT32_C(0x0f391b92), INT32_C(0x0456aaa4),
};

// erfc(x)
static const rl_signed erfc_terms_from_2[] = {
    -INT32_C(0x00d0a4c0), INT32_C(0x027bc0a2), -INT32_C(0x0249a4e0), -INT32_C(0x00c7e475),
    INT32_C(0x0473ceb6), -INT32_C(0x066b93df), INT32_C(0x060b1d37), -INT32_C(0x042984b9),
    INT32_C(0x02239611), -INT32_C(0x00cedefa), INT32_C(0x0036c1a0), -INT32_C(0x00092040),
    INT32_C(0x0000b94f),
};

#endif

// The bits of 2 / pi behind 64 zeros.
#ifdef RL_WIDE
static const uint32_t two_over_pi[] = {
    0, 0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};
#else
static const uint32_t two_over_pi[] = {
    0, 0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561,
};
#endif
// clang-format on

#endif
