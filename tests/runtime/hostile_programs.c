// SPDX-License-Identifier: Apache-2.0
//
// Programs that name the same tables and lists again and again, so that looking at all that they name takes time that
// grows with the square of the file, or faster. The writer stores equal descriptions once, which makes such files.
#include <stdlib.h>

#include "runtime/change_program.h"
#include "runtime/hostile_programs.h"
#include "runtime/operator_program.h"

static const uint8_t order[] = {0, 1, 2, 3}, channels_last[] = {0, 2, 3, 1};
static const int32_t pair[] = {2};

static struct rl_pte_value_description int_value(int64_t integer)
{
    return (struct rl_pte_value_description){.kind = RL_PTE_INT, .as.integer = integer};
}

// A tensor of two floats at a place of the arena; not planned at -1.
static struct rl_pte_value_description floats(int64_t offset)
{
    struct rl_pte_value_description value = {.kind = RL_PTE_TENSOR,
                                             .as.tensor = {RL_FLOAT32, 1, pair, order, 0, 1, (uint64_t)offset, 0}};
    if (offset < 0) {
        value.as.tensor.memory_id = 0;
        value.as.tensor.memory_offset = 0;
    }
    return value;
}

static struct rl_pte_value_description *make_values(int count, struct rl_pte_value_description value)
{
    struct rl_pte_value_description *values = malloc((size_t)count * sizeof *values);
    for (int i = 0; i < count; i++) {
        values[i] = value;
    }
    return values;
}

static int32_t *make_indices(int count, int32_t index)
{
    int32_t *indices = malloc((size_t)count * sizeof *indices);
    for (int i = 0; i < count; i++) {
        indices[i] = index;
    }
    return indices;
}

// ---- structure

// As many lists as items, all of them one list in the file.
static uint8_t *make_lists(int count, size_t *size)
{
    int32_t *items = make_indices(count, 0);
    struct rl_pte_value_description *values = make_values(
        count + 1, (struct rl_pte_value_description){.kind = RL_PTE_INT_LIST, .count = count, .as.indices = items});
    values[0] = int_value(1);
    const struct rl_pte_method_description method = {.name = "forward", .value_count = count + 1, .values = values};
    const struct rl_pte_description description = {.method_count = 1, .methods = &method};
    uint8_t *file = write_description(&description, size);
    free(values);
    free(items);
    return file;
}

// As many methods as values, all of them one method in the file.
static uint8_t *make_methods(int count, size_t *size)
{
    struct rl_pte_value_description *values = make_values(count, int_value(1));
    struct rl_pte_method_description *methods = malloc((size_t)count * sizeof *methods);
    for (int i = 0; i < count; i++) {
        methods[i] = (struct rl_pte_method_description){.name = "forward", .value_count = count, .values = values};
    }
    const struct rl_pte_description description = {.method_count = count, .methods = methods};
    uint8_t *file = write_description(&description, size);
    free(values);
    free(methods);
    return file;
}

// As many inputs as values: whether a value is an input is looked up when a method is initialized.
static uint8_t *make_inputs(int count, size_t *size)
{
    struct rl_pte_value_description *values = make_values(count, floats(-1));
    int32_t *inputs = make_indices(count, 0);
    const struct rl_pte_operator_description view = {"aten::view_copy", "default"};
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .value_count = count,
                                                     .values = values,
                                                     .input_count = count,
                                                     .inputs = inputs,
                                                     .operator_count = 1,
                                                     .operators = &view};
    const struct rl_pte_description description = {.method_count = 1, .methods = &method};
    uint8_t *file = write_description(&description, size);
    free(values);
    free(inputs);
    return file;
}

// As many tensors as the memory has bytes, each of which would fill all of it with its initial value.
static uint8_t *make_initial_values(int count, size_t *size)
{
    enum { BYTES = 1 << 16 };
    static const int32_t sizes[] = {BYTES};
    static const uint8_t zeros[BYTES];
    static const int64_t arena[] = {BYTES};
    const struct rl_pte_constant_description initial = {zeros, BYTES};
    struct rl_pte_value_description *values =
        make_values(count, (struct rl_pte_value_description){.kind = RL_PTE_TENSOR,
                                                             .as.tensor = {RL_UINT8, 1, sizes, order, 0, 1, 0, 1}});
    const struct rl_pte_method_description method = {
        .name = "forward", .value_count = count, .values = values, .buffer_count = 1, .buffer_sizes = arena};
    const struct rl_pte_description description = {
        .method_count = 1, .methods = &method, .initial_count = 1, .initials = &initial};
    uint8_t *file = write_description(&description, size);
    free(values);
    return file;
}

// ---- calls

struct calls {
    int value_count, count, argument_count, constant_count, input_count;
    const struct rl_pte_value_description *values;
    const int32_t *arguments, *inputs;
    struct rl_pte_operator_description operator;
    const struct rl_pte_constant_description *constants;
    bool moves; // the last call becomes a move of value 1 to value 0
};

// Many calls, all of them one call in the file, and perhaps a move.
static uint8_t *make_calls(const struct calls *c, size_t *size)
{
    static const int64_t arena[] = {1 << 20};
    struct rl_pte_instruction_description *instructions = malloc((size_t)c->count * sizeof *instructions);
    int32_t last[16] = {0};
    for (int i = 0; i < c->count; i++) {
        instructions[i] = (struct rl_pte_instruction_description){0, c->argument_count, c->arguments};
    }
    if (c->moves) {
        instructions[c->count - 1] = (struct rl_pte_instruction_description){1, 3, last};
    }
    const struct rl_pte_operator_description operators[] = {c->operator, {"aten::relu", "out"} };
    const struct rl_pte_method_description method = {.name = "forward",
                                                     .value_count = c->value_count,
                                                     .values = c->values,
                                                     .input_count = c->input_count,
                                                     .inputs = c->inputs,
                                                     .operator_count = 2,
                                                     .operators = operators,
                                                     .instruction_count = c->count,
                                                     .instructions = instructions,
                                                     .buffer_count = 1,
                                                     .buffer_sizes = arena};
    const struct rl_pte_description description = {
        .method_count = 1, .methods = &method, .constant_count = c->constant_count, .constants = c->constants};
    uint8_t *file = write_description(&description, size);
    if (c->moves) {
        make_move(file, *size, (uint32_t)c->count - 1, 1, 0);
    }
    free(instructions);
    return file;
}

// The output of each call overlaps its operand, which does not count, because a move replaces the output.
static uint8_t *make_moves(int count, size_t *size)
{
    static const int32_t eight[] = {8}, arguments[] = {2, 1, 3, 0, 0};
    struct rl_pte_value_description values[] = {floats(0), floats(64), floats(16), int_value(1)};
    for (int i = 0; i < 3; i++) {
        values[i].as.tensor.sizes = eight;
    }
    const struct calls calls = {.value_count = 4,
                                .count = count,
                                .values = values,
                                .argument_count = 5,
                                .arguments = arguments,
                                .operator= {"aten::sub", "out"},
                                .moves = true};
    return make_calls(&calls, size);
}

static uint8_t *make_lists_of_calls(int count, size_t *size)
{
    static const int32_t arguments[] = {1, 2, 3, 3};
    const int32_t sizes[] = {2 * count};
    int32_t *items = make_indices(count, 0);
    struct rl_pte_value_description values[] = {
        floats(0),
        {.kind = RL_PTE_TENSOR_LIST, .count = count, .as.indices = items},
        int_value(0),
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_FLOAT32, 1, sizes, order, 0, 1, 64, 0}}};
    const struct calls calls = {.value_count = 4,
                                .count = count,
                                .values = values,
                                .argument_count = 4,
                                .arguments = arguments,
                                .operator= {"aten::cat", "out"} };
    uint8_t *file = make_calls(&calls, size);
    free(items);
    return file;
}

// Each call looks at the scales of all channels, which are constants.
static uint8_t *make_scales(int count, size_t *size)
{
    enum { CHANNELS = 100000 };
    static int32_t multipliers[CHANNELS], shifts[CHANNELS];
    static int8_t weights[CHANNELS];
    static const int32_t pixel[] = {1, 1, 1, 1}, filter[] = {CHANNELS, 1, 1, 1}, image[] = {1, CHANNELS, 1, 1},
                         channels[] = {CHANNELS}, one[] = {0, 0}, none[] = {1, 1}, scratch[] = {1024},
                         arguments[] = {2, 3, 4, 5, 6, 5, 1, 1, 7, 8, 1, 9, 10, 11, 11};
    const struct rl_pte_constant_description constants[] = {
        {weights, sizeof weights}, {multipliers, sizeof multipliers}, {shifts, sizeof shifts}};
    const struct rl_pte_value_description values[] = {
        int_value(1),
        int_value(0),
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT8, 4, pixel, channels_last, 0, 1, 0, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT8, 4, filter, order, 1, 0, 0, 0}},
        {.kind = RL_PTE_NULL},
        {.kind = RL_PTE_INT_LIST, .count = 2, .as.indices = one},
        {.kind = RL_PTE_INT_LIST, .count = 2, .as.indices = none},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT32, 1, channels, order, 2, 0, 0, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT32, 1, channels, order, 3, 0, 0, 0}},
        int_value(127),
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_UINT8, 1, scratch, order, 0, 1, 16, 0}},
        {.kind = RL_PTE_TENSOR, .as.tensor = {RL_INT8, 4, image, channels_last, 0, 1, 2048, 0}}};
    const struct calls calls = {.value_count = 12,
                                .count = count,
                                .values = values,
                                .argument_count = 15,
                                .arguments = arguments,
                                .operator= {"cortex_m::quantized_conv2d", "out"},
                                .constant_count = 3,
                                .constants = constants};
    return make_calls(&calls, size);
}

// The tensor of each call is the last of the inputs, all of which have their memory from the caller.
static uint8_t *make_inputs_of_calls(int count, size_t *size)
{
    static const int32_t arguments[] = {1, 2, 2};
    const struct rl_pte_value_description values[] = {floats(-1), floats(-1), floats(0)};
    int32_t *inputs = make_indices(count, 0);
    inputs[count - 1] = 1;
    const struct calls calls = {.value_count = 3,
                                .count = count,
                                .values = values,
                                .argument_count = 3,
                                .arguments = arguments,
                                .input_count = count,
                                .inputs = inputs,
                                .operator= {"aten::abs", "out"} };
    uint8_t *file = make_calls(&calls, size);
    free(inputs);
    return file;
}

const struct hostile_kind hostile_kinds[HOSTILE_KINDS] = {
    {"lists of numbers", make_lists, 100, 2000},
    {"methods", make_methods, 10, 1000},
    {"inputs", make_inputs, 10, 30000},
    {"initial values", make_initial_values, 1, 4096},
    {"moves", make_moves, 40, 60000},
    {"lists of calls", make_lists_of_calls, 40, 30000},
    {"scales", make_scales, 10, 20000},
    {"inputs of calls", make_inputs_of_calls, 10, 30000},
};
