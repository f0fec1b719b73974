// SPDX-License-Identifier: Apache-2.0
#include "compiler/support/progress.h"

#include <time.h>

static const double first_line = 0.5, between_lines = 0.2; // seconds

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void rl_progress_start(struct rl_progress *progress, struct rl_context *context, const char *what, int64_t count)
{
    *progress = (struct rl_progress){.context = context, .what = what, .count = count, .start = seconds()};
    progress->next = progress->start + first_line;
}

void rl_progress_step(struct rl_progress *progress, int64_t done)
{
    const double now = seconds(), spent = now - progress->start;

    if (now < progress->next || done <= 0) {
        return;
    }
    const double rate = (double)done / spent;
    progress->next = now + between_lines;
    rl_log(progress->context, RL_LOG_PROGRESS, "%s: %lld of %lld samples, %.3g a second, %.0f s left", progress->what,
           (long long)done, (long long)progress->count, rate, (double)(progress->count - done) / rate);
}

void rl_progress_end(const struct rl_progress *progress)
{
    rl_log(progress->context, RL_LOG_PROGRESS, "%s", "");
}
