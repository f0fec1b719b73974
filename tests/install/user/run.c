// SPDX-License-Identifier: Apache-2.0
// usage: run MODEL.pte: runs a program on zeros and prints the output in thousandths.
#include <stdio.h>
#include <stdlib.h>

#include <rushlight/registry.h>
#include <rushlight/runtime.h>
#include <rushlight/version.h>

static _Alignas(RL_ALIGNMENT) uint8_t file[64 * 1024], arena[64 * 1024];
static void *state[4096];

static int fail(const char *what, const struct rl_error *error)
{
    fprintf(stderr, "%s: %s: %s\n", what, rl_status_text(error->status), error->message);
    return 1;
}

int main(int argc, char **argv)
{
    const struct rl_buffer buffer = {arena, sizeof arena};
    const float image[64] = {0};
    struct rl_program program;
    struct rl_method method;
    struct rl_error error = {.status = RL_OK};
    struct rl_tensor output;
    FILE *stream = fopen(argc == 2 ? argv[1] : "", "rb");

    if (!stream) {
        fprintf(stderr, "usage: run MODEL.pte\n");
        return 2;
    }
    size_t size = fread(file, 1, sizeof file, stream);
    fclose(stream);
    if (rl_program_open(&program, file, size, &error) || rl_program_verify(&program, &rl_registry_all, &error) ||
        rl_method_init(&method, &program, 0, &rl_registry_all, &buffer, 1, state, sizeof state, &error)) {
        return fail(argv[1], &error);
    }
    if (rl_method_set_input(&method, 0, image, sizeof image) || rl_method_execute(&method) ||
        rl_method_output(&method, 0, &output)) {
        return fail(argv[1], &method.error);
    }
    const float *score = output.data;
    printf("rushlight %s\n", RL_VERSION_STRING);
    for (uint32_t i = 0; i < rl_tensor_count(&output); i++) {
        printf("%d\n", (int)(score[i] * 1000));
    }
    return 0;
}
