// SPDX-License-Identifier: Apache-2.0
//
// Functions for the order of dimensions in memory.
#ifndef RL_COMPILER_PASSES_LAYOUT_LAYOUT_H
#define RL_COMPILER_PASSES_LAYOUT_LAYOUT_H

#include "compiler/ir/graph.h"

// `type` with its elements in the order N, H, W, C; rank 4.
struct rl_tensor_type rl_type_channels_last(struct rl_tensor_type type);

// `type` with its elements in row-major order.
struct rl_tensor_type rl_type_contiguous(struct rl_tensor_type type);

// Whether the operators of cortex_m take a tensor of this type as channels-last. ExecuTorch's rule: rank 4, and one
// channel, one pixel or the order N, H, W, C.
bool rl_type_reads_channels_last(const struct rl_tensor_type *type);

// The type of permute_copy(x, dims) that leaves x where it is in memory.
struct rl_tensor_type rl_type_permuted_in_place(const struct rl_tensor_type *type, const struct rl_arg *dims);

// The type with the sizes of `to` that a view of `from` has without moving an element; false if there is none.
bool rl_type_viewed_in_place(const struct rl_tensor_type *from, struct rl_tensor_type *to);

// Whether a view_copy from one type to the other leaves every element in its place.
bool rl_view_keeps_bytes(const struct rl_tensor_type *from, const struct rl_tensor_type *to);

// A constant with the elements of `value`, which has data, in the order of `wanted`.
struct rl_value *rl_constant_in_layout(struct rl_graph *graph, const struct rl_value *value,
                                       const struct rl_tensor_type *wanted);

// A copy of `value` in the order of `type` before `user`; NULL if there is none.
struct rl_value *rl_existing_copy(const struct rl_graph *graph, const struct rl_node *user,
                                  const struct rl_value *value, const struct rl_tensor_type *type);

// The same elements in the order of `wanted`, for a use by `user` (NULL: as an output of the graph). This is `value`
// itself if it has this layout, another constant if it is a constant, else a copy before `user`, unless there is one
// already. A value that was dequantized only for this use is copied as integers.
struct rl_value *rl_value_in_layout(struct rl_graph *graph, struct rl_node *user, struct rl_value *value,
                                    const struct rl_tensor_type *wanted);

// A channels-last image as a row-major tensor of N, H, W, C for `user`; no element is moved.
struct rl_value *rl_image_turned(struct rl_graph *graph, struct rl_node *user, struct rl_value *image);

// Makes a concatenation of channels-last images one of such row-major tensors.
void rl_concatenate_turned(struct rl_graph *graph, struct rl_node *node);

#endif
