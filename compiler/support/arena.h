// SPDX-License-Identifier: Apache-2.0
//
// Memory of one compilation: allocated piece by piece, freed all at once. Only large pieces, which weights and the work
// space of a phase are, may be given back before.
#ifndef RL_COMPILER_SUPPORT_ARENA_H
#define RL_COMPILER_SUPPORT_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct rl_arena_block;

// Zero-initialise to use. When memory runs out, rl_arena_alloc jumps to `out_of_memory` (set by the outermost entry
// point with setjmp), so that no caller has to check; without a handler it aborts.
struct rl_arena {
    struct rl_arena_block *blocks, *large; // `large`: of one allocation each
    size_t used, capacity;                 // of the newest one of `blocks`
    size_t bytes, most_bytes;              // taken from the system: now, and at most so far
    jmp_buf *out_of_memory;
};

// Zeroed memory, aligned to 16 bytes, valid until rl_arena_free. Never NULL, also for size 0.
void *rl_arena_alloc(struct rl_arena *arena, size_t size);

// As above for count * size bytes; an overflow of the product counts as out of memory.
void *rl_arena_array(struct rl_arena *arena, size_t count, size_t size);

void *rl_arena_copy(struct rl_arena *arena, const void *data, size_t size);
char *rl_arena_string(struct rl_arena *arena, const char *string);
char *rl_arena_format(struct rl_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3), nonnull));

// The size of an allocation that is large enough for rl_arena_release; 0 for all others.
size_t rl_arena_large_size(struct rl_arena *arena, const void *data);

// Gives back an allocation that nobody uses any more, if it is a large one (above 32 KiB). Others stay until
// rl_arena_free, as does memory of another arena.
void rl_arena_release(struct rl_arena *arena, const void *data);

// Memory of a writer in format/, whose `user` is the arena: a block of new_size bytes with what the old one held, which
// is given back; NULL for size 0.
void *rl_arena_reallocate(void *arena, void *block, size_t old_size, size_t new_size);

void rl_arena_free(struct rl_arena *arena);

#endif
