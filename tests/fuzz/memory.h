// SPDX-License-Identifier: Apache-2.0
//
// Blocks of exactly the size that the code under test may access. Memory around them is guarded, by ASan if there is
// one, otherwise by bytes that are checked in the end.
#ifndef RL_TESTS_FUZZ_MEMORY_H
#define RL_TESTS_FUZZ_MEMORY_H

#include <stddef.h>

// A block of zeros, aligned to 16. Ends the program if memory runs out.
void *fuzz_take(size_t bytes);

// Frees a block. Ends the program if something was written around it. `block` may be NULL.
void fuzz_give_back(void *block);

// Forbid access to a part of a block, and allow it again. Without ASan they do nothing.
void fuzz_close(void *start, size_t bytes);
void fuzz_open(void *start, size_t bytes);

#endif
