// SPDX-License-Identifier: Apache-2.0
//
// What code took on an emulated core.
#ifndef RL_BOARDS_QEMU_COUNTS_H
#define RL_BOARDS_QEMU_COUNTS_H

#include <stdint.h>

// Loads and stores are instructions, however many registers one moves. All but instructions are 0 for a core without a
// model of its cycles.
struct rl_counts {
    uint64_t instructions, cycles, loads, stores;
};

// An operator of one inference; all of its runs, if the program has loops.
struct rl_operator_counts {
    uint64_t runs;
    struct rl_counts counts;
    uint32_t stack_bytes; // the most, from the caller of rl_method_execute on
};

#endif
