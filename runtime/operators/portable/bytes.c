// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/portable/bytes.h"

#include "rushlight/kernels/activation.h"

// ---- limits

static bool is_run_of_int8(const struct rl_byte_operand *x)
{
    return x->dtype == RL_INT8 && x->step == 1 && !x->is_constant;
}

// Limits beyond all values limit nothing. The upper one counts if it is below the other.
static bool limit(const struct rl_byte_operand *x, uint32_t count, int64_t lowest, int64_t highest)
{
    if (!is_run_of_int8(&x[0]) || !is_run_of_int8(&x[1]) || lowest > INT8_MAX || highest < INT8_MIN) {
        return false;
    }
    const int32_t low = lowest > INT8_MIN ? (int32_t)lowest : INT8_MIN;
    const int32_t high = highest < INT8_MAX ? (int32_t)highest : INT8_MAX;
    const struct rl_limit layer = {.range = {low < high ? low : high, high}, .count = (int32_t)count};
    rl_limit_run(&layer, (const int8_t *)x[1].data, (int8_t *)x[0].data);
    return true;
}

bool rl_limit_bytes_below(const struct rl_byte_operand *x, uint32_t count)
{
    return x[2].is_constant && limit(x, count, x[2].constant, INT8_MAX);
}

bool rl_limit_bytes_above(const struct rl_byte_operand *x, uint32_t count)
{
    return x[3].is_constant && limit(x, count, INT8_MIN, x[3].constant);
}

bool rl_limit_bytes(const struct rl_byte_operand *x, uint32_t count)
{
    return x[2].is_constant && x[3].is_constant && limit(x, count, x[2].constant, x[3].constant);
}

bool rl_relu_of_bytes(const struct rl_byte_operand *x, uint32_t count)
{
    return limit(x, count, 0, INT8_MAX);
}

// ---- choices

// Where the bytes of an alternative are read: those of the tensor, or one that holds its constant. False if its values
// are not bytes of the output's type.
static bool read_alternative(const struct rl_byte_operand *x, int dtype, uint8_t *constant, const uint8_t **from,
                             uint32_t *step)
{
    if (!x->is_constant) {
        *from = x->data;
        *step = x->step;
        return x->dtype == dtype;
    }
    *constant = (uint8_t)x->constant;
    *from = constant;
    *step = 0;
    return x->constant == (dtype == RL_INT8 ? (int8_t)*constant : *constant);
}

static bool choose(const struct rl_byte_operand *output, const struct rl_byte_operand *condition,
                   const struct rl_byte_operand *chosen, const struct rl_byte_operand *other, uint32_t count)
{
    uint8_t constants[2];
    const uint8_t *a, *b;
    uint32_t a_step, b_step;
    if ((output->dtype != RL_INT8 && output->dtype != RL_UINT8) || condition->is_constant ||
        !read_alternative(chosen, output->dtype, &constants[0], &a, &a_step) ||
        !read_alternative(other, output->dtype, &constants[1], &b, &b_step)) {
        return false;
    }
    uint8_t *to = output->data;
    const uint8_t *is_chosen = condition->data;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t of_a = *a, of_b = *b;
        *to = *is_chosen != 0 ? of_a : of_b;
        to += output->step;
        is_chosen += condition->step;
        a += a_step;
        b += b_step;
    }
    return true;
}

bool rl_choose_bytes(const struct rl_byte_operand *x, uint32_t count)
{
    return choose(&x[0], &x[1], &x[2], &x[3], count);
}

bool rl_fill_bytes(const struct rl_byte_operand *x, uint32_t count)
{
    return choose(&x[0], &x[2], &x[3], &x[1], count);
}
