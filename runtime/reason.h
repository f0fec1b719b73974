// SPDX-License-Identifier: Apache-2.0
//
// Reasons of refusals: rl_method.reason.
#ifndef RL_RUNTIME_REASON_H
#define RL_RUNTIME_REASON_H

// The data from which the refusal of a call follows. A refusal during verification does not count if it may follow from
// data that is not known then: sizes that change, computed numbers, and the tensor that a move puts into a value.
enum rl_reason {
    RL_BY_SIZES,     // from anything but where tensors lie
    RL_BY_ADDRESSES, // from anything
    RL_BY_TYPES,     // from element types and numbers of dimensions alone
    RL_BY_NUMBERS,   // from these and from numbers of the call
};

#endif
