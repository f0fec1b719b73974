// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/elementwise.h"

#include "runtime/operators/portable/shape.h"

enum { AT_ONCE = 8, MOST_TENSORS = 1 + RL_ELEMENT_OPERANDS };

struct operands {
    struct rl_tensor tensors[MOST_TENSORS]; // the output first; a number is a tensor of one element
    union rl_number numbers[RL_ELEMENT_OPERANDS];
    bool real;
};

static void read_operand(struct rl_call *call, uint32_t argument, struct operands *o)
{
    struct rl_tensor *tensor = &o->tensors[1 + argument];
    if (rl_call_kind(call, argument) == RL_PTE_TENSOR) {
        rl_call_tensor(call, argument, tensor);
        rl_expect_numbers(call, argument, tensor);
        return;
    }
    union rl_number *number = &o->numbers[argument];
    bool real = rl_call_scalar(call, argument, number);
    *tensor = (struct rl_tensor){.data = number, .dtype = real ? RL_REAL : RL_INT64};
}

// Converts an integer argument to the type of the tensor operand, as PyTorch does: -1 beside a uint8 is 255. Beside
// bools it keeps its value.
static void wrap_numbers(struct rl_call *call, const struct rl_elementwise *op, struct operands *o)
{
    const uint32_t other = rl_call_kind(call, 0) == RL_PTE_TENSOR ? 0 : 1;
    struct rl_tensor one = {.dtype = o->tensors[1 + other].dtype};
    if ((op->typed & RL_TYPE_OF_BOTH) != RL_TYPE_OF_BOTH || one.dtype == RL_BOOL ||
        rl_call_kind(call, 1 - other) == RL_PTE_TENSOR) {
        return;
    }
    union rl_number wrapped, *number = &o->numbers[1 - other];
    one.data = &wrapped;
    rl_store(&one, 0, 0, false, number, 1);
    *number = rl_load_one(&one, 0, false);
}

// Whether an operand that decides the type is a float.
static bool computes_reals(const struct rl_elementwise *op, const struct operands *o)
{
    bool real = !op->integers || ((op->typed & RL_TYPE_OF_OUTPUT) != 0 && rl_is_real(o->tensors[0].dtype));
    for (uint32_t k = 0; k < op->operands; k++) {
        real = real || ((op->typed >> k & 1) != 0 && rl_is_real(o->tensors[1 + k].dtype));
    }
    return real;
}

// The data from which the type of the result follows. Computed numbers may be floats at run time.
static enum rl_reason reason_of_type(const struct rl_call *call, uint32_t operands)
{
    for (uint32_t k = 0; k < operands; k++) {
        if (rl_call_kind(call, k) != RL_PTE_TENSOR) {
            return RL_BY_NUMBERS;
        }
    }
    return RL_BY_TYPES;
}

// Rounds 0-dimensional float64 tensors to float if they stand beside tensors of narrower floats. In PyTorch they do not
// make those compute in double, either.
static void round_single(const struct rl_elementwise *op, struct operands *o)
{
    bool floats = false, doubles = (int)RL_REAL != RL_FLOAT64;
    for (uint32_t k = 1; k <= op->operands; k++) {
        const struct rl_tensor *tensor = &o->tensors[k];
        floats = floats || (tensor->rank > 0 && rl_is_real(tensor->dtype));
        doubles = doubles || (tensor->rank > 0 && tensor->dtype == RL_FLOAT64);
    }
    for (uint32_t k = 1; floats && !doubles && k <= op->operands; k++) {
        if (o->tensors[k].dtype != RL_FLOAT64) {
            continue;
        }
        union rl_number *number = &o->numbers[k - 1];
        number->real = (float)rl_float_at(&o->tensors[k], 0);
        o->tensors[k].data = number;
    }
}

// The output has the shape that the operands broadcast to.
static void resize_output(struct rl_call *call, uint32_t operands, uint32_t output_argument, struct operands *o)
{
    struct rl_shape shape = {.rank = 0};
    for (uint32_t k = 1; k <= operands; k++) {
        rl_expect(call, rl_shape_broadcast(&shape, &o->tensors[k]), output_argument, "the inputs do not broadcast");
    }
    rl_expect_by(call, RL_BY_TYPES, shape.rank == o->tensors[0].rank, output_argument,
                 "the output has other sizes than the result");
    rl_resize(call, output_argument, &o->tensors[0], &shape);
}

// Writing over an operand is safe only where each element is read right before it is written.
static void expect_safe(struct rl_call *call, uint32_t output_argument, const struct rl_tensor *output,
                        const struct rl_tensor *input)
{
    if (rl_same_layout(input, output)) {
        rl_expect_aligned(call, output_argument, output, input);
    } else {
        rl_expect_disjoint(call, output_argument, output, input);
    }
}

static bool start(struct rl_call *call, const struct rl_elementwise *op, uint32_t output_argument, struct operands *o,
                  struct rl_walk *walk)
{
    uint32_t strides[MOST_TENSORS][RL_TENSOR_MAX_RANK];
    struct rl_tensor *output = &o->tensors[0];
    rl_call_output(call, output_argument, output);
    rl_expect_numbers(call, output_argument, output);
    for (uint32_t k = 0; k < op->operands; k++) {
        read_operand(call, k, o);
    }
    o->real = computes_reals(op, o);
    const enum rl_reason reason = reason_of_type(call, op->operands);
    rl_expect_by(call, reason, op->any_output || !o->real || rl_is_real(output->dtype), output_argument,
                 "the result is a float, the output is not");
    rl_expect_by(call, reason, !o->real || op->reals, 0, "only integer and bool tensors are supported");
    resize_output(call, op->operands, output_argument, o);
    if (call->status != RL_OK) {
        return false;
    }
    if (!o->real) {
        wrap_numbers(call, op, o);
    }
    rl_tensor_element_strides(output, strides[0]);
    for (uint32_t k = 1; k <= op->operands; k++) {
        rl_broadcast_strides(&o->tensors[k], output, strides[k]);
        expect_safe(call, output_argument, output, &o->tensors[k]);
    }
    if (!rl_call_ready(call)) {
        return false;
    }
    round_single(op, o);
    return rl_walk_start(walk, output, 1u + op->operands, (const uint32_t(*)[RL_TENSOR_MAX_RANK])strides);
}

// Computes the results of `count` rows of operands.
static void compute(struct rl_call *call, const struct rl_elementwise *op, bool real,
                    union rl_number rows[AT_ONCE][RL_ELEMENT_OPERANDS], union rl_number *results, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (real) {
            results[i].real = op->reals(rows[i]);
        } else if (op->divides && rows[i][1].integer == 0) {
            rl_call_refuse(call, 1, RL_ERROR_TYPE, "an integer is divided by zero");
            results[i].integer = 0;
        } else {
            results[i].integer = op->integers(rows[i]);
        }
    }
}

// Computes the innermost elements of a walk as bytes, if the loop takes them.
static bool compute_bytes(rl_byte_loop *loop, uint32_t operands, const struct operands *o, const struct rl_walk *walk)
{
    struct rl_byte_operand x[MOST_TENSORS] = {0};
    for (uint32_t k = 0; k <= operands; k++) {
        const struct rl_tensor *tensor = &o->tensors[k];
        const bool is_constant = k > 0 && walk->step[k] == 0;
        if (is_constant) {
            x[k] = (struct rl_byte_operand){.constant = rl_load_one(tensor, walk->offset[k], false).integer,
                                            .is_constant = true};
        } else if (rl_scalar_size(tensor->dtype) == 1) {
            x[k] = (struct rl_byte_operand){
                .data = (uint8_t *)tensor->data + walk->offset[k], .step = walk->step[k], .dtype = tensor->dtype};
        } else {
            return false;
        }
    }
    return loop(x, walk->count);
}

enum rl_status rl_run_elementwise(struct rl_call *call, const struct rl_elementwise *op, uint32_t output_argument)
{
    return rl_run_elementwise_bytes(call, op, NULL, output_argument);
}

enum rl_status rl_run_elementwise_bytes(struct rl_call *call, const struct rl_elementwise *op, rl_byte_loop *bytes,
                                        uint32_t output_argument)
{
    struct operands o;
    struct rl_walk walk;
    union rl_number rows[AT_ONCE][RL_ELEMENT_OPERANDS], results[AT_ONCE];
    if (!start(call, op, output_argument, &o, &walk)) {
        return call->status;
    }
    const bool by_floats = RL_HAS_HOST_LOOPS && o.real && rl_takes_floats(op, o.tensors, &walk);
    do {
        if (by_floats) {
            rl_compute_floats(op, o.tensors, &walk);
            continue;
        }
        if (bytes && !o.real && compute_bytes(bytes, op->operands, &o, &walk)) {
            continue;
        }
        for (uint32_t first = 0; first < walk.count; first += AT_ONCE) {
            uint32_t count = walk.count - first < AT_ONCE ? walk.count - first : AT_ONCE;
            for (uint32_t k = 0; k < op->operands; k++) {
                rl_load(&o.tensors[1 + k], walk.offset[1 + k] + first * walk.step[1 + k], walk.step[1 + k], o.real,
                        &rows[0][k], RL_ELEMENT_OPERANDS, count);
            }
            compute(call, op, o.real, rows, results, count);
            rl_store(&o.tensors[0], walk.offset[0] + first * walk.step[0], walk.step[0], o.real, results, count);
        }
    } while (rl_walk_next(&walk));
    return call->status;
}
