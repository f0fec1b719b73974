// SPDX-License-Identifier: Apache-2.0
//
// The kernel bench: runs each case between the counter's marks and prints its name, a checksum of its output (FNV-1a of
// 32 bits), the same on every core, and its multiplications. The counter writes one line a case in the same order.
#include "bench.h"
#include "board.h"

#include <stdint.h>
#include <string.h>

struct bench_memory bench_memory;

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void fill(const struct bench_suite *suite)
{
    struct bench_memory *m = &bench_memory;
    uint32_t state = 12345;
    for (uint32_t i = 0; i < suite->input_bytes; i++) {
        m->input.s8[i] = (int8_t)(next_random(&state) >> 8);
    }
    for (uint32_t i = 0; i < suite->weight_bytes; i++) {
        m->weights[i] = (int8_t)(next_random(&state) >> 8);
    }
    for (int i = 0; i < BENCH_CHANNELS; i++) {
        m->bias[i] = (int32_t)(next_random(&state) % 20001) - 10000;
        m->wide_bias[i] = m->bias[i];
        m->multiplier[i] = (int32_t)(0x40000000u + (next_random(&state) >> 2));
        m->shift[i] = -(int32_t)(6 + next_random(&state) % 4);
        m->left_shift[i] = i % 17 == 5 ? 1 : m->shift[i];
    }
}

static uint32_t checksum(int32_t bytes)
{
    const uint8_t *data = (const uint8_t *)&bench_memory.output;
    uint32_t hash = 2166136261u;
    for (int32_t i = 0; i < bytes; i++) {
        hash = (hash ^ data[i]) * 16777619u;
    }
    return hash;
}

static void print(const char *name, const char *form, uint32_t sum, const char *note)
{
    rl_board_print(name);
    rl_board_print(form);
    rl_board_print(" ");
    rl_board_print_hex(sum);
    rl_board_print(" ");
    rl_board_print_number((uint32_t)bench_memory.multiplications);
    rl_board_print(note);
}

// False if the kernel refused, or gave other results in a program.
static bool run(const struct bench_case *test)
{
    memset(&bench_memory.output, 0, sizeof bench_memory.output);
    bench_memory.multiplications = 0;
    int32_t bytes = test->run(test);
    const uint32_t sum = checksum(bytes);
    print(test->name, "", sum, bytes < 0 ? " refused\n" : "\n");
    if (bytes < 0 || !test->run_program) {
        return bytes >= 0;
    }
    memset(&bench_memory.output, 0, sizeof bench_memory.output);
    bytes = test->run_program(test);
    if (bytes == 0) {
        return true;
    }
    const bool same = bytes > 0 && checksum(bytes) == sum;
    print(test->name, "@program", checksum(bytes), same ? "\n" : " differs\n");
    return same;
}

int main(void)
{
    for (int i = 0; i < BENCH_SUITES; i++) {
        const struct bench_suite *suite = &bench_suites[i];
        fill(suite);
        for (uint32_t k = 0; k < suite->case_count; k++) {
            if (!run(&suite->cases[k])) {
                return 1;
            }
        }
    }
    return 0;
}
