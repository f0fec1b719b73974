// SPDX-License-Identifier: Apache-2.0
//
// The rules of spell_out that lie in a file for each family. Each is true if the node was replaced.
#ifndef RL_COMPILER_PASSES_CANONICAL_SPELL_OUT_H
#define RL_COMPILER_PASSES_CANONICAL_SPELL_OUT_H

#include "compiler/passes/pass.h"
#include "compiler/passes/rewrite/build.h"

// ---- spell_parts.c

bool rl_spell_split(const struct rl_pass *pass, struct rl_node *node);         // hsplit, vsplit, dsplit
bool rl_spell_diagonal(const struct rl_pass *pass, struct rl_node *node);      // diag
bool rl_spell_flat_diagonal(const struct rl_pass *pass, struct rl_node *node); // diagflat
bool rl_spell_diagonals(const struct rl_pass *pass, struct rl_node *node);     // diag_embed
bool rl_spell_trace(const struct rl_pass *pass, struct rl_node *node);
bool rl_spell_blocks(const struct rl_pass *pass, struct rl_node *node);   // block_diag
bool rl_spell_tuples(const struct rl_pass *pass, struct rl_node *node);   // cartesian_prod
bool rl_spell_elements(const struct rl_pass *pass, struct rl_node *node); // take
bool rl_spell_repeats(const struct rl_pass *pass, struct rl_node *node);  // repeat_interleave by a tensor
bool rl_spell_shift(const struct rl_pass *pass, struct rl_node *node);    // fftshift, ifftshift
bool rl_spell_triangle(const struct rl_pass *pass, struct rl_node *node); // tril_indices, triu_indices
bool rl_spell_combinations(const struct rl_pass *pass, struct rl_node *node);

// ---- spell_products.c

bool rl_spell_product(const struct rl_pass *pass, struct rl_node *node);          // vdot, inner
bool rl_spell_vector_product(const struct rl_pass *pass, struct rl_node *node);   // linalg_vecdot
bool rl_spell_cross(const struct rl_pass *pass, struct rl_node *node);            // cross, linalg_cross
bool rl_spell_sum_with_product(const struct rl_pass *pass, struct rl_node *node); // addr, addmv, addbmm
bool rl_spell_chain(const struct rl_pass *pass, struct rl_node *node);            // linalg_multi_dot, chain_matmul
bool rl_spell_matrix_power(const struct rl_pass *pass, struct rl_node *node);
bool rl_spell_kron(const struct rl_pass *pass, struct rl_node *node);
bool rl_spell_affine_grid(const struct rl_pass *pass, struct rl_node *node); // affine_grid_generator
bool rl_spell_powers(const struct rl_pass *pass, struct rl_node *node);      // vander, linalg_vander

// ---- spell_counts.c

bool rl_spell_count(const struct rl_pass *pass, struct rl_node *node);      // count_nonzero
bool rl_spell_membership(const struct rl_pass *pass, struct rl_node *node); // isin
bool rl_spell_buckets(const struct rl_pass *pass, struct rl_node *node);    // bucketize
bool rl_spell_search(const struct rl_pass *pass, struct rl_node *node);     // searchsorted
bool rl_spell_sort(const struct rl_pass *pass, struct rl_node *node);       // msort
bool rl_spell_quantile(const struct rl_pass *pass, struct rl_node *node);
bool rl_spell_running(const struct rl_pass *pass, struct rl_node *node); // cumprod, logcumsumexp
bool rl_spell_area(const struct rl_pass *pass, struct rl_node *node);    // trapezoid, cumulative_trapezoid

// ---- spell_numbers.c

bool rl_spell_extreme_number(const struct rl_pass *pass, struct rl_node *node); // fmax, fmin
bool rl_spell_sum_of_numbers(const struct rl_pass *pass, struct rl_node *node); // nansum, nanmean
bool rl_spell_infinite(const struct rl_pass *pass, struct rl_node *node);       // isposinf, isneginf
bool rl_spell_same(const struct rl_pass *pass, struct rl_node *node);           // positive
bool rl_spell_reversed(const struct rl_pass *pass, struct rl_node *node);       // rsub of a tensor
bool rl_spell_heaviside(const struct rl_pass *pass, struct rl_node *node);
bool rl_spell_xlogy(const struct rl_pass *pass, struct rl_node *node);
bool rl_spell_decimals(const struct rl_pass *pass, struct rl_node *node); // round to decimals
bool rl_spell_renorm(const struct rl_pass *pass, struct rl_node *node);
bool rl_spell_renorm_rows(const struct rl_pass *pass, struct rl_node *node); // embedding_renorm
bool rl_spell_close(const struct rl_pass *pass, struct rl_node *node);       // isclose
bool rl_spell_sign_bit(const struct rl_pass *pass, struct rl_node *node);    // signbit
bool rl_spell_copied_sign(const struct rl_pass *pass, struct rl_node *node); // copysign

// self * log(other), and 0 where self is 0.
struct rl_value *rl_build_xlogy(const struct rl_build *at, struct rl_value *self, struct rl_value *other);

// ---- spell_losses.c

// mse_loss, l1_loss, smooth_l1_loss, huber_loss: functions of a difference, and their mean or sum.
bool rl_spell_loss(const struct rl_pass *pass, struct rl_node *node);
bool rl_spell_divergence(const struct rl_pass *pass, struct rl_node *node);  // kl_div
bool rl_spell_binary_loss(const struct rl_pass *pass, struct rl_node *node); // binary_cross_entropy, also with logits
bool rl_spell_class_loss(const struct rl_pass *pass, struct rl_node *node);  // cross_entropy_loss, nll_loss_nd

// ---- spell_scatter.c

bool rl_spell_put(const struct rl_pass *pass, struct rl_node *node);
bool rl_spell_diagonal_scatter(const struct rl_pass *pass, struct rl_node *node);
bool rl_spell_scatter_reduce(const struct rl_pass *pass, struct rl_node *node); // products and extremes
bool rl_spell_scatter(const struct rl_pass *pass, struct rl_node *node);        // scatter with a reduction
bool rl_spell_index_reduce(const struct rl_pass *pass, struct rl_node *node);
bool rl_spell_known_sum(const struct rl_pass *pass, struct rl_node *node);  // index_add, scatter_add
bool rl_spell_known_fill(const struct rl_pass *pass, struct rl_node *node); // index_fill

// ---- known_sums.c

// scatter_add, index_add and scatter_reduce by sums and means, if constants (fold_constants) name the places.
bool rl_sum_by_known_index(const struct rl_pass *pass, struct rl_node *node);

// ---- spell_sums.c

bool rl_spell_norm(const struct rl_pass *pass, struct rl_node *node);      // linalg_norm, linalg_matrix_norm
bool rl_spell_distance(const struct rl_pass *pass, struct rl_node *node);  // dist: the norm of a difference
bool rl_spell_deviation(const struct rl_pass *pass, struct rl_node *node); // std_mean: std and mean

// ---- spell_out.c: what the rules share

bool rl_are_floats(const struct rl_value *a, const struct rl_value *b); // of one type

// Writes the numbers of all dimensions, of RL_MAX_RANK at most, and returns how many there are.
int rl_all_dims(const struct rl_value *value, int64_t *dims);

// Whether values may be NaN: not in a graph that will be quantized, because calibration refuses NaN.
bool rl_has_nan(const struct rl_pass *pass);

// The constant that a value is, perhaps behind operators that leave its elements in their places; NULL if it is none,
// or not row-major.
const struct rl_value *rl_spelled_constant(const struct rl_value *value);

#endif
