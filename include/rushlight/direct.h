// SPDX-License-Identifier: Apache-2.0
//
// Calls of operators from a program in C (`compile --emit c`). What an operator computes without an integer kernel, it
// computes by the same function as in the runtime; it gets its arguments from constant structs in place of a .pte. The
// compiler writes these structs, and has checked them.
//
// The functions with which operators read arguments (rushlight/operator.h) exist in two forms, for a .pte and for these
// structs, under the same names. So an image has either the runtime or runtime/operators/direct/call.c.
#ifndef RUSHLIGHT_DIRECT_H
#define RUSHLIGHT_DIRECT_H

#include <stdint.h>

#include "rushlight/status.h"
#include "rushlight/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rl_call; // rushlight/operator.h

// A tensor: a constant, or a place in the arena.
struct rl_direct_tensor {
    const void *constant;     // NULL: it lies `offset` bytes into the arena
    uint32_t offset;          //
    const int32_t *sizes;     // as in struct rl_tensor, and all below
    const uint8_t *dim_order; //
    uint32_t bytes;
    uint8_t rank, dtype;
};

// An argument, by its kind:
//   RL_PTE_INT, RL_PTE_BOOL     `number`; an int that does not fit is an int64_t at `data`
//   RL_PTE_DOUBLE               a double at `data`
//   RL_PTE_STRING               NUL-terminated characters at `data`
//   RL_PTE_TENSOR               a struct rl_direct_tensor at `data`
//   RL_PTE_INT_LIST             `number` items at `data`: int32_t
//   RL_PTE_DOUBLE_LIST          double
//   RL_PTE_TENSOR_LIST          const struct rl_direct_tensor *; of RL_PTE_OPTIONAL_TENSOR_LIST some are NULL
//   RL_PTE_NULL                 none
struct rl_direct_value {
    enum rl_pte_kind kind;
    int32_t number;
    const void *data;
};

// Calls an operator. `values` are its arguments, outputs included, and `arena` the memory in which its tensors lie.
// RL_OK, or what the operator returns when it refuses its data: an index outside of a tensor, a division by the integer
// 0.
enum rl_status rl_direct_call(enum rl_status (*run)(struct rl_call *call), const struct rl_direct_value *values,
                              void *arena);

// The operators: rl_run_aten_where_self and its like. rl_run_wide_... are for calls with float64 among their tensors.
#define RL_OP(id, name, overload, out_overload, arguments, results, traits)                                            \
    enum rl_status rl_run_##id(struct rl_call *call);
#define RL_OP_WIDE(id, name, overload, out_overload, arguments, results, traits)                                       \
    enum rl_status rl_run_##id(struct rl_call *call), rl_run_wide_##id(struct rl_call *call);
#define RL_OP_AHEAD(id, name, overload, arguments, results, traits)
#include "rushlight/ops.def"
#undef RL_OP

#ifdef __cplusplus
}
#endif

#endif
