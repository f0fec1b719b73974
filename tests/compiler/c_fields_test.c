// SPDX-License-Identifier: Apache-2.0
//
// The tables of compiler/c/fields.c against the structs of the kernels: every member is there, in order, and nothing
// twice. What lies between two members is padding, which is never a whole member of that alignment.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/c/fields.h"

static size_t size_of(const struct rl_c_field *field)
{
    switch (field->kind) {
    case RL_C_STRUCT:
        return field->layout->bytes;
    case RL_C_POINTER:
    case RL_C_UNION:
        return sizeof(void *);
    case RL_C_BOOL:
    case RL_C_INT8:
        return 1;
    default:
        return sizeof(int32_t);
    }
}

static void check_struct(const struct rl_c_struct *layout)
{
    size_t end = 0;
    for (const struct rl_c_field *f = layout->fields; f->name; f++) {
        const size_t size = size_of(f), alignment = f->kind == RL_C_STRUCT ? sizeof(int32_t) : size;
        assert_true(f->offset >= end);
        assert_true(f->offset - end < (alignment < sizeof(void *) ? sizeof(int32_t) : sizeof(void *)));
        assert_true(f->offset - end < 4 || f->kind == RL_C_POINTER || f->kind == RL_C_UNION || f->kind == RL_C_STRUCT);
        end = f->offset + size * (size_t)(f->count > 0 ? f->count : 1);
        if (f->kind == RL_C_STRUCT) {
            check_struct(f->layout);
        }
    }
    assert_true(end <= layout->bytes && layout->bytes - end < sizeof(void *));
}

static void test_every_member_is_listed(void **state)
{
    (void)state;
    for (int i = 0; i < RL_C_FUNCTIONS; i++) {
        check_struct(rl_c_function_get((enum rl_c_function)i)->layer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_member_is_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
