// SPDX-License-Identifier: Apache-2.0
//
// Takes from the process of an emulator all rights that an emulated program could use through semihosting.
#ifndef RL_BOARDS_CONFINE_H
#define RL_BOARDS_CONFINE_H

#include <stdint.h>

// From now on no thread of this process can open, make, remove, rename or link a file, start a program or another
// process, or use the network; it keeps the files that are open. Files grow to `file_bytes` at most. Needs no
// privileges. Returns 0, or the errno of a system without seccomp, where nothing has changed.
int rl_confine(uint64_t file_bytes);

#endif
