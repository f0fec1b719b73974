// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/histogram.h"

#include <math.h>
#include <string.h>

enum {
    BINS = RL_HISTOGRAM_BINS,
    POINTS_PER_BIN = 16, // when counts move to a wider range
    POINTS = BINS * POINTS_PER_BIN,
};

void rl_histogram_init(struct rl_histogram *histogram, float *counts)
{
    if (counts) {
        memset(counts, 0, BINS * sizeof *counts);
    }
    histogram->counts = counts;
    histogram->range = rl_minmax_empty();
    histogram->infinite = false;
    histogram->seen = 0;
}

// Range of the finite values; false when there is a NaN.
static bool finite_range(const float *values, size_t count, struct rl_minmax *range, bool *infinite)
{
    *range = rl_minmax_empty();
    if (!rl_minmax_observe(range, values, count)) {
        return false;
    }
    if (count == 0 || (isfinite(range->min) && isfinite(range->max))) {
        return true;
    }
    *infinite = true;
    *range = rl_minmax_empty();
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) {
            rl_minmax_observe(range, &values[i], 1);
        }
    }
    return true;
}

// torch.histc over `range`; values outside of it (the infinite ones) are not counted. The last bin holds its end.
static void count_values(const float *values, size_t count, struct rl_minmax range, float counts[BINS])
{
    const float low = range.min < range.max ? range.min : range.min - 1;
    const float high = range.min < range.max ? range.max : range.max + 1;
    const float width = high - low;
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] >= low && values[i] <= high)) {
            continue;
        }
        const float position = (values[i] - low) * (float)BINS / width;
        counts[position < BINS - 1 ? (int)position : BINS - 1] += 1;
    }
}

// Element `index` of torch.linspace(range.min, range.max, intervals + 1): built from both ends, each with one rounding
// (torch fuses the product and the sum; the product is exact in double).
static float linspace(struct rl_minmax range, int intervals, int index)
{
    const double step = (range.max - range.min) / (float)intervals;
    if (index < (intervals + 1) / 2) {
        return (float)(range.min + step * index);
    }
    return (float)(range.max - step * (intervals - index));
}

// Adds the counts of `histogram` to bins over the wider range `target`: each bin is spread over POINTS_PER_BIN points.
static void add_rescaled(const struct rl_histogram *histogram, struct rl_minmax target, float counts[BINS])
{
    float moved[BINS] = {0};
    const float half_step = 0.5f * ((histogram->range.max - histogram->range.min) / (float)POINTS);
    int bin = 0; // points and bin ends both ascend: no search
    for (int point = 0; point < POINTS; point++) {
        const float middle = linspace(histogram->range, POINTS, point) + half_step;
        while (bin < BINS - 1 && linspace(target, BINS, bin + 1) <= middle) {
            bin++;
        }
        moved[bin] += histogram->counts[point / POINTS_PER_BIN] / POINTS_PER_BIN;
    }
    for (int i = 0; i < BINS; i++) {
        counts[i] += moved[i];
    }
}

// torch.sum of a row of BINS float32: 8 lanes times 4 interleaved accumulators, each cascaded over blocks of 16. The
// search compares sums that differ in their last bits, so their order is part of the result.
static float sum(const float values[BINS])
{
    enum { LANES = 8, INTERLEAVED = 4, WIDTH = LANES * INTERLEAVED, ROWS = BINS / WIDTH, BLOCK = 16 };
    float partial[WIDTH] = {0};
    for (int block = 0; block < ROWS; block += BLOCK) {
        float accumulated[WIDTH] = {0};
        for (int row = block; row < block + BLOCK; row++) {
            for (int i = 0; i < WIDTH; i++) {
                accumulated[i] += values[row * WIDTH + i];
            }
        }
        for (int i = 0; i < WIDTH; i++) {
            partial[i] += accumulated[i];
        }
    }
    float total = 0;
    for (int lane = 0; lane < LANES; lane++) {
        float of_lane = partial[lane];
        for (int i = 1; i < INTERLEAVED; i++) {
            of_lane += partial[i * LANES + lane];
        }
        total += of_lane;
    }
    return total;
}

// For an observer whose values so far were all equal: adds their number to the bin of that value.
static void add_single_value(const struct rl_histogram *histogram, struct rl_minmax target, float counts[BINS])
{
    float place[BINS] = {0};
    count_values(&histogram->range.min, 1, target, place);
    const float total = sum(histogram->counts);
    for (int i = 0; i < BINS; i++) {
        counts[i] += place[i] * total;
    }
}

static struct rl_minmax join(struct rl_minmax a, struct rl_minmax b)
{
    return (struct rl_minmax){fminf(a.min, b.min), fmaxf(a.max, b.max)};
}

bool rl_histogram_observe_range(struct rl_histogram *histogram, const float *values, size_t count)
{
    struct rl_minmax seen;
    if (!finite_range(values, count, &seen, &histogram->infinite)) {
        return false;
    }
    histogram->seen += count;
    if (seen.min <= seen.max) {
        histogram->range = join(histogram->range, seen);
    }
    return true;
}

void rl_histogram_join(struct rl_histogram *histogram, const struct rl_histogram *other)
{
    histogram->range = join(histogram->range, other->range);
    histogram->infinite = histogram->infinite || other->infinite;
    histogram->seen += other->seen;
}

bool rl_histogram_observe(struct rl_histogram *histogram, const float *values, size_t count)
{
    struct rl_minmax seen;
    if (!finite_range(values, count, &seen, &histogram->infinite)) {
        return false;
    }
    histogram->seen += count;
    if (seen.min > seen.max) {
        return true;
    }
    const struct rl_minmax old = histogram->range;
    const struct rl_minmax target = join(old, seen);
    float counts[BINS] = {0};
    count_values(values, count, target, counts);
    if (old.min == target.min && old.max == target.max) {
        for (int i = 0; i < BINS; i++) {
            counts[i] += histogram->counts[i];
        }
    } else if (old.min == old.max) {
        add_single_value(histogram, target, counts);
    } else if (old.min < old.max) {
        add_rescaled(histogram, target, counts);
    }
    memcpy(histogram->counts, counts, sizeof counts);
    histogram->range = target;
    return true;
}

// density * (integral of x^2 from `begin` to `end`)
static inline float norm_of(float begin, float end, float density)
{
    return density * ((end * end * end - begin * begin * begin) / 3);
}

// The step of the quantized range that holds `position`. The quotient of two float32 in double never rounds up to an
// integer, so truncation is an exact floor.
static inline float step_of(float position, float step)
{
    enum { LAST_STEP = 255 };
    double index = (double)position / step;
    index = index < 0 ? 0 : index;
    index = index > LAST_STEP ? LAST_STEP : index;
    return (float)(int)index;
}

// L2 norm of the rounding when bins `first` to `last` are quantized in 256 steps and the others are clamped to them.
static float quantization_error(const float density[BINS], double bin_width, int first, int last)
{
    const double step_width = bin_width * (last - first + 1) / 256;
    if (step_width == 0) {
        return 0;
    }
    const float width = (float)bin_width;
    const float step = (float)step_width;
    const float half = (float)(step_width / 2);
    float norms[BINS];
    for (int i = 0; i < BINS; i++) {
        const float begin = (float)(i - first) * width;
        const float end = begin + width;
        const float begin_step = step_of(begin, step);
        const float end_step = step_of(end, step);
        const float begin_centre = (begin_step + 0.5f) * step;
        const float end_centre = end_step * step + half;
        float norm = norm_of(begin - begin_centre, half, density[i]);
        norm += (end_step - begin_step - 1) * norm_of(-half, half, density[i]);
        norm += norm_of(-half, end - end_centre, density[i]);
        norms[i] = norm;
    }
    return sum(norms);
}

// State of the search: quantiles cut off so far and the bins that remain.
struct search {
    float cumulative[BINS];
    double total;
    double alpha, beta; // shares of the values below `first` and up to `last`
    int first, last;
};

static void start_search(const struct rl_histogram *histogram, struct search *search)
{
    double running = 0;
    for (int i = 0; i < BINS; i++) {
        running += histogram->counts[i];
        search->cumulative[i] = (float)running;
    }
    search->total = sum(histogram->counts);
    search->alpha = 0;
    search->beta = 1;
    search->first = 0;
    search->last = BINS - 1;
}

// Cuts one more hundred-thousandth off the end where that drops more bins. Returns the bins that would then remain.
static void next_cut(struct search *search, int *first, int *last)
{
    const double share = 1e-5;
    const double alpha = search->alpha + share;
    const double beta = search->beta - share;
    const float low = (float)(alpha * search->total);
    const float high = (float)(beta * search->total);
    int left = search->first;
    int right = search->last;
    while (left < search->last && search->cumulative[left] < low) {
        left++;
    }
    while (right > search->first && search->cumulative[right] > high) {
        right--;
    }
    *first = search->first;
    *last = search->last;
    if (left - search->first > search->last - right) {
        *first = left;
        search->alpha = alpha;
    } else {
        *last = right;
        search->beta = beta;
    }
}

struct rl_minmax rl_histogram_choose_range(const struct rl_histogram *histogram)
{
    const struct rl_minmax range = histogram->range;
    if (range.min > range.max) {
        return range;
    }
    const double bin_width = ((double)range.max - (double)range.min) / BINS;
    float density[BINS];
    for (int i = 0; i < BINS; i++) {
        density[i] = histogram->counts[i] / (float)bin_width;
    }
    struct search search;
    start_search(histogram, &search);
    float least = INFINITY;
    while (search.alpha < search.beta) {
        int first, last;
        next_cut(&search, &first, &last);
        if (first == search.first && last == search.last) {
            continue;
        }
        const float norm = quantization_error(density, bin_width, first, last);
        if (norm > least) {
            break;
        }
        least = norm;
        search.first = first;
        search.last = last;
    }
    const float width = (range.max - range.min) / (float)BINS;
    return (struct rl_minmax){range.min + width * (float)search.first, range.min + width * (float)(search.last + 1)};
}
