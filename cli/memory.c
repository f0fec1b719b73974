// SPDX-License-Identifier: Apache-2.0
//
// Memory of JSON values and texts. No caller of the JSON library looks whether each of its calls found memory, so that
// one which did not would leave a gap in a report. Here, running out leaves by the arena's handler, as everything else
// does that runs out, and what is left behind then is freed at the end. Others in the process may use the JSON library,
// before us or in other threads: their memory is from malloc as ever, and ours too, so that either may be freed by the
// functions of the other.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { FIRST_ROOM = 256 };

// What a thread has allocated and not freed: a table with at most half of its places taken, searched from the place
// that an address gives.
struct table {
    void **places;
    size_t room, count; // room: a power of two
};

static _Thread_local struct table table;
static _Thread_local struct rl_arena *arena; // NULL: this thread is not ours
static pthread_once_t is_set = PTHREAD_ONCE_INIT;

static size_t home(const void *memory)
{
    return ((uintptr_t)memory >> 4) * 0x9e3779b1u & (table.room - 1);
}

static size_t find(const void *memory)
{
    size_t i = home(memory);
    while (table.places[i] && table.places[i] != memory) {
        i = (i + 1) & (table.room - 1);
    }
    return i;
}

static bool grow(void)
{
    const struct table before = table;
    const size_t room = before.room > 0 ? 2 * before.room : FIRST_ROOM;
    void **places = calloc(room, sizeof *places);
    if (!places) {
        return false;
    }
    table = (struct table){places, room, before.count};
    for (size_t i = 0; i < before.room; i++) {
        if (before.places[i]) {
            places[find(before.places[i])] = before.places[i];
        }
    }
    free(before.places);
    return true;
}

static bool add(void *memory)
{
    if (2 * (table.count + 1) > table.room && !grow()) {
        return false;
    }
    table.places[find(memory)] = memory;
    table.count++;
    return true;
}

// Closes the gap, so that what was put behind it because its place was taken is found again.
static void take_out(const void *memory)
{
    const size_t mask = table.room - 1;
    size_t gap = table.room > 0 ? find(memory) : 0;
    if (table.room == 0 || !table.places[gap]) {
        return;
    }
    table.count--;
    for (size_t i = (gap + 1) & mask; table.places[i]; i = (i + 1) & mask) {
        if (((i - home(table.places[i])) & mask) >= ((i - gap) & mask)) {
            table.places[gap] = table.places[i];
            gap = i;
        }
    }
    table.places[gap] = NULL;
    if (table.count == 0) { // the JSON of a large model takes a megabyte here
        free(table.places);
        table = (struct table){0};
    }
}

static void *take(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!arena || (memory && add(memory))) {
        return memory;
    }
    free(memory);
    longjmp(*arena->out_of_memory, 1);
}

void rl_cli_free(void *memory)
{
    if (arena && memory) {
        take_out(memory);
    }
    free(memory);
}

char *rl_cli_copy(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    return memcpy(take(bytes), text, bytes);
}

static void set_functions(void)
{
    json_set_alloc_funcs(take, rl_cli_free);
}

void rl_cli_start_memory(struct rl_arena *handler)
{
    arena = handler;
    pthread_once(&is_set, set_functions);
}

void rl_cli_end_memory(void)
{
    for (size_t i = 0; i < table.room; i++) {
        free(table.places[i]);
    }
    free(table.places);
    table = (struct table){0};
    arena = NULL;
}
