// SPDX-License-Identifier: Apache-2.0
//
// Tensors as an application and an operator see them.
#ifndef RUSHLIGHT_TENSOR_H
#define RUSHLIGHT_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rushlight/status.h"
#include "rushlight/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RL_TENSOR_MAX_RANK = 8 }; // tensors of more dimensions are refused

// A view of a tensor. If its shape may change, the view has its current sizes, at first the largest ones. Everything
// that the view points to belongs to the file, to the state, to a planned buffer or to the caller. It stays valid until
// the method is initialised again. But as the program continues, the data of planned tensors is overwritten, and sizes
// may change.
struct rl_tensor {
    void *data;               // dense elements; never written when constant
    const int32_t *sizes;     // `rank` logical sizes (N, C, H, W for images)
    const uint8_t *dim_order; // the dimensions from the outermost to the innermost in memory; channels-last: 0, 2, 3, 1
    uint32_t bytes;           // product of sizes times the size of an element
    uint8_t rank;
    uint8_t dtype; // enum rl_scalar_type
    bool constant; // lies in the file
};

// Number of elements.
uint32_t rl_tensor_count(const struct rl_tensor *tensor);

// Strides in elements that follow from sizes and dim_order, one per logical dimension.
void rl_tensor_element_strides(const struct rl_tensor *tensor, uint32_t strides[RL_TENSOR_MAX_RANK]);

// Copy between a tensor and dense elements in logical (C) order, as in a .npy file: the layout of the tensor's memory
// is taken care of. tensor->data must not be NULL. RL_ERROR_ARGUMENT when `bytes` is not tensor->bytes, or when a
// constant would be written.
enum rl_status rl_tensor_from_logical(const struct rl_tensor *tensor, const void *elements, size_t bytes);
enum rl_status rl_tensor_to_logical(const struct rl_tensor *tensor, void *elements, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
