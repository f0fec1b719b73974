// SPDX-License-Identifier: Apache-2.0
//
// Blocks of exactly the size that something under test may touch: what is around them is guarded, by ASan where there
// is one, otherwise by bytes that are looked at in the end.
#ifndef RL_TESTS_FUZZ_MEMORY_H
#define RL_TESTS_FUZZ_MEMORY_H

#include <stddef.h>

// A block of zeros, aligned to 16. Ends the program if memory runs out.
void *fuzz_take(size_t bytes);

// Frees a block. Ends the program if something was written around it. `block` may be NULL.
void fuzz_give_back(void *block);

// Forbids a part of a block, and allows it again; without ASan, nothing.
void fuzz_close(void *start, size_t bytes);
void fuzz_open(void *start, size_t bytes);

#endif
