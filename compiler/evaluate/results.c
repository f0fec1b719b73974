// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/results.h"

#include <math.h>

// Walks through a tensor in logical order of the model's value.
struct walk {
    int rank;
    uint32_t strides[RL_TENSOR_MAX_RANK], sizes[RL_TENSOR_MAX_RANK], index[RL_TENSOR_MAX_RANK];
    uint32_t place; // in elements
};

// The dimension of the model's value that a dimension of the program's result shows.
static int model_dim(const struct rl_value *own, int dim)
{
    return own->is_turned ? own->shown[dim] : dim;
}

static struct walk begin(const struct rl_layer *layer, const struct rl_tensor *tensor)
{
    uint32_t strides[RL_TENSOR_MAX_RANK];
    struct walk walk = {.rank = tensor->rank};

    rl_tensor_element_strides(tensor, strides);
    for (int dim = 0; dim < tensor->rank; dim++) {
        walk.strides[model_dim(layer->own, dim)] = strides[dim];
        walk.sizes[model_dim(layer->own, dim)] = (uint32_t)tensor->sizes[dim];
    }
    return walk;
}

static void advance(struct walk *walk)
{
    for (int dim = walk->rank - 1; dim >= 0; dim--) {
        walk->place += walk->strides[dim];
        if (++walk->index[dim] < walk->sizes[dim]) {
            return;
        }
        walk->place -= walk->strides[dim] * walk->index[dim];
        walk->index[dim] = 0;
    }
}

static double element(const struct rl_tensor *tensor, uint32_t place)
{
    switch (tensor->dtype) {
    case RL_FLOAT32:
        return ((const float *)tensor->data)[place];
    case RL_INT16:
        return ((const int16_t *)tensor->data)[place];
    default:
        return ((const int8_t *)tensor->data)[place];
    }
}

static double to_integer(const struct rl_io_grid *grid, enum rl_scalar_type dtype, double number)
{
    const double least = dtype == RL_INT16 ? INT16_MIN : INT8_MIN, most = dtype == RL_INT16 ? INT16_MAX : INT8_MAX;
    const double integer = rint(number / grid->scale) + (double)grid->zero_point;

    if (!(integer > least)) { // or a NaN
        return least;
    }
    return integer < most ? integer : most;
}

static void set_element(const struct rl_layer *layer, const struct rl_tensor *tensor, uint32_t place, double number)
{
    if (tensor->dtype == RL_FLOAT32) {
        ((float *)tensor->data)[place] = (float)number;
    } else if (tensor->dtype == RL_INT16) {
        ((int16_t *)tensor->data)[place] = (int16_t)to_integer(&layer->grid, RL_INT16, number);
    } else {
        ((int8_t *)tensor->data)[place] = (int8_t)to_integer(&layer->grid, RL_INT8, number);
    }
}

int64_t rl_layer_place(const struct rl_layer *layer, int64_t index)
{
    return layer->places ? layer->places[index] : index;
}

bool rl_result_of_call(struct rl_call *call, const struct rl_layer *layer, struct rl_tensor *result)
{
    rl_call_tensor(call, layer->result, result);
    return call->status == RL_OK &&
           (result->dtype == RL_INT8 || result->dtype == RL_INT16 || result->dtype == RL_FLOAT32) &&
           rl_tensor_count(result) == layer->own_count;
}

void rl_result_read(const struct rl_layer *layer, const struct rl_tensor *result, double *numbers)
{
    const bool is_float = result->dtype == RL_FLOAT32;
    const double scale = is_float ? 1 : layer->grid.scale;
    const double zero_point = is_float ? 0 : (double)layer->grid.zero_point;
    struct walk walk = begin(layer, result);

    for (int64_t i = 0; i < layer->own_count; i++) {
        const int64_t place = rl_layer_place(layer, i);
        if (place >= 0) {
            numbers[place] = (element(result, walk.place) - zero_point) * scale;
        }
        advance(&walk);
    }
}

void rl_result_write(const struct rl_layer *layer, const double *numbers, const struct rl_tensor *result)
{
    struct walk walk = begin(layer, result);

    for (int64_t i = 0; i < layer->own_count; i++) {
        const int64_t place = rl_layer_place(layer, i);
        if (place >= 0) {
            set_element(layer, result, walk.place, numbers[place]);
        }
        advance(&walk);
    }
}

double rl_rounded_to_grid(const struct rl_io_grid *grid, enum rl_scalar_type dtype, double number)
{
    return grid->scale == 0 ? number : (to_integer(grid, dtype, number) - (double)grid->zero_point) * grid->scale;
}
