// SPDX-License-Identifier: Apache-2.0
//
// Reads an image, a recording or a table, by its first bytes, and makes samples of it.
#include <setjmp.h>
#include <string.h>

#include "compiler/media/media.h"
#include "fuzz/fuzz.h"

static enum rl_media_kind kind_of(const uint8_t *data, size_t size)
{
    if (size >= 4 && (memcmp(data, "\x89PNG", 4) == 0 || memcmp(data, "\xff\xd8\xff", 3) == 0)) {
        return RL_MEDIA_IMAGE;
    }
    return size >= 4 && memcmp(data, "RIFF", 4) == 0 ? RL_MEDIA_RECORDING : RL_MEDIA_TABLE;
}

static struct rl_tensor_type type_for(enum rl_media_kind kind)
{
    static const int64_t sizes[][RL_MAX_RANK] = {
        [RL_MEDIA_IMAGE] = {1, 3, 5, 4}, [RL_MEDIA_RECORDING] = {1, 1, 1, 16}, [RL_MEDIA_TABLE] = {1, 1, 2, 3}};

    return rl_tensor_type_make(RL_FLOAT32, 4, sizes[kind]);
}

// All elements of an array that was made are there.
static void touch(const struct rl_array *array)
{
    volatile float sum = 0;
    const float *elements = array->data;

    for (int64_t i = 0; i < rl_array_numel(array); i++) {
        sum = sum + elements[i];
    }
}

static void read_file(struct rl_context *context, struct rl_arena *arena, const uint8_t *data, size_t size)
{
    const enum rl_media_kind kind = kind_of(data, size);
    const struct rl_tensor_type type = type_for(kind);
    const struct rl_preparation preparation = {
        .resize = kind == RL_MEDIA_IMAGE ? RL_RESIZE_INPUT : RL_RESIZE_NONE, .crops = true, .pads = true};
    struct rl_array array;

    context->preparation = &preparation;
    if (rl_media_parse(context, arena, kind, "fuzz", data, size, &type, &array) == RL_OK) {
        touch(&array);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_PIXELS = 1 << 20 }; // bytes of them: larger images would only take longer
    struct rl_context context = {.max_unpacked = MOST_PIXELS};
    struct rl_arena arena = {0};
    jmp_buf out_of_memory;

    arena.out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory) == 0) {
        read_file(&context, &arena, data, size);
    }
    rl_arena_free(&arena);
    return 0;
}
