// SPDX-License-Identifier: Apache-2.0
//
// Whether this core can execute the instructions that the library was built with. A firmware calls this first of all,
// in its reset handler: on the wrong core, any other function may fault at its first instruction.
#ifndef RUSHLIGHT_CORE_H
#define RUSHLIGHT_CORE_H

#ifdef __cplusplus
extern "C" {
#endif

// NULL if the core has all features; otherwise a constant sentence that names the first one that it lacks, among:
// Armv7-M, Armv8-M, DSP instructions, an FPU for single or double precision, Helium for integers or floats. Reads the
// identification registers, so FPU and Helium need not be enabled yet.
//
// The function executes only instructions that every Cortex-M has, uses neither stack nor variables, and changes no
// registers but r0 to r3. Privileged code only. On the host it always returns NULL.
const char *rl_core_refusal(void);

#ifdef __cplusplus
}
#endif

#endif
