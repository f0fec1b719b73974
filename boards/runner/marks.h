// SPDX-License-Identifier: Apache-2.0
//
// Marks each operator of a method for the counter (boards/common/mark.h), with the stack that it took. Without marks a
// method runs as in a firmware.
#ifndef RL_BOARDS_RUNNER_MARKS_H
#define RL_BOARDS_RUNNER_MARKS_H

#include <stdint.h>

#include "rushlight/runtime.h"

// From now on. `stack` is the stack pointer of the function that executes the method, from where stack is counted.
void rl_runner_mark_operators(struct rl_method *method, const volatile uint32_t *stack);

#endif
