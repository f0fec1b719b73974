// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "digits.h"
#include "rushlight/runtime.h"

extern const struct rl_registry operators; // operators.c: those that `rushlight inspect` lists for the program

static _Alignas(RL_ALIGNMENT) uint8_t arena[8 * 1024];
static void *state[16];

static const char *sentence(const struct rl_error *error)
{
    return error->message[0] ? error->message : rl_status_text(error->status);
}

const char *digits_recognize(const float image[DIGITS_PIXELS], float scores[DIGITS_CLASSES])
{
    static struct rl_program program;
    static struct rl_method method;
    static bool is_ready;
    const struct rl_buffer buffer = {arena, sizeof arena};
    struct rl_error error = {.status = RL_OK};
    struct rl_tensor output;
    if (!is_ready) {
        if (rl_program_open(&program, digits_model, digits_model_bytes, &error) ||
            rl_program_verify(&program, &operators, &error) ||
            rl_method_init(&method, &program, 0, &operators, &buffer, 1, state, sizeof state, &error)) {
            return sentence(&error);
        }
        is_ready = true;
    }
    if (rl_method_set_input(&method, 0, image, DIGITS_PIXELS * sizeof image[0]) || rl_method_execute(&method) ||
        rl_method_output(&method, 0, &output)) {
        return sentence(&method.error);
    }
    memcpy(scores, output.data, DIGITS_CLASSES * sizeof scores[0]);
    return NULL;
}
