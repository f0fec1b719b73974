// SPDX-License-Identifier: Apache-2.0
//
// Hostile calls, one after the other: takes each kernel call of a program by itself and gives its numbers all the
// values that they may be wrong in: sizes, types, places that overlap, arguments, one at a time, and sizes that agree
// with each other together with another number. Each operator of the registry also takes the calls of every other one
// with the same kinds of arguments.
#ifndef RL_TESTS_FUZZ_PTE_SWEEP_H
#define RL_TESTS_FUZZ_PTE_SWEEP_H

#include <stddef.h>
#include <stdint.h>

struct sweep_totals {
    uint32_t made;  // programs that came out
    uint32_t run;   // of which every so many-th was run
    uint32_t calls; // that ran to their end
};

// Prints each call before it starts. The totals go on from program to program.
void rl_sweep_program(const char *name, const uint8_t *file, size_t size, uint32_t every, struct sweep_totals *totals);

#endif
