// SPDX-License-Identifier: Apache-2.0
//
// Hostile calls, one after the other. The sweep takes each kernel call of a program alone, and gives its numbers wrong
// values: sizes, types, overlapping places, arguments, one at a time; and consistent sizes together with another
// number. Each operator of the registry also gets the calls of every other one with the same kinds of arguments.
#ifndef RL_TESTS_FUZZ_PTE_SWEEP_H
#define RL_TESTS_FUZZ_PTE_SWEEP_H

#include <stddef.h>
#include <stdint.h>

struct sweep_totals {
    uint32_t made;  // programs that were made
    uint32_t run;   // programs that were run: every so many-th
    uint32_t calls; // calls that ran to their end
};

// Prints each call before it starts. The totals go on from program to program.
void rl_sweep_program(const char *name, const uint8_t *file, size_t size, uint32_t every, struct sweep_totals *totals);

// Takes each kernel call of a program alone. Gives `each` the program as it is, and with each size, and each int of the
// same value, replaced by several others.
void rl_sweep_sizes(const uint8_t *file, size_t size, void (*each)(const char *name, const uint8_t *file, size_t size));

#endif
