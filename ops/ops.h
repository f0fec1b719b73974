// SPDX-License-Identifier: Apache-2.0
//
// The operators of ops.def as data for host programs. (The runtime derives its own, smaller view: runtime/registry.c.)
// The head of rushlight/ops.def describes each trait.
#ifndef RL_OPS_OPS_H
#define RL_OPS_OPS_H

#include <stdbool.h>
#include <stddef.h>

enum rl_op_id {
#define RL_OP(id, name, overload, out_overload, arguments, results, traits) RL_OP_##id,
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
    bool reused;                 // an output may take its memory, all of it, if it has the same sizes and layout
    const char *default_text;    // as in the schema: "1", "[]", "False", "constant", "None"; NULL: the argument
                                 // is required
};

enum rl_op_dialect {
    RL_DIALECT_ATEN,
    RL_DIALECT_QUANTIZED_DECOMPOSED,
    RL_DIALECT_CORTEX_M,
    RL_DIALECT_RUSHLIGHT,
    RL_DIALECT_DIM_ORDER,
    RL_DIALECT_PRIM
};

enum rl_op_layer {
    RL_LAYER_NONE,
    RL_LAYER_CONVOLUTION,
    RL_LAYER_LINEAR,
    RL_LAYER_ADD,
    RL_LAYER_MUL,
    RL_LAYER_AVG_POOL,
    RL_LAYER_MAX_POOL,
    RL_LAYER_SOFTMAX,
    RL_LAYER_RECURRENT,
    RL_LAYER_CLAMP,
    RL_LAYER_RAMP
};

enum rl_op_layout {
    RL_LAYOUT_ROW_MAJOR,
    RL_LAYOUT_CHANNELS_LAST,
    RL_LAYOUT_IMAGE,
    RL_LAYOUT_FOLLOW,
    RL_LAYOUT_PART,
    RL_LAYOUT_PAIR,
    RL_LAYOUT_LIST,
    RL_LAYOUT_VIEW,
    RL_LAYOUT_PERMUTE
};

enum rl_op_rearrangement {
    RL_REARRANGES_OTHERWISE, // or computes
    RL_REARRANGES_SAME,
    RL_REARRANGES_RESHAPE,
    RL_REARRANGES_PERMUTE,
    RL_REARRANGES_EXCHANGE,
    RL_REARRANGES_REVERSE,
    RL_REARRANGES_TURN,
    RL_REARRANGES_MOVE,
    RL_REARRANGES_SELECT,
    RL_REARRANGES_SLICE,
    RL_REARRANGES_NARROW,
    RL_REARRANGES_SPLIT,
    RL_REARRANGES_UNBIND,
    RL_REARRANGES_EXPAND
};

enum rl_op_view {
    RL_OP_VIEW_NEVER,
    RL_OP_VIEW_ALWAYS,
    RL_OP_VIEW_IF_STRIDED_SO,
    RL_OP_VIEW_IF_CONTIGUOUS,
    RL_OP_VIEW_UNLESS_TRAINING,
    RL_OP_VIEW_UNLESS_CONVERTED
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

    // Of an integer operator; else NULL.
    const char *takes; // element types of the first operand: "int8, int16"
    const char *gives; // of the first result
    const char *loop;  // kernels/<instruction set>/<loop>_tile.h has the inner loop; NULL: one in C for all

    // Traits. The pointers are NULL where the operator has no such form.
    const struct rl_op *in_place_of; // computes the same, and changes no argument
    const struct rl_op *synonym_of;
    const struct rl_op *runs_as;
    const struct rl_op *nhwc_as;
    const struct rl_op *counts_as; // reports count its calls as those of this operator
    enum rl_op_dialect dialect;
    enum rl_op_layer layer;
    enum rl_op_layout layout;
    enum rl_op_rearrangement rearranges;
    enum rl_op_view view;
    bool quantizes;
    bool dequantizes;
    bool has_weights;
    bool transposed;
    bool converts;
    bool shares_grid;
    bool shares_grid_in_best;
    bool commutes;
    bool chooses;
    bool adds;
    bool gives_bool;
    bool needs_every_bit;
    bool is_activation;
};

// Never NULL for ids below RL_OP_COUNT.
const struct rl_op *rl_op_get(enum rl_op_id id);

// The name under which reports count its calls.
const char *rl_op_counted_name(const struct rl_op *op);

// The id of an entry of the table.
enum rl_op_id rl_op_id(const struct rl_op *op);

// Whether it computes on quantized integers, or converts to and from them: the dialects cortex_m and rushlight.
bool rl_op_is_quantized(const struct rl_op *op);

// The index of an argument; -1 when the schema has none of this name.
int rl_op_argument(const struct rl_op *op, const char *name);

// By functional name ("aten::conv2d", "default"); false when the table has no such operator.
bool rl_op_find(const char *name, const char *overload, enum rl_op_id *id);

// By the form that a .pte calls ("cortex_m::quantized_add", "out").
bool rl_op_find_out(const char *name, const char *out_overload, enum rl_op_id *id);

// Writes the schema as PyTorch spells it, e.g. "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) ->
// Tensor", cut to `size`; returns the length it would have, like snprintf.
int rl_op_schema(enum rl_op_id id, char *text, size_t size);

#endif
