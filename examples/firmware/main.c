// SPDX-License-Identifier: Apache-2.0
//
// A whole firmware: a program in flash, an arena in RAM, the operators that the program calls, one inference.
#include <stdint.h>
#include <stdio.h>

#include "rushlight/kernels.h"

extern const uint8_t model[], model_end[]; // model.S

// The operators that `rushlight inspect` lists for the program; the linker drops all others.
static const struct rl_kernel *const kernels[] = {
    &rl_kernel_cm_quantize_per_tensor,        &rl_kernel_cm_quantized_conv2d,
    &rl_kernel_cm_quantized_depthwise_conv2d, &rl_kernel_cm_quantized_add,
    &rl_kernel_cm_quantized_max_pool2d,       &rl_kernel_cm_quantized_avg_pool2d,
    &rl_kernel_cm_quantized_linear,           &rl_kernel_cm_dequantize_per_tensor,
};
static const struct rl_registry registry = {.kernels = kernels, .count = sizeof kernels / sizeof kernels[0]};

static _Alignas(RL_ALIGNMENT) uint8_t arena[8 * 1024];
static void *state[16];

// Eight by eight pixels of ink, where a real firmware has a camera.
static const char drawing[] = "  +###  "
                              " ++++## "
                              "    ##  "
                              "   +##  "
                              "    +#+ "
                              "     ## "
                              "  +++#+ "
                              "  +##+  ";

static int fail(const struct rl_error *error)
{
    printf("%s: %s %s\n", rl_status_text(error->status), error->message,
           error->operator_name ? error->operator_name : "");
    return 1;
}

int main(void)
{
    struct rl_program program;
    struct rl_method method;
    struct rl_requirements needs;
    struct rl_error error;
    struct rl_tensor scores;
    const struct rl_buffer buffer = {arena, sizeof arena};
    float image[64];
    if (rl_program_open(&program, model, (size_t)(model_end - model), &error) ||
        rl_program_verify(&program, &registry, &error) ||
        rl_method_requirements(&program, 0, &needs, &error))
        return fail(&error);
    printf("arena: %u of %u bytes, state: %u of %u bytes\n", (unsigned)needs.buffer_bytes[0],
           (unsigned)sizeof arena, (unsigned)needs.state_bytes, (unsigned)sizeof state);
    if (rl_method_init(&method, &program, 0, &registry, &buffer, 1, state, sizeof state, &error))
        return fail(&error);
    for (int i = 0; i < 64; i++)
        image[i] = drawing[i] == '#' ? 1.0F : drawing[i] == '+' ? 0.5F : 0.0F;
    if (rl_method_set_input(&method, 0, image, sizeof image) || rl_method_execute(&method) ||
        rl_method_output(&method, 0, &scores))
        return fail(&method.error);
    const float *score = scores.data;
    int best = 0;
    for (int i = 0; i < (int)rl_tensor_count(&scores); i++) {
        best = score[i] > score[best] ? i : best;
        printf("%d: %ld thousandths\n", i, (long)(score[i] * 1000.0));
    }
    printf("this is a %d\n", best);
    return 0;
}
