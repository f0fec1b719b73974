// SPDX-License-Identifier: Apache-2.0
// usage: operators_runtime NAME FILE [NAME FILE]...
// Runs programs on made-up inputs, and prints what made_inputs.h says of their outputs.
#include <inttypes.h>
#include <stdlib.h>

#include "compiler/c/model.h"
#include "made_inputs.h"

static int run_program(struct rl_host_program *program, const char *name)
{
    struct rl_method *method = &program->method;
    uint32_t seed = 1;
    for (int run = 0; run < RUNS; run++) {
        struct rl_tensor t;
        if (run == RUNS - 1 && rl_method_reset(method) != RL_OK) {
            return 1;
        }
        for (uint32_t i = 0; i < rl_method_input_count(method); i++) {
            if (rl_method_input(method, i, &t) != RL_OK) {
                return 1;
            }
            make_input(t.data, t.bytes, rl_c_tensor_type(t.dtype), run, &seed);
        }
        if (rl_method_execute(method) != RL_OK) {
            printf("%s run %d refused: status %d, instruction %d\n", name, run, method->error.status,
                   (int)method->error.instruction);
            continue;
        }
        for (uint32_t i = 0; i < rl_method_output_count(method); i++) {
            if (rl_method_output(method, i, &t) != RL_OK) {
                return 1;
            }
            print_output(name, run, (int)i, t.data, t.bytes);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    enum { MOST = 4 << 20 };
    uint8_t *file = aligned_alloc(RL_ALIGNMENT, MOST);
    int status = 0;
    for (int i = 1; i + 1 < argc && status == 0; i += 2) {
        struct rl_context context = {0};
        struct rl_arena arena = {0};
        struct rl_host_program program;
        FILE *stream = fopen(argv[i + 1], "rb");
        const struct rl_host_files files = {
            .source = argv[i + 1], .program = file, .program_size = stream ? fread(file, 1, MOST, stream) : 0};
        if (stream) {
            fclose(stream);
        }
        status = rl_host_program_open(&context, &arena, &files, &program) != RL_OK || run_program(&program, argv[i]);
        if (status != 0) {
            fprintf(stderr, "%s: %s\n", argv[i + 1], context.message);
        }
        rl_arena_free(&arena);
    }
    free(file);
    return status;
}
