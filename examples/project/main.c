// SPDX-License-Identifier: Apache-2.0
//
// Two programs at once, some operators of each in turn, as a cooperative scheduler would run them. One recognizes
// digits. The other keeps a state from run to run, and is started again whenever it has finished.
#include <stdio.h>

#include "rushlight/registry.h"
#include "rushlight/runtime.h"

extern const uint8_t digits[], digits_end[], counter[], counter_end[];

// The data of a program in use. Tasks share code, files in flash and the registry, and nothing else.
struct task {
    const char *name;
    struct rl_program program;
    struct rl_method method;
    struct rl_buffer arena;
    uint32_t operators; // the number that have run
};

// Those that `rushlight inspect` lists for the two programs. The initial value of the counter needs `.flow`.
static const struct rl_kernel *const kernels[] = {
    &rl_kernel_cm_quantize_per_tensor,
    &rl_kernel_rl_quantized_conv2d_prepacked,
    &rl_kernel_rl_quantized_depthwise_conv2d_single,
    &rl_kernel_cm_quantized_add,
    &rl_kernel_cm_quantized_max_pool2d,
    &rl_kernel_rl_quantized_avg_pool2d,
    &rl_kernel_rl_quantized_linear_prepacked,
    &rl_kernel_rl_quantized_linear_s16,
    &rl_kernel_cm_dequantize_per_tensor,
    &rl_kernel_aten_add,
    &rl_kernel_aten_mul,
    &rl_kernel_aten_copy_,
    &rl_kernel_dim_order_to_copy,
};
static const struct rl_registry registry = {
    .kernels = kernels, .count = sizeof kernels / sizeof kernels[0], .flow = &rl_control_flow_all};

static enum rl_status count_operator(void *user, struct rl_call *call)
{
    struct task *task = user;
    (void)call;
    task->operators++;
    return RL_OK;
}

static void print_error(void *user, const struct rl_error *error)
{
    const struct task *task = user;
    printf("%s: instruction %d: %s: %s\n", task->name, (int)error->instruction, rl_status_text(error->status),
           error->message);
}

// Starts a task with `file` in flash, and an arena and a state in RAM. Prints why if it fails.
static enum rl_status start(struct task *task, const uint8_t *file, const uint8_t *file_end, void *state,
                            size_t state_bytes)
{
    const struct rl_hooks hooks = {.after = count_operator, .failed = print_error, .user = task};
    struct rl_requirements needs;
    struct rl_error error = {.message = ""};
    if (rl_program_open(&task->program, file, (size_t)(file_end - file), &error) ||
        rl_program_verify(&task->program, &registry, &error) ||
        rl_method_requirements(&task->program, 0, &needs, &error)) {
        print_error(task, &error);
        return error.status;
    }
    printf("%s needs an arena of %u bytes and a state of %u\n", task->name, (unsigned)needs.buffer_bytes[0],
           (unsigned)needs.state_bytes);
    if (rl_method_init(&task->method, &task->program, 0, &registry, &task->arena, 1, state, state_bytes, &error)) {
        print_error(task, &error);
    } else {
        rl_method_set_hooks(&task->method, &hooks);
    }
    return error.status;
}

static void print_output(struct task *task)
{
    struct rl_tensor output;
    if (rl_method_output(&task->method, 0, &output)) {
        return;
    }
    const float *numbers = output.data;
    printf("%s after %u operators:", task->name, (unsigned)task->operators);
    for (uint32_t i = 0; i < rl_tensor_count(&output); i++) {
        printf(" %d", (int)(numbers[i] * 1000.0F));
    }
    printf("\n");
}

int main(void)
{
    static _Alignas(RL_ALIGNMENT) uint8_t digits_arena[8 * 1024], counter_arena[64];
    static void *digits_state[16], *counter_state[128];
    static struct task reader = {.name = "digits", .arena = {digits_arena, sizeof digits_arena}};
    static struct task keeper = {.name = "counter", .arena = {counter_arena, sizeof counter_arena}};
    static const float image[64], ones[3] = {1.0F, 1.0F, 1.0F};
    bool read = false, counted = true;
    if (start(&reader, digits, digits_end, digits_state, sizeof digits_state) ||
        start(&keeper, counter, counter_end, counter_state, sizeof counter_state) ||
        rl_method_set_input(&reader.method, 0, image, sizeof image)) {
        return 1;
    }
    while (!read) {
        if (counted && rl_method_set_input(&keeper.method, 0, ones, sizeof ones)) { // its input for the next run
            return 1;
        }
        if (rl_method_step(&reader.method, 2, &read) || rl_method_step(&keeper.method, 3, &counted)) {
            return 1;
        }
        if (counted) {
            print_output(&keeper);
        }
    }
    print_output(&reader);
    return 0;
}
