// SPDX-License-Identifier: Apache-2.0
//
// What every other test on a board takes for granted: initialized memory, printf, the heap, floats, the pool of the
// linker script, the stack's paint, files through semihosting.
#include "board.h"
#include "semihosting.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static volatile uint32_t initialized[3] = {11, 22, 33};
static volatile uint32_t zeroed[64];

static void check(bool condition, const char *what)
{
    if (condition) {
        return;
    }
    printf("FAIL: %s\n", what);
    failures++;
}

static void test_memory(void)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < 64; i++) {
        sum |= zeroed[i];
    }
    check(sum == 0, "uninitialized variables start as zero");
    check(initialized[0] == 11 && initialized[2] == 33, "initialized variables have their values");
    char *block = malloc(100000);
    check(block, "the heap has 100000 bytes");
    free(block);
}

static void test_pool(void)
{
    size_t bytes;
    uint8_t *pool = rl_board_pool(&bytes);
    check((uintptr_t)pool % 16 == 0, "the pool is aligned to 16 bytes");
    check(bytes >= 8U << 20, "the pool has at least 8 MiB");
    for (size_t i = 0; i < bytes; i += 4096) {
        pool[i] = (uint8_t)(i >> 12);
    }
    pool[bytes - 1] = 77;
    bool kept = pool[bytes - 1] == 77;
    for (size_t i = 0; i < bytes; i += 4096) {
        kept = kept && pool[i] == (uint8_t)(i >> 12);
    }
    check(kept, "every page of the pool keeps what is written");
}

static void test_floats(void)
{
    volatile float three = 3.0F;
    volatile double seven = 7.0;
    check(1.0F / three * three == 1.0F, "single precision divides and multiplies");
    check((int)(seven * 6.0) == 42, "double precision multiplies");
}

static void __attribute__((noinline)) use_stack(void)
{
    volatile uint8_t block[10000];
    for (size_t i = 0; i < sizeof block; i++) {
        block[i] = 1;
    }
}

static void test_stack(void)
{
    const size_t before = rl_board_stack_peak();
    use_stack();
    const size_t after = rl_board_stack_peak();
    check(before >= 64 && before < 4096, "the peak before a deep call is small");
    check(after >= 10000 && after < 14096, "the peak after a deep call counts it");
}

// Reads back this very firmware's name from the command line and a file of the host.
static void test_files(int argc, char **argv)
{
    check(argc >= 1 && strstr(argv[0], "start_test"), "the first word names the firmware");
    check(rl_semihosting_open("/nonexistent/file", RL_SEMIHOSTING_READ) < 0, "a missing file does not open");
    const int32_t file = rl_semihosting_open("/proc/self/cmdline", RL_SEMIHOSTING_READ);
    char text[17] = {0};
    check(file >= 0, "a file of the host opens");
    check(rl_semihosting_read(file, text, 15) == 0 && strcmp(text, "qemu-system-arm") == 0, "15 bytes are read");
    check(rl_semihosting_seek(file, 5) && rl_semihosting_read(file, text, 6) == 0, "it can be read again");
    check(strncmp(text, "system", 6) == 0, "reading goes on where seek left it");
    rl_semihosting_close(file);
}

int main(int argc, char **argv)
{
    test_memory();
    test_pool();
    test_floats();
    test_stack();
    test_files(argc, argv);
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
