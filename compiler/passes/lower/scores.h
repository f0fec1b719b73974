// SPDX-License-Identifier: Apache-2.0
//
// The grid of masked scores: how far below the lowest score a masked one lies.
#ifndef RL_COMPILER_PASSES_LOWER_SCORES_H
#define RL_COMPILER_PASSES_LOWER_SCORES_H

// For scores whose grid is this wide: a little wider than the scores themselves, so that every score of a row is nearer
// to the largest one than a masked score is. 8 at most: a probability of exp(-8) is below half a step of the result.
double rl_scores_gap(double width);

// The same, from the width of the grid that has the gap.
double rl_scores_gap_of_widened(double width);

#endif
