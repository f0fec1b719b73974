// SPDX-License-Identifier: Apache-2.0
//
// The rules of spell_out for losses, with which models score what they see: functions of each element, or of the
// probabilities of classes, and their mean or sum.
#include "compiler/passes/canonical/spell_out.h"
#include "compiler/passes/rewrite/build.h"
#include "compiler/passes/rewrite/rewrite.h"

static struct rl_value *times(const struct rl_build *at, struct rl_value *value, double factor)
{
    return rl_build_scalar(at, RL_OP_aten_mul_scalar, value, factor);
}

static struct rl_value *product(const struct rl_build *at, struct rl_value *a, struct rl_value *b)
{
    return rl_build_binary(at, RL_OP_aten_mul, a, b);
}

static struct rl_value *difference(const struct rl_build *at, struct rl_value *a, struct rl_value *b)
{
    return rl_build_binary(at, RL_OP_aten_sub_tensor, a, b);
}

// 1 - value
static struct rl_value *rest_of(const struct rl_build *at, struct rl_value *value)
{
    return rl_build_scalar(at, RL_OP_aten_rsub_scalar, value, 1.0);
}

// ---- reductions

enum { NO_REDUCTION, MEAN }; // and the sum

static struct rl_value *reduced(const struct rl_build *at, enum rl_op_id op, struct rl_value *value)
{
    int64_t dims[RL_MAX_RANK];
    const int count = rl_all_dims(value, dims);
    return count == 0 ? value : rl_build_reduce(at, op, value, dims, count);
}

static bool has_reduction(const struct rl_pass *pass, struct rl_node *node)
{
    const int64_t reduction = rl_node_int(node, "reduction");
    return (reduction >= 0 && reduction <= 2) ||
           rl_decline(pass->graph, node, "reduction %lld; accepted: 0 to 2", (long long)reduction);
}

// The same for losses of two operands of floats.
static bool has_floats(const struct rl_pass *pass, struct rl_node *node)
{
    return has_reduction(pass, node) && (rl_are_floats(rl_node_tensor(node, "self"), rl_node_tensor(node, "target")) ||
                                         rl_decline(pass->graph, node, "other operands than floats of one type"));
}

static bool end_with(const struct rl_build *at, struct rl_value *loss)
{
    const int64_t reduction = rl_node_int(at->node, "reduction");
    if (reduction != NO_REDUCTION) {
        loss = reduced(at, reduction == MEAN ? RL_OP_aten_mean : RL_OP_aten_sum_dim_intlist, loss);
    }
    rl_build_end_view(at, loss);
    return true;
}

// ---- of differences

// With a = min(|d|, limit): a * (|d| - a / 2), which is d * d / 2 up to the limit and a straight line behind it.
static struct rl_value *bounded_square(const struct rl_build *at, struct rl_value *apart, double limit)
{
    struct rl_value *size = rl_build_unary(at, RL_OP_aten_abs, apart);
    const struct rl_arg args[] = {rl_arg_value(size), {.kind = RL_ARG_NONE}, rl_arg_double(limit)};
    struct rl_value *bounded = rl_build(at, RL_OP_aten_clamp, &size->type, args, 3);
    return product(at, bounded, difference(at, size, times(at, bounded, 0.5)));
}

static struct rl_value *loss_of(const struct rl_build *at, struct rl_value *apart)
{
    const struct rl_node *node = at->node;
    switch (node->op) {
    case RL_OP_aten_mse_loss:
        return product(at, apart, apart);
    case RL_OP_aten_huber_loss:
        return bounded_square(at, apart, rl_node_number(node, "delta"));
    case RL_OP_aten_smooth_l1_loss: {
        const double beta = rl_node_number(node, "beta");
        if (beta > 0.0) {
            return times(at, bounded_square(at, apart, beta), 1.0 / beta);
        }
        break;
    }
    default:
        break;
    }
    return rl_build_unary(at, RL_OP_aten_abs, apart);
}

bool rl_spell_loss(const struct rl_pass *pass, struct rl_node *node)
{
    if (!has_floats(pass, node)) {
        return false;
    }
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *target = rl_node_tensor(node, "target");
    return end_with(&at, loss_of(&at, difference(&at, self, target)));
}

// ---- of probabilities

// target * (log(target) - self), where self is a logarithm, and the target may be one.
bool rl_spell_divergence(const struct rl_pass *pass, struct rl_node *node)
{
    if (!has_floats(pass, node)) {
        return false;
    }
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *target = rl_node_tensor(node, "target");
    if (rl_node_bool(node, "log_target")) {
        struct rl_value *likely = rl_build_unary(&at, RL_OP_aten_exp, target);
        return end_with(&at, product(&at, likely, difference(&at, target, self)));
    }
    struct rl_value *own = rl_build_xlogy(&at, target, target);
    return end_with(&at, difference(&at, own, product(&at, target, self)));
}

// Logarithms count as -100 at least, as in PyTorch.
static struct rl_value *bounded_log(const struct rl_build *at, struct rl_value *value)
{
    struct rl_value *log = rl_build_unary(at, RL_OP_aten_log, value);
    const struct rl_arg args[] = {rl_arg_value(log), rl_arg_double(-100.0)};
    return rl_build(at, RL_OP_aten_clamp, &log->type, args, 2);
}

// -(t * log(x) + (1 - t) * log(1 - x)), or with x = sigmoid(self): (1 - t) * self - weight * log(x).
static struct rl_value *binary_loss(const struct rl_build *at, struct rl_value *self, struct rl_value *target)
{
    if (at->node->op == RL_OP_aten_binary_cross_entropy) {
        struct rl_value *log_of_rest = bounded_log(at, rest_of(at, self));
        struct rl_value *minus_rest = difference(at, target, rl_build_constant(at, 0, NULL, 1.0));
        struct rl_value *wrong = product(at, minus_rest, log_of_rest);
        return difference(at, wrong, product(at, target, bounded_log(at, self)));
    }
    struct rl_value *log = rl_build_unary(at, RL_OP_aten_log_sigmoid, self);
    struct rl_value *positive = rl_node_tensor(at->node, "pos_weight");
    if (positive) {
        struct rl_value *more = difference(at, positive, rl_build_constant(at, 0, NULL, 1.0));
        struct rl_value *weight = rl_build_scalar(at, RL_OP_aten_add_scalar, product(at, target, more), 1.0);
        log = product(at, log, weight);
    }
    return difference(at, product(at, rest_of(at, target), self), log);
}

bool rl_spell_binary_loss(const struct rl_pass *pass, struct rl_node *node)
{
    if (!has_reduction(pass, node)) {
        return false;
    }
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self"), *target = rl_node_tensor(node, "target");
    struct rl_value *weight = rl_node_tensor(node, "weight");
    if (self->type.dtype != RL_FLOAT32 || !rl_are_floats(self, target)) {
        return rl_decline(pass->graph, node, "other operands than float32");
    }
    struct rl_value *loss = binary_loss(&at, self, target);
    return end_with(&at, weight ? product(&at, loss, weight) : loss);
}

// ---- of classes

struct classes {
    struct rl_value *scores; // logarithms of probabilities
    struct rl_value *target, *weight;
    int dim;
    double smoothing; // part of the target that is spread over all classes
};

static int64_t class_count(const struct classes *classes)
{
    return classes->scores->type.sizes[classes->dim];
}

// The weights of the classes, viewed along their dimension.
static struct rl_value *weight_view(const struct rl_build *at, const struct classes *classes)
{
    int64_t sizes[RL_MAX_RANK];
    for (int d = 0; d < classes->scores->type.rank; d++) {
        sizes[d] = d == classes->dim ? class_count(classes) : 1;
    }
    return rl_build_view(at, classes->weight, classes->scores->type.rank, sizes);
}

// Minus the sum of `scores` over the classes, weighted, with the sizes of a target.
static struct rl_value *sum_of_classes(const struct rl_build *at, const struct classes *classes,
                                       struct rl_value *scores)
{
    const int64_t dim = classes->dim;
    const struct rl_tensor_type *type = &classes->scores->type;
    int64_t sizes[RL_MAX_RANK];
    for (int d = 0, next = 0; d < type->rank; d++) {
        if (d != classes->dim) {
            sizes[next++] = type->sizes[d];
        }
    }
    scores = classes->weight ? product(at, scores, weight_view(at, classes)) : scores;
    struct rl_value *sum = rl_build_reduce(at, RL_OP_aten_sum_dim_intlist, scores, &dim, 1);
    return rl_build_unary(at, RL_OP_aten_neg, rl_build_view(at, sum, type->rank - 1, sizes));
}

// The target is a probability of each class.
static bool end_with_probabilities(const struct rl_build *at, const struct classes *classes)
{
    struct rl_value *target = classes->target;
    const double count = (double)class_count(classes);
    if (classes->smoothing > 0.0) {
        target = times(at, target, 1.0 - classes->smoothing);
        target = rl_build_scalar(at, RL_OP_aten_add_scalar, target, classes->smoothing / count);
    }
    return end_with(at, sum_of_classes(at, classes, product(at, classes->scores, target)));
}

static struct rl_value *zero_unless(const struct rl_build *at, struct rl_value *mask, struct rl_value *value)
{
    const bool counts = value->type.dtype == RL_INT64;
    const struct rl_arg args[] = {rl_arg_value(mask), rl_arg_value(value), counts ? rl_arg_int(0) : rl_arg_double(0.0)};
    return rl_build(at, RL_OP_aten_where_scalarother, &value->type, args, 3);
}

// The number of targets that count, or the sum of their weights.
static struct rl_value *total(const struct rl_build *at, struct rl_value *mask, struct rl_value *weights)
{
    if (weights) {
        return reduced(at, RL_OP_aten_sum_dim_intlist, zero_unless(at, mask, weights));
    }
    const struct rl_arg args[] = {rl_arg_value(mask)};
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, mask->type.rank, mask->type.sizes);
    return reduced(at, RL_OP_aten_sum_dim_intlist, rl_build(at, RL_OP_aten_to_copy_internal, &type, args, 1));
}

// The target is the number of a class; one number is left out.
static bool end_with_numbers(const struct rl_build *at, const struct classes *classes)
{
    struct rl_value *scores = classes->scores, *target = classes->target, *weights = NULL;
    struct rl_value *mask =
        rl_build_truth(at, RL_OP_aten_ne_scalar, target, rl_arg_int(rl_node_int(at->node, "ignore_index")));
    struct rl_value *number = zero_unless(at, mask, target);
    struct rl_tensor_type type = rl_tensor_type_make(scores->type.dtype, scores->type.rank, scores->type.sizes);
    type.sizes[classes->dim] = 1;
    const struct rl_arg gather[] = {rl_arg_value(scores), rl_arg_int(classes->dim),
                                    rl_arg_value(rl_build_view(at, number, type.rank, type.sizes))};
    struct rl_value *taken = rl_build(at, RL_OP_aten_gather, &type, gather, 3);
    struct rl_value *loss =
        rl_build_unary(at, RL_OP_aten_neg, rl_build_view(at, taken, target->type.rank, target->type.sizes));
    if (classes->weight) {
        const struct rl_tensor_type of_each = rl_tensor_type_make(RL_FLOAT32, target->type.rank, target->type.sizes);
        const struct rl_arg index[] = {rl_arg_value(classes->weight), rl_arg_values(at->graph->arena, &number, 1)};
        weights = rl_build(at, RL_OP_aten_index_tensor, &of_each, index, 2);
        loss = product(at, loss, weights);
    }
    if (classes->smoothing > 0.0) {
        struct rl_value *all = sum_of_classes(at, classes, scores);
        struct rl_value *spread = times(at, all, classes->smoothing / (double)class_count(classes));
        loss = rl_build_binary(at, RL_OP_aten_add, times(at, loss, 1.0 - classes->smoothing), spread);
    }
    loss = zero_unless(at, mask, loss);
    if (rl_node_int(at->node, "reduction") != MEAN) {
        return end_with(at, loss);
    }
    struct rl_value *sum = reduced(at, RL_OP_aten_sum_dim_intlist, loss);
    rl_build_end_view(at, rl_build_binary(at, RL_OP_aten_div_tensor, sum, total(at, mask, weights)));
    return true;
}

bool rl_spell_class_loss(const struct rl_pass *pass, struct rl_node *node)
{
    if (!has_reduction(pass, node)) {
        return false;
    }
    const struct rl_build at = {pass->graph, node};
    struct rl_value *self = rl_node_tensor(node, "self");
    const bool has_scores = node->op == RL_OP_aten_cross_entropy_loss;
    struct classes classes = {.scores = self,
                              .target = rl_node_tensor(node, "target"),
                              .weight = rl_node_tensor(node, "weight"),
                              .dim = self->type.rank > 1 ? 1 : 0,
                              .smoothing = has_scores ? rl_node_number(node, "label_smoothing") : 0.0};
    const bool has_numbers = classes.target->type.dtype == RL_INT64;
    const bool fits = has_numbers ? classes.target->type.rank == self->type.rank - 1
                                  : rl_tensor_same_sizes(&classes.target->type, &self->type);
    if (self->type.dtype != RL_FLOAT32 || self->type.rank < 1 || !fits || class_count(&classes) < 1 ||
        (!has_numbers && (!has_scores || classes.target->type.dtype != RL_FLOAT32))) {
        return rl_decline(pass->graph, node, "other than float32 scores beside numbers of classes, or probabilities");
    }
    if (has_scores) {
        const struct rl_arg args[] = {rl_arg_value(self), rl_arg_int(classes.dim)};
        classes.scores = rl_build(&at, RL_OP_aten_log_softmax_int, &self->type, args, 2);
    }
    return has_numbers ? end_with_numbers(&at, &classes) : end_with_probabilities(&at, &classes);
}
