// SPDX-License-Identifier: Apache-2.0
//
// Changes numbers of a program where they matter. Most results are then still FlatBuffers, and reach the deeper checks.
#include "fuzz/fuzz.h"
#include "fuzz/pte_structure.h"

static uint64_t choose_number(uint32_t *random, uint64_t old)
{
    static const int64_t corners[] = {-1, 0, 1, 2, 3, 4, 8, 127, 128, 255, -128, 32767, INT32_MAX, INT32_MIN};
    switch (fuzz_random(random) % 4) {
    case 0:
        return (uint64_t)corners[fuzz_random(random) % (sizeof corners / sizeof *corners)];
    case 1:
        return old + fuzz_random(random) % 9 - 4;
    case 2:
        return fuzz_random(random) % 64;
    default:
        return old ^ (uint64_t)1 << fuzz_random(random) % 32;
    }
}

// Gives one number another value, or, half of the time, that of another number of its width.
static void change_number(uint8_t *data, const struct fields *fields, uint32_t *random)
{
    const struct field *field = &fields->items[fuzz_random(random) % fields->count];
    const struct field *other = &fields->items[fuzz_random(random) % fields->count];
    const uint64_t old = field_read(data, field);
    uint64_t number = other->width == field->width && fuzz_random(random) % 2 == 0 ? field_read(data, other)
                                                                                   : choose_number(random, old);
    if (fuzz_is_size(field) && fuzz_random(random) % 4 == 0) {
        fuzz_rename_size(data, fields, old, number);
    } else {
        field_write(data, field, number);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static struct fields fields;
    struct rl_pte pte;
    struct rl_pte_plan plan;
    uint32_t offset, random = seed;
    fields.count = 0;
    if (fuzz_random(&random) % 4 == 0 || rl_pte_open(&pte, data, size, &offset)) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    const bool changes_structure = fuzz_random(&random) % 4 == 0;
    for (uint32_t i = 0; i < pte.plans.count && i < (changes_structure ? 1 : 4); i++) {
        if (rl_pte_plan(&pte, i, &plan)) {
            fields_of_plan(&fields, &pte, &plan);
        }
    }
    if (fields.count == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    if (changes_structure) {
        fuzz_change_structure(data, &pte, &plan, &fields, &random);
        return size;
    }
    for (uint32_t changes = 1 + fuzz_random(&random) % 3; changes > 0; changes--) {
        change_number(data, &fields, &random);
    }
    return size;
}
