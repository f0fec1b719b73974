// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/samples.h"

#include <math.h>
#include <stdlib.h>

static const float most = 1e18f; // a square of more is infinite in float32

enum { FAR = 100 }; // a sample with values this many times as large as a typical one's decides the range alone

struct input {
    struct rl_context *context;
    const char *source;
    const struct rl_dataset *dataset;
    int number;
    const struct rl_dataset_input *input;
    int64_t sample_count, element_count;
    // What the samples show:
    float *reaches; // of each, the largest finite magnitude
    float first;    // number of all
    bool is_constant;
    int64_t huge; // the first sample with a number too large for calibration; -1 if there is none
};

static enum rl_status see_sample(struct input *input, int64_t sample, const float *values)
{
    float reach = 0;

    input->first = sample == 0 ? values[0] : input->first;
    for (int64_t i = 0; i < input->element_count; i++) {
        const float magnitude = fabsf(values[i]);
        if (isnan(magnitude)) {
            return rl_fail(input->context, RL_ERROR_ARGUMENT,
                           "%s: calibration sample %lld of input '%s' is not a number (NaN) at element %lld; accepted: "
                           "data on which every value is",
                           input->source, (long long)sample, input->input->name, (long long)i);
        }
        reach = magnitude > reach && !isinf(magnitude) ? magnitude : reach;
        input->is_constant &= values[i] == input->first;
        input->huge = values[i] > most && input->huge < 0 ? sample : input->huge;
    }
    input->reaches[sample] = reach;
    return RL_OK;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void warn_of_outliers(const struct input *input, struct rl_arena *arena)
{
    const float *reaches = input->reaches;
    const size_t count = (size_t)input->sample_count;
    float *sorted = rl_arena_copy(arena, reaches, count * sizeof *sorted);
    int64_t farthest = 0;

    qsort(sorted, count, sizeof *sorted, compare_floats);
    for (int64_t i = 1; i < input->sample_count; i++) {
        farthest = reaches[i] > reaches[farthest] ? i : farthest;
    }
    if (input->huge >= 0) {
        rl_log(input->context, RL_LOG_WARNING,
               "%s: calibration sample %lld of input '%s' holds a number above %g: it leaves none of 256 steps to the "
               "others",
               input->source, (long long)input->huge, input->input->name, (double)most);
        return;
    }
    const float typical = sorted[count / 2];
    if (typical > 0 && reaches[farthest] > FAR * typical) {
        rl_log(input->context, RL_LOG_WARNING,
               "%s: calibration sample %lld of input '%s' reaches to %g, where a typical one reaches to %g: it leaves "
               "few of 256 steps to the others",
               input->source, (long long)farthest, input->input->name, (double)reaches[farthest], (double)typical);
    }
}

static enum rl_status see_samples(struct input *input, struct rl_arena *arena)
{
    void *room = rl_arena_alloc(arena, rl_dataset_room(input->dataset, input->number));
    enum rl_status status = RL_OK;

    input->is_constant = true;
    input->huge = -1;
    input->reaches = rl_arena_array(arena, (size_t)input->sample_count, sizeof *input->reaches);
    for (int64_t i = 0; i < input->sample_count && status == RL_OK; i++) {
        const void *values;
        status = rl_dataset_fetch(input->context, input->dataset, input->number, i, room, &values);
        if (status == RL_OK) {
            status = see_sample(input, i, values);
        }
    }
    return status;
}

static enum rl_status check_samples(struct input *input, struct rl_arena *arena)
{
    const enum rl_status status = see_samples(input, arena);

    if (status == RL_OK && input->is_constant) {
        rl_log(input->context, RL_LOG_WARNING,
               "%s: every number of input '%s' is %g, from calibration sample 0 to %lld: ranges measured on it say "
               "nothing about real data",
               input->source, input->input->name, (double)input->first, (long long)input->sample_count - 1);
    } else if (status == RL_OK) {
        warn_of_outliers(input, arena);
    }
    return status;
}

static enum rl_status check_guarded(struct input *input, struct rl_arena *arena)
{
    jmp_buf here;
    arena->out_of_memory = &here;
    if (setjmp(here) == 0) {
        return check_samples(input, arena);
    }
    return rl_fail(input->context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", input->source);
}

static enum rl_status check_input(struct input *input)
{
    struct rl_arena arena = {0};
    const enum rl_status status = check_guarded(input, &arena);
    rl_arena_free(&arena);
    return status;
}

enum rl_status rl_samples_check(struct rl_context *context, const struct rl_dataset *dataset, const char *source)
{
    enum rl_status status = RL_OK;

    for (int i = 0; i < dataset->input_count && status == RL_OK; i++) {
        struct input input = {.context = context,
                              .source = source,
                              .dataset = dataset,
                              .number = i,
                              .input = &dataset->inputs[i],
                              .sample_count = dataset->sample_count,
                              .element_count = rl_tensor_numel(&dataset->inputs[i].type)};
        // One number a sample, such as a step in time, may be the same in all of them.
        if (input.input->type.dtype == RL_FLOAT32 && input.element_count > 1 && input.sample_count > 0) {
            status = check_input(&input);
        }
    }
    return status;
}
