// SPDX-License-Identifier: Apache-2.0
//
// What operators and hooks read their arguments with.
#include <string.h>

#include "format/proved.h"
#include "runtime/internal.h"

int32_t rl_call_value(const struct rl_call *call, uint32_t argument)
{
    return argument < call->argument_count ? call->arguments[argument] : -1;
}

static inline enum rl_pte_kind find_value(const struct rl_call *call, uint32_t *value, const uint8_t **table)
{
    return rl_value_now(call->slots, call->values, value, table);
}

// Kind of an argument, its value and the value's table.
static inline enum rl_pte_kind find_place(const struct rl_call *call, uint32_t argument, uint32_t *value,
                                          const uint8_t **table)
{
    if (argument >= call->argument_count) {
        return RL_PTE_INVALID;
    }
    *value = (uint32_t)call->arguments[argument];
    return find_value(call, value, table);
}

// The same for those who need the table only.
static inline enum rl_pte_kind find(const struct rl_call *call, uint32_t argument, const uint8_t **table)
{
    uint32_t value;
    return find_place(call, argument, &value, table);
}

enum rl_pte_kind rl_call_kind(const struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    return find(call, argument, &table);
}

// ---- tensors

static void view(struct rl_call *call, uint32_t argument, uint32_t value, const uint8_t *table,
                 struct rl_tensor *tensor)
{
    if (rl_view_tensor(call->method, value, table, tensor) == RL_PLACE_CALLER) {
        if (call->method->stand_in) {
            tensor->data = call->method->stand_in(call->method, value);
        } else {
            call->keeps = false; // another address may be bound
        }
    }
    if (tensor->data) {
        return;
    }
    // An empty tensor gets an address that nobody reads, because nothing may be added to NULL, not even 0.
    tensor->data = (void *)(uintptr_t)call->values;
    if (tensor->bytes > 0) {
        rl_call_refuse(call, argument, RL_ERROR_MEMORY,
                       "a tensor has no memory: it is neither planned nor bound by the caller");
    }
}

static void refuse_view(struct rl_call *call, uint32_t argument, const char *message, struct rl_tensor *tensor)
{
    memset(tensor, 0, sizeof *tensor);
    rl_call_refuse(call, argument, RL_ERROR_TYPE, message);
}

void rl_call_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    uint32_t value;
    const uint8_t *table;
    if (find_place(call, argument, &value, &table) == RL_PTE_TENSOR) {
        view(call, argument, value, table, tensor);
    } else {
        refuse_view(call, argument, "a tensor was expected here", tensor);
    }
}

bool rl_call_optional_tensor(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    uint32_t value;
    const uint8_t *table;
    enum rl_pte_kind kind = find_place(call, argument, &value, &table);
    if (kind == RL_PTE_TENSOR) {
        view(call, argument, value, table, tensor);
    } else if (kind == RL_PTE_NULL) {
        memset(tensor, 0, sizeof *tensor);
    } else {
        refuse_view(call, argument, "a tensor was expected here", tensor);
    }
    return kind == RL_PTE_TENSOR && call->status == RL_OK;
}

void rl_call_output(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor)
{
    rl_call_tensor(call, argument, tensor);
    if (tensor->constant) {
        rl_call_refuse(call, argument, RL_ERROR_FORMAT, "an operator would write to a constant");
    }
}

// Values that a list of tensors names; none and refused when it is no such list.
static const uint8_t *find_list(struct rl_call *call, uint32_t argument, uint32_t *count)
{
    const uint8_t *table;
    enum rl_pte_kind kind = find(call, argument, &table);
    if (kind == RL_PTE_TENSOR_LIST || kind == RL_PTE_OPTIONAL_TENSOR_LIST) {
        return rl_proved_vector(table, RL_PTE_payload_item, count);
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "a list of tensors was expected here");
    *count = 0;
    return NULL;
}

uint32_t rl_call_list(struct rl_call *call, uint32_t argument)
{
    uint32_t count;
    find_list(call, argument, &count);
    return count;
}

void rl_call_list_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    uint32_t count;
    const uint8_t *items = find_list(call, argument, &count), *table;
    uint32_t value = index < count ? rl_proved_u32(items + 4 * index) : UINT32_MAX; // None is -1
    if (value > INT32_MAX) {
        refuse_view(call, argument, "a list has fewer tensors than the operator needs", tensor);
    } else if (find_value(call, &value, &table) == RL_PTE_TENSOR) {
        view(call, argument, value, table, tensor);
    } else {
        refuse_view(call, argument, "a tensor was expected here", tensor);
    }
}

bool rl_call_list_optional_tensor(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    uint32_t count;
    const uint8_t *items = find_list(call, argument, &count);
    bool is_none = index < count && rl_proved_u32(items + 4 * index) == UINT32_MAX;
    memset(tensor, 0, sizeof *tensor);
    if (!is_none) {
        rl_call_list_tensor(call, argument, index, tensor);
    }
    return !is_none && call->status == RL_OK;
}

void rl_call_list_output(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor)
{
    rl_call_list_tensor(call, argument, index, tensor);
    if (tensor->constant) {
        rl_call_refuse(call, argument, RL_ERROR_FORMAT, "an operator would write to a constant");
    }
}

// ---- tensors of float64

static bool is_float64(enum rl_pte_kind kind, const uint8_t *table)
{
    return kind == RL_PTE_TENSOR && rl_proved_byte(table, RL_PTE_tensor_scalar_type) == RL_FLOAT64;
}

// Most programs have none, which is found out once.
static bool method_has_float64(const struct rl_call *call)
{
    enum { UNKNOWN, NONE, SOME };
    struct rl_method *method = call->method;
    if (method->doubles != UNKNOWN) {
        return method->doubles == SOME;
    }
    method->doubles = NONE;
    for (uint32_t i = 0; i < method->plan.values.count && method->doubles == NONE; i++) {
        const uint8_t *table;
        const enum rl_pte_kind kind = rl_proved_value(call->values + 4 * i, &table);
        method->doubles = is_float64(kind, table) ? SOME : NONE;
    }
    return method->doubles == SOME;
}

static bool list_has_float64(const struct rl_call *call, const uint8_t *list)
{
    uint32_t count;
    const uint8_t *items = rl_proved_vector(list, RL_PTE_payload_item, &count), *table;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = rl_proved_u32(items + 4 * i);
        if (value > INT32_MAX) { // None is -1
            continue;
        }
        const enum rl_pte_kind kind = find_value(call, &value, &table);
        if (is_float64(kind, table)) {
            return true;
        }
    }
    return false;
}

bool rl_call_has_float64(const struct rl_call *call)
{
    bool found = false;
    for (uint32_t i = 0; method_has_float64(call) && !found && i < call->argument_count; i++) {
        const uint8_t *table;
        const enum rl_pte_kind kind = find(call, i, &table);
        if (kind == RL_PTE_TENSOR_LIST || kind == RL_PTE_OPTIONAL_TENSOR_LIST) {
            found = list_has_float64(call, table);
        } else {
            found = is_float64(kind, table);
        }
    }
    return found;
}

// ---- sizes of results

static bool has_sizes(const struct rl_tensor *tensor, uint32_t rank, const int32_t *sizes)
{
    bool same = tensor->rank == rank;
    for (uint32_t i = 0; same && i < rank; i++) {
        same = tensor->sizes[i] == sizes[i];
    }
    return same;
}

// Gives output `index` of a list, or the one that the argument is, these sizes.
static void resize(struct rl_call *call, uint32_t argument, uint32_t index, uint32_t rank, const int32_t *sizes)
{
    const struct rl_control_flow *flow = call->method->flow;
    const char *message = rl_sentence("the output has other sizes than the result");
    if (call->slots && flow) {
        message = flow->resize_output(call, argument, index, rank, sizes);
    }
    if (message) {
        rl_call_fail(call, argument, RL_ERROR_TYPE, message);
    }
}

void rl_call_resize(struct rl_call *call, uint32_t argument, struct rl_tensor *tensor, uint32_t rank,
                    const int32_t *sizes)
{
    if (call->status != RL_OK || has_sizes(tensor, rank, sizes)) {
        return;
    }
    resize(call, argument, 0, rank, sizes);
    rl_call_tensor(call, argument, tensor);
}

void rl_call_list_resize(struct rl_call *call, uint32_t argument, uint32_t index, struct rl_tensor *tensor,
                         uint32_t rank, const int32_t *sizes)
{
    if (call->status != RL_OK || has_sizes(tensor, rank, sizes)) {
        return;
    }
    resize(call, argument, index, rank, sizes);
    rl_call_list_tensor(call, argument, index, tensor);
}

void rl_call_show(struct rl_call *call, uint32_t argument, uint32_t shown)
{
    if (call->slots) {
        call->method->flow->show(call, argument, shown);
    }
}

// ---- numbers

int64_t rl_call_int(struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    if (find(call, argument, &table) == RL_PTE_INT) {
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

// The int that `value` is, within lowest..highest; otherwise refused and `lowest`.
static inline int32_t read_bounded(struct rl_call *call, uint32_t argument, uint32_t value, int32_t lowest,
                                   int32_t highest)
{
    const uint8_t *table;
    if (find_value(call, &value, &table) != RL_PTE_INT) {
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
    if (find(call, argument, &table) == RL_PTE_BOOL) {
        return rl_proved_bool(table);
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "a bool was expected here");
    return false;
}

double rl_call_number(struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    switch (find(call, argument, &table)) {
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
    if (find(call, argument, &table) == RL_PTE_STRING) {
        characters = (const char *)rl_proved_vector(table, RL_PTE_payload_item, &length);
    } else {
        rl_call_refuse(call, argument, RL_ERROR_TYPE, "a string was expected here");
    }
    return characters ? characters : "";
}

// As the conversion of C, whose function for cores without doubles brings all of their arithmetic along.
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

// Unlike rl_call_number it takes ints of 32 bits only.
double rl_call_double(struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    enum rl_pte_kind kind = find(call, argument, &table);
    if (kind == RL_PTE_DOUBLE) {
        return rl_proved_double(table);
    }
    if (kind == RL_PTE_INT) {
        return to_double(narrow(call, argument, rl_proved_int(table)));
    }
    rl_call_refuse(call, argument, RL_ERROR_TYPE, "a float was expected here");
    return 0;
}

// Doubles without the conversion of C, whose function for cores that have none is three times as large. The fraction
// loses 29 bits, rounded to nearest, ties to even, and the exponent gets another bias; normal floats above zero have
// the bits 0x800000 to 0x7F7FFFFF.
float rl_call_positive_float(struct rl_call *call, uint32_t argument)
{
    const uint8_t *table;
    const enum rl_pte_kind kind = find(call, argument, &table);
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

// Indices of the values in an int list of at most `capacity` items, 8 bytes each; none when it is None or refused. An
// int is the list of it: then there is one index, of 4 bytes, that of the argument.
static const uint8_t *find_ints(struct rl_call *call, uint32_t argument, uint32_t capacity, uint32_t *count)
{
    const uint8_t *table, *list = NULL;
    enum rl_pte_kind kind = find(call, argument, &table);
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
    enum rl_pte_kind kind = find(call, argument, &table);
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
    set_number(call, argument, RL_PTE_DOUBLE, bits);
}

// ---- what later runs need not do again

const void *rl_call_keep(struct rl_call *call, const void *made, uint32_t bytes)
{
    struct rl_buffer *room = &call->method->room;
    const size_t rounded = (bytes + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    if (!rl_call_ready(call)) {
        return NULL;
    }
    if (!call->keeps || rounded > room->bytes) {
        return made;
    }
    call->method->kept[call->instruction] = memcpy(room->data, made, bytes);
    room->data = (uint8_t *)room->data + rounded;
    room->bytes -= rounded;
    return made;
}
