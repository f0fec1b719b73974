// SPDX-License-Identifier: Apache-2.0
//
// Greedy placement: buffers are taken one after another and each goes to a free gap between those already
// placed that are alive together with it. The order decides the quality, so several are tried; the best one
// is then refined by moving the buffers that make up the peak to the front.
#include "compiler/plan/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Placements tried in all are bounded so that the work, quadratic in the number of buffers, stays below a
// second.
enum { REFINEMENTS = 64, COMPARISONS = 100000000 };

enum fit { FIRST_FIT, BEST_FIT };

// One buffer as the sort functions see it.
struct item {
    int index;
    size_t bytes; // rounded up to the alignment
    int64_t first, end;
};

struct search {
    struct item *order; // the order being tried
    struct item *best_order;
    int count;
    int *placed;            // indices into `offsets`, by ascending offset
    size_t *offsets, *best; // by buffer index
    size_t peak;            // of `best`
};

static int compare_index(const struct item *a, const struct item *b)
{
    return a->index < b->index ? -1 : a->index > b->index;
}

static int by_size(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->bytes != b->bytes) {
        return a->bytes > b->bytes ? -1 : 1;
    }
    return compare_index(a, b);
}

static int by_area(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    double area_a = (double)a->bytes * (double)(a->end - a->first);
    double area_b = (double)b->bytes * (double)(b->end - b->first);
    if (area_a > area_b || area_a < area_b) {
        return area_a > area_b ? -1 : 1;
    }
    return by_size(left, right);
}

static int by_lifetime(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->end - a->first != b->end - b->first) {
        return a->end - a->first > b->end - b->first ? -1 : 1;
    }
    return by_size(left, right);
}

static int by_start(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return by_size(left, right);
}

static int by_end(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->end != b->end) {
        return a->end > b->end ? -1 : 1;
    }
    return by_size(left, right);
}

// The lowest gap (or the smallest one) that holds `item` beside the `placed` buffers alive with it.
static size_t find_gap(const struct search *search, const struct item *items, const struct item *item,
                       int placed, enum fit fit)
{
    size_t cursor = 0, gap_offset = 0, gap_bytes = 0;
    bool found = false;

    for (int i = 0; i < placed; i++) {
        const struct item *other = &items[search->placed[i]];
        if (other->end <= item->first || item->end <= other->first) {
            continue;
        }
        size_t offset = search->offsets[other->index];
        if (offset >= cursor && offset - cursor >= item->bytes && (!found || offset - cursor < gap_bytes)) {
            gap_offset = cursor;
            gap_bytes = offset - cursor;
            found = true;
            if (fit == FIRST_FIT) {
                return gap_offset;
            }
        }
        if (offset + other->bytes > cursor) {
            cursor = offset + other->bytes;
        }
    }
    return found ? gap_offset : cursor;
}

// Places all buffers in the order given and returns the peak; gives up when it exceeds the best one so far.
static size_t place(struct search *search, const struct item *items, enum fit fit)
{
    size_t peak = 0;

    for (int i = 0; i < search->count; i++) {
        const struct item *item = &search->order[i];
        size_t offset = find_gap(search, items, item, i, fit);
        search->offsets[item->index] = offset;
        if (offset + item->bytes > peak) {
            peak = offset + item->bytes;
        }
        if (peak >= search->peak) {
            return peak;
        }
        int position = i;
        while (position > 0 && search->offsets[search->placed[position - 1]] > offset) {
            search->placed[position] = search->placed[position - 1];
            position--;
        }
        search->placed[position] = item->index;
    }
    return peak;
}

// Tries the current order with both ways of choosing a gap; true when it is better than what was known.
static bool try_order(struct search *search, const struct item *items)
{
    bool better = false;

    for (int fit = FIRST_FIT; fit <= BEST_FIT; fit++) {
        size_t peak = place(search, items, (enum fit)fit);
        if (peak < search->peak) {
            search->peak = peak;
            memcpy(search->best, search->offsets, (size_t)search->count * sizeof *search->best);
            memcpy(search->best_order, search->order, (size_t)search->count * sizeof *search->order);
            better = true;
        }
    }
    return better;
}

// The best order with the buffers that reach the peak moved to the front.
static void lift_peak(struct search *search)
{
    int front = 0, back = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < search->count; i++) {
            const struct item *item = &search->best_order[i];
            bool at_peak = search->best[item->index] + item->bytes == search->peak;
            if (at_peak == (pass == 0)) {
                search->order[front + back] = *item;
                at_peak ? front++ : back++;
            }
        }
    }
}

static void find_plan(struct search *search, const struct item *items, size_t lower_bound)
{
    static int (*const orders[])(const void *, const void *) = {by_size, by_area, by_lifetime, by_start,
                                                                by_end};
    int64_t per_order = (int64_t)search->count * search->count;

    for (size_t i = 0; i < sizeof orders / sizeof orders[0] && search->peak > lower_bound; i++) {
        memcpy(search->order, items, (size_t)search->count * sizeof *items);
        qsort(search->order, (size_t)search->count, sizeof *items, orders[i]);
        try_order(search, items);
    }
    // Beyond the orders above, only as long as each step helps.
    for (int64_t i = 0; i < REFINEMENTS && i * per_order < COMPARISONS && search->peak > lower_bound; i++) {
        lift_peak(search);
        if (!try_order(search, items)) {
            break;
        }
    }
}

static int by_time(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return a->first < b->first ? -1 : a->first > b->first;
}

// Bytes alive at the fullest moment. Only starts of lifetimes can be such moments.
static size_t lower_bound(struct rl_arena *temporary, const struct item *items, int count)
{
    struct item *events = rl_arena_array(temporary, (size_t)count * 2, sizeof *events);
    size_t alive = 0, most = 0;

    // `end` of an event tells a start (1) from an end (0); ends come before starts of the same time.
    for (int i = 0; i < count; i++) {
        events[2 * i] = (struct item){.bytes = items[i].bytes, .first = items[i].first * 2 + 1, .end = 1};
        events[2 * i + 1] = (struct item){.bytes = items[i].bytes, .first = items[i].end * 2, .end = 0};
    }
    qsort(events, (size_t)count * 2, sizeof *events, by_time);
    for (int i = 0; i < 2 * count; i++) {
        alive = events[i].end ? alive + events[i].bytes : alive - events[i].bytes;
        most = alive > most ? alive : most;
    }
    return most;
}

enum rl_status rl_plan_arena(struct rl_context *context, struct rl_arena *temporary,
                             struct rl_plan_buffer *buffers, int count, size_t alignment,
                             struct rl_plan_sizes *sizes)
{
    struct item *items = rl_arena_array(temporary, (size_t)count, sizeof *items);
    size_t total = 0;
    int used = 0;

    for (int i = 0; i < count; i++) {
        const struct rl_plan_buffer *buffer = &buffers[i];
        if (buffer->end <= buffer->first || buffer->first < 0 || buffer->end > INT64_MAX / 4) {
            return rl_fail(
                context, RL_ERROR_ARGUMENT,
                "memory plan: buffer %d: expected a lifetime [first, end) of at least one step from 0 on, "
                "found [%lld, %lld)",
                i, (long long)buffer->first, (long long)buffer->end);
        }
        if (buffer->bytes > SIZE_MAX / 2 - alignment - total) {
            return rl_fail(context, RL_ERROR_UNSUPPORTED,
                           "memory plan: the buffers need more than %zu bytes in all", SIZE_MAX / 2);
        }
        size_t bytes = (buffer->bytes + alignment - 1) & ~(alignment - 1);
        total += bytes;
        if (bytes > 0) {
            items[used] =
                (struct item){.index = used, .bytes = bytes, .first = buffer->first, .end = buffer->end};
            used++;
        }
    }

    struct search search = {.count = used, .peak = SIZE_MAX};
    search.order = rl_arena_array(temporary, (size_t)used, sizeof *search.order);
    search.best_order = rl_arena_array(temporary, (size_t)used, sizeof *search.best_order);
    search.placed = rl_arena_array(temporary, (size_t)used, sizeof *search.placed);
    search.offsets = rl_arena_array(temporary, (size_t)used, sizeof *search.offsets);
    search.best = rl_arena_array(temporary, (size_t)used, sizeof *search.best);
    sizes->lower_bound_bytes = lower_bound(temporary, items, used);
    find_plan(&search, items, sizes->lower_bound_bytes);

    sizes->arena_bytes = search.peak;
    for (int i = 0, next = 0; i < count; i++) {
        buffers[i].offset = buffers[i].bytes > 0 ? search.best[next++] : 0;
    }
    return rl_plan_check(context, buffers, count, alignment, sizes);
}

enum rl_status rl_plan_check(struct rl_context *context, const struct rl_plan_buffer *buffers, int count,
                             size_t alignment, const struct rl_plan_sizes *sizes)
{
    if (sizes->arena_bytes < sizes->lower_bound_bytes || sizes->arena_bytes % alignment != 0) {
        return rl_fail(context, RL_ERROR_INTERNAL,
                       "memory plan: an arena of %zu bytes cannot hold %zu live bytes", sizes->arena_bytes,
                       sizes->lower_bound_bytes);
    }
    for (int i = 0; i < count; i++) {
        const struct rl_plan_buffer *a = &buffers[i];
        if (a->offset % alignment != 0 || a->offset > sizes->arena_bytes ||
            a->bytes > sizes->arena_bytes - a->offset) {
            return rl_fail(context, RL_ERROR_INTERNAL,
                           "memory plan: buffer %d of %zu bytes at %zu is misplaced in an arena of %zu bytes",
                           i, a->bytes, a->offset, sizes->arena_bytes);
        }
        for (int j = 0; j < i; j++) {
            const struct rl_plan_buffer *b = &buffers[j];
            bool together = a->first < b->end && b->first < a->end;
            bool overlap = a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
            if (together && overlap && a->bytes > 0 && b->bytes > 0) {
                return rl_fail(context, RL_ERROR_INTERNAL,
                               "memory plan: buffers %d and %d are alive at the same time and overlap", j, i);
            }
        }
    }
    return RL_OK;
}
