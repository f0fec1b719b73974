// SPDX-License-Identifier: Apache-2.0
//
// The rules of spell_out for products of vectors and matrices.
#include "compiler/passes/canonical/spell_out.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

bool rl_spell_product(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value, *other = node->args[1].as.value;
    if (!rl_are_floats(self, other) || self->type.rank == 0 || other->type.rank == 0 || other->type.rank > 2) {
        return rl_decline(pass->graph, node, "other operands than a tensor of floats and a vector or matrix of floats");
    }
    const int64_t turned[] = {1, 0};
    const struct rl_arg args[] = {rl_arg_value(self),
                                  rl_arg_value(other->type.rank == 1 ? other : rl_build_permute(&at, other, turned))};
    rl_build_end(&at, RL_OP_aten_matmul, args, 2);
    return true;
}

bool rl_spell_vector_product(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = rl_node_tensor(node, "x"), *y = rl_node_tensor(node, "y");
    if (!rl_are_floats(x, y)) {
        return rl_decline(pass->graph, node, "other operands than floats of one type");
    }
    struct rl_value *product = rl_build_binary(&at, RL_OP_aten_mul, x, y);
    const int64_t dim = rl_dim_normalized(rl_node_int(node, "dim"), product->type.rank);
    if (dim < 0) {
        return rl_decline(pass->graph, node, "a dimension out of range");
    }
    rl_build_end_view(&at, rl_build_reduce(&at, RL_OP_aten_sum_dim_intlist, product, &dim, 1));
    return true;
}

// ---- cross products

// Element i becomes element i + `places`.
static struct rl_value *rolled(const struct rl_build *at, struct rl_value *value, int64_t places, int64_t dim)
{
    const int64_t shift = -places;
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_ints(at->graph->arena, &shift, 1),
                                  rl_arg_ints(at->graph->arena, &dim, 1)};
    return rl_build(at, RL_OP_aten_roll, &value->type, args, 3);
}

// Without a dimension it is the first one of size 3.
static int cross_dim(const struct rl_node *node, const struct rl_tensor_type *type)
{
    const struct rl_arg *given = rl_node_arg(node, "dim");
    if (given->kind == RL_ARG_INT) {
        return rl_dim_normalized(given->as.integer, type->rank);
    }
    for (int d = 0; d < type->rank; d++) {
        if (type->sizes[d] == 3) {
            return d;
        }
    }
    return -1;
}

// Element i is a[i + 1] * b[i + 2] - a[i + 2] * b[i + 1], counted around.
bool rl_spell_cross(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *a = rl_node_tensor(node, "self"), *b = rl_node_tensor(node, "other");
    const int64_t dim = cross_dim(node, &a->type);
    if (!rl_are_floats(a, b) || a->type.rank != b->type.rank || dim < 0 || a->type.sizes[dim] != 3 ||
        b->type.sizes[dim] != 3) {
        return rl_decline(pass->graph, node, "other operands than vectors of three floats, of as many dimensions");
    }
    struct rl_value *products[2];
    for (int i = 0; i < 2; i++) {
        struct rl_value *first = rolled(&at, a, 1 + i, dim), *second = rolled(&at, b, 2 - i, dim);
        products[i] = rl_build_binary(&at, RL_OP_aten_mul, first, second);
    }
    const struct rl_arg args[] = {rl_arg_value(products[0]), rl_arg_value(products[1])};
    rl_build_end(&at, RL_OP_aten_sub_tensor, args, 2);
    return true;
}

// ---- sums with a product

static bool is_number(const struct rl_arg *arg, double number)
{
    return (arg->kind == RL_ARG_INT && (double)arg->as.integer == number) ||
           (arg->kind == RL_ARG_DOUBLE && arg->as.number == number);
}

static struct rl_value *times(const struct rl_build *at, struct rl_value *value, const struct rl_arg *factor)
{
    if (is_number(factor, 1.0)) {
        return value;
    }
    const struct rl_arg args[] = {rl_arg_value(value), *factor};
    return rl_build(at, RL_OP_aten_mul_scalar, &value->type, args, 2);
}

// A matrix times a matrix, or a batch of them times another.
static struct rl_value *product_of(const struct rl_build *at, struct rl_value *a, struct rl_value *b)
{
    return rl_build_product(at, RL_OP_aten_matmul, a, b);
}

// The product of a matrix and a vector, of two vectors, or the sum of those of two batches of matrices, which is one of
// two matrices.
static struct rl_value *added_product(const struct rl_build *at, struct rl_value *a, struct rl_value *b)
{
    const int64_t *sizes = a->type.sizes, first = b->type.sizes[0];
    if (at->node->op == RL_OP_aten_addbmm) {
        static const int64_t rows_first[] = {1, 0, 2};
        const int64_t wide[] = {sizes[1], sizes[0] * sizes[2]}, tall[] = {first * b->type.sizes[1], b->type.sizes[2]};
        struct rl_value *side_by_side = rl_build_view(at, rl_build_permute(at, a, rows_first), 2, wide);
        return product_of(at, side_by_side, rl_build_view(at, b, 2, tall));
    }
    const bool is_outer = at->node->op == RL_OP_aten_addr;
    const int64_t left[] = {sizes[0], is_outer ? 1 : sizes[1]}, right[] = {is_outer ? 1 : first, is_outer ? first : 1};
    struct rl_value *column_or_matrix = rl_build_view(at, a, 2, left), *row_or_column = rl_build_view(at, b, 2, right);
    if (is_outer) {
        return rl_build_binary(at, RL_OP_aten_mul, column_or_matrix, row_or_column);
    }
    return rl_build_view(at, product_of(at, column_or_matrix, row_or_column), 1, left);
}

static bool has_ranks(enum rl_op_id op, const struct rl_value *a, const struct rl_value *b)
{
    switch (op) {
    case RL_OP_aten_addr:
        return a->type.rank == 1 && b->type.rank == 1;
    case RL_OP_aten_addmv:
        return a->type.rank == 2 && b->type.rank == 1;
    default:
        return a->type.rank == 3 && b->type.rank == 3;
    }
}

// addr, addmv, addbmm: beta * self + alpha * product. A beta of 0 hides NaN of self, as in PyTorch.
bool rl_spell_sum_with_product(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = node->args[0].as.value, *a = node->args[1].as.value, *b = node->args[2].as.value;
    if (!rl_are_floats(a, b) || !rl_are_floats(a, self) || !has_ranks(node->op, a, b)) {
        return rl_decline(pass->graph, node, "other operands than floats of one type");
    }
    struct rl_value *product = times(&at, added_product(&at, a, b), rl_node_arg(node, "alpha"));
    if (is_number(rl_node_arg(node, "beta"), 0.0)) {
        rl_build_end_view(&at, product);
        return true;
    }
    const struct rl_arg args[] = {rl_arg_value(times(&at, self, rl_node_arg(node, "beta"))), rl_arg_value(product)};
    rl_build_end(&at, RL_OP_aten_add, args, 2);
    return true;
}

// ---- products of several matrices

// From left to right. The first may be a row, the last a column.
bool rl_spell_chain(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    const struct rl_arg *matrices = &node->args[0];
    struct rl_value *product = NULL;
    if (matrices->count < 1) {
        return rl_decline(pass->graph, node, "no factors; accepted: 1 and more");
    }
    for (int i = 0; i < matrices->count; i++) {
        struct rl_value *factor = matrices->as.values[i];
        const int64_t size = factor->type.rank > 0 ? factor->type.sizes[0] : 0, row[] = {1, size}, column[] = {size, 1};
        const bool is_vector = factor->type.rank == 1;
        if (!rl_are_floats(factor, matrices->as.values[0]) || (factor->type.rank != 2 && !is_vector) ||
            (is_vector && i != 0 && i != matrices->count - 1)) {
            return rl_decline(pass->graph, node, "other factors than matrices of floats of one type");
        }
        factor = is_vector ? rl_build_view(&at, factor, 2, i == 0 ? row : column) : factor;
        product = product ? product_of(&at, product, factor) : factor;
    }
    rl_build_end_view(&at, product);
    return true;
}

enum { LARGEST_POWER = 64 };

// A matrix of ones on its diagonal for each of a batch.
static bool end_with_unit(const struct rl_pass *pass, struct rl_node *node, const struct rl_tensor_type *type)
{
    enum { LARGEST_UNIT = 4096 };
    const struct rl_build at = {pass->graph, node};
    const int64_t *sizes = &type->sizes[type->rank - 2];
    if (type->dtype != RL_FLOAT32 || sizes[0] != sizes[1] || sizes[0] < 1 || sizes[0] > LARGEST_UNIT) {
        return rl_decline(pass->graph, node, "exponent 0 of other than square matrices of float32, of %d rows at most",
                          LARGEST_UNIT);
    }
    float *unit = rl_arena_array(pass->graph->arena, (size_t)(sizes[0] * sizes[0]), sizeof *unit);
    for (int64_t i = 0; i < sizes[0] * sizes[0]; i++) {
        unit[i] = i % (sizes[0] + 1) == 0 ? 1.0f : 0.0f;
    }
    const struct rl_tensor_type square = rl_tensor_type_make(RL_FLOAT32, 2, sizes);
    const char *name = rl_arena_format(pass->graph->arena, "%s_unit", node->name);
    struct rl_value *matrix = rl_graph_add_constant(pass->graph, name, &square, unit);
    rl_build_end_view(&at, rl_build_expand(&at, matrix, type->rank, type->sizes));
    return true;
}

bool rl_spell_matrix_power(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *square = node->args[0].as.value, *power = NULL;
    int64_t rest = node->args[1].as.integer;
    if (!rl_scalar_is_floating(square->type.dtype) || square->type.rank < 2 || rest < 0 || rest > LARGEST_POWER) {
        return rl_decline(pass->graph, node, "rank %d, exponent %lld; accepted: matrices of floats, and 0 to %d",
                          square->type.rank, (long long)rest, LARGEST_POWER);
    }
    if (rest == 0) {
        return end_with_unit(pass, node, &square->type);
    }
    for (; rest > 0; rest /= 2) {
        if (rest % 2 != 0) {
            power = power ? product_of(&at, power, square) : square;
        }
        square = rest > 1 ? product_of(&at, square, square) : square;
    }
    rl_build_end_view(&at, power);
    return true;
}

// Every element of self times the whole other: sizes of both alternate, then each pair is one dimension. Sizes of 1
// are left out.
// Powers of a vector along a new last dimension, the first ones last unless they increase.
bool rl_spell_powers(const struct rl_pass *pass, struct rl_node *node)
{
    enum { MOST_POWERS = 64 };
    const struct rl_build at = {pass->graph, node};
    struct rl_value *x = rl_node_tensor(node, "x"), *columns[MOST_POWERS];
    const struct rl_tensor_type *to = &node->results[0]->type;
    const bool increases = node->op == RL_OP_aten_linalg_vander || rl_node_bool(node, "increasing");
    const int rank = x->type.rank;
    const int64_t count = to->rank > 0 ? to->sizes[to->rank - 1] : 0;
    if (x->type.dtype != RL_FLOAT32 || rank < 1 || to->rank != rank + 1 || count < 1 || count > MOST_POWERS) {
        return rl_decline(pass->graph, node, "%lld powers of rank %d; accepted: 1 to %d of vectors of float32",
                          (long long)count, rank, MOST_POWERS);
    }
    int64_t sizes[RL_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        sizes[d] = x->type.sizes[d];
    }
    sizes[rank] = 1;
    struct rl_value *base = rl_build_view(&at, x, rank + 1, sizes), *power = NULL;
    for (int64_t i = 0; i < count; i++) {
        if (i < 2) {
            power = i == 0 ? rl_build_constant(&at, rank + 1, sizes, 1.0) : base;
        } else {
            power = rl_build_binary(&at, RL_OP_aten_mul, power, base);
        }
        columns[increases ? i : count - 1 - i] = power;
    }
    rl_build_end_view(&at, rl_build_cat(&at, columns, (int)count, rank));
    return true;
}

bool rl_spell_kron(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *operands[] = {rl_node_tensor(node, "self"), rl_node_tensor(node, "other")};
    const int result_rank = node->results[0]->type.rank;
    const enum rl_scalar_type dtype = node->results[0]->type.dtype;
    int64_t sizes[2][RL_MAX_RANK];
    int rank = 0;
    if (operands[0]->type.dtype != dtype || operands[1]->type.dtype != dtype) {
        return rl_decline(pass->graph, node, "operands of two types; accepted: one type");
    }
    for (int d = 0; d < result_rank; d++) {
        for (int i = 0; i < 2; i++) {
            const struct rl_tensor_type *type = &operands[i]->type;
            const int from = d - (result_rank - type->rank);
            const int64_t size = from < 0 ? 1 : type->sizes[from];
            if (size != 1 && rank == RL_MAX_RANK) {
                return rl_decline(pass->graph, node, "more than %d dimensions of both operands", RL_MAX_RANK);
            }
            if (size != 1) {
                sizes[i][rank] = size;
                sizes[1 - i][rank++] = 1;
            }
        }
    }
    struct rl_value *a = rl_build_view(&at, operands[0], rank, sizes[0]);
    rl_build_end_view(&at, rl_build_binary(&at, RL_OP_aten_mul, a, rl_build_view(&at, operands[1], rank, sizes[1])));
    return true;
}

// ---- grids

// Coordinate `i` of `count` pixels from -1 to 1: of their middles, or with the outer ones at the ends.
static float coordinate(int64_t i, int64_t count, bool corners)
{
    const double steps = corners ? (double)(count - 1) : (double)count;
    if (count == 1) {
        return 0.0f;
    }
    return (float)((corners ? 2.0 * (double)i : 2.0 * (double)i + 1.0) / steps - 1.0);
}

enum { MOST_PIXELS = 1 << 20 };

// theta [n, k, k + 1] turns the coordinates of each pixel, and 1, into others: a linear layer, whose weights are the
// pixels, x before y before z.
bool rl_spell_affine_grid(const struct rl_pass *pass, struct rl_node *node)
{
    const struct rl_build at = {pass->graph, node};
    struct rl_value *theta = rl_node_tensor(node, "theta");
    const struct rl_tensor_type *to = &node->results[0]->type;
    const int sides = to->rank - 2;
    const bool has_images = (sides == 2 || sides == 3) && to->sizes[0] > 0;
    const int64_t pixels = has_images ? rl_tensor_numel(to) / to->sizes[0] / sides : 0;
    if (theta->type.dtype != RL_FLOAT32 || theta->type.rank != 3 || theta->type.sizes[1] != sides ||
        theta->type.sizes[2] != sides + 1 || pixels < 1 || pixels > MOST_PIXELS) {
        return rl_decline(pass->graph, node, "other than float32 matrices for images or volumes of 1 to %d pixels",
                          MOST_PIXELS);
    }
    const int64_t sizes[] = {pixels, sides + 1};
    struct rl_value *points = rl_build_constant(&at, 2, sizes, 1.0);
    float *data = (float *)points->data;
    for (int64_t p = 0; p < pixels; p++) {
        int64_t rest = p;
        for (int s = 0; s < sides; s++) {
            const int64_t count = to->sizes[sides - s];
            data[p * (sides + 1) + s] = coordinate(rest % count, count, rl_node_bool(node, "align_corners"));
            rest /= count;
        }
    }
    static const int64_t pixels_first[] = {0, 2, 1};
    struct rl_value *turned = rl_build_linear(&at, theta, points, NULL);
    rl_build_end_view(&at, rl_build_permute(&at, turned, pixels_first));
    return true;
}
