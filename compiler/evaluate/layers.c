// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/layers.h"

#include <math.h>
#include <string.h>

#include "compiler/data/array.h"
#include "format/pte_reader.h"

// The argument that holds the zero point of an integer result; -1 for others.
static int zero_point_argument(const struct rl_op *op)
{
    static const char *const names[] = {"output_offset", "output_zero_point", "zero_point"};
    int index = -1;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && index < 0; i++) {
        index = rl_op_argument(op, names[i]);
    }
    return index;
}

// A call of the program as far as pairing needs it.
struct call {
    enum rl_op_id op;
    enum rl_op_layer layer;
    int zero_point_argument;
    struct rl_pte_tensor result;
};

// False for a call of no known layer.
static bool read_call(const struct rl_method *method, uint32_t index, struct call *call)
{
    const struct rl_pte *pte = &method->program->pte;
    struct rl_pte_instruction instruction;
    const char *name, *overload;
    uint32_t name_length, overload_length, table;

    if (!rl_pte_instruction(pte, &method->plan, index, &instruction) || instruction.kind != RL_PTE_KERNEL_CALL ||
        !rl_pte_operator(pte, &method->plan, instruction.op_index, &name, &name_length, &overload, &overload_length) ||
        !rl_op_find_out(name, overload, &call->op)) {
        return false;
    }
    const struct rl_op *op = rl_op_get(call->op);
    call->layer = op->layer;
    call->zero_point_argument = zero_point_argument(op);
    if (call->layer == RL_LAYER_NONE) {
        return false;
    }
    uint32_t value = (uint32_t)rl_pte_item_i32(pte, &instruction.arguments, (uint32_t)op->arg_count);
    return rl_pte_value(pte, &method->plan, value, &table) == RL_PTE_TENSOR && rl_pte_tensor(pte, table, &call->result);
}

static bool has_activation_calls(const struct rl_method *method)
{
    for (uint32_t i = 0; i < method->plan.instructions.count; i++) {
        struct call call;
        if (read_call(method, i, &call) && call.layer == RL_LAYER_CLAMP) {
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

// The value that the call for `node` computes. An activation after the node is part of the call.
static const struct rl_value *layer_value(const struct rl_graph *graph, const struct rl_node *node, bool fused)
{
    const struct rl_node *user = rl_value_only_user(graph, node->results[0]);
    return fused && user && rl_op_get(user->op)->layer == RL_LAYER_CLAMP ? user->results[0] : node->results[0];
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
        const struct rl_node *node = next;
        if (!read_call(method, i, &call)) {
            continue;
        }
        while (node && (rl_op_get(node->op)->layer != call.layer ||
                        !same_shape(method, &call.result, &node->results[0]->type))) {
            node = node->next;
        }
        if (!node) {
            continue;
        }
        const struct rl_value *value =
            call.layer == RL_LAYER_CLAMP ? node->results[0] : layer_value(graph, node, fused);
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

void rl_layers_observe(void *user, const struct rl_value *value, const void *data)
{
    const struct rl_layers *layers = user;
    const struct rl_tensor_type *type = &value->type;

    for (int i = 0; i < layers->count; i++) {
        const struct rl_layer *layer = &layers->items[i];
        if (strcmp(layer->value->name, value->name) == 0 && type->dtype == RL_FLOAT32 &&
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
        // The best scale is product / quantized. The subtraction is exact only to about 1e-15 of the signal.
        noise = signal - similarity->product * similarity->product / similarity->quantized;
        noise = noise < signal * 1e-14 ? 0 : noise;
    }
    if (noise <= 0) {
        return RL_SQNR_EQUAL;
    }
    return signal > 0 ? 10 * log10(signal / noise) : -RL_SQNR_EQUAL;
}
