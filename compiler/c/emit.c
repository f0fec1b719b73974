// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/emit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/c/fields.h"
#include "compiler/c/made_up.h"
#include "compiler/c/model.h"
#include "compiler/emit/interface.h"
#include "format/crc.h"
#include "format/pte_reader.h"
#include "runtime/run/view.h"
#include "rushlight/kernels.h"

// ---- what cannot be written

static bool is_in(const struct rl_buffer *memory, const struct rl_tensor *t)
{
    const size_t offset = (size_t)((uintptr_t)t->data - (uintptr_t)memory->data);
    return (uintptr_t)t->data >= (uintptr_t)memory->data && offset < memory->bytes;
}

static enum rl_status check_program(struct rl_context *context, const struct rl_host_program *program,
                                    bool with_runtime)
{
    const struct rl_method *method = &program->method;
    const char *reason = NULL;
    if (program->program.find_data) {
        reason = "its weights are in another file";
    } else if (method->slots) {
        reason = "values or shapes change while it runs";
    } else if (with_runtime && program->needs.buffer_count != 1) {
        reason = "it needs another number of planned buffers than one";
    }
    for (uint32_t i = 0; i < method->plan.instructions.count && !reason && !with_runtime; i++) {
        struct rl_pte_instruction instruction;
        if (!rl_pte_instruction(&program->program.pte, &method->plan, i, &instruction) ||
            instruction.kind != RL_PTE_KERNEL_CALL) {
            reason = "it has instructions that do not call operators";
        }
    }
    if (reason) {
        return rl_fail(context, RL_ERROR_UNSUPPORTED, "%s: cannot become C: %s; the runtime runs it from a .pte",
                       program->source, reason);
    }
    return RL_OK;
}

// ---- parts of the program

static const char *output_tree(const struct rl_c_model *model)
{
    const struct rl_flatbuffer *fb = &model->program->program.pte.fb;
    const uint32_t container = rl_fb_child(fb, model->program->method.plan.table, RL_PTE_plan_container_meta_type);
    uint32_t length;
    return container ? rl_fb_string(fb, container, RL_PTE_container_encoded_out_str, &length) : NULL;
}

static enum rl_status read_tensors(struct rl_c_model *model, bool inputs)
{
    struct rl_method *method = &model->program->method;
    const char *side = inputs ? "input" : "output";
    const char *const *own = inputs ? model->options->inputs : model->options->outputs;
    const uint32_t count = inputs ? rl_method_input_count(method) : rl_method_output_count(method);
    struct rl_c_tensor *tensors = rl_arena_array(model->arena, count, sizeof *tensors);
    const char *const *names = rl_c_names(model->arena, inputs ? NULL : output_tree(model), own, (int)count);
    for (uint32_t i = 0; i < count; i++) {
        struct rl_tensor *t = &tensors[i].tensor;
        const enum rl_status status = inputs ? rl_method_input(method, i, t) : rl_method_output(method, i, t);
        const bool is_placed =
            status == RL_OK && (t->bytes == 0 || is_in(&model->memory, t) || (!inputs && t->constant));
        if (!is_placed) {
            return rl_fail(model->context, RL_ERROR_UNSUPPORTED,
                           "%s: cannot become C: %s %" PRIu32 " is not a tensor with a place in the plan",
                           model->program->source, side, i);
        }
        t->data = t->bytes == 0 ? model->memory.data : t->data;
        if (!rl_interface_grid(&model->program->program, side, (int)i, &tensors[i].grid)) {
            tensors[i].grid.scale = 0;
        }
        tensors[i].name = names[i];
    }
    rl_c_name_tensors(model->arena, tensors, (int)count);
    *(inputs ? &model->inputs : &model->outputs) = tensors;
    *(inputs ? &model->input_count : &model->output_count) = (int)count;
    return RL_OK;
}

static void add_constant(struct rl_c_model *model, const struct rl_pte_tensor *t, size_t bytes)
{
    uint32_t position, available;
    if (!rl_pte_constant(&model->program->program.pte, t->constant, &position, &available) || bytes == 0) {
        return;
    }
    const uint8_t *data = model->program->program.pte.fb.data + position;
    for (int i = 0; i < model->constant_count; i++) {
        if (model->constants[i].data == data) {
            model->constants[i].bytes = model->constants[i].bytes > bytes ? model->constants[i].bytes : bytes;
            return;
        }
    }
    model->constants[model->constant_count++] = (struct rl_c_constant){data, bytes, t->dtype, false};
}

static void add_state(struct rl_c_model *model, const struct rl_pte_tensor *t, size_t bytes)
{
    const uint8_t *memory = model->program->buffers[t->memory_id - 1].data;
    const size_t offset = (size_t)(memory - (const uint8_t *)model->memory.data) + t->memory_offset;
    struct rl_c_state state = {(uint32_t)offset, (uint32_t)bytes, memory + t->memory_offset, true};
    for (size_t i = 0; i < bytes; i++) {
        state.is_zero = state.is_zero && state.initial[i] == 0;
    }
    for (int i = 0; i < model->state_count; i++) {
        if (model->states[i].offset == state.offset) {
            return;
        }
    }
    state.initial = rl_arena_copy(model->arena, state.initial, bytes);
    model->states[model->state_count++] = state;
    model->state_bytes += (uint32_t)bytes;
}

// Constants and states, from the values of the method. Its memory holds the first values of the states.
static void read_values(struct rl_c_model *model)
{
    const struct rl_pte *pte = &model->program->program.pte;
    const struct rl_pte_plan *plan = &model->program->method.plan;
    model->constants = rl_arena_array(model->arena, plan->values.count, sizeof *model->constants);
    model->states = rl_arena_array(model->arena, plan->values.count, sizeof *model->states);
    for (uint32_t i = 0; i < plan->values.count; i++) {
        uint32_t table;
        struct rl_pte_tensor t;
        if (rl_pte_value(pte, plan, i, &table) != RL_PTE_TENSOR || !rl_pte_tensor(pte, table, &t) || t.constant == 0) {
            continue;
        }
        size_t bytes = rl_scalar_size(t.dtype);
        for (uint32_t k = 0; k < t.sizes.count; k++) {
            bytes *= (size_t)rl_pte_item_i32(pte, &t.sizes, k);
        }
        if (t.planned) {
            add_state(model, &t, bytes);
        } else {
            add_constant(model, &t, bytes);
        }
    }
}

// Finds what the runtime clears at some time by looking at what it does.
static void find_cleared(struct rl_c_model *model, enum rl_cleared when, struct rl_c_spans *spans)
{
    uint8_t *memory = model->memory.data;
    const size_t bytes = model->memory.bytes;
    if (!model->program->program.clear) {
        return;
    }
    uint8_t *before = rl_arena_copy(model->arena, memory, bytes);
    memset(memory, 1, bytes);
    model->program->program.clear(&model->program->method, when, NULL);
    spans->items = rl_arena_array(model->arena, bytes / 2 + 1, sizeof *spans->items);
    for (size_t i = 0; i < bytes; i++) {
        if (memory[i] == 0 && (i == 0 || memory[i - 1] != 0)) {
            spans->items[spans->count++] = (struct rl_c_span){i, 0};
        }
        if (memory[i] == 0) {
            spans->items[spans->count - 1].bytes++;
        }
    }
    memcpy(memory, before, bytes);
    rl_arena_release(model->arena, before);
}

// ---- whether the calls give what the runtime gives

static bool states_agree(const struct rl_c_model *model, const uint8_t *a, const uint8_t *b)
{
    for (int i = 0; i < model->state_count; i++) {
        if (memcmp(a + model->states[i].offset, b + model->states[i].offset, model->states[i].bytes) != 0) {
            return false;
        }
    }
    return true;
}

static bool outputs_agree(const struct rl_c_model *model, const uint8_t *a, const uint8_t *b)
{
    const struct rl_buffer *memory = &model->memory;
    for (int i = 0; i < model->output_count; i++) {
        const struct rl_tensor *t = &model->outputs[i].tensor;
        const size_t offset = (size_t)((uintptr_t)t->data - (uintptr_t)memory->data);
        if (is_in(memory, t) && memcmp(a + offset, b + offset, t->bytes) != 0) {
            return false;
        }
    }
    return true;
}

// Two runs, so that the second one starts from a state that the first one left. Made-up data may be refused, an index
// outside of a tensor for one: then there is nothing to compare.
static enum rl_status compare_with_runtime(struct rl_c_model *model)
{
    struct rl_host_program *program = model->program;
    uint8_t *memory = model->memory.data;
    const size_t bytes = model->memory.bytes;
    uint8_t *before = rl_arena_alloc(model->arena, bytes), *after = rl_arena_alloc(model->arena, bytes);
    uint32_t random = 1;
    enum rl_status status = rl_host_program_reset(model->context, program);
    bool agrees = true;
    for (int run = 0; run < 2 && agrees && status == RL_OK; run++) {
        for (int i = 0; i < model->input_count; i++) {
            const struct rl_tensor *t = &model->inputs[i].tensor;
            rl_made_up_fill((enum rl_scalar_type)t->dtype, t->data, t->bytes, &random);
        }
        memcpy(before, memory, bytes);
        if (rl_method_execute(&program->method) != RL_OK) {
            break;
        }
        memcpy(after, memory, bytes);
        memcpy(memory, before, bytes);
        for (int i = 0; i < model->cleared.count; i++) {
            memset(memory + model->cleared.items[i].offset, 0, model->cleared.items[i].bytes);
        }
        rl_c_replay(&model->calls);
        agrees = outputs_agree(model, after, memory) && states_agree(model, after, memory);
    }
    rl_arena_release(model->arena, before);
    rl_arena_release(model->arena, after);
    if (status == RL_OK && !agrees) {
        return rl_fail(model->context, RL_ERROR_UNSUPPORTED,
                       "%s: cannot become C: its calls give other bytes than the runtime, which runs it from a .pte",
                       program->source);
    }
    return status;
}

// ---- stack

// The scratch that takes the blocks of int8 layers on cores with DSP instructions, which would else be on the stack
// (kernels/scratch.h); -1 for calls without such blocks.
static int32_t scratch_for_blocks(const struct rl_c_call *call)
{
    switch (call->function) {
    case RL_C_rl_convolution_run:
    case RL_C_rl_convolution_blocks_run:
    case RL_C_rl_convolution_dense_run:
    case RL_C_rl_convolution_short_run:
    case RL_C_rl_convolution_windows_run:
    case RL_C_rl_convolution_copied_run:
    case RL_C_rl_convolution_prepacked_run:
    case RL_C_rl_convolution_winograd_run:
    case RL_C_rl_convolution_prepacked_whole_run:
    case RL_C_rl_convolution_prelu_run:
    case RL_C_rl_convolution_prepacked_prelu_run:
    case RL_C_rl_convolution_s8_s16_run:
        return rl_convolution_scratch(call->layer, RL_ISA_DSP);
    case RL_C_rl_depthwise_run:
    case RL_C_rl_depthwise_single_run:
    case RL_C_rl_depthwise_planes_run:
    case RL_C_rl_depthwise_points_run:
    case RL_C_rl_depthwise_windows_run:
        return rl_depthwise_scratch(call->layer, RL_ISA_DSP);
    default:
        return -1;
    }
}

// Bytes of stack of an int16 convolution: sums and scales of a block of channels, and three patches, which DSP cores
// order if they have at most RL_OUTPUT_S16_VALUES (kernels/dsp/output_s16_tile.h).
static uint32_t stack_of_wide(const struct rl_convolution *c)
{
    enum { BLOCK = 3072, PATCHES = 3 * sizeof(int16_t), VALUES = 640 };
    const int64_t depth = (int64_t)c->filter.h * c->filter.w * c->filter_channels;
    return BLOCK + (depth <= VALUES ? PATCHES * (uint32_t)depth : 0);
}

// Bytes of stack of a call: the deepest frames on any core, at -O2 and -Os, and the blocks and tables of the kernels.
// tests/compiler/c/same_bytes_test.sh measures on cores that it is enough.
static uint32_t stack_of_call(const struct rl_c_call *call, enum rl_isa isa)
{
    enum { BLOCKS = 4224, FRAMES = 2048, TABLE = 1536, FEW = 768, OPERATOR = 3072 };
    if (call->function == RL_C_rl_convolution_run && rl_convolution_may_cut(call->layer)) {
        return FRAMES + BLOCKS + RL_CONVOLUTION_CUT_BYTES;
    }
    const int32_t blocks = scratch_for_blocks(call);
    if (blocks >= 0) {
        return isa == RL_ISA_DSP && call->scratch[0].bytes >= blocks ? FRAMES : FRAMES + BLOCKS;
    }
    switch (call->function) {
    case RL_C_rl_transpose_convolution_run:
        return FRAMES + BLOCKS;
    case RL_C_rl_fully_connected_run:
        return (((const struct rl_fully_connected *)call->layer)->rows > 1 ? BLOCKS : FRAMES) +
               (uint32_t)rl_fully_connected_scratch(call->layer, RL_ISA_DSP);
    case RL_C_rl_fully_connected_prepacked_rows_run:
        return FRAMES + TABLE;
    case RL_C_rl_convolution_s16_run:
        return stack_of_wide(call->layer);
    case RL_C_rl_batch_matmul_run:
        return FRAMES + BLOCKS;
    case RL_C_rl_recurrent_run:
    case RL_C_rl_depthwise_s16_run:
        return FRAMES;
    case RL_C_rl_add_run:
    case RL_C_rl_softmax_run:
    case RL_C_rl_softmax_s16_s8_run:
    case RL_C_rl_softmax_wide_run:
    case RL_C_rl_log_softmax_run:
    case RL_C_rl_log_softmax_s16_run:
    case RL_C_rl_fully_connected_s8_s16_run:
    case RL_C_rl_fully_connected_prepacked_run:
    case RL_C_rl_fully_connected_prepacked_s16_run:
    case RL_C_rl_convolution_prepacked_pixel_run:
        return TABLE;
    case RL_C_rl_direct_call:
        return OPERATOR;
    default:
        return FEW;
    }
}

bool rl_c_calls_operators(const struct rl_c_model *model)
{
    for (int i = 0; i < model->calls.count; i++) {
        if (model->calls.items[i].function == RL_C_rl_direct_call) {
            return true;
        }
    }
    return false;
}

bool rl_c_can_refuse(const struct rl_c_model *model)
{
    return model->options->registry || rl_c_calls_operators(model);
}

static uint32_t stack_of(const struct rl_c_model *model)
{
    enum { OWN = 128 };
    uint32_t most = 0, own = OWN;
    for (int i = 0; i < model->calls.count; i++) {
        const struct rl_c_call *call = &model->calls.items[i];
        const uint32_t bytes = stack_of_call(call, model->options->isa);
        most = bytes > most ? bytes : most;
        const bool is_local = model->options->arena_of_caller && rl_c_points_to_arena(model, call);
        own += is_local ? (uint32_t)rl_c_function_get(call->function)->layer->bytes : 0;
        own += call->function == RL_C_rl_recurrent_run ? (uint32_t)sizeof call->state : 0;
    }
    return own + most;
}

// ---- the whole

static void list_functions(struct rl_c_model *model, struct rl_c_source *result)
{
    bool called[RL_C_FUNCTIONS] = {false};
    result->functions = rl_arena_array(model->arena, RL_C_FUNCTIONS, sizeof *result->functions);
    for (int i = 0; i < model->calls.count; i++) {
        called[model->calls.items[i].function] = true;
    }
    for (int i = 0; i < RL_C_FUNCTIONS; i++) {
        if (called[i] && i != RL_C_rl_direct_call) {
            result->functions[result->function_count++] = rl_c_function_get((enum rl_c_function)i)->name;
        }
    }
}

typedef void print_text(FILE *out, struct rl_c_model *model);

static enum rl_status print(struct rl_c_model *model, print_text *printer, const char **text, size_t *bytes)
{
    char *written = NULL;
    FILE *out = open_memstream(&written, bytes);
    if (!out) {
        return rl_fail(model->context, RL_ERROR_OUT_OF_MEMORY, "%s: no memory left", model->program->source);
    }
    printer(out, model);
    fclose(out);
    *text = rl_arena_copy(model->arena, written, *bytes + 1);
    free(written);
    if (model->failed) {
        return rl_fail(model->context, RL_ERROR_INTERNAL,
                       "%s: a layer points to memory that is neither a constant nor in the arena",
                       model->program->source);
    }
    return RL_OK;
}

// What one inference has to do, of which an update may have a multiple.
static enum rl_status read_work(struct rl_c_model *model)
{
    const struct rl_host_program *program = model->program;
    struct rl_work work;
    struct rl_error error = {.status = RL_OK};
    const enum rl_status status =
        rl_method_work(&program->program, program->method_index, &rl_registry_all, &work, &error);
    if (status != RL_OK || program->method_index != 0) {
        return rl_fail(model->context, RL_ERROR_UNSUPPORTED, "%s: %s", program->source,
                       status == RL_OK ? "its method is not the first one" : error.message);
    }
    model->work = work.total;
    return RL_OK;
}

static enum rl_status read_model(struct rl_c_model *model)
{
    const bool with_runtime = model->options->registry;
    enum rl_status status = check_program(model->context, model->program, with_runtime);
    if (status != RL_OK) {
        return status;
    }
    model->memory = model->program->buffers[0];
    if (!with_runtime) {
        status = rl_c_gather(model->context, model->arena, model->program, &model->memory);
    }
    if (status != RL_OK) {
        return status;
    }
    read_values(model);
    if (!with_runtime) {
        find_cleared(model, RL_CLEAR_BUT_STATE, &model->cleared);
        find_cleared(model, RL_CLEAR_BUT_INPUTS, &model->reset);
    }
    status = read_tensors(model, true);
    if (status == RL_OK) {
        status = read_tensors(model, false);
    }
    if (with_runtime) {
        return status == RL_OK ? read_work(model) : status;
    }
    if (status == RL_OK) {
        status = rl_c_record(model->context, model->arena, model->program, &model->memory, &model->calls);
    }
    if (status == RL_OK) {
        rl_c_narrow(model->arena, &model->calls, model->options->isa);
    }
    return status == RL_OK ? compare_with_runtime(model) : status;
}

static enum rl_status print_runtime_form(struct rl_c_model *model, struct rl_c_source *result)
{
    result->arena_bytes = model->arena_bytes;
    result->state_bytes = model->state_bytes;
    result->constant_bytes = (uint32_t)model->program_bytes;
    enum rl_status status = print(model, rl_c_print_runtime_source, &result->source, &result->source_bytes);
    if (status == RL_OK) {
        status = print(model, rl_c_print_program, &result->program, &result->program_bytes);
    }
    return status == RL_OK ? print(model, rl_c_print_header, &result->header, &result->header_bytes) : status;
}

enum rl_status rl_c_emit(struct rl_context *context, struct rl_arena *arena, const struct rl_host_files *files,
                         const struct rl_c_options *options, struct rl_c_source *result)
{
    struct rl_host_program program;
    struct rl_c_model model = {.context = context, .arena = arena, .options = options, .program = &program};
    enum rl_status status = rl_host_program_open(context, arena, files, &program);
    *result = (struct rl_c_source){.name = options->name};
    if (status == RL_OK) {
        status = read_model(&model);
    }
    if (status != RL_OK) {
        return status;
    }
    model.upper = rl_c_capitals(arena, options->name);
    model.arena_bytes = (uint32_t)model.memory.bytes;
    model.program_file = files->program;
    model.program_bytes = files->program_size;
    model.program_crc = ~rl_crc_add(UINT32_MAX, files->program, (uint32_t)files->program_size);
    result->can_refuse = rl_c_can_refuse(&model);
    result->window_bytes = model.input_count > 0 ? (uint32_t)model.inputs[0].tensor.bytes : 0;
    if (options->registry) {
        return print_runtime_form(&model, result);
    }
    model.stack_bytes = stack_of(&model);
    list_functions(&model, result);
    result->arena_bytes = model.arena_bytes;
    result->state_bytes = model.state_bytes;
    result->stack_bytes = model.stack_bytes;
    status = print(&model, rl_c_print_source, &result->source, &result->source_bytes);
    for (int i = 0; i < model.constant_count; i++) {
        result->constant_bytes += model.constants[i].is_used ? (uint32_t)model.constants[i].bytes : 0;
    }
    for (int i = 0; i < model.calls.count; i++) {
        result->layer_bytes += (uint32_t)rl_c_function_get(model.calls.items[i].function)->layer->bytes;
    }
    result->layer_bytes += model.operator_bytes;
    result->operators = model.operators;
    result->operator_count = model.operator_count;
    return status == RL_OK ? print(&model, rl_c_print_header, &result->header, &result->header_bytes) : status;
}
