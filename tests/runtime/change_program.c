// SPDX-License-Identifier: Apache-2.0
#include "runtime/change_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct opened open_file(const uint8_t *file, size_t size)
{
    struct opened o;
    uint32_t offset;
    assert_null(rl_pte_open(&o.pte, file, size, &offset));
    assert_true(rl_pte_plan(&o.pte, 0, &o.plan));
    return o;
}

void store(uint8_t *file, uint32_t position, uint32_t number)
{
    memcpy(file + position, &number, sizeof number);
}

static void make_flow(uint8_t *file, size_t size, uint32_t index, enum rl_pte_instruction_kind kind, uint32_t first,
                      uint32_t second)
{
    const struct opened o = open_file(file, size);
    struct rl_pte_instruction instruction;
    assert_true(rl_pte_instruction(&o.pte, &o.plan, index, &instruction));
    const uint32_t table = rl_fb_item_table(&o.pte.fb, &o.plan.instructions, index);
    file[rl_fb_field(&o.pte.fb, table, RL_PTE_instruction_type, 1)] = (uint8_t)kind;
    const uint32_t fields[] = {rl_fb_field(&o.pte.fb, instruction.table, 0, 4),
                               rl_fb_field(&o.pte.fb, instruction.table, 1, 4)};
    assert_true(fields[0] != RL_FB_ABSENT && fields[1] != RL_FB_ABSENT);
    store(file, fields[0], first);
    store(file, fields[1], second);
}

void make_move(uint8_t *file, size_t size, uint32_t index, uint32_t from, uint32_t to)
{
    make_flow(file, size, index, RL_PTE_MOVE_CALL, from, to);
}

void make_jump(uint8_t *file, size_t size, uint32_t index, uint32_t condition, uint32_t destination)
{
    make_flow(file, size, index, RL_PTE_JUMP_FALSE_CALL, condition, destination);
}

static uint32_t find_table(const struct opened *o, uint32_t value, enum rl_pte_kind kind)
{
    uint32_t table;
    assert_int_equal(rl_pte_value(&o->pte, &o->plan, value, &table), kind);
    return table;
}

void set_type(uint8_t *file, size_t size, uint32_t value, enum rl_scalar_type dtype)
{
    const struct opened o = open_file(file, size);
    const uint32_t table = find_table(&o, value, RL_PTE_TENSOR);
    file[rl_fb_field(&o.pte.fb, table, RL_PTE_tensor_scalar_type, 1)] = (uint8_t)dtype;
}

void set_size(uint8_t *file, size_t size, uint32_t value, uint32_t dimension, int32_t length)
{
    const struct opened o = open_file(file, size);
    struct rl_pte_tensor tensor;
    assert_true(rl_pte_tensor(&o.pte, find_table(&o, value, RL_PTE_TENSOR), &tensor));
    assert_true(dimension < tensor.sizes.count);
    store(file, tensor.sizes.items + 4 * dimension, (uint32_t)length);
}

void set_argument(uint8_t *file, size_t size, uint32_t instruction, uint32_t argument, int32_t value)
{
    const struct opened o = open_file(file, size);
    struct rl_pte_instruction call;
    assert_true(rl_pte_instruction(&o.pte, &o.plan, instruction, &call));
    assert_true(argument < call.arguments.count);
    store(file, call.arguments.items + 4 * argument, (uint32_t)value);
}

void set_int(uint8_t *file, size_t size, uint32_t value, int32_t number)
{
    const struct opened o = open_file(file, size);
    const uint32_t field = rl_fb_field(&o.pte.fb, find_table(&o, value, RL_PTE_INT), RL_PTE_payload_item, 8);
    assert_true(field != RL_FB_ABSENT);
    store(file, field, (uint32_t)number);
    store(file, field + 4, number < 0 ? UINT32_MAX : 0);
}
