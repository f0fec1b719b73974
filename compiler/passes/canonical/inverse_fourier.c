// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "compiler/passes/canonical/fourier.h"
#include "compiler/passes/rewrite/rewrite.h"

enum { MOST_SAMPLES = 1 << 22 };

static const char sizes_refused[] =
    "a transform whose sizes do not fit, or with more than 4 million weights; accepted: "
    "spectra along the last dimension, of istft [frequencies, time] or [batch, "
    "frequencies, time]";

// A transform of `frequencies`, the first ones of those of a real signal, to `size` samples.
struct inverse {
    int64_t frequencies, size;
    bool one_sided; // the others are the conjugates of these
    double scale;
};

// How often a frequency counts: once for each side on which it occurs.
static double count_of(const struct inverse *t, int64_t frequency)
{
    return !t->one_sided || frequency == 0 || 2 * frequency == t->size ? 1.0 : 2.0;
}

// What the real part of a frequency, or its imaginary part, adds to a sample.
static double weight_at(const struct inverse *t, int64_t frequency, int64_t sample, bool imaginary)
{
    const int64_t step = frequency * sample % t->size;
    const double wave = imaginary ? 0.0 - rl_wave_sine(step, t->size) : rl_wave_cosine(step, t->size);
    return wave * count_of(t, frequency) * t->scale;
}

// Real parts before imaginary ones along a dimension, so that a sample is one sum.
static struct rl_value *joined(const struct rl_build *at, const struct rl_complex_parts *parts, int dim, int64_t count)
{
    struct rl_value *both[2] = {parts->real, parts->imaginary};
    for (int i = 0; i < 2; i++) {
        if (both[i]->type.sizes[dim] != count) {
            both[i] = rl_build_slice(at, both[i], dim, 0, count);
        }
    }
    return rl_build_cat(at, both, 2, dim);
}

static struct rl_value *weights(const struct rl_build *at, const struct rl_tensor_type *type, float *data)
{
    return rl_graph_take_constant(at->graph, rl_arena_format(at->graph->arena, "%s_waves", at->node->name), type, data);
}

// ---- the last dimension

static const char *build_along(const struct rl_build *at, const struct rl_complex_parts *parts, int64_t dim,
                               int64_t size, int64_t normalization)
{
    const struct rl_tensor_type *from = &parts->real->type, *result = &at->node->results[0]->type;
    const int rank = from->rank;
    if (rank < 1 || rl_dim_normalized(dim, rank) != rank - 1 || size < 1 || size > RL_MOST_WAVES ||
        from->sizes[rank - 1] < 1 || result->rank != rank || result->sizes[rank - 1] != size ||
        rl_tensor_numel(result) / size != rl_tensor_numel(from) / from->sizes[rank - 1]) {
        return sizes_refused;
    }
    const int64_t all = size / 2 + 1, given = from->sizes[rank - 1], rows = size;
    const struct inverse t = {.frequencies = given < all ? given : all,
                              .size = size,
                              .one_sided = true,
                              .scale = rl_fourier_scale(normalization, size)};
    if (2 * t.frequencies > RL_MOST_WAVES / rows) {
        return sizes_refused;
    }
    const int64_t sizes[2] = {rows, 2 * t.frequencies};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 2, sizes);
    float *data = rl_arena_array(at->graph->arena, (size_t)(sizes[0] * sizes[1]), sizeof *data);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = 0; k < sizes[1]; k++) {
            const bool imaginary = k >= t.frequencies;
            data[i * sizes[1] + k] = (float)weight_at(&t, imaginary ? k - t.frequencies : k, i, imaginary);
        }
    }
    struct rl_value *spectrum = joined(at, parts, rank - 1, t.frequencies);
    const struct rl_arg args[] = {rl_arg_value(spectrum), rl_arg_value(weights(at, &type, data)), rl_arg_value(NULL)};
    rl_build_end(at, RL_OP_aten_linear, args, 3);
    return NULL;
}

static const char *build_irfft(const struct rl_build *at, const struct rl_complex_parts *parts)
{
    const struct rl_tensor_type *type = &parts->real->type;
    const int64_t given = type->rank > 0 ? type->sizes[type->rank - 1] : 0;
    const struct rl_arg *norm = rl_node_arg(at->node, "norm");
    int64_t normalization = 2; // an inverse transform is scaled where the forward one is not
    if (norm->kind == RL_ARG_STRING && strcmp(norm->as.string, "ortho") == 0) {
        normalization = 1;
    } else if (norm->kind == RL_ARG_STRING && strcmp(norm->as.string, "forward") == 0) {
        normalization = 0;
    }
    return build_along(at, parts, rl_node_int(at->node, "dim"), rl_fourier_int_or(at->node, "n", 2 * (given - 1)),
                       normalization);
}

static const char *build_c2r(const struct rl_build *at, const struct rl_complex_parts *parts)
{
    const struct rl_arg *dims = rl_node_arg(at->node, "dim");
    const int64_t normalization = rl_node_int(at->node, "normalization");
    if (dims->kind != RL_ARG_INTS || dims->count != 1 || normalization < 0 || normalization > 2) {
        return "a transform along several dimensions; accepted: the last one";
    }
    return build_along(at, parts, dims->as.integers[0], rl_node_int(at->node, "last_dim_size"), normalization);
}

// ---- windows that overlap

struct overlap {
    struct inverse transform;
    int64_t hop, windows, batch;
    const struct rl_value *window; // NULL: ones
    int64_t window_size;
    int64_t start, end; // the samples of the result, among those that windows cover
};

static double window_at(const struct overlap *o, int64_t sample)
{
    const int64_t place = sample - (o->transform.size - o->window_size) / 2;
    if (place < 0 || place >= o->window_size) {
        return 0.0;
    }
    return o->window ? (double)((const float *)o->window->data)[place] : 1.0;
}

// The sum of the squared windows that cover a sample.
static double envelope_at(const struct overlap *o, int64_t sample)
{
    double sum = 0.0;
    const int64_t size = o->transform.size, first = sample < size ? 0 : (sample - size) / o->hop + 1;
    for (int64_t w = first; w < o->windows && w * o->hop <= sample; w++) {
        const double factor = window_at(o, sample - w * o->hop);
        sum += factor * factor;
    }
    return sum;
}

// Reads the node; returns what is refused, or NULL.
static const char *read_overlap(const struct rl_node *node, const struct rl_complex_parts *parts, struct overlap *o)
{
    const struct rl_tensor_type *from = &parts->real->type, *result = &node->results[0]->type;
    const int64_t size = rl_node_int(node, "n_fft");
    const struct rl_arg *one_sided = rl_node_arg(node, "onesided");
    const bool is_centered = rl_node_bool(node, "center");
    if (from->rank < 2 || from->rank > 3 || size < 1 || size > RL_MOST_WAVES) {
        return sizes_refused;
    }
    o->transform = (struct inverse){.frequencies = from->sizes[from->rank - 2],
                                    .size = size,
                                    .one_sided = one_sided->kind == RL_ARG_NONE || rl_node_bool(node, "onesided"),
                                    .scale = 1.0 / (double)size};
    if (rl_node_bool(node, "normalized")) {
        o->transform.scale = 1.0 / sqrt((double)size);
    }
    o->hop = rl_fourier_int_or(node, "hop_length", size / 4);
    o->windows = from->sizes[from->rank - 1];
    o->batch = from->rank == 3 ? from->sizes[0] : 1;
    o->window = rl_node_tensor(node, "window");
    o->window_size = rl_fourier_int_or(node, "win_length", size);
    if (rl_node_bool(node, "return_complex") || o->window_size < 1 || o->window_size > size ||
        (o->window && !rl_is_window(o->window, o->window_size))) {
        return "a complex signal, or a window that is computed; accepted: real signals, a constant window";
    }
    const int64_t frequencies = o->transform.one_sided ? size / 2 + 1 : size;
    if (o->transform.frequencies != frequencies || o->hop < 1 || o->hop > size || o->windows < 1 ||
        o->windows > RL_MOST_WAVES || o->batch < 1 || 2 * frequencies > RL_MOST_WAVES / size ||
        result->rank != from->rank - 1 || (result->rank == 2 && result->sizes[0] != o->batch)) {
        return sizes_refused;
    }
    const int64_t length = size + o->hop * (o->windows - 1);
    o->start = is_centered ? size / 2 : 0;
    o->end = o->start + result->sizes[result->rank - 1];
    if (o->end - o->start > MOST_SAMPLES || o->end > length) {
        return "more samples than its windows cover, or more than 4 million";
    }
    return NULL;
}

// The waves of all frequencies [2 * frequencies, 1, size], times the window and a factor.
static struct rl_value *waves(const struct rl_build *at, const struct overlap *o, double factor)
{
    const int64_t frequencies = o->transform.frequencies, size = o->transform.size;
    const int64_t sizes[3] = {2 * frequencies, 1, size};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 3, sizes);
    float *data = rl_arena_array(at->graph->arena, (size_t)(sizes[0] * size), sizeof *data);
    for (int64_t k = 0; k < sizes[0]; k++) {
        const bool imaginary = k >= frequencies;
        for (int64_t n = 0; n < size; n++) {
            const double wave = weight_at(&o->transform, imaginary ? k - frequencies : k, n, imaginary);
            data[k * size + n] = (float)(wave * window_at(o, n) * factor);
        }
    }
    return weights(at, &type, data);
}

// One over the envelope of each sample of the result; NULL if a sample has none. `is_even` tells whether all are alike.
static float *factors(const struct rl_build *at, const struct overlap *o, bool *is_even)
{
    const int64_t count = o->end - o->start;
    float *data = rl_arena_array(at->graph->arena, (size_t)count, sizeof *data);
    *is_even = true;
    for (int64_t i = 0; i < count; i++) {
        const double envelope = envelope_at(o, o->start + i);
        if (!(envelope > 1e-11)) {
            return NULL;
        }
        data[i] = (float)(1.0 / envelope);
        *is_even = *is_even && fabs((double)data[i] / (double)data[0] - 1.0) < 1e-6;
    }
    return data;
}

static const char *build_istft(const struct rl_build *at, const struct rl_complex_parts *parts)
{
    struct overlap o;
    bool is_even;
    const char *refused = read_overlap(at->node, parts, &o);
    if (refused) {
        return refused;
    }
    float *factor = o.end > o.start ? factors(at, &o, &is_even) : NULL;
    if (!factor) {
        return "samples that no window covers";
    }
    const int rank = parts->real->type.rank;
    const int64_t frequencies = o.transform.frequencies, kept = o.end - o.start;
    const int64_t input[3] = {o.batch, 2 * frequencies, o.windows};
    const int64_t output[3] = {o.batch, 1, o.transform.size + o.hop * (o.windows - 1)};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 3, output);
    struct rl_value *spectrum = rl_build_view(at, joined(at, parts, rank - 2, frequencies), 3, input);
    const struct rl_arg args[] = {rl_arg_value(spectrum),
                                  rl_arg_value(waves(at, &o, is_even ? (double)factor[0] : 1.0)), rl_arg_value(NULL),
                                  rl_arg_ints(at->graph->arena, &o.hop, 1)};
    struct rl_value *signal = rl_build(at, RL_OP_aten_conv_transpose1d, &type, args, 4);
    signal = rl_build_slice(at, signal, 2, o.start, o.end);
    if (!is_even) {
        const struct rl_tensor_type line = rl_tensor_type_make(RL_FLOAT32, 1, &kept);
        struct rl_value *constant = rl_graph_take_constant(
            at->graph, rl_arena_format(at->graph->arena, "%s_envelope", at->node->name), &line, factor);
        signal = rl_build_binary(at, RL_OP_aten_mul, signal, constant);
    }
    rl_build_end_view(at, signal);
    return NULL;
}

const char *rl_build_inverse_fourier(const struct rl_build *at, const struct rl_complex_parts *parts)
{
    switch (at->node->op) {
    case RL_OP_aten_istft:
        return build_istft(at, parts);
    case RL_OP_aten_fft_irfft:
        return build_irfft(at, parts);
    case RL_OP_aten_fft_c2r:
        return build_c2r(at, parts);
    default:
        return "an operator on complex numbers; accepted: abs, angle, real, imag, view_as_real, istft, irfft";
    }
}
