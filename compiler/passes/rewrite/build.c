// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/rewrite/build.h"

#include <string.h>

#include "compiler/ir/elements.h"
#include "compiler/passes/rewrite/rewrite.h"
#include "ops/sizes.h"

static void set_args(struct rl_graph *graph, struct rl_node *node, const struct rl_arg *args, int count)
{
    const struct rl_op *op = rl_op_get(node->op);
    for (int i = 0; i < node->arg_count; i++) {
        if (i < count) {
            node->args[i] = args[i];
        } else if (op->args[i].default_text) {
            node->args[i] = rl_arg_default(graph->arena, &op->args[i]);
        }
    }
}

static const char *part_name(const struct rl_build *at)
{
    return rl_arena_format(at->graph->arena, "%s_part", at->node->name);
}

struct rl_value *rl_build(const struct rl_build *at, enum rl_op_id op, const struct rl_tensor_type *type,
                          const struct rl_arg *args, int count)
{
    struct rl_node *node = rl_insert_before(at->graph, at->node, op, part_name(at), at->node, type);
    node->reason = at->node->reason;
    set_args(at->graph, node, args, count);
    return node->results[0];
}

void rl_build_end(const struct rl_build *at, enum rl_op_id op, const struct rl_arg *args, int count)
{
    rl_node_become(at->graph, at->node, op);
    set_args(at->graph, at->node, args, count);
}

void rl_build_end_view(const struct rl_build *at, struct rl_value *value)
{
    const struct rl_tensor_type *type = &at->node->results[0]->type;
    const struct rl_arg args[] = {rl_arg_value(value), rl_arg_ints(at->graph->arena, type->sizes, type->rank)};
    rl_build_end(at, RL_OP_aten_view_copy, args, 2);
}

void rl_build_result(const struct rl_build *at, int index, struct rl_value *value)
{
    struct rl_value *result = at->node->results[index];
    const char *name = result->name;
    rl_graph_replace_uses(at->graph, result, value);
    result->name = value->name;
    value->name = name;
}

static struct rl_tensor_type plain(const struct rl_tensor_type *type)
{
    return rl_tensor_type_make(type->dtype, type->rank, type->sizes);
}

struct rl_value *rl_build_unary(const struct rl_build *at, enum rl_op_id op, struct rl_value *self)
{
    const struct rl_arg args[] = {rl_arg_value(self)};
    return rl_build(at, op, &self->type, args, 1);
}

struct rl_value *rl_build_scalar(const struct rl_build *at, enum rl_op_id op, struct rl_value *self, double number)
{
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_double(number)};
    return rl_build(at, op, &self->type, args, 2);
}

struct rl_tensor_type rl_broadcast_type(const struct rl_tensor_type *a, const struct rl_tensor_type *b)
{
    const struct rl_tensor_type *larger = a->rank >= b->rank ? a : b;
    const struct rl_tensor_type *smaller = a->rank >= b->rank ? b : a;
    struct rl_tensor_type type = rl_tensor_same_sizes(a, b) ? *a : plain(larger);
    for (int i = 1; i <= smaller->rank; i++) {
        int64_t *size = &type.sizes[type.rank - i];
        *size = rl_broadcast_size(*size, smaller->sizes[smaller->rank - i]);
    }
    return type;
}

struct rl_value *rl_build_binary(const struct rl_build *at, enum rl_op_id op, struct rl_value *self,
                                 struct rl_value *other)
{
    const struct rl_tensor_type type = rl_broadcast_type(&self->type, &other->type);
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_value(other)};
    return rl_build(at, op, &type, args, 2);
}

struct rl_value *rl_build_truth(const struct rl_build *at, enum rl_op_id op, struct rl_value *self, struct rl_arg other)
{
    struct rl_value *result;
    if (other.kind == RL_ARG_VALUE) {
        result = rl_build_binary(at, op, self, other.as.value);
    } else {
        const struct rl_arg args[] = {rl_arg_value(self), other};
        result = rl_build(at, op, &self->type, args, other.kind == RL_ARG_NONE ? 1 : 2);
    }
    result->type.dtype = RL_BOOL;
    return result;
}

struct rl_value *rl_build_hardtanh(const struct rl_build *at, struct rl_value *self, double min, double max)
{
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_double(min), rl_arg_double(max)};
    return rl_build(at, RL_OP_aten_hardtanh, &self->type, args, 3);
}

struct rl_value *rl_build_view(const struct rl_build *at, struct rl_value *self, int rank, const int64_t *sizes)
{
    const struct rl_tensor_type type = rl_tensor_type_make(self->type.dtype, rank, sizes);
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_ints(at->graph->arena, sizes, rank)};
    return rl_build(at, RL_OP_aten_view_copy, &type, args, 2);
}

struct rl_value *rl_build_flat(const struct rl_build *at, struct rl_value *self)
{
    const int64_t count = rl_tensor_numel(&self->type);
    return rl_build_view(at, self, 1, &count);
}

struct rl_value *rl_build_permute(const struct rl_build *at, struct rl_value *self, const int64_t *dims)
{
    struct rl_tensor_type type = plain(&self->type);
    for (int i = 0; i < type.rank; i++) {
        type.sizes[i] = self->type.sizes[dims[i]];
    }
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_ints(at->graph->arena, dims, type.rank)};
    return rl_build(at, RL_OP_aten_permute_copy, &type, args, 2);
}

struct rl_value *rl_build_slice(const struct rl_build *at, struct rl_value *self, int dim, int64_t start, int64_t end)
{
    struct rl_tensor_type type = plain(&self->type);
    type.sizes[dim] = end - start;
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_int(dim), rl_arg_int(start), rl_arg_int(end)};
    return rl_build(at, RL_OP_aten_slice_copy_tensor, &type, args, 4);
}

struct rl_value *rl_build_expand(const struct rl_build *at, struct rl_value *self, int rank, const int64_t *sizes)
{
    const struct rl_tensor_type type = rl_tensor_type_make(self->type.dtype, rank, sizes);
    if (rl_tensor_same_sizes(&type, &self->type)) {
        return self;
    }
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_ints(at->graph->arena, sizes, rank)};
    return rl_build(at, RL_OP_aten_expand_copy, &type, args, 2);
}

struct rl_value *rl_build_cat(const struct rl_build *at, struct rl_value *const *values, int count, int dim)
{
    struct rl_tensor_type type = plain(&values[0]->type);
    for (int i = 1; i < count; i++) {
        type.sizes[dim] += values[i]->type.sizes[dim];
    }
    const struct rl_arg args[] = {rl_arg_values(at->graph->arena, values, count), rl_arg_int(dim)};
    return rl_build(at, RL_OP_aten_cat, &type, args, 2);
}

struct rl_value *rl_build_dequantize(const struct rl_build *at, const struct rl_node *like, struct rl_value *integers)
{
    struct rl_tensor_type type = integers->type;
    type.dtype = like->results[0]->type.dtype;
    struct rl_value *result = rl_build(at, like->op, &type, like->args, like->arg_count);
    rl_node_set(result->producer, "input", rl_arg_value(integers));
    return result;
}

struct rl_value *rl_build_linear(const struct rl_build *at, struct rl_value *self, struct rl_value *weight,
                                 struct rl_value *bias)
{
    struct rl_tensor_type type = plain(&self->type);
    type.sizes[type.rank - 1] = weight->type.sizes[0];
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_value(weight), rl_arg_value(bias)};
    return rl_build(at, RL_OP_aten_linear, &type, args, 3);
}

struct rl_value *rl_build_product(const struct rl_build *at, enum rl_op_id op, struct rl_value *self,
                                  struct rl_value *other)
{
    struct rl_tensor_type type = plain(&self->type);
    type.sizes[type.rank - 1] = other->type.sizes[type.rank - 1];
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_value(other)};
    return rl_build(at, op, &type, args, 2);
}

struct rl_value *rl_build_reduce(const struct rl_build *at, enum rl_op_id op, struct rl_value *self,
                                 const int64_t *dims, int count)
{
    struct rl_tensor_type type = plain(&self->type);
    for (int i = 0; i < count; i++) {
        type.sizes[dims[i]] = 1;
    }
    const struct rl_arg args[] = {rl_arg_value(self), rl_arg_ints(at->graph->arena, dims, count), rl_arg_bool(true)};
    return rl_build(at, op, &type, args, 3);
}

struct rl_value *rl_build_constant(const struct rl_build *at, int rank, const int64_t *sizes, double number)
{
    const struct rl_tensor_type type = rl_tensor_type_make(RL_FLOAT32, rank, sizes);
    const int64_t count = rl_tensor_numel(&type);
    float *data = rl_arena_array(at->graph->arena, (size_t)count, sizeof *data);
    for (int64_t i = 0; i < count; i++) {
        data[i] = (float)number;
    }
    return rl_graph_add_constant(at->graph, part_name(at), &type, data);
}

struct rl_value *rl_build_turned(const struct rl_build *at, const struct rl_value *weight, int64_t groups)
{
    const struct rl_tensor_type *from = &weight->type;
    const int64_t inputs = from->sizes[0] / groups, outputs = from->sizes[1];
    int64_t sizes[RL_MAX_RANK], taps = 1;
    for (int d = 2; d < from->rank; d++) {
        sizes[d] = from->sizes[d];
        taps *= from->sizes[d];
    }
    sizes[0] = outputs * groups;
    sizes[1] = inputs;
    struct rl_value *result = rl_build_constant(at, from->rank, sizes, 0.0);
    float *data = (float *)result->data;
    for (int64_t o = 0; o < sizes[0]; o++) {
        for (int64_t i = 0; i < inputs; i++) {
            for (int64_t k = 0; k < taps; k++) {
                const int64_t index = ((o / outputs * inputs + i) * outputs + o % outputs) * taps + taps - 1 - k;
                *data++ = ((const float *)weight->data)[rl_constant_offset(weight, index)];
            }
        }
    }
    return result;
}

bool rl_store_number(unsigned char *to, enum rl_scalar_type dtype, double number)
{
    const float as_float = (float)number;
    int64_t unused;
    if (dtype == RL_FLOAT32) {
        memcpy(to, &as_float, sizeof as_float); // infinite where a conversion would refuse
        return true;
    }
    if (rl_scalar_is_floating(dtype)) {
        return rl_convert_elements(RL_FLOAT64, &number, dtype, to, 1, &unused);
    }
    const int64_t as_long = (int64_t)number;
    const int32_t as_int = (int32_t)as_long;
    const int16_t as_short = (int16_t)as_long;
    switch (dtype) {
    case RL_INT64:
        memcpy(to, &as_long, sizeof as_long);
        return true;
    case RL_INT32:
        memcpy(to, &as_int, sizeof as_int);
        return true;
    case RL_INT16:
        memcpy(to, &as_short, sizeof as_short);
        return true;
    case RL_INT8:
    case RL_UINT8:
        *to = (unsigned char)as_long;
        return true;
    case RL_BOOL:
        *to = number != 0.0;
        return true;
    default:
        return false;
    }
}
