// SPDX-License-Identifier: Apache-2.0
#include "fuzz/pte_sweep.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/pte_call.h"
#include "fuzz/pte_fields.h"
#include "fuzz/pte_run.h"
#include "rushlight/operator.h"
#include "rushlight/registry.h"

enum { MOST_KERNELS = 512 };

struct sweep {
    const char *name;
    uint32_t every;
    struct sweep_totals *totals;
    uint8_t *file; // with the one call, as it is being changed
    size_t size;
    struct fields fields;        // of that call
    struct rl_kernel kernel;     // the call's, or another one under its name
    struct rl_registry registry; // all, but with this one
    const struct rl_kernel *kernels[MOST_KERNELS];
};

static void try_program(struct sweep *s)
{
    if (++s->totals->made % s->every != 0) {
        return;
    }
    s->totals->run++;
    s->totals->calls += rl_fuzz_program(s->file, s->size, &s->registry);
}

static void try_number(struct sweep *s, const struct field *field, uint64_t number)
{
    const uint64_t old = field_read(s->file, field);
    field_write(s->file, field, number);
    if (field_read(s->file, field) != old) {
        try_program(s);
    }
    field_write(s->file, field, old);
}

// ---- one number at a time

static void try_corners(struct sweep *s, const struct field *field)
{
    static const int64_t corners[] = {
        -129, -128, -32,   -31,   -9,    -3,       -2,        -1,        0,         1,         2,         3,        4,
        5,    7,    8,     9,     15,    16,       30,        31,        32,        63,        64,        127,      128,
        255,  256,  32767, 32768, 65535, 16777216, 536870912, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1LL << 32};
    const uint64_t old = field_read(s->file, field);
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        try_number(s, field, (uint64_t)corners[i]);
    }
    for (int i = -2; i <= 2; i++) {
        try_number(s, field, old + (uint64_t)(int64_t)i);
        try_number(s, field, 2 * old + (uint64_t)(int64_t)i);
        try_number(s, field, 0 - old + (uint64_t)(int64_t)i);
    }
}

static void try_doubles(struct sweep *s, const struct field *field)
{
    static const double corners[] = {0.0, -0.0, 1e-320, 1e-40, 1e-9, 0.5, 1, -1, 3, 1e9, 1e38, 1e39, 1e300};
    static const uint64_t bits[] = {0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000};
    uint64_t number;
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        memcpy(&number, &corners[i], sizeof number);
        try_number(s, field, number);
    }
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        try_number(s, field, bits[i]);
    }
}

// Tries the numbers of other fields with the same role, and numbers close to them: tensors that overlap in whole or in
// part, lists that name a tensor twice, one argument in place of another.
static void try_others(struct sweep *s, const struct field *field)
{
    for (uint32_t i = 0; i < s->fields.count; i++) {
        const struct field *other = &s->fields.items[i];
        if (other->role != field->role) {
            continue;
        }
        const uint64_t number = field_read(s->file, other);
        try_number(s, field, number);
        if (field->role != FIELD_OFFSET) {
            continue;
        }
        for (uint64_t by = 1; by <= 64; by *= 2) {
            try_number(s, field, number + by);
            try_number(s, field, number - by);
        }
    }
}

static void try_values(struct sweep *s, const struct field *field)
{
    for (int64_t value = -1; value < 48; value++) {
        try_number(s, field, (uint64_t)value);
    }
}

static void try_field(struct sweep *s, const struct field *field)
{
    switch (field->role) {
    case FIELD_DOUBLE:
        try_doubles(s, field);
        break;
    case FIELD_TYPE:
    case FIELD_ORDER:
    case FIELD_ITEM:
    case FIELD_ARGUMENT:
        try_values(s, field);
        try_others(s, field);
        break;
    case FIELD_OFFSET:
        try_others(s, field);
        try_corners(s, field);
        break;
    case FIELD_CODE:
        break;
    default:
        try_corners(s, field);
        break;
    }
}

static void try_fields(struct sweep *s)
{
    for (uint32_t i = 0; i < s->fields.count; i++) {
        try_field(s, &s->fields.items[i]);
    }
}

// ---- sizes that agree

// Gives all sizes, and with `ints` all ints, that are `old` the other value; false when there are none.
static bool rename_size(struct sweep *s, uint64_t old, uint64_t number, bool ints)
{
    bool found = false;
    for (uint32_t i = 0; i < s->fields.count; i++) {
        const struct field *field = &s->fields.items[i];
        if ((field->role != FIELD_SIZE && !(ints && field->role == FIELD_INT)) || field_read(s->file, field) != old) {
            continue;
        }
        field_write(s->file, field, number);
        found = true;
    }
    return found;
}

// Tries sizes that agree together with ints and types that do not.
static void try_beside(struct sweep *s)
{
    static const int64_t numbers[] = {-1, 0, 1, 2, 3, 16, 255, 32767, INT32_MAX, INT32_MIN};
    try_program(s);
    for (uint32_t i = 0; i < s->fields.count; i++) {
        const struct field *field = &s->fields.items[i];
        for (size_t k = 0; field->role == FIELD_INT && k < sizeof numbers / sizeof *numbers; k++) {
            try_number(s, field, (uint64_t)numbers[k]);
        }
    }
}

static bool seen_before(const struct sweep *s, uint32_t index)
{
    const uint64_t number = field_read(s->file, &s->fields.items[index]);
    for (uint32_t i = 0; i < index; i++) {
        if (s->fields.items[i].role == FIELD_SIZE && field_read(s->file, &s->fields.items[i]) == number) {
            return true;
        }
    }
    return false;
}

static void try_sizes(struct sweep *s)
{
    static const uint32_t numbers[] = {0, 1, 2, 3, 5, 8, 17, 33, 64, 255};
    uint8_t *kept = malloc(s->size);
    memcpy(kept, s->file, s->size);
    for (uint32_t i = 0; i < s->fields.count; i++) {
        if (s->fields.items[i].role != FIELD_SIZE || seen_before(s, i)) {
            continue;
        }
        const uint64_t old = field_read(s->file, &s->fields.items[i]);
        for (size_t k = 0; k < 2 * sizeof numbers / sizeof *numbers; k++) {
            if (rename_size(s, old, numbers[k / 2], k % 2 != 0)) {
                try_beside(s);
            }
            memcpy(s->file, kept, s->size);
        }
    }
    free(kept);
}

// ---- calls

static void sweep_call(struct sweep *s, const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index,
                       uint32_t kernel_index)
{
    const struct rl_kernel *kernel = rl_registry_all.kernels[kernel_index];
    printf("%s: call %u, %s\n", s->name, (unsigned)index, kernel->name);
    fflush(stdout);
    s->kernel = *kernel;
    s->registry = rl_registry_all;
    s->registry.kernels = s->kernels;
    memcpy(s->kernels, rl_registry_all.kernels, rl_registry_all.count * sizeof *s->kernels);
    s->kernels[kernel_index] = &s->kernel;
    s->fields.count = 0;
    fields_of_instruction(&s->fields, pte, plan, index);
    call_isolate(s->file, pte, plan, index);
    try_program(s);
    try_fields(s);
    call_spread(s->file, plan, &s->fields);
    try_fields(s);
    try_sizes(s);
    call_lay_flat(s->file, &s->fields);
    for (uint32_t i = 0; i < rl_registry_all.count; i++) {
        const struct rl_kernel *other = rl_registry_all.kernels[i];
        if (strcmp(other->signature, kernel->signature) != 0 || other == kernel) {
            continue;
        }
        s->kernel.run = other->run;
        try_program(s);
        try_fields(s);
        try_sizes(s);
    }
}

void rl_sweep_program(const char *name, const uint8_t *file, size_t size, uint32_t every, struct sweep_totals *totals)
{
    static struct sweep s;
    struct rl_pte pte;
    struct rl_pte_plan plan;
    struct rl_pte_instruction instruction;
    uint32_t offset;
    if (rl_pte_open(&pte, file, size, &offset) || !rl_pte_plan(&pte, 0, &plan)) {
        return;
    }
    s.name = name;
    s.every = every;
    s.totals = totals;
    s.size = size;
    s.file = malloc(size);
    for (uint32_t i = 0; s.file && i < plan.instructions.count; i++) {
        if (!rl_pte_instruction(&pte, &plan, i, &instruction) || instruction.kind != RL_PTE_KERNEL_CALL) {
            continue;
        }
        const uint32_t kernel = call_kernel(&pte, &plan, instruction.op_index);
        memcpy(s.file, file, size);
        if (kernel < rl_registry_all.count) {
            sweep_call(&s, &pte, &plan, i, kernel);
        }
    }
    free(s.file);
}

// ---- sizes alone

static void sweep_sizes(struct sweep *s, void (*each)(const char *name, const uint8_t *file, size_t size))
{
    static const uint32_t numbers[] = {0, 5, 40};
    uint8_t *kept = malloc(s->size);
    memcpy(kept, s->file, s->size);
    each(s->name, s->file, s->size);
    for (uint32_t i = 0; i < s->fields.count; i++) {
        if (s->fields.items[i].role != FIELD_SIZE || seen_before(s, i)) {
            continue;
        }
        const uint64_t old = field_read(s->file, &s->fields.items[i]);
        for (size_t k = 0; k < 2 * sizeof numbers / sizeof *numbers; k++) {
            if (rename_size(s, old, numbers[k / 2], k % 2 != 0)) {
                each(s->name, s->file, s->size);
            }
            memcpy(s->file, kept, s->size);
        }
    }
    free(kept);
}

void rl_sweep_sizes(const uint8_t *file, size_t size, void (*each)(const char *name, const uint8_t *file, size_t size))
{
    static struct sweep s;
    struct rl_pte pte;
    struct rl_pte_plan plan;
    struct rl_pte_instruction instruction;
    uint32_t offset;
    if (rl_pte_open(&pte, file, size, &offset) || !rl_pte_plan(&pte, 0, &plan)) {
        return;
    }
    s.size = size;
    s.file = memalign(RL_ALIGNMENT, size);
    for (uint32_t i = 0; s.file && i < plan.instructions.count; i++) {
        if (!rl_pte_instruction(&pte, &plan, i, &instruction) || instruction.kind != RL_PTE_KERNEL_CALL) {
            continue;
        }
        const uint32_t kernel = call_kernel(&pte, &plan, instruction.op_index);
        if (kernel == rl_registry_all.count) {
            continue;
        }
        memcpy(s.file, file, size);
        s.name = rl_registry_all.kernels[kernel]->name;
        s.fields.count = 0;
        fields_of_instruction(&s.fields, &pte, &plan, i);
        call_isolate(s.file, &pte, &plan, i);
        call_spread(s.file, &plan, &s.fields);
        sweep_sizes(&s, each);
    }
    free(s.file);
}
