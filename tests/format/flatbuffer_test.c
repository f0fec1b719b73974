// SPDX-License-Identifier: Apache-2.0
//
// The checked reader on buffers laid out by hand and on what the builder makes of the same tables.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/flatbuffer.h"
#include "format/flatbuffer_builder.h"

// vtable at 4 (fields 0: u32, 1 absent, 2: vector), table at 16, vector of two u16 at 28, string at 36.
static const uint8_t buffer_bytes[] = {
    16, 0, 0, 0, 10, 0, 12, 0, 4, 0, 0, 0, 8,   0,   0, 0, // root offset, vtable, padding
    12, 0, 0, 0, 42, 0, 0,  0, 4, 0, 0, 0,                 // table: to its vtable, field 0, offset of the vector
    2,  0, 0, 0, 7,  0, 9,  0, 2, 0, 0, 0, 'h', 'i', 0,
};

static struct rl_flatbuffer whole(void)
{
    return (struct rl_flatbuffer){buffer_bytes, sizeof buffer_bytes};
}

static void fields_are_found_or_absent(void **state)
{
    (void)state;
    struct rl_flatbuffer fb = whole();
    assert_int_equal(rl_fb_field(&fb, 16, 0, 4), 20);
    assert_int_equal(rl_fb_u32(&fb, 20), 42);
    assert_int_equal(rl_fb_field(&fb, 16, 1, 4), RL_FB_ABSENT);
    assert_int_equal(rl_fb_field(&fb, 16, 3, 4), RL_FB_ABSENT);
    assert_int_equal(rl_fb_field(&fb, RL_FB_ABSENT, 0, 4), RL_FB_ABSENT);
    assert_int_equal(rl_fb_u32(&fb, RL_FB_ABSENT), 0);
}

static void vectors_and_strings_are_bounded(void **state)
{
    (void)state;
    struct rl_flatbuffer fb = whole();
    struct rl_fb_vector vector;
    assert_true(rl_fb_vector(&fb, 16, 2, 2, &vector));
    assert_int_equal(vector.count, 2);
    assert_int_equal(rl_fb_u16(&fb, vector.items + 2), 9);
    assert_true(rl_fb_vector_at(&fb, 36, 1, &vector));
    fb.size = 34;
    assert_false(rl_fb_vector(&fb, 16, 2, 2, &vector));
    assert_int_equal(vector.count, 0);
    fb.size = 39;
    assert_false(rl_fb_vector_at(&fb, 36, 1, &vector));
}

static void what_leaves_the_buffer_is_bad(void **state)
{
    (void)state;
    struct rl_flatbuffer fb = whole();
    assert_int_equal(rl_fb_field(&fb, RL_FB_BAD, 0, 4), RL_FB_BAD);
    assert_int_equal(rl_fb_field(&fb, 44, 0, 4), RL_FB_BAD);
    assert_int_equal(rl_fb_field(&fb, 16, 0, 100), RL_FB_BAD);
    assert_int_equal(rl_fb_follow(&fb, 48), RL_FB_BAD);
    assert_int_equal(rl_fb_follow(&fb, 20), RL_FB_BAD); // 20 + 42 is outside
    assert_int_equal(rl_fb_u32(&fb, 46), 0);
    assert_int_equal(rl_fb_u64(&fb, RL_FB_BAD), 0);
    struct rl_fb_vector tables = {.items = 28, .count = 1};
    assert_int_equal(rl_fb_item_table(&fb, &tables, 1), RL_FB_BAD);
}

// Every length and every changed byte: results do not matter, only that nothing outside is read (run with sanitizers).
static void any_damage_stays_inside(void **state)
{
    (void)state;
    for (uint32_t size = 0; size <= sizeof buffer_bytes; size++) {
        for (size_t where = 0; where < size; where++) {
            uint8_t *copy = malloc(size);
            memcpy(copy, buffer_bytes, size);
            copy[where] ^= 0xff;
            struct rl_flatbuffer fb = {copy, size};
            struct rl_fb_vector vector;
            uint32_t length;
            rl_fb_u32(&fb, rl_fb_field(&fb, 16, 0, 4));
            if (rl_fb_vector(&fb, 16, 2, 2, &vector)) {
                for (uint32_t i = 0; i < vector.count; i++) {
                    rl_fb_u16(&fb, vector.items + 2 * i);
                }
            }
            rl_fb_string(&fb, 16, 2, &length);
            free(copy);
        }
    }
}

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

static void built_tables_read_back(void **state)
{
    (void)state;
    static const uint64_t wide[] = {1, UINT64_C(1) << 40};
    struct rl_fbb fbb = {.reallocate = reallocate};
    uint32_t text = rl_fbb_string(&fbb, "hello"), numbers = rl_fbb_vector(&fbb, wide, 2, 8);
    rl_fbb_scalar(&fbb, 0, 1, 200);
    rl_fbb_scalar(&fbb, 3, 8, UINT64_MAX - 1);
    rl_fbb_reference(&fbb, 1, text);
    rl_fbb_reference(&fbb, 5, numbers);
    rl_fbb_scalar(&fbb, 2, 2, 0);
    uint32_t root = rl_fbb_end(&fbb);
    assert_true(rl_fbb_finish(&fbb, root, "TEST"));
    assert_int_equal(fbb.used % 16, 0);
    struct rl_flatbuffer fb = {fbb.block + fbb.capacity - fbb.used, (uint32_t)fbb.used};
    uint32_t table = fb.data[0], length;
    assert_memory_equal(fb.data + 4, "TEST", 4);
    assert_int_equal(rl_fb_u8(&fb, rl_fb_field(&fb, table, 0, 1)), 200);
    assert_int_equal(rl_fb_field(&fb, table, 2, 2), RL_FB_ABSENT);
    uint32_t wide_field = rl_fb_field(&fb, table, 3, 8);
    assert_int_equal(wide_field % 8, 0);
    assert_true(rl_fb_u64(&fb, wide_field) == UINT64_MAX - 1);
    assert_string_equal(rl_fb_string(&fb, table, 1, &length), "hello");
    assert_int_equal(length, 5);
    struct rl_fb_vector vector;
    assert_true(rl_fb_vector(&fb, table, 5, 8, &vector));
    assert_int_equal(vector.items % 8, 0);
    assert_true(rl_fb_u64(&fb, vector.items + 8) == wide[1]);
    rl_fbb_free(&fbb);
}

static void equal_parts_are_stored_once(void **state)
{
    (void)state;
    struct rl_fbb fbb = {.reallocate = reallocate};
    uint32_t tables[3];
    for (int i = 0; i < 3; i++) {
        uint32_t text = rl_fbb_string(&fbb, "same");
        rl_fbb_scalar(&fbb, 1, 4, i == 2 ? 6 : 5);
        rl_fbb_reference(&fbb, 0, text);
        tables[i] = rl_fbb_end(&fbb);
    }
    assert_int_equal(tables[0], tables[1]);
    assert_int_not_equal(tables[0], tables[2]);
    size_t used = fbb.used;
    rl_fbb_string(&fbb, "same");
    assert_int_equal(fbb.used, used);
    rl_fbb_free(&fbb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_found_or_absent),    cmocka_unit_test(vectors_and_strings_are_bounded),
        cmocka_unit_test(what_leaves_the_buffer_is_bad), cmocka_unit_test(any_damage_stays_inside),
        cmocka_unit_test(built_tables_read_back),        cmocka_unit_test(equal_parts_are_stored_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
