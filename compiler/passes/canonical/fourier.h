// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms of real signals as convolutions and linear layers.
#ifndef RL_COMPILER_PASSES_CANONICAL_FOURIER_H
#define RL_COMPILER_PASSES_CANONICAL_FOURIER_H

#include "compiler/passes/rewrite/build.h"

// Complex numbers as two float32 tensors of the same sizes.
struct rl_complex_parts {
    struct rl_value *real, *imaginary;
};

// Builds the parts of an aten::stft, fft_rfft or _fft_r2c before its node. Returns NULL, or what is refused: what was
// found, and what is accepted. The matrices of cosines and sines have K * N elements each for K frequencies of N
// samples; windows that slide over a signal become a convolution.
const char *rl_build_fourier(const struct rl_build *at, struct rl_complex_parts *parts);

#endif
