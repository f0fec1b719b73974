// SPDX-License-Identifier: Apache-2.0
#include "semihosting.h"

#include <string.h>

enum operation {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_SEEK = 0x0A,
    SYS_FLEN = 0x0C,
    SYS_GET_CMDLINE = 0x15,
    SYS_EXIT_EXTENDED = 0x20,
};

static const uint32_t application_exit = 0x20026; // ADP_Stopped_ApplicationExit

static uint32_t word(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

static int32_t call(enum operation operation, const void *parameters)
{
    register int32_t r0 __asm__("r0") = (int32_t)operation;
    register const void *r1 __asm__("r1") = parameters;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

int32_t rl_semihosting_open(const char *path, enum rl_semihosting_mode mode)
{
    const uint32_t block[3] = {word(path), (uint32_t)mode, (uint32_t)strlen(path)};
    return call(SYS_OPEN, block);
}

void rl_semihosting_close(int32_t handle)
{
    const uint32_t block[1] = {(uint32_t)handle};
    call(SYS_CLOSE, block);
}

size_t rl_semihosting_read(int32_t handle, void *data, size_t bytes)
{
    const uint32_t block[3] = {(uint32_t)handle, word(data), (uint32_t)bytes};
    return (size_t)call(SYS_READ, block);
}

size_t rl_semihosting_write(int32_t handle, const void *data, size_t bytes)
{
    const uint32_t block[3] = {(uint32_t)handle, word(data), (uint32_t)bytes};
    return (size_t)call(SYS_WRITE, block);
}

bool rl_semihosting_seek(int32_t handle, size_t offset)
{
    const uint32_t block[2] = {(uint32_t)handle, (uint32_t)offset};
    return call(SYS_SEEK, block) == 0;
}

int32_t rl_semihosting_length(int32_t handle)
{
    const uint32_t block[1] = {(uint32_t)handle};
    return call(SYS_FLEN, block);
}

bool rl_semihosting_command_line(char *line, size_t bytes)
{
    const uint32_t block[2] = {word(line), (uint32_t)bytes};
    return call(SYS_GET_CMDLINE, block) == 0;
}

void rl_semihosting_print(const char *text)
{
    call(SYS_WRITE0, text);
}

_Noreturn void rl_semihosting_exit(int status)
{
    const uint32_t block[2] = {application_exit, (uint32_t)status};
    for (;;) {
        call(SYS_EXIT_EXTENDED, block);
    }
}
