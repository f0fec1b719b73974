// SPDX-License-Identifier: Apache-2.0
//
// Memory of JSON values and texts. No caller of the JSON library looks whether each of its calls found memory, so that
// one which did not would leave a gap in a report. Here, running out leaves by the arena's handler, as everything else
// does that runs out, and what is left behind then is freed at the end.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

struct block {
    _Alignas(16) struct block *next;
    struct block *before;
};

static struct block blocks = {&blocks, &blocks};
static struct rl_arena *arena;

static void *take(size_t bytes)
{
    struct block *block = bytes <= SIZE_MAX - sizeof *block ? malloc(sizeof *block + bytes) : NULL;
    if (!block) {
        longjmp(*arena->out_of_memory, 1);
    }
    *block = (struct block){.next = blocks.next, .before = &blocks};
    blocks.next->before = block;
    blocks.next = block;
    return block + 1;
}

void rl_cli_free(void *memory)
{
    if (memory) {
        struct block *block = (struct block *)memory - 1;
        block->before->next = block->next;
        block->next->before = block->before;
        free(block);
    }
}

char *rl_cli_copy(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    return memcpy(take(bytes), text, bytes);
}

void rl_cli_start_memory(struct rl_arena *handler)
{
    arena = handler;
    json_set_alloc_funcs(take, rl_cli_free);
}

void rl_cli_end_memory(void)
{
    while (blocks.next != &blocks) {
        rl_cli_free(blocks.next + 1);
    }
}
