// SPDX-License-Identifier: Apache-2.0
//
// A bound of the work of each call, from the sizes in the file and the signature of its operator. Shapes that change
// while a method runs keep the number of elements that the file states, so most bounds are products of these. Where one
// dimension counts, and it may change, the bound takes the whole tensor for it.
#include <string.h>

#include "format/proved.h"
#include "runtime/error.h"
#include "runtime/plan.h"
#include "runtime/run/shapes.h"
#include "runtime/verify/verify.h"

// What a call takes beside its operator: reading and checking its arguments.
enum { CALL = 64 };

// The longest side of a window that operators take.
enum { LONGEST_WINDOW = 32767 };

struct counter {
    struct rl_checked_method checked;
    struct rl_changes changes;
    uint64_t moved;      // elements of the largest tensor that a move puts into a value
    const uint8_t *call; // table of the call that is counted
    const struct rl_kernel *kernel;
};

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    return b > 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static enum rl_pte_kind kind_of(const struct counter *c, uint32_t value, const uint8_t **table)
{
    const struct rl_method *method = &c->checked.method;
    return rl_proved_value(method->program->pte.fb.data + method->plan.values.items + 4 * (size_t)value, table);
}

static uint32_t argument(const struct counter *c, uint32_t index)
{
    uint32_t count;
    return rl_proved_u32(rl_proved_vector(c->call, RL_PTE_kernel_call_args, &count) + 4 * (size_t)index);
}

// ---- tensors

// Whether a value may be another one than in the file, or have another shape.
static bool changes(const struct counter *c, uint32_t value)
{
    const struct rl_method *method = &c->checked.method;
    return rl_may_change(&c->changes, value) || rl_changing_rank(method->program, &method->plan, value) > 0;
}

// Dimension `index` in the file; from the end if it is negative, and 1 if there is none.
static uint32_t size_of(const struct counter *c, uint32_t value, int index)
{
    const uint8_t *table;
    uint32_t rank;
    kind_of(c, value, &table);
    const uint8_t *sizes = rl_proved_vector(table, RL_PTE_tensor_sizes, &rank);
    index += index < 0 ? (int)rank : 0;
    return index >= 0 && index < (int)rank ? rl_proved_u32(sizes + 4 * (size_t)index) : 1;
}

static uint64_t own_elements(const struct counter *c, uint32_t value)
{
    uint64_t elements = 1;
    for (int i = 0; i < RL_TENSOR_MAX_RANK; i++) {
        elements *= size_of(c, value, i);
    }
    return elements;
}

// The most elements that a tensor may have.
static uint64_t elements_of(const struct counter *c, uint32_t value)
{
    const uint64_t own = own_elements(c, value);
    return own < c->moved && rl_may_change(&c->changes, value) ? c->moved : own;
}

// ---- lists

// Elements of the tensors of a list, and a step for each. Masks are searched anew for each index beside them. Sizes of
// listed outputs that change are compared with the whole list.
static uint64_t work_of_list(const struct counter *c, const uint8_t *list)
{
    uint32_t count;
    uint64_t all = 0, masks = 0, others = 1;
    const uint8_t *items = rl_proved_vector(list, RL_PTE_payload_item, &count), *table;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t value = rl_proved_u32(items + 4 * (size_t)i);
        if (value > INT32_MAX) { // None is -1
            continue;
        }
        const uint64_t elements = elements_of(c, value);
        kind_of(c, value, &table);
        all = add(all, elements);
        if (rl_proved_byte(table, RL_PTE_tensor_scalar_type) == RL_BOOL) {
            masks = add(masks, elements);
        } else {
            others = add(others, elements);
        }
    }
    const bool resizes = c->checked.method.program->shapes != RL_SHAPES_FIXED;
    return add(add(all, multiply(masks, others)), resizes ? (uint64_t)count * count : count);
}

// Elements that a call touches: those of all its tensors.
static uint64_t all_elements(const struct counter *c)
{
    const uint64_t ends = (uint64_t)c->checked.inputs.count + c->checked.outputs.count;
    uint64_t work = 0;
    for (uint32_t i = 0; i < c->kernel->argument_count; i++) {
        const uint8_t *table;
        switch (kind_of(c, argument(c, i), &table)) {
        case RL_PTE_TENSOR:
            work = add(work, elements_of(c, argument(c, i)));
            // The addresses of bound tensors are searched among all inputs and outputs.
            work += rl_proved_child(table, RL_PTE_tensor_allocation_info) ? 0 : ends;
            break;
        case RL_PTE_TENSOR_LIST:
        case RL_PTE_OPTIONAL_TENSOR_LIST:
            work = add(work, work_of_list(c, table));
            break;
        default:
            break;
        }
    }
    return work;
}

// ---- arguments of which a call takes more

static uint64_t read_int(const struct counter *c, uint32_t value)
{
    const uint8_t *table;
    const int64_t number = kind_of(c, value, &table) == RL_PTE_INT ? rl_proved_int(table) : 0;
    return number > 0 ? (uint64_t)number : 0;
}

// The product of two ints, or the square of one, for each element of the output.
static uint64_t work_of_window(const struct counter *c, uint32_t value, uint64_t output)
{
    const uint8_t *table;
    uint32_t count;
    uint64_t area = 1;
    if (kind_of(c, value, &table) == RL_PTE_INT) {
        area = multiply(read_int(c, value), read_int(c, value));
        return multiply(output, rl_may_change(&c->changes, value) ? UINT64_MAX : area);
    }
    const uint8_t *items = rl_proved_vector(table, RL_PTE_payload_item, &count);
    bool is_known = !rl_may_change(&c->changes, value);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t item = rl_proved_u32(items + 8 * (size_t)i);
        is_known = is_known && !rl_may_change(&c->changes, item);
        area = multiply(area, read_int(c, item));
    }
    area = count == 1 ? multiply(area, area) : area;
    return multiply(output, is_known ? area : (uint64_t)LONGEST_WINDOW * LONGEST_WINDOW);
}

// A window of twice the factor between the two images, and two pixels more, along both of the last two dimensions.
static uint64_t work_of_scaling(const struct counter *c, uint32_t images, uint32_t output)
{
    const uint64_t elements = elements_of(c, output);
    if (changes(c, images) || changes(c, output)) {
        return multiply(elements, elements_of(c, images));
    }
    uint64_t window = 1;
    for (int dimension = -2; dimension < 0; dimension++) {
        const uint64_t to = size_of(c, output, dimension), from = size_of(c, images, dimension);
        window *= to > 0 ? 2 * ((from + to - 1) / to) + 2 : 1;
    }
    return multiply(elements, window);
}

// All weights for each place of the output. Weights that do not change decide how many channels there are.
static uint64_t work_of_weights(const struct counter *c, uint32_t weights, uint32_t output, int channels)
{
    const uint64_t most = elements_of(c, output);
    const uint32_t count = size_of(c, output, channels);
    if (changes(c, weights) || rl_may_change(&c->changes, output) || count == 0) {
        return multiply(most, elements_of(c, weights));
    }
    return multiply(most / count, elements_of(c, weights));
}

static uint64_t work_of_argument(const struct counter *c, char letter, uint32_t value, uint32_t output, uint64_t all)
{
    const bool is_open = letter == 'D' || letter == 'J' ? changes(c, value) : false;
    switch (letter) {
    case 'H':
        return work_of_weights(c, value, output, 1);
    case 'K':
        return work_of_weights(c, value, output, -1);
    case 'D':
        return multiply(elements_of(c, output), is_open ? elements_of(c, value) : size_of(c, value, -1));
    case 'A':
        return work_of_scaling(c, value, output);
    case 'X':
        return work_of_window(c, value, elements_of(c, output));
    case 'J':
        return multiply(all, is_open ? all : read_int(c, value));
    case 'Q':
        return multiply(all, elements_of(c, value));
    default:
        return 0;
    }
}

// The first output of the call, or its last argument.
static uint32_t find_output(const struct counter *c)
{
    uint32_t index = 0;
    while (index + 1u < c->kernel->argument_count && c->kernel->signature[index] != 'O') {
        index++;
    }
    return argument(c, index);
}

static uint64_t work_of_call(const struct counter *c)
{
    const uint64_t all = all_elements(c);
    uint64_t work = add(all, CALL);
    for (uint32_t i = 0; i < c->kernel->argument_count; i++) {
        work = add(work, work_of_argument(c, c->kernel->signature[i], argument(c, i), find_output(c), all));
    }
    return work;
}

// ---- methods

// Elements of the largest tensor that a move puts elsewhere.
static uint64_t find_moved(const struct counter *c)
{
    const struct rl_method *method = &c->checked.method;
    uint64_t most = 0;
    for (uint32_t i = 0; i < method->plan.instructions.count; i++) {
        const uint8_t *table;
        if (rl_proved_instruction(&method->program->pte, &method->plan.instructions, i, &table) != RL_PTE_MOVE_CALL) {
            continue;
        }
        const uint32_t from = rl_proved_number(table, RL_PTE_move_call_move_from);
        const uint64_t elements = kind_of(c, from, &table) == RL_PTE_TENSOR ? own_elements(c, from) : 0;
        most = elements > most ? elements : most;
    }
    return most;
}

// A jump looks at all elements of its condition.
static uint64_t work_of_jump(const struct counter *c, const uint8_t *table)
{
    const uint32_t value = rl_proved_number(table, RL_PTE_jump_false_call_cond_value_index);
    return kind_of(c, value, &table) == RL_PTE_TENSOR ? add(elements_of(c, value), CALL) : CALL;
}

static enum rl_status count_instruction(struct counter *c, const struct rl_registry *registry, uint32_t index,
                                        struct rl_work *total, struct rl_error *error)
{
    const struct rl_method *method = &c->checked.method;
    const uint8_t *table;
    uint64_t work = CALL;
    const enum rl_pte_instruction_kind kind =
        rl_proved_instruction(&method->program->pte, &method->plan.instructions, index, &table);
    if (kind == RL_PTE_KERNEL_CALL) {
        c->call = table;
        c->kernel = rl_called_kernel(method, registry, table);
        if (!c->kernel) {
            return rl_report(error, RL_ERROR_MISSING_OPERATOR, "an operator that the program calls is not registered",
                             0);
        }
        work = work_of_call(c);
    } else if (kind == RL_PTE_JUMP_FALSE_CALL) {
        work = work_of_jump(c, table);
        total->repeats =
            total->repeats || rl_proved_number(table, RL_PTE_jump_false_call_destination_instruction) <= index;
    }
    if (work > total->largest) {
        total->largest = work;
        total->instruction = index;
    }
    total->total = add(total->total, work);
    return RL_OK;
}

// Clearing before an execution: all planned bytes, eight at a time, and a look at all values and instructions for each
// RL_MOST_SPANS spans that are kept.
static uint64_t work_of_clearing(const struct counter *c, const struct rl_pte *pte)
{
    const struct rl_pte_plan *plan = &c->checked.method.plan;
    const uint64_t kept = (uint64_t)c->checked.inputs.count + plan->values.count;
    uint64_t work = (1 + kept / RL_MOST_SPANS) * (kept + 2 * (uint64_t)plan->instructions.count);
    for (uint32_t i = 0; i + 1 < plan->buffer_sizes.count; i++) {
        uint32_t bytes = 0;
        rl_planned_bytes(pte, plan, i, &bytes);
        work = add(work, bytes / 8);
    }
    return work;
}

enum rl_status rl_method_work(const struct rl_program *program, uint32_t method, const struct rl_registry *registry,
                              struct rl_work *work, struct rl_error *error)
{
    struct rl_requirements needs;
    struct rl_effort effort = {.left = UINT64_MAX};
    struct rl_buffer buffers[RL_MAX_BUFFERS]; // at addresses that nobody reads
    struct counter c = {.checked = {.method = {.program = program, .flow = registry->flow, .buffers = buffers},
                                    .effort = &effort,
                                    .changes = &c.changes}};
    enum rl_status status = rl_require(program, method, &c.checked.method.plan, &needs, error);
    memset(work, 0, sizeof *work);
    for (uint32_t i = 0; i < RL_MAX_BUFFERS; i++) {
        buffers[i] = (struct rl_buffer){(void *)(uintptr_t)program->pte.fb.data, 0};
    }
    if (status == RL_OK) {
        struct rl_pte_plan *plan = &c.checked.method.plan;
        c.checked.inputs = plan->inputs;
        c.checked.outputs = plan->outputs;
        plan->inputs.count = plan->outputs.count = 0; // nothing is bound
        rl_find_changes(&c.checked.method, registry);
        c.moved = find_moved(&c);
        work->clearing = program->clear ? work_of_clearing(&c, &program->pte) : 0;
        work->total = work->clearing;
    }
    for (uint32_t i = 0; i < c.checked.method.plan.instructions.count && status == RL_OK; i++) {
        status = count_instruction(&c, registry, i, work, error);
    }
    return status;
}
