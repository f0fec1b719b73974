// SPDX-License-Identifier: Apache-2.0
//
// The interface of fuzz targets. Each target defines LLVMFuzzerTestOneInput, which libFuzzer calls with generated
// inputs and replay.c with the files of the kept corpus.
#ifndef RL_TESTS_FUZZ_H
#define RL_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A target may define it: libFuzzer calls it once, before the first input.
int LLVMFuzzerInitialize(int *argc, char ***argv);

// A function of libFuzzer: changes the first `size` bytes and returns their new number, at most `max_size`.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

// A target may define it: like LLVMFuzzerMutate, with knowledge of the format.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

// For readers that open files: puts the bytes into a file in memory and returns its path, which lasts until the next
// call.
const char *rl_fuzz_file(const void *data, size_t size);

#endif
