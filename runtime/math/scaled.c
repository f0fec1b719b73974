// SPDX-License-Identifier: Apache-2.0
#include "runtime/math/scaled.h"

rl_real rl_scaled_pack_rare(struct rl_scaled x)
{
    enum { EXTRA = RL_WORD_BITS - RL_SIGNIFICAND_BITS };
    const int shift = 3 - RL_LARGEST_EXPONENT - x.exponent; // from the place of the smallest normal number
    if (x.bits == 0 || shift > RL_SIGNIFICAND_BITS) {
        return rl_real_of(x.negative ? RL_TOP_BIT : 0);
    }
    if (shift <= 0) {
        return rl_infinity(x.negative);
    }
    // A subnormal, also rounded once.
    const rl_word bits = x.bits >> (EXTRA - 1) >> shift;
    return rl_real_of((x.negative ? RL_TOP_BIT : 0) | ((bits >> 1) + (bits & 1)));
}

struct rl_scaled rl_scaled_add(struct rl_scaled a, struct rl_scaled b)
{
    if (b.bits == 0) {
        return a;
    }
    if (a.bits == 0) {
        return b;
    }
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.bits < b.bits)) {
        const struct rl_scaled larger = b;
        b = a;
        a = larger;
    }
    const int shift = a.exponent - b.exponent;
    const rl_word other = shift < RL_WORD_BITS ? b.bits >> shift : 0;
    if (a.negative != b.negative) {
        const rl_word rest = a.bits - other;
        return rest == 0 ? rl_scaled_zero() : rl_scaled_of(rest, a.exponent, a.negative);
    }
    const rl_word sum = a.bits + other;
    if (sum >= other) {
        return (struct rl_scaled){sum, a.exponent, a.negative};
    }
    return (struct rl_scaled){sum >> 1 | RL_TOP_BIT, a.exponent + 1, a.negative};
}

struct rl_scaled rl_scaled_divide(struct rl_scaled a, struct rl_scaled b)
{
    if (a.bits == 0) {
        return a;
    }
    const rl_word bits = rl_high(a.bits, rl_reciprocal(b.bits));
    return rl_scaled_of(bits, a.exponent - b.exponent + 1, a.negative != b.negative);
}

struct rl_scaled rl_scaled_root(struct rl_scaled x)
{
    if (x.bits == 0) {
        return x;
    }
    const bool odd = x.exponent & 1;
    const rl_word v = x.bits >> odd; // in [1/4, 1)
    const int exponent = x.exponent + odd;
    // A quarter of the inverse root: a parabola within 3 %, then Newton's y += y * (1 - v y^2) / 2.
    enum { SHIFT = RL_WORD_BITS - 32 };
    const rl_word slope = ((rl_word)0xc892fa57 << SHIFT) - rl_high(v, (rl_word)0x617bd979 << SHIFT);
    rl_word y = ((rl_word)0xa83bc90c << SHIFT) - rl_high(v, slope);
    for (int known = 5; known < RL_WORD_BITS / 2; known *= 2) {
        const rl_signed error = (rl_signed)((RL_TOP_BIT >> 3) - rl_high(v, rl_high(y, y)));
        y += (rl_word)rl_signed_high((rl_signed)y, error * 8);
    }
    // The root, kept below 1; then what its square lacks, divided by twice the root.
    const rl_word quarter = rl_high(v, y), limit = RL_TOP_BIT >> 1;
    const rl_word root = (quarter < limit ? quarter : limit - 1) << 2;
    const rl_signed rest = (rl_signed)(v - rl_high(root, root));
    const rl_word better = root + (rl_word)rl_signed_high(rest * 2, (rl_signed)y);
    return rl_scaled_of(better < limit ? ~(rl_word)0 : better, exponent / 2, false);
}
