// SPDX-License-Identifier: Apache-2.0
//
// Compiles a model once more and matches its nodes with the calls of a program.
#include "compiler/evaluate/trace.h"

#include <string.h>

#include "compiler/emit/pte.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/memory.h"
#include "format/pte_reader.h"

enum { CALIBRATION_SAMPLES = 4 };

// ---- comparing calls and nodes

// The sizes of a result, without dimensions of size 1 if those do not count; returns their number.
static int counted_sizes(const int64_t *sizes, int rank, bool ones_count, int64_t counted[RL_MAX_RANK])
{
    int count = 0;

    for (int i = 0; i < rank; i++) {
        if (ones_count || sizes[i] != 1) {
            counted[count++] = sizes[i];
        }
    }
    return count;
}

// A transpose may move the same bytes with more or fewer dimensions of size 1.
static bool same_result(const struct rl_trace *trace, const struct rl_traced_call *call, const struct rl_node *node)
{
    const bool ones_count = node->op != RL_OP_cm_transpose;
    struct rl_pte_tensor tensor;
    int64_t sizes[RL_MAX_RANK], found[RL_MAX_RANK], expected[RL_MAX_RANK];

    if (node->result_count == 0 || !rl_traced_tensor(trace, call, call->op->arg_count, &tensor)) {
        return node->result_count == 0;
    }
    const struct rl_tensor_type *type = &node->results[0]->type;
    if (tensor.dtype != type->dtype || tensor.sizes.count > RL_MAX_RANK) {
        return false;
    }
    for (uint32_t i = 0; i < tensor.sizes.count; i++) {
        sizes[i] = rl_pte_item_i32(trace->pte, &tensor.sizes, i);
    }
    const int count = counted_sizes(sizes, (int)tensor.sizes.count, ones_count, found);
    return count == counted_sizes(type->sizes, type->rank, ones_count, expected) &&
           memcmp(found, expected, (size_t)count * sizeof *found) == 0;
}

// Whether most rows hold the same weights, each row in any order: the columns of a linear layer behind a flattened
// image depend on the order of the image in memory.
static bool same_rows(const uint8_t *a, const uint8_t *b, const struct rl_tensor_type *type)
{
    const size_t rows = (size_t)type->sizes[0], columns = (size_t)type->sizes[1];
    size_t equal = 0;

    for (size_t row = 0; row < rows; row++) {
        int32_t difference[256] = {0};
        for (size_t i = row * columns; i < (row + 1) * columns; i++) {
            difference[a[i]]++;
            difference[b[i]]--;
        }
        size_t value = 0;
        while (value < 256 && difference[value] == 0) {
            value++;
        }
        equal += value == 256;
    }
    return 2 * equal >= rows;
}

// Whether most of the weights are equal. Some may differ: a scale that depends on the calibration data changes those of
// its channel. Those of norms, which are int16, all follow from the scale of the result, and do not count.
static bool same_weights(const struct rl_trace *trace, const struct rl_traced_call *call, const struct rl_node *node)
{
    static const char *const names[] = {"weight", "weights"};
    enum { MOST = 4096 };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const int index = rl_op_argument(call->op, names[i]);
        const struct rl_value *weights =
            index >= 0 && node->args[index].kind == RL_ARG_VALUE ? node->args[index].as.value : NULL;
        struct rl_pte_tensor tensor;
        size_t available, equal = 0;
        if (!weights || weights->kind != RL_VALUE_CONSTANT || weights->type.dtype == RL_INT16 ||
            !rl_traced_tensor(trace, call, index, &tensor)) {
            continue;
        }
        const uint8_t *bytes = rl_traced_constant(trace, &tensor, &available);
        const size_t all = rl_tensor_bytes(&weights->type), count = all < MOST ? all : MOST;
        for (size_t k = 0; bytes && k < count && k < available; k++) {
            equal += bytes[k] == ((const uint8_t *)weights->data)[k];
        }
        const bool has_rows = weights->type.rank == 2 && weights->type.dtype == RL_INT8 && bytes && available >= all;
        if (2 * equal < count && !(has_rows && same_rows(bytes, weights->data, &weights->type))) {
            return false;
        }
    }
    return true;
}

static bool is_same(const struct rl_trace *trace, int call, const struct rl_retraced *retraced, int node)
{
    const struct rl_traced_call *found = &trace->calls[call];

    return found->op == rl_op_get(retraced->nodes[node]->op) && same_result(trace, found, retraced->nodes[node]) &&
           same_weights(trace, found, retraced->nodes[node]);
}

// ---- the longest common sequence

static void match(struct rl_retraced *retraced, int call, int node)
{
    retraced->calls[node] = call;
    retraced->matched++;
}

// Matches the part between the equal ends. `lengths` of row i, column k is the length of the longest common sequence
// from there on.
static void match_middle(const struct rl_trace *trace, struct rl_retraced *retraced, int first, int call_end,
                         int node_end)
{
    const size_t rows = (size_t)(call_end - first) + 1, columns = (size_t)(node_end - first) + 1;
    enum { MOST_CELLS = 1 << 25 };

    if (rows > MOST_CELLS / columns) {
        return;
    }
    uint16_t *lengths = rl_arena_array(trace->arena, rows * columns, sizeof *lengths);
    for (size_t i = rows - 1; i-- > 0;) {
        for (size_t k = columns - 1; k-- > 0;) {
            const uint16_t below = lengths[(i + 1) * columns + k], right = lengths[i * columns + k + 1];
            uint16_t longest = below > right ? below : right;
            if (is_same(trace, first + (int)i, retraced, first + (int)k) &&
                lengths[(i + 1) * columns + k + 1] >= longest) {
                longest = (uint16_t)(lengths[(i + 1) * columns + k + 1] + 1);
            }
            lengths[i * columns + k] = longest;
        }
    }
    for (size_t i = 0, k = 0; i + 1 < rows && k + 1 < columns;) {
        const uint16_t here = lengths[i * columns + k];
        if (here == lengths[(i + 1) * columns + k]) {
            i++;
        } else if (here == lengths[i * columns + k + 1]) {
            k++;
        } else {
            match(retraced, first + (int)i++, first + (int)k++);
        }
    }
}

static void match_all(const struct rl_trace *trace, struct rl_retraced *retraced)
{
    int first = 0, call_end = trace->count, node_end = retraced->count;

    retraced->calls = rl_arena_array(trace->arena, (size_t)retraced->count, sizeof *retraced->calls);
    for (int i = 0; i < retraced->count; i++) {
        retraced->calls[i] = -1;
    }
    while (first < call_end && first < node_end && is_same(trace, first, retraced, first)) {
        match(retraced, first, first);
        first++;
    }
    while (call_end > first && node_end > first && is_same(trace, call_end - 1, retraced, node_end - 1)) {
        match(retraced, --call_end, --node_end);
    }
    if (call_end > first && node_end > first) {
        match_middle(trace, retraced, first, call_end, node_end);
    }
}

// ---- compiling

// A grid belongs to the quantized value, and to the values of which it is a rearrangement: lowering quantizes before it
// moves.
static void add_grid(struct rl_arena *arena, struct rl_retraced *retraced, const struct rl_value *value,
                     const struct rl_grid *grid)
{
    while (!rl_name_map_find(&retraced->grids, value->name)) {
        rl_name_map_add(&retraced->grids, value->name, rl_arena_copy(arena, grid, sizeof *grid));
        const struct rl_node *producer = value->kind == RL_VALUE_RESULT ? value->producer : NULL;
        const struct rl_op *op = producer ? rl_op_get(producer->op) : NULL;
        if (!op || (!op->commutes && !op->chooses) || producer->args[0].kind != RL_ARG_VALUE) {
            return;
        }
        value = producer->args[0].as.value;
    }
}

static void list_grids(struct rl_arena *arena, struct rl_retraced *retraced)
{
    retraced->grids = (struct rl_name_map){.arena = arena};
    for (const struct rl_node *node = retraced->graph->first; node; node = node->next) {
        struct rl_grid grid;
        if (rl_is_quantize(node, &grid) && node->args[0].kind == RL_ARG_VALUE) {
            add_grid(arena, retraced, node->args[0].as.value, &grid);
        }
    }
}

// A model that was read.
static enum rl_status compile_read(struct rl_pass *pass, const struct rl_trace *trace, struct rl_retraced *retraced)
{
    struct rl_memory_plan plan;
    struct rl_emitted emitted;
    enum rl_status status = rl_phases_run(pass, RL_PHASE_CANONICAL, RL_PHASE_QUANTIZE);

    retraced->graph = pass->graph;
    if (status == RL_OK) {
        list_grids(trace->arena, retraced);
        status = rl_phases_run(pass, RL_PHASE_LOWER, RL_PHASE_PLAN);
    }
    if (status == RL_OK) {
        status = rl_plan_memory(pass->context, trace->arena, pass->graph, false, &plan);
    }
    if (status == RL_OK) {
        status = rl_emit_pte(pass->context, trace->arena, pass->graph, &plan, &emitted);
    }
    if (status != RL_OK) {
        return status;
    }
    retraced->dropped = pass->dropped;
    retraced->nodes = emitted.nodes;
    retraced->count = emitted.instruction_count;
    match_all(trace, retraced);
    return RL_OK;
}

// If the model does not compile in this way, nothing matches, and that is not an error. It is one if memory ends, or if
// the model, which was read before, cannot be read.
static enum rl_status compile(struct rl_context *outer, const struct rl_trace *trace,
                              const struct rl_compile_options *options, struct rl_retraced *retraced)
{
    struct rl_context context = rl_context_apart(outer);
    struct rl_pass pass = {.context = &context, .arena = trace->arena, .options = options};
    const enum rl_status read = rl_phases_run(&pass, RL_PHASE_READ, RL_PHASE_READ);
    const enum rl_status status = read == RL_OK ? compile_read(&pass, trace, retraced) : read;

    return read != RL_OK || status == RL_ERROR_OUT_OF_MEMORY ? rl_fail(outer, status, "%s", context.message) : RL_OK;
}

static bool is_integer_program(const struct rl_trace *trace)
{
    for (int i = 0; i < trace->count; i++) {
        if (rl_op_is_quantized(trace->calls[i].op)) {
            return true;
        }
    }
    return false;
}

// Whether an integer operator takes int16, as most do with a16w8, and those around spectra without it.
static bool has_wide_inputs(const struct rl_trace *trace)
{
    for (int i = 0; i < trace->count; i++) {
        struct rl_pte_tensor tensor;
        const struct rl_traced_call *call = &trace->calls[i];
        if (rl_op_is_quantized(call->op) && rl_traced_tensor(trace, call, 0, &tensor) && tensor.dtype == RL_INT16) {
            return true;
        }
    }
    return false;
}

static bool has_explicit_layout(const struct rl_trace *trace)
{
    for (int i = 0; i < trace->count; i++) {
        for (int id = 0; id < RL_OP_COUNT; id++) {
            if (rl_op_get((enum rl_op_id)id)->nhwc_as == trace->calls[i].op) {
                return true;
            }
        }
    }
    return false;
}

// Whether the program was made for a core with DSP instructions, and calls operators that only such programs have.
static bool is_prepacked(const struct rl_trace *trace)
{
    for (int i = 0; i < trace->count; i++) {
        if (trace->calls[i].op->counts_as) {
            return true;
        }
    }
    return false;
}

static bool has_prelu(const struct rl_trace *trace)
{
    for (int i = 0; i < trace->count; i++) {
        if (trace->calls[i].op == rl_op_get(RL_OP_rl_quantized_conv2d_prelu)) {
            return true;
        }
    }
    return false;
}

static bool has_winograd(const struct rl_trace *trace)
{
    for (int i = 0; i < trace->count; i++) {
        if (trace->calls[i].op == rl_op_get(RL_OP_rl_quantized_conv2d_winograd) ||
            trace->calls[i].op == rl_op_get(RL_OP_rl_quantized_conv2d_winograd_nhwc)) {
            return true;
        }
    }
    return false;
}

// Compiles the model in one way after the other, until one gives the operators of the program. Keeps the closest.
static enum rl_status try_ways(struct rl_context *context, const struct rl_trace *trace,
                               struct rl_compile_options *options, struct rl_retraced *result)
{
    static const struct {
        enum rl_quantizer quantizer;
        enum rl_flow flow;
        bool keep_channels; // differs from the way before only if that one dropped some
        bool is_wide;       // --quantize a16w8
    } ways[] = {
        {RL_QUANTIZER_BEST, RL_FLOW_RUSHLIGHT, false, true},   {RL_QUANTIZER_BEST, RL_FLOW_RUSHLIGHT, true, true},
        {RL_QUANTIZER_BEST, RL_FLOW_RUSHLIGHT, false, false},  {RL_QUANTIZER_BEST, RL_FLOW_RUSHLIGHT, true, false},
        {RL_QUANTIZER_BEST, RL_FLOW_EXECUTORCH, false, false}, {RL_QUANTIZER_BEST, RL_FLOW_EXECUTORCH, true, false},
        {RL_QUANTIZER_STOCK, RL_FLOW_RUSHLIGHT, true, false},  {RL_QUANTIZER_STOCK, RL_FLOW_EXECUTORCH, true, false}};
    const bool is_integer = is_integer_program(trace), has_wide = has_wide_inputs(trace);
    bool drops = false;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && result->matched < trace->count; i++) {
        struct rl_retraced retraced = {0};
        if ((ways[i].keep_channels && ways[i].quantizer == RL_QUANTIZER_BEST && !drops) ||
            (ways[i].is_wide && !has_wide)) {
            continue;
        }
        if (is_integer) {
            options->quantization = ways[i].is_wide ? RL_QUANTIZE_A16W8 : RL_QUANTIZE_INT8;
        }
        options->quantizer = ways[i].quantizer;
        options->target.flow = ways[i].flow;
        options->keep_channels = ways[i].keep_channels;
        options->winograd = ways[i].flow == RL_FLOW_RUSHLIGHT && has_winograd(trace);
        const enum rl_status status = compile(context, trace, options, &retraced);
        if (status != RL_OK) {
            return status;
        }
        if (retraced.matched > result->matched) {
            *result = retraced;
        }
        drops = retraced.dropped;
        if (!is_integer) {
            break;
        }
    }
    return RL_OK;
}

enum rl_status rl_retrace(struct rl_context *context, const struct rl_trace *trace,
                          const struct rl_compile_options *fixed, struct rl_retraced *result)
{
    // Cores whose programs call the same operators. Of plain weights, those for one core have more PReLUs in
    // convolutions than those for any.
    const char *const targets[] = {is_prepacked(trace) ? "cortex-m4" : "any", "cortex-m55"};
    const size_t count = has_prelu(trace) && !is_prepacked(trace) ? 2 : 1;
    struct rl_compile_options options = *fixed;
    enum rl_status status = RL_OK;
    options.calibration_limit = CALIBRATION_SAMPLES;
    options.explicit_layout = has_explicit_layout(trace);
    options.quantization = is_integer_program(trace) ? RL_QUANTIZE_INT8 : RL_QUANTIZE_NONE;
    *result = (struct rl_retraced){0};
    for (size_t i = 0; i < count && status == RL_OK && result->matched < trace->count; i++) {
        status = rl_target_parse(context, targets[i], &options.target);
        if (status == RL_OK) {
            status = try_ways(context, trace, &options, result);
        }
    }
    return status;
}
