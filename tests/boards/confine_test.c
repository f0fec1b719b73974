// SPDX-License-Identifier: Apache-2.0
//
// A firmware that a hostile program has taken over, in place of the runner: it tries all that semihosting offers on
// files beside the folder in which the emulator runs, and prints what succeeded. confine_test.sh starts it.
#include "board.h"
#include "semihosting.h"

#include <string.h>

enum { SYS_REMOVE = 0x0E, SYS_RENAME = 0x0F, SYS_SYSTEM = 0x12, HANDLES = 64 };

static int32_t call(int32_t operation, const void *parameters)
{
    register int32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = parameters;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static uint32_t word(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

static void tell(const char *what, bool succeeded)
{
    rl_board_print(what);
    rl_board_print(succeeded ? "=yes " : "=no ");
}

static void read_and_write(void)
{
    char text[8] = "";
    const int32_t secret = rl_semihosting_open("../secret", RL_SEMIHOSTING_READ);
    tell("read", secret >= 0 && rl_semihosting_read(secret, text, 6) == 0 && memcmp(text, "secret", 6) == 0);
    const int32_t made = rl_semihosting_open("../made", RL_SEMIHOSTING_WRITE);
    tell("write", made >= 0 && rl_semihosting_write(made, "x", 1) == 0);
    const int32_t appended = rl_semihosting_open("../appended", RL_SEMIHOSTING_APPEND);
    tell("append", appended >= 0 && rl_semihosting_write(appended, "x", 1) == 0);
}

// Handles that nobody gave out, apart from the three of the console.
static void guess_handles(void)
{
    char text[8];
    bool succeeded = false;
    for (int32_t handle = 4; handle < HANDLES; handle++) {
        succeeded |= rl_semihosting_read(handle, text, 1) == 0 || rl_semihosting_length(handle) >= 0;
    }
    tell("guess", succeeded);
}

static void change_files(void)
{
    static const char removed[] = "../removed", old[] = "../renamed", new[] = "../moved";
    static const char command[] = "touch ../executed";
    const uint32_t remove[2] = {word(removed), sizeof removed - 1};
    const uint32_t rename[4] = {word(old), sizeof old - 1, word(new), sizeof new - 1};
    const uint32_t system[2] = {word(command), sizeof command - 1};
    tell("remove", call(SYS_REMOVE, remove) == 0);
    tell("rename", call(SYS_RENAME, rename) == 0);
    tell("system", call(SYS_SYSTEM, system) == 0);
}

int main(void)
{
    rl_board_print("tried: ");
    guess_handles();
    read_and_write();
    change_files();
    rl_board_print("end\n");
    return 3;
}
