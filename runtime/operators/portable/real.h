// SPDX-License-Identifier: Apache-2.0
//
// The type with which operators compute floats, rl_real. Files that include this are compiled twice: for tensors of at
// most float32, and with RL_WIDE for calls with a tensor of float64, which compute in double throughout. The second
// form has names of its own, so that a firmware without float64 does not link it. RL_MATH(exp) and RL_EXACT(sqrt) of
// runtime/math/real.h are functions of an rl_real.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_REAL_H
#define RL_RUNTIME_OPERATORS_PORTABLE_REAL_H

#include <float.h>

#include "runtime/math/functions.h"
#include "runtime/math/real.h"
#include "rushlight/operator.h"

__extension__ _Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
                             "floats must be computed in their own precision: on 32-bit x86 with -msse2 -mfpmath=sse");

// Hosts compute floats in loops of their own, in host/: their build defines this as 1.
#ifndef RL_HAS_HOST_LOOPS
#define RL_HAS_HOST_LOOPS 0
#endif

#ifdef RL_WIDE

enum { RL_REAL = RL_FLOAT64 }; // the element type of rl_real
#define RL_RUN(id)               rl_run_wide_##id
#define rl_is_number             rl_wide_is_number
#define rl_expect_numbers        rl_wide_expect_numbers
#define rl_expect_floats         rl_wide_expect_floats
#define rl_load                  rl_wide_load
#define rl_store                 rl_wide_store
#define rl_call_scalar           rl_wide_call_scalar
#define rl_call_scalar_as        rl_wide_call_scalar_as
#define rl_run_elementwise       rl_wide_run_elementwise
#define rl_run_elementwise_bytes rl_wide_run_elementwise_bytes
#define rl_run_reduction         rl_wide_run_reduction
#define rl_dims_of_int           rl_wide_dims_of_int
#define rl_dims_of_list          rl_wide_dims_of_list
#define rl_dot_numbers           rl_wide_dot_numbers
#define rl_convolve_floats       rl_wide_convolve_floats
#define rl_add_products_plainly  rl_wide_add_products_plainly
#define rl_find_products         rl_wide_find_products
#define rl_add_twice_plainly     rl_wide_add_twice_plainly
#define rl_put_sums              rl_wide_put_sums
#define rl_turn_weights          rl_wide_turn_weights
#define rl_multiply_floats       rl_wide_multiply_floats
#define rl_takes_floats          rl_wide_takes_floats
#define rl_compute_floats        rl_wide_compute_floats

#else

enum { RL_REAL = RL_FLOAT32 };
#define RL_RUN(id) rl_run_##id

#endif
#endif
