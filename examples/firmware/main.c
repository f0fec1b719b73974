// SPDX-License-Identifier: Apache-2.0
// A whole firmware: a program in flash (model.S), its operators (operators.c), an arena, one inference.
#include <stdio.h>

#include "rushlight/runtime.h"

extern const uint8_t model[], model_end[];
extern const struct rl_registry operators;

static _Alignas(RL_ALIGNMENT) uint8_t arena[8 * 1024];
static void *state[16];

// Eight by eight pixels of ink, where a real firmware has a camera.
static const char drawing[] = "  +###   ++++##     ##     +##      +#+      ##   +++#+   +##+  ";

int main(void)
{
    static const struct rl_buffer buffer = {arena, sizeof arena};
    struct rl_program program;
    struct rl_method method;
    struct rl_error error = {.status = RL_OK}; // used until there is a method, which has its own
    struct rl_tensor scores;
    float image[64];
    for (int i = 0; i < 64; i++) {
        image[i] = drawing[i] == '#' ? 1.0F : 0.5F * (drawing[i] == '+');
    }
    if (rl_program_open(&program, model, (size_t)(model_end - model), &error) ||
        rl_program_verify(&program, &operators, &error) ||
        rl_method_init(&method, &program, 0, &operators, &buffer, 1, state, sizeof state, &error) ||
        rl_method_set_input(&method, 0, image, sizeof image) || rl_method_execute(&method) ||
        rl_method_output(&method, 0, &scores)) {
        const struct rl_error *why = error.status ? &error : &method.error;
        printf("%s: %s %s\n", rl_status_text(why->status), why->message, why->operator_name ? why->operator_name : "");
        return 1;
    }
    for (uint32_t i = 0; i < rl_tensor_count(&scores); i++) {
        printf("%u: %d thousandths\n", (unsigned)i, (int)(((const float *)scores.data)[i] * 1000.0));
    }
    return 0;
}
