// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/outputs.h"

#include <math.h>
#include <string.h>

static bool is_exact(enum rl_scalar_type dtype)
{
    switch (dtype) {
    case RL_FLOAT32:
    case RL_FLOAT64:
    case RL_FLOAT16:
    case RL_BFLOAT16:
        return false;
    default:
        return true;
    }
}

void rl_output_start(struct rl_arena *arena, const struct rl_graph *graph, int index, struct rl_output *output)
{
    const struct rl_value *value = graph->outputs[index];

    *output = (struct rl_output){.name = value->name, .type = value->type, .is_exact = is_exact(value->type.dtype)};
    output->classes = rl_classes_of_output(graph, index);
    output->scratch = rl_arena_array(arena, 2 * (size_t)output->classes.classes, sizeof *output->scratch);
}

int64_t rl_output_answers(const struct rl_output *output)
{
    return output->classes.axis >= 0 ? output->classes.outer * output->classes.inner : 0;
}

static void add_answer(struct rl_output *output, const float *model, const float *program, const int64_t *label,
                       int64_t index)
{
    const struct rl_classes *classes = &output->classes;
    const int64_t expected = rl_classes_choice(classes, model, index);
    const int64_t found = rl_classes_choice(classes, program, index);
    double *model_probabilities = output->scratch, *probabilities = output->scratch + classes->classes;

    output->answers++;
    output->agreeing += expected == found;
    if (label) {
        output->labelled_answers++;
        output->right_float += expected == *label;
        output->right_quantized += found == *label;
    }
    rl_classes_probabilities(classes, model, index, model_probabilities);
    rl_classes_probabilities(classes, program, index, probabilities);
    for (int64_t i = 0; i < classes->classes; i++) {
        rl_similarity_add(&output->probabilities, model_probabilities[i], probabilities[i]);
    }
}

void rl_output_add_floats(struct rl_output *output, const float *model, const float *program, const int64_t *labels)
{
    const int64_t count = rl_tensor_numel(&output->type), answers = rl_output_answers(output);

    for (int64_t i = 0; i < count; i++) {
        const double difference = fabs((double)model[i] - (double)program[i]);
        rl_similarity_add(&output->values, model[i], program[i]);
        if (!(difference <= output->largest_difference)) {
            output->largest_difference = difference;
        }
    }
    for (int64_t i = 0; i < answers; i++) {
        add_answer(output, model, program, labels ? &labels[i] : NULL, i);
    }
    output->elements += count;
    output->samples++;
}

void rl_output_add_exact(struct rl_output *output, const void *model, const void *program)
{
    const size_t element = rl_scalar_size((int)output->type.dtype);
    const int64_t count = rl_tensor_numel(&output->type);
    int64_t equal = 0;

    for (int64_t i = 0; i < count; i++) {
        const size_t at = (size_t)i * element;
        equal += memcmp((const uint8_t *)model + at, (const uint8_t *)program + at, element) == 0;
    }
    output->equal += equal;
    output->equal_samples += equal == count;
    output->elements += count;
    output->samples++;
}
