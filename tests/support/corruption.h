// SPDX-License-Identifier: Apache-2.0
//
// Corrupts single bytes of a program that has a checksum: rl_program_check must notice, or the program must compute
// what it did before.
#ifndef RL_TESTS_SUPPORT_CORRUPTION_H
#define RL_TESTS_SUPPORT_CORRUPTION_H

#include <stddef.h>
#include <stdint.h>

// What the program needs to run; `reference` is where the outputs of the whole program are kept.
struct corruption_memory {
    uint8_t *arena, *state, *reference; // the first two aligned for the runtime
    size_t arena_bytes, state_bytes, reference_bytes;
};

// `file` is as it was before when this returns. The number of failures, each of which is printed.
int corrupt_single_bytes(uint8_t *file, size_t bytes, const struct corruption_memory *memory, uint32_t trials);

#endif
