// SPDX-License-Identifier: Apache-2.0
//
// The result of an evaluation as JSON.
#include "cli/evaluation.h"

#include <string.h>

const char *rl_cli_culprit_advice(const char *help)
{
    static const char *const table[][2] = {
        {"int16", "the steps of its result are too large: it needs int16"},
        {"outliers", "few values set the scale of its result: look for outliers in the calibration data"},
        {"samples", "its result leaves its range: calibrate with more samples"},
        {"weights", "its weights lose most: train with quantization, or more"},
    };
    for (size_t i = 0; help && i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i][0], help) == 0) {
            return table[i][1];
        }
    }
    return "";
}

double rl_cli_lowest_db(const struct rl_cli_evaluation *evaluation)
{
    double lowest = RL_SQNR_EQUAL;

    for (int i = 0; i < evaluation->graph->output_count; i++) {
        const struct rl_output *output = &evaluation->outputs[i];
        const double db = rl_similarity_db(&output->values);
        lowest = !output->is_exact && db < lowest ? db : lowest;
    }
    return lowest;
}

static json_t *share(int64_t part, int64_t whole)
{
    return whole > 0 ? json_real((double)part / (double)whole) : json_null();
}

static json_t *db_json(const struct rl_similarity *similarity)
{
    return similarity->count > 0 ? json_real(rl_similarity_db(similarity)) : json_null();
}

// The agreement of answers for outputs with classes, and of samples for integers. A signal has none.
static json_t *agreement_json(const struct rl_output *output)
{
    return output->is_exact ? share(output->equal_samples, output->samples) : share(output->agreeing, output->answers);
}

static bool passes_on(const struct rl_op *op)
{
    return op->rearranges != RL_REARRANGES_OTHERWISE || op->quantizes || op->dequantizes;
}

// The layer that computes the input of an output's softmax.
static const struct rl_layer *find_logits(const struct rl_layers *layers, const struct rl_value *value)
{
    const struct rl_layer *layer = value ? rl_name_map_find(&layers->by_value, value->name) : NULL;

    while (value && !layer && value->kind == RL_VALUE_RESULT && passes_on(rl_op_get(value->producer->op)) &&
           value->producer->args[0].kind == RL_ARG_VALUE) {
        value = value->producer->args[0].as.value;
        layer = rl_name_map_find(&layers->by_value, value->name);
    }
    return layer;
}

static json_t *logits_json(const struct rl_cli_evaluation *evaluation, const struct rl_output *output)
{
    const struct rl_layer *layer = find_logits(&evaluation->layers, output->classes.logits);

    if (output->classes.axis >= 0 && !output->classes.logits) {
        return db_json(&output->values);
    }
    return layer ? db_json(&layer->similarity) : json_null();
}

static json_t *output_json(const struct rl_cli_evaluation *evaluation, const struct rl_output *output)
{
    json_t *object = json_pack("{s:s, s:o}", "name", output->name, "sqnr_db", db_json(&output->values));

    json_object_set_new(object, "logits_sqnr_db", logits_json(evaluation, output));
    json_object_set_new(object, "probabilities_sqnr_db", db_json(&output->probabilities));
    json_object_set_new(object, "class_axis",
                        output->classes.axis >= 0 ? json_integer(output->classes.axis) : json_null());
    json_object_set_new(object, "answers", json_integer(output->answers));
    json_object_set_new(object, "top1_float", share(output->right_float, output->labelled_answers));
    json_object_set_new(object, "top1_quantized", share(output->right_quantized, output->labelled_answers));
    json_object_set_new(object, "agreement", agreement_json(output));
    json_object_set_new(object, "equal", output->is_exact ? share(output->equal, output->elements) : json_null());
    json_object_set_new(object, "largest_difference",
                        output->is_exact ? json_null() : json_real(output->largest_difference));
    json_object_set_new(object, "largest_difference_steps",
                        output->step > 0 ? json_real(output->largest_difference / output->step) : json_null());
    return object;
}

static json_t *layers_json(const struct rl_layers *layers)
{
    json_t *list = json_array();

    for (int i = 0; i < layers->count; i++) {
        const struct rl_layer *layer = &layers->items[i];
        if (layer->similarity.count > 0) {
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i, s:f}", "name", layer->name, "op", layer->op,
                                                  "value", layer->value, "calls", layer->calls, "sqnr_db",
                                                  rl_similarity_db(&layer->similarity)));
        }
    }
    return list;
}

// What would help, in a word; null where there is no error.
static json_t *help_json(const struct rl_culprit *culprit)
{
    switch (rl_culprit_cause(culprit)) {
    case RL_CAUSE_ROUNDING:
        return json_string("int16");
    case RL_CAUSE_OUTLIERS:
        return json_string("outliers");
    case RL_CAUSE_CLIPPING:
        return json_string("samples");
    case RL_CAUSE_WEIGHTS:
        return json_string("weights");
    default:
        return json_null();
    }
}

// Layers and inputs that change the output, the one that costs most first.
static json_t *culprits_json(const struct rl_culprits *culprits)
{
    json_t *list = json_array();

    for (int i = 0; i < culprits->count && culprits->items[i].alone.noise > 0; i++) {
        const struct rl_culprit *culprit = &culprits->items[i];
        json_array_append_new(list, json_pack("{s:s, s:s?, s:f, s:f, s:o}", "name", culprit->name, "op",
                                              culprit->line ? culprit->line->op : NULL, "alone_db",
                                              rl_similarity_db(&culprit->alone), "share", culprit->share, "help",
                                              help_json(culprit)));
    }
    return list;
}

json_t *rl_cli_evaluation_json(const struct rl_cli_evaluation *evaluation, const char *core)
{
    json_t *decibels = json_array(), *equal = json_array(), *outputs = json_array();
    json_t *report = json_pack("{s:I, s:s}", "samples", (json_int_t)evaluation->results.sample_count, "core", core);

    for (int i = 0; i < evaluation->graph->output_count; i++) {
        const struct rl_output *output = &evaluation->outputs[i];
        json_t *object = output_json(evaluation, output);
        json_array_append(decibels, json_object_get(object, "sqnr_db"));
        json_array_append(equal, json_object_get(object, "equal"));
        json_array_append_new(outputs, object);
    }
    const json_t *chosen = json_array_get(outputs, (size_t)(evaluation->chosen >= 0 ? evaluation->chosen : 0));
    static const char *const keys[] = {"top1_float", "top1_quantized", "agreement"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        json_t *value = json_object_get(chosen, keys[i]);
        json_object_set_new(report, keys[i], value ? json_incref(value) : json_null());
    }
    json_object_set_new(report, "output",
                        evaluation->chosen >= 0 ? json_string(evaluation->outputs[evaluation->chosen].name)
                                                : json_null());
    json_object_set_new(report, "sqnr_db", json_real(rl_cli_lowest_db(evaluation)));
    json_object_set_new(report, "outputs", outputs);
    json_object_set_new(report, "outputs_sqnr_db", decibels);
    json_object_set_new(report, "outputs_equal", equal);
    json_object_set_new(report, "layers", layers_json(&evaluation->layers));
    json_object_set_new(report, "culprit_samples", json_integer(evaluation->culprit_samples));
    json_object_set_new(report, "culprits", culprits_json(&evaluation->culprits));
    return report;
}
