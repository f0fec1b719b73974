// SPDX-License-Identifier: Apache-2.0
//
// Transforms of complex numbers, along any dimensions: one linear layer a dimension for the real parts of its results,
// and one for the imaginary parts. Those of complex numbers take both parts side by side, so that a result is one sum.
#include <string.h>

#include "compiler/passes/canonical/fourier.h"
#include "compiler/passes/rewrite/rewrite.h"

struct transform {
    int64_t dims[RL_MAX_RANK], sizes[RL_MAX_RANK]; // in the order of the argument
    int count;
    int64_t normalization; // as PyTorch numbers it
    bool inverse;
    bool is_half; // of real numbers, or back to them: the last of the dimensions has half the frequencies
};

// One dimension of a transform.
struct line {
    int dim;
    int64_t size, results;
    double scale;
    bool inverse, gives_real; // of half the frequencies
};

static const char refused[] =
    "a transform whose sizes do not fit, or with more than 4 million weights; accepted: float32 or complex64, each "
    "dimension once";

static bool is_shown(const struct rl_arg *arg)
{
    return arg->kind == RL_ARG_INTS;
}

// How PyTorch numbers the word of an argument.
static int64_t normalization_of(const struct rl_node *node, bool inverse)
{
    const struct rl_arg *norm = rl_node_arg(node, "norm");
    const char *word = norm->kind == RL_ARG_STRING ? norm->as.string : "backward";
    if (strcmp(word, "ortho") == 0) {
        return 1;
    }
    return (strcmp(word, "forward") == 0) != inverse ? 2 : 0;
}

// Reads dimensions and sizes that the model may leave out.
static bool read_dims(const struct rl_node *node, const struct rl_tensor_type *from, struct transform *t)
{
    const struct rl_arg *dims = rl_node_arg(node, "dim"), *sizes = rl_node_arg(node, "s");
    t->count = is_shown(sizes) ? sizes->count : from->rank;
    t->count = is_shown(dims) ? dims->count : t->count;
    if (t->count < 1 || t->count > from->rank || (is_shown(sizes) && sizes->count != t->count)) {
        return false;
    }
    for (int i = 0; i < t->count; i++) {
        t->dims[i] = is_shown(dims) ? dims->as.integers[i] : from->rank - t->count + i;
        t->sizes[i] = is_shown(sizes) ? sizes->as.integers[i] : -1;
    }
    return true;
}

static void read_internal(const struct rl_node *node, struct transform *t)
{
    const struct rl_arg *dims = rl_node_arg(node, "dim");
    t->count = is_shown(dims) && dims->count <= RL_MAX_RANK ? dims->count : 0;
    t->normalization = rl_node_int(node, "normalization");
    for (int i = 0; i < t->count; i++) {
        t->dims[i] = dims->as.integers[i];
        t->sizes[i] = -1;
    }
}

static bool takes_one_dim(enum rl_op_id op)
{
    return op == RL_OP_aten_fft_fft || op == RL_OP_aten_fft_ifft || op == RL_OP_aten_fft_rfft ||
           op == RL_OP_aten_fft_irfft;
}

static bool is_last(const struct rl_node *node, int64_t dim)
{
    const int rank = node->args[0].as.value->type.rank;
    return rl_dim_normalized(dim, rank) == rank - 1;
}

bool rl_is_transform(const struct rl_node *node)
{
    switch (node->op) {
    case RL_OP_aten_fft_c2c:
    case RL_OP_aten_fft_fft:
    case RL_OP_aten_fft_ifft:
    case RL_OP_aten_fft_fft2:
    case RL_OP_aten_fft_ifft2:
    case RL_OP_aten_fft_rfft2:
    case RL_OP_aten_fft_irfft2:
    case RL_OP_aten_fft_fftn:
    case RL_OP_aten_fft_ifftn:
    case RL_OP_aten_fft_rfftn:
    case RL_OP_aten_fft_irfftn:
        return true;
    case RL_OP_aten_fft_rfft:
    case RL_OP_aten_fft_irfft:
        return !is_last(node, rl_node_int(node, "dim"));
    case RL_OP_aten_fft_r2c:
    case RL_OP_aten_fft_c2r:
        return rl_node_arg(node, "dim")->count != 1 || !is_last(node, rl_node_arg(node, "dim")->as.integers[0]);
    default:
        return false;
    }
}

static bool read_transform(const struct rl_node *node, const struct rl_tensor_type *from, struct transform *t)
{
    *t = (struct transform){.count = 0};
    switch (node->op) {
    case RL_OP_aten_fft_c2c:
        read_internal(node, t);
        t->inverse = !rl_node_bool(node, "forward");
        return t->count > 0;
    case RL_OP_aten_fft_r2c:
        read_internal(node, t);
        t->is_half = rl_node_bool(node, "onesided");
        return t->count > 0;
    case RL_OP_aten_fft_c2r:
        read_internal(node, t);
        t->is_half = t->inverse = true;
        if (t->count > 0) {
            t->sizes[t->count - 1] = rl_node_int(node, "last_dim_size");
        }
        return t->count > 0;
    default:
        break;
    }
    t->inverse = node->op == RL_OP_aten_fft_ifft || node->op == RL_OP_aten_fft_ifft2 ||
                 node->op == RL_OP_aten_fft_ifftn || node->op == RL_OP_aten_fft_irfft ||
                 node->op == RL_OP_aten_fft_irfft2 || node->op == RL_OP_aten_fft_irfftn;
    t->is_half = node->op == RL_OP_aten_fft_rfft || node->op == RL_OP_aten_fft_rfft2 ||
                 node->op == RL_OP_aten_fft_rfftn || node->op == RL_OP_aten_fft_irfft ||
                 node->op == RL_OP_aten_fft_irfft2 || node->op == RL_OP_aten_fft_irfftn;
    t->normalization = normalization_of(node, t->inverse);
    if (!takes_one_dim(node->op)) {
        return read_dims(node, from, t);
    }
    t->count = 1;
    t->dims[0] = rl_node_int(node, "dim");
    t->sizes[0] = rl_fourier_int_or(node, "n", -1);
    return true;
}

// What part `column` of the numbers adds to part `row` of a result. A real result counts each frequency for both sides.
static double weight_at(const struct line *line, int64_t column, int64_t row, bool from_imaginary, bool to_imaginary)
{
    const int64_t step = column * row % line->size;
    const double sine = line->inverse ? rl_wave_sine(step, line->size) : 0.0 - rl_wave_sine(step, line->size);
    const bool is_middle = column == 0 || 2 * column == line->size;
    const double scale = line->scale * (line->gives_real && !is_middle ? 2.0 : 1.0);
    if (from_imaginary == to_imaginary) {
        return scale * rl_wave_cosine(step, line->size);
    }
    return scale * (to_imaginary ? sine : 0.0 - sine);
}

static struct rl_value *build_part(const struct rl_build *at, const struct line *line, struct rl_value *numbers,
                                   int64_t samples, bool to_imaginary)
{
    const int64_t columns = numbers->type.sizes[numbers->type.rank - 1], sizes[] = {line->results, columns};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, 2, sizes);
    float *weights = rl_arena_array(at->graph->arena, (size_t)(line->results * columns), sizeof *weights);
    for (int64_t row = 0; row < line->results; row++) {
        for (int64_t k = 0; k < columns; k++) {
            weights[row * columns + k] = (float)weight_at(line, k % samples, row, k >= samples, to_imaginary);
        }
    }
    const char *name = rl_arena_format(at->graph->arena, "%s_%s", at->node->name, to_imaginary ? "sines" : "cosines");
    return rl_build_linear(at, numbers, rl_graph_take_constant(at->graph, name, &type, weights), NULL);
}

// Exchanges a dimension with the last one.
static struct rl_value *exchanged(const struct rl_build *at, struct rl_value *value, int dim)
{
    int64_t dims[RL_MAX_RANK];
    const int last = value->type.rank - 1;
    for (int d = 0; d <= last; d++) {
        dims[d] = d == dim ? last : d;
    }
    dims[last] = dim;
    return dim == last ? value : rl_build_permute(at, value, dims);
}

// Transforms along a dimension. The imaginary part may be NULL before, for zeros, and is NULL behind a real result.
static bool build_line(const struct rl_build *at, const struct line *line, struct rl_complex_parts *parts)
{
    const struct rl_tensor_type *type = &parts->real->type;
    const int last = type->rank - 1;
    const int64_t most = line->gives_real ? line->results / 2 + 1 : line->size, own = type->sizes[line->dim];
    const int64_t samples = own < most ? own : most;
    if (line->size < 1 || line->size > RL_MOST_WAVES || samples < 1 || line->results < 1 ||
        line->results > RL_MOST_WAVES / (2 * samples)) {
        return false;
    }
    struct rl_value *both[2] = {parts->real, parts->imaginary};
    const int count = both[1] ? 2 : 1;
    for (int i = 0; i < count; i++) {
        both[i] = exchanged(at, both[i], line->dim);
        both[i] = samples < own ? rl_build_slice(at, both[i], last, 0, samples) : both[i];
    }
    struct rl_value *numbers = count == 2 ? rl_build_cat(at, both, 2, last) : both[0];
    parts->real = exchanged(at, build_part(at, line, numbers, samples, false), line->dim);
    parts->imaginary = NULL;
    if (!line->gives_real) {
        parts->imaginary = exchanged(at, build_part(at, line, numbers, samples, true), line->dim);
    }
    return true;
}

static bool fits(const struct rl_node *node, const struct rl_complex_parts *parts)
{
    struct rl_tensor_type type = node->results[0]->type;
    type.dtype = RL_FLOAT32;
    const bool is_real = !parts->imaginary;
    return rl_tensor_same_sizes(&type, &parts->real->type) && (node->results[0]->type.dtype == RL_FLOAT32) == is_real;
}

const char *rl_build_transform(const struct rl_build *at, struct rl_complex_parts *parts)
{
    struct transform t;
    const struct rl_tensor_type from = parts->real->type;
    bool seen[RL_MAX_RANK] = {false};
    if (from.dtype != RL_FLOAT32 || !read_transform(at->node, &from, &t) || t.normalization < 0 ||
        t.normalization > 2 || (parts->imaginary && t.is_half && !t.inverse)) {
        return refused;
    }
    for (int i = 0; i < t.count; i++) {
        // The half dimension is the first to be transformed from real numbers, and the last one back to them.
        const int which = t.is_half && !t.inverse ? t.count - 1 - i : i;
        const bool is_half = t.is_half && which == t.count - 1;
        struct line line = {.dim = rl_dim_normalized(t.dims[which], from.rank), .inverse = t.inverse};
        if (line.dim < 0 || seen[line.dim]) {
            return refused;
        }
        seen[line.dim] = true;
        const int64_t own = from.sizes[line.dim], all = is_half && t.inverse ? 2 * (own - 1) : own;
        line.size = t.sizes[which] == -1 ? all : t.sizes[which];
        line.results = is_half && !t.inverse ? line.size / 2 + 1 : line.size;
        line.gives_real = is_half && t.inverse;
        line.scale = line.size > 0 ? rl_fourier_scale(t.normalization, line.size) : 1.0;
        if (!build_line(at, &line, parts)) {
            return refused;
        }
    }
    return fits(at->node, parts) ? NULL : refused;
}
