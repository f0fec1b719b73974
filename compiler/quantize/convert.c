// SPDX-License-Identifier: Apache-2.0
//
// The third stage. A value that is quantized where it is made gets a quantize node, and a dequantize node for each
// user. A use with another grid adds a pair of its own. Constants become integers in front of a dequantize node.
#include "compiler/ir/elements.h"
#include "compiler/quantize/annotation.h"
#include "compiler/quantize/channels.h"

struct conversion {
    struct rl_graph *graph;
    const struct rl_annotation *annotation;
    struct rl_node *first; // node of the float graph: graph inputs are quantized before it
};

static struct rl_tensor_type with_dtype(const struct rl_tensor_type *type, enum rl_scalar_type dtype)
{
    struct rl_tensor_type other = *type;
    other.dtype = dtype;
    return other;
}

static void set_grid_args(struct rl_node *node, const struct rl_observer *observer)
{
    const struct rl_qrange range = rl_observer_range(observer);
    *rl_node_arg(node, "quant_min") = rl_arg_int(range.min);
    *rl_node_arg(node, "quant_max") = rl_arg_int(range.max);
    *rl_node_arg(node, "dtype") = rl_arg_int(rl_observer_dtype(observer));
}

static struct rl_value *insert_per_tensor(const struct conversion *conversion, struct rl_node *before, enum rl_op_id op,
                                          struct rl_value *input, const struct rl_observer *observer)
{
    const bool quantizes = op == RL_OP_qd_quantize_per_tensor;
    const struct rl_tensor_type type = with_dtype(&input->type, quantizes ? rl_observer_dtype(observer) : RL_FLOAT32);
    const char *name = quantizes ? "quantize_per_tensor" : "dequantize_per_tensor";
    struct rl_node *node = rl_graph_insert(conversion->graph, before, op, name, input->producer, 1, &type);
    *rl_node_arg(node, "input") = rl_arg_value(input);
    *rl_node_arg(node, "scale") = rl_arg_double(observer->qparams.scale);
    *rl_node_arg(node, "zero_point") = rl_arg_int(observer->qparams.zero_point);
    set_grid_args(node, observer);
    return node->results[0];
}

// ---- values that are computed

static void replace_at(const struct conversion *conversion, const struct rl_point *use, struct rl_value *to)
{
    if (use->kind == RL_POINT_USED) {
        rl_node_replace_uses(use->node, use->value, to);
        return;
    }
    for (int i = 0; i < rl_graph_target_count(conversion->graph); i++) {
        if (conversion->graph->outputs[i] == use->value) {
            conversion->graph->outputs[i] = to;
        }
    }
}

static bool is_use_of(const struct rl_point *point, const struct rl_value *value)
{
    return point->kind != RL_POINT_MADE && point->value == value;
}

// Gives each use of `value` on the grid of `observer` (NULL: not quantized) a dequantize node of `quantized`.
static void dequantize_for_uses(const struct conversion *conversion, struct rl_node *before,
                                const struct rl_value *value, const struct rl_observer *observer,
                                struct rl_value *quantized, const struct rl_observer *grid)
{
    const struct rl_annotation *annotation = conversion->annotation;
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *use = &annotation->points[i];
        if (is_use_of(use, value) && use->observer == observer) {
            replace_at(conversion, use,
                       insert_per_tensor(conversion, before, RL_OP_qd_dequantize_per_tensor, quantized, grid));
        }
    }
}

// Whether no earlier use of the same value has the same grid. If one has, its quantize node serves this one, too.
static bool is_first_on_its_grid(const struct rl_annotation *annotation, const struct rl_point *use)
{
    for (const struct rl_point *earlier = annotation->points; earlier < use; earlier++) {
        if (is_use_of(earlier, use->value) && earlier->observer == use->observer) {
            return false;
        }
    }
    return true;
}

// `made` may have no observer. Then only uses are quantized, on each grid directly from the float value.
static void convert_value(const struct conversion *conversion, const struct rl_point *made)
{
    struct rl_value *value = made->value;
    const struct rl_annotation *annotation = conversion->annotation;
    struct rl_node *before = made->node ? made->node->next : conversion->first;
    struct rl_value *quantized = NULL;
    if (made->observer) {
        quantized = insert_per_tensor(conversion, before, RL_OP_qd_quantize_per_tensor, value, made->observer);
        dequantize_for_uses(conversion, before, value, made->observer, quantized, made->observer);
        dequantize_for_uses(conversion, before, value, NULL, quantized, made->observer);
    }
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *use = &annotation->points[i];
        if (!is_use_of(use, value) || !use->observer || use->observer == made->observer ||
            !is_first_on_its_grid(annotation, use)) {
            continue;
        }
        struct rl_value *source = value;
        if (quantized) {
            source = insert_per_tensor(conversion, before, RL_OP_qd_dequantize_per_tensor, quantized, made->observer);
        }
        struct rl_value *requantized =
            insert_per_tensor(conversion, before, RL_OP_qd_quantize_per_tensor, source, use->observer);
        dequantize_for_uses(conversion, before, value, use->observer, requantized, use->observer);
    }
}

// ---- constants

static struct rl_value *add_integers(struct rl_graph *graph, const struct rl_value *constant,
                                     const struct rl_observer *observer)
{
    const struct rl_tensor_type type = with_dtype(&constant->type, rl_observer_dtype(observer));
    const struct rl_qrange range = rl_observer_range(observer);
    const size_t count = (size_t)rl_tensor_numel(&type);
    void *integers = observer->integers ? observer->integers : rl_arena_alloc(graph->arena, rl_tensor_bytes(&type));
    const bool is_wide = type.dtype == RL_INT32;
    if (observer->channel_count > 0 && is_wide) {
        rl_channels_quantize_to_int32(&type, 0, constant->data, observer->channel_scales, range, integers);
    } else if (is_wide) {
        rl_quantize_to_int32(constant->data, count, observer->qparams, range, integers);
    } else if (type.dtype == RL_INT16) {
        rl_quantize_to_int16(constant->data, count, observer->qparams, range, integers);
    } else if (!observer->integers) {
        rl_observer_round(observer, constant, integers);
    }
    const char *name = rl_arena_format(graph->arena, "%s_%s", constant->name, rl_dtype_name(type.dtype));
    return rl_graph_take_constant(graph, name, &type, integers);
}

static struct rl_value *insert_per_channel(const struct conversion *conversion, struct rl_node *before,
                                           struct rl_value *integers, const struct rl_observer *observer)
{
    struct rl_graph *graph = conversion->graph;
    const int64_t channels = observer->channel_count;
    const struct rl_tensor_type scale_type = rl_tensor_type_make(RL_FLOAT32, 1, &channels);
    const struct rl_tensor_type zero_type = rl_tensor_type_make(RL_INT64, 1, &channels);
    const char *scale_name = rl_arena_format(graph->arena, "%s_scale", observer->constant->name);
    const char *zero_name = rl_arena_format(graph->arena, "%s_zero_point", observer->constant->name);
    const int64_t *zeros = rl_arena_array(graph->arena, (size_t)channels, sizeof *zeros);
    const struct rl_tensor_type type = with_dtype(&integers->type, RL_FLOAT32);
    struct rl_node *node =
        rl_graph_insert(graph, before, RL_OP_qd_dequantize_per_channel, "dequantize_per_channel", before, 1, &type);
    *rl_node_arg(node, "input") = rl_arg_value(integers);
    *rl_node_arg(node, "scales") =
        rl_arg_value(rl_graph_add_constant(graph, scale_name, &scale_type, observer->channel_scales));
    *rl_node_arg(node, "zero_points") = rl_arg_value(rl_graph_add_constant(graph, zero_name, &zero_type, zeros));
    *rl_node_arg(node, "axis") = rl_arg_int(rl_observer_axis(observer));
    set_grid_args(node, observer);
    return node->results[0];
}

static void convert_constant(const struct conversion *conversion, const struct rl_point *use)
{
    struct rl_node *before = use->node; // NULL: the graph's output
    struct rl_value *integers = add_integers(conversion->graph, use->value, use->observer);
    struct rl_value *dequantized =
        use->observer->channel_count > 0
            ? insert_per_channel(conversion, before, integers, use->observer)
            : insert_per_tensor(conversion, before, RL_OP_qd_dequantize_per_tensor, integers, use->observer);
    replace_at(conversion, use, dequantized);
}

enum rl_status rl_quantize_convert(struct rl_context *context, struct rl_graph *graph,
                                   const struct rl_annotation *annotation)
{
    const struct conversion conversion = {graph, annotation, graph->first};
    for (int i = 0; i < annotation->point_count; i++) {
        const struct rl_point *point = &annotation->points[i];
        if (point->kind == RL_POINT_MADE) {
            convert_value(&conversion, point);
        } else if (point->value->kind == RL_VALUE_CONSTANT && point->observer) {
            convert_constant(&conversion, point);
        }
    }
    rl_graph_remove_dead(graph);
    return rl_graph_verify(context, graph, "quantization");
}
