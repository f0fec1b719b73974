// SPDX-License-Identifier: Apache-2.0
//
// Spectra: the numbers of a signal, their products with sines, magnitudes, and sums of these in bands. Some are a
// thousand times as large as others that count as much for a logarithm. So all of them are int16, from the graph's
// input to the functions of single numbers behind them, whose result is int8.
//
//   input -> convolution -> magnitude [-> linear or convolution] -> log, ...
//
// Operators that only move elements may stand anywhere between, and sums and products of elements: a window, a
// pre-emphasis, the mean of a frame taken off it. If one of the values has another use, all stay int8.
#include "compiler/ir/functions.h"
#include "compiler/quantize/annotation.h"
#include "compiler/quantize/patterns.h"

// Values of one spectrum. Each is a few calls deeper than the one before it.
enum { MOST_VALUES = 1024 };

// The values that a magnitude and its neighbours would make int16.
struct spectrum {
    const struct rl_annotation *annotation;
    const struct rl_value **values;
    struct rl_site **layers; // whose result is among the values, and whose weights have a scale for each channel
    int value_count, layer_count;
};

static bool holds(const struct spectrum *spectrum, const struct rl_value *value)
{
    for (int i = 0; i < spectrum->value_count; i++) {
        if (spectrum->values[i] == value) {
            return true;
        }
    }
    return false;
}

static bool moves(const struct rl_node *node)
{
    const struct rl_op *op = rl_op_get(node->op);
    return rl_pattern_shares_grid(node->op, RL_QUANTIZER_BEST) && op->layer == RL_LAYER_NONE && node->result_count == 1;
}

static bool is_convolution(const struct rl_node *node)
{
    return node->op == RL_OP_aten_conv2d && rl_node_int(node, "groups") == 1;
}

// What a convolution or a linear layer makes that the int16 kernel can compute, or the activation that is fused into
// it. NULL for other nodes.
static const struct rl_value *result_of_layer(const struct spectrum *spectrum, const struct rl_node *node)
{
    const bool is_linear = node->op == RL_OP_aten_linear;
    const struct rl_value *weight = is_linear || is_convolution(node) ? rl_node_tensor(node, "weight") : NULL;
    const struct rl_site *site = weight ? rl_annotation_site(spectrum->annotation, node) : NULL;
    if (!site || !site->annotated || weight->kind != RL_VALUE_CONSTANT || weight->type.rank != (is_linear ? 2 : 4)) {
        return NULL;
    }
    const struct rl_value *result = node->results[0];
    if (site->results[0].spec == RL_SPEC_NONE) {
        const struct rl_node *user = rl_value_only_user(spectrum->annotation->graph, result);
        if (!user || rl_op_get(user->op)->layer != RL_LAYER_CLAMP) {
            return NULL;
        }
        result = user->results[0];
    }
    return rl_annotation_made(spectrum->annotation, result)->spec == RL_SPEC_ACTIVATION ? result : NULL;
}

// The layer whose result, with a fused activation, a node makes; NULL if there is none.
static struct rl_node *layer_of(const struct spectrum *spectrum, struct rl_node *node)
{
    const struct rl_value *result = node->results[0];
    if (rl_op_get(node->op)->layer == RL_LAYER_CLAMP && node->args[0].as.value->kind == RL_VALUE_RESULT) {
        node = node->args[0].as.value->producer;
    }
    return result_of_layer(spectrum, node) == result ? node : NULL;
}

static bool add_before(struct spectrum *spectrum, const struct rl_value *value);
static bool add_behind(struct spectrum *spectrum, const struct rl_value *value);

// Whether a node in front of a spectrum computes element by element, with an int16 kernel.
static bool is_arithmetic(const struct spectrum *spectrum, const struct rl_node *node)
{
    const struct rl_site *site = rl_annotation_site(spectrum->annotation, node);
    const bool is_one = node->op == RL_OP_aten_add || node->op == RL_OP_aten_sub_tensor || node->op == RL_OP_aten_mul ||
                        (node->op == RL_OP_aten_div_tensor && rl_node_is_smooth_function(node));
    return is_one && site->annotated && site->result_count == 1 && site->results[0].spec == RL_SPEC_ACTIVATION &&
           site->uses[0].spec == RL_SPEC_ACTIVATION;
}

static void note_layer(struct spectrum *spectrum, struct rl_node *node)
{
    spectrum->layers[spectrum->layer_count++] = rl_annotation_site(spectrum->annotation, node);
}

static bool add_operands(struct spectrum *spectrum, const struct rl_node *node)
{
    const struct rl_site *site = rl_annotation_site(spectrum->annotation, node);
    for (int i = 0; i < site->use_count; i++) {
        const bool is_known = site->uses[i].value->kind == RL_VALUE_CONSTANT && is_arithmetic(spectrum, node);
        if (!is_known && !add_before(spectrum, site->uses[i].value)) {
            return false;
        }
    }
    return true;
}

// A value that is int16 because a use of it is. It comes from the graph's input or from a layer.
static bool add_before(struct spectrum *spectrum, const struct rl_value *value)
{
    if (holds(spectrum, value)) {
        return true;
    }
    if (value->kind == RL_VALUE_CONSTANT || rl_value_is_state(value) || spectrum->value_count == MOST_VALUES) {
        return false;
    }
    spectrum->values[spectrum->value_count++] = value;
    if (value->kind == RL_VALUE_INPUT) {
        return true; // its other uses have grids of their own
    }
    struct rl_node *node = value->producer;
    if (moves(node) || is_arithmetic(spectrum, node)) {
        return add_operands(spectrum, node) && add_behind(spectrum, value);
    }
    node = layer_of(spectrum, node);
    if (!node) {
        return false;
    }
    note_layer(spectrum, node);
    return add_before(spectrum, rl_node_tensor(node, "input")) && add_behind(spectrum, value);
}

// Whether functions of single numbers begin here. The first that is not one takes their int8 result.
static bool begins_curve(const struct spectrum *spectrum, const struct rl_node *node)
{
    const struct rl_site *site = rl_annotation_site(spectrum->annotation, node);
    int variables = 0; // a product of two, such as of a spectrum and a mask, is not such a function
    for (int i = 0; i < site->use_count; i++) {
        variables += site->uses[i].value->kind != RL_VALUE_CONSTANT ? 1 : 0;
    }
    return rl_function_is_smooth(node->op) && site->annotated && variables == 1;
}

// Takes up what a node makes of a value that is int16.
static bool add_result(struct spectrum *spectrum, struct rl_node *node)
{
    const struct rl_value *layer = result_of_layer(spectrum, node), *result = layer ? layer : node->results[0];
    const bool is_element = node->op == RL_OP_rl_magnitude || moves(node);
    const bool begins = !layer && !is_element && begins_curve(spectrum, node);
    if (holds(spectrum, result)) {
        return true;
    }
    if (begins) {
        return true;
    }
    if ((!layer && !is_element && !is_arithmetic(spectrum, node)) || spectrum->value_count == MOST_VALUES) {
        return false;
    }
    spectrum->values[spectrum->value_count++] = result;
    if (layer) {
        note_layer(spectrum, node);
        return add_behind(spectrum, result);
    }
    return add_operands(spectrum, node) && add_behind(spectrum, result);
}

// All uses of a value that is int16.
static bool add_behind(struct spectrum *spectrum, const struct rl_value *value)
{
    for (int i = 0; i < spectrum->annotation->point_count; i++) {
        const struct rl_point *point = &spectrum->annotation->points[i];
        if (point->value == value && point->kind == RL_POINT_USED_AS_OUTPUT) {
            return false;
        }
        if (point->value == value && point->kind == RL_POINT_USED && !add_result(spectrum, point->node)) {
            return false;
        }
    }
    return true;
}

// ---- specs

// The functions from `node` to the one whose result something else uses: what lies between has no grid.
static void join_functions(const struct rl_annotation *annotation, const struct rl_node *node)
{
    const struct rl_value *value = NULL;
    while (node && rl_function_is_smooth(node->op)) {
        struct rl_site *site = rl_annotation_site(annotation, node);
        for (int i = 0; i < site->use_count; i++) {
            if (site->uses[i].value == value || site->uses[i].value->kind == RL_VALUE_CONSTANT) {
                site->uses[i].spec = RL_SPEC_NONE;
            }
        }
        value = node->results[0];
        const struct rl_node *next = rl_value_only_user(annotation->graph, value);
        const struct rl_site *behind = next ? rl_annotation_site(annotation, next) : NULL;
        if (!behind || !behind->annotated || !rl_function_is_smooth(next->op)) {
            if (site->results[0].spec == RL_SPEC_SHARED || site->results[0].spec == RL_SPEC_NONE) {
                site->results[0].spec = RL_SPEC_ACTIVATION; // a clamp had the grid of its operand
            }
            return;
        }
        site->results[0].spec = RL_SPEC_NONE;
        node = next;
    }
}

// The constants of sums and products: a number is part of a table.
static void widen_constants(const struct rl_site *site)
{
    for (int i = 0; i < site->use_count; i++) {
        struct rl_point *use = &site->uses[i];
        if (use->value->kind == RL_VALUE_CONSTANT) {
            const bool is_number = rl_tensor_numel(&use->value->type) == 1 && rl_node_is_smooth_function(site->node);
            use->spec = is_number ? RL_SPEC_NONE : RL_SPEC_SPECTRUM;
        }
    }
}

// Whether the node makes one of the values.
static bool takes_part(const struct spectrum *spectrum, const struct rl_node *node)
{
    const struct rl_value *layer = result_of_layer(spectrum, node);
    return holds(spectrum, node->results[0]) || (layer && holds(spectrum, layer));
}

static void widen(const struct spectrum *spectrum)
{
    const struct rl_annotation *annotation = spectrum->annotation;
    for (int i = 0; i < annotation->site_count; i++) {
        const struct rl_site *site = &annotation->sites[i];
        if (holds(spectrum, site->node->results[0]) && is_arithmetic(spectrum, site->node)) {
            widen_constants(site);
        }
    }
    for (int i = 0; i < annotation->point_count; i++) {
        struct rl_point *point = &annotation->points[i];
        if (!holds(spectrum, point->value)) {
            continue;
        }
        const bool is_own = point->kind == RL_POINT_MADE || takes_part(spectrum, point->node);
        if (point->kind == RL_POINT_USED && !is_own && point->value->kind != RL_VALUE_INPUT) {
            point->spec = RL_SPEC_SPECTRUM;
            join_functions(annotation, point->node);
        } else if (is_own && point->spec == RL_SPEC_ACTIVATION) {
            point->spec = RL_SPEC_SPECTRUM;
        }
    }
    for (int i = 0; i < spectrum->layer_count; i++) {
        const struct rl_node *node = spectrum->layers[i]->node;
        rl_annotation_used(annotation, rl_node_tensor(node, "weight"), node)->spec = RL_SPEC_CHANNEL_WEIGHT;
    }
}

void rl_annotation_widen_spectra(const struct rl_annotation *annotation)
{
    struct rl_arena *arena = annotation->graph->arena;
    const size_t most = (size_t)annotation->point_count;
    struct spectrum spectrum = {.annotation = annotation,
                                .values = rl_arena_array(arena, most, sizeof *spectrum.values),
                                .layers = rl_arena_array(arena, most, sizeof *spectrum.layers)};
    for (int i = 0; i < annotation->site_count; i++) {
        struct rl_node *node = annotation->sites[i].node;
        spectrum.value_count = spectrum.layer_count = 0;
        if (node->op == RL_OP_rl_magnitude && annotation->sites[i].annotated &&
            annotation->sites[i].results[0].spec == RL_SPEC_ACTIVATION && add_result(&spectrum, node)) {
            widen(&spectrum);
        }
    }
}
