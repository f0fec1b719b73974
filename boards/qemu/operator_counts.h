// SPDX-License-Identifier: Apache-2.0
//
// What each operator of a program took, as the marks of the firmware tell (boards/common/mark.h). There is one emulated
// core, so there is one of these.
#ifndef RL_BOARDS_QEMU_OPERATOR_COUNTS_H
#define RL_BOARDS_QEMU_OPERATOR_COUNTS_H

#include "counts.h"

#include <stdint.h>
#include <stdio.h>

// An inference begins: nothing has been counted for any operator.
void rl_operators_clear(void);

// A number that rl_mark_number told: the index of the operator that starts now, or the bytes of stack of the one that
// has ended. `now` counts since the start of the emulator.
void rl_operators_number(uint32_t number, const struct rl_counts *now);

// The operator that runs has ended; does nothing when none runs.
void rl_operators_leave(const struct rl_counts *now);

// A line for each operator that ran: "operator INDEX RUNS INSTRUCTIONS CYCLES LOADS STORES STACK".
void rl_operators_print(FILE *file);

#endif
