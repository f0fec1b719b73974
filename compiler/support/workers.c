// SPDX-License-Identifier: Apache-2.0
#include "compiler/support/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

// Kernels keep blocks on the stack: a megabyte is several times what they take.
enum { STACK_BYTES = 1 << 20 };

struct team {
    rl_work *work;
    void *user;
    int64_t end;
    _Atomic int64_t next;
};

struct member {
    struct team *team;
    int number;
    pthread_t thread;
};

int rl_workers_count(const struct rl_context *context, int64_t count)
{
    long wanted = context->threads > 0 ? context->threads : sysconf(_SC_NPROCESSORS_ONLN);
    wanted = wanted < RL_MOST_WORKERS ? wanted : RL_MOST_WORKERS;
    wanted = wanted < count ? wanted : (long)count;
    return wanted > 1 ? (int)wanted : 1;
}

static void *take_items(void *argument)
{
    const struct member *member = argument;
    struct team *team = member->team;
    for (int64_t item = team->next++; item < team->end; item = team->next++) {
        team->work(team->user, member->number, item);
    }
    return NULL;
}

void rl_workers_run(int workers, int64_t first, int64_t end, rl_work *work, void *user)
{
    struct team team = {.work = work, .user = user, .end = end, .next = first};
    struct member members[RL_MOST_WORKERS];
    pthread_attr_t attributes;
    int started = 1;

    members[0] = (struct member){.team = &team};
    if (workers > 1 && pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
        for (; started < workers && started < RL_MOST_WORKERS; started++) {
            members[started] = (struct member){.team = &team, .number = started};
            if (pthread_create(&members[started].thread, &attributes, take_items, &members[started]) != 0) {
                break;
            }
        }
        pthread_attr_destroy(&attributes);
    }
    take_items(&members[0]);
    for (int i = 1; i < started; i++) {
        pthread_join(members[i].thread, NULL);
    }
}
