// SPDX-License-Identifier: Apache-2.0
//
// Programs and arrays from files, and a program that is ready to run.
#ifndef RL_TESTS_RUNTIME_PROGRAM_FILE_H
#define RL_TESTS_RUNTIME_PROGRAM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rushlight/registry.h"
#include "rushlight/runtime.h"

// Bytes of a file in a block of their own, aligned for the runtime; NULL when there is no such file. To be freed.
uint8_t *read_file(const char *path, size_t *size);

// Elements of a .npy file of any type, without its header; NULL when there is no such file. To be freed.
uint8_t *read_npy(const char *path, size_t *size);

// Names of the stock programs in tests/fixtures/stock.
extern const char *const stock_models[];
extern const int stock_model_count;

struct runnable {
    struct rl_program program;
    struct rl_method method;
    struct rl_buffer buffers[RL_MAX_BUFFERS];
    uint32_t buffer_count;
    void *state;
    size_t state_bytes;
    struct rl_error error;
};

// Opens, optionally verifies, and prepares the first method with buffers of exactly the size required. Whatever the
// result, runnable_free frees what was taken.
enum rl_status runnable_open(struct runnable *runnable, const uint8_t *file, size_t size, bool verify);
// The same without verification, because the file is trusted.
enum rl_status runnable_open_trusted(struct runnable *runnable, const uint8_t *file, size_t size);
// The same, verified, with the file of the tensors that the program keeps outside.
enum rl_status runnable_open_with(struct runnable *runnable, const uint8_t *file, size_t size, const uint8_t *data,
                                  size_t data_size);
void runnable_free(struct runnable *runnable);

#endif
