// SPDX-License-Identifier: Apache-2.0
//
// The functions with which operators and hooks read and return numbers, strings and lists of numbers.
#include <string.h>

#include "runtime/run/call.h"

int64_t rl_call_int(struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    if (rl_call_find(call, argument, &table) == RL_PTE_INT) {
        return rl_proved_int(table);
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "an int was expected here");
    return 0;
}

static int32_t narrow(struct rl_call *call, uint32_t argument, int64_t number)
{
    if (number >= INT32_MIN && number <= INT32_MAX) {
        return (int32_t)number;
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "an int does not fit 32 bits");
    return 0;
}

// The int `value`, if it is within lowest..highest. Otherwise refuses the call and returns `lowest`.
static inline int32_t read_bounded(struct rl_call *call, uint32_t argument, uint32_t value, int32_t lowest,
                                   int32_t highest)
{
    const uint8_t *table;
    if (rl_call_find_value(call, &value, &table) != RL_PTE_INT) {
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "an int was expected here");
        return lowest;
    }
    int64_t number = rl_proved_int(table);
    if (number >= lowest && number <= highest) {
        return (int32_t)number;
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "an int is outside the range of the operator");
    return lowest;
}

int32_t rl_call_bounded(struct rl_call *call, uint32_t argument, int32_t lowest, int32_t highest)
{
    if (argument < call->argument_count) {
        return read_bounded(call, argument, (uint32_t)call->arguments[argument], lowest, highest);
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "an int was expected here");
    return lowest;
}

int32_t rl_call_int32(struct rl_call *call, uint32_t argument)
{
    return narrow(call, argument, rl_call_int(call, argument));
}

bool rl_call_bool(struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    if (rl_call_find(call, argument, &table) == RL_PTE_BOOL) {
        return rl_proved_bool(table);
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "a bool was expected here");
    return false;
}

double rl_call_number(struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    switch (rl_call_find(call, argument, &table)) {
    case RL_PTE_DOUBLE:
        return rl_proved_double(table);
    case RL_PTE_INT:
        return (double)rl_proved_int(table);
    case RL_PTE_BOOL:
        return rl_proved_bool(table) ? 1 : 0;
    default:
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a number was expected here");
        return 0;
    }
}

const char *rl_call_string(struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    uint32_t length;
    const char *characters = NULL;
    if (rl_call_find(call, argument, &table) == RL_PTE_STRING) {
        characters = (const char *)rl_proved_vector(table, RL_PTE_payload_item, &length);
    } else {
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a string was expected here");
    }
    return characters ? characters : "";
}

// Does what C's conversion does. On cores without doubles, C's function would link the whole arithmetic of doubles.
static double to_double(int32_t number)
{
    uint32_t fraction = number < 0 ? 0 - (uint32_t)number : (uint32_t)number;
    uint64_t sign = number < 0, exponent = 1023 + 31;
    double result = 0;
    if (fraction == 0) {
        return result;
    }
    for (; fraction <= INT32_MAX; fraction <<= 1) {
        exponent--;
    }
    uint64_t bits = sign << 63 | exponent << 52 | (uint64_t)(fraction & INT32_MAX) << 21;
    memcpy(&result, &bits, sizeof result);
    return result;
}

// Unlike rl_call_number it takes only 32-bit ints.
double rl_call_double(struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    enum rl_pte_kind kind = rl_call_find(call, argument, &table);
    if (kind == RL_PTE_DOUBLE) {
        return rl_proved_double(table);
    }
    if (kind == RL_PTE_INT) {
        return to_double(narrow(call, argument, rl_proved_int(table)));
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "a float was expected here");
    return 0;
}

// Converts doubles without C's function, which is three times as large on cores without doubles. The fraction loses 29
// bits, rounded to nearest, ties to even, and the exponent gets another bias. Normal floats above zero have the bits
// 0x800000 to 0x7F7FFFFF.
float rl_call_positive_float(struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    const enum rl_pte_kind kind = rl_call_find(call, argument, &table);
    if (kind == RL_PTE_INT) {
        return (float)rl_call_bounded(call, argument, 1, INT32_MAX);
    }
    if (kind == RL_PTE_DOUBLE) {
        const uint64_t bits = (uint64_t)rl_proved_int(table), half = 0x0FFFFFFF + (bits >> 29 & 1);
        const uint64_t narrowed = ((bits + half) >> 29) - ((uint64_t)(1023 - 127) << 23);
        if (narrowed - 0x800000 < 0x7F800000 - 0x800000) {
            const uint32_t float_bits = (uint32_t)narrowed;
            float number;
            memcpy(&number, &float_bits, sizeof number);
            return number;
        }
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "a float above 0 was expected here");
    return 1;
}

// The indices of the values in an int list of at most `capacity` items, 8 bytes each; none if it is None or refused. An
// int counts as a list of one: the result is then the argument's index, in 4 bytes.
static const uint8_t *find_ints(struct rl_call *call, uint32_t argument, uint32_t capacity, uint32_t *count)
{
    const uint8_t *table, *list = NULL;
    enum rl_pte_kind kind = rl_call_find(call, argument, &table);
    *count = 0;
    if (kind == RL_PTE_INT_LIST) {
        list = rl_proved_vector(table, RL_PTE_payload_item, count);
    } else if (kind == RL_PTE_INT) {
        list = (const uint8_t *)&call->arguments[argument];
        *count = 1;
    } else if (kind != RL_PTE_NULL) {
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a list of ints was expected here");
    }
    if (*count <= capacity) {
        return list;
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "a list has more items than the operator takes");
    *count = 0;
    return NULL;
}

static int32_t nearest_to_zero(int32_t lowest, int32_t highest)
{
    if (lowest > 0) {
        return lowest;
    }
    return highest < 0 ? highest : 0;
}

uint32_t rl_call_bounded_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t capacity,
                              int32_t lowest, int32_t highest)
{
    uint32_t count;
    const uint8_t *list = find_ints(call, argument, capacity, &count);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = read_bounded(call, argument, rl_proved_u32(list + 8 * i), lowest, highest);
    }
    for (uint32_t i = count; i < capacity; i++) {
        items[i] = nearest_to_zero(lowest, highest);
    }
    return count;
}

uint32_t rl_call_ints(struct rl_call *call, uint32_t argument, int32_t *items, uint32_t capacity)
{
    return rl_call_bounded_ints(call, argument, items, capacity, INT32_MIN, INT32_MAX);
}

uint32_t rl_call_doubles(struct rl_call *call, uint32_t argument, double *items, uint32_t capacity)
{
    const uint8_t *table, *list = NULL;
    uint32_t count = 0;
    enum rl_pte_kind kind = rl_call_find(call, argument, &table);
    if (kind == RL_PTE_DOUBLE_LIST) {
        list = rl_proved_vector(table, RL_PTE_payload_item, &count);
    } else if (kind != RL_PTE_NULL) {
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a list of floats was expected here");
    }
    if (count > capacity) {
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a list has more items than the operator takes");
        return 0;
    }
    if (count > 0) {
        memcpy(items, list, count * sizeof *items);
    }
    return count;
}

// ---- results that are numbers

static void set_number(struct rl_call *call, uint32_t argument, enum rl_pte_kind kind, uint64_t bits)
{
    if (call->method->stand_in) {
        return;
    }
    if (!call->slots || argument >= call->argument_count) {
        rl_call_refuse(call, argument, RL_ERROR_UNSUPPORTED, "an operator changes a value of another kind");
        return;
    }
    rl_slot_set(&call->slots[call->arguments[argument]], kind, bits);
}

void rl_call_set_int(struct rl_call *call, uint32_t argument, int64_t number)
{
    set_number(call, argument, RL_PTE_INT, (uint64_t)number);
}

void rl_call_set_bool(struct rl_call *call, uint32_t argument, bool number)
{
    set_number(call, argument, RL_PTE_BOOL, number ? 1 : 0);
}

void rl_call_set_double(struct rl_call *call, uint32_t argument, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if ((bits & INT64_MAX) > UINT64_C(0x7ff0000000000000)) {
        bits = UINT64_C(0x7ff8000000000000); // the one NaN
    }
    set_number(call, argument, RL_PTE_DOUBLE, bits);
}
