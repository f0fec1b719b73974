// SPDX-License-Identifier: Apache-2.0
#include "fuzz/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 // as gcc says it
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define __asan_poison_memory_region(start, bytes)   ((void)(start), (void)(bytes))
#define __asan_unpoison_memory_region(start, bytes) ((void)(start), (void)(bytes))
#endif

enum { GUARD = 64, ALIGNMENT = 16, GUARD_BYTE = 0xc5 };

// In front of the block's first guard.
struct head {
    void *allocated;
    size_t bytes;
};

static struct head *head_of(uint8_t *block)
{
    return (struct head *)(void *)(block - GUARD - ALIGNMENT);
}

_Static_assert(sizeof(struct head) <= ALIGNMENT, "the head has the room of one alignment");

void *fuzz_take(size_t bytes)
{
    uint8_t *allocated = malloc(ALIGNMENT + ALIGNMENT + GUARD + bytes + GUARD);
    if (!allocated) {
        printf("no memory\n");
        exit(1);
    }
    uint8_t *start = allocated + (ALIGNMENT - (uintptr_t)allocated % ALIGNMENT) % ALIGNMENT;
    uint8_t *block = start + ALIGNMENT + GUARD;
    *head_of(block) = (struct head){allocated, bytes};
    memset(block - GUARD, GUARD_BYTE, GUARD);
    memset(block, 0, bytes);
    memset(block + bytes, GUARD_BYTE, GUARD);
    fuzz_close(block - GUARD, GUARD);
    fuzz_close(block + bytes, GUARD);
    return block;
}

static void expect_guard(const uint8_t *guard)
{
    for (size_t i = 0; i < GUARD; i++) {
        if (guard[i] == GUARD_BYTE) {
            continue;
        }
        printf("FAIL: something was written beside its memory\n");
        fflush(stdout);
        abort();
    }
}

void fuzz_give_back(void *memory)
{
    uint8_t *block = memory;
    if (!block) {
        return;
    }
    const struct head head = *head_of(block);
    fuzz_open(block - GUARD, GUARD + head.bytes + GUARD);
    expect_guard(block - GUARD);
    expect_guard(block + head.bytes);
    free(head.allocated);
}

void fuzz_close(void *start, size_t bytes)
{
    __asan_poison_memory_region(start, bytes);
}

void fuzz_open(void *start, size_t bytes)
{
    __asan_unpoison_memory_region(start, bytes);
}
