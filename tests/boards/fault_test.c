// SPDX-License-Identifier: Apache-2.0
//
// Provokes the fault named on the command line; fault_test.sh looks at what the handler prints. With an unknown name it
// ends with status 3.
#include <stdint.h>
#include <string.h>

static void overflow_stack(void)
{
    __asm__ volatile("1: push {r0-r7}\n"
                     "b 1b\n");
}

static void access_nothing(void)
{
    *(volatile uint32_t *)(uintptr_t)0xF8000000 = 1;
}

static void execute_undefined(void)
{
    __asm__ volatile("udf #0");
}

static void divide_by_zero(void)
{
#if __ARM_ARCH >= 7
    __asm__ volatile("movs r0, #0\nudiv r0, r0, r0" ::: "r0");
#endif
}

static void access_unaligned(void)
{
    static uint32_t words[2];
    __asm__ volatile("ldr r0, [%0]" ::"r"((uintptr_t)words + 1) : "r0");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "nothing") == 0) {
        access_nothing();
    } else if (strcmp(name, "undefined") == 0) {
        execute_undefined();
    } else if (strcmp(name, "division") == 0) {
        divide_by_zero();
    } else if (strcmp(name, "unaligned") == 0) {
        access_unaligned();
    } else if (strcmp(name, "stack") == 0) {
        overflow_stack();
    } else {
        return 3;
    }
    return 0;
}
