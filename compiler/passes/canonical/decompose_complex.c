// SPDX-License-Identifier: Apache-2.0
//
// decompose_complex: spectra become two real tensors, their real and their imaginary parts.
//   needs   constant windows (fold_creation)
//   keeps   values up to rounding; the names of real results
//   breaks  nothing; no complex number is left
//
//   stft(x), rfft(x.unfold(-1, N, hop) * window)   conv1d(x, cosines), conv1d(x, -sines)
//   rfft(x)                                        linear(x, cosines), linear(x, -sines)
//   istft(z), irfft(z)                             conv_transpose1d, linear of both parts
//   complex(a, b), view_as_complex, polar          a, b; slices; r * cos(t), r * sin(t)
//   z * w, z + w, z - w, z.conj()                  the same on the parts
//   z.abs()                                        sqrt(a * a + b * b); without the root where it is squared
//   z.angle()                                      atan2(b, a)
//   fft, ifft, fft2, rfft2, ...                    linear layers of both parts, a dimension after the other
//   matmul, einsum, cat, stack, pads of zeros      the same on the parts
//   z.real, z.imag, view_as_real(z)                a, b, both
//
// Movements of z and products with real numbers are done to both parts. A fast transform would take fewer products, but
// loses precision in integers at each of its steps; a convolution rounds once.
#include "compiler/passes/passes.h"

#include "compiler/passes/canonical/fourier.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "compiler/support/name_map.h"

struct spectra {
    struct rl_graph *graph;
    struct rl_name_map parts;   // of complex values, and of the results of view_as_real
    struct rl_name_map squares; // struct rl_value: the squares of magnitudes
};

static bool is_complex(const struct rl_value *value)
{
    return value->type.dtype == RL_COMPLEX64;
}

// The index of the only complex argument; -1 if there is none, or more than one.
static int complex_argument(const struct rl_node *node)
{
    int found = -1;
    for (int i = 0; i < node->arg_count; i++) {
        if (node->args[i].kind == RL_ARG_VALUE && is_complex(node->args[i].as.value)) {
            if (found >= 0) {
                return -1;
            }
            found = i;
        }
    }
    return found;
}

static const struct rl_complex_parts *parts_of(const struct spectra *s, const struct rl_node *node, int argument)
{
    return argument < 0 ? NULL : rl_name_map_find(&s->parts, node->args[argument].as.value->name);
}

static void keep_parts(struct spectra *s, const struct rl_value *value, struct rl_complex_parts parts)
{
    struct rl_complex_parts *kept = rl_arena_alloc(s->graph->arena, sizeof *kept);
    *kept = parts;
    rl_name_map_add(&s->parts, value->name, kept);
}

// ---- complex results

// A pad with zeros, or with numbers of its operand.
static bool is_zero_pad(const struct rl_node *node)
{
    if (node->op != RL_OP_aten_pad && node->op != RL_OP_aten_constant_pad_nd) {
        return false;
    }
    const struct rl_arg *value = rl_node_arg(node, "value");
    return value->kind == RL_ARG_NONE || rl_node_number(node, "value") == 0.0;
}

// Operators that do the same to the real and to the imaginary part.
static bool keeps_parts_apart(const struct rl_node *node, int argument)
{
    const struct rl_op *op = rl_op_get(node->op);
    if (node->result_count != 1) {
        return false;
    }
    return node->op == RL_OP_aten_mul || is_zero_pad(node) ||
           (argument == 0 && (node->op == RL_OP_aten_div_tensor || op->rearranges != RL_REARRANGES_OTHERWISE));
}

static struct rl_value *on_part(const struct rl_build *at, int argument, struct rl_value *part)
{
    const struct rl_node *node = at->node;
    const struct rl_tensor_type *result = &node->results[0]->type;
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, result->rank, result->sizes);
    struct rl_arg *args = rl_arena_array(at->graph->arena, (size_t)node->arg_count, sizeof *args);
    for (int i = 0; i < node->arg_count; i++) {
        args[i] = i == argument ? rl_arg_value(part) : node->args[i];
    }
    return rl_build(at, node->op, &type, args, node->arg_count);
}

// Sums, differences and products of two complex numbers.
static bool combine(const struct spectra *s, const struct rl_build *at, struct rl_complex_parts *parts)
{
    const struct rl_node *node = at->node;
    const bool is_product = node->op == RL_OP_aten_mul;
    const bool is_sum = node->op == RL_OP_aten_add || node->op == RL_OP_aten_sub_tensor;
    if ((!is_product && !is_sum) || node->args[0].kind != RL_ARG_VALUE || node->args[1].kind != RL_ARG_VALUE ||
        (is_sum && rl_node_number(node, "alpha") != 1.0)) {
        return false;
    }
    const struct rl_complex_parts *a = parts_of(s, node, 0), *b = parts_of(s, node, 1);
    if (!a || !b || !is_complex(node->args[0].as.value) || !is_complex(node->args[1].as.value)) {
        return false;
    }
    if (is_sum) {
        parts->real = rl_build_binary(at, node->op, a->real, b->real);
        parts->imaginary = rl_build_binary(at, node->op, a->imaginary, b->imaginary);
        return true;
    }
    struct rl_value *products[4] = {rl_build_binary(at, RL_OP_aten_mul, a->real, b->real),
                                    rl_build_binary(at, RL_OP_aten_mul, a->imaginary, b->imaginary),
                                    rl_build_binary(at, RL_OP_aten_mul, a->real, b->imaginary),
                                    rl_build_binary(at, RL_OP_aten_mul, a->imaginary, b->real)};
    parts->real = rl_build_binary(at, RL_OP_aten_sub_tensor, products[0], products[1]);
    parts->imaginary = rl_build_binary(at, RL_OP_aten_add, products[2], products[3]);
    return true;
}

// A product of matrices like the node, of real tensors.
static struct rl_value *product_of(const struct rl_build *at, struct rl_value *a, struct rl_value *b)
{
    const struct rl_node *node = at->node;
    const struct rl_tensor_type *result = &node->results[0]->type;
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, result->rank, result->sizes);
    struct rl_arg *args = rl_arena_array(at->graph->arena, (size_t)node->arg_count, sizeof *args);
    struct rl_value *both[2] = {a, b};
    for (int i = 0; i < node->arg_count; i++) {
        args[i] = node->args[i];
        if (node->op == RL_OP_aten_einsum && args[i].kind == RL_ARG_VALUES) {
            args[i] = rl_arg_values(at->graph->arena, both, 2);
        } else if (node->op != RL_OP_aten_einsum && i < 2) {
            args[i] = rl_arg_value(both[i]);
        }
    }
    return rl_build(at, node->op, &type, args, node->arg_count);
}

// Reads the parts of an operand; a real one has no imaginary part.
static bool read_operand(const struct spectra *s, struct rl_value *value, struct rl_complex_parts *parts)
{
    const struct rl_complex_parts *known = is_complex(value) ? rl_name_map_find(&s->parts, value->name) : NULL;
    *parts = known ? *known : (struct rl_complex_parts){value, NULL};
    return known || value->type.dtype == RL_FLOAT32;
}

// Products of two matrices, one of them complex, or both.
static bool multiply(const struct spectra *s, const struct rl_build *at, struct rl_complex_parts *parts)
{
    const struct rl_node *node = at->node;
    struct rl_value *const *list = NULL;
    struct rl_complex_parts a, b;
    if (node->op == RL_OP_aten_einsum) {
        const struct rl_arg *tensors = rl_node_arg(node, "tensors");
        list = tensors->kind == RL_ARG_VALUES && tensors->count == 2 ? tensors->as.values : NULL;
    }
    const bool is_plain = node->op == RL_OP_aten_matmul || node->op == RL_OP_aten_bmm || node->op == RL_OP_aten_mm;
    if ((!list && !is_plain) || !read_operand(s, list ? list[0] : node->args[0].as.value, &a) ||
        !read_operand(s, list ? list[1] : node->args[1].as.value, &b)) {
        return false;
    }
    parts->real = product_of(at, a.real, b.real);
    if (!a.imaginary || !b.imaginary) {
        parts->imaginary = product_of(at, a.imaginary ? a.imaginary : a.real, b.imaginary ? b.imaginary : b.real);
        return true;
    }
    struct rl_value *less = product_of(at, a.imaginary, b.imaginary);
    parts->real = rl_build_binary(at, RL_OP_aten_sub_tensor, parts->real, less);
    struct rl_value *first = product_of(at, a.real, b.imaginary), *second = product_of(at, a.imaginary, b.real);
    parts->imaginary = rl_build_binary(at, RL_OP_aten_add, first, second);
    return true;
}

// Complex tensors in one.
static bool join(const struct spectra *s, const struct rl_build *at, struct rl_complex_parts *parts)
{
    const struct rl_node *node = at->node;
    const struct rl_arg *list = &node->args[0];
    if ((node->op != RL_OP_aten_cat && node->op != RL_OP_aten_stack) || list->kind != RL_ARG_VALUES) {
        return false;
    }
    const struct rl_tensor_type *result = &node->results[0]->type;
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, result->rank, result->sizes);
    struct rl_value **real = rl_arena_array(at->graph->arena, (size_t)list->count, sizeof *real);
    struct rl_value **imaginary = rl_arena_array(at->graph->arena, (size_t)list->count, sizeof *imaginary);
    for (int i = 0; i < list->count; i++) {
        struct rl_complex_parts own;
        if (!read_operand(s, list->as.values[i], &own) || !own.imaginary) {
            return false;
        }
        real[i] = own.real;
        imaginary[i] = own.imaginary;
    }
    const struct rl_arg reals[] = {rl_arg_values(at->graph->arena, real, list->count), node->args[1]};
    const struct rl_arg others[] = {rl_arg_values(at->graph->arena, imaginary, list->count), node->args[1]};
    parts->real = rl_build(at, node->op, &type, reals, 2);
    parts->imaginary = rl_build(at, node->op, &type, others, 2);
    return true;
}

// One of two numbers that lie beside each other, in the sizes of the result.
static struct rl_value *number_of_pair(const struct rl_build *at, struct rl_value *pairs, int64_t index)
{
    const struct rl_tensor_type *type = &at->node->results[0]->type;
    struct rl_value *part = rl_build_slice(at, pairs, pairs->type.rank - 1, index, index + 1);
    return rl_build_view(at, part, type->rank, type->sizes);
}

// Complex numbers made of real ones.
static bool compose(const struct rl_build *at, struct rl_complex_parts *parts)
{
    const struct rl_node *node = at->node;
    const struct rl_tensor_type *type = &node->results[0]->type;
    struct rl_value *first = node->args[0].as.value;
    if (node->op == RL_OP_aten_view_as_complex) {
        const int rank = first->type.rank;
        if (first->type.dtype != RL_FLOAT32 || rank != type->rank + 1 || first->type.sizes[rank - 1] != 2) {
            return false;
        }
        parts->real = number_of_pair(at, first, 0);
        parts->imaginary = number_of_pair(at, first, 1);
        return true;
    }
    if (node->op != RL_OP_aten_complex && node->op != RL_OP_aten_polar) {
        return false;
    }
    struct rl_value *second = node->args[1].as.value;
    if (first->type.dtype != RL_FLOAT32 || second->type.dtype != RL_FLOAT32 ||
        !rl_tensor_same_sizes(&first->type, type) || !rl_tensor_same_sizes(&second->type, type)) {
        return false;
    }
    *parts = (struct rl_complex_parts){first, second};
    if (node->op == RL_OP_aten_polar) {
        parts->real = rl_build_binary(at, RL_OP_aten_mul, first, rl_build_unary(at, RL_OP_aten_cos, second));
        parts->imaginary = rl_build_binary(at, RL_OP_aten_mul, first, rl_build_unary(at, RL_OP_aten_sin, second));
    }
    return true;
}

static bool is_conjugate(const struct rl_node *node)
{
    return node->op == RL_OP_aten_conj || node->op == RL_OP_aten_conj_internal || node->op == RL_OP_aten_conj_physical;
}

// Returns what is refused, or NULL.
static const char *split(struct spectra *s, struct rl_node *node)
{
    const struct rl_build at = {s->graph, node};
    const int argument = complex_argument(node);
    const struct rl_complex_parts *from = parts_of(s, node, argument);
    struct rl_complex_parts parts;
    if (from && keeps_parts_apart(node, argument)) {
        parts.real = on_part(&at, argument, from->real);
        parts.imaginary = on_part(&at, argument, from->imaginary);
    } else if (from && is_conjugate(node)) {
        parts = (struct rl_complex_parts){from->real, rl_build_unary(&at, RL_OP_aten_neg, from->imaginary)};
    } else if (!combine(s, &at, &parts) && !multiply(s, &at, &parts) && !join(s, &at, &parts) &&
               !compose(&at, &parts)) {
        const bool is_any = rl_is_transform(node);
        parts = from ? *from : (struct rl_complex_parts){node->args[0].as.value, NULL};
        const char *refused = is_any ? rl_build_transform(&at, &parts) : rl_build_fourier(&at, &parts);
        if (refused) {
            return refused;
        }
    }
    keep_parts(s, node->results[0], parts);
    return NULL;
}

// ---- real results

static void take_magnitude(struct spectra *s, struct rl_node *node, const struct rl_complex_parts *parts)
{
    const struct rl_build at = {s->graph, node};
    struct rl_value *real = rl_build_binary(&at, RL_OP_aten_mul, parts->real, parts->real);
    struct rl_value *imaginary = rl_build_binary(&at, RL_OP_aten_mul, parts->imaginary, parts->imaginary);
    struct rl_value *square = rl_build_binary(&at, RL_OP_aten_add, real, imaginary);
    const struct rl_arg args[] = {rl_arg_value(square)};
    rl_name_map_add(&s->squares, node->results[0]->name, square);
    rl_build_end(&at, RL_OP_aten_sqrt, args, 1);
}

// Returns what is refused, or NULL.
static const char *show_both(struct spectra *s, struct rl_node *node, const struct rl_complex_parts *parts)
{
    const struct rl_build at = {s->graph, node};
    const struct rl_tensor_type *type = &node->results[0]->type;
    int64_t sizes[RL_MAX_RANK];
    if (type->rank < 1 || type->sizes[type->rank - 1] != 2) {
        return "a result of other sizes than those of its operand and 2";
    }
    for (int i = 0; i < type->rank; i++) {
        sizes[i] = i == type->rank - 1 ? 1 : type->sizes[i];
    }
    keep_parts(s, node->results[0], *parts);
    struct rl_value *both[] = {rl_build_view(&at, parts->real, type->rank, sizes),
                               rl_build_view(&at, parts->imaginary, type->rank, sizes)};
    rl_build_end_view(&at, rl_build_cat(&at, both, 2, type->rank - 1));
    return NULL;
}

static const char *transform_back(const struct rl_build *at, const struct rl_complex_parts *parts)
{
    struct rl_complex_parts signal = *parts;
    const char *refused = rl_build_transform(at, &signal);
    if (!refused) {
        rl_build_end_view(at, signal.real);
    }
    return refused;
}

static const char *take_real(struct spectra *s, struct rl_node *node, const struct rl_complex_parts *parts)
{
    const struct rl_build at = {s->graph, node};
    const struct rl_arg angle[] = {rl_arg_value(parts->imaginary), rl_arg_value(parts->real)};
    switch (node->op) {
    case RL_OP_aten_abs:
        take_magnitude(s, node, parts);
        return NULL;
    case RL_OP_aten_view_as_real:
        return show_both(s, node, parts);
    case RL_OP_aten_real:
        rl_build_end_view(&at, parts->real);
        return NULL;
    case RL_OP_aten_imag:
        rl_build_end_view(&at, parts->imaginary);
        return NULL;
    case RL_OP_aten_angle:
        rl_build_end(&at, RL_OP_aten_atan2, angle, 2);
        return NULL;
    default:
        return rl_is_transform(node) ? transform_back(&at, parts) : rl_build_inverse_fourier(&at, parts);
    }
}

// ---- what is simpler without the result of one of these

static void take_square(struct spectra *s, struct rl_node *node, const struct rl_value *magnitude)
{
    struct rl_value *square = rl_name_map_find(&s->squares, magnitude->name);
    if (square) {
        rl_build_end_view(&(struct rl_build){s->graph, node}, square);
    }
}

// One of the parts that view_as_real shows.
static void take_selected(struct spectra *s, struct rl_node *node)
{
    const struct rl_value *pairs = rl_node_tensor(node, "self");
    const struct rl_complex_parts *parts = rl_name_map_find(&s->parts, pairs->name);
    const int rank = pairs->type.rank;
    const int64_t index = rl_node_int(node, "index");
    if (parts && rl_dim_normalized(rl_node_int(node, "dim"), rank) == rank - 1) {
        struct rl_value *part = index == 0 || index == -2 ? parts->real : parts->imaginary;
        rl_build_end_view(&(struct rl_build){s->graph, node}, part);
    }
}

static void simplify(struct spectra *s, struct rl_node *node)
{
    switch (node->op) {
    case RL_OP_aten_pow_tensor_scalar:
        if (rl_node_number(node, "exponent") == 2.0) {
            take_square(s, node, rl_node_tensor(node, "self"));
        }
        return;
    case RL_OP_aten_square:
        take_square(s, node, rl_node_tensor(node, "self"));
        return;
    case RL_OP_aten_mul:
        if (rl_node_tensor(node, "self") == rl_node_tensor(node, "other")) {
            take_square(s, node, rl_node_tensor(node, "self"));
        }
        return;
    case RL_OP_aten_select_int:
        take_selected(s, node);
        return;
    default:
        return;
    }
}

// ---- the pass

static bool gives_complex(const struct rl_node *node)
{
    for (int i = 0; i < node->result_count; i++) {
        if (is_complex(node->results[i])) {
            return true;
        }
    }
    return false;
}

static bool takes_complex(const struct rl_node *node)
{
    for (int i = 0; i < node->arg_count; i++) {
        const struct rl_arg *arg = &node->args[i];
        if (arg->kind == RL_ARG_VALUE && is_complex(arg->as.value)) {
            return true;
        }
        for (int k = 0; arg->kind == RL_ARG_VALUES && k < arg->count; k++) {
            if (arg->as.values[k] && is_complex(arg->as.values[k])) {
                return true;
            }
        }
    }
    return false;
}

// Returns what is refused, or NULL.
static const char *make_real(struct spectra *s, struct rl_node *node)
{
    if (gives_complex(node)) {
        return split(s, node);
    }
    if (takes_complex(node)) {
        const struct rl_complex_parts *parts = parts_of(s, node, complex_argument(node));
        return parts ? take_real(s, node, parts) : "an operator on several complex tensors; accepted: on one";
    }
    simplify(s, node);
    return NULL;
}

static bool has_complex(const struct rl_graph *graph)
{
    for (const struct rl_node *node = graph->first; node; node = node->next) {
        if (gives_complex(node)) {
            return true;
        }
    }
    return false;
}

enum rl_status rl_pass_decompose_complex(struct rl_pass *pass)
{
    struct rl_graph *graph = pass->graph;
    struct spectra s = {graph, {.arena = graph->arena}, {.arena = graph->arena}};
    if (!has_complex(graph)) {
        return RL_OK;
    }
    for (struct rl_node *node = graph->first; node; node = node->next) {
        const char *refused = make_real(&s, node);
        if (refused) {
            return rl_fail(pass->context, RL_ERROR_UNSUPPORTED, "%s: node '%s' (%s): %s", graph->source, node->name,
                           rl_op_get(node->op)->name, refused);
        }
    }
    for (int i = 0; i < rl_graph_target_count(graph); i++) {
        if (is_complex(graph->outputs[i])) {
            return rl_fail(pass->context, RL_ERROR_UNSUPPORTED,
                           "%s: output '%s' has complex numbers; accepted: real ones, as torch.view_as_real gives them",
                           graph->source, graph->outputs[i]->name);
        }
    }
    rl_graph_remove_dead(graph);
    return RL_OK;
}
