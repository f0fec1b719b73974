// SPDX-License-Identifier: Apache-2.0
//
// usage: work_test.elf FILE...: calls of all operators with many sizes. Prints the work that rl_method_work states for
// each, and runs it between two marks, for work_test.sh.
#include "board.h"
#include "mark.h"
#include "semihosting.h"

#include "fuzz/pte_sweep.h"
#include "rushlight/registry.h"
#include "rushlight/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA = 61 << 10, STATE = 16 << 10, ENDS = 16, END = 8 << 10 };

static _Alignas(RL_ALIGNMENT) uint8_t arena[ARENA];
static _Alignas(RL_ALIGNMENT) uint8_t state[STATE];
static _Alignas(RL_ALIGNMENT) uint8_t ends[ENDS][END];
static unsigned made, runs;

// Binds inputs and outputs that are not planned, as far as there is memory for them. Every byte becomes `content`.
static void bind(struct rl_method *method, uint8_t content)
{
    struct rl_tensor tensor;
    uint32_t used = 0;
    bool changes;
    for (uint32_t i = 0; i < rl_method_input_count(method); i++) {
        if (rl_method_input_bound(method, i, &tensor, &changes) == RL_OK && tensor.bytes <= END && used < ENDS) {
            rl_method_bind_input(method, i, memset(ends[used++], content, tensor.bytes), tensor.bytes);
        }
    }
    for (uint32_t i = 0; i < rl_method_output_count(method); i++) {
        if (rl_method_output_bound(method, i, &tensor, &changes) == RL_OK && tensor.bytes <= END && used < ENDS) {
            rl_method_bind_output(method, i, memset(ends[used++], content, tensor.bytes), tensor.bytes);
        }
    }
}

// Verification takes time in proportion to the file, so fewer of a large program's calls are run.
static void run(const char *name, const uint8_t *file, size_t size)
{
    static const uint8_t contents[] = {0, 0x3f};
    static struct rl_program program;
    static struct rl_method method;
    const struct rl_buffer buffer = {arena, ARENA};
    struct rl_requirements needs;
    struct rl_work work;
    if (++made % (1 + size / 8192) != 0) {
        return;
    }
    if (rl_program_open(&program, file, size, NULL) != RL_OK ||
        rl_program_verify(&program, &rl_registry_all, NULL) != RL_OK ||
        rl_method_work(&program, 0, &rl_registry_all, &work, NULL) != RL_OK ||
        rl_method_requirements(&program, 0, &needs, NULL) != RL_OK || needs.state_bytes > STATE ||
        (needs.buffer_count > 0 && needs.buffer_bytes[0] > ARENA)) {
        return;
    }
    for (size_t i = 0; i < sizeof contents; i++) {
        memset(arena, contents[i], needs.buffer_count > 0 ? needs.buffer_bytes[0] : 0);
        if (rl_method_init(&method, &program, 0, &rl_registry_all, &buffer, 1, state, needs.state_bytes, NULL) !=
            RL_OK) {
            return;
        }
        bind(&method, contents[i]);
        rl_method_restart(&method); // which may clear the memory
        bool done;
        rl_mark_begin();
        const enum rl_status status = rl_method_step(&method, UINT32_MAX, &done);
        rl_mark_end();
        printf("work %u %s %d\n", (unsigned)(work.total < UINT32_MAX ? work.total : UINT32_MAX), name, (int)status);
        runs++;
    }
}

int main(int argc, char **argv)
{
    size_t room;
    uint8_t *pool = rl_board_pool(&room);
    for (int i = 1; i < argc; i++) {
        const int32_t file = rl_semihosting_open(argv[i], RL_SEMIHOSTING_READ);
        const int32_t length = file < 0 ? -1 : rl_semihosting_length(file);
        if (length <= 0 || (size_t)length > room || rl_semihosting_read(file, pool, (size_t)length) != 0) {
            printf("FAIL: %s cannot be read\n", argv[i]);
            return 1;
        }
        rl_semihosting_close(file);
        rl_sweep_sizes(pool, (size_t)length, run);
    }
    return runs > 0 ? 0 : 1;
}
