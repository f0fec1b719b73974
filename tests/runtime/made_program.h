// SPDX-License-Identifier: Apache-2.0
//
// Programs of a few calls, made up by a test.
#ifndef RL_TESTS_RUNTIME_MADE_PROGRAM_H
#define RL_TESTS_RUNTIME_MADE_PROGRAM_H

#include "format/pte_writer.h"
#include "rushlight/runtime.h"

enum { MOST_CALLS = 4 };

// A method; every call may become a move or a jump. The first values are the inputs, the last one is the output.
struct made {
    struct rl_pte_value_description values[8];
    int value_count, input_count, call_count;
    struct rl_pte_operator_description operators[1 + MOST_CALLS];
    int32_t arguments[MOST_CALLS][8];
    int argument_counts[MOST_CALLS];
    uint8_t *file;
    size_t size;
    struct rl_error error;
};

// A planned tensor of one dimension; of none if `sizes` is NULL.
struct rl_pte_value_description tensor(enum rl_scalar_type dtype, const int32_t *sizes, uint64_t offset);
struct rl_pte_value_description unplanned(enum rl_scalar_type dtype);
struct rl_pte_value_description integer(int64_t number);
struct rl_pte_value_description boolean(bool truth);

// Adds a call; the list of arguments ends with -1.
void add_call(struct made *m, const char *name, const char *overload, const int32_t *arguments);

// Sets file and size; the test frees the file.
void write_made(struct made *m);

// These set the error.
enum rl_status verify_made(struct made *m);
enum rl_status run_made(struct made *m); // verified, with inputs of zeros
enum rl_status run_trusted(struct made *m);

#endif
