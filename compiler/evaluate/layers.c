// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/layers.h"

#include <math.h>
#include <string.h>

#include "compiler/data/array.h"

enum kind { NO_LAYER, CONVOLUTION, LINEAR, ADD, MUL, AVG_POOL, MAX_POOL, SOFTMAX, ACTIVATION };

// Operators of the float model and of programs, by what they compute. `zero_point` names the argument with the zero
// point of an integer result.
static const struct {
    enum rl_op_id op;
    enum kind kind;
    const char *zero_point;
} kinds[] = {
    {RL_OP_aten_conv1d, CONVOLUTION, NULL},
    {RL_OP_aten_conv2d, CONVOLUTION, NULL},
    {RL_OP_aten_conv_transpose2d_input, CONVOLUTION, NULL},
    {RL_OP_aten_convolution, CONVOLUTION, NULL},
    {RL_OP_cm_quantized_conv2d, CONVOLUTION, "output_offset"},
    {RL_OP_cm_quantized_depthwise_conv2d, CONVOLUTION, "output_offset"},
    {RL_OP_cm_quantized_transpose_conv2d, CONVOLUTION, "output_offset"},
    {RL_OP_aten_linear, LINEAR, NULL},
    {RL_OP_cm_quantized_linear, LINEAR, "output_offset"},
    {RL_OP_aten_add, ADD, NULL},
    {RL_OP_cm_quantized_add, ADD, "output_zero_point"},
    {RL_OP_aten_mul, MUL, NULL},
    {RL_OP_cm_quantized_mul, MUL, "output_zero_point"},
    {RL_OP_aten_avg_pool2d, AVG_POOL, NULL},
    {RL_OP_cm_quantized_avg_pool2d, AVG_POOL, "zero_point"},
    {RL_OP_aten_max_pool2d, MAX_POOL, NULL},
    {RL_OP_aten_max_pool2d_with_indices, MAX_POOL, NULL},
    {RL_OP_cm_quantized_max_pool2d, MAX_POOL, "output_zero_point"},
    {RL_OP_aten_softmax, SOFTMAX, NULL},
    {RL_OP_cm_softmax, SOFTMAX, "output_zero_point"},
    {RL_OP_aten_relu, ACTIVATION, NULL},
    {RL_OP_aten_hardtanh, ACTIVATION, NULL},
    {RL_OP_aten_clamp, ACTIVATION, NULL},
};

static enum kind kind_of(enum rl_op_id op, const char **zero_point)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].op == op) {
            *zero_point = kinds[i].zero_point;
            return kinds[i].kind;
        }
    }
    return NO_LAYER;
}

static int argument_index(const struct rl_op *op, const char *name)
{
    for (int i = 0; name && i < op->arg_count; i++) {
        if (strcmp(op->args[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// A call of the program as far as pairing needs it.
struct call {
    enum rl_op_id op;
    enum kind kind;
    int zero_point_argument;
    struct rl_pte_tensor result;
};

// False for a call of no known layer.
static bool read_call(const struct rl_method *method, uint32_t index, struct call *call)
{
    const struct rl_pte *pte = &method->program->pte;
    struct rl_pte_instruction instruction;
    const char *name, *overload, *zero_point;
    uint32_t name_length, overload_length, table;

    if (!rl_pte_instruction(pte, &method->plan, index, &instruction) || instruction.kind != RL_PTE_KERNEL_CALL ||
        !rl_pte_operator(pte, &method->plan, instruction.op_index, &name, &name_length, &overload, &overload_length) ||
        !rl_op_find_out(name, overload, &call->op)) {
        return false;
    }
    call->kind = kind_of(call->op, &zero_point);
    if (call->kind == NO_LAYER) {
        return false;
    }
    const struct rl_op *op = rl_op_get(call->op);
    call->zero_point_argument = argument_index(op, zero_point);
    uint32_t value = (uint32_t)rl_pte_item_i32(pte, &instruction.arguments, (uint32_t)op->arg_count);
    return rl_pte_value(pte, &method->plan, value, &table) == RL_PTE_TENSOR && rl_pte_tensor(pte, table, &call->result);
}

static bool has_activation_calls(const struct rl_method *method)
{
    for (uint32_t i = 0; i < method->plan.instructions.count; i++) {
        struct call call;
        if (read_call(method, i, &call) && call.kind == ACTIVATION) {
            return true;
        }
    }
    return false;
}

static bool same_shape(const struct rl_method *method, const struct rl_pte_tensor *tensor,
                       const struct rl_tensor_type *type)
{
    if (tensor->sizes.count != (uint32_t)type->rank || type->dtype != RL_FLOAT32) {
        return false;
    }
    for (int i = 0; i < type->rank; i++) {
        if (rl_pte_item_i32(&method->program->pte, &tensor->sizes, (uint32_t)i) != type->sizes[i]) {
            return false;
        }
    }
    return true;
}

// The value that a call which computes `node` stands for: an activation after it is part of the call.
static const struct rl_value *layer_value(const struct rl_graph *graph, const struct rl_node *node, bool fused)
{
    const struct rl_node *user = rl_value_only_user(graph, node->results[0]);
    const char *zero_point;

    return fused && user && kind_of(user->op, &zero_point) == ACTIVATION ? user->results[0] : node->results[0];
}

void rl_layers_pair(struct rl_arena *arena, const struct rl_graph *graph, const struct rl_method *method,
                    struct rl_layers *layers)
{
    const struct rl_node *next = graph->first;
    bool fused = !has_activation_calls(method);

    *layers = (struct rl_layers){0};
    layers->items = rl_arena_array(arena, method->plan.instructions.count, sizeof *layers->items);
    for (uint32_t i = 0; i < method->plan.instructions.count; i++) {
        struct call call;
        const char *zero_point;
        const struct rl_node *node = next;
        if (!read_call(method, i, &call)) {
            continue;
        }
        while (node && (kind_of(node->op, &zero_point) != call.kind ||
                        !same_shape(method, &call.result, &node->results[0]->type))) {
            node = node->next;
        }
        if (!node) {
            continue;
        }
        const struct rl_value *value = call.kind == ACTIVATION ? node->results[0] : layer_value(graph, node, fused);
        struct rl_layer *layer = &layers->items[layers->count++];
        *layer = (struct rl_layer){.name = node->origin ? node->origin : node->name,
                                   .op = rl_op_get(call.op)->name,
                                   .value = value,
                                   .count = rl_tensor_numel(&value->type),
                                   .instruction = i,
                                   .zero_point_argument = call.zero_point_argument};
        layer->reference = rl_arena_array(arena, (size_t)layer->count, sizeof *layer->reference);
        next = node->next;
    }
}

void rl_layers_observe(void *user, const char *value_name, const struct rl_tensor_type *type, const void *data)
{
    const struct rl_layers *layers = user;

    for (int i = 0; i < layers->count; i++) {
        const struct rl_layer *layer = &layers->items[i];
        if (strcmp(layer->value->name, value_name) == 0 && type->dtype == RL_FLOAT32 &&
            rl_tensor_numel(type) == layer->count) {
            rl_tensor_to_c_order(type, data, layer->reference);
        }
    }
}

// Adds one element to the sums.
static void add(struct rl_similarity *similarity, double reference, double quantized)
{
    similarity->reference += reference * reference;
    similarity->product += reference * quantized;
    similarity->quantized += quantized * quantized;
    similarity->difference += (reference - quantized) * (reference - quantized);
}

// Calls `add` for each element of a tensor whose memory is in any order, against the reference in logical order.
static void compare(struct rl_layer *layer, const struct rl_tensor *tensor, int64_t zero_point)
{
    uint32_t strides[RL_TENSOR_MAX_RANK];
    uint32_t index[RL_TENSOR_MAX_RANK] = {0};
    uint32_t place = 0;

    rl_tensor_element_strides(tensor, strides);
    for (int64_t i = 0; i < layer->count; i++) {
        double quantized = tensor->dtype == RL_FLOAT32 ? ((const float *)tensor->data)[place]
                                                       : ((const int8_t *)tensor->data)[place] - (double)zero_point;
        add(&layer->similarity, layer->reference[i], quantized);
        for (int dim = tensor->rank - 1; dim >= 0; dim--) {
            place += strides[dim];
            if (++index[dim] < (uint32_t)tensor->sizes[dim]) {
                break;
            }
            place -= strides[dim] * index[dim];
            index[dim] = 0;
        }
    }
}

enum rl_status rl_layers_after_call(void *user, struct rl_call *call)
{
    const struct rl_layers *layers = user;
    struct rl_tensor result;

    for (int i = 0; i < layers->count; i++) {
        struct rl_layer *layer = &layers->items[i];
        enum rl_op_id op;
        if (layer->instruction != call->instruction || !rl_op_find_out(layer->op, "out", &op)) {
            continue;
        }
        rl_call_tensor(call, (uint32_t)rl_op_get(op)->arg_count, &result);
        int64_t zero_point =
            layer->zero_point_argument >= 0 ? rl_call_int(call, (uint32_t)layer->zero_point_argument) : 0;
        if (call->status == RL_OK && (result.dtype == RL_INT8 || result.dtype == RL_FLOAT32) &&
            rl_tensor_count(&result) == layer->count) {
            compare(layer, &result, zero_point);
        }
    }
    return call->status;
}

void rl_similarity_add(struct rl_similarity *similarity, const float *reference, const float *quantized, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        add(similarity, reference[i], quantized[i]);
    }
}

double rl_similarity_db(const struct rl_similarity *similarity, bool fit)
{
    double signal = similarity->reference, noise = similarity->difference;

    if (fit && similarity->quantized > 0) {
        // With the best scale, product / quantized. The subtraction is exact to some 1e-15 of the signal, no more.
        noise = signal - similarity->product * similarity->product / similarity->quantized;
        noise = noise < signal * 1e-14 ? 0 : noise;
    }
    if (noise <= 0) {
        return RL_SQNR_EQUAL;
    }
    return signal > 0 ? 10 * log10(signal / noise) : -RL_SQNR_EQUAL;
}
