// SPDX-License-Identifier: Apache-2.0
#include "compiler/support/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RL_ARENA_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define RL_ARENA_SANITIZED 1
#endif

enum {
    ALIGNMENT = 16,
#ifdef RL_ARENA_SANITIZED
    BLOCK_SIZE = 0 // each allocation is a block of its own, so that the sanitizer sees overruns
#else
    BLOCK_SIZE = 128 * 1024
#endif
};

struct rl_arena_block {
    _Alignas(ALIGNMENT) struct rl_arena_block *next;
    _Alignas(ALIGNMENT) unsigned char data[];
};

static void *out_of_memory(struct rl_arena *arena)
{
    if (!arena->out_of_memory) {
        abort();
    }
    longjmp(*arena->out_of_memory, 1);
}

static struct rl_arena_block *new_block(struct rl_arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(struct rl_arena_block)) {
        out_of_memory(arena);
    }
    struct rl_arena_block *block = calloc(1, sizeof(struct rl_arena_block) + size);
    if (!block) {
        out_of_memory(arena);
    }
    return block;
}

// Gives a large allocation a block of its own, behind the newest block, so that the rest of that can still be used.
static void *allocate_alone(struct rl_arena *arena, size_t size)
{
    struct rl_arena_block *block = new_block(arena, size);
    if (!arena->blocks) {
        arena->blocks = block;
        arena->used = arena->capacity = 0;
    } else {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    }
    return block->data;
}

void *rl_arena_alloc(struct rl_arena *arena, size_t size)
{
    if (size > BLOCK_SIZE / 4) {
        return allocate_alone(arena, size);
    }
    const size_t rounded = size == 0 ? ALIGNMENT : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (arena->capacity - arena->used < rounded) {
        const size_t capacity = BLOCK_SIZE == 0 ? rounded : BLOCK_SIZE;
        struct rl_arena_block *block = new_block(arena, capacity);
        block->next = arena->blocks;
        arena->blocks = block;
        arena->used = 0;
        arena->capacity = capacity;
    }
    void *memory = arena->blocks->data + arena->used;
    arena->used += rounded;
    return memory;
}

void *rl_arena_array(struct rl_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        out_of_memory(arena);
    }
    return rl_arena_alloc(arena, count * size);
}

void *rl_arena_copy(struct rl_arena *arena, const void *data, size_t size)
{
    void *copy = rl_arena_alloc(arena, size);
    if (size != 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

char *rl_arena_string(struct rl_arena *arena, const char *string)
{
    return rl_arena_copy(arena, string, strlen(string) + 1);
}

char *rl_arena_format(struct rl_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    const size_t size = length < 0 ? 1 : (size_t)length + 1;
    char *text = rl_arena_alloc(arena, size);
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return text;
}

void rl_arena_free(struct rl_arena *arena)
{
    while (arena->blocks) {
        struct rl_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->used = arena->capacity = 0;
}
