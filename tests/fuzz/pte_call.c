// SPDX-License-Identifier: Apache-2.0
#include "fuzz/pte_call.h"

#include <stdio.h>
#include <string.h>

#include "rushlight/operator.h"
#include "rushlight/registry.h"

enum { ARENA = 60 << 10, PLACES = 12 };

void call_isolate(uint8_t *file, const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t index)
{
    const struct field count = {.position = plan->instructions.items - 4, .width = 4};
    const struct field first = {.position = plan->instructions.items, .width = 4};
    const uint32_t table = rl_fb_item_table(&pte->fb, &plan->instructions, index);
    field_write(file, &count, 1);
    field_write(file, &first, table - first.position);
}

void call_spread(uint8_t *file, const struct rl_pte_plan *plan, const struct fields *fields)
{
    const struct field arena = {.position = plan->buffer_sizes.items + 8, .width = 8};
    uint32_t place = 1; // a tensor at 0 does not say so
    if (plan->buffer_sizes.count < 2) {
        return;
    }
    field_write(file, &arena, ARENA);
    for (uint32_t i = 0; i < fields->count; i++) {
        if (fields->items[i].role == FIELD_OFFSET) {
            field_write(file, &fields->items[i], place++ % PLACES * (ARENA / PLACES));
        }
    }
}

void call_lay_flat(uint8_t *file, const struct fields *fields)
{
    static const uint32_t last[] = {0, 2, 3, 1};
    for (uint32_t i = 0; i + 8 <= fields->count; i++) {
        const struct field *sizes = &fields->items[i], *order = sizes + 4;
        uint64_t numbers[4];
        bool found = true;
        for (uint32_t k = 0; k < 4; k++) {
            found = found && sizes[k].role == FIELD_SIZE && order[k].role == FIELD_ORDER &&
                    field_read(file, &order[k]) == last[k];
            numbers[k] = field_read(file, &sizes[k]);
        }
        for (uint32_t k = 0; found && k < 4; k++) {
            field_write(file, &sizes[k], numbers[last[k]]);
            field_write(file, &order[k], k);
        }
    }
}

uint32_t call_kernel(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t op_index)
{
    const char *name, *overload;
    uint32_t name_length, overload_length;
    char full[128];
    if (!rl_pte_operator(pte, plan, op_index, &name, &name_length, &overload, &overload_length)) {
        return rl_registry_all.count;
    }
    snprintf(full, sizeof full, "%s.%s", name, overload);
    uint32_t index = 0;
    while (index < rl_registry_all.count && strcmp(rl_registry_all.kernels[index]->name, full) != 0) {
        index++;
    }
    return index;
}
