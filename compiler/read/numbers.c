// SPDX-License-Identifier: Apache-2.0
// Numbers given in place of tensors: `x * 2.0` is aten::mul.Tensor with the number 2.0 as `other`.
#include "compiler/read/reader.h"

#include <stdint.h>
#include <string.h>

// PyTorch's promotion: a number takes the type of the tensors it meets, unless it is of a higher kind (boolean,
// integer, floating). The result of the operator shows that type, except for comparisons, whose result is boolean.
static enum rl_scalar_type computed_dtype(const struct rl_node *node, const struct rl_arg *number)
{
    enum rl_scalar_type dtype = node->result_count > 0 ? node->results[0]->type.dtype : RL_FLOAT32;
    for (int i = 0; i < node->arg_count && dtype == RL_BOOL; i++) {
        if (node->args[i].kind == RL_ARG_VALUE) {
            dtype = node->args[i].as.value->type.dtype;
            break;
        }
    }
    if (number->kind == RL_ARG_DOUBLE && !rl_scalar_is_floating(dtype)) {
        return RL_FLOAT32;
    }
    if (dtype == RL_FLOAT16 || dtype == RL_BFLOAT16 || dtype == RL_COMPLEX64) {
        return RL_FLOAT32; // the type in which PyTorch computes with them, or that of their parts
    }
    return number->kind == RL_ARG_INT && dtype == RL_BOOL ? RL_INT64 : dtype;
}

static bool fits(int64_t integer, int bytes)
{
    const int64_t limit = bytes < 8 ? INT64_C(1) << (8 * bytes - 1) : INT64_MAX;
    return bytes == 8 || (integer >= -limit && integer < limit);
}

static int64_t integer_of(const struct rl_arg *number)
{
    if (number->kind == RL_ARG_BOOL) {
        return number->as.boolean ? 1 : 0;
    }
    return number->kind == RL_ARG_INT ? number->as.integer : 0;
}

// Writes the number as an element of `dtype`; false if that type cannot hold it.
static bool store(enum rl_scalar_type dtype, const struct rl_arg *number, unsigned char element[8])
{
    const int64_t integer = integer_of(number);
    const double real = number->kind == RL_ARG_DOUBLE ? number->as.number : (double)integer;
    const float single = (float)real;
    switch (dtype) {
    case RL_FLOAT32:
        memcpy(element, &single, sizeof single);
        return true;
    case RL_FLOAT64:
        memcpy(element, &real, sizeof real);
        return true;
    case RL_BOOL:
        element[0] = integer != 0;
        return true;
    case RL_UINT8:
        element[0] = (unsigned char)integer;
        return integer >= 0 && integer <= UINT8_MAX;
    case RL_INT8:
    case RL_INT16:
    case RL_INT32:
    case RL_INT64:
        memcpy(element, &integer, 8); // little-endian: the low bytes come first
        return fits(integer, (int)rl_scalar_size((int)dtype));
    default:
        return false;
    }
}

enum rl_status rl_pt2_number_as_tensor(struct rl_pt2_reader *reader, const char *place, const struct rl_node *node,
                                       const struct rl_op_arg *schema, const struct rl_arg *number,
                                       struct rl_value **value)
{
    const enum rl_scalar_type dtype = computed_dtype(node, number);
    unsigned char element[8] = {0};
    if (!store(dtype, number, element)) {
        return rl_fail(reader->context, RL_ERROR_UNSUPPORTED,
                       "%s: %s: argument '%s': a number that its type cannot hold; accepted: float32, float64, int8 to "
                       "int64, uint8, bool",
                       reader->path, place, schema->name);
    }
    struct rl_value *constant = rl_arena_alloc(reader->arena, sizeof *constant);
    constant->kind = RL_VALUE_CONSTANT;
    constant->name = rl_arena_format(reader->arena, "%s_%s", node->name, schema->name);
    constant->type = rl_tensor_type_make(dtype, 0, NULL);
    constant->data = rl_arena_copy(reader->arena, element, rl_scalar_size((int)dtype));
    *reader->numbers_end = constant;
    reader->numbers_end = &constant->next;
    *value = constant;
    return RL_OK;
}
