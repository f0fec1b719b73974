// SPDX-License-Identifier: Apache-2.0
//
// An ETDump has its size in front, its identifier, and the events as they were described, zeros that are not the
// default included.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/etdump_writer.h"
#include "format/flatbuffer.h"

enum { SIZE_BYTES = 4, EVENTS = 3 };

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)old_size;
    size_t *left = user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    if (left && *left == 0) {
        return NULL;
    }
    if (left) {
        --*left;
    }
    return realloc(block, new_size);
}

static const struct rl_etdump_event events[EVENTS] = {
    {"native_call_add.out", 0, 0, 7},
    {"native_call_add.out", 3, 7, UINT64_C(1) << 40},
    {"Method::execute", -1, 0, UINT64_C(1) << 41},
};

static void expect_event(const struct rl_flatbuffer *file, uint32_t event, const struct rl_etdump_event *expected)
{
    const uint32_t profile = rl_fb_child(file, event, RL_ETDUMP_event_profile_event);
    const uint32_t instruction = rl_fb_field(file, profile, RL_ETDUMP_profile_instruction_id, 4);
    const uint32_t start = rl_fb_field(file, profile, RL_ETDUMP_profile_start_time, 8);
    const uint32_t end = rl_fb_field(file, profile, RL_ETDUMP_profile_end_time, 8);
    uint32_t length;

    assert_string_equal(rl_fb_string(file, profile, RL_ETDUMP_profile_name, &length), expected->name);
    assert_int_not_equal(instruction, RL_FB_ABSENT);
    assert_int_equal((int32_t)rl_fb_u32(file, instruction), expected->instruction);
    assert_true(start == RL_FB_ABSENT || rl_fb_u64(file, start) == expected->start);
    assert_true(start != RL_FB_ABSENT || expected->start == 0);
    assert_true(rl_fb_u64(file, end) == expected->end);
}

static void events_read_back(void **state)
{
    (void)state;
    struct rl_fbb builder = {.reallocate = reallocate};
    uint32_t references[EVENTS], length;
    struct rl_fb_vector runs, list;

    assert_true(rl_etdump_write(&builder, "forward", events, EVENTS, references));
    const struct rl_flatbuffer file = {builder.block + builder.capacity - builder.used, (uint32_t)builder.used};
    assert_true(builder.used < 1 << 16);
    assert_int_equal(file.data[0] | file.data[1] << 8 | file.data[2] << 16, (int)builder.used - SIZE_BYTES);
    assert_memory_equal(file.data + 8, "ED00", 4);
    assert_true(rl_fb_vector(&file, rl_fb_follow(&file, SIZE_BYTES), RL_ETDUMP_etdump_run_data, 4, &runs));
    assert_int_equal(runs.count, 1);
    const uint32_t run = rl_fb_follow(&file, runs.items);
    assert_string_equal(rl_fb_string(&file, run, RL_ETDUMP_run_name, &length), "forward");
    assert_true(rl_fb_vector(&file, run, RL_ETDUMP_run_events, 4, &list));
    assert_int_equal(list.count, EVENTS);
    for (uint32_t i = 0; i < EVENTS; i++) {
        expect_event(&file, rl_fb_follow(&file, list.items + 4 * i), &events[i]);
    }
    rl_fbb_free(&builder);
}

static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    bool written = false;

    for (size_t pieces = 0; !written; pieces++) {
        size_t left = pieces;
        struct rl_fbb builder = {.reallocate = reallocate, .user = &left};
        uint32_t references[EVENTS];
        written = rl_etdump_write(&builder, "forward", events, EVENTS, references);
        assert_true(!written || pieces > 2);
        rl_fbb_free(&builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_read_back),
        cmocka_unit_test(running_out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
