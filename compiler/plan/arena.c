// SPDX-License-Identifier: Apache-2.0
//
// Greedy placement: buffers are placed one after another, each in a free gap between the placed ones that are alive
// together with it. The order decides the quality, so several are tried. The best one is then varied, mostly by placing
// a buffer that ends at the peak earlier.
#include "compiler/plan/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// The work of the variations, in pairs of buffers compared: about a tenth of a second. It is only spent if the orders
// alone do not reach the lower bound.
static const int64_t VARIATION_WORK = 80000000;

enum fit {
    FIRST_FIT,
    BEST_FIT,
    TWO_ENDED // every second buffer goes as high as the lower bound allows, which suits chains of layers
};

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
    size_t lower_bound;
    uint32_t random; // state of the generator of variations: the same for every plan
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

// A free range for `item` beside the `placed` buffers alive with it: the lowest, the smallest, or the top of the
// highest below the lower bound.
static size_t find_gap(const struct search *search, const struct item *items, const struct item *item, int placed,
                       enum fit fit)
{
    size_t cursor = 0, result = 0, smallest = SIZE_MAX;
    bool found = false;

    for (int i = 0; i < placed; i++) {
        const struct item *other = &items[search->placed[i]];
        if (other->end <= item->first || item->end <= other->first) {
            continue;
        }
        size_t offset = search->offsets[other->index];
        if (offset >= cursor && offset - cursor >= item->bytes && (fit != BEST_FIT || offset - cursor < smallest)) {
            result = fit == TWO_ENDED ? offset - item->bytes : cursor;
            smallest = offset - cursor;
            found = true;
            if (fit == FIRST_FIT) {
                return result;
            }
        }
        if (offset + other->bytes > cursor) {
            cursor = offset + other->bytes;
        }
    }
    if (fit == TWO_ENDED && cursor + item->bytes <= search->lower_bound) {
        return search->lower_bound - item->bytes;
    }
    return found ? result : cursor;
}

// Places all buffers in the order given and returns the peak; gives up when it exceeds `limit`.
static size_t place(struct search *search, const struct item *items, enum fit fit, size_t limit)
{
    size_t peak = 0;

    for (int i = 0; i < search->count; i++) {
        const struct item *item = &search->order[i];
        enum fit own = fit == TWO_ENDED && i % 2 == 0 ? FIRST_FIT : fit;
        size_t offset = find_gap(search, items, item, i, own);
        search->offsets[item->index] = offset;
        peak = offset + item->bytes > peak ? offset + item->bytes : peak;
        if (peak > limit) {
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

// Tries the current order. If it is as good as the best one, it replaces that, so that variations go further.
static void try_order(struct search *search, const struct item *items, enum fit fit)
{
    size_t peak = place(search, items, fit, search->peak);

    if (peak <= search->peak) {
        search->peak = peak;
        memcpy(search->best, search->offsets, (size_t)search->count * sizeof *search->best);
        memcpy(search->best_order, search->order, (size_t)search->count * sizeof *search->order);
    }
}

static int random_below(struct search *search, int bound)
{
    search->random = search->random * 1664525u + 1013904223u;
    return (int)((search->random >> 8) % (uint32_t)bound);
}

// Varies the best order: places one buffer earlier, usually the one that ends at the peak.
static void vary(struct search *search)
{
    int from = random_below(search, search->count);

    if (random_below(search, 4) > 0) {
        for (int i = 0; i < search->count; i++) {
            const struct item *item = &search->best_order[i];
            if (search->best[item->index] + item->bytes == search->peak) {
                from = i;
            }
        }
    }
    int to = random_below(search, from + 1);
    memcpy(search->order, search->best_order, (size_t)search->count * sizeof *search->order);
    struct item moved = search->order[from];
    memmove(&search->order[to + 1], &search->order[to], (size_t)(from - to) * sizeof *search->order);
    search->order[to] = moved;
}

static void find_plan(struct search *search, const struct item *items)
{
    static int (*const orders[])(const void *, const void *) = {by_size, by_area, by_lifetime, by_start, by_end};
    int64_t work_each = (int64_t)search->count * search->count;

    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        for (int fit = FIRST_FIT; fit <= TWO_ENDED && search->peak > search->lower_bound; fit++) {
            memcpy(search->order, items, (size_t)search->count * sizeof *items);
            qsort(search->order, (size_t)search->count, sizeof *items, orders[i]);
            try_order(search, items, (enum fit)fit);
        }
    }
    for (int64_t work = 0; work < VARIATION_WORK && search->peak > search->lower_bound; work += work_each) {
        vary(search);
        try_order(search, items, random_below(search, 4) > 0 ? FIRST_FIT : BEST_FIT);
    }
}

static int by_time(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return a->first < b->first ? -1 : a->first > b->first;
}

// The most bytes that are alive at one time. Only starts of lifetimes can be such times.
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

enum rl_status rl_plan_arena(struct rl_context *context, struct rl_arena *temporary, struct rl_plan_buffer *buffers,
                             int count, size_t alignment, struct rl_plan_sizes *sizes)
{
    struct item *items = rl_arena_array(temporary, (size_t)count, sizeof *items);
    size_t total = 0;
    int used = 0;

    for (int i = 0; i < count; i++) {
        const struct rl_plan_buffer *buffer = &buffers[i];
        if (buffer->end <= buffer->first || buffer->first < 0 || buffer->end > INT64_MAX / 4) {
            return rl_fail(context, RL_ERROR_ARGUMENT,
                           "memory plan: buffer %d: expected a lifetime [first, end) of at least one step from 0 on, "
                           "found [%lld, %lld)",
                           i, (long long)buffer->first, (long long)buffer->end);
        }
        if (buffer->bytes > SIZE_MAX / 2 - alignment - total) {
            return rl_fail(context, RL_ERROR_UNSUPPORTED, "memory plan: the buffers need more than %zu bytes in all",
                           SIZE_MAX / 2);
        }
        size_t bytes = (buffer->bytes + alignment - 1) & ~(alignment - 1);
        total += bytes;
        if (bytes > 0) {
            items[used] = (struct item){.index = used, .bytes = bytes, .first = buffer->first, .end = buffer->end};
            used++;
        }
    }

    struct search search = {.count = used, .peak = SIZE_MAX, .random = 1};
    search.order = rl_arena_array(temporary, (size_t)used, sizeof *search.order);
    search.best_order = rl_arena_array(temporary, (size_t)used, sizeof *search.best_order);
    search.placed = rl_arena_array(temporary, (size_t)used, sizeof *search.placed);
    search.offsets = rl_arena_array(temporary, (size_t)used, sizeof *search.offsets);
    search.best = rl_arena_array(temporary, (size_t)used, sizeof *search.best);
    search.lower_bound = lower_bound(temporary, items, used);
    find_plan(&search, items);

    *sizes = (struct rl_plan_sizes){.arena_bytes = search.peak, .lower_bound_bytes = search.lower_bound};
    for (int i = 0, next = 0; i < count; i++) {
        buffers[i].offset = buffers[i].bytes > 0 ? search.best[next++] : 0;
    }
    return rl_plan_check(context, buffers, count, alignment, sizes);
}

enum rl_status rl_plan_check(struct rl_context *context, const struct rl_plan_buffer *buffers, int count,
                             size_t alignment, const struct rl_plan_sizes *sizes)
{
    if (sizes->arena_bytes < sizes->lower_bound_bytes || sizes->arena_bytes % alignment != 0) {
        return rl_fail(context, RL_ERROR_INTERNAL, "memory plan: an arena of %zu bytes cannot hold %zu live bytes",
                       sizes->arena_bytes, sizes->lower_bound_bytes);
    }
    for (int i = 0; i < count; i++) {
        const struct rl_plan_buffer *a = &buffers[i];
        if (a->offset % alignment != 0 || a->offset > sizes->arena_bytes || a->bytes > sizes->arena_bytes - a->offset) {
            return rl_fail(context, RL_ERROR_INTERNAL,
                           "memory plan: buffer %d of %zu bytes at %zu is misplaced in an arena of %zu bytes", i,
                           a->bytes, a->offset, sizes->arena_bytes);
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
