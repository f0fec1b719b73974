// SPDX-License-Identifier: Apache-2.0
//
// What the pass drop_channels took out of a graph, for reports.
#ifndef RL_COMPILER_PASSES_DROPPED_H
#define RL_COMPILER_PASSES_DROPPED_H

#include <stdint.h>

#include "compiler/support/name_map.h"

// A value that lost channels. Before, its elements in the order of its logical sizes were [outer][size][inner]; now
// they are [outer][count][inner], of which index i was kept[i]. A negative kept[i] holds a number that nobody reads.
struct rl_narrowed {
    int64_t outer, size, inner;
    int64_t count;
    const int64_t *kept;
};

// Multiply-accumulates are those of convolutions and linear layers, and weights are theirs.
struct rl_dropped_channels {
    int64_t channels; // output channels of these layers that are gone
    double macs_before, macs_after;
    int64_t weight_bytes_before, weight_bytes_after;
    struct rl_name_map values; // struct rl_narrowed, by the name of the value
};

#endif
