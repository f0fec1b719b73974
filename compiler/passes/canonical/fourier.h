// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms of real signals, and back to them, as convolutions and linear layers.
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

// Makes an aten::istft, fft_irfft or _fft_c2r of the spectrum `parts` a linear layer, or a transposed convolution whose
// windows overlap. Returns NULL, or what is refused.
const char *rl_build_inverse_fourier(const struct rl_build *at, const struct rl_complex_parts *parts);

// Whether a node is a transform that the functions above do not take: of complex numbers, along several dimensions, or
// along another one than the last.
bool rl_is_transform(const struct rl_node *node);

// Makes of `parts`, whose imaginary part is NULL for a real signal, those of such a transform. The imaginary part of a
// real result is NULL. Returns NULL, or what is refused.
const char *rl_build_transform(const struct rl_build *at, struct rl_complex_parts *parts);

// cos(2 pi step / size) and sin(2 pi step / size), for steps below the size. Quarters are exact, so that rows of zeros
// are zeros.
double rl_wave_cosine(int64_t step, int64_t size);
double rl_wave_sine(int64_t step, int64_t size);

// The most weights of a matrix of waves, more than any core can hold.
enum { RL_MOST_WAVES = 1 << 22 };

// What a transform of `size` samples is multiplied with: PyTorch's numbers for no factor, 1 / sqrt(size) and 1 / size.
double rl_fourier_scale(int64_t normalization, int64_t size);

// An argument that the model may leave out.
int64_t rl_fourier_int_or(const struct rl_node *node, const char *name, int64_t fallback);

// Whether it is a constant with one factor for each of `count` samples.
bool rl_is_window(const struct rl_value *value, int64_t count);

#endif
