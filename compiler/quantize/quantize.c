// SPDX-License-Identifier: Apache-2.0
//
// quantize: makes a float graph one of quantize and dequantize nodes.
//   needs   canonical operators; batch norms folded
//   keeps   names; values up to the resolution of int8
//   breaks  nothing
#include "compiler/quantize/quantize.h"

#include "compiler/data/dataset.h"
#include "compiler/passes/passes.h"
#include "compiler/quantize/bias_correction.h"
#include "compiler/quantize/report.h"
#include "compiler/quantize/rounding.h"
#include "compiler/quantize/samples.h"

// What `best` makes better once ranges are known.
struct refinement {
    struct rl_bias_correction *correction; // NULL: none
    struct rl_rounding *rounding;          // likewise
};

static void see(void *user, int worker, int64_t sample, const struct rl_value *value, const void *data)
{
    const struct refinement *refinement = user;
    if (refinement->correction) {
        rl_bias_correction_observe(refinement->correction, sample, value, data);
    }
    if (refinement->rounding) {
        rl_rounding_observe(refinement->rounding, worker, value, data);
    }
}

static size_t keeps(void *user, const struct rl_value *value)
{
    const struct refinement *refinement = user;
    return refinement->rounding ? rl_rounding_keeps(refinement->rounding, value) : 0;
}

static enum rl_status quantize_best(struct rl_context *context, struct rl_graph *graph,
                                    const struct rl_dataset *dataset, struct rl_annotation *annotation, bool is_fast,
                                    const struct rl_quantizer_report **report)
{
    struct refinement refinement = {.correction = NULL};
    const struct rl_watcher watcher = {see, keeps, &refinement};
    if (graph->state_count == 0) {
        refinement.correction = rl_bias_correction_new(context, annotation, dataset);
    }
    if (!is_fast) {
        refinement.rounding =
            rl_rounding_new(context, annotation, dataset, refinement.correction && dataset->sample_count > 1);
    }
    enum rl_status status = rl_quantize_calibrate(context, graph, dataset, annotation, &watcher);
    if (status != RL_OK) {
        return status;
    }
    if (report) {
        *report = rl_quantizer_report_new(annotation);
    }
    if (refinement.rounding) {
        rl_rounding_run(refinement.rounding);
    }
    if (refinement.correction) {
        rl_bias_correction_find_room(refinement.correction);
    }
    status = rl_quantize_convert(context, graph, annotation);
    return status == RL_OK && refinement.correction ? rl_bias_correction_run(refinement.correction, graph) : status;
}

enum rl_status rl_quantize(struct rl_context *context, struct rl_graph *graph, const struct rl_dataset *dataset,
                           const struct rl_quantize_options *options, const struct rl_quantizer_report **report)
{
    struct rl_annotation *annotation = rl_quantize_annotate(graph, options);
    if (options->quantizer != RL_QUANTIZER_STOCK) {
        return quantize_best(context, graph, dataset, annotation, options->is_fast, report);
    }
    const enum rl_status status = rl_quantize_calibrate(context, graph, dataset, annotation, NULL);
    if (status != RL_OK) {
        return status;
    }
    if (report) {
        *report = rl_quantizer_report_new(annotation);
    }
    return rl_quantize_convert(context, graph, annotation);
}

enum rl_status rl_pass_quantize(struct rl_pass *pass)
{
    const struct rl_compile_options *options = pass->options;
    const struct rl_quantize_options choices = {.quantizer = options->quantizer,
                                                .is_fast = options->is_fast,
                                                .explicit_layout = options->explicit_layout,
                                                .int8_outputs = options->interface == RL_INTERFACE_INT8,
                                                .only_cortex_m = options->target.flow == RL_FLOW_EXECUTORCH,
                                                .is_wide = options->quantization == RL_QUANTIZE_A16W8};
    struct rl_dataset dataset;
    enum rl_status status = rl_dataset_open(pass->context, pass->arena, options->calibration,
                                            options->calibration_count, pass->graph, &dataset);

    if (status != RL_OK) {
        return status;
    }
    dataset.sequence = options->sequence;
    if (options->calibration_limit > 0 && dataset.sample_count > options->calibration_limit) {
        dataset.sample_count = options->calibration_limit;
    }
    if (options->calibration_count == 0) {
        rl_log(pass->context, RL_LOG_WARNING,
               "no calibration data, so ranges come from the sample inputs in the model alone (%lld); see "
               "--calibrate",
               (long long)dataset.sample_count);
    }
    status = rl_samples_check(pass->context, &dataset, pass->graph->source);
    if (status != RL_OK) {
        return status;
    }
    return rl_quantize(pass->context, pass->graph, &dataset, &choices, &pass->quantizer_report);
}
