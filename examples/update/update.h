// SPDX-License-Identifier: Apache-2.0
//
// Programs that are replaced while the firmware stays: docs/update.md.
#ifndef UPDATE_H
#define UPDATE_H

#include <stddef.h>
#include <stdint.h>

#include "rushlight/registry.h"
#include "rushlight/runtime.h"

// An input or output that a program must have.
struct interface {
    enum rl_scalar_type type;
    uint32_t bytes;
};

// What the firmware gives to a program, and what it expects of one.
struct limits {
    const struct rl_registry *operators;
    struct rl_buffer arena; // the one planned buffer
    void *state;
    size_t state_bytes;
    uint64_t most_work; // steps of one inference that the deadline allows (rl_method_work)
    const struct interface *inputs, *outputs;
    uint32_t input_count, output_count;
};

// A program in use. It must not move.
struct running {
    struct rl_program program;
    struct rl_method method;
    struct rl_error error;
};

// Starts the program of `bytes` bytes in `file`, which must stay where it is. Returns NULL, or a sentence that says why
// it may not run here: it is damaged or was not written to its end, calls operators that the firmware does not have,
// needs more memory or time than there is, or has another interface. A program that ran in the same arena must then be
// started again.
const char *start(struct running *running, const uint8_t *file, size_t bytes, const struct limits *limits);

#endif
