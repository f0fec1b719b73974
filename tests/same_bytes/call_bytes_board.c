// SPDX-License-Identifier: Apache-2.0
// usage: call_bytes.elf EVERY FILE...: the checksums of calls.h on a core.
#include <stdio.h>
#include <stdlib.h>

#include "board.h"
#include "same_bytes/calls.h"
#include "semihosting.h"

int main(int argc, char **argv)
{
    size_t room;
    uint8_t *pool = rl_board_pool(&room);
    for (int i = 2; i < argc; i++) {
        const int32_t file = rl_semihosting_open(argv[i], RL_SEMIHOSTING_READ);
        const int32_t length = file < 0 ? -1 : rl_semihosting_length(file);
        if (length <= 0 || (size_t)length > room || rl_semihosting_read(file, pool, (size_t)length) != 0) {
            printf("FAIL: %s cannot be read\n", argv[i]);
            return 1;
        }
        rl_semihosting_close(file);
        print_calls(argv[i], pool, (size_t)length, (uint32_t)strtoul(argv[1], NULL, 10));
    }
    return 0;
}
