// SPDX-License-Identifier: Apache-2.0
//
// Threads for items that can be worked on at the same time. What is made of the items must not depend on the number of
// threads.
#ifndef RL_COMPILER_SUPPORT_WORKERS_H
#define RL_COMPILER_SUPPORT_WORKERS_H

#include <stdint.h>

#include "compiler/support/context.h"

enum { RL_MOST_WORKERS = 64 };

// The number of threads for `count` items, at least 1: context->threads, or one a core of this machine.
int rl_workers_count(const struct rl_context *context, int64_t count);

// Works on one item. `worker` is the number of the thread, from 0 on. It must not allocate in an arena, and not report
// to a context that threads share.
typedef void rl_work(void *user, int worker, int64_t item);

// Calls `work` for the items from `first` to before `end`. Items begin in their order. Returns once all are done. The
// calling thread is worker 0; where the system gives no more threads, fewer do the work.
void rl_workers_run(int workers, int64_t first, int64_t end, rl_work *work, void *user);

#endif
