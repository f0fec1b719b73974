// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/canonical/fourier.h"

#include <math.h>
#include <string.h>

#include "compiler/passes/rewrite/expression.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "runtime/math/functions.h"

// A transform of `samples`, with zeros behind them up to `size`, to `frequencies`. The samples are a window that slides
// along the last dimension of `signal` by `hop`, or with a hop of 0 that dimension itself.
struct transform {
    struct rl_value *signal;
    int64_t samples, size, frequencies, hop;
    const struct rl_value *window; // `window_size` factors, around them zeros; NULL: ones
    int64_t window_size;
    double scale;
};

double rl_wave_cosine(int64_t step, int64_t size)
{
    static const double quarters[4] = {1.0, 0.0, -1.0, 0.0};
    const double turn = 6.283185307179586;
    return 4 * step % size == 0 ? quarters[4 * step / size] : rl_math_cos(turn * (double)step / (double)size);
}

double rl_wave_sine(int64_t step, int64_t size)
{
    static const double quarters[4] = {0.0, 1.0, 0.0, -1.0};
    const double turn = 6.283185307179586;
    return 4 * step % size == 0 ? quarters[4 * step / size] : rl_math_sin(turn * (double)step / (double)size);
}

static double window_at(const struct transform *t, int64_t sample)
{
    const int64_t place = sample - (t->samples - t->window_size) / 2;
    if (place < 0 || place >= t->window_size) {
        return 0.0;
    }
    return t->window ? (double)((const float *)t->window->data)[place] : 1.0;
}

// The matrix [frequencies, size] of cosines, or of negative sines, times window and scale; also as [.., 1, size].
static struct rl_value *matrix(const struct rl_build *at, const struct transform *t, bool imaginary)
{
    const int64_t sliding[3] = {t->frequencies, 1, t->samples}, plain[2] = {t->frequencies, t->samples};
    const struct rl_tensor_type type =
        t->hop > 0 ? rl_tensor_type_make(RL_FLOAT32, 3, sliding) : rl_tensor_type_make(RL_FLOAT32, 2, plain);
    float *weights = rl_arena_array(at->graph->arena, (size_t)(t->frequencies * t->samples), sizeof *weights);
    for (int64_t k = 0; k < t->frequencies; k++) {
        for (int64_t n = 0; n < t->samples; n++) {
            const int64_t step = k * n % t->size;
            const double wave = imaginary ? 0.0 - rl_wave_sine(step, t->size) : rl_wave_cosine(step, t->size);
            weights[k * t->samples + n] = (float)(wave * window_at(t, n) * t->scale);
        }
    }
    const char *name = rl_arena_format(at->graph->arena, "%s_%s", at->node->name, imaginary ? "sines" : "cosines");
    return rl_graph_take_constant(at->graph, name, &type, weights);
}

// The part of the result. The convolution gives [batch, frequencies, windows].
static struct rl_value *part(const struct rl_build *at, const struct transform *t, bool imaginary, bool turned)
{
    const struct rl_tensor_type *result = &at->node->results[0]->type;
    struct rl_value *weights = matrix(at, t, imaginary);
    if (t->hop == 0) {
        return rl_build_linear(at, t->signal, weights, NULL);
    }
    const struct rl_tensor_type *signal = &t->signal->type;
    const int64_t batch = signal->rank == 2 ? signal->sizes[0] : 1, length = signal->sizes[signal->rank - 1];
    const int64_t input[3] = {batch, 1, length};
    const int64_t output[3] = {batch, t->frequencies, (length - t->samples) / t->hop + 1};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 3, output);
    const struct rl_arg args[] = {rl_arg_value(rl_build_view(at, t->signal, 3, input)), rl_arg_value(weights),
                                  (struct rl_arg){.kind = RL_ARG_NONE}, rl_arg_ints(at->graph->arena, &t->hop, 1)};
    struct rl_value *spectrum = rl_build(at, RL_OP_aten_conv1d, &type, args, 4);
    if (turned) {
        static const int64_t frequencies_last[3] = {0, 2, 1};
        spectrum = rl_build_permute(at, spectrum, frequencies_last);
    }
    return rl_build_view(at, spectrum, result->rank, result->sizes);
}

int64_t rl_fourier_int_or(const struct rl_node *node, const char *name, int64_t fallback)
{
    return rl_node_arg(node, name)->kind == RL_ARG_NONE ? fallback : rl_node_int(node, name);
}

static bool flag_or(const struct rl_node *node, const char *name, bool fallback)
{
    return rl_node_arg(node, name)->kind == RL_ARG_NONE ? fallback : rl_node_bool(node, name);
}

bool rl_is_window(const struct rl_value *value, int64_t count)
{
    return rl_is_float_constant(value) && rl_tensor_is_contiguous(&value->type) &&
           rl_tensor_numel(&value->type) == count && value->type.rank > 0 &&
           value->type.sizes[value->type.rank - 1] == count;
}

// Reads the sizes of a transform that slides along `signal`; false if the result has others.
static bool fits(const struct rl_node *node, const struct transform *t, bool frequencies_last)
{
    const struct rl_tensor_type *signal = &t->signal->type, *result = &node->results[0]->type;
    const int64_t length = signal->rank > 0 ? signal->sizes[signal->rank - 1] : 0;
    if (t->size < 1 || t->frequencies > RL_MOST_WAVES / t->size || length < t->samples || t->samples < 1 ||
        result->rank < 1) {
        return false;
    }
    if (t->hop == 0) {
        return result->rank == signal->rank && length == t->samples &&
               result->sizes[result->rank - 1] == t->frequencies &&
               rl_tensor_numel(signal) / t->samples == rl_tensor_numel(result) / t->frequencies;
    }
    const int64_t windows = (length - t->samples) / t->hop + 1, batch = signal->rank == 2 ? signal->sizes[0] : 1;
    const int64_t *last = &result->sizes[result->rank - 1];
    return (signal->rank == 1 || signal->rank == 2) && result->rank == signal->rank + 1 &&
           last[0] == (frequencies_last ? t->frequencies : windows) &&
           last[-1] == (frequencies_last ? windows : t->frequencies) && (result->rank == 2 || last[-2] == batch);
}

static const char *build(const struct rl_build *at, const struct transform *t, bool turned,
                         struct rl_complex_parts *parts)
{
    if (!fits(at->node, t, turned || t->hop == 0)) {
        return "a transform whose sizes do not fit, or with more than 4 million weights; accepted: signals [time] or "
               "[batch, time] of float32";
    }
    parts->real = part(at, t, false, turned);
    parts->imaginary = part(at, t, true, turned);
    return NULL;
}

static const char *build_stft(const struct rl_build *at, struct rl_complex_parts *parts)
{
    const struct rl_node *node = at->node;
    struct transform t = {.signal = rl_node_tensor(node, "self"), .size = rl_node_int(node, "n_fft"), .scale = 1.0};
    t.samples = t.size;
    t.window = rl_node_tensor(node, "window");
    t.window_size = rl_fourier_int_or(node, "win_length", t.size);
    t.hop = rl_fourier_int_or(node, "hop_length", t.size / 4);
    t.frequencies = flag_or(node, "onesided", true) ? t.size / 2 + 1 : t.size;
    if (t.signal->type.dtype != RL_FLOAT32 || flag_or(node, "align_to_window", false) || t.hop < 1 ||
        t.window_size < 1 || t.window_size > t.size || (t.window && !rl_is_window(t.window, t.window_size))) {
        return "a transform of other numbers than float32, aligned to its window, or with a window that is computed; "
               "accepted: a constant window";
    }
    if (rl_node_bool(node, "normalized")) {
        t.scale = 1.0 / sqrt((double)t.size);
    }
    return build(at, &t, false, parts);
}

// Looks behind the samples: a window that slides along a signal, perhaps times constant factors.
static void look_behind(struct transform *t)
{
    struct rl_value *self, *other, *samples = t->signal;
    const struct rl_value *window = NULL;
    if (rl_read_pair(samples, RL_OP_aten_mul, &self, &other)) {
        const bool is_first = rl_is_window(self, t->samples);
        window = is_first ? self : other;
        samples = is_first ? other : self;
        if (!rl_is_window(window, t->samples)) {
            return;
        }
    }
    const struct rl_node *unfold = rl_producer_of(samples, RL_OP_aten_unfold);
    struct rl_value *signal = unfold ? rl_node_tensor(unfold, "self") : NULL;
    const int rank = signal ? signal->type.rank : 0;
    if (rank < 1 || rank > 2 || signal->type.dtype != RL_FLOAT32 || rl_node_int(unfold, "size") != t->samples ||
        rl_dim_normalized(rl_node_int(unfold, "dimension"), rank) != rank - 1 || rl_node_int(unfold, "step") < 1) {
        return;
    }
    t->signal = signal;
    t->hop = rl_node_int(unfold, "step");
    t->window = window;
}

static const char *build_samples(const struct rl_build *at, int64_t dim, int64_t size, double scale, bool one_sided,
                                 struct rl_complex_parts *parts)
{
    struct transform t = {.signal = rl_node_tensor(at->node, "self"), .size = size, .scale = scale};
    const int rank = t.signal->type.rank;
    if (t.signal->type.dtype != RL_FLOAT32 || rank < 1 || rl_dim_normalized(dim, rank) != rank - 1) {
        return "a transform along another dimension than the last one, or of other numbers; accepted: float32";
    }
    if (size > 0 && size < t.signal->type.sizes[rank - 1]) {
        t.signal = rl_build_slice(at, t.signal, rank - 1, 0, size);
    }
    t.samples = t.window_size = t.signal->type.sizes[rank - 1];
    t.frequencies = one_sided ? t.size / 2 + 1 : t.size;
    look_behind(&t);
    return build(at, &t, t.hop > 0, parts);
}

double rl_fourier_scale(int64_t normalization, int64_t size)
{
    if (normalization == 1) {
        return 1.0 / sqrt((double)size);
    }
    return normalization == 2 ? 1.0 / (double)size : 1.0;
}

static int64_t last_size(const struct rl_node *node)
{
    const struct rl_tensor_type *type = &rl_node_tensor(node, "self")->type;
    return type->rank > 0 ? type->sizes[type->rank - 1] : 0;
}

static const char *build_rfft(const struct rl_build *at, struct rl_complex_parts *parts)
{
    const struct rl_arg *norm = rl_node_arg(at->node, "norm");
    const int64_t size = rl_fourier_int_or(at->node, "n", last_size(at->node));
    int64_t normalization = 0;
    if (norm->kind == RL_ARG_STRING && strcmp(norm->as.string, "ortho") == 0) {
        normalization = 1;
    } else if (norm->kind == RL_ARG_STRING && strcmp(norm->as.string, "forward") == 0) {
        normalization = 2;
    }
    return build_samples(at, rl_node_int(at->node, "dim"), size, rl_fourier_scale(normalization, size), true, parts);
}

static const char *build_r2c(const struct rl_build *at, struct rl_complex_parts *parts)
{
    const struct rl_arg *dims = rl_node_arg(at->node, "dim");
    const int64_t size = last_size(at->node);
    const double scale = rl_fourier_scale(rl_node_int(at->node, "normalization"), size);
    if (dims->kind != RL_ARG_INTS || dims->count != 1) {
        return "a transform along several dimensions; accepted: the last one";
    }
    return build_samples(at, dims->as.integers[0], size, scale, rl_node_bool(at->node, "onesided"), parts);
}

const char *rl_build_fourier(const struct rl_build *at, struct rl_complex_parts *parts)
{
    switch (at->node->op) {
    case RL_OP_aten_stft:
        return build_stft(at, parts);
    case RL_OP_aten_fft_rfft:
        return build_rfft(at, parts);
    case RL_OP_aten_fft_r2c:
        return build_r2c(at, parts);
    default:
        return "an operator on complex numbers; accepted: spectra (stft, rfft) and numbers of two parts, their parts, "
               "magnitudes, angles, conjugates, sums and products, inverse transforms (istft, irfft), and what moves "
               "their elements";
    }
}
