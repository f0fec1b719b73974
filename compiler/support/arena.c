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
    BLOCK_SIZE = 0, // each allocation is a block of its own, so that the sanitizer sees overruns
#else
    BLOCK_SIZE = 128 * 1024,
#endif
    LARGE = 32 * 1024 // allocations above this have blocks of their own, in a list of their own
};

struct rl_arena_block {
    _Alignas(ALIGNMENT) struct rl_arena_block *next;
    size_t size; // of the data
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
    block->size = size;
    arena->bytes += size;
    arena->most_bytes = arena->bytes > arena->most_bytes ? arena->bytes : arena->most_bytes;
    return block;
}

void *rl_arena_alloc(struct rl_arena *arena, size_t size)
{
    if (size > LARGE) {
        struct rl_arena_block *block = new_block(arena, size);
        block->next = arena->large;
        arena->large = block;
        return block->data;
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

// The link to the block that begins at `data`, or to NULL behind the last one.
static struct rl_arena_block **find_large(struct rl_arena *arena, const void *data)
{
    struct rl_arena_block **link = &arena->large;
    while (*link && (*link)->data != data) {
        link = &(*link)->next;
    }
    return link;
}

size_t rl_arena_large_size(struct rl_arena *arena, const void *data)
{
    const struct rl_arena_block *block = *find_large(arena, data);
    return block ? block->size : 0;
}

void rl_arena_release(struct rl_arena *arena, const void *data)
{
    struct rl_arena_block **link = find_large(arena, data), *block = *link;
    if (block) {
        *link = block->next;
        arena->bytes -= block->size;
        free(block);
    }
}

static void free_list(struct rl_arena_block *block)
{
    while (block) {
        struct rl_arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void *rl_arena_reallocate(void *arena, void *block, size_t old_size, size_t new_size)
{
    void *larger = new_size > 0 ? rl_arena_alloc(arena, new_size) : NULL;
    if (block && larger) {
        memcpy(larger, block, old_size < new_size ? old_size : new_size);
    }
    if (block) {
        rl_arena_release(arena, block);
    }
    return larger;
}

void rl_arena_free(struct rl_arena *arena)
{
    free_list(arena->blocks);
    free_list(arena->large);
    arena->blocks = arena->large = NULL;
    arena->used = arena->capacity = arena->bytes = 0;
}
