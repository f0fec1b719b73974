// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/samples.h"

#include <math.h>
#include <stdlib.h>

static const float most = 1e18f; // a square of more is infinite in float32

enum { FAR = 100 }; // a sample with values this many times as large as a typical one's decides the range alone

struct input {
    struct rl_context *context;
    const char *source;
    const struct rl_dataset_input *input;
    int64_t sample_count, element_count;
};

static const float *sample_of(const struct input *input, int64_t sample)
{
    return (const float *)(const void *)(input->input->samples + (size_t)sample * input->input->sample_bytes);
}

// The largest finite magnitude of a sample.
static enum rl_status find_reach(const struct input *input, int64_t sample, float *reach)
{
    const float *values = sample_of(input, sample);

    *reach = 0;
    for (int64_t i = 0; i < input->element_count; i++) {
        const float magnitude = fabsf(values[i]);
        if (isnan(magnitude)) {
            return rl_fail(input->context, RL_ERROR_ARGUMENT,
                           "%s: calibration sample %lld of input '%s' is not a number (NaN) at element %lld; accepted: "
                           "data on which every value is",
                           input->source, (long long)sample, input->input->name, (long long)i);
        }
        *reach = magnitude > *reach && !isinf(magnitude) ? magnitude : *reach;
    }
    return RL_OK;
}

// The first sample with a number too large for calibration; -1 if there is none.
static int64_t find_huge(const struct input *input)
{
    for (int64_t sample = 0; sample < input->sample_count; sample++) {
        const float *values = sample_of(input, sample);
        for (int64_t i = 0; i < input->element_count; i++) {
            if (values[i] > most) {
                return sample;
            }
        }
    }
    return -1;
}

static bool is_constant(const struct input *input)
{
    const float first = *sample_of(input, 0);

    for (int64_t sample = 0; sample < input->sample_count; sample++) {
        const float *values = sample_of(input, sample);
        for (int64_t i = 0; i < input->element_count; i++) {
            if (values[i] != first) {
                return false;
            }
        }
    }
    return true;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void warn_of_outliers(const struct input *input, const float *reaches, struct rl_arena *arena)
{
    const size_t count = (size_t)input->sample_count;
    float *sorted = rl_arena_copy(arena, reaches, count * sizeof *sorted);
    int64_t farthest = 0;

    qsort(sorted, count, sizeof *sorted, compare_floats);
    for (int64_t i = 1; i < input->sample_count; i++) {
        farthest = reaches[i] > reaches[farthest] ? i : farthest;
    }
    const int64_t huge = find_huge(input);
    if (huge >= 0) {
        rl_log(input->context, RL_LOG_WARNING,
               "%s: calibration sample %lld of input '%s' holds a number above %g: it leaves none of 256 steps to the "
               "others",
               input->source, (long long)huge, input->input->name, (double)most);
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

static enum rl_status check_reaches(const struct input *input, struct rl_arena *arena)
{
    float *reaches = rl_arena_array(arena, (size_t)input->sample_count, sizeof *reaches);
    enum rl_status status = RL_OK;

    for (int64_t i = 0; i < input->sample_count && status == RL_OK; i++) {
        status = find_reach(input, i, &reaches[i]);
    }
    if (status == RL_OK && is_constant(input)) {
        rl_log(input->context, RL_LOG_WARNING,
               "%s: every number of input '%s' is %g, from calibration sample 0 to %lld: ranges measured on it say "
               "nothing about real data",
               input->source, input->input->name, (double)*sample_of(input, 0), (long long)input->sample_count - 1);
    } else if (status == RL_OK) {
        warn_of_outliers(input, reaches, arena);
    }
    return status;
}

static enum rl_status check_guarded(const struct input *input, struct rl_arena *arena)
{
    jmp_buf here;
    arena->out_of_memory = &here;
    if (setjmp(here) == 0) {
        return check_reaches(input, arena);
    }
    return rl_fail(input->context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", input->source);
}

static enum rl_status check_input(const struct input *input)
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
        const struct input input = {context, source, &dataset->inputs[i], dataset->sample_count,
                                    rl_tensor_numel(&dataset->inputs[i].type)};
        // One number a sample, such as a step in time, may be the same in all of them.
        if (input.input->type.dtype == RL_FLOAT32 && input.element_count > 1 && input.sample_count > 0) {
            status = check_input(&input);
        }
    }
    return status;
}
