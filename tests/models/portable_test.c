// SPDX-License-Identifier: Apache-2.0
//
// The operators of ExecuTorch's portable library against PyTorch: each family of tests/fixtures/portable is compiled as
// a float program and run, and so is the same family as ExecuTorch's own exporter wrote it. Integers and truth values
// are equal; floats agree to a few units in the last place.
//
// usage: portable_test [FOLDER FAMILY...]
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "compiler/host_program.h"
#include "compiler/pipeline.h"
#include "compiler/support/file.h"
#include "portable_records.h"

static const char *const families[] = {"compare",   "logic",   "choose",  "arithmetic", "math",   "reduce",
                                       "index",     "move",    "scan",    "beyond",     "resize", "layers",
                                       "products",  "types",   "halves",  "doubles",    "create", "composed",
                                       "rewritten", "spelled", "parts",   "counts",     "losses", "products_and_norms",
                                       "views",     "rare",    "volumes", "masked",     "written"};

static bool check_output(struct rl_context *context, struct rl_arena *arena, struct rl_host_program *program,
                         const struct records *records, uint32_t index)
{
    const struct rl_array *expected = records_find(records, "output", index);
    struct rl_tensor tensor;
    if (!expected || rl_method_output(&program->method, index, &tensor) != RL_OK) {
        printf("%s: output %" PRIu32 " is not a recorded tensor\n", program->source, index);
        return false;
    }
    const size_t bytes = (size_t)rl_array_numel(expected) * rl_scalar_size((int)expected->dtype);
    void *found = rl_arena_alloc(arena, bytes);
    bool same_shape = tensor.dtype == expected->dtype && tensor.rank == expected->rank;
    for (int i = 0; same_shape && i < expected->rank; i++) {
        same_shape = tensor.sizes[i] == expected->sizes[i];
    }
    if (!same_shape || rl_host_program_get_output(context, program, index, found, bytes) != RL_OK) {
        printf("%s: output %" PRIu32 " has another type or shape\n", program->source, index);
        return false;
    }
    return records_match(records, program->source, index, found);
}

static bool fail(const struct rl_context *context)
{
    printf("%s\n", context->message);
    return false;
}

static bool check_program(struct rl_context *context, struct rl_arena *arena, const char *source, const void *file,
                          size_t size, const struct records *records)
{
    const struct rl_host_files files = {.source = source, .program = file, .program_size = size};
    struct rl_host_program program;
    if (rl_host_program_open(context, arena, &files, &program) != RL_OK) {
        return fail(context);
    }
    for (uint32_t i = 0; i < rl_method_input_count(&program.method); i++) {
        const struct rl_array *input = records_find(records, "input", i);
        const size_t bytes = !input ? 0 : (size_t)rl_array_numel(input) * rl_scalar_size((int)input->dtype);
        if (!input || rl_host_program_set_input(context, &program, i, input->data, bytes) != RL_OK) {
            printf("%s: input %" PRIu32 " is not recorded: %s\n", source, i, context->message);
            return false;
        }
    }
    if (rl_host_program_execute(context, &program) != RL_OK) {
        return fail(context);
    }
    bool good = rl_method_output_count(&program.method) > 0;
    for (uint32_t i = 0; i < rl_method_output_count(&program.method); i++) {
        good = check_output(context, arena, &program, records, i) && good;
    }
    return good;
}

static bool check_compiled(struct rl_context *context, struct rl_arena *arena, const char *path,
                           const struct records *records)
{
    struct rl_compile_options options = {.model = path, .quantization = RL_QUANTIZE_NONE};
    struct rl_compiled compiled;
    if (rl_target_parse(context, "any", &options.target) != RL_OK ||
        rl_compile(context, arena, &options, &compiled) != RL_OK) {
        return fail(context);
    }
    return check_program(context, arena, path, compiled.emitted.file, compiled.emitted.size, records);
}

static bool check_family(const char *folder, const char *family)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct records records;
    void *file;
    size_t size;
    const char *model = rl_arena_format(&arena, "%s/%s.pt2", folder, family);
    const char *stock = rl_arena_format(&arena, "%s/%s.pte", folder, family);
    bool good = records_read(&arena, folder, family, &records) && check_compiled(&context, &arena, model, &records);
    if (good && access(stock, R_OK) == 0) {
        good = rl_file_read(&context, &arena, stock, &file, &size) == RL_OK &&
               check_program(&context, &arena, stock, file, size, &records);
    }
    rl_arena_free(&arena);
    printf("%s %s\n", good ? "ok    " : "FAILED", family);
    return good;
}

int main(int argc, char **argv)
{
    int failures = 0;
    for (int i = 2; i < argc; i++) {
        failures += check_family(argv[1], argv[i]) ? 0 : 1;
    }
    for (size_t i = 0; argc < 2 && i < sizeof families / sizeof families[0]; i++) {
        failures += check_family(RL_FIXTURES "/portable", families[i]) ? 0 : 1;
    }
    return failures > 0;
}
