// SPDX-License-Identifier: Apache-2.0
//
// The part of lower_portable that rewrites operators to the forms that ExecuTorch's portable kernels have.
#ifndef RL_COMPILER_PASSES_PORTABLE_PORTABLE_FORMS_H
#define RL_COMPILER_PASSES_PORTABLE_PORTABLE_FORMS_H

#include "compiler/passes/pass.h"

// Views become copies (slice, select, expand, split, chunk). Activations without a kernel of their own become
// expressions (silu, hardsigmoid, hardswish). log_softmax and layer_norm become their native forms. For ExecuTorch's
// runtime, linear becomes addmm.
void rl_portable_forms(const struct rl_pass *pass);

// The same for operators that index, sort and resize: index_copy, index_add, scatter_reduce, triu, sort, argsort,
// upsample.
void rl_portable_arrangements(const struct rl_pass *pass);

#endif
