// SPDX-License-Identifier: Apache-2.0
//
// Whether this core can execute what the library was built for. A firmware asks first of all, in its reset handler:
// with the wrong core, any other function may fault at its first instruction.
#ifndef RUSHLIGHT_CORE_H
#define RUSHLIGHT_CORE_H

#ifdef __cplusplus
extern "C" {
#endif

// NULL when the core has everything; otherwise a constant sentence with the name of the first thing that it lacks,
// among: Armv7-M, Armv8-M, DSP instructions, an FPU for single or double precision, Helium for integers or floats.
// Reads the identification registers, wherever FPU and Helium are not yet on.
//
// Itself it executes only what every Cortex-M has, uses neither stack nor variables, and changes no registers but r0 to
// r3. Privileged code only. On the host it always returns NULL.
const char *rl_core_refusal(void);

#ifdef __cplusplus
}
#endif

#endif
