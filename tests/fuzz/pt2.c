// SPDX-License-Identifier: Apache-2.0
//
// Reads a model, compiles it in floating point and runs the program on zeros. Input that is not an archive is taken as
// the graph of a model, a NUL, and the description of its weights, which are zeros. A description that starts as a
// pickle does is one, as PyTorch 2.8 wrote it. The fuzzer then varies graph and description instead of the checksums of
// an archive.
#include <jansson.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "compiler/host_program.h"
#include "compiler/pipeline.h"
#include "fuzz/fuzz.h"

enum { NEW_YEAR_1980 = 315532800 }; // the first time that an archive can hold

static void append_file(zip_t *archive, const char *name, const void *data, size_t size)
{
    zip_source_t *source = zip_source_buffer(archive, data, size, 0);
    const zip_int64_t index = source ? zip_file_add(archive, name, source, 0) : -1;

    // The fuzzer sees comparisons of time stamps, too.
    if (index < 0 || zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_mtime(archive, (zip_uint64_t)index, NEW_YEAR_1980, 0) != 0) {
        abort();
    }
}

// Starts an archive in memory; finish_archive ends it.
static zip_t *start_archive(zip_source_t **target)
{
    zip_error_t error;
    *target = zip_source_buffer_create(NULL, 0, 0, &error);
    zip_t *archive = *target ? zip_open_from_source(*target, ZIP_CREATE | ZIP_TRUNCATE, &error) : NULL;

    if (!archive) {
        abort();
    }
    zip_source_keep(*target);
    return archive;
}

// The bytes of the archive, to be freed.
static uint8_t *finish_archive(zip_t *archive, zip_source_t *target, size_t *size)
{
    if (zip_close(archive) != 0 || zip_source_open(target) != 0 || zip_source_seek(target, 0, SEEK_END) != 0) {
        abort();
    }
    *size = (size_t)zip_source_tell(target);
    uint8_t *bytes = malloc(*size);
    zip_source_seek(target, 0, SEEK_SET);
    if (!bytes || zip_source_read(target, bytes, *size) != (zip_int64_t)*size) {
        abort();
    }
    zip_source_close(target);
    zip_source_free(target);
    return bytes;
}

static const uint8_t zeros[1024];

// A file of torch.save with this pickle. To be freed.
static uint8_t *wrap_pickle(const void *pickle, size_t pickle_size, size_t *size)
{
    static const char *const storages[] = {"archive/data/0", "archive/data/1", "archive/data/2", "archive/data/3"};
    zip_source_t *target;
    zip_t *archive = start_archive(&target);
    append_file(archive, "archive/data.pkl", pickle, pickle_size);
    append_file(archive, "archive/byteorder", "little", 6);
    for (size_t i = 0; i < sizeof storages / sizeof *storages; i++) {
        append_file(archive, storages[i], zeros, sizeof zeros);
    }
    return finish_archive(archive, target, size);
}

// An archive with this graph and these weights. To be freed.
static uint8_t *wrap_graph(const uint8_t *data, size_t data_size, size_t *size)
{
    static const char nothing[] = "{\"config\": {}}";
    static const char *const weights[] = {"model/data/weights/weight_0", "model/data/weights/weight_1",
                                          "model/data/weights/weight_2", "model/data/weights/weight_3"};
    enum { PICKLE_START = 0x80 };
    const uint8_t *end = memchr(data, 0, data_size);
    const size_t graph_size = end ? (size_t)(end - data) : data_size;
    const void *config = end ? end + 1 : (const void *)nothing;
    const size_t config_size = end ? data_size - graph_size - 1 : sizeof nothing - 1;
    uint8_t *pickled = NULL;
    size_t pickled_size;
    zip_source_t *target;
    zip_t *archive = start_archive(&target);

    append_file(archive, "model/archive_format", "pt2", 3);
    append_file(archive, "model/byteorder", "little", 6);
    append_file(archive, "model/archive_version", "0", 1);
    append_file(archive, "model/models/model.json", data, graph_size);
    if (config_size > 0 && *(const uint8_t *)config == PICKLE_START) {
        pickled = wrap_pickle(config, config_size, &pickled_size);
        append_file(archive, "model/data/weights/model.pt", pickled, pickled_size);
    } else {
        append_file(archive, "model/data/weights/model_weights_config.json", config, config_size);
        append_file(archive, "model/data/constants/model_constants_config.json", nothing, sizeof nothing - 1);
        for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
            append_file(archive, weights[i], zeros, sizeof zeros);
        }
    }
    uint8_t *bytes = finish_archive(archive, target, size);
    free(pickled);
    return bytes;
}

static void compile(const char *path)
{
    struct rl_context context = {0};
    struct rl_arena arena = {0};
    struct rl_compiled compiled;
    struct rl_host_program program;
    jmp_buf out_of_memory;
    static const struct rl_input_shape shapes[] = {{.rank = 4, .sizes = {1, 3, 8, 8}}, {.rank = 2, .sizes = {2, 3}}};
    struct rl_compile_options options = {
        .model = path, .shapes = {shapes, 2}, .quantization = RL_QUANTIZE_NONE, .max_arena = 1 << 16};

    arena.out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory) == 0 && rl_target_parse(&context, "any", &options.target) == RL_OK) {
        const enum rl_status status = rl_compile(&context, &arena, &options, &compiled);
        // The check between two passes may stop a graph that contradicts itself. That is accepted, though a better
        // message would be possible.
        if ((status == RL_OK) != (context.message[0] == '\0')) {
            abort();
        }
        if (status == RL_OK) {
            const struct rl_host_files files = {
                .source = "fuzz.pte", .program = compiled.emitted.file, .program_size = compiled.emitted.size};
            if (rl_host_program_open(&context, &arena, &files, &program) != RL_OK) {
                fprintf(stderr, "the runtime refuses a program of ours: %s\n", context.message);
                abort();
            }
            rl_host_program_execute(&context, &program);
        }
    }
    rl_arena_free(&arena);
}

// Jansson's hash tables would take another order in each process, which the fuzzer sees and follows.
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    json_object_seed(1);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 2 && memcmp(data, "PK", 2) == 0) {
        compile(rl_fuzz_file(data, size));
        return 0;
    }
    size_t archive_size;
    uint8_t *archive = wrap_graph(data, size, &archive_size);
    compile(rl_fuzz_file(archive, archive_size));
    free(archive);
    return 0;
}
