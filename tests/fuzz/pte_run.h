// SPDX-License-Identifier: Apache-2.0
//
// Whatever a program says, nothing but its file and the memory that it asks for may be touched.
#ifndef RL_TESTS_FUZZ_PTE_RUN_H
#define RL_TESTS_FUZZ_PTE_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "rushlight/registry.h"
#include "rushlight/runtime.h"

// Opens and verifies a copy of the file, with the file of data (.ptd) that may follow at a multiple of RL_ALIGNMENT,
// and runs each of its methods, with memory of exactly the size that it requires: twice, with other contents, and on
// after calls that are refused, as if the program did not make them. A call that verification refused and that runs all
// the same ends everything. Returns how many calls were run to their end.
uint32_t rl_fuzz_program(const uint8_t *data, size_t size, const struct rl_registry *registry);

#endif
