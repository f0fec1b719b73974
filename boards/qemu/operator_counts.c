// SPDX-License-Identifier: Apache-2.0
#include "operator_counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPERATORS = 1 << 20 }; // of a method; a firmware that was taken over may tell any number

enum place { BETWEEN_OPERATORS, IN_OPERATOR, BEHIND_OPERATOR };

static struct rl_operator_counts *sums;
static uint32_t capacity;
static uint32_t current; // operator
static enum place place;
static struct rl_counts at_start;

void rl_operators_clear(void)
{
    if (sums) {
        memset(sums, 0, capacity * sizeof *sums);
    }
    place = BETWEEN_OPERATORS;
}

static void make_room(uint32_t index)
{
    const uint32_t wanted = (index + 1024) / 1024 * 1024;
    if (index < capacity) {
        return;
    }
    if (index >= MOST_OPERATORS) {
        abort();
    }
    sums = realloc(sums, wanted * sizeof *sums);
    if (!sums) {
        abort();
    }
    memset(sums + capacity, 0, (wanted - capacity) * sizeof *sums);
    capacity = wanted;
}

void rl_operators_number(uint32_t number, const struct rl_counts *now)
{
    if (place == BEHIND_OPERATOR) {
        struct rl_operator_counts *sum = &sums[current];
        sum->stack_bytes = number > sum->stack_bytes ? number : sum->stack_bytes;
        place = BETWEEN_OPERATORS;
        return;
    }
    make_room(number);
    current = number;
    at_start = *now;
    place = IN_OPERATOR;
}

void rl_operators_leave(const struct rl_counts *now)
{
    if (place != IN_OPERATOR) {
        return;
    }
    struct rl_operator_counts *sum = &sums[current];
    sum->runs++;
    sum->counts.instructions += now->instructions - at_start.instructions;
    sum->counts.cycles += now->cycles - at_start.cycles;
    sum->counts.loads += now->loads - at_start.loads;
    sum->counts.stores += now->stores - at_start.stores;
    place = BEHIND_OPERATOR;
}

void rl_operators_print(FILE *file)
{
    for (uint32_t i = 0; i < capacity; i++) {
        const struct rl_operator_counts *sum = &sums[i];
        if (sum->runs > 0) {
            fprintf(file,
                    "operator %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 "\n", i,
                    sum->runs, sum->counts.instructions, sum->counts.cycles, sum->counts.loads, sum->counts.stores,
                    sum->stack_bytes);
        }
    }
}
