// SPDX-License-Identifier: Apache-2.0
//
// The operators of ops.def as data for host programs. (The runtime derives its own, smaller view: runtime/registry.c.)
#ifndef RL_OPS_OPS_H
#define RL_OPS_OPS_H

#include <stdbool.h>
#include <stddef.h>

enum rl_op_id {
#define RL_OP(id, name, overload, out_overload, arguments, results) RL_OP_##id,
#include "rushlight/ops.def"
#undef RL_OP
    RL_OP_COUNT
};

enum rl_arg_type {
    RL_TYPE_TENSOR,
    RL_TYPE_TENSOR_LIST,
    RL_TYPE_SCRATCH,
    RL_TYPE_INT,
    RL_TYPE_INT_LIST,
    RL_TYPE_FLOAT,
    RL_TYPE_FLOAT_LIST,
    RL_TYPE_BOOL,
    RL_TYPE_STRING,
    RL_TYPE_SCALAR, // int, float or bool
    RL_TYPE_DTYPE,
    RL_TYPE_LAYOUT,
    RL_TYPE_DEVICE,
    RL_TYPE_MEMORY_FORMAT
};

struct rl_op_arg {
    const char *name;
    enum rl_arg_type type;
    bool optional;               // None is allowed
    bool list_elements_optional; // Tensor?[]
    const char *default_text;    // as in the schema: "1", "[]", "False", "constant", "None"; NULL: the argument
                                 // is required
};

struct rl_op {
    const char *id;           // "aten_conv2d": the runtime's object is rl_kernel_aten_conv2d
    const char *name;         // "aten::conv2d"
    const char *overload;     // "default"
    const char *out_overload; // "out", or NULL when the operator never reaches a .pte
    const struct rl_op_arg *args;
    int arg_count;
    int result_count;     // -1: a Tensor[] whose length the call decides
    int positional_count; // arguments before the `*`; the others go by name
    bool wide;            // has rl_kernel_wide_<id>, too, for calls with float64
    bool converts;        // one of the ways to give a tensor, the first argument, another element type
};

// Never NULL for ids below RL_OP_COUNT.
const struct rl_op *rl_op_get(enum rl_op_id id);

// By functional name ("aten::conv2d", "default"); false when the table has no such operator.
bool rl_op_find(const char *name, const char *overload, enum rl_op_id *id);

// By the form that a .pte calls ("cortex_m::quantized_add", "out").
bool rl_op_find_out(const char *name, const char *out_overload, enum rl_op_id *id);

// Writes the schema as PyTorch spells it, e.g. "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) ->
// Tensor", cut to `size`; returns the length it would have, like snprintf.
int rl_op_schema(enum rl_op_id id, char *text, size_t size);

#endif
