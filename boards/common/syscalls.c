// SPDX-License-Identifier: Apache-2.0
//
// The functions that newlib needs for printf, malloc and exit in test programs: the console and the heap. Names and
// signatures are newlib's.
#include "semihosting.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/types.h>

extern char rl_heap_begin[], rl_heap_end[];

int _close(int file);
int _fstat(int file, struct stat *status);
int _getpid(void);
int _isatty(int file);
int _kill(int process, int signal);
off_t _lseek(int file, off_t offset, int origin);
int _read(int file, void *data, size_t bytes);
void *_sbrk(ptrdiff_t bytes);
int _write(int file, const void *data, size_t bytes);
_Noreturn void _exit(int status);

int _write(int file, const void *data, size_t bytes)
{
    static int32_t console = -1;
    (void)file;
    if (console < 0) {
        console = rl_semihosting_open(":tt", RL_SEMIHOSTING_WRITE);
    }
    return (int)(bytes - rl_semihosting_write(console, data, bytes));
}

void *_sbrk(ptrdiff_t bytes)
{
    static char *end = rl_heap_begin;
    if (bytes > rl_heap_end - end || bytes < rl_heap_begin - end) {
        errno = ENOMEM;
        return (void *)-1;
    }
    char *const block = end;
    end += bytes;
    return block;
}

_Noreturn void _exit(int status)
{
    rl_semihosting_exit(status);
}

// The console is the only open file. It is buffered by line, so that output before a fault is not lost.
int _isatty(int file)
{
    (void)file;
    return 1;
}

int _fstat(int file, struct stat *status)
{
    (void)file;
    status->st_mode = S_IFCHR;
    return 0;
}

static int unsupported(void)
{
    errno = ENOSYS;
    return -1;
}

int _close(int file)
{
    (void)file;
    return unsupported();
}

off_t _lseek(int file, off_t offset, int origin)
{
    (void)file;
    (void)offset;
    (void)origin;
    return unsupported();
}

int _read(int file, void *data, size_t bytes)
{
    (void)file;
    (void)data;
    (void)bytes;
    return unsupported();
}

int _kill(int process, int signal)
{
    (void)process;
    (void)signal;
    return unsupported();
}

int _getpid(void)
{
    return 1;
}
