// SPDX-License-Identifier: Apache-2.0
//
// usage: corruption_test.elf PROGRAM.pte TRIALS. Started by corruption_test.sh: single bytes of a program change in the
// memory of a device.
#include "board.h"
#include "semihosting.h"

#include "rushlight/registry.h"
#include "rushlight/runtime.h"
#include "support/corruption.h"

#include <stdio.h>
#include <stdlib.h>

enum { STATE_BYTES = 1024, REFERENCE_BYTES = 1024 };

int main(int argc, char **argv)
{
    static _Alignas(RL_ALIGNMENT) uint8_t state[STATE_BYTES], reference[REFERENCE_BYTES];
    size_t room;
    uint8_t *pool = rl_board_pool(&room);
    const int32_t file = argc == 3 ? rl_semihosting_open(argv[1], RL_SEMIHOSTING_READ) : -1;
    const int32_t length = file < 0 ? -1 : rl_semihosting_length(file);
    if (length <= 0 || (size_t)length > room || rl_semihosting_read(file, pool, (size_t)length) != 0) {
        printf("FAIL: the program cannot be read\n");
        return 1;
    }
    const size_t used = ((size_t)length + RL_ALIGNMENT - 1) / RL_ALIGNMENT * RL_ALIGNMENT;
    const struct corruption_memory memory = {pool + used, state, reference, room - used, STATE_BYTES, REFERENCE_BYTES};
    return corrupt_single_bytes(pool, (size_t)length, &memory, (uint32_t)strtoul(argv[2], NULL, 10)) == 0 ? 0 : 1;
}
