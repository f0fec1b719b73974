// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/quantize.h"

enum rl_status rl_quantize(struct rl_context *context, struct rl_graph *graph, const struct rl_dataset *dataset,
                           const struct rl_quantize_options *options)
{
    struct rl_annotation *annotation;
    enum rl_status status = rl_quantize_annotate(context, graph, options, &annotation);
    if (status == RL_OK) {
        status = rl_quantize_calibrate(context, graph, dataset, annotation);
    }
    if (status == RL_OK) {
        status = rl_quantize_convert(context, graph, annotation);
    }
    return status;
}
