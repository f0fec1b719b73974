// SPDX-License-Identifier: Apache-2.0
//
// The passes by name, in the order of the pipeline, for tests that run them on their own.
#ifndef RL_TESTS_COMPILER_PASSES_PASS_TABLE_H
#define RL_TESTS_COMPILER_PASSES_PASS_TABLE_H

#include "compiler/passes/passes.h"

struct named_pass {
    const char *name;
    rl_pass *run;
};

static const struct named_pass pass_table[] = {
    {"functionalize", rl_pass_functionalize},
    {"resolve_padding", rl_pass_resolve_padding},
    {"fold_creation", rl_pass_fold_creation},
    {"canonicalize", rl_pass_canonicalize},
    {"decompose_movement", rl_pass_decompose_movement},
    {"decompose_product", rl_pass_decompose_product},
    {"remove_identity", rl_pass_remove_identity},
    {"fold_batch_norm", rl_pass_fold_batch_norm},
    {"widen_1d", rl_pass_widen_1d},
    {"decompose_mean", rl_pass_decompose_mean},
    {"fold_quantize", rl_pass_fold_quantize},
    {"fuse_padding", rl_pass_fuse_padding},
    {"fuse_uneven_padding", rl_pass_fuse_uneven_padding},
    {"lower_data_movement", rl_pass_lower_data_movement},
    {"fuse_activation", rl_pass_fuse_activation},
    {"lower_pool", rl_pass_lower_pool},
    {"fuse_requantize", rl_pass_fuse_requantize},
    {"lower_conv", rl_pass_lower_conv},
    {"lower_linear", rl_pass_lower_linear},
    {"lower_add", rl_pass_lower_add},
    {"lower_mul", rl_pass_lower_mul},
    {"lower_bmm", rl_pass_lower_bmm},
    {"lower_softmax", rl_pass_lower_softmax},
    {"lower_activation", rl_pass_lower_activation},
    {"lower_quantize", rl_pass_lower_quantize},
    {"quantize_interface", rl_pass_quantize_interface},
    {"decompose_recurrent", rl_pass_decompose_recurrent},
    {"decompose_attention", rl_pass_decompose_attention},
    {"decompose_reduction", rl_pass_decompose_reduction},
    {"decompose_activation", rl_pass_decompose_activation},
    {"lower_portable", rl_pass_lower_portable},
    {"assign_layout", rl_pass_assign_layout},
    {"lower_pad", rl_pass_lower_pad},
    {"eliminate_common", rl_pass_eliminate_common},
};

enum { PASS_COUNT = sizeof pass_table / sizeof pass_table[0] };

#endif
