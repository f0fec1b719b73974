// SPDX-License-Identifier: Apache-2.0
#include "cli/histograms.h"

#include <string.h>

#include "compiler/evaluate/layers.h"
#include "compiler/evaluate/trace.h"

enum { BINS = 64, MOST_SAMPLES = 8 };

struct histogram {
    enum rl_scalar_type dtype;                   // int8 or int16
    const char *role;                            // "weights" or "results"
    uint64_t bins[BINS], count, lowest, highest; // the latter two are values at the ends of the grid
    int32_t least, most;
    bool ran; // of a result: the operator gave something
};

struct gathering {
    struct histogram *results; // by instruction
    const struct rl_op **ops;  // by instruction; NULL: no operator of the table
    uint32_t count;
};

static bool is_counted(int dtype)
{
    return dtype == RL_INT8 || dtype == RL_INT16;
}

static int32_t limit_of(enum rl_scalar_type dtype)
{
    return dtype == RL_INT8 ? INT8_MAX : INT16_MAX;
}

static void add_values(struct histogram *histogram, const void *data, size_t count)
{
    const int32_t limit = limit_of(histogram->dtype), width = 2 * (limit + 1) / BINS;

    for (size_t i = 0; i < count; i++) {
        int16_t wide = 0;
        if (histogram->dtype == RL_INT16) {
            memcpy(&wide, (const uint8_t *)data + 2 * i, sizeof wide);
        }
        const int32_t value = histogram->dtype == RL_INT16 ? wide : ((const int8_t *)data)[i];
        histogram->bins[(value + limit + 1) / width]++;
        histogram->lowest += value == -limit - 1;
        histogram->highest += value == limit;
        histogram->least = histogram->count == 0 || value < histogram->least ? value : histogram->least;
        histogram->most = histogram->count == 0 || value > histogram->most ? value : histogram->most;
        histogram->count++;
    }
}

static json_t *histogram_json(const struct histogram *histogram, uint32_t instruction)
{
    json_t *bins = json_array();
    for (int i = 0; i < BINS; i++) {
        json_array_append_new(bins, json_integer((json_int_t)histogram->bins[i]));
    }
    return json_pack("{s:I, s:s, s:s, s:I, s:i, s:i, s:I, s:I, s:o, s:n, s:n}", "instruction", (json_int_t)instruction,
                     "role", histogram->role, "dtype", rl_dtype_name(histogram->dtype), "count",
                     (json_int_t)histogram->count, "least", (int)histogram->least, "most", (int)histogram->most,
                     "at_lowest", (json_int_t)histogram->lowest, "at_highest", (json_int_t)histogram->highest, "bins",
                     bins, "scale", "zero_point");
}

// ---- weights

// The argument called `weight`, `weights`, `weight_ih` and so on, if it is a constant of integers.
static bool read_weights(const struct rl_trace *trace, const struct rl_traced_call *call, int argument,
                         struct histogram *histogram)
{
    struct rl_pte_tensor tensor;
    size_t bytes = 0;

    if (strncmp(call->op->args[argument].name, "weight", 6) != 0 || !rl_traced_tensor(trace, call, argument, &tensor) ||
        !is_counted(tensor.dtype)) {
        return false;
    }
    uint64_t count = 1;
    for (uint32_t i = 0; i < tensor.sizes.count; i++) {
        count *= (uint32_t)rl_pte_item_i32(trace->pte, &tensor.sizes, i);
    }
    const uint8_t *data = rl_traced_constant(trace, &tensor, &bytes);
    if (!data || count == 0 || count > bytes / rl_scalar_size(tensor.dtype)) {
        return false;
    }
    *histogram = (struct histogram){.dtype = (enum rl_scalar_type)tensor.dtype, .role = "weights"};
    add_values(histogram, data, (size_t)count);
    return true;
}

// ---- results

static enum rl_status after_call(void *user, struct rl_call *call)
{
    const struct gathering *gathering = user;
    const struct rl_op *op = call->instruction < gathering->count ? gathering->ops[call->instruction] : NULL;
    struct rl_tensor result;

    if (!op || op->result_count < 1 || call->status != RL_OK ||
        rl_call_kind(call, (uint32_t)op->arg_count) != RL_PTE_TENSOR) {
        return call->status;
    }
    rl_call_tensor(call, (uint32_t)op->arg_count, &result);
    struct histogram *histogram = &gathering->results[call->instruction];
    if (call->status == RL_OK && is_counted(result.dtype) && result.data) {
        histogram->dtype = (enum rl_scalar_type)result.dtype;
        histogram->role = "results";
        histogram->ran = true;
        add_values(histogram, result.data, rl_tensor_count(&result));
    }
    return call->status;
}

static enum rl_status gather_results(struct rl_cli *cli, struct rl_cli_program *program,
                                     const struct rl_dataset *samples, struct gathering *gathering)
{
    const struct rl_hooks hooks = {.after = after_call, .user = gathering}, none = {0};
    enum rl_status status = RL_OK;

    rl_method_set_hooks(&program->host.method, &hooks);
    for (int64_t i = 0; i < samples->sample_count && i < MOST_SAMPLES && status == RL_OK; i++) {
        status = rl_cli_run_sample(cli, program, samples, i);
    }
    rl_method_set_hooks(&program->host.method, &none);
    return status;
}

static void set_grid(json_t *entry, const struct rl_layers *layers, uint32_t instruction)
{
    const struct rl_layer *layer =
        layers && instruction < (uint32_t)layers->instruction_count ? layers->by_instruction[instruction] : NULL;
    if (layer && layer->grid.scale > 0) {
        json_object_set_new(entry, "scale", json_real(layer->grid.scale));
        json_object_set_new(entry, "zero_point", json_integer(layer->grid.zero_point));
    }
}

json_t *rl_cli_histograms(struct rl_cli *cli, struct rl_cli_program *program, const struct rl_dataset *samples,
                          const struct rl_layers *layers)
{
    const uint32_t count = program->host.method.plan.instructions.count;
    struct gathering gathering = {.results = rl_arena_array(cli->arena, count, sizeof *gathering.results),
                                  .ops = rl_arena_array(cli->arena, count, sizeof *gathering.ops),
                                  .count = count};
    struct rl_trace trace;
    json_t *tensors = json_array();
    json_int_t used = samples ? samples->sample_count : 0;

    rl_trace_read(cli->arena, &program->host.method, &trace);
    for (int i = 0; i < trace.count; i++) {
        gathering.ops[trace.calls[i].instruction] = trace.calls[i].op;
    }
    if (samples && gather_results(cli, program, samples, &gathering) != RL_OK) {
        used = 0; // what the program says of its samples is said where they are compared
    }
    for (int i = 0; i < trace.count; i++) {
        const struct rl_traced_call *call = &trace.calls[i];
        struct histogram weights;
        for (int k = 0; k < call->op->arg_count; k++) {
            if (read_weights(&trace, call, k, &weights)) {
                json_array_append_new(tensors, histogram_json(&weights, call->instruction));
            }
        }
        if (used > 0 && gathering.results[call->instruction].ran) {
            json_t *entry = histogram_json(&gathering.results[call->instruction], call->instruction);
            set_grid(entry, layers, call->instruction);
            json_array_append_new(tensors, entry);
        }
    }
    return json_pack("{s:I, s:o}", "samples", used < MOST_SAMPLES ? used : MOST_SAMPLES, "tensors", tensors);
}

// ---- grids of a compilation

// The tensor with this role in the quantizer's decision on a node; NULL if there is none.
static const json_t *decided(const json_t *quantizer, const char *node, const char *role)
{
    const json_t *match, *name, *tensor;
    size_t index, k;

    json_array_foreach(quantizer, index, match)
    {
        json_array_foreach(json_object_get(match, "nodes"), k, name)
        {
            if (strcmp(json_string_value(name), node) == 0) {
                break;
            }
        }
        if (k == json_array_size(json_object_get(match, "nodes"))) {
            continue;
        }
        json_array_foreach(json_object_get(match, "tensors"), k, tensor)
        {
            if (strcmp(json_string_value(json_object_get(tensor, "role")), role) == 0) {
                return tensor;
            }
        }
    }
    return NULL;
}

void rl_cli_histogram_grids(json_t *histograms, const json_t *instructions, const json_t *quantizer)
{
    json_t *entry;
    size_t index;

    json_array_foreach(json_object_get(histograms, "tensors"), index, entry)
    {
        const json_t *call =
            json_array_get(instructions, (size_t)json_integer_value(json_object_get(entry, "instruction")));
        const char *node = json_string_value(json_object_get(call, "node"));
        const bool is_result = strcmp(json_string_value(json_object_get(entry, "role")), "results") == 0;
        const json_t *tensor = node && is_result ? decided(quantizer, node, "output") : NULL;
        const json_t *scales = json_object_get(tensor, "scales");
        if (json_is_null(json_object_get(entry, "scale")) && json_array_size(scales) == 1 &&
            json_equal(json_object_get(tensor, "dtype"), json_object_get(entry, "dtype"))) {
            json_object_set(entry, "scale", json_array_get(scales, 0));
            json_object_set(entry, "zero_point", json_object_get(tensor, "zero_point"));
        }
    }
}
