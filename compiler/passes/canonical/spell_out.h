// SPDX-License-Identifier: Apache-2.0
//
// The rules of spell_out that lie in spell_sums.c. Each is true if the node was replaced.
#ifndef RL_COMPILER_PASSES_CANONICAL_SPELL_OUT_H
#define RL_COMPILER_PASSES_CANONICAL_SPELL_OUT_H

#include "compiler/passes/pass.h"

// mse_loss, l1_loss, smooth_l1_loss, huber_loss: functions of a difference, and their mean or sum.
bool rl_spell_loss(const struct rl_pass *pass, struct rl_node *node);

// linalg_norm, linalg_matrix_norm("fro"): norms of vectors.
bool rl_spell_norm(const struct rl_pass *pass, struct rl_node *node);

// dist: the norm of a difference.
bool rl_spell_distance(const struct rl_pass *pass, struct rl_node *node);

// vdot, inner: products of vectors and matrices.
bool rl_spell_product(const struct rl_pass *pass, struct rl_node *node);

// linalg_vecdot: the sum of a product.
bool rl_spell_vector_product(const struct rl_pass *pass, struct rl_node *node);

// linalg_cross: the difference of two products of turned vectors.
bool rl_spell_cross(const struct rl_pass *pass, struct rl_node *node);

// std_mean: std and mean.
bool rl_spell_deviation(const struct rl_pass *pass, struct rl_node *node);

#endif
