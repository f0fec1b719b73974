// SPDX-License-Identifier: Apache-2.0
//
// Files, console and exit of the debugging host, through Arm semihosting ("Semihosting for AArch32 and AArch64",
// release 2.0). Works in QEMU with `-semihosting-config enable=on` and under a debugger; without either, the first call
// faults. Paths are those of the host. Every handle is a small non-negative integer owned by the caller.
#ifndef RL_BOARDS_SEMIHOSTING_H
#define RL_BOARDS_SEMIHOSTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rl_semihosting_mode {
    RL_SEMIHOSTING_READ = 1,   // "rb"
    RL_SEMIHOSTING_WRITE = 5,  // "wb"
    RL_SEMIHOSTING_APPEND = 9, // "ab"
};

// A handle, or -1 when the host cannot open `path`. The name ":tt" is the standard input when it is opened to be read,
// the standard output to be written and the standard error to be appended to.
int32_t rl_semihosting_open(const char *path, enum rl_semihosting_mode mode);
void rl_semihosting_close(int32_t handle);

// Both return the number of bytes that were NOT moved: 0 is success, `bytes` is the end of the file or an error.
size_t rl_semihosting_read(int32_t handle, void *data, size_t bytes);
size_t rl_semihosting_write(int32_t handle, const void *data, size_t bytes);

// Moves to `offset` bytes from the start of the file.
bool rl_semihosting_seek(int32_t handle, size_t offset);

// The length of the file in bytes, or -1.
int32_t rl_semihosting_length(int32_t handle);

// Copies the command line (program name first, words separated by spaces) into `line`, NUL-terminated.
// False when there is none or it needs more than `bytes`.
bool rl_semihosting_command_line(char *line, size_t bytes);

// Writes NUL-terminated text to the console.
void rl_semihosting_print(const char *text);

// Ends the emulation with this exit status.
_Noreturn void rl_semihosting_exit(int status);

#endif
