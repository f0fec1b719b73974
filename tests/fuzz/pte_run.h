// SPDX-License-Identifier: Apache-2.0
//
// Checks that a program accesses only its file and the memory that it requires, whatever the file says.
#ifndef RL_TESTS_FUZZ_PTE_RUN_H
#define RL_TESTS_FUZZ_PTE_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "rushlight/registry.h"
#include "rushlight/runtime.h"

// Programs with larger planned buffers are not run, and those above 64 KB only if rl_method_work bounds their time. The
// boards have less memory.
enum { RL_FUZZ_MOST_PLANNED = sizeof(void *) > 4 ? 256 << 10 : 64 << 10 };

// Opens and verifies a copy of the file, with the file of data (.ptd) that may follow at a multiple of RL_ALIGNMENT,
// and runs each of its methods, with memory of exactly the size that it requires: twice, with other contents, and past
// calls that are refused, as if the program did not make them. If a call runs that verification refused, it ends the
// process. Returns the number of calls that ran to their end.
uint32_t rl_fuzz_program(const uint8_t *data, size_t size, const struct rl_registry *registry);

#endif
