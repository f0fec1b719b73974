// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/similarity.h"

#include "runtime/math/functions.h"

void rl_similarity_add(struct rl_similarity *similarity, double reference, double found)
{
    similarity->signal += reference * reference;
    similarity->noise += (reference - found) * (reference - found);
    similarity->count++;
}

double rl_similarity_db(const struct rl_similarity *similarity)
{
    if (similarity->noise <= 0) {
        return RL_SQNR_EQUAL;
    }
    const double ratio = similarity->signal / similarity->noise;
    const double db = similarity->signal > 0 ? 10 * rl_math_log10(ratio) : -RL_SQNR_EQUAL;
    if (!(db > -RL_SQNR_EQUAL)) {
        return -RL_SQNR_EQUAL;
    }
    return db < RL_SQNR_EQUAL ? db : RL_SQNR_EQUAL;
}
