// SPDX-License-Identifier: Apache-2.0
//
// The firmware's end of `rushlight validate`: takes inputs from a serial line, runs the model, and sends back outputs,
// cycles and stack. No heap, and of the C library only memcpy; 600 bytes of stack, and no memory beside it.
#ifndef RL_PROJECT_VALIDATE_H
#define RL_PROJECT_VALIDATE_H

#include <stdint.h>

struct rl_validate_tensor {
    const void *data; // in the arena of the model; inputs are written
    uint32_t bytes;
};

struct rl_validate_model {
    const char *name;
    uint32_t program_bytes, program_crc;               // of the .pte that it was made of
    const struct rl_validate_tensor *inputs, *outputs; // each list ends with a NULL
    uint32_t arena_bytes, stack_bytes;
    void (*reset)(void);
    uint32_t (*run)(void); // 0, or what an operator refused: its status + 256 * its instruction in the .pte
};

struct rl_validate_board {
    uint8_t (*get)(void);      // waits for the next byte from the host
    void (*put)(uint8_t byte); // sends one, and may wait until there is room
    uint32_t (*now)(void);     // a counter of cycles
    uint32_t (*since)(uint32_t start);
    uint8_t clock_bits; // after so many bits the counter starts anew
    // The lowest address of the stack, at a multiple of 4. What is free of it is painted before each inference, to see
    // how deep it gets. NULL: unknown, and no figure is sent.
    uint32_t *stack_limit;
};

// Serves the host for ever.
_Noreturn void rl_validate_serve(const struct rl_validate_model *model, const struct rl_validate_board *board);

#endif
