// SPDX-License-Identifier: Apache-2.0
//
// assign_layout: decides the order of each tensor's elements in memory.
//   needs   operators that a .pte can call
//   keeps   names and values; the layouts of the graph's inputs and outputs, which the model declares, but
//           outputs that are neither row-major nor channels-last become row-major
//   breaks  existing layout copies: it makes its own
//
// Convolutions and pools of int8 values read and write channels-last. Elementwise operators keep the layout of their
// input. Concatenations and parts have the order for which fewer bytes are copied (layout_choice.h), and states of
// integers that in which they are read. Views and permutations do not move their input if that gives a layout that the
// users can read. All other operators need row-major order. Copies are inserted where layouts differ, on integers
// rather than on floats.
//
// A channels-last image that is flattened for linear layers is not copied: the columns of their weights are permuted
// instead.
//
// ExecuTorch's portable kernels are stricter than ours, and a program must run on both: floating point operators work
// on row-major images, and float tensors that several orders describe (one channel, one pixel) are declared row-major.
// Copies are made to row-major order and to channels-last images only.
#include "compiler/passes/passes.h"

#include <string.h>

#include "compiler/passes/layout/layout.h"
#include "compiler/passes/layout/layout_choice.h"
#include "compiler/passes/rewrite/rewrite.h"

static enum rl_op_layout rule_of(const struct rl_node *node)
{
    return rl_op_get(node->op)->layout;
}

static bool is_cortex_m(const struct rl_node *node)
{
    return rl_op_get(node->op)->dialect == RL_DIALECT_CORTEX_M;
}

// Whether one of our kernels pairs the operands, which takes a value for each channel of a channels-last image.
static bool is_integer_kernel(const struct rl_node *node)
{
    return is_cortex_m(node) || rl_op_get(node->op)->dialect == RL_DIALECT_RUSHLIGHT;
}

// Whether ExecuTorch's portable kernel may run this operator. Elementwise ones take only row-major tensors, or only
// channels-last images, and cat treats every tensor as row-major.
static bool meets_portable_kernel(const struct rl_node *node, const struct rl_layout_ends *ends)
{
    return ends->flow == RL_FLOW_EXECUTORCH && !is_cortex_m(node);
}

static bool uses(const struct rl_node *node, const struct rl_value *value)
{
    for (int i = 0; i < node->arg_count; i++) {
        if (node->args[i].kind == RL_ARG_VALUE && node->args[i].as.value == value) {
            return true;
        }
    }
    return false;
}

static void set_operand(struct rl_graph *graph, struct rl_node *node, int index, const struct rl_tensor_type *wanted)
{
    struct rl_value *value = node->args[index].as.value;
    node->args[index] = rl_arg_value(rl_value_in_layout(graph, node, value, wanted));
}

static void set_results(struct rl_node *node, const struct rl_tensor_type *layout)
{
    for (int i = 0; i < node->result_count; i++) {
        struct rl_tensor_type *type = &node->results[i]->type;
        if (type->rank == layout->rank) {
            memcpy(type->order, layout->order, sizeof type->order);
        } else {
            *type = rl_type_contiguous(*type);
        }
    }
}

static void lay_row_major(struct rl_graph *graph, struct rl_node *node)
{
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        if (arg->kind == RL_ARG_VALUE) {
            const struct rl_tensor_type wanted = rl_type_contiguous(arg->as.value->type);
            set_operand(graph, node, i, &wanted);
        }
        for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
            if (arg->as.values[k]) {
                const struct rl_tensor_type wanted = rl_type_contiguous(arg->as.values[k]->type);
                arg->as.values[k] = rl_value_in_layout(graph, node, arg->as.values[k], &wanted);
            }
        }
    }
    for (int i = 0; i < node->result_count; i++) {
        node->results[i]->type = rl_type_contiguous(node->results[i]->type);
    }
}

static void lay_first(struct rl_graph *graph, struct rl_node *node, const struct rl_tensor_type *wanted)
{
    set_operand(graph, node, 0, wanted);
    set_results(node, wanted);
}

static void lay_image(struct rl_graph *graph, struct rl_node *node, const struct rl_layout_ends *ends)
{
    const struct rl_tensor_type *type = &node->args[0].as.value->type;
    if (type->rank == 4) {
        const bool always = rule_of(node) == RL_LAYOUT_CHANNELS_LAST;
        const struct rl_tensor_type last = rl_type_channels_last(*type);
        const struct rl_tensor_type result = rl_type_channels_last(node->results[0]->type);
        const bool pads_integers =
            node->op == RL_OP_aten_constant_pad_nd && (type->dtype == RL_INT8 || type->dtype == RL_INT16);
        if (always || rl_tensor_same_layout(&last, type) ||
            (pads_integers && rl_layout_is_wanted(ends, node->results[0], &result))) {
            lay_first(graph, node, &last);
            return;
        }
    }
    const struct rl_tensor_type row_major = rl_type_contiguous(*type);
    lay_first(graph, node, &row_major);
}

// A layout that ExecuTorch can copy to: this one if possible, else row-major order.
static struct rl_tensor_type copyable(const struct rl_tensor_type *type)
{
    return type->rank == 4 && rl_type_reads_channels_last(type) && !rl_tensor_is_contiguous(type)
               ? rl_type_channels_last(*type)
               : rl_type_contiguous(*type);
}

static void lay_pair(struct rl_graph *graph, struct rl_node *node, const struct rl_layout_ends *ends)
{
    const bool strict = meets_portable_kernel(node, ends);
    const int other_index = rl_node_arg_index(node, "other");
    const struct rl_value *self = node->args[0].as.value;
    const struct rl_value *other = node->args[other_index].as.value;
    struct rl_tensor_type wanted = node->results[0]->type;
    if (rl_tensor_same_sizes(&self->type, &other->type) && rl_tensor_same_sizes(&self->type, &wanted)) {
        const bool take_other =
            self->kind == RL_VALUE_CONSTANT ||
            (other->kind != RL_VALUE_CONSTANT && wanted.rank == 4 && rl_type_reads_channels_last(&other->type));
        memcpy(wanted.order, take_other ? other->type.order : self->type.order, sizeof wanted.order);
        if (strict || !rl_tensor_same_layout(&self->type, &other->type)) {
            wanted = copyable(&wanted);
        }
    } else if (!strict && rl_tensor_numel(&other->type) == 1 && rl_tensor_same_sizes(&self->type, &wanted)) {
        set_results(node, &self->type); // a single number has no layout
        return;
    } else if (is_integer_kernel(node) && wanted.rank == 4) {
        wanted = rl_type_channels_last(wanted);
    } else {
        lay_row_major(graph, node);
        return;
    }
    set_operand(graph, node, 0, &wanted);
    set_operand(graph, node, other_index, &wanted);
    set_results(node, &wanted);
}

static void lay_follower(struct rl_graph *graph, struct rl_node *node, const struct rl_layout_ends *ends)
{
    const struct rl_tensor_type *type = &node->args[0].as.value->type;
    const struct rl_tensor_type wanted = meets_portable_kernel(node, ends) ? copyable(type) : *type;
    lay_first(graph, node, &wanted);
}

// As ExecuTorch's kernels need it: channels-last if all operands are, as row-major tensors of N, H, W, C.
static void lay_portable_list(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_arg *list = &node->args[0];
    bool are_images = list->count > 0 && node->results[0]->type.rank == 4;
    bool are_row_major = true; // images of one channel are both
    for (int i = 0; are_images && i < list->count; i++) {
        are_images = rl_type_reads_channels_last(&list->as.values[i]->type);
        are_row_major = are_row_major && rl_tensor_is_contiguous(&list->as.values[i]->type);
    }
    if (!are_images || are_row_major) {
        lay_row_major(graph, node);
        return;
    }
    for (int i = 0; i < list->count; i++) {
        const struct rl_tensor_type wanted = rl_type_channels_last(list->as.values[i]->type);
        list->as.values[i] = rl_value_in_layout(graph, node, list->as.values[i], &wanted);
    }
    node->results[0]->type = rl_type_channels_last(node->results[0]->type);
    rl_concatenate_turned(graph, node);
}

static void lay_list(struct rl_graph *graph, struct rl_node *node, const struct rl_layout_ends *ends)
{
    const struct rl_arg *list = &node->args[0];
    if (meets_portable_kernel(node, ends)) {
        lay_portable_list(graph, node);
        return;
    }
    const struct rl_tensor_type type = rl_layout_of_list(ends, node);
    for (int i = 0; i < list->count; i++) {
        list->as.values[i] = rl_value_in_layout(graph, node, list->as.values[i], &type);
    }
    set_results(node, &type);
}

static void lay_part(struct rl_graph *graph, struct rl_node *node, const struct rl_layout_ends *ends)
{
    if (meets_portable_kernel(node, ends)) {
        lay_row_major(graph, node);
        return;
    }
    const struct rl_tensor_type wanted = rl_layout_of_part(ends, node);
    struct rl_value *part = node->results[0];
    lay_first(graph, node, &wanted);
    if (rl_tensor_is_contiguous(&part->type)) { // a single channel of an image, for example
        part->type = rl_type_contiguous(part->type);
    }
}

static void lay_permutation(struct rl_graph *graph, struct rl_node *node, const struct rl_layout_ends *ends)
{
    struct rl_value *result = node->results[0];
    const struct rl_value *input = node->args[0].as.value;
    const struct rl_arg *dims = rl_node_arg(node, "dims");
    const struct rl_tensor_type in_place = rl_type_permuted_in_place(&input->type, dims);
    const bool has_kernel = result->type.dtype == RL_INT8 && result->type.rank <= 4;
    if (!has_kernel || !rl_tensor_is_contiguous(&input->type) || rl_tensor_is_contiguous(&in_place) ||
        rl_layout_is_wanted(ends, result, &in_place)) {
        result->type = in_place;
        return;
    }
    const struct rl_arg self = node->args[0];
    const struct rl_arg perm = *dims;
    rl_node_become(graph, node, RL_OP_cm_transpose);
    rl_node_set(node, "input", self);
    rl_node_set(node, "perm", perm);
    result->type = rl_type_contiguous(result->type);
}

// ---- views

static bool is_linear_on(const struct rl_node *node, const struct rl_value *value)
{
    if (node->op != RL_OP_cm_quantized_linear || rl_node_tensor(node, "input") != value) {
        return false;
    }
    const struct rl_value *weights = rl_node_tensor(node, "weights");
    return weights->kind == RL_VALUE_CONSTANT && rl_tensor_is_contiguous(&weights->type) && weights->type.rank == 2 &&
           weights->type.sizes[1] == value->type.sizes[1];
}

// Whether this view flattens a channels-last image, and only linear layers use it.
static bool flattens_for_linear(const struct rl_graph *graph, const struct rl_node *view)
{
    const struct rl_tensor_type *image = &view->args[0].as.value->type;
    const struct rl_value *flat = view->results[0];
    if (image->rank != 4 || !rl_type_reads_channels_last(image) || flat->type.rank != 2 ||
        flat->type.sizes[0] != image->sizes[0] || rl_tensor_numel(&flat->type) != rl_tensor_numel(image) ||
        image->sizes[0] == 0 || rl_value_is_output(graph, flat)) {
        return false;
    }
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (uses(node, flat) && !is_linear_on(node, flat)) {
            return false;
        }
    }
    return true;
}

// Weights whose columns run over N, H, W, C instead of N, C, H, W.
static struct rl_value *permuted_columns(struct rl_graph *graph, const struct rl_value *weights,
                                         const struct rl_tensor_type *image)
{
    static const int nhwc[4] = {0, 2, 3, 1};
    const int64_t sizes[4] = {weights->type.sizes[0], image->sizes[1], image->sizes[2], image->sizes[3]};
    struct rl_value columns = *weights;
    columns.type = rl_tensor_type_make(weights->type.dtype, 4, sizes);
    struct rl_value *permuted = rl_constant_permuted(graph, &columns, nhwc, weights->name);
    permuted->type = weights->type;
    return permuted;
}

static void flatten_in_place(struct rl_graph *graph, struct rl_node *view)
{
    struct rl_value *image = view->args[0].as.value;
    for (struct rl_node *node = view->next; node; node = node->next) {
        if (uses(node, view->results[0])) {
            const struct rl_value *weights = rl_node_tensor(node, "weights");
            rl_node_set(node, "weights", rl_arg_value(permuted_columns(graph, weights, &image->type)));
        }
    }
    rl_node_set(view, "self", rl_arg_value(rl_image_turned(graph, view, image)));
    // Its elements are now in another order, so the value gets another name than the model's flattened image.
    view->results[0]->name = rl_graph_unique_name(graph, rl_arena_format(graph->arena, "%s_nhwc", view->name));
}

static void lay_view(struct rl_graph *graph, struct rl_node *node)
{
    struct rl_value *result = node->results[0];
    if (rl_type_viewed_in_place(&node->args[0].as.value->type, &result->type)) {
        return;
    }
    if (flattens_for_linear(graph, node)) {
        flatten_in_place(graph, node);
    }
    lay_row_major(graph, node);
}

// ---- the pass

static void lay(struct rl_graph *graph, struct rl_node *node, const struct rl_layout_ends *ends)
{
    const struct rl_value *first =
        node->arg_count > 0 && node->args[0].kind == RL_ARG_VALUE ? node->args[0].as.value : NULL;
    const enum rl_op_layout rule = rule_of(node);
    switch (first || rule == RL_LAYOUT_LIST ? rule : RL_LAYOUT_ROW_MAJOR) {
    case RL_LAYOUT_CHANNELS_LAST:
    case RL_LAYOUT_IMAGE:
        if (first->type.dtype == RL_FLOAT32) {
            lay_row_major(graph, node);
        } else {
            lay_image(graph, node, ends);
        }
        break;
    case RL_LAYOUT_FOLLOW:
        lay_follower(graph, node, ends);
        break;
    case RL_LAYOUT_PART:
        lay_part(graph, node, ends);
        break;
    case RL_LAYOUT_PAIR:
        lay_pair(graph, node, ends);
        break;
    case RL_LAYOUT_LIST:
        lay_list(graph, node, ends);
        break;
    case RL_LAYOUT_VIEW:
        lay_view(graph, node);
        break;
    case RL_LAYOUT_PERMUTE:
        lay_permutation(graph, node, ends);
        break;
    case RL_LAYOUT_ROW_MAJOR:
        lay_row_major(graph, node);
        break;
    }
}

static void remove_copies(struct rl_graph *graph)
{
    struct rl_node *next;
    for (struct rl_node *node = graph->first; node; node = next) {
        next = node->next;
        if (node->op == RL_OP_dim_order_clone &&
            rl_tensor_same_sizes(&node->args[0].as.value->type, &node->results[0]->type)) {
            rl_graph_replace_uses(graph, node->results[0], node->args[0].as.value);
            rl_graph_remove(graph, node);
        }
    }
}

static void describe_row_major(struct rl_value *value)
{
    if (value->type.dtype == RL_FLOAT32 && rl_tensor_is_contiguous(&value->type)) {
        value->type = rl_type_contiguous(value->type);
    }
}

static void describe_floats_row_major(struct rl_graph *graph)
{
    for (int i = 0; i < rl_graph_source_count(graph); i++) {
        describe_row_major(graph->inputs[i]);
    }
    for (struct rl_value *constant = graph->constants; constant; constant = constant->next) {
        describe_row_major(constant);
    }
    for (struct rl_node *node = graph->first; node; node = node->next) {
        for (int i = 0; i < node->result_count; i++) {
            describe_row_major(node->results[i]);
        }
    }
}

// A conversion names the order of its result in an argument, too.
static void name_order(struct rl_graph *graph, struct rl_node *node)
{
    const struct rl_tensor_type *type = &node->results[0]->type;
    int64_t order[RL_MAX_RANK];
    for (int i = 0; i < type->rank; i++) {
        order[i] = type->order[i];
    }
    rl_node_set(node, "dim_order", rl_arg_ints(graph->arena, order, type->rank));
}

enum rl_status rl_pass_assign_layout(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    struct rl_layout_ends ends = {.graph = graph, .flow = pass->options->target.flow};
    struct rl_tensor_type *outputs =
        rl_arena_array(graph->arena, (size_t)rl_graph_target_count(graph), sizeof *outputs);
    for (int i = 0; i < graph->output_count; i++) {
        outputs[i] = copyable(&graph->outputs[i]->type);
    }
    for (int i = graph->output_count; i < rl_graph_target_count(graph); i++) {
        outputs[i] = copyable(&graph->inputs[graph->input_count + i - graph->output_count]->type);
    }
    ends.outputs = outputs;
    remove_copies(graph);
    rl_lay_states(&ends);
    for (struct rl_node *node = graph->first; node; node = node->next) {
        lay(graph, node, &ends);
    }
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        graph->outputs[i] = rl_value_in_layout(graph, NULL, graph->outputs[i], &ends.outputs[i]);
    }
    describe_floats_row_major(graph);
    for (struct rl_node *node = graph->first; node; node = node->next) {
        if (node->op == RL_OP_dim_order_to_copy) {
            name_order(graph, node);
        }
    }
    rl_graph_remove_dead(graph);
    return RL_OK;
}
