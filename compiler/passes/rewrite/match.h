// SPDX-License-Identifier: Apache-2.0
//
// Matches the form of an integer operator in a quantized graph, `dequantize -> operator -> quantize`, and replaces it
// by one operator on int8 values.
//
//   %x = dequantize(%xq)   %w = dequantize(%wq)             %yq = cortex_m::quantized_conv2d(%xq, %wq', ...)
//   %y = conv2d(%x, %w, ...)                          ->
//   %yq = quantize(%y)
#ifndef RL_COMPILER_PASSES_REWRITE_MATCH_H
#define RL_COMPILER_PASSES_REWRITE_MATCH_H

#include "compiler/ir/graph.h"

struct rl_pass;

// The grid of a (de)quantize_per_tensor node: real = scale * (integer - zero_point), integers within [min, max].
struct rl_grid {
    double scale;
    int64_t zero_point;
    int64_t min, max;
    enum rl_scalar_type dtype;
};

// Whether a node is a quantize_per_tensor of either namespace; reads its grid.
bool rl_is_quantize(const struct rl_node *node, struct rl_grid *grid);

// Whether a node is a dequantize_per_tensor of either namespace; reads its grid.
bool rl_is_dequantize(const struct rl_node *node, struct rl_grid *grid);

// The int8 value behind a dequantized one, and its grid; NULL when `value` does not come from such a node.
struct rl_value *rl_int8_behind(const struct rl_value *value, struct rl_grid *grid);

// The same for int8 or int16.
struct rl_value *rl_integers_behind(const struct rl_value *value, struct rl_grid *grid);

// The type of the integers behind a value: RL_INT16, or else RL_INT8, also where there are none.
enum rl_scalar_type rl_integer_type(const struct rl_value *value);

// Whether it is finite and above zero.
bool rl_is_scale(double scale);

// Whether both map integers to the same real numbers. Their ranges may differ.
bool rl_grid_equal(const struct rl_grid *a, const struct rl_grid *b);

// The integer for a real number, rounded to even and clamped to the grid's range, computed as
// quantized_decomposed::quantize_per_tensor does on float32.
int64_t rl_grid_quantize(const struct rl_grid *grid, float real);

enum { RL_MATCH_OPERANDS = 2 };

// An operator on activations of one integer type, mostly int8.
struct rl_match {
    struct rl_node *node;     // the operator
    struct rl_node *quantize; // the only user of its result
    struct rl_grid output;    // [min, max] holds a fused activation as well
    struct {
        struct rl_value *value; // of integers
        struct rl_grid grid;
    } operands[RL_MATCH_OPERANDS];
};

// Matches a node whose first `operand_count` arguments are int8 activations. Without a match the node gets the reason.
bool rl_match(struct rl_graph *graph, struct rl_node *node, int operand_count, struct rl_match *match);

// The same for activations of another type: int16.
bool rl_match_of_type(struct rl_graph *graph, struct rl_node *node, int operand_count, enum rl_scalar_type dtype,
                      struct rl_match *match);

// The same for one activation and a result of another type.
bool rl_match_between(struct rl_graph *graph, struct rl_node *node, enum rl_scalar_type operand,
                      enum rl_scalar_type result, struct rl_match *match);

// Whether the result of a node is only quantized, to int16.
bool rl_has_int16_result(const struct rl_graph *graph, const struct rl_node *node);

// Matches a node whose argument number `argument` is its one int8 activation, operands[0].
bool rl_match_argument(struct rl_graph *graph, struct rl_node *node, int argument, struct rl_match *match);

// Matches an operator on two activations, both int8 or both int16, that the elementwise kernels can pair: of equal
// sizes, or of rank 4 with one of them holding a single value per channel.
bool rl_match_binary(struct rl_graph *graph, struct rl_node *node, struct rl_match *match);

// For a match of equal types: *is_wide tells whether they are int16. False, with the reason, if they are and have zero
// points, which no kernel takes, or if the program may have no operator for them.
bool rl_match_is_wide(const struct rl_pass *pass, const struct rl_match *match, int operand_count, bool *is_wide);

// A call of `op` in place of the matched nodes. It carries the operator's name, its value the name of the value that
// was quantized. The arguments are still to be set.
struct rl_node *rl_match_replace(struct rl_graph *graph, const struct rl_match *match, enum rl_op_id op);

enum { RL_TABLE_SIZE = 256 };

// A look-up of int8 `input` in place of the matched nodes: integer i becomes table[i + 128].
struct rl_node *rl_match_table(struct rl_graph *graph, const struct rl_match *match, struct rl_value *input,
                               const int8_t table[RL_TABLE_SIZE]);

// The table from int8 of one grid to the nearest int8 of another.
void rl_fill_requantizing_table(const struct rl_grid *from, const struct rl_grid *to, int8_t table[RL_TABLE_SIZE]);

// Ends a replacement by an operator that has no activation range of its own: a range narrower than that of the output's
// type becomes a clamp of its integers. (int16 values without an activation are -32767 to 32767.)
void rl_match_clamp(struct rl_graph *graph, const struct rl_match *match, struct rl_node *lowered);

// A clamp of int8 values, before `before`.
struct rl_node *rl_insert_clamp(struct rl_graph *graph, struct rl_node *before, struct rl_value *value, int64_t min,
                                int64_t max, const struct rl_node *like);

// For a node of one activation that commutes with dequantizing: inserts `op` on the integers, which gets the node's
// names, and turns the node into the dequantize node of its result. The arguments of `op` are still to be set. The
// node's first argument must come from a dequantize node (rl_integers_behind).
struct rl_node *rl_sink_dequantize(struct rl_graph *graph, struct rl_node *node, enum rl_op_id op);

// Sets the node's scratch arguments to work space whose size is set later, from the target's kernels.
void rl_set_scratch(struct rl_graph *graph, struct rl_node *node);

#endif
