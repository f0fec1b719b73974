// SPDX-License-Identifier: Apache-2.0
// A 32-bit RISC-V program for Linux, as small as start-up can be: QEMU's user mode runs it. Calls of the system are
// write (64) and exit (93).
#include <stdio.h>
#include <string.h>

void app_main(void);
extern char __bss_start[], __bss_end[];

static long call(long number, long first, long second, long third)
{
    register long a0 __asm__("a0") = first;
    register long a1 __asm__("a1") = second;
    register long a2 __asm__("a2") = third;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

static int put(char character, FILE *file)
{
    (void)file;
    call(64, 1, (long)&character, 1);
    return character;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = &console;

__attribute__((noreturn)) void begin(void);
void begin(void)
{
    memset(__bss_start, 0, (size_t)(__bss_end - __bss_start));
    app_main();
    call(93, 0, 0, 0);
    __builtin_unreachable();
}

// picolibc keeps errno relative to tp; global data is reached from gp.
__asm__(".global _start\n_start:\n.option push\n.option norelax\nla gp, __global_pointer$\n.option pop\n"
        "la tp, __tls_base\nandi sp, sp, -16\nj begin\n");
