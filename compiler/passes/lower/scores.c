// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower/scores.h"

#include <math.h>

static const double surplus = 1.04, most = 8.0;

double rl_scores_gap(double width)
{
    return fmin(surplus * width, most);
}

double rl_scores_gap_of_widened(double width)
{
    return fmin(surplus * width / (1.0 + surplus), most);
}
