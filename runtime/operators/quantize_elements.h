// SPDX-License-Identifier: Apache-2.0
// The loops of the operators that quantize and dequantize, for any scale. kernels/quantization.h has the formulas.
#ifndef RL_RUNTIME_OPERATORS_QUANTIZE_ELEMENTS_H
#define RL_RUNTIME_OPERATORS_QUANTIZE_ELEMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/quantization.h"

// Quantizes `count` numbers to int8, or to int16 if `wide`. Input and output do not overlap.
void rl_quantize_elements(const float *from, uint32_t count, const struct rl_quantization *q, bool wide, void *to);
void rl_dequantize_elements(const void *from, bool wide, uint32_t count, const struct rl_quantization *q, float *to);

#endif
