// SPDX-License-Identifier: Apache-2.0
// A whole firmware: a program in flash (model.S), its operators (operators.c), an arena in RAM, one
// inference.
#include <stdio.h>

#include "rushlight/runtime.h"

extern const uint8_t model[], model_end[];
extern const struct rl_registry operators;

static _Alignas(RL_ALIGNMENT) uint8_t arena[8 * 1024];
static const struct rl_buffer buffer = {arena, sizeof arena};
static void *state[16];

// Eight by eight pixels of ink, where a real firmware has a camera.
static const char drawing[] = "  +###   ++++##     ##     +##      +#+      ##   +++#+   +##+  ";

static int fail(const struct rl_error *error)
{
    printf("%s: %s %s\n", rl_status_text(error->status), error->message,
           error->operator_name ? error->operator_name : "");
    return 1;
}

int main(void)
{
    struct rl_program program;
    struct rl_requirements needs;
    struct rl_method method;
    struct rl_error error;
    struct rl_tensor scores;
    float image[64];
    for (int i = 0; i < 64; i++)
        image[i] = drawing[i] == '#' ? 1.0F : drawing[i] == '+' ? 0.5F : 0.0F;
    if (rl_program_open(&program, model, (size_t)(model_end - model), &error) ||
        rl_program_verify(&program, &operators, &error) ||
        rl_method_requirements(&program, 0, &needs, &error))
        return fail(&error);
    printf("arena: %u bytes, state: %u bytes\n", (unsigned)needs.buffer_bytes[0],
           (unsigned)needs.state_bytes);
    if (rl_method_init(&method, &program, 0, &operators, &buffer, 1, state, sizeof state, &error))
        return fail(&error);
    if (rl_method_set_input(&method, 0, image, sizeof image) || rl_method_execute(&method) ||
        rl_method_output(&method, 0, &scores))
        return fail(&method.error);
    const float *score = scores.data;
    for (uint32_t i = 0; i < rl_tensor_count(&scores); i++)
        printf("%u: %d thousandths\n", (unsigned)i, (int)(score[i] * 1000.0));
    return 0;
}
