// SPDX-License-Identifier: Apache-2.0
//
// Bytes of the planned memory that a program may read before it has written them. A result that depends on them would
// depend on what the memory held before. Programs in which there are any, or in which that is not known, get their
// memory cleared before each execution; all others need nothing.
//
// In a method without jumps, moves and changing shapes every call runs once, in order, and writes all bytes of its
// outputs. So one pass over the calls collects what is written, and looks whether it contains what the next call reads.
// structure.c, which knows the operators, makes that pass. All other methods may read what they have not written.
//
// A call may leave anything in its work space, even addresses. So its bytes are not written any more, and where memory
// is cleared, the work space is, too, after each call.
#include <string.h>

#include "format/proved.h"
#include "runtime/verify/verify.h"

// ---- spans

static void add(struct rl_spans *spans, struct rl_span added)
{
    uint32_t kept = 0, smallest = 0;
    if (added.start == added.end) {
        return;
    }
    for (uint32_t i = 0; i < spans->count; i++) {
        const struct rl_span item = spans->items[i];
        if (item.buffer == added.buffer && item.start <= added.end && added.start <= item.end) {
            added.start = item.start < added.start ? item.start : added.start;
            added.end = item.end > added.end ? item.end : added.end;
        } else {
            spans->items[kept++] = item;
        }
    }
    spans->count = kept;
    if (kept < RL_MOST_SPANS) {
        spans->items[spans->count++] = added;
        return;
    }
    for (uint32_t i = 1; i < kept; i++) {
        const struct rl_span *item = &spans->items[i], *least = &spans->items[smallest];
        smallest = item->end - item->start < least->end - least->start ? i : smallest;
    }
    if (added.end - added.start > spans->items[smallest].end - spans->items[smallest].start) {
        spans->items[smallest] = added;
    }
}

static void take_away(struct rl_spans *spans, struct rl_span gone)
{
    struct rl_span behind = {gone.buffer, 0, 0}; // the rest of a span around it, of which there is one at most
    uint32_t kept = 0;
    for (uint32_t i = 0; i < spans->count && gone.start < gone.end; i++) {
        struct rl_span item = spans->items[i];
        const bool is_hit = item.buffer == gone.buffer && item.start < gone.end && gone.start < item.end;
        if (is_hit && item.start < gone.start && gone.end < item.end) {
            behind = (struct rl_span){gone.buffer, gone.end, item.end};
        }
        if (is_hit && item.start < gone.start) {
            item.end = gone.start;
        } else if (is_hit) {
            item.start = gone.end < item.end ? gone.end : item.end;
        }
        if (item.start < item.end) {
            spans->items[kept++] = item;
        }
    }
    spans->count = gone.start < gone.end ? kept : spans->count;
    add(spans, behind);
}

static bool contains(const struct rl_spans *spans, struct rl_span part)
{
    for (uint32_t i = 0; i < spans->count; i++) {
        const struct rl_span *item = &spans->items[i];
        if (item->buffer == part.buffer && item->start <= part.start && part.end <= item->end) {
            return true;
        }
    }
    return part.start == part.end;
}

// ---- tensors

static const uint8_t *values_of(const struct rl_pte *pte, const struct rl_pte_plan *plan)
{
    return pte->fb.data + plan->values.items;
}

// The span of a value with its largest sizes. False if it is not a planned tensor.
static bool find_span(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t value, struct rl_span *span)
{
    const uint8_t *table;
    uint32_t rank;
    if (rl_proved_value(values_of(pte, plan) + 4 * (size_t)value, &table) != RL_PTE_TENSOR) {
        return false;
    }
    const uint8_t *allocation = rl_proved_child(table, RL_PTE_tensor_allocation_info);
    if (!allocation) {
        return false;
    }
    uint32_t bytes = (uint32_t)rl_scalar_size((int)rl_proved_byte(table, RL_PTE_tensor_scalar_type));
    const uint8_t *sizes = rl_proved_vector(table, RL_PTE_tensor_sizes, &rank);
    for (uint32_t i = 0; i < rank; i++) {
        bytes *= rl_proved_u32(sizes + 4 * (size_t)i);
    }
    span->buffer = rl_proved_u32(rl_proved_present(allocation, RL_PTE_allocation_memory_id)) - 1;
    span->start = rl_proved_number(allocation, RL_PTE_allocation_memory_offset_low);
    span->end = span->start + bytes;
    return true;
}

// Whether a value is a planned tensor with a first value in the file.
static bool is_initialized(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t value)
{
    const uint8_t *table;
    return rl_proved_value(values_of(pte, plan) + 4 * (size_t)value, &table) == RL_PTE_TENSOR &&
           rl_proved_child(table, RL_PTE_tensor_allocation_info) &&
           rl_proved_number(table, RL_PTE_tensor_data_buffer_idx) != 0;
}

static void add_value(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t value, struct rl_spans *spans)
{
    struct rl_span span;
    if (find_span(pte, plan, value, &span)) {
        add(spans, span);
    }
}

static void take_value_away(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t value,
                            struct rl_spans *spans)
{
    struct rl_span span;
    if (find_span(pte, plan, value, &span)) {
        take_away(spans, span);
    }
}

static bool is_unwritten(const struct rl_pte *pte, const struct rl_pte_plan *plan, uint32_t value,
                         const struct rl_spans *written)
{
    struct rl_span span;
    return find_span(pte, plan, value, &span) && !contains(written, span);
}

// ---- calls

// Arguments of a call, given its table.
struct arguments {
    const struct rl_kernel *kernel;
    const uint8_t *items;
    uint32_t count;
};

static bool is_among(char letter, const char letters[3])
{
    return letter == letters[0] || letter == letters[1] || letter == letters[2];
}

// Whether an argument is written as a whole. The others are read, but for work spaces, returned values, and an output
// that the call names among its operands, too, because it changes that one.
static bool is_output(const struct arguments *a, uint32_t index)
{
    const char *signature = a->kernel->signature;
    const bool is_last = index + 1 == a->count, is_list = index + 2 == a->count && signature[index + 1] == 'L';
    return (signature[index] == 'O' && (is_last || is_among(signature[index + 1], "ORM"))) ||
           (signature[index] == 'L' && is_list);
}

static bool is_read(const struct arguments *a, uint32_t index)
{
    return !is_among(a->kernel->signature[index], "SRM") && !is_output(a, index) &&
           !(a->kernel->signature[index] == 'L' && index + 1 == a->count && index > 0 && is_output(a, index - 1));
}

// The values that an argument names: itself, or the items of a list.
static const uint8_t *named_values(const struct rl_pte *pte, const struct rl_pte_plan *plan, const uint8_t *argument,
                                   uint32_t *count)
{
    const uint8_t *table;
    const enum rl_pte_kind kind = rl_proved_value(values_of(pte, plan) + 4 * (size_t)rl_proved_u32(argument), &table);
    if (kind == RL_PTE_TENSOR_LIST || kind == RL_PTE_OPTIONAL_TENSOR_LIST) {
        return rl_proved_vector(table, RL_PTE_payload_item, count);
    }
    *count = 1;
    return argument;
}

enum role { READ, WORKS_IN, WRITES, ROLES };

static bool has_role(const struct arguments *a, uint32_t index, enum role role)
{
    switch (role) {
    case READ:
        return is_read(a, index);
    case WORKS_IN:
        return a->kernel->signature[index] == 'S';
    default:
        return is_output(a, index);
    }
}

// Whether a call reads what is not written. Adds what it writes, and takes its work space away.
static bool reads_unwritten(const struct rl_pte *pte, const struct rl_pte_plan *plan, const struct arguments *a,
                            struct rl_effort *effort, struct rl_spans *written)
{
    for (enum role role = READ; role < ROLES; role++) {
        for (uint32_t i = 0; i < a->count; i++) {
            uint32_t count;
            if (!has_role(a, i, role)) {
                continue;
            }
            const uint8_t *values = named_values(pte, plan, a->items + 4 * (size_t)i, &count);
            for (uint32_t k = 0; k < count && rl_spend(effort, 1); k++) {
                const uint32_t value = rl_proved_u32(values + 4 * (size_t)k);
                if (value > INT32_MAX) { // None is -1
                    continue;
                }
                if (role == READ && is_unwritten(pte, plan, value, written)) {
                    return true;
                }
                if (role == WORKS_IN) {
                    take_value_away(pte, plan, value, written);
                } else if (role == WRITES) {
                    add_value(pte, plan, value, written);
                }
            }
        }
    }
    return false;
}

// ---- methods

void rl_start_written(const struct rl_pte *pte, const struct rl_pte_plan *plan, struct rl_written *written)
{
    written->is_missing = false;
    written->spans.count = 0;
    for (uint32_t i = 0; i < plan->inputs.count; i++) {
        add_value(pte, plan, (uint32_t)rl_proved_item(pte, &plan->inputs, i), &written->spans);
    }
    for (uint32_t i = 0; i < plan->values.count; i++) {
        if (is_initialized(pte, plan, i)) {
            add_value(pte, plan, i, &written->spans);
        }
    }
}

void rl_follow_written(const struct rl_pte *pte, const struct rl_pte_plan *plan, const struct rl_kernel *kernel,
                       const struct rl_fb_vector *called, struct rl_effort *effort, struct rl_written *written)
{
    const struct arguments a = {kernel, pte->fb.data + called->items, called->count};
    written->is_missing = written->is_missing || reads_unwritten(pte, plan, &a, effort, &written->spans);
}

void rl_end_written(const struct rl_pte *pte, const struct rl_pte_plan *plan, struct rl_written *written)
{
    for (uint32_t i = 0; i < plan->outputs.count; i++) {
        const uint32_t value = (uint32_t)rl_proved_item(pte, &plan->outputs, i);
        written->is_missing = written->is_missing || is_unwritten(pte, plan, value, &written->spans);
    }
    for (uint32_t i = 0; i < plan->values.count && !written->is_missing; i++) { // which the next execution reads
        written->is_missing = is_initialized(pte, plan, i) && is_unwritten(pte, plan, i, &written->spans);
    }
}

// ---- clearing

// The spans to keep that end behind a place in a buffer: those that start first, in order.
struct nearest {
    uint32_t buffer, place;
    struct rl_spans spans;
};

static void choose(struct nearest *n, struct rl_span span)
{
    struct rl_span *items = n->spans.items;
    if (span.buffer != n->buffer || span.end <= n->place || span.start == span.end) {
        return;
    }
    uint32_t i = n->spans.count < RL_MOST_SPANS ? n->spans.count++ : RL_MOST_SPANS;
    for (; i > 0 && items[i - 1].start > span.start; i--) {
        if (i < RL_MOST_SPANS) {
            items[i] = items[i - 1];
        }
    }
    if (i < RL_MOST_SPANS) {
        items[i] = span;
    }
}

static void choose_value(const struct rl_method *method, uint32_t value, struct nearest *n)
{
    struct rl_span span;
    if (find_span(&method->program->pte, &method->plan, value, &span)) {
        choose(n, span);
    }
}

// The tensors that a call changes in place: outputs that it also names as an operand.
static void choose_changed(const struct rl_method *method, const struct arguments *a, struct nearest *n)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const uint32_t value = rl_proved_u32(a->items + 4 * (size_t)i);
        bool is_operand = a->kernel->signature[i] == 'O' && !is_output(a, i);
        for (uint32_t k = 0; k < i && a->kernel->signature[i] == 'O'; k++) {
            is_operand = is_operand || rl_proved_u32(a->items + 4 * (size_t)k) == value;
        }
        if (is_operand) {
            choose_value(method, value, n);
        }
    }
}

// What lasts from execution to execution: tensors with a first value, and those that a call changes in place.
static void choose_state(const struct rl_method *method, struct nearest *n)
{
    const struct rl_pte *pte = &method->program->pte;
    const struct rl_pte_plan *plan = &method->plan;
    for (uint32_t i = 0; i < plan->values.count; i++) {
        if (is_initialized(pte, plan, i)) {
            choose_value(method, i, n);
        }
    }
    for (uint32_t i = 0; i < plan->instructions.count; i++) {
        const uint8_t *table;
        struct arguments a;
        if (rl_proved_instruction(pte, &plan->instructions, i, &table) != RL_PTE_KERNEL_CALL) {
            continue;
        }
        a.kernel = method->kernels[rl_proved_number(table, RL_PTE_kernel_call_op_index)];
        a.items = rl_proved_vector(table, RL_PTE_kernel_call_args, &a.count);
        if (a.count == a.kernel->argument_count) {
            choose_changed(method, &a, n);
        }
    }
}

static void choose_kept(const struct rl_method *method, unsigned cleared, struct nearest *n)
{
    for (uint32_t i = 0; cleared != RL_CLEAR_ALL && i < method->plan.inputs.count; i++) {
        choose_value(method, (uint32_t)rl_proved_item(&method->program->pte, &method->plan.inputs, i), n);
    }
    if (cleared == RL_CLEAR_BUT_STATE) {
        choose_state(method, n);
    }
}

// Clears a planned buffer up to the last of these spans, but for the spans. Returns where it stopped.
static uint32_t clear_between(uint8_t *data, uint32_t bytes, const struct nearest *n)
{
    uint32_t place = n->place;
    for (uint32_t i = 0; i < n->spans.count; i++) {
        const struct rl_span *kept = &n->spans.items[i];
        if (kept->start > place) {
            memset(data + place, 0, kept->start - place);
        }
        place = kept->end > place ? kept->end : place;
    }
    if (n->spans.count == RL_MOST_SPANS) {
        return place;
    }
    memset(data + place, 0, bytes - place);
    return bytes;
}

static void clear_work(const struct rl_call *call)
{
    struct rl_call reader = *call; // whose refusals do not count
    for (uint32_t i = 0; i < call->argument_count; i++) {
        struct rl_tensor work;
        if (call->kernel->signature[i] != 'S') {
            continue;
        }
        reader.status = RL_OK;
        rl_call_tensor(&reader, i, &work);
        if (reader.status == RL_OK && work.data) {
            memset(work.data, 0, work.bytes);
        }
    }
}

void rl_clear_memory(const struct rl_method *method, unsigned cleared, const struct rl_call *call)
{
    if (cleared == RL_CLEAR_WORK) {
        clear_work(call);
        return;
    }
    for (uint32_t i = 0; i + 1 < method->plan.buffer_sizes.count; i++) {
        uint32_t bytes = 0;
        rl_planned_bytes(&method->program->pte, &method->plan, i, &bytes);
        for (struct nearest n = {.buffer = i}; n.place < bytes;) {
            n.spans.count = 0;
            choose_kept(method, cleared, &n);
            n.place = clear_between(method->buffers[i].data, bytes, &n);
        }
    }
}
