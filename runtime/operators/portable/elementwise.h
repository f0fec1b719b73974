// SPDX-License-Identifier: Apache-2.0
//
// The one loop of all operators that compute each element of their output from one element of each operand, which may
// be a tensor, broadcast to the shape of the output as PyTorch does, or a number of the call.
#ifndef RL_RUNTIME_OPERATORS_PORTABLE_ELEMENTWISE_H
#define RL_RUNTIME_OPERATORS_PORTABLE_ELEMENTWISE_H

#include "runtime/operators/portable/bytes.h"
#include "runtime/operators/portable/number.h"
#include "runtime/operators/portable/walk.h"

enum { RL_ELEMENT_OPERANDS = 4 };

// The operands whose types decide whether an operator computes with floats or with integers: with floats if one of them
// is a float. PyTorch's type promotion needs no more, because the type of the result is that of the output.
enum {
    RL_TYPE_OF_FIRST = 1,
    RL_TYPE_OF_SECOND = 2,
    RL_TYPE_OF_THIRD = 4,
    RL_TYPE_OF_BOTH = RL_TYPE_OF_FIRST | RL_TYPE_OF_SECOND,
    RL_TYPE_OF_OUTPUT = 0x80
};

struct rl_elementwise {
    rl_real (*reals)(const union rl_number *x);    // x[0] is the first operand; NULL: floats are refused
    int64_t (*integers)(const union rl_number *x); // NULL: integers become floats first
    uint8_t operands;                              // their number; they are the first arguments of the call
    uint8_t typed;                                 // RL_TYPE_OF_...
    bool any_output; // the result is a truth value, or converted on purpose: any element type can hold it
    bool divides;    // by the second operand, which may not be the integer 0
#if RL_HAS_HOST_LOOPS
    // The loop over floats with `reals` in it; NULL: a loop that calls it.
    void (*loop)(const struct rl_elementwise *op, const struct rl_tensor *tensors, const struct rl_walk *walk);
#endif
};

// RL_ELEMENT_LOOP(reals) defines the loop of hosts for a function, and RL_LOOP_OF(reals) is the last member of its
// operator. On cores they are nothing.
#if RL_HAS_HOST_LOOPS
#define RL_ELEMENT_LOOP(reals)                                                                                         \
    static void reals##_loop(const struct rl_elementwise *op, const struct rl_tensor *tensors,                         \
                             const struct rl_walk *walk)                                                               \
    {                                                                                                                  \
        rl_loop_over_floats(reals, op, tensors, walk);                                                                 \
    }
#define RL_LOOP_OF(reals) reals##_loop
#else
#define RL_ELEMENT_LOOP(reals)
#define RL_LOOP_OF(reals)
#endif

// Whether rl_compute_floats can compute floats of these tensors: the output, then the operands.
bool rl_takes_floats(const struct rl_elementwise *op, const struct rl_tensor *tensors, const struct rl_walk *walk);

// Computes the innermost elements of a walk where it stands.
void rl_compute_floats(const struct rl_elementwise *op, const struct rl_tensor *tensors, const struct rl_walk *walk);

// Reads the operands and the output, checks them and computes.
enum rl_status rl_run_elementwise(struct rl_call *call, const struct rl_elementwise *op, uint32_t output_argument);

// The same, with a loop for elements of one byte, where it takes them.
enum rl_status rl_run_elementwise_bytes(struct rl_call *call, const struct rl_elementwise *op, rl_byte_loop *bytes,
                                        uint32_t output_argument);

#endif
