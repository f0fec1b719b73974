// SPDX-License-Identifier: Apache-2.0
//
// The result of a layer in a running program, as real numbers. They are in logical order of the model's value, whatever
// the order of the program's tensor in memory and its dimensions.
#ifndef RL_COMPILER_EVALUATE_RESULTS_H
#define RL_COMPILER_EVALUATE_RESULTS_H

#include "compiler/evaluate/layers.h"

// The index in the model's value of element `index` of the program's result; negative if nobody reads that element.
int64_t rl_layer_place(const struct rl_layer *layer, int64_t index);

// The result of the layer that the call has just computed, if it can be read and has layer->own_count elements.
// Otherwise false, or the status of the call says why it failed.
bool rl_result_of_call(struct rl_call *call, const struct rl_layer *layer, struct rl_tensor *result);

// Copies the result to layer->count numbers, or numbers to the result, each rounded and limited to its integers. What
// has no place on the other side stays as it is.
void rl_result_read(const struct rl_layer *layer, const struct rl_tensor *result, double *numbers);
void rl_result_write(const struct rl_layer *layer, const double *numbers, const struct rl_tensor *result);

// The nearest number that integers of a type can stand for on a grid; the number itself if the scale is 0.
double rl_rounded_to_grid(const struct rl_io_grid *grid, enum rl_scalar_type dtype, double number);

#endif
