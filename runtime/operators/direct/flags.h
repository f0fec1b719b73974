// SPDX-License-Identifier: Apache-2.0
//
// The flags that Rushlight's sources need, for build systems in which a library cannot have flags of its own: sums of
// kernels wrap, products and sums of floats are not contracted, and loops over floats do not become Helium vectors,
// which take subnormal numbers for 0. Other compilers than gcc get -fwrapv from the project.
#ifndef RUSHLIGHT_DEVICE_FLAGS_H
#define RUSHLIGHT_DEVICE_FLAGS_H

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("wrapv", "fp-contract=off", "no-tree-vectorize")
#endif

#endif
