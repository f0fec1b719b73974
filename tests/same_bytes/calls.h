// SPDX-License-Identifier: Apache-2.0
//
// The bytes that operators give. Each kernel call of a program runs alone, with several contents (contents.h), element
// types and numbers, and so does every operator that takes the same kinds of arguments in the place of the call's. What
// results is added up in one checksum an operator. Whatever the machine and the compiler, the checksums are the same.
#ifndef RL_TESTS_SAME_BYTES_CALLS_H
#define RL_TESTS_SAME_BYTES_CALLS_H

#include <stddef.h>
#include <stdint.h>

// Prints a line for each operator that ran to its end with some call of the program: "NAME OPERATOR RUNS CHECKSUM", and
// another one, with OPERATOR/float64, for calls with such tensors. "keeps NaN" stands behind it if the operator moved
// NaNs of other bits than those of the one NaN that operators store. A line that begins with "FAIL" names an operator
// that made such a NaN. Every call runs as it is, but of its variants only every so many-th. `file` is aligned to
// RL_ALIGNMENT. Returns the number of runs.
uint32_t print_calls(const char *name, const uint8_t *file, size_t size, uint32_t every);

#endif
