// SPDX-License-Identifier: Apache-2.0
#ifndef RL_BOARDS_FAULT_H
#define RL_BOARDS_FAULT_H

// Handler of every exception: prints one line "fault: NAME at pc=... lr=... status=... address=..." and ends the
// emulation with RL_EXIT_FAULT. Never returns.
void rl_fault(void);

// Prints "fault: wrong core: SENTENCE" and ends the emulation with RL_EXIT_FAULT. For the first instructions after
// reset, on whatever core. Never returns.
void rl_refuse_core(const char *sentence);

#endif
